"""A search that leaves out what cannot matter: the values that it proves are exact, and it proves far more.

Judged by the slow solver of the tests, which knows lines and boxes only.
"""

import numpy as np
import pytest
from slow_boxes import SlowSolver
from test_search_exact import RandomEvaluator, search_positions, some_positions, utility

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.search.mcts import Search, game_seeds, run
from dotzero.search.search_config import InteriorRule, RootRule, SearchConfig

SLOT = np.zeros(1, np.int32)
CURIOUS = {"c_puct": 20.0, "essential_lines": True}
BOARDS = [(2, 4, 10), (3, 3, 10), (5, 5, 11), (4, 6, 11), (7, 7, 11), (3, 15, 11), (1, 8, 10), (1, 20, 11)]


@pytest.mark.parametrize("gumbel", [False, True])
@pytest.mark.parametrize(("rows", "columns", "num_left"), BOARDS)
def test_bounds_hold_and_what_is_certain_is_exact(rows, columns, num_left, gumbel):
    """The evaluator judges at random: only rules, and what is left out, can prove anything."""
    game, lines, states = some_positions(rows, columns, num_left, 24)
    root, interior = (list(rule)[gumbel] for rule in (RootRule, InteriorRule))
    num_proved = 0
    for one, state in zip(lines, states, strict=True):
        judge = SlowSolver(rows, columns, one)
        exact = utility(game, game.margin(state)[0] + judge.value())
        search, result, _ = search_positions(
            game, state, root=root, interior=interior, num_simulations=2000, **CURIOUS
        )
        assert result.lower[0] - 1e-6 <= exact <= result.upper[0] + 1e-6
        forced = result.visits.sum() == 1
        num_proved += forced or result.lower[0] >= exact - 1e-6
        if forced:
            assert search.choose(SLOT)[0] in judge.best_lines()
        margin = search.known_margins(SLOT)[0]
        if not np.isnan(margin):
            assert margin == game.margin(state)[0] + judge.value()
            assert search.choose(SLOT)[0] in judge.best_lines()
    assert num_proved >= 12


def test_a_few_leaves_see_to_the_end_where_all_lines_need_thousands():
    game, _, states = some_positions(5, 5, 11, 24)
    known, asked = {}, {}
    for essential in (False, True):
        options = CURIOUS | {"essential_lines": essential}
        found = [search_positions(game, state, num_simulations=2000, **options) for state in states]
        known[essential] = sum(
            result.visits.sum() == 1 or not np.isnan(search.known_margins(SLOT)[0])  # forced, or proved
            for search, result, _ in found
        )
        asked[essential] = sum(evaluator.num_asked for _, _, evaluator in found)
    assert known == {False: 0, True: 24}
    assert asked[True] < asked[False] / 20


@pytest.mark.parametrize(("rows", "columns", "num_left"), [*BOARDS, (3, 3, 12), (1, 2, 3), (2, 2, 8)])
def test_lines_that_are_taken_for_equal_are_and_no_better_one_is_left_out(rows, columns, num_left):
    """By the policy: an evaluator that judges at random gives no two sets of lines the same share."""
    game, lines, states = some_positions(rows, columns, num_left, 40)
    num_sets = num_left_out = 0
    for one, state in zip(lines, states, strict=True):
        values = SlowSolver(rows, columns, one).line_values()
        search, result, evaluator = search_positions(
            game, state, root=RootRule.GUMBEL, num_simulations=1, gumbel_scale=0.01, essential_lines=True
        )
        policy = result.policy[0]
        assert set(np.flatnonzero(policy)) <= set(values)
        sets = {}
        for line in values:
            sets.setdefault(policy[line], []).append(line)
        left_out = sets.pop(0.0, [])
        for together in sets.values():
            assert len({values[line] for line in together}) == 1
        best = max(values[line] for line in np.flatnonzero(policy))
        assert best == max(values.values())
        num_sets += sum(len(together) > 1 for together in sets.values())
        num_left_out += len(left_out)
        if len(sets) == 1:  # forced
            assert evaluator.num_asked == 1
            assert search.choose(SLOT)[0] in [line for line in values if values[line] == best]
    assert num_sets + num_left_out >= 20


def test_where_the_root_is_left_whole_all_of_its_lines_are_tried():
    game, lines, states = some_positions(5, 5, 11, 24)
    for one, state in zip(lines, states, strict=True):
        judge = SlowSolver(5, 5, one)
        _, result, _ = search_positions(game, state, num_simulations=300, essential_root=False, **CURIOUS)
        assert (result.visits[0, list(judge.line_values())] > 0).all()
        exact = utility(game, game.margin(state)[0] + judge.value())
        assert result.lower[0] <= exact + 1e-6


def test_equal_openings_share_and_a_pair_is_opened_in_the_middle():
    for columns, expected in ((4, [0.2] * 5), (2, [0, 1, 0])):
        game = BoxesGame(BoxesRules(rows=1, columns=columns))
        lines = np.zeros((1, game.num_actions), np.uint8)
        lines[0, : 2 * columns] = 1  # a corridor: nothing but verticals left
        _, result, _ = search_positions(game, game.position(lines, 0), essential_lines=True)
        np.testing.assert_allclose(result.policy[0, 2 * columns :], expected, rtol=1e-6)
        assert result.visits.sum() == 1
        assert result.surprise[0] == 0


@pytest.mark.parametrize("root", list(RootRule))
def test_surprise_and_estimates_are_those_of_sets_of_equal_lines(root):
    """On the empty 3x3 the two sides of each corner are equal and all other lines differ."""
    game = BoxesGame(BoxesRules(rows=3, columns=3))
    found = {}
    for number in (0, 30):
        config = SearchConfig(num_simulations=30, root=root, essential_lines=True)
        seeds = game_seeds(np.random.SeedSequence(1), 1)
        search = Search(game, 1, config, RandomEvaluator(game), seeds)
        search.begin(SLOT, game.start(1), np.array([number], np.int32))
        run([search])
        found[number] = search.results(SLOT)
    value, margin = search.estimates(SLOT)[0]
    assert margin == pytest.approx(3 * value, abs=1e-5)  # as the evaluator has it
    prior, policy = found[0].policy[0], found[30].policy[0]
    assert len(set(prior.tolist())) == game.num_actions  # without a search it is the evaluator's own
    corners = [(0, 12), (2, 15), (9, 20), (11, 23)]
    assert all(policy[one] == policy[two] for one, two in corners)
    sets = [*corners, *((line,) for line in range(24) if not any(line in two for two in corners))]
    prior, policy = (np.array([one[list(lines)].sum() for lines in sets]) for one in (prior, policy))
    seen = policy > 0
    expected = (policy[seen] * np.log(policy[seen] / prior[seen])).sum()
    assert found[30].surprise[0] == pytest.approx(expected, abs=1e-4)
    assert expected > 1e-3


@pytest.mark.parametrize("cache_mib", [0, 4])
@pytest.mark.parametrize("exact_lines", [0, 8])
def test_it_goes_with_the_solver_and_the_cache(exact_lines, cache_mib):
    game, lines, states = some_positions(3, 3, 12, 24)
    options = CURIOUS | {"exact_lines": exact_lines, "cache_mib": cache_mib}
    num_known = 0
    for one, state in zip(lines, states, strict=True):
        search, _, _ = search_positions(game, state, num_simulations=2000, **options)
        margin = search.known_margins(SLOT)[0]
        if not np.isnan(margin):
            num_known += 1
            assert margin == game.margin(state)[0] + SlowSolver(3, 3, one).value()
    assert num_known >= 4


def test_many_games_side_by_side_are_searched_as_each_alone():
    """Whole games: every position of several random ones, at once, on two threads."""
    game = BoxesGame(BoxesRules(rows=3, columns=4))
    state, random = game.start(6), np.random.default_rng(3)
    config = SearchConfig(num_simulations=20, essential_lines=True)
    search = Search(game, 6, config, RandomEvaluator(game), game_seeds(np.random.SeedSequence(2), 6), 2)
    slots = np.arange(6, dtype=np.int32)
    for _ in range(game.num_actions):
        search.begin(slots, state)
        run([search])
        result = search.results(slots)
        assert (result.visits.sum(axis=1) <= 20).all()
        np.testing.assert_allclose(result.policy.sum(axis=1), 1.0, rtol=1e-5)
        assert (result.policy[state.lines != 0] == 0).all()
        legal = state.lines == 0
        state = game.step(state, np.array([random.choice(np.flatnonzero(one)) for one in legal], np.int32))
    assert state.finished.all()


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (BoxesGame(BoxesRules(rows=3, columns=3, scoring="misere")), "must have scoring=normal, got misere"),
        (
            BoxesGame(BoxesRules(rows=8, columns=7)),
            "must have a board of at most 64 dots, got 8x7 boxes with 72",
        ),
        (KropkiGame(KropkiRules(width=8, height=8)), "must be false in kropki, got true"),
    ],
    ids=["misere", "large", "kropki"],
)
def test_where_it_does_not_hold_it_is_refused(game, message):
    config = SearchConfig(essential_lines=True)
    with pytest.raises(ValueError, match=rf"^SearchConfig\.essential_lines.* {message}$"):
        Search(game, 1, config, RandomEvaluator(game), game_seeds(np.random.SeedSequence(0), 1))
