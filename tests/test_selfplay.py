"""Self-play: the targets of a game played by hand, what is recorded, and going on from a saved state."""

import math
import re

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.game import NO_ACTION
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.models.evaluator import UniformEvaluator
from dotzero.search.search_config import RootRule, SearchConfig
from dotzero.train.generators import generator_from_array, generator_to_array
from dotzero.train.positions import Positions, unpack_legal
from dotzero.train.selfplay import (
    SelfPlay,
    SelfPlayConfig,
    _group_sizes,
)


class OneBoard(SelfPlay):
    """Gives the positions of its only board by themselves."""

    def play(self, num_positions):
        (positions,), report = super().play(num_positions)
        return positions, report


def self_play(*games, seed=0, **changes):
    config = SelfPlayConfig(**{"num_games": 12, "num_groups": 3, "random_opening_plies": 5, **changes})
    search = SearchConfig(root=RootRule.GUMBEL, num_simulations=6, num_considered=3)
    kind = OneBoard if len(games) == 1 else SelfPlay
    return kind(games, config, search, ByShape(games), np.random.SeedSequence(seed))


class ByShape(UniformEvaluator):
    """Uniform on boards of several sizes."""

    def __init__(self, games):
        super().__init__(1)
        self._slots = {game.observation_shape: game.num_policy_slots for game in games}

    def start(self, buffer, num_rows):
        return UniformEvaluator(self._slots[buffer.points.shape[1:]]).start(buffer, num_rows)


def test_recorded_positions_are_whole_games_with_their_search():
    """R125: outcome and margin are those of the player to move, also where it has moved just before."""
    game = BoxesGame(BoxesRules(rows=2, columns=3))
    positions, report = self_play(game).play(200)
    assert len(positions) == report.num_positions >= 200
    assert report.num_games >= 200 / game.num_actions
    legal = unpack_legal(positions.legal, game.num_actions)
    policy = positions.policy.astype(np.float64)
    assert (policy[~legal] == 0).all()
    np.testing.assert_allclose(policy.sum(axis=1), 1.0, atol=5e-3)
    # In every recorded position some box is open, hence something is to come, of the parity of open boxes.
    open_boxes = ((positions.points[:, 0] >> 4) & 1).sum(axis=(1, 2))
    assert (open_boxes > 0).all()
    assert (np.abs(positions.margin) <= open_boxes).all()
    assert ((positions.margin + open_boxes) % 2 == 0).all()
    # The owners' boxes and the margins tell the same result.
    so_far = np.round(positions.globals[:, 1] * 10)
    assert (positions.owners.sum(axis=(1, 2)) == so_far + positions.margin).all()
    assert (np.sign(so_far + positions.margin) == positions.outcome).all()


def test_random_openings_are_not_recorded_but_varied():
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    for plies in (0, 5):
        positions, report = self_play(game, random_opening_plies=plies).play(6000)
        drawn = np.array([[1], [2]], np.uint8)[:, :, None, None]  # a line to the right, a line below
        num_lines = ((positions.points[None, :, 0] & drawn) > 0).sum(axis=(0, 2, 3))
        # Openings of 0 to `plies` lines are equally likely: so many games have a position of 0, 1, .. lines.
        share = np.bincount(num_lines) / report.num_games
        expected = np.minimum(1.0, (1 + np.arange(12)) / (plies + 1))
        np.testing.assert_allclose(share, expected, atol=0.06 if plies else 0)
    longer, report = self_play(game, random_opening_plies=40).play(100)
    assert len(longer) >= 100  # openings as long as the game start anew instead of leaving nothing


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_settings_must_be_finite(value):
    for field in ("temperature", "full_search_fraction"):
        message = rf"^SelfPlayConfig\.{field} must be a finite number, got {value}$"
        with pytest.raises(ValueError, match=message):
            SelfPlayConfig(**{field: value})
    with pytest.raises(ValueError, match=r"^SelfPlayConfig\.cheap_simulations must be at most 1000000"):
        SelfPlayConfig(cheap_simulations=3_000_000_000)


def test_only_full_searches_are_recorded():
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    config = {"full_search_fraction": 0.25, "cheap_simulations": 2, "random_opening_plies": 0}
    positions, report = self_play(game, num_games=30, **config).play(600)
    assert 0.15 < len(positions) / (12 * report.num_games) < 0.35
    with pytest.raises(ValueError, match=r"^SelfPlayConfig\.full_search_fraction must be above 0"):
        SelfPlayConfig(full_search_fraction=0.0)


def test_goes_on_from_saved_arrays_as_if_never_stopped():
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    whole = self_play(game)
    whole.play(100)
    saved = {name: array.copy() for name, array in whole.arrays().items()}
    after, _ = whole.play(150)
    again = self_play(game, seed=99)  # the seed no longer matters
    again.load_arrays(saved)
    resumed, _ = again.play(150)
    for name, array in after.arrays().items():
        np.testing.assert_array_equal(array, resumed.arrays()[name], err_msg=name)


def test_p09_groups_and_seeds_play_different_games():
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    one, two, other = (self_play(game, seed=seed).play(200)[0] for seed in (1, 1, 2))
    assert one.points.tobytes() == two.points.tobytes()
    assert one.points.tobytes() != other.points.tobytes()
    # With no random openings and an even evaluator, only the games' own generators make a difference.
    quiet, report = self_play(game, random_opening_plies=0).play(12 * 12)
    assert len(np.unique(quiet.points.reshape(report.num_games, -1), axis=0)) > report.num_games // 2


def test_generator_state_survives_as_words():
    random = np.random.Generator(np.random.PCG64(5))
    random.integers(0, 9, 3, dtype=np.int32)  # leaves half a word behind
    twin = generator_from_array(generator_to_array(random))
    assert (
        twin.integers(0, 9, 50, dtype=np.int32).tolist() == random.integers(0, 9, 50, dtype=np.int32).tolist()
    )
    assert twin.random() == random.random()


def test_positions_round_trip_and_refuse_other_arrays():
    game = BoxesGame(BoxesRules(rows=1, columns=1))
    positions, _ = self_play(game, random_opening_plies=0).play(8)
    again = Positions.from_arrays(positions.arrays())
    assert again.points.tobytes() == positions.points.tobytes()
    with pytest.raises(ValueError, match="positions must have the arrays"):
        Positions.from_arrays({"points": positions.points})


def boxes(rows, columns):
    return BoxesGame(BoxesRules(rows=rows, columns=columns))


def test_boards_share_the_games_evenly():
    play = self_play(boxes(2, 2), boxes(1, 3), boxes(3, 2), num_games=18, num_groups=6)
    boards, report = play.play(600)
    assert [positions.points.shape[1:] for positions in boards] == [(1, 3, 3), (1, 2, 4), (1, 4, 3)]
    assert sum(map(len, boards)) == report.num_positions >= 600
    # Every game in play gives one position a round, but those of games that have not ended are still to come.
    assert max(map(len, boards)) < 1.4 * min(map(len, boards))
    for game, positions in zip((boxes(2, 2), boxes(1, 3), boxes(3, 2)), boards, strict=True):
        so_far = np.round(positions.globals[:, 1] * 10)
        assert (positions.owners.sum(axis=(1, 2)) == so_far + positions.margin).all()
        assert positions.policy.shape[1] == game.num_actions


def test_a_board_that_is_named_twice_has_twice_the_games():
    play = self_play(boxes(2, 2), boxes(2, 2), boxes(1, 3), num_games=30, num_groups=3)
    first, second, other = map(len, play.play(2000)[0])
    assert first + second == pytest.approx(2 * other, rel=0.1)


@pytest.mark.parametrize(("games", "groups"), [(7, 5), (5, 5), (12, 7), (6, 2)])
def test_no_group_is_empty(games, groups):
    sizes = _group_sizes(2, games, groups)
    assert sum(map(len, sizes)) == groups
    assert sum(map(sum, sizes)) == games
    assert min(map(min, sizes)) >= 1
    assert max(map(sum, sizes)) - min(map(sum, sizes)) <= 1


def test_every_board_needs_a_group():
    message = r"^SelfPlayConfig\.num_groups must be at least the number of boards = 4, got 3$"
    with pytest.raises(ValueError, match=message):
        self_play(*[boxes(1, columns) for columns in (1, 2, 3, 4)])


def test_several_boards_go_on_from_saved_arrays():
    games = boxes(2, 2), boxes(1, 3)
    whole = self_play(*games)
    whole.play(100)
    saved = {name: array.copy() for name, array in whole.arrays().items()}
    after, report = whole.play(150)
    again = self_play(*games, seed=99)
    again.load_arrays(saved)
    resumed, same = again.play(150)
    assert report == same
    for one, two in zip(after, resumed, strict=True):
        for name, array in one.arrays().items():
            np.testing.assert_array_equal(array, two.arrays()[name], err_msg=name)
    for name, array in whole.arrays().items():
        np.testing.assert_array_equal(array, again.arrays()[name], err_msg=name)


@pytest.mark.parametrize(
    ("spread", "message"),
    [
        (-1.0, "SelfPlayConfig.komi_spread must be at least 0, got -1.0"),
        (0.7, "SelfPlayConfig.komi_spread must be a multiple of 0.5, got 0.7"),
        (2.5, "SelfPlayConfig.komi_spread must be 0 in boxes: no komi there, got 2.5"),
    ],
)
def test_komi_is_refused_where_there_is_none(spread, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        self_play(boxes(1, 1), komi_spread=spread)


def kropki(**rules):
    return KropkiGame(KropkiRules(**{"width": 6, "height": 5, **rules}))


def test_kropki_games_differ_in_start_and_komi():
    game = kropki(start="random_crosses", num_crosses=1, komi=0.5)
    play = self_play(game, num_games=300, komi_spread=1.5, random_opening_plies=0)
    logs = [log for group in play._groups for log in group.logs]
    komi = np.array([log.start.komi[0] for log in logs])
    assert sorted(set(komi.tolist())) == [-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0]
    assert np.bincount((2 * komi + 2).astype(int)).min() > 20
    assert len({log.start.start_dots.tobytes() for log in logs}) > 10
    positions, report = play.play(1500)
    so_far = np.round(positions.globals[:, 0] * 20) / 2  # with komi
    final = so_far + positions.margin
    assert (np.sign(final) == positions.outcome).all()
    assert (positions.margin == np.round(positions.margin)).all()
    assert 0.05 < report.draw_rate < 0.5


def test_the_first_players_share_counts_the_komi():
    """With 20 points for player 2 nobody can win as player 1, whatever the dots say."""
    _, report = self_play(kropki(komi=20.0)).play(200)
    assert (report.first_player_score, report.draw_rate) == (0.0, 0.0)


def test_kropki_openings_stay_near_the_dots():
    game = kropki(width=15, height=15)
    play = self_play(game, num_games=60, random_opening_plies=1)
    for log in (log for group in play._groups for log in group.logs):
        placed = np.argwhere((log.start.cells[0] & 0x0C) != 0)
        assert len(placed) in (4, 5)
        assert np.abs(placed - 7).max() <= 4


def test_kropki_goes_on_from_saved_arrays():
    games = kropki(), kropki(width=5, start="random_crosses", num_crosses=1)
    whole = self_play(*games, komi_spread=1.0)
    whole.play(100)
    saved = {name: array.copy() for name, array in whole.arrays().items()}
    after, _ = whole.play(150)
    again = self_play(*games, seed=99, komi_spread=1.0)
    again.load_arrays(saved)
    for one, two in zip(after, again.play(150)[0], strict=True):
        for name, array in one.arrays().items():
            np.testing.assert_array_equal(array, two.arrays()[name], err_msg=name)


def test_the_rules_limit_the_komi():
    message = r"^SelfPlayConfig\.komi_spread must suit the rules, got 3\.0: KropkiRules\.instant_win must be"
    with pytest.raises(ValueError, match=message):
        self_play(kropki(instant_win=3), komi_spread=3.0)


@pytest.mark.parametrize("rules", [{}, {"instant_win": 1}])
def test_openings_longer_than_games_leave_games_to_play(rules):
    """All games of a batch may end within the opening, and then begin anew without one."""
    positions, report = self_play(kropki(**rules), random_opening_plies=200).play(100)
    assert len(positions) == report.num_positions >= 100


def test_games_that_a_stop_wins_may_be_ended_by_it():
    """Rule 10: whoever wins by stopping at once stops; the results are those of the grounded positions."""
    long = self_play(kropki(komi=0.5), stop_decided=False)
    short = self_play(kropki(komi=0.5), stop_decided=True)
    for play in (long, short):
        play.play(300)
    for group in short._groups:
        assert (group.game.winning_stop(group.state) == NO_ACTION).all()
    log = next(
        log
        for _ in range(60)
        for logs in short.play_moves()
        for log in logs
        if log.actions[-1] == kropki().stop and len(log.searched) < len(log.actions)
    )
    game, state = kropki(komi=0.5), log.start
    for action in log.actions[:-1]:
        state = game.step(state, [action])
    stopper = int(state.to_move[0])
    assert game.decided(state).tolist() == [stopper]
    end = game.step(state, log.actions[-1:])
    assert game.outcome(end).tolist() == [1 if int(end.to_move[0]) == stopper else -1]


def test_moves_from_the_networks_own_policy_are_not_recorded():
    """With 0 to 3 of them and no random ones, games are recorded from as many lines on."""
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    positions, report = self_play(game, random_opening_plies=0, policy_opening_plies=3).play(4000)
    drawn = np.array([[1], [2]], np.uint8)[:, :, None, None]
    num_lines = ((positions.points[None, :, 0] & drawn) > 0).sum(axis=(0, 2, 3))
    share = np.bincount(num_lines) / report.num_games
    np.testing.assert_allclose(share[:4], [0.25, 0.5, 0.75, 1.0], atol=0.06)


def test_the_raised_temperature_spreads_the_openings():
    """The stand-in network prefers line 0; flattened, it is drawn less often."""
    game = BoxesGame(BoxesRules(rows=2, columns=2))

    class Prefers(UniformEvaluator):
        def start(self, buffer, num_rows):
            ticket = super().start(buffer, num_rows)
            ticket.result().policy[:] = 0
            ticket.result().policy[:, game.policy_slots[0]] = 4.0
            return ticket

    first = {}
    for temperature in (1.0, 4.0):
        config = SelfPlayConfig(
            num_games=600, random_opening_plies=0, policy_opening_plies=5, opening_temperature=temperature
        )
        search = SearchConfig(root=RootRule.GUMBEL, num_simulations=2)
        playing = SelfPlay([game], config, search, Prefers(game.num_policy_slots), np.random.SeedSequence(2))
        drawn = np.concatenate([group.drawn for group in playing._groups]) > 0
        playing.play_moves()
        actions = np.array([log.actions[0] for group in playing._groups for log in group.logs])
        first[temperature] = (actions[drawn] == 0).mean()
    weight = np.exp(4.0), np.exp(1.0)
    assert first[1.0] == pytest.approx(weight[0] / (weight[0] + 11), abs=0.06)
    assert first[4.0] == pytest.approx(weight[1] / (weight[1] + 11), abs=0.06)


def test_what_the_searches_thought_is_logged_with_every_move():
    playing = self_play(
        BoxesGame(BoxesRules(rows=2, columns=2)), full_search_fraction=0.5, cheap_simulations=2
    )
    for _ in range(4):
        playing.play_moves()
    for group in playing._groups:
        for log in group.logs:
            assert len(log.estimates) == len(log.actions)
            estimates = np.array(log.estimates).reshape(-1, 2)
            assert not np.isnan(estimates).any()
            assert (np.abs(estimates[:, 0]) <= 1).all()
            assert (np.abs(estimates[:, 1]) <= 4).all()


def test_boards_come_and_go_by_their_spans():
    small, large = (BoxesGame(BoxesRules(rows=rows, columns=2)) for rows in (1, 2))
    playing = self_play(small, large, board_spans=[[0, 0.4], [0.3, 1]])
    counts = []
    for progress in (0.0, 0.35, 0.9):
        boards, report = playing.play(60, progress)
        counts.append([len(positions) > 0 for positions in boards])
        assert sum(map(len, boards)) == report.num_positions
    assert counts == [[True, False], [True, True], [False, True]]
    with pytest.raises(ValueError, match=r"^SelfPlayConfig\.board_spans must name every board = 2, got 1$"):
        self_play(small, large, board_spans=[[0, 1]])


def test_weights_and_shares_reach_the_positions():
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    plain, _ = self_play(game).play(300)
    assert (plain.weight == 1).all()
    assert (plain.result_share == 1).all()
    positions, _ = self_play(game, surprise_share=0.5, repeat_power=1.0, result_share=0.8).play(300)
    assert positions.weight.mean() == pytest.approx(1.0, abs=1e-3)
    assert positions.weight.std() > 0.1
    assert positions.result_share.min() < 0.5
    assert positions.result_share.max() < 1
    np.testing.assert_array_equal(plain.policy[:50], positions.policy[:50])  # nothing else has changed


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"board_spans": [[0.5, 0.2]]}, "board_spans must hold pairs in 0..1, got [0.5, 0.2]"),
        ({"board_spans": ["ab"]}, "board_spans must hold pairs in 0..1, got 'ab'"),
        ({"result_share": 1.5}, "result_share must be in 0..1, got 1.5"),
        ({"surprise_share": -0.5}, "surprise_share must be in 0..1, got -0.5"),
        ({"repeat_power": -1.0}, "repeat_power must be at least 0, got -1.0"),
        ({"opening_temperature": 0.0}, "opening_temperature must be above 0, got 0.0"),
        ({"policy_opening_plies": -1}, "policy_opening_plies must be at least 0, got -1"),
    ],
)
def test_more_bad_settings_are_named(changes, message):
    with pytest.raises(ValueError, match=f"^SelfPlayConfig.{re.escape(message)}$"):
        SelfPlayConfig(**changes)
