import numpy as np
import pytest

from dotzero.envs.registry import make_game
from dotzero.train.calibration import learned_positions, random_positions
from dotzero.train.game_log import empty_positions
from dotzero.train.positions import pack_legal

BOARDS = [("boxes", {"rows": 2, "columns": 3}), ("kropki", {"width": 5, "height": 4})]


@pytest.mark.parametrize(("name", "rules"), BOARDS)
def test_random_positions_are_of_all_stages(name, rules):
    game = make_game(name, rules)
    found = random_positions(game, np.random.default_rng(0), 60)
    assert 20 < len(found.points) <= 60
    assert found.points.shape[1:] == game.observation_shape
    assert found.legal.shape == (len(found.points), game.num_policy_slots)
    moves_left = found.legal.sum(axis=1)
    assert moves_left.min() >= 1
    assert moves_left.min() <= 3
    assert moves_left.max() >= game.num_actions - 6
    again = random_positions(game, np.random.default_rng(0), 60)
    for first, second in zip(found, again, strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(("name", "rules"), BOARDS)
def test_legal_slots_are_those_of_the_legal_actions(name, rules):
    game = make_game(name, rules)
    found = random_positions(game, np.random.default_rng(0), 1)
    legal = game.legal(game.start(1))[0]
    assert set(np.flatnonzero(found.legal[0])) == set(game.policy_slots[legal])


def test_learned_positions_are_spread_evenly():
    game = make_game("boxes", {"rows": 2, "columns": 2})
    positions = empty_positions(game, 101)
    positions.globals[:, 0] = np.arange(101)
    positions.legal[:] = pack_legal(
        np.eye(game.num_actions, dtype=np.bool_)[np.arange(101) % game.num_actions]
    )
    found = learned_positions(game, positions, 5)
    assert found.globals[:, 0].tolist() == [0, 25, 50, 75, 100]
    slots = game.policy_slots[np.array([0, 25, 50, 75, 100]) % game.num_actions]
    np.testing.assert_array_equal(found.legal.argmax(axis=1), slots)
    assert (found.legal.sum(axis=1) == 1).all()
    assert len(learned_positions(game, positions, 1000).points) == 101
    assert len(learned_positions(game, empty_positions(game, 0)).points) == 0
