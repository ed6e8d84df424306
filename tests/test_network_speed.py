import pytest
import torch

from dotzero.configs.schema import BenchJob
from dotzero.envs.registry import make_game
from dotzero.models.backend import Backend, BackendConfig
from dotzero.models.evaluator import UniformEvaluator
from dotzero.models.network import NetworkConfig
from dotzero.scripts.network_speed import (
    LARGER,
    SelfPlayMeter,
    bare_work,
    network_figures,
    network_sizes,
)
from dotzero.search.search_config import RootRule, SearchConfig
from dotzero.train.selfplay import SelfPlayConfig

torch.set_num_threads(1)

TINY = NetworkConfig(num_blocks=1, num_channels=8, num_pooled_channels=4, num_head_channels=8)
GAME = make_game("boxes", {"rows": 2, "columns": 2})


def meter(**search):
    settings = SelfPlayConfig(num_games=8, num_groups=2, random_opening_plies=4)
    config = SearchConfig(root=RootRule.GUMBEL, num_simulations=8, **search)
    return SelfPlayMeter([GAME], settings, config, UniformEvaluator(GAME.num_policy_slots))


def test_self_play_is_measured_while_it_goes_on():
    measured = meter()
    asked = sum(measured.play_moves() for _ in range(6))
    assert asked == measured.selfplay.num_evaluations > 0
    figures = measured.figures()
    assert sum(figures["shares"].values()) == pytest.approx(1, abs=1e-6)
    assert all(share > 0 for share in figures["shares"].values())
    assert 1 <= figures["mean_batch"] <= 4
    assert figures["cache_hits"] == 0
    assert figures["limited_by"] != "limited by the network"  # which costs nothing here


def test_cache_hits_are_counted():
    measured = meter(cache_mib=1)
    for _ in range(20):
        measured.play_moves()
    assert 0.1 < measured.figures()["cache_hits"] < 1


def test_bare_work_keeps_full_batches_in_flight():
    evaluator = UniformEvaluator(GAME.num_policy_slots)
    batches = []
    start = evaluator.start
    evaluator.start = lambda buffer, num_rows: batches.append(num_rows) or start(buffer, num_rows)
    assert bare_work(GAME, evaluator, 3, 5)() == sum(batches)
    assert set(batches) == {5}


def test_the_larger_network_is_measured_unless_one_was_asked_for():
    assert network_sizes(BenchJob(), GAME) == [NetworkConfig(), LARGER]
    assert network_sizes(BenchJob(network=TINY), GAME) == [TINY]
    assert network_sizes(BenchJob(), make_game("kropki", {"width": 5, "height": 5})) == [NetworkConfig()]


def test_int8_is_measured_where_it_is_asked_for():
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    job = BenchJob(
        network=TINY, num_games=6, backend=BackendConfig(kind=Backend.ONNX, int8=True, num_workers=1)
    )

    def best(job, *works):
        return [float(work()) for work in works]

    bare, playing = network_figures(job, GAME, best)
    assert list(bare) == list(playing) == [f"b1c8 {kind}@boxes" for kind in ("torch", "onnx", "int8")]
    row = playing["b1c8 int8@boxes"]
    assert set(row) == {
        "efficiency", "evaluations_per_second", "mean_batch", "cache_hits", "shares", "limited_by"
    }  # fmt: skip
