"""The evaluation cache: no result changes by it but for the images, and equal positions cost one evaluation.

Judged by a search without a cache whose evaluator works out images and rounding by itself, in Python.
"""

import zlib

import numpy as np
import pytest

from dotzero.envs.boxes import Border, BoxesGame, BoxesRules, Scoring
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.search.mcts import Search, game_seeds, run
from dotzero.search.search_config import RootRule, SearchConfig

BOARDS = {
    "2x2": BoxesRules(rows=2, columns=2),
    "2x3": BoxesRules(rows=2, columns=3),
    "3x3": BoxesRules(rows=3, columns=3),
    "5x5": BoxesRules(rows=5, columns=5),
    "two words": BoxesRules(rows=6, columns=6),
    "four words": BoxesRules(rows=10, columns=10),
    "border left and bottom": BoxesRules(rows=3, columns=3, border=Border.LEFT_BOTTOM),
    "border all": BoxesRules(rows=3, columns=4, border=Border.ALL),
    "misere": BoxesRules(rows=3, columns=3, scoring=Scoring.MISERE),
}


class HashNetwork:
    """Judges by a hash of all that is observed, so that any difference shows; keeps the rows it was asked."""

    def __init__(self, game, seed=0):
        self.game, self.rows = game, []
        random = np.random.default_rng(seed)
        self.policies = (3 * random.normal(size=(997, game.num_policy_slots))).astype(np.float32)
        self.values = np.tanh(random.normal(size=997)).astype(np.float32)
        self.margins = random.normal(size=997).astype(np.float32)

    def allocate(self, capacity, observation_shape, num_globals):
        points = np.zeros((capacity, *observation_shape), np.uint8)
        return type("B", (), {"points": points, "globals": np.zeros((capacity, num_globals), np.float32)})

    def start(self, buffer, num_rows):
        return [(buffer.points[i].copy(), buffer.globals[i].copy()) for i in range(num_rows)]

    def finish(self, rows):
        self.rows += rows
        found = [self.judge(points, given) for points, given in rows]
        policy, value, margin = (np.array(part, np.float32) for part in zip(*found, strict=True))
        return type("E", (), {"policy": policy, "value": value, "margin": margin})

    def judge(self, points, given):
        key = zlib.crc32(points.tobytes() + given.tobytes()) % 997
        return self.policies[key], self.values[key], self.margins[key]


class SlowImages(HashNetwork):
    """The same network, asked by the image with the smallest lines, its policy rounded and brought back."""

    def __init__(self, game, seed=0):
        super().__init__(game, seed)
        border, moves = game.rules.start_lines(), game.symmetries.actions
        self.moves = [move for move in moves if (border[move] == border).all()]

    def judge(self, points, given):
        lines, margin = self.lines(points[0]), round(float(given[1]) * 10)
        images = []
        for move in self.moves:
            image = np.zeros_like(lines)
            image[move] = lines
            words = [
                sum(int(bit) << i for i, bit in enumerate(image[at : at + 64]))
                for at in range(0, len(image), 64)
            ]
            images.append((words, image, move))
        _, image, move = min(images, key=lambda found: found[0])  # of equal ones the first
        seen = self.game.observe(self.game.position(image[None], margin))
        policy, value, margin = super().judge(seen.points[0], seen.globals[0])
        logits = policy[self.game.policy_slots]
        steps = np.floor((logits[image == 0].max() - logits) * np.float32(1024) + np.float32(0.5))
        logits = -np.clip(steps, 0, 65535) / np.float32(1024)
        back = np.zeros_like(policy)
        back[self.game.policy_slots] = logits[move]
        return back, value, margin

    def lines(self, points):
        rules = self.game.rules
        across, down = points[:, : rules.columns] & 1, points[: rules.rows] >> 1 & 1
        return np.concatenate([across.ravel(), down.ravel()]).astype(np.uint8)


def some_games(game, number, seed=0):
    """Games after 0.. random moves, among them equal positions and images of each other."""
    random = np.random.default_rng(seed)
    state = game.start(number)
    for ply in range(min(game.num_actions // 2, 12)):
        going = np.flatnonzero(np.arange(number) % 13 > ply)
        keys = np.where(game.legal(state[going]), random.random((len(going), game.num_actions)), -1)
        state[going] = game.step(state[going], keys.argmax(axis=1))
    state[[1]] = state[[0]]
    return state


def searched(game, evaluator, state, moves=3, num_threads=1, search=None, **options):
    config = SearchConfig(**{"num_simulations": 24, "num_considered": 6, **options})
    seeds = game_seeds(np.random.SeedSequence(3), len(state))
    search = search or Search(game, len(state), config, evaluator, seeds, num_threads)
    slots, found = np.arange(len(state), dtype=np.int32), []
    for _ in range(moves):
        search.begin(slots, state, noise=True)
        run([search])
        result = search.results(slots)
        found += [*result, search.estimates(slots)]
        state = game.step(state, search.choose(slots, 1.0))
    return search, found


def assert_equal(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("root", list(RootRule))
@pytest.mark.parametrize("board", list(BOARDS))
def test_results_are_those_of_a_slow_search_by_images(board, root):
    game = BoxesGame(BOARDS[board])
    state = some_games(game, 14)
    slow, expected = searched(game, SlowImages(game), state, root=root, moves=2)
    network = HashNetwork(game)
    fast, found = searched(game, network, state, root=root, moves=2, cache_mib=16)  # room for all
    assert_equal(found, expected)
    assert fast.num_evaluations + fast.num_cache_hits == slow.num_evaluations
    assert slow.num_cache_hits == 0
    assert fast.num_cache_hits > 20
    rows = [points.tobytes() + given.tobytes() for points, given in network.rows]
    assert len(rows) == len(set(rows)) == fast.num_evaluations


def test_with_an_exact_end_too():
    game = BoxesGame(BOARDS["3x3"])
    state = some_games(game, 20)
    _, expected = searched(game, SlowImages(game), state, exact_lines=12)
    _, found = searched(game, HashNetwork(game), state, exact_lines=12, cache_mib=1)
    assert_equal(found, expected)


def test_what_is_kept_changes_no_result():
    """A table that holds a part of the positions only, one that holds all, and one that was filled before."""
    game = BoxesGame(BOARDS["four words"])
    state = some_games(game, 30)
    options = {"num_simulations": 100, "moves": 2}
    small, expected = searched(game, HashNetwork(game), state, cache_mib=1, **options)
    large, found = searched(game, HashNetwork(game), state, cache_mib=64, **options)
    assert_equal(found, expected)
    assert small.num_evaluations > large.num_evaluations  # something was thrown out
    large.generators = game_seeds(np.random.SeedSequence(3), 30)
    before = large.num_evaluations
    _, found = searched(game, None, state, search=large, cache_mib=64, **options)
    assert_equal(found, expected)
    assert large.num_evaluations == before


def test_the_same_rows_whatever_the_threads():
    game = BoxesGame(BOARDS["5x5"])
    state = some_games(game, 40)
    asked = []
    for num_threads in (1, 2, 5):
        network = HashNetwork(game)
        search, found = searched(game, network, state, num_threads=num_threads, cache_mib=1)
        asked.append([points.tobytes() + given.tobytes() for points, given in network.rows])
        if num_threads == 1:
            expected = found
        assert_equal(found, expected)
        assert asked[-1] == asked[0]
        assert search.num_evaluations == len(asked[0])


def test_equal_positions_of_one_batch_cost_one_row():
    game = BoxesGame(BOARDS["3x3"])
    network = HashNetwork(game)
    config = SearchConfig(num_simulations=1, cache_mib=1)
    search = Search(game, 16, config, network, game_seeds(np.random.SeedSequence(0), 16))
    lines = np.zeros((16, game.num_actions), np.uint8)
    first = np.arange(16) % 8
    for at, move in enumerate(game.symmetries.actions[first]):
        lines[at, move[[1, 5, 20]]] = 1  # sixteen images of one position
    search.begin(np.arange(16, dtype=np.int32), game.position(lines))
    search.submit()
    assert search.num_evaluations == 1
    assert search.num_cache_hits == 15
    search.collect()
    run([search])


def test_positions_that_differ_in_the_margin_alone_are_judged_apart():
    game = BoxesGame(BOARDS["3x3"])
    lines = np.zeros((1, game.num_actions), np.uint8)
    lines[0, [0, 3, 12, 13]] = 1  # one box
    network = HashNetwork(game)
    search = Search(game, 2, SearchConfig(num_simulations=1, cache_mib=1), network, np.zeros(2, np.uint64))
    state = game.start(2)
    for at, margin in enumerate((1, -1)):
        state[[at]] = game.position(lines, margin)
    search.begin(np.arange(2, dtype=np.int32), state)
    search.submit()
    assert search.num_evaluations == 2
    search.collect()


def test_cleared_it_starts_as_if_new():
    game = BoxesGame(BOARDS["5x5"])
    state = some_games(game, 20)
    new = HashNetwork(game, seed=1)
    expected_search, expected = searched(game, new, state, cache_mib=1)
    expected_rows = [points.tobytes() for points, _ in new.rows]
    network = HashNetwork(game, seed=0)
    search, found = searched(game, network, state, cache_mib=1)
    assert any((one != other).any() for one, other in zip(found, expected, strict=True))
    hits = search.num_cache_hits
    changed = HashNetwork(game, seed=1)
    network.policies, network.values, network.margins = changed.policies, changed.values, changed.margins
    network.rows.clear()
    search.clear_cache()
    search.generators = game_seeds(np.random.SeedSequence(3), 20)
    _, found = searched(game, None, state, search=search)
    assert_equal(found, expected)
    assert [points.tobytes() for points, _ in network.rows] == expected_rows
    assert search.num_cache_hits - hits == expected_search.num_cache_hits


@pytest.mark.parametrize("field", ["policies", "values", "margins"])
def test_numbers_that_are_not_finite_are_an_error_and_not_kept(field):
    game = BoxesGame(BOARDS["3x3"])
    state = some_games(game, 5)
    network = HashNetwork(game)
    good = getattr(network, field).copy()
    search = Search(game, 5, SearchConfig(num_simulations=8, cache_mib=1), network, np.zeros(5, np.uint64))
    slots = np.arange(5, dtype=np.int32)
    for bad in (np.nan, np.inf):
        getattr(network, field)[:] = bad
        search.begin(slots, state)
        with pytest.raises(RuntimeError, match="not finite"):
            run([search])
    setattr(network, field, good)
    search.begin(slots, state)
    run([search])
    expected = Search(game, 5, SearchConfig(num_simulations=8, cache_mib=1), network, np.zeros(5, np.uint64))
    expected.begin(slots, state)
    run([expected])
    assert_equal(search.results(slots), expected.results(slots))


def test_refused_in_other_games_and_checked_by_name():
    game = KropkiGame(KropkiRules(width=5, height=5))
    with pytest.raises(ValueError, match=r"^SearchConfig\.cache_mib must be 0 in kropki, got 4$"):
        searched(game, HashNetwork(game), game.start(1), cache_mib=4)
    with pytest.raises(ValueError, match=r"^SearchConfig\.cache_mib must be at least 0, got -1$"):
        SearchConfig(cache_mib=-1)
    with pytest.raises(ValueError, match=r"^SearchConfig\.cache_mib must be at most .*, got 10000000$"):
        SearchConfig(cache_mib=10_000_000)


def test_time_is_counted_by_stage():
    game = BoxesGame(BOARDS["2x2"])
    search, _ = searched(game, HashNetwork(game), some_games(game, 4))
    assert all(seconds > 0 for seconds in search.seconds)
