"""Tree search with an exact end in Dots and Boxes: solved roots, solved leaves, and what refuses it.

Judged by the slow solver of the tests.
"""

import numpy as np
import pytest
from boxes_generators import careful_play, random_sets
from slow_boxes import SlowSolver, box_sides

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.search.mcts import Search, game_seeds, run
from dotzero.search.search_config import RootRule, SearchConfig

WEIGHT = 0.5


class RandomEvaluator:
    """Judges at random, so that only what is certain can help; counts what it is asked."""

    def __init__(self, game, seed=0):
        self.game, self.random, self.num_asked = game, np.random.default_rng(seed), 0

    def allocate(self, capacity, observation_shape, num_globals):
        points = np.zeros((capacity, *observation_shape), np.uint8)
        return type("B", (), {"points": points, "globals": np.zeros((capacity, num_globals), np.float32)})

    def start(self, buffer, num_rows):
        self.num_asked += num_rows
        return num_rows

    def finish(self, num_rows):
        draw = self.random.normal
        policy = draw(size=(num_rows, self.game.num_policy_slots)).astype(np.float32)
        value = np.tanh(draw(size=num_rows)).astype(np.float32)
        return type("E", (), {"policy": policy, "value": value, "margin": 3 * value})


def search_positions(game, state, **options):
    evaluator = RandomEvaluator(game)
    config = SearchConfig(margin_weight=WEIGHT, **options)
    search = Search(game, len(state), config, evaluator, game_seeds(np.random.SeedSequence(1), len(state)))
    slots = np.arange(len(state), dtype=np.int32)
    search.begin(slots, state)
    run([search])
    return search, search.results(slots), evaluator


def some_positions(rows, columns, num_left, num):
    """Half of careful play, half random sets, player 0 to move; ahead by one where that fits the boxes."""
    rng = np.random.default_rng(10 * rows + columns)
    lines = np.concatenate(
        [make(rows, columns, num_left, num // 2, rng) for make in (careful_play, random_sets)]
    )
    game = BoxesGame(BoxesRules(rows=rows, columns=columns))
    states = [game.position(one[None], num_complete(game, one) % 2) for one in lines]
    return game, lines, states


def num_complete(game, lines):
    return int(lines[np.array(box_sides(*game.size))].all(axis=1).sum())


def utility(game, margin):
    return (1 - WEIGHT) * np.sign(margin) + WEIGHT * margin / game.max_margin


@pytest.mark.parametrize("root", list(RootRule))
@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (2, 4), (5, 5), (4, 6), (7, 7), (3, 15)])
def test_a_solved_root_plays_a_best_line_after_one_evaluation(rows, columns, root):
    game, lines, states = some_positions(rows, columns, 11, 30)
    for one, state in zip(lines, states, strict=True):
        judge = SlowSolver(rows, columns, one)
        search, result, evaluator = search_positions(
            game, state, root=root, num_simulations=4, num_considered=2, exact_lines=11
        )
        assert evaluator.num_asked == 1
        best = judge.best_lines()
        expected = np.zeros(game.num_actions, np.float32)
        expected[list(best)] = 1 / len(best)
        np.testing.assert_allclose(result.policy[0], expected, rtol=1e-6)
        assert search.choose(np.array([0], np.int32))[0] in best
        assert search.choose(np.array([0], np.int32), 1.0)[0] in best
        ahead = game.margin(state)[0]
        assert result.root_value[0] == pytest.approx(utility(game, ahead + judge.value()), abs=1e-6)
        for line, value in judge.line_values().items():
            assert result.visits[0, line] == 1
            assert result.values[0, line] == pytest.approx(utility(game, ahead + value), abs=1e-6)


@pytest.mark.parametrize("root", list(RootRule))
def test_solved_leaves_make_the_root_certain(root):
    """A line above the horizon: every child is solved where it is met, no evaluation but the root's."""
    game, lines, states = some_positions(3, 3, 12, 40)
    for one, state in zip(lines, states, strict=True):
        judge = SlowSolver(3, 3, one)
        search, result, evaluator = search_positions(
            game, state, root=root, num_simulations=400, num_considered=12, exact_lines=11, c_puct=50.0
        )
        assert evaluator.num_asked == 1
        assert search.choose(np.array([0], np.int32))[0] in judge.best_lines()
        certain = utility(game, game.margin(state)[0] + judge.value())
        assert result.root_value[0] == pytest.approx(certain, abs=1e-6)
        assert result.visits[0].sum() < 400


def test_certain_values_spread_over_two_plies():
    game, lines, states = some_positions(3, 3, 10, 30)
    for one, state in zip(lines, states, strict=True):
        judge = SlowSolver(3, 3, one)
        search, result, evaluator = search_positions(
            game, state, num_simulations=3000, exact_lines=8, c_puct=50.0
        )
        assert search.choose(np.array([0], np.int32))[0] in judge.best_lines()
        certain = utility(game, game.margin(state)[0] + judge.value())
        assert result.root_value[0] == pytest.approx(certain, abs=1e-6)
        assert 1 < evaluator.num_asked <= 11  # the root and those of its children that had to be looked into


def test_without_an_exact_end_nothing_is_solved():
    game, _, states = some_positions(3, 3, 10, 2)
    _, _, evaluator = search_positions(game, states[0], num_simulations=8)
    assert evaluator.num_asked > 1


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (KropkiGame(KropkiRules(width=5, height=5)), "SearchConfig.exact_lines must be 0 in kropki, got 9"),
        (BoxesGame(BoxesRules(rows=2, columns=2, scoring="misere")), "must have scoring=normal, got misere"),
        (
            BoxesGame(BoxesRules(rows=7, columns=8)),
            "must have a board of at most 64 dots, got 7x8 boxes with 72",
        ),
    ],
)
def test_refused_where_there_is_no_solver(game, message):
    with pytest.raises(ValueError, match=message):
        search_positions(game, game.start(1), exact_lines=9)


@pytest.mark.parametrize("field", ["exact_lines", "exact_table_mib"])
def test_settings_are_checked_by_name(field):
    with pytest.raises(ValueError, match=rf"^SearchConfig\.{field} must be at least ., got -1$"):
        SearchConfig(**{field: -1})
    with pytest.raises(ValueError, match=rf"^SearchConfig\.{field} must be at most .*, got 10000000$"):
        SearchConfig(**{field: 10_000_000})
