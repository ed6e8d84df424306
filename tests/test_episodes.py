"""Episodes as a batch: draws of legal actions by their definition, games apart from each other, options."""

import numpy as np
import pytest

from dotzero import _core
from dotzero.envs.episodes import EpisodeOptions, Episodes
from dotzero.envs.registry import make_game


def begun(game, num_games, **options):
    episodes = Episodes(game, num_games, EpisodeOptions(**options))
    generators = [np.random.default_rng(seed) for seed in range(num_games)]
    episodes.begin(np.arange(num_games), generators)
    episodes.look()
    return episodes, generators


@pytest.mark.parametrize("num_actions", [1, 7, 8, 9, 16, 60, 226])
def test_the_drawn_action_is_the_nth_legal_one(num_actions):
    """P13: for every share of legal actions, and with none."""
    rng = np.random.default_rng(num_actions)
    mask = (rng.random((300, num_actions)) < rng.random((300, 1))).astype(np.int8)
    mask[0], mask[1] = 0, 1
    lots = rng.random(300)
    lots[1:4] = 0.0, np.nextafter(1.0, 0.0), 0.0
    for row, lot, action in zip(mask, lots, _core.draw_actions(mask, lots), strict=True):
        legal = np.flatnonzero(row)
        assert action == (legal[int(lot * len(legal))] if len(legal) else 0)


def test_wrong_lots_and_shapes_are_refused():
    mask = np.ones((2, 3), np.int8)
    for lots in ([0.5, 1.0], [0.5, -0.1], [0.5, np.nan]):
        with pytest.raises(ValueError, match=r"lots must be in \[0, 1\)"):
            _core.draw_actions(mask, np.array(lots))
    with pytest.raises(ValueError, match="lots must have shape"):
        _core.draw_actions(mask, np.zeros(3))


@pytest.mark.parametrize("opponent", [None, "random"])
@pytest.mark.parametrize("name", ["boxes", "kropki"])
def test_a_game_does_not_depend_on_the_others_of_its_batch(name, opponent):
    """R124: three games alone and together, the luck of the opponent included."""
    rules = {"rows": 3, "columns": 2} if name == "boxes" else {"width": 6, "height": 5}
    game = make_game(name, rules)
    together, generators = begun(game, 3, opponent=opponent)
    rng, actions = np.random.default_rng(1), []
    while not together.ended.all():
        renewed = together.ended
        actions.append(np.where(renewed, 0, together.sample_legal(rng)))
        together.play(actions[-1], renewed, generators)
        if len(actions) > 200:
            break
    for seed in range(3):
        alone = Episodes(game, 1, EpisodeOptions(opponent=opponent))
        generator = np.random.default_rng(seed)
        alone.begin(np.zeros(1, np.intp), [generator])
        alone.look()
        for chosen in actions:
            alone.play(chosen[seed : seed + 1], alone.ended, [generator])
        for key, values in together.infos().items():
            np.testing.assert_array_equal(alone.infos()[key][0], values[seed], err_msg=key)


def test_texts_become_enums_and_wrong_ones_are_named():
    assert EpisodeOptions(opponent="random", seat="first").seat.value == "first"
    for options, message in (
        ({"seat": "left"}, "seat must be one of first, second, random, got 'left'"),
        ({"reward": None}, "reward must be one of outcome, margin, got None"),
        ({"render_mode": "human"}, "render_mode must be none or one of ansi, rgb_array, got 'human'"),
    ):
        with pytest.raises(ValueError, match=message):
            EpisodeOptions(**options)


class Moody:
    """Makes the first legal move, or raises what it is told to."""

    error = None

    def __call__(self, seen):
        if self.error is not None:
            raise self.error
        return seen["action_mask"].argmax(axis=1)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_after_an_error_of_the_opponent_the_games_that_wait_for_it_must_begin_anew(error):
    """P12: else the agent's next action would be the opponent's move, checked against the position before."""
    game, opponent = make_game("boxes", {"rows": 2, "columns": 2}), Moody()
    episodes, generators = begun(game, 3, opponent=opponent, seat="first")
    episodes.play(np.array([3, 4, 5]))
    opponent.error = error
    with pytest.raises(error):
        episodes.play(np.array([6, 0, 7]))  # illegal in game 1, where nothing waits
    np.testing.assert_array_equal(episodes.legal, game.legal(episodes.state))
    assert episodes.infos()["to_move"].tolist() == [1, 0, 1]
    before, renewed = episodes.state.copy(), episodes.ended
    opponent.error = None
    for actions in ([8, 8, 8], [6, 0, 7]):
        with pytest.raises(ValueError, match="game 0 must be reset before its next step, its opponent"):
            episodes.play(np.array(actions), renewed, generators)
        np.testing.assert_array_equal(episodes.state.lines, before.lines)
    episodes.begin(np.arange(3), generators)
    episodes.look()
    assert not episodes.play(np.array([3, 4, 5])).any()
    assert episodes.infos()["to_move"].tolist() == [0, 0, 0]


def test_after_an_error_of_the_opponent_at_the_start_the_games_can_be_seen():
    game, opponent = make_game("boxes", {"rows": 2, "columns": 2}), Moody()
    episodes, generators = begun(game, 2, opponent=opponent, seat="second")
    episodes.play(np.array([3, 4]))
    opponent.error = RuntimeError
    with pytest.raises(RuntimeError):
        episodes.begin(np.array([1]), generators[1:])
    np.testing.assert_array_equal(episodes.legal, game.legal(episodes.state))
    assert episodes.legal.sum(axis=1).tolist() == [9, 12]
    with pytest.raises(ValueError, match="game 1 must be reset before its next step, its opponent failed"):
        episodes.play(episodes.legal.argmax(axis=1))


def test_after_an_opponent_ended_a_game_at_its_start_the_others_can_be_seen():
    game = make_game("kropki", {"width": 5, "height": 5})

    def stops_in_the_second(seen):
        actions = seen["action_mask"].argmax(axis=1)
        actions[1:] = 25
        return actions

    episodes = Episodes(game, 2, EpisodeOptions(opponent=stops_in_the_second, seat="second"))
    with pytest.raises(ValueError, match="opponent must leave the agent a move"):
        episodes.begin(np.arange(2), [np.random.default_rng(seed) for seed in range(2)])
    assert episodes.ended.tolist() == [False, True]
    np.testing.assert_array_equal(episodes.legal, game.legal(episodes.state))


def test_ragged_actions_are_one_line():
    episodes, _ = begun(make_game("boxes", {"rows": 2, "columns": 2}), 3)
    message = r"^action must be whole numbers of shape \(3,\), got rows of different lengths$"
    with pytest.raises(ValueError, match=message):
        episodes.play([[0], [1, 2], 2])
