import pytest
import torch

from dotzero.cores import num_cores
from dotzero.models.network import NetworkConfig
from dotzero.scripts.run_rates import measure_run
from dotzero.search.search_config import RootRule, SearchConfig
from dotzero.train.learner import LearnerConfig
from dotzero.train.selfplay import SelfPlayConfig
from dotzero.train.train_config import LoopConfig, TrainConfig

torch.set_num_threads(1)

TINY = NetworkConfig(num_blocks=1, num_channels=8, num_pooled_channels=4, num_head_channels=8)


def config(overlap=True, **settings):
    return TrainConfig(
        network=TINY,
        search=SearchConfig(root=RootRule.GUMBEL, num_simulations=4, num_considered=4),
        learner=LearnerConfig(batch_size=16),
        loop=LoopConfig(overlap=overlap),
        **settings,
    )


def test_games_without_openings_take_all_their_lines():
    """2x2 boxes have 12 lines; each move but the forced last ones costs its simulations and its root."""
    selfplay = SelfPlayConfig(num_games=6, num_groups=2, random_opening_plies=0)
    found = measure_run(config(rules={"rows": 2, "columns": 2}, selfplay=selfplay), 0.05)
    assert found.positions_per_game == pytest.approx(12, rel=0.1)
    assert 2 < found.evaluations_per_position < 5
    assert found.bytes_per_position > 100
    rates = found.rates
    assert min(rates.evaluations, rates.steps, rates.evaluations_beside) > 0
    assert found.figures["mean_batch"] <= 3


def test_boards_share_a_run():
    """Only a part of the moves is recorded, and a curriculum counts as if all boards were played on."""
    selfplay = SelfPlayConfig(
        num_games=6, num_groups=3, full_search_fraction=0.5, cheap_simulations=2, random_opening_plies=0,
        board_spans=[[0, 0.5], [0.5, 1]],
    )  # fmt: skip
    boards = [{"rows": 2, "columns": 2}, {"rows": 1, "columns": 2}]
    found = measure_run(config(overlap=False, boards=boards, selfplay=selfplay), 0.02)
    assert found.positions_per_game == pytest.approx((12 + 7) / 2 / 2, rel=0.35)
    assert found.rates.evaluations_beside == found.rates.evaluations
    assert found.rates.steps_beside == found.rates.steps


def test_a_teacher_is_measured_apart():
    """Its moves are all recorded but for the openings, and no network is asked for them."""
    selfplay = SelfPlayConfig(
        num_games=4, num_groups=2, random_opening_plies=0, teacher_iterations=1, teacher_playouts=20
    )
    board = {"width": 4, "height": 4}
    taught = measure_run(config(game="kropki", rules=board, selfplay=selfplay), 0.02)
    assert taught.rates.taught > 0
    assert taught.num_cores == num_cores()
    selfplay.teacher_iterations = 0
    assert measure_run(config(game="kropki", rules=board, selfplay=selfplay), 0.02).rates.taught == 0
