"""Opponents: the three kinds of them, what they are given, and that only legal moves get through."""

import numpy as np
import pytest

from dotzero.envs.opponents import OpponentMoves, are_legal, observations
from dotzero.envs.registry import make_game
from dotzero.play.players import RandomPlayer

BOXES = make_game("boxes", {"rows": 2, "columns": 2})
KROPKI = make_game("kropki", {"width": 5, "height": 4})
SEEDS = np.arange(6, dtype=np.uint64)


@pytest.mark.parametrize("game", [BOXES, KROPKI], ids=["boxes", "kropki"])
def test_a_name_and_its_player_make_the_same_moves(game):
    state = game.start(6)
    named, given = OpponentMoves(game, "random"), OpponentMoves(game, RandomPlayer())
    chosen = named.choose(state, SEEDS)
    np.testing.assert_array_equal(chosen, given.choose(state, SEEDS))
    assert chosen.dtype == np.int32
    assert len(set(chosen.tolist())) > 1, "the seeds differ"


@pytest.mark.parametrize("game", [BOXES, KROPKI], ids=["boxes", "kropki"])
def test_a_function_sees_what_environments_show(game, random_states):
    state = random_states(game, 6, np.random.default_rng(20))
    state = state[~state.finished]
    seen = []

    def first(observations):
        seen.append({name: values.copy() for name, values in observations.items()})
        for values in observations.values():  # they are its own
            values[:] = 0
        return seen[-1]["action_mask"].argmax(axis=1)

    chosen = OpponentMoves(game, first).choose(state, SEEDS[: len(state)])
    np.testing.assert_array_equal(chosen, game.legal(state).argmax(axis=1))
    view = game.view(state)
    np.testing.assert_array_equal(seen[0]["observation"], view.planes)
    np.testing.assert_array_equal(seen[0]["globals"], view.globals)
    np.testing.assert_array_equal(seen[0]["action_mask"], view.action_mask)
    assert set(seen[0]) == set(observations(game.view(state))) == {"observation", "globals", "action_mask"}


@pytest.mark.parametrize("dtype", [list, np.int8, np.uint16, np.int64, np.uint64])
def test_any_whole_numbers_are_moves(dtype):
    def last(observations):
        return [11, 11] if dtype is list else np.array([11, 11], dtype)

    assert OpponentMoves(BOXES, last).choose(BOXES.start(2), SEEDS[:2]).tolist() == [11, 11]


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ([0, 1], "opponent must make legal moves, got 1$"),
        ([0, -1], "opponent must make legal moves, got -1$"),
        ([12, 0], "opponent must make legal moves, got 12$"),
        (np.array([2**63, 0], np.uint64), "opponent must make legal moves, got 9223372036854775808$"),
        ([0], r"opponent must give 2 whole numbers, got int64 \(1,\)$"),
        ([[0], [2]], r"opponent must give 2 whole numbers, got int64 \(2, 1\)$"),
        ([True, False], r"opponent must give 2 whole numbers, got bool \(2,\)$"),
        (None, r"opponent must give 2 whole numbers, got object \(\)$"),
        ([[0], [2, 3]], "^opponent must give 2 whole numbers, got rows of different lengths$"),
    ],
)
def test_only_legal_moves_get_through(moves, message):
    state = BOXES.step(BOXES.start(2), [1, 1])
    with pytest.raises(ValueError, match=message):
        OpponentMoves(BOXES, lambda seen: moves).choose(state, SEEDS[:2])


def test_a_player_is_given_game_state_and_the_seeds_of_its_games():
    asked = []

    class Listening(RandomPlayer):
        def choose(self, game, state, seeds):
            asked.append((game, state, seeds))
            return super().choose(game, state, seeds)

    state = KROPKI.start(3)
    OpponentMoves(KROPKI, Listening()).choose(state, SEEDS[:3])
    (game, given, seeds), *rest = asked
    assert not rest
    assert game is KROPKI
    assert given is state
    np.testing.assert_array_equal(seeds, SEEDS[:3])


def test_closing_frees_a_player_and_leaves_a_function_alone():
    closed = []

    class Closing(RandomPlayer):
        def close(self):
            closed.append(True)

    OpponentMoves(BOXES, Closing()).close()
    OpponentMoves(BOXES, lambda seen: [0]).close()
    assert closed == [True]


def test_actions_that_there_are_not_are_not_legal():
    legal = np.array([[True, False, True]] * 6)
    actions = np.array([0, 1, 2, 3, -1, -3])
    assert are_legal(legal, actions).tolist() == [True, False, True, False, False, False]
