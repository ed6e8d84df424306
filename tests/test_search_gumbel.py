"""The Gumbel root: who is visited, which policy comes out, and that it is worth more than the prior."""

import math

import numpy as np
import pytest

from dotzero.search.search_config import RootRule
from tests.toy_games import TableEvaluator, ToyGame, random_evaluator, random_tree, search_from


def halving_table(num_considered, num_simulations):
    """Final visit counts of sequential halving, by the paper's own description: rounds of equal shares."""
    num_rounds = max(1, math.ceil(math.log2(num_considered)))
    visits, alive, left = [0] * num_considered, num_considered, num_simulations
    while left:
        each = max(1, num_simulations // (num_rounds * alive))
        for _ in range(each):
            for i in range(min(alive, left)):
                visits[i] += 1
            left -= min(alive, left)
        alive = max(min(2, num_considered), alive // 2)
    return sorted(visits, reverse=True)


@pytest.mark.parametrize(
    ("considered", "simulations"), [(4, 16), (8, 32), (16, 64), (3, 20), (16, 8), (1, 5)]
)
def test_gumbel_visits_follow_sequential_halving(considered, simulations):
    # No noise: the considered actions are those of the highest logits. All else is equal, and nothing can
    # become certain in so few visits.
    width = 20
    below = (1, 0.0, 0.0)
    for _ in range(5):
        below = (1, below, below)
    game = ToyGame((0, *([below] * width)))
    logits = np.zeros((len(game.mover), width))
    logits[0] = np.arange(width)[::-1] * 0.1
    _, result = search_from(
        game,
        [0],
        TableEvaluator(game, logits),
        root=RootRule.GUMBEL,
        num_considered=considered,
        num_simulations=simulations,
    )
    visits = sorted(result.visits[0].tolist(), reverse=True)
    assert visits[:considered] == halving_table(considered, simulations)
    assert set(np.flatnonzero(result.visits[0])) <= set(range(considered))


def test_gumbel_policy_is_the_papers_formula():
    random = np.random.default_rng(9)
    for _ in range(10):
        game = ToyGame((0, *(random_tree(random, 7) for _ in range(6))), max_margin=2)  # nothing gets certain
        evaluator = random_evaluator(game, random)
        search, result = search_from(
            game, [0], evaluator, root=RootRule.GUMBEL, num_considered=4, num_simulations=16, gumbel_scale=0.1
        )
        logits, visits = evaluator.logits[0], result.visits[0]
        prior = np.exp(logits) / np.exp(logits).sum()
        seen = visits > 0
        raw = 0.5 * evaluator.values[0] + 0.5 * np.clip(evaluator.margins[0] / 2, -1, 1)
        mixed = (raw + visits.sum() * (prior * result.values[0])[seen].sum() / prior[seen].sum()) / (
            1 + visits.sum()
        )
        completed = np.where(seen, result.values[0], mixed)
        scores = logits + (50 + visits.max()) * 0.1 * (completed + 1) / 2
        expected = np.exp(scores - scores.max())
        np.testing.assert_allclose(result.policy[0], expected / expected.sum(), rtol=1e-3, atol=1e-6)
        most = np.flatnonzero(visits == visits.max())
        assert search.choose(np.array([0], np.int32))[0] == most[np.argmax(scores[most])]


def test_gumbel_improves_the_policy_it_starts_from():
    """The paper's claim on bandits: under exact values the search's choice is worth no less than pi's."""
    random = np.random.default_rng(12)
    gains, policy_gains = [], []
    for _ in range(60):
        worth = random.uniform(-1, 1, 8)
        # margin_weight 1 makes a leaf's utility its margin, so values are exact
        game = ToyGame((0, *worth.tolist()))
        logits = np.tile(random.normal(size=8), (len(game.mover), 1))
        prior = np.exp(logits[0]) / np.exp(logits[0]).sum()
        evaluator = TableEvaluator(game, logits, margins=np.full(len(game.mover), (prior * worth).sum()))
        search, result = search_from(
            game,
            [0] * 50,
            evaluator,
            noise=True,
            root=RootRule.GUMBEL,
            num_considered=3,
            num_simulations=4,
            margin_weight=1.0,
        )
        policy_gains.append((result.policy * worth).sum(axis=1).mean() - (prior * worth).sum())
        chosen = search.choose(np.arange(50, dtype=np.int32))
        gains.append(worth[chosen].mean() - (prior * worth).sum())
    assert min(gains) > -1e-3
    assert min(policy_gains) > -1e-3
    assert np.mean(gains) > 0.2
