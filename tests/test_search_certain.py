"""What a search knows for certain, and how that reaches its result: bounds, margins, policies; and surprise.

Judged by minimax over the toy games, the slow solver of Dots and Boxes, and the formulas.
"""

import numpy as np
import pytest
from slow_boxes import SlowSolver
from test_search_exact import some_positions

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.search.mcts import Search, game_seeds, run
from dotzero.search.search_config import RootRule, SearchConfig
from tests.toy_games import TableEvaluator, ToyGame, random_evaluator, random_tree, search_from

SLOT = np.zeros(1, np.int32)


def utility(margin, scale=2.0, weight=0.5):
    return (1 - weight) * np.sign(margin) + weight * np.clip(margin / scale, -1, 1)


@pytest.mark.parametrize("root", list(RootRule))
def test_bounds_hold_and_known_margins_are_those_of_minimax(root):
    random = np.random.default_rng(21)
    num_known = num_tight = 0
    for _ in range(60):
        game = ToyGame(random_tree(random, 4), max_margin=2)
        exact, best = game.minimax()
        search, result = search_from(game, [0], random_evaluator(game, random), root=root, num_simulations=40)
        low, high, margin = result.lower[0], result.upper[0], search.known_margins(SLOT)[0]
        assert low - 1e-6 <= utility(exact) <= high + 1e-6
        assert low <= result.root_value[0] <= high
        num_tight += -1 < low < high or low < high < 1
        if low == high:
            num_known += 1
            assert margin == exact
            chosen = search.choose(SLOT)[0]
            assert chosen in best
            if (result.visits[0] > 0).sum() > 1:
                assert set(np.flatnonzero(result.policy[0])) <= set(best)
        else:
            assert np.isnan(margin)
    assert num_known >= 10
    assert num_tight >= 5


@pytest.mark.parametrize("root", list(RootRule))
def test_an_action_that_is_certain_to_be_worse_has_no_share(root):
    # Action 0 loses at once, however much the prior likes it; 1 wins at once; 2 cannot be seen through, nor
    # can 3, which nobody looks at: both may yet win by more.
    deep = (0, 2.0, -2.0)
    for _ in range(7):
        deep = (1, deep, deep)
    game = ToyGame((0, -1.0, 1.0, deep, deep), max_margin=2)
    logits = np.zeros((len(game.mover), 4))
    logits[0] = 3.0, 2.0, 2.5, 0.0
    evaluator = TableEvaluator(game, logits)
    search, result = search_from(
        game, [0] * 200, evaluator, root=root, num_simulations=24, num_considered=3, gumbel_scale=0.02
    )
    assert (result.policy[:, 0] == 0).all()
    assert (result.policy[:, 1:3] > 0).all()
    np.testing.assert_allclose(result.policy.sum(axis=1), 1.0, rtol=1e-6)
    drawn = search.choose(np.arange(200, dtype=np.int32), 10.0)
    assert 0 not in drawn
    assert len(set(drawn.tolist())) > 1
    if root is RootRule.GUMBEL:
        # Once it is certain it gets no more visits, and those of the rest stay together.
        assert result.visits[0].tolist() == [1, 11, 12, 0]
        assert (result.policy[:, 3] > 0).all()  # untried is not ruled out
        weight = np.exp(logits[0, [1, 2]])
        sigma = 0.5 * (50 + result.visits[0].max()) * 0.02
        weight *= np.exp(sigma * result.values[0, [1, 2]])
        share = result.policy[0, [1, 2]]
        np.testing.assert_allclose(share / share.sum(), weight / weight.sum(), rtol=1e-4)


def test_gumbel_gives_up_what_is_certain_to_be_worse_and_tries_the_rest():
    # Among the considered actions 0 and 1 all is known at once, so the simulations left go to the others.
    game = ToyGame((0, -1.0, 1.0, 0.0, 2.0, -2.0), max_margin=2)
    logits = np.zeros((len(game.mover), 5))
    logits[0] = 4.0, 3.0, 2.0, 1.0, 0.0
    search, result = search_from(
        game,
        [0],
        TableEvaluator(game, logits),
        root=RootRule.GUMBEL,
        num_considered=2,
        num_simulations=50,
    )
    assert result.visits[0].tolist() == [1, 1, 1, 1, 0]  # a win by 2 cannot be beaten
    assert result.policy[0].tolist() == [0.0, 0.0, 0.0, 1.0, 0.0]
    assert search.known_margins(SLOT).tolist() == [2.0]


def test_a_certain_root_keeps_gumbels_weights_among_the_best():
    game = ToyGame((0, 1.0, -1.0, 1.0, 0.0), max_margin=2)
    logits = np.zeros((len(game.mover), 4))
    logits[0] = 0.0, 3.0, 1.5, 0.5
    _, result = search_from(
        game, [0], TableEvaluator(game, logits), root=RootRule.GUMBEL, num_considered=4, num_simulations=9
    )
    assert result.lower[0] == result.upper[0] == 0.75
    share = np.exp([0.0, 1.5])
    np.testing.assert_allclose(result.policy[0], [*np.insert(share / share.sum(), 1, 0), 0], rtol=1e-5)


@pytest.mark.parametrize(("root", "noise"), [(r, n) for r in RootRule for n in (False, True)])
def test_surprise_is_the_divergence_from_the_networks_own_prior(root, noise):
    random = np.random.default_rng(4)
    for _ in range(10):
        game = ToyGame(random_tree(random, 6, width=4), max_margin=2)
        legal = game.next[0] >= 0
        if legal.sum() == 1:
            continue
        evaluator = random_evaluator(game, random)
        _, result = search_from(
            game,
            [0],
            evaluator,
            noise,
            root=root,
            num_simulations=30,
            gumbel_scale=0.1,
            dirichlet_fraction=0.5,
        )
        prior = np.where(legal, np.exp(evaluator.logits[0]), 0)
        prior /= prior.sum()
        seen = result.policy[0] > 0
        expected = (result.policy[0, seen] * np.log(result.policy[0, seen] / prior[seen])).sum()
        assert result.surprise[0] == pytest.approx(expected, abs=1e-5)
        assert expected > 1e-3


def test_no_surprise_and_what_is_known_without_a_search():
    # 0: the root, 1: its finished child, 2: a forced move.
    game = ToyGame((0, 1.0, (1, (0, 2.0, -2.0))), max_margin=2)
    search, result = search_from(game, [1, 2])
    sign = 1.0 if game.mover[1] == 0 else -1.0
    assert result.surprise.tolist() == [0.0, 0.0]
    assert result.lower.tolist() == [0.75 * sign, -1.0]
    assert result.upper.tolist() == [0.75 * sign, 1.0]
    np.testing.assert_array_equal(search.known_margins(np.arange(2, dtype=np.int32)), [sign, np.nan])


@pytest.mark.parametrize(("root", "noise"), [(r, n) for r in RootRule for n in (False, True)])
def test_without_simulations_the_policy_and_the_estimate_are_the_networks(root, noise):
    random = np.random.default_rng(8)
    game = ToyGame((0, *(random_tree(random, 3) for _ in range(3))), max_margin=2)
    evaluator = random_evaluator(game, random)
    budgets = np.zeros(3000, np.int32)
    search, result = search_from(game, [0] * 3000, evaluator, noise, root=root, budgets=budgets)
    prior = np.exp(evaluator.logits[0]) / np.exp(evaluator.logits[0]).sum()
    np.testing.assert_allclose(result.policy, np.tile(prior, (3000, 1)), rtol=1e-5)
    assert (result.visits == 0).all()
    assert (result.surprise == 0).all()
    slots = np.arange(3000, dtype=np.int32)
    np.testing.assert_allclose(
        search.estimates(slots)[0], [evaluator.values[0], evaluator.margins[0]], rtol=1e-6
    )
    share = np.bincount(search.choose(slots, 1.0), minlength=3) / 3000
    np.testing.assert_allclose(share, prior, atol=0.04)
    if not noise:
        assert (search.choose(slots) == prior.argmax()).all()


def test_estimates_are_value_and_margin_of_the_policys_actions():
    # One ply below the root: every action's simulations are one evaluation of its child and then its leaves.
    game = ToyGame((0, *[(1, (0, 2.0, -2.0), (0, 1.0, -1.0))] * 3), max_margin=2)
    random = np.random.default_rng(2)
    evaluator = random_evaluator(game, random)
    search, result = search_from(
        game, [0], evaluator, root=RootRule.GUMBEL, num_simulations=3, gumbel_scale=0.02
    )
    assert (result.visits[0] == 1).all()
    children = game.next[0]
    side = -1.0  # the other player is to move there
    expected = [
        (result.policy[0] * side * table[children]).sum() for table in (evaluator.values, evaluator.margins)
    ]
    np.testing.assert_allclose(search.estimates(SLOT)[0], expected, rtol=1e-5)


def test_estimates_of_certain_roots_are_exact():
    game = ToyGame((0, (1, 2.0, -1.0), (0, 0.0, 1.5)), max_margin=2)
    search, result = search_from(game, [0], random_evaluator(game, np.random.default_rng(0)))
    assert result.lower[0] == result.upper[0]
    assert search.estimates(SLOT).tolist() == [[1.0, 1.5]]


def boxes_margins(game, state, **options):
    class Zero:
        def allocate(self, capacity, shape, num_globals):
            points = np.zeros((capacity, *shape), np.uint8)
            return type("B", (), {"points": points, "globals": np.zeros((capacity, num_globals), np.float32)})

        def start(self, buffer, num_rows):
            return num_rows

        def finish(self, n):
            zeros = np.zeros(n, np.float32)
            policy = np.zeros((n, game.num_policy_slots), np.float32)
            return type("E", (), {"policy": policy, "value": zeros, "margin": zeros})

    config = SearchConfig(**options)
    search = Search(game, 1, config, Zero(), game_seeds(np.random.SeedSequence(0), 1))
    search.begin(SLOT, state)
    run([search])
    return float(search.known_margins(SLOT)[0]), search.results(SLOT)


@pytest.mark.parametrize("root", list(RootRule))
@pytest.mark.parametrize("exact_lines", [11, 10, 0])
def test_known_margins_of_boxes_are_the_solvers(root, exact_lines):
    """Solved roots, solved children, and bounds from finished games alone."""
    num_left = 11 if exact_lines else 4
    game, lines, states = some_positions(3, 3, num_left, 16)
    for one, state in zip(lines, states, strict=True):
        options = {"num_simulations": 60 if exact_lines else 5000, "exact_lines": exact_lines, "root": root}
        margin, result = boxes_margins(game, state, margin_weight=0.1, num_considered=4, **options)
        judge = SlowSolver(3, 3, one)
        assert margin == game.margin(state)[0] + judge.value()
        assert set(np.flatnonzero(result.policy[0])) <= set(judge.best_lines())
        if exact_lines == 11:  # a solved root
            assert result.surprise[0] == 0


def test_margins_stay_open_where_utilities_do_not_tell():
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    lines = np.ones((1, 12), np.uint8)
    lines[0, [0, 1]] = 0  # one line each, of both upper boxes: the mover gets all
    state = game.position(lines, 2)
    margin, result = boxes_margins(game, state, exact_lines=4)
    assert margin == 4.0
    assert result.lower[0] == result.upper[0] == 1.0
    assert np.isnan(boxes_margins(game, state, exact_lines=4, margin_weight=0.0)[0])
    assert np.isnan(boxes_margins(game, state, exact_lines=4, margin_weight=1e-8)[0])
    assert np.isnan(boxes_margins(game, state, exact_lines=4, margin_scale=3.0)[0])
    assert np.isnan(boxes_margins(game, state, exact_lines=4, margin_scale=3.9)[0])
    assert boxes_margins(game, state, exact_lines=4, margin_scale=10.0)[0] == 4.0
