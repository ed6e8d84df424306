"""The check of a GPU. Its whole course is tried on the processor, with small boards, networks and batches."""

import json

import pytest
import torch

from dotzero.__main__ import main
from dotzero.configs.bench import GpuJob
from dotzero.models.network import NetworkConfig
from dotzero.scripts import gpu_check, gpu_figures
from dotzero.scripts.gpu_check import learning, training_figures

torch.set_num_threads(1)

TINY = NetworkConfig(num_blocks=2, num_channels=16, num_pooled_channels=8, num_head_channels=8)


@pytest.fixture
def small(monkeypatch):
    boards = {"boxes": ({"rows": 2, "columns": 2}, 4), "kropki": ({"width": 5, "height": 5}, 2)}
    monkeypatch.setattr(gpu_figures, "BOARDS", boards)
    monkeypatch.setattr(gpu_figures, "NETWORKS", (TINY,))
    monkeypatch.setattr(gpu_figures, "NUM_POSITIONS", 10)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
def test_without_a_gpu_it_says_so_in_one_line(capsys):
    assert main(["bench", "gpu"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("no device cuda here")
    assert told.count("\n") == 1
    assert main(["bench", "gpu", "output=json"]) == 0
    assert json.loads(capsys.readouterr().out)["machine"] is None


def test_the_whole_check(small, tmp_path, capsys):
    out = tmp_path / "gpu.json"
    assert main(["bench", "gpu", "device=cpu", "seconds=0.02", "train_seconds=0", f"out={out}"]) == 0
    assert "passed in" in capsys.readouterr().out
    data = json.loads(out.read_text())
    assert list(data) == ["machine", "answers", "speed", "training", "seconds", "passed"]
    assert list(data["answers"]) == ["float32, boxes 2x2", "float32, kropki 5x5"]
    for row in data["answers"].values():
        assert row["passed"]
        assert row["best_move"] == 1
    assert list(data["speed"]) == ["b2c16, boxes 2x2", "b2c16, kropki 5x5"]
    for row in data["speed"].values():
        assert min(row["bare"], row["selfplay"]) > 0
        assert row["efficiency"] == pytest.approx(row["selfplay"] / row["bare"])
        assert sum(row["shares"].values()) == pytest.approx(1, abs=0.01)


def test_wrong_answers_fail(small, monkeypatch, capsys):
    """As if the device had the weights of another network."""
    right = gpu_figures._right
    monkeypatch.setattr(
        gpu_figures, "_right", lambda network, part: right(gpu_figures.random_network(TINY, part.game), part)
    )
    monkeypatch.setattr(gpu_figures, "speed_figures", lambda job: {})
    positions = gpu_figures.random_positions

    class Part:
        def __init__(self, game, *rest):
            self.game = game
            self.points, self.globals, self.legal = positions(game, *rest)

    monkeypatch.setattr(gpu_figures, "random_positions", Part)
    assert main(["bench", "gpu", "device=cpu", "seconds=0.02", "train_seconds=0"]) == 1
    told = capsys.readouterr().out
    assert "FAILED" in told
    assert "WRONG" in told


def written(tmp_path, rows):
    path = tmp_path / "metrics.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def row(policy, value=1.0, **more):
    names = {"policy": policy, "value": value, "margin": value}
    losses = {f"learner/{name}": loss for name, loss in names.items()}
    counts = {"replay/total": 10, "selfplay/total_evaluations": 99, "selfplay/evaluations_per_second": 7.0}
    return losses | counts | more


def test_a_training_passes_if_its_losses_fell_and_it_ended_well(tmp_path):
    path = written(tmp_path, [row(2.0), row(3.0, 0.9), row(1.5, 0.8, **{"judge/3x3/raw/optimal": 0.9})])
    found = learning(path, 130)
    assert found["passed"]
    assert found["iterations"] == 3
    assert found["losses"]["policy"] == (2.0, 1.5)
    assert found["judge"] == {"judge/3x3/raw/optimal": 0.9}
    assert not learning(path, 1)["passed"]
    assert not learning(written(tmp_path, [row(2.0), row(2.5, 0.8)]), 130)["passed"]
    assert learning(written(tmp_path, [row(2.0)]), 130) == {"passed": False, "iterations": 1}
    assert learning(tmp_path / "none", 2) == {"passed": False, "iterations": 0}


@pytest.mark.slow
def test_a_training_is_stopped_in_time(monkeypatch):
    words = ("preset=smoke", "loop.num_iterations=100000", "measure.opponent=null")
    monkeypatch.setattr(gpu_check, "TRAINING", words)
    found = training_figures(GpuJob(device="cpu", train_seconds=20))
    assert found["exit_code"] == 130
    assert found["iterations"] > 3
    assert 20 <= found["seconds"] < 60


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("device=tpu", "GpuJob.device must be cpu or cuda, got tpu"),
        ("seconds=0", "GpuJob.seconds must be above 0, got 0.0"),
        ("train_seconds=-1", "GpuJob.train_seconds must be at least 0, got -1.0"),
    ],
)
def test_mistakes_are_told_in_one_line(word, message, capsys):
    assert main(["bench", "gpu", word]) == 2
    assert capsys.readouterr().err == f"error: {message}\n"
