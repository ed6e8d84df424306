"""Below the root: Gumbel MuZero's selection, and nodes that keep only their likeliest actions.

Judged by the slow search of the tests of PUCT, changed by the formulas.
"""

import math

import numpy as np
import pytest
from test_search import SlowSearch

from dotzero.search.search_config import InteriorRule, RootRule, SearchConfig
from tests.toy_games import ToyGame, random_evaluator, random_tree, search_from


class SlowInterior(SlowSearch):
    """Below the root argmax of pi'(a) - N(a) / (1 + sum of N), pi' improved by completed Q."""

    def select(self, node):
        if node == 0:
            return super().select(node)
        mover = self.game.mover[node]
        children = [c for c in self.game.next[node] if c >= 0]
        lower, _ = self.bounds(node)
        worse = [c for c in children if c in self.visits and self.bounds_for(c, mover)[1] < lower - 1e-9]
        seen = [c for c in children if c in self.visits]
        visits = {c: self.visits.get(c, 0) for c in children}
        raw = self.utility(self.evaluator.values[node], self.evaluator.margins[node])
        mixed = raw
        if seen:
            mean = sum(self.prior[c] * self.value_for(c, mover) for c in seen) / sum(
                self.prior[c] for c in seen
            )
            mixed = (raw + sum(visits.values()) * mean) / (1 + sum(visits.values()))
        completed = {c: self.value_for(c, mover) if c in seen else mixed for c in children}
        scale = (self.config.gumbel_visit + max(visits.values())) * self.config.gumbel_scale
        left = [c for c in children if c not in worse]
        weights = {c: self.prior[c] * math.exp(scale * (completed[c] + 1) / 2) for c in left}
        total = sum(weights.values())
        return max(left, key=lambda c: weights[c] / total - visits[c] / (1 + sum(visits.values())))


def assert_as_slow(slow_kind, random, depth, **options):
    tree = random_tree(random, depth, width=4)
    while tree[1:].count(None) == 3:  # a forced move is not searched
        tree = random_tree(random, depth, width=4)
    game = ToyGame(tree, max_margin=2)
    evaluator = random_evaluator(game, random)
    slow = slow_kind(game, evaluator, SearchConfig(margin_weight=0.5, num_simulations=150, **options))
    for _ in range(151):
        if not slow.known(0):
            slow.visit(0)
    _, result = search_from(game, [0], evaluator, num_simulations=150, **options)
    assert result.visits[0].tolist() == [slow.visits.get(c, 0) if c >= 0 else 0 for c in game.next[0]]
    lower, upper = slow.bounds(0)
    assert result.lower[0] == pytest.approx(lower, abs=1e-6)
    assert result.upper[0] == pytest.approx(upper, abs=1e-6)
    own = min(max(slow.total[0] / slow.visits[0], lower), upper)
    assert result.root_value[0] == pytest.approx(own, abs=1e-4)
    return slow, result


@pytest.mark.parametrize("scale", [0.05, 1.0])
def test_gumbel_interior_visits_equal_those_of_a_slow_search(scale):
    random = np.random.default_rng(31)
    options = {"interior": InteriorRule.GUMBEL, "gumbel_scale": scale, "gumbel_visit": 20.0}
    num_proven = num_full = 0
    for round in range(16):
        slow, result = assert_as_slow(SlowInterior, random, 3 + round % 4, **options)
        num_proven += slow.known(0)
        num_full += result.visits[0].sum() == 150
    assert num_proven >= 3
    assert num_full >= 3


def test_the_rules_of_root_and_interior_are_apart():
    random = np.random.default_rng(5)
    game = ToyGame(random_tree(random, 8), max_margin=2)
    evaluator = random_evaluator(game, random)
    found = {
        (root, interior): search_from(game, [0], evaluator, root=root, interior=interior, num_simulations=60)[
            1
        ]
        for root in RootRule
        for interior in InteriorRule
    }
    values = [tuple(result.values[0].tolist()) for result in found.values()]
    assert len(set(values)) == 4
    for interior in InteriorRule:  # sequential halving's shares do not hang on what is below
        shares = found[RootRule.GUMBEL, interior].visits[0]
        assert sorted(shares) == sorted(found[RootRule.GUMBEL, InteriorRule.PUCT].visits[0])


def test_full_gumbel_plays_best_moves():
    random = np.random.default_rng(7)
    for _ in range(15):
        game = ToyGame(random_tree(random, 4), max_margin=2)
        _, best = game.minimax()
        search, _ = search_from(
            game,
            [0],
            root=RootRule.GUMBEL,
            interior=InteriorRule.GUMBEL,
            num_simulations=6000,
            num_considered=3,
        )
        assert search.choose(np.zeros(1, np.int32))[0] in best


class SlowKeeping(SlowSearch):
    """Below the root each node keeps the two actions of highest prior."""

    def expand(self, node):
        value = super().expand(node)
        kept = sorted((c for c in self.game.next[node] if c >= 0), key=lambda c: -self.prior[c])[:2]
        if node and len(kept) == 2 and (self.game.next[node] >= 0).sum() > 2:
            total = sum(self.prior[c] for c in kept)
            for child in kept:
                self.prior[child] /= total
            self.game.next[node] = [c if c in kept else -1 for c in self.game.next[node]]
            self.partial.add(node)
        return value

    def __init__(self, *args):
        super().__init__(*args)
        self.partial = set()

    def bounds(self, node):
        lower, upper = super().bounds(node)
        return lower, 1.0 if node in self.partial and node in self.visits else upper


def test_kept_actions_are_the_likeliest_ones_and_the_rest_stays_uncertain():
    random = np.random.default_rng(41)
    for round in range(16):
        tree = random_tree(random, 3 + round % 3, width=4)
        while tree[1:].count(None) == 3:
            tree = random_tree(random, 3 + round % 3, width=4)
        evaluator = random_evaluator(ToyGame(tree, max_margin=2), random)
        config = SearchConfig(margin_weight=0.5, num_simulations=150)
        slow = SlowKeeping(ToyGame(tree, max_margin=2), evaluator, config)  # it changes its game
        for _ in range(151):
            if not slow.known(0):
                slow.visit(0)
        game = ToyGame(tree, max_margin=2)
        _, result = search_from(game, [0], evaluator, num_simulations=150, max_edges=2)
        children = game.next[0]
        assert result.visits[0].tolist() == [slow.visits.get(c, 0) if c >= 0 else 0 for c in children]
        assert result.upper[0] == pytest.approx(slow.bounds(0)[1], abs=1e-6)


@pytest.mark.parametrize("root", list(RootRule))
@pytest.mark.parametrize("max_edges", [1, 2, 3])
def test_bounds_stay_true_where_actions_are_left_out(root, max_edges):
    random = np.random.default_rng(51)
    num_known = 0
    for _ in range(60):
        game = ToyGame(random_tree(random, 3, width=4), max_margin=2)
        exact, _ = game.minimax()
        utility = 0.5 * np.sign(exact) + 0.25 * exact
        search, result = search_from(
            game, [0], random_evaluator(game, random), root=root, num_simulations=200, max_edges=max_edges
        )
        assert result.lower[0] - 1e-6 <= utility <= result.upper[0] + 1e-6
        margin = search.known_margins(np.zeros(1, np.int32))[0]
        num_known += not np.isnan(margin)
        assert np.isnan(margin) or margin == exact
    assert 0 < num_known < 60


@pytest.mark.parametrize("root", list(RootRule))
def test_as_many_edges_as_actions_change_nothing(root):
    random = np.random.default_rng(61)
    game = ToyGame(random_tree(random, 7, width=4), max_margin=2)
    evaluator = random_evaluator(game, random)
    _, one = search_from(game, [0], evaluator, root=root, num_simulations=300)
    _, other = search_from(game, [0], evaluator, root=root, num_simulations=300, max_edges=4)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


def test_of_equal_priors_the_first_actions_stay():
    # The third answer is the good one: where only two are looked at it is not seen.
    game = ToyGame((0, (1, 1.0, 1.0, -1.0), (1, 1.0, -1.0, 1.0), (1, -1.0, 1.0, 1.0)))
    _, result = search_from(game, [0], num_simulations=200, max_edges=2, c_puct=20.0)
    assert (result.values[0] > 0.5).tolist() == [True, False, False]
    _, result = search_from(game, [0], num_simulations=200, c_puct=20.0)
    assert (result.values[0] == -1).all()  # certain: all points lost


def test_settings_are_checked_by_name():
    with pytest.raises(ValueError, match=r"^SearchConfig\.max_edges must be at least 0, got -1$"):
        SearchConfig(max_edges=-1)
