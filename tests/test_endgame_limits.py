"""Exact play in Dots and Boxes under limits, with threads and small tables; and what is refused.

A limit may cost knowledge, never truth: bounds hold the value. A limit by nodes gives the same answer
whatever was asked before or beside it, and by how many threads. Without limits values depend on the position
alone.
"""

import threading
import time

import numpy as np
import pytest
from boxes_generators import board, careful_play, compact_sets, random_sets

from dotzero.envs.boxes import BoxesGame, BoxesRules, Scoring
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.search.endgame import Solver, SolverConfig, fits, has_solver, require_fits, set_values

NO_LINES = {size: np.zeros((1, board(*size).num_lines), np.uint8) for size in [(2, 4), (3, 3), (5, 5)]}
EMPTY_2X4, EMPTY_3X3, EMPTY_5X5 = NO_LINES.values()


def boxes(rows, columns, **options):
    return BoxesGame(BoxesRules(rows=rows, columns=columns, **options))


def solver(rows, columns, **config):
    return Solver(boxes(rows, columns), SolverConfig(**{"table_mib": 8, **config}))


@pytest.fixture(scope="module")
def truth():
    """Positions of 2x4 boxes with 8 to 22 undrawn lines, their values and those of their lines."""
    values, rng = set_values(boxes(2, 4), EMPTY_2X4[0]), np.random.default_rng(1)
    lines = random_sets(2, 4, rng.integers(8, 22, (60, 1)), 60, rng)
    lines = np.concatenate([lines, careful_play(2, 4, 18, 10, rng), EMPTY_2X4])
    numbers = (1 - lines.astype(int)) @ (1 << np.arange(22))
    of_lines, num_open = np.zeros(lines.shape, int), (board(2, 4).degrees(lines) > 0).sum(axis=1)
    for line in range(22):
        after = lines.copy()
        after[:, line] = 1
        closed = num_open - (board(2, 4).degrees(after) > 0).sum(axis=1)
        rest = values[numbers & ~(1 << line)].astype(int)
        of_lines[:, line] = np.where(lines[:, line], 0, np.where(closed > 0, closed + rest, -rest))
    return lines, values[numbers].astype(int), of_lines


def assert_between(found, values):
    assert (found.lower <= values).all()
    assert (values <= found.upper).all()


LIMITS = [0, 1, 2, 3, 5, 10, 30, 100, 300, 1000, 3000, 10_000, 100_000]


def test_limits_by_nodes_never_tell_a_wrong_value(truth):
    """Bounds hold the value, close in with more nodes, and are exact in the end."""
    lines, values, _ = truth
    before, num_exact = None, []
    for most in LIMITS:
        found = solver(2, 4).solve(lines, max_nodes=most)
        assert_between(found, values)
        assert (found.num_nodes <= most).all()
        np.testing.assert_array_equal(found.exact, found.lower == found.upper)
        np.testing.assert_array_equal(found.num_nodes[~found.exact], most)
        if before is not None:
            assert (before.lower <= found.lower).all()
            assert (found.upper <= before.upper).all()
        before = found
        num_exact.append(int(found.exact.sum()))
    assert 0 < num_exact[0] < num_exact[len(LIMITS) // 2] < num_exact[-1] == len(lines)


def test_limits_by_nodes_of_lines(truth):
    """The limit holds for all lines of a position together; a set of best lines is whole or empty."""
    lines, values, of_lines = truth
    best, num_exact = (of_lines == values[:, None]) & (lines == 0), []
    for most in LIMITS:
        found = solver(2, 4).line_values(lines, max_nodes=most)
        assert_between(found, of_lines)
        assert (found.num_nodes <= most).all()
        np.testing.assert_array_equal(found.exact, (found.lower == found.upper).all(axis=1))
        kept = solver(2, 4).best_lines(lines, max_nodes=most)
        assert (kept.num_nodes <= most).all()
        np.testing.assert_array_equal(kept.best, best & kept.exact[:, None])
        np.testing.assert_array_equal(kept.value, np.where(kept.exact, values, 0))
        num_exact.append((int(found.exact.sum()), int(kept.exact.sum())))
    assert num_exact[0][0] < num_exact[len(LIMITS) // 2][0] < num_exact[-1][0] == len(lines)
    assert num_exact[0][1] < num_exact[len(LIMITS) // 2][1] < num_exact[-1][1] == len(lines)


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("seconds", [0.0, 1e-5, 1e-4, 1e-3, 1e-2, 60.0])
def test_limits_by_time_never_tell_a_wrong_value(truth, seconds, num_threads):
    lines, values, of_lines = truth
    ask = solver(2, 4, num_threads=num_threads)
    found = ask.solve(lines, max_seconds=seconds)
    assert_between(found, values)
    if seconds in (0, 60):
        assert found.exact.all() == (seconds == 60)
    assert_between(ask.line_values(lines, max_seconds=seconds), of_lines)
    kept = ask.best_lines(lines, max_seconds=seconds)
    np.testing.assert_array_equal(
        kept.best, (of_lines == values[:, None]) & (lines == 0) & kept.exact[:, None]
    )
    np.testing.assert_array_equal(kept.value, np.where(kept.exact, values, 0))


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("num", [1, 6])
def test_limits_by_time_are_kept(num, num_threads):
    """Of all positions of a call together. Nobody knows the value of 5x5."""
    ask, lines = solver(5, 5, num_threads=num_threads), np.repeat(EMPTY_5X5, num, axis=0)
    for question in (ask.solve, ask.line_values, ask.best_lines):
        started = time.monotonic()
        found = question(lines, max_seconds=0.1)
        assert 0.09 <= time.monotonic() - started < 5
        assert not found.exact.any()
        assert found.num_nodes.sum() > 1000
    found = ask.solve(lines, max_seconds=0.1)
    assert (found.lower % 2 == 1).all()
    assert (found.upper % 2 == 1).all()
    assert (found.lower >= -25).all()
    assert (found.upper <= 25).all()


def hard_positions():
    """Of 4x4 boxes, easy ones too; most take more than a thousand nodes. Of each kind three."""
    rng = np.random.default_rng(2)
    some = [careful_play(4, 4, left, 3, rng) for left in (18, 21, 24, 27)]
    return np.concatenate([*some, compact_sets(4, 4, 18, 3, rng), random_sets(4, 4, 20, 3, rng)])


@pytest.mark.parametrize("question", ["solve", "line_values", "best_lines"])
@pytest.mark.parametrize("most", [40, 700])
def test_limits_by_nodes_are_reproducible(question, most):
    """The same bounds and numbers of nodes alone and in any company, at any time, by one thread or more."""
    lines, rng = hard_positions(), np.random.default_rng(3)
    expected = getattr(solver(4, 4), question)(lines, max_nodes=most)
    assert 0 < expected.exact.sum() < len(lines)
    assert len(set(expected.num_nodes.tolist())) > 1

    def assert_same(ask, order):
        found = getattr(ask, question)(lines[order], max_nodes=most)
        for name, array in expected._asdict().items():
            np.testing.assert_array_equal(getattr(found, name), array[order], err_msg=name)

    for num_threads in (1, 2, 3):
        ask = solver(4, 4, num_threads=num_threads)
        for _ in range(2):
            assert_same(ask, np.arange(len(lines)))
            assert_same(ask, rng.permutation(len(lines)))
            ask.solve(lines[::3])
            assert_same(ask, rng.integers(0, len(lines), 2 * len(lines)))
            ask.line_values(lines[:2], max_nodes=most + 1)
        for i in range(0, len(lines), 3):
            assert_same(ask, np.array([i]))


@pytest.mark.parametrize("table_mib", [1, 8])
def test_values_without_limits_depend_on_nothing_but_the_position(table_mib):
    """Threads, size of the table, what was asked before, other positions of the batch, forgetting."""
    lines = np.delete(hard_positions(), [9, 10, 11], axis=0)  # these take too long so often
    values, of_lines = solver(4, 4).solve(lines).lower, solver(4, 4).line_values(lines).lower
    best = solver(4, 4).best_lines(lines).best
    for num_threads in (1, 2, 3):
        ask = solver(4, 4, table_mib=table_mib, num_threads=num_threads)
        for again in range(3):
            order = np.random.default_rng(again).permutation(len(lines))
            np.testing.assert_array_equal(ask.line_values(lines[order]).lower, of_lines[order])
            np.testing.assert_array_equal(ask.best_lines(lines[order]).best, best[order])
            for i in order[::5]:
                assert ask.solve(lines[i : i + 1]).lower == values[i]
            if again == 1:
                ask.forget()


@pytest.mark.parametrize("num_threads", [1, 2, 3])
@pytest.mark.parametrize("table_mib", [1, 64])
def test_threads_share_the_work_on_one_position(num_threads, table_mib):
    """A question of many nodes goes to all threads; in a table that is too small for it as well."""
    ask = solver(3, 3, num_threads=num_threads, table_mib=table_mib)
    found = ask.solve(EMPTY_3X3)
    assert found.exact.tolist() == [True]
    assert found.lower.tolist() == [-3]
    assert found.num_nodes[0] > 50_000
    ask.forget()
    assert set(ask.line_values(EMPTY_3X3).lower[0].tolist()) == {-3}
    ask.forget()
    assert ask.best_lines(EMPTY_3X3).best.all()
    ask = solver(2, 4, num_threads=num_threads, table_mib=table_mib)
    assert ask.solve(EMPTY_2X4).lower.tolist() == [2]


def test_forgetting():
    """What was found out saves nodes the next time; after forgetting all of it is found out again."""
    ask = solver(3, 3)
    first = ask.solve(EMPTY_3X3).num_nodes[0]
    assert ask.solve(EMPTY_3X3).num_nodes[0] < first / 100
    ask.forget()
    assert ask.solve(EMPTY_3X3).num_nodes[0] == first


def test_forgetting_more_often_than_a_byte_counts():
    """A thousand times by hand and by limits: values stay, and numbers of nodes from an empty table."""
    lines = hard_positions()[[3, 5, 15, 17]]
    fresh = solver(4, 4, table_mib=1).solve(lines[:1])
    expected = solver(4, 4).solve(lines, max_nodes=10**6)
    assert expected.exact.all()
    assert expected.num_nodes.min() > 5
    ask = solver(4, 4, table_mib=1)
    for time_ in range(1000):
        ask.forget()
        found = ask.solve(lines[time_ % 4 : time_ % 4 + 1])
        assert found.lower == found.upper == expected.lower[time_ % 4]
    ask.forget()
    assert ask.solve(lines[:1]).num_nodes == fresh.num_nodes
    many = np.tile(lines, (250, 1))
    found = ask.solve(many, max_nodes=10**6)
    np.testing.assert_array_equal(found.lower, np.tile(expected.lower, 250))
    assert all(len(set(found.num_nodes[i::4].tolist())) == 1 for i in range(4))


QUESTIONS = {
    "solve": lambda: solver(5, 5).solve(EMPTY_5X5, max_seconds=0.3),
    "line_values": lambda: solver(5, 5).line_values(EMPTY_5X5, max_seconds=0.3),
    "best_lines": lambda: solver(5, 5).best_lines(EMPTY_5X5, max_seconds=0.3),
    "rollouts": lambda: solver(5, 5).rollouts(EMPTY_5X5, 10_000, np.zeros(1, np.uint64)),
    "set_values": lambda: set_values(boxes(2, 4), EMPTY_2X4[0]),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_other_python_threads_run_meanwhile(question):
    asked = threading.Thread(target=QUESTIONS[question])
    asked.start()
    num_steps = 0
    while asked.is_alive():
        time.sleep(0.001)
        num_steps += 1
    assert num_steps > 20


def test_boards_that_fit():
    """At most 64 dots, and normal scoring."""
    for size in [(7, 7), (3, 15), (15, 3), (31, 1), (1, 26), (1, 1), (6, 8)]:
        assert fits(boxes(*size).rules)
        assert has_solver(boxes(*size))
        assert Solver(boxes(*size)).solve(np.ones((1, board(*size).num_lines), np.uint8)).lower == 0
    for size in [(7, 8), (8, 7), (3, 16), (32, 1), (10, 10)]:
        assert not fits(boxes(*size).rules)
        assert not has_solver(boxes(*size))
        dots = (size[0] + 1) * (size[1] + 1)
        message = f"must have a board of at most 64 dots, got {size[0]}x{size[1]} boxes with {dots}"
        with pytest.raises(ValueError, match=rf"^exact play {message}$"):
            Solver(boxes(*size))
        with pytest.raises(ValueError, match=rf"^the level {message}$"):
            require_fits(boxes(*size).rules, "the level")
    misere = boxes(3, 3, scoring=Scoring.MISERE)
    assert not fits(misere.rules)
    assert not has_solver(misere)
    with pytest.raises(ValueError, match=r"^exact play must have scoring=normal, got misere$"):
        Solver(misere)
    assert not has_solver(KropkiGame(KropkiRules(width=4, height=4)))


@pytest.mark.parametrize(("name", "most"), [("table_mib", (1 << 18) - 1), ("num_threads", 256)])
def test_refused_settings(name, most):
    for value in (0, -1, most + 1, 1.5, True):
        wrong = rf"^SolverConfig\.{name} must be a whole number in 1\.\.{most}, got {value}$"
        with pytest.raises(ValueError, match=wrong):
            SolverConfig(**{name: value})
    assert getattr(SolverConfig(**{name: 1}), name) == 1


@pytest.mark.parametrize("question", ["solve", "line_values", "best_lines"])
@pytest.mark.parametrize(
    "lines",
    [np.zeros(24), np.zeros((1, 23)), np.zeros((1, 1, 24)), np.full((1, 24), 2), np.full((1, 24), -1)]
    + [np.full((1, 24), 0.5), np.full((1, 24), np.nan), np.full((1, 24), 256), np.zeros((0,))],
)
def test_refused_lines(question, lines):
    wrong = r"^lines must (be whole numbers 0 or 1|have shape \(positions, 24\)), got .*$"
    with pytest.raises(ValueError, match=wrong):
        getattr(solver(3, 3), question)(lines)
    with pytest.raises(ValueError, match=wrong):
        solver(3, 3).rollouts(lines, 10, np.zeros(1, np.uint64))
    if lines.ndim == 2:
        with pytest.raises(ValueError, match=wrong):
            solver(3, 3).principal_variation(lines[0])


def test_lines_of_other_types_and_no_positions_at_all():
    """Truth values and whole numbers of any width mean the same; an empty batch has an empty answer."""
    lines = hard_positions()[:3]
    expected = solver(4, 4).solve(lines).lower
    for kind in (bool, np.int8, np.int64):
        np.testing.assert_array_equal(solver(4, 4).solve(lines.astype(kind)).lower, expected)
    np.testing.assert_array_equal(solver(4, 4).solve(np.asfortranarray(lines)).lower, expected)
    ask = solver(4, 4, num_threads=2)
    assert ask.solve(lines[:0]).lower.shape == (0,)
    assert ask.line_values(lines[:0], max_nodes=3).lower.shape == (0, 40)
    assert ask.best_lines(lines[:0]).best.shape == (0, 40)


@pytest.mark.parametrize(
    "line_set",
    [np.zeros(23), np.zeros((1, 24)), np.full(24, 2), np.full(24, -1), np.full(24, 256), np.full(24, 0.5)],
)
def test_refused_sets(line_set):
    with pytest.raises(
        ValueError, match=r"^lines must (be whole numbers 0 or 1|have shape \(24,\)), got .*$"
    ):
        set_values(boxes(3, 3), line_set)


@pytest.mark.parametrize("question", ["solve", "line_values", "best_lines"])
@pytest.mark.parametrize(
    ("name", "value"),
    [("max_nodes", -1), ("max_nodes", 1.5), ("max_nodes", "9"), ("max_nodes", 1 << 63), ("max_nodes", True)]
    + [("max_seconds", -1), ("max_seconds", float("nan")), ("max_seconds", "9")],
)
def test_refused_limits(question, name, value):
    with pytest.raises(ValueError, match=rf"^{name} must be a (whole )?number of at least 0, got {value!r}$"):
        getattr(solver(3, 3), question)(EMPTY_3X3, **{name: value})
    assert solver(3, 3).solve(EMPTY_3X3, max_nodes=np.int64(7)).num_nodes.tolist() == [7]
    assert solver(3, 3).solve(EMPTY_3X3, max_seconds=9).exact.all()


@pytest.mark.parametrize("num_threads", [1, 2])
def test_python_threads_may_share_a_solver(num_threads):
    """They wait for each other; the values are right."""
    ask, lines, wrong = solver(4, 4, table_mib=1, num_threads=num_threads), hard_positions(), []
    values = solver(4, 4).solve(lines).lower

    def work(**limits):
        for _ in range(20):
            found = ask.solve(lines, **limits)
            wrong.extend(found.lower[found.exact] != values[found.exact])
            ask.forget()

    threads = [
        threading.Thread(target=work, kwargs=limits, daemon=True)
        for limits in ({}, {}, {"max_nodes": 500}, {"max_nodes": 50}, {"max_seconds": 0.001})
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert len(wrong) > 300
    assert not any(wrong)


def test_refused_sets_of_too_many_lines():
    lines = np.zeros(31, np.uint8)
    lines[:2] = 1
    with pytest.raises(ValueError, match=r"^a table of all sets must have at most 28 undrawn lines, got 29$"):
        set_values(boxes(3, 4), lines)
    lines[:11] = 1
    assert set_values(boxes(3, 4), lines).shape == (1 << 20,)
