"""The batched tree search on toy games with known values, against a slow search written from the formulas."""

import math

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.search.mcts import Search, game_seeds, run
from dotzero.search.search_config import RootRule, SearchConfig
from tests.toy_games import TableEvaluator, ToyGame, random_evaluator, random_tree, search_from


@pytest.mark.parametrize("root", list(RootRule))
def test_plays_the_winning_move(root):
    game = ToyGame((0, -1.0, 1.0, 0.0))
    search, result = search_from(game, [0], root=root, num_simulations=16)
    assert search.choose(np.array([0], np.int32)).tolist() == [1]
    assert result.values[0].tolist() == [-1.0, 1.0, 0.0]


@pytest.mark.parametrize("root", list(RootRule))
def test_p02_sees_a_win_two_plies_deep_for_the_right_player(root):
    # Action 0 looks free but lets player 1 win; action 1 leaves player 1 nothing but losing moves.
    game = ToyGame((0, (1, -1.0, 1.0), (1, 1.0, 1.0)))
    search, result = search_from(game, [0], root=root, num_simulations=64)
    assert search.choose(np.array([0], np.int32)).tolist() == [1]
    assert result.values[0, 0] < -0.5
    assert result.values[0, 1] > 0.5


def test_p01_the_same_player_moving_twice_equals_one_merged_turn():
    """R125: a search that flipped signs with every move would give the second move to the enemy."""
    # Player 0 moves twice, then player 1: merged, player 0 chooses among the four pairs at once.
    ends = [(-1.0, 1.0), (1.0, 2.0), (0.0, 0.0), (2.0, -2.0)]
    answer = [(1, *pair) for pair in ends]
    twice = ToyGame((0, (0, answer[0], answer[1]), (0, answer[2], answer[3])), max_margin=2)
    merged = ToyGame((0, *answer), max_margin=2)
    exact, best = twice.minimax()
    assert exact == merged.minimax()[0] == 1.0
    for game in (twice, merged):
        search, result = search_from(game, [0], num_simulations=4000)
        # utility of a final margin of +1 of 2: half a win, half of half the margin
        assert result.root_value[0] == pytest.approx(0.75, abs=0.03)
    search, _ = search_from(twice, [0], num_simulations=4000)
    assert search.choose(np.array([0], np.int32))[0] in best


@pytest.mark.parametrize("root", list(RootRule))
def test_p03_converges_to_minimax_whatever_the_order_of_turns(root):
    """R125: players of random order, also several moves of one in a row."""
    random = np.random.default_rng(7)
    for _ in range(25):
        game = ToyGame(random_tree(random, 4), max_margin=2)
        exact, best = game.minimax()
        search, result = search_from(game, [0], root=root, num_simulations=6000, num_considered=3)
        action = search.choose(np.array([0], np.int32))[0]
        assert action in best
        # Utility is monotone in the margin, so the exact utility is that of the exact margin. A Gumbel root
        # spreads its visits, so it is the chosen action whose value comes near.
        exact_utility = 0.5 * np.sign(exact) + 0.25 * exact
        assert result.values[0, action] == pytest.approx(exact_utility, abs=0.1)
        if root is RootRule.PUCT:
            assert result.root_value[0] == pytest.approx(exact_utility, abs=0.1)


class SlowSearch:
    """PUCT with recursion and dictionaries, from the formulas in the documentation.

    Bounds are worked out anew from everything visited whenever they are asked for.
    """

    def __init__(self, game, evaluator, config):
        self.game, self.evaluator, self.config = game, evaluator, config
        self.visits, self.total, self.prior = {}, {}, {}

    def utility(self, value, margin):
        w = self.config.margin_weight
        return (1 - w) * value + w * max(-1.0, min(1.0, margin / self.game.max_margin))

    def expand(self, node):
        children = [(a, c) for a, c in enumerate(self.game.next[node]) if c >= 0]
        if not children:
            margin = self.game.final[node] * (1 if self.game.mover[node] == 0 else -1)
            return self.utility(np.sign(margin), margin)
        logits = np.array([self.evaluator.logits[node][a] for a, _ in children])
        weights = np.exp(logits - logits.max())
        for (_, child), weight in zip(children, weights / weights.sum(), strict=True):
            self.prior[child] = weight
        return self.utility(self.evaluator.values[node], self.evaluator.margins[node])

    def bounds(self, node):
        """What is certain of the utility of a node, from the visited part of the tree below it."""
        children = [c for c in self.game.next[node] if c >= 0]
        if node not in self.visits:
            return -1.0, 1.0
        if not children:
            return self.total[node] / self.visits[node], self.total[node] / self.visits[node]
        seen = [self.bounds_for(c, self.game.mover[node]) for c in children if c in self.visits]
        lower = max((low for low, _ in seen), default=-1.0)
        return lower, max(high for _, high in seen) if len(seen) == len(children) else 1.0

    def bounds_for(self, child, mover):
        low, high = self.bounds(child)
        return (low, high) if self.game.mover[child] == mover else (-high, -low)

    def known(self, node):
        low, high = self.bounds(node)
        return math.isclose(low, high, abs_tol=1e-9)

    def value_for(self, child, mover):
        low, _ = self.bounds_for(child, mover)
        sign = 1 if self.game.mover[child] == mover else -1
        return low if self.known(child) else sign * self.total[child] / self.visits[child]

    def select(self, node):
        mover = self.game.mover[node]
        children = [c for c in self.game.next[node] if c >= 0]
        tried = sum(self.prior[c] for c in children if c in self.visits)
        lower, _ = self.bounds(node)
        own = self.total[node] / self.visits[node]

        def score(child):
            if child in self.visits and self.bounds_for(child, mover)[1] < lower - 1e-9:
                return -math.inf
            known = child in self.visits
            value = self.value_for(child, mover) if known else own - self.config.fpu_reduction * tried**0.5
            bonus = self.config.c_puct * self.prior[child] * math.sqrt(self.visits[node])
            return value + bonus / (1 + self.visits.get(child, 0))

        return max(children, key=score)

    def visit(self, node):
        """One simulation below `node`; the utility found, seen by the player to move at `node`."""
        if node not in self.visits:
            value = self.expand(node)
            self.visits[node], self.total[node] = 0, 0.0
        elif self.known(node):
            value = self.bounds(node)[0]
        else:
            child = self.select(node)
            value = self.visit(child) * (1 if self.game.mover[child] == self.game.mover[node] else -1)
        self.visits[node] += 1
        self.total[node] += value
        return value


def test_puct_visits_equal_those_of_a_slow_search():
    random = np.random.default_rng(11)
    num_proven = 0
    for round in range(24):
        tree = random_tree(random, 3 + round % 4)
        while tree[1:].count(None) == 2:  # a forced move is not searched
            tree = random_tree(random, 3 + round % 4)
        game = ToyGame(tree, max_margin=2)
        evaluator = random_evaluator(game, random)
        config = SearchConfig(margin_weight=0.5, num_simulations=150)
        slow = SlowSearch(game, evaluator, config)
        for _ in range(151):
            if not slow.known(0):  # nothing is left to find out
                slow.visit(0)
        _, result = search_from(game, [0], evaluator, num_simulations=150)
        children = game.next[0]
        assert result.visits[0].tolist() == [slow.visits.get(c, 0) if c >= 0 else 0 for c in children]
        lower, upper = slow.bounds(0)
        own = min(max(slow.total[0] / slow.visits[0], lower), upper)
        assert result.root_value[0] == pytest.approx(own, abs=1e-4)
        num_proven += slow.known(0)
        for action, child in enumerate(children):
            if child in slow.visits:
                expected = slow.value_for(child, game.mover[0])
                assert result.values[0, action] == pytest.approx(expected, abs=1e-4)
    assert 4 <= num_proven <= 20  # both kinds were there


@pytest.mark.parametrize("root", list(RootRule))
def test_p11_visits_add_up_and_leaves_are_asked_once(root):
    random = np.random.default_rng(3)
    game = ToyGame(
        random_tree(random, 8), max_margin=2
    )  # too large for anything to become certain at the root
    evaluator = random_evaluator(game, random)
    _, result = search_from(game, [0] * 5, evaluator, noise=True, root=root, num_simulations=80)
    assert result.visits.sum(axis=1).tolist() == [80] * 5
    np.testing.assert_allclose(result.policy.sum(axis=1), 1.0, rtol=1e-5)
    evaluator = random_evaluator(game, random)
    search_from(game, [0], evaluator, num_simulations=80)
    asked = np.concatenate(evaluator.asked)
    assert len(asked) == len(set(asked.tolist()))


@pytest.mark.parametrize("root", list(RootRule))
def test_games_of_unequal_length_finished_and_forced_roots(root):
    # 0: root with two moves, 1: its finished child, 2..: a forced line that ends after two moves.
    game = ToyGame((0, 1.0, (1, (0, 2.0, -2.0))), max_margin=2)
    finished, forced = 1, 2
    evaluator = TableEvaluator(game, values=np.full(len(game.mover), 0.25))
    search, result = search_from(game, [0, finished, forced], evaluator, root=root, num_simulations=500)
    # All of game 0 is seen long before: its first move wins by 1, its other move by 2 in the end.
    assert result.visits[0].sum() < 500
    assert result.values[0].tolist() == [0.75, 1.0]
    assert result.visits[1].tolist() == [0, 0]
    assert result.policy[1].tolist() == [0.0, 0.0]
    # The finished game is worth its margin of +1 to player 0, seen by whoever is to move in it.
    sign = 1 if game.mover[finished] == 0 else -1
    assert result.root_value[1] == pytest.approx(sign * (0.5 + 0.25))
    assert result.visits[2].tolist() == [1, 0]
    assert result.policy[2].tolist() == [1.0, 0.0]
    assert result.root_value[2] == pytest.approx(0.5 * 0.25)
    assert search.choose(np.arange(3, dtype=np.int32)).tolist()[1:] == [-1, 0]


def boxes_search(num_threads, seed, root, slots=40):
    game = BoxesGame(BoxesRules(rows=3, columns=3))
    config = SearchConfig(num_simulations=24, root=root)
    random = np.random.default_rng(0)
    table = random.normal(size=(256, game.num_policy_slots)).astype(np.float32)

    class Hashed(TableEvaluator):
        def start(self, buffer, num_rows):
            return buffer.points[:num_rows].reshape(num_rows, -1).astype(np.int64).sum(axis=1) % 256

        def finish(self, key):
            value = np.tanh(table[key, 0]).astype(np.float32)
            return type("E", (), {"policy": table[key], "value": value, "margin": 2 * value})

    evaluator = Hashed.__new__(Hashed)
    seeds = game_seeds(np.random.SeedSequence(seed), slots)
    search = Search(game, slots, config, evaluator, seeds, num_threads)
    search.begin(np.arange(slots, dtype=np.int32), game.start(slots), noise=True)
    run([search])
    chosen = search.choose(np.arange(slots, dtype=np.int32), 1.0)
    return search.results(np.arange(slots, dtype=np.int32)), chosen, search.generators


@pytest.mark.parametrize("root", list(RootRule))
def test_r132_same_seed_same_result_whatever_the_threads(root):
    one = boxes_search(1, 5, root)
    for num_threads in (2, 5):
        other = boxes_search(num_threads, 5, root)
        for a, b in zip((*one[0], *one[1:]), (*other[0], *other[1:]), strict=True):
            np.testing.assert_array_equal(a, b)
    assert not np.array_equal(one[0].visits, boxes_search(1, 6, root)[0].visits)


@pytest.mark.parametrize("root", list(RootRule))
def test_a_game_does_not_depend_on_its_neighbours(root):
    many, few = boxes_search(1, 5, root, slots=40), boxes_search(1, 5, root, slots=7)
    np.testing.assert_array_equal(many[0].visits[:7], few[0].visits)
    # P09: games with their own generators do not all play alike
    assert len({tuple(row) for row in many[0].visits.tolist()}) > 20


@pytest.mark.parametrize("root", list(RootRule))
def test_p10_noise_only_where_it_is_asked_for(root):
    random = np.random.default_rng(1)
    game = ToyGame(random_tree(random, 5, width=4), max_margin=2)
    evaluator = random_evaluator(game, random)

    def visits(noise, seed):
        _, result = search_from(game, [0], evaluator, noise, seed, root=root, num_considered=2)
        return result.visits.tolist()

    quiet = [visits(False, seed) for seed in range(6)]
    noisy = [visits(True, seed) for seed in range(6)]
    assert all(visits == quiet[0] for visits in quiet)
    assert len({str(visits) for visits in noisy}) > 1


@pytest.mark.parametrize("root", list(RootRule))
@pytest.mark.parametrize("temperature", [0.0, 0.02, 0.1, 1.0, 50.0])
def test_p07_every_temperature_chooses_a_legal_move(root, temperature):
    random = np.random.default_rng(2)
    game = ToyGame(random_tree(random, 5, width=5), max_margin=2)
    for simulations in (1, 2, 300):
        search, _ = search_from(game, [0] * 50, None, True, root=root, num_simulations=simulations)
        chosen = search.choose(np.arange(50, dtype=np.int32), temperature)
        assert (chosen >= 0).all()  # NO_ACTION would read the last child, which exists
        assert (game.next[0][chosen] >= 0).all()


def test_temperature_one_draws_in_proportion_to_the_policy():
    game = ToyGame(random_tree(np.random.default_rng(6), 8), max_margin=2)
    search, result = search_from(game, [0] * 4000, num_simulations=20, c_puct=4.0)
    assert (result.policy[0] > 0.1).sum() >= 2
    chosen = search.choose(np.arange(4000, dtype=np.int32), 1.0)
    share = np.bincount(chosen, minlength=3) / 4000
    np.testing.assert_allclose(share, result.policy[0], atol=0.03)


def test_budgets_may_differ_between_games():
    game = ToyGame(random_tree(np.random.default_rng(4), 8), max_margin=2)
    budgets = np.array([1, 10, 64], np.int32)
    _, result = search_from(game, [0, 0, 0], budgets=budgets)
    assert result.visits.sum(axis=1).tolist() == [1, 10, 64]
    with pytest.raises(ValueError, match=r"num_simulations must be in 0\.\.64, got 65"):
        search_from(game, [0], budgets=np.array([65], np.int32))


def test_configuration_is_checked_by_name():
    for field, value in {
        "num_simulations": 0,
        "c_puct": 0.0,
        "margin_weight": 1.5,
        "fpu_reduction": -0.1,
        "num_considered": 0,
        "margin_scale": 0.0,
    }.items():
        with pytest.raises(ValueError, match=rf"^SearchConfig\.{field} must be .*, got {value}$"):
            SearchConfig(**{field: value})
