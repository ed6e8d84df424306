"""Self-play whose games end where the solver takes over: its targets, judged by a slow solver."""

import numpy as np
import pytest
from slow_boxes import SlowSolver, box_sides

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.models.evaluator import UniformEvaluator
from dotzero.search.search_config import RootRule, SearchConfig
from dotzero.train.positions import unpack_legal
from dotzero.train.selfplay import SelfPlay, SelfPlayConfig

EXACT = 11
GAME = BoxesGame(BoxesRules(rows=3, columns=3))


def self_play(seed=0, game=GAME, exact_lines=EXACT, **changes):
    config = SelfPlayConfig(**{"num_games": 8, "num_groups": 2, "random_opening_plies": 4, **changes})
    search = SearchConfig(root=RootRule.GUMBEL, num_simulations=4, num_considered=2, exact_lines=exact_lines)
    return SelfPlay(
        [game], config, search, UniformEvaluator(game.num_policy_slots), np.random.SeedSequence(seed)
    )


def play(number, **changes):
    (positions,), report = self_play(**changes).play(number)
    undrawn = unpack_legal(positions.legal, GAME.num_actions)
    return positions, report, undrawn


def test_solved_positions_have_exact_margins_and_all_best_lines():
    positions, _, undrawn = play(300, solved_fraction=1.0)
    num_left = undrawn.sum(axis=1)
    solved = np.flatnonzero(num_left <= EXACT)
    assert len(solved) > 100
    for row in solved[:150]:
        judge = SlowSolver(3, 3, ~undrawn[row])
        assert positions.margin[row] == judge.value()
        best = judge.best_lines()
        np.testing.assert_allclose(positions.policy[row, list(best)], 1 / len(best), atol=1e-3)
        assert positions.policy[row].astype(np.float64).sum() == pytest.approx(1, abs=5e-3)


def test_all_positions_of_a_game_get_the_exact_result_and_whole_owners():
    """The margin to come is exact from the last searched position on; owners are those of a whole game."""
    positions, _, undrawn = play(200, solved_fraction=1.0)
    sides = np.array(box_sides(3, 3))
    # Positions come game by game: within one game the number of undrawn lines falls.
    num_left = undrawn.sum(axis=1)
    num_checked = 0
    for row in np.flatnonzero((num_left[:-1] == EXACT + 1) & (num_left[1:] == EXACT)):
        # The position before the horizon: what its move closed, and then the exact value of the next one.
        closed = (~undrawn[row + 1][sides]).all(axis=1).sum() - (~undrawn[row][sides]).all(axis=1).sum()
        rest = SlowSolver(3, 3, ~undrawn[row + 1]).value()
        assert positions.margin[row] == (closed + rest if closed else -rest)
        num_checked += 1
    assert num_checked >= 5
    assert (np.abs(positions.owners).sum(axis=(1, 2)) == 9).all()


@pytest.mark.parametrize("fraction", [0.0, 0.5])
def test_the_share_of_solved_positions(fraction):
    _, report, undrawn = play(600, solved_fraction=fraction, num_games=32)
    num_solved = (undrawn.sum(axis=1) <= EXACT).sum()
    # A game passes through at most EXACT solved positions, and through few less.
    assert abs(num_solved / report.num_games - fraction * EXACT) <= 1.0
    if fraction == 0:
        assert num_solved == 0


def test_games_stop_being_searched_at_the_horizon():
    _, with_end, _ = play(300, solved_fraction=0.0)
    _, without, _ = play(300, exact_lines=0)
    assert with_end.num_moves / with_end.num_games < 0.75 * without.num_moves / without.num_games


def test_strays_are_untidy_and_solved_exactly():
    _, tidy_report, _ = play(300, solved_fraction=0.0)
    positions, report, undrawn = play(600, solved_fraction=0.0, strays=4)
    solved = np.flatnonzero(undrawn.sum(axis=1) <= EXACT)
    # Of each stray the first position alone, unless it ended on its way.
    assert 3.0 < len(solved) / report.num_games <= 4.0
    assert set(undrawn[solved].sum(axis=1)) == set(range(1, EXACT + 1))
    sides = np.array(box_sides(3, 3))
    on_offer = ((~undrawn[solved])[:, sides].sum(axis=2) == 3).sum(axis=1)
    assert (on_offer >= 2).mean() > 0.2  # boxes that somebody left lying
    for row in solved[:150]:
        judge = SlowSolver(3, 3, ~undrawn[row])
        assert positions.margin[row] == judge.value()
        best = judge.best_lines()
        np.testing.assert_allclose(positions.policy[row, list(best)], 1 / len(best), atol=1e-3)
        assert np.abs(positions.owners[row]).sum() == 9
    # The games themselves are counted as before.
    assert report.num_moves / report.num_games == pytest.approx(
        tidy_report.num_moves / tidy_report.num_games, rel=0.2
    )
    assert (positions.result_share == 1).all()


def test_the_positions_of_strays_behind_the_first_are_learned_from_by_their_share():
    _, few, undrawn_few = play(900, solved_fraction=0.0, strays=4)
    _, many, undrawn_many = play(900, solved_fraction=0.5, strays=4)
    solved_few = (undrawn_few.sum(axis=1) <= EXACT).sum() / few.num_games
    solved_many = (undrawn_many.sum(axis=1) <= EXACT).sum() / many.num_games
    # A stray begins with 1 to EXACT lines, so half of (EXACT - 1) / 2 more positions; a game half of EXACT.
    assert solved_many - solved_few == pytest.approx(4 * 0.5 * (EXACT - 1) / 2 + 0.5 * EXACT, rel=0.2)


def test_goes_on_from_saved_arrays_as_if_never_stopped():
    whole = self_play(seed=3)
    whole.play(100)
    saved = whole.arrays()
    again = self_play(seed=99)
    again.load_arrays(saved)
    (expected,), (found,) = whole.play(100)[0], again.play(100)[0]
    for name, array in expected.arrays().items():
        np.testing.assert_array_equal(array, found.arrays()[name])


def test_refused_where_there_is_no_solver():
    with pytest.raises(ValueError, match=r"SearchConfig\.exact_lines must be 0 in kropki, got 5"):
        self_play(game=KropkiGame(KropkiRules(width=4, height=4)), exact_lines=5)
    with pytest.raises(ValueError, match=r"SelfPlayConfig\.solved_fraction must be in 0\.\.1, got 2"):
        SelfPlayConfig(solved_fraction=2)
    with pytest.raises(ValueError, match=r"strays must be 0 without search\.exact_lines, got 2$"):
        self_play(exact_lines=0, strays=2)
