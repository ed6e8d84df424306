"""The exact solver of Dots and Boxes against judges that know nothing of chains.

On small boards all sets of lines, by the core's table of all sets (`set_values`) and that one by the slow
solver of the tests, both written from the rules alone. On larger boards positions of every kind by the slow
solver; and where that does not reach, laws that hold for every position.
"""

import functools

import numpy as np
import pytest
from boxes_generators import (
    board,
    careful_play,
    compact_sets,
    loony_ends,
    opened,
    random_endgames,
    random_sets,
)
from referee_boxes import Referee
from slow_boxes import SlowSolver

from dotzero.envs.boxes import BoxesGame, BoxesRules, Scoring
from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.search.endgame import Solver, SolverConfig, set_values

SMALL = [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 2), (2, 3), (3, 2)]
LARGER = [(1, 26), (31, 1), (2, 7), (3, 3), (3, 15), (4, 6), (5, 5), (7, 7)]


def boxes(rows, columns, **options):
    return BoxesGame(BoxesRules(rows=rows, columns=columns, **options))


def subsets(line_set, numbers):
    """The positions with these numbers in `set_values(game, line_set)`. Shape [K, L]."""
    undrawn = np.flatnonzero(line_set == 0)
    lines = np.ones((len(numbers), len(line_set)), np.uint8)
    lines[:, undrawn] = 1 - (numbers[:, None] >> np.arange(len(undrawn)) & 1)
    return lines


def assert_values(solution, values):
    np.testing.assert_array_equal(solution.lower, values)
    np.testing.assert_array_equal(solution.upper, values)
    assert solution.exact.all()


@pytest.mark.parametrize("size", SMALL)
def test_all_sets_of_lines_of_small_boards(size):
    """R088: in one batch in the order of their numbers, and shuffled with next to no table."""
    game = boxes(*size)
    empty = np.zeros(game.rules.num_lines, np.uint8)
    values, numbers = set_values(game, empty), np.arange(1 << game.rules.num_lines)
    assert values.shape == numbers.shape
    assert_values(Solver(game).solve(subsets(empty, numbers)), values)
    numbers = np.random.default_rng(1).permutation(numbers)
    solver = Solver(game, SolverConfig(table_mib=1))
    assert_values(solver.solve(subsets(empty, numbers)), values[numbers])


@pytest.mark.parametrize("scoring", Scoring)
@pytest.mark.parametrize("size", SMALL)
def test_the_table_of_all_sets_is_that_of_the_slow_solver(size, scoring):
    """Every entry, so the numbering too."""
    game = boxes(*size, scoring=scoring)
    slow = SlowSolver(*size, np.zeros(game.rules.num_lines), misere=scoring is Scoring.MISERE)
    values = set_values(game, np.zeros(game.rules.num_lines, np.uint8))
    assert values.dtype == np.int8
    np.testing.assert_array_equal(values, slow.values)
    assert values.min() < 0 < values.max()


@pytest.mark.parametrize("scoring", Scoring)
@pytest.mark.parametrize("size", [(3, 3), (5, 5), (7, 7), (1, 26), (10, 10)])
def test_the_table_of_all_sets_that_follow_from_a_position(size, scoring):
    """On boards of any size, those too large for the solver among them."""
    game, rng = boxes(*size, scoring=scoring), np.random.default_rng([*size, 2])
    lines = np.concatenate([kind(*size, 12, 3, rng) for kind in (random_sets, compact_sets, careful_play)])
    values = [set_values(game, line_set) for line_set in lines]
    slow = [SlowSolver(*size, line_set, scoring is Scoring.MISERE).values for line_set in lines]
    np.testing.assert_array_equal(values, slow)
    assert len({int(value[-1]) for value in values}) > 1


@functools.cache
def values_of_3x3():
    return set_values(boxes(3, 3), np.zeros(24, np.uint8))


def test_many_sets_of_lines_of_3x3():
    """R088: 10,000 of all 2^24, and 10,000 with equally many of each number of lines."""
    game, rng = boxes(3, 3), np.random.default_rng(3)
    few = random_sets(3, 3, rng.integers(0, 25, (10_000, 1)), 10_000, rng)
    numbers = np.concatenate([rng.integers(0, 1 << 24, 10_000), (1 - few) @ (1 << np.arange(24))])
    assert (np.bincount(np.bitwise_count(numbers)) > 300).all()
    lines = subsets(np.zeros(24, np.uint8), numbers)
    assert_values(Solver(game).solve(lines), values_of_3x3()[numbers])
    assert values_of_3x3()[-1] == -3


@pytest.mark.slow
def test_all_sets_of_lines_of_3x3():
    """R088: all 16,777,216."""
    solver, size = Solver(boxes(3, 3)), 1 << 20
    for start in range(0, 1 << 24, size):
        numbers = np.arange(start, start + size)
        assert_values(
            solver.solve(subsets(np.zeros(24, np.uint8), numbers)), values_of_3x3()[start : start + size]
        )


def positions(rows, columns, num_left, num, seed):
    """`num` positions of each kind with at most `num_left` undrawn lines. Shape [K, L]."""
    rng = np.random.default_rng([rows, columns, num_left, seed])
    some = [kind(rows, columns, num_left, num, rng) for kind in (random_sets, compact_sets, careful_play)]
    some += [careful_play(rows, columns, num_left, num, rng, careless=0.3)]
    some += [random_sets(rows, columns, rng.integers(1, num_left, (num, 1)), num, rng)]
    some += [captured(rows, columns, lines) for lines in some[:2]]
    ends = np.concatenate(
        [
            loony_ends(rows, columns, num, rng, most_left=num_left),
            loony_ends(rows, columns, num, rng, careless=0.3, most_left=num_left),
            random_endgames(rows, columns, num, rng, most_left=num_left),
        ]
    )
    return np.concatenate([*some, ends, opened(rows, columns, ends, rng)])


def captured(rows, columns, lines):
    """Copies in which everything on offer is taken."""
    lines = lines.copy()
    while (takes := board(rows, columns).least_degrees(lines) == 1).any():
        lines[takes] = 1
    return lines


def judged(rows, columns, lines):
    """By the slow solver: values [K], values of lines [K, L] (0 for drawn ones), best lines [K, L]."""
    values, of_lines = np.zeros(len(lines), int), np.zeros(lines.shape, int)
    best = np.zeros(lines.shape, bool)
    for i, line_set in enumerate(lines):
        judge = SlowSolver(rows, columns, line_set)
        values[i] = judge.value()
        for line, value in judge.line_values().items():
            of_lines[i, line], best[i, line] = value, value == values[i]
    return values, of_lines, best


def assert_right(rows, columns, lines):
    """Values, values of lines and best lines of these positions are those of the slow solver."""
    values, of_lines, best = judged(rows, columns, lines)
    game = boxes(rows, columns)
    for ask in (Solver(game), Solver(game, SolverConfig(table_mib=1))):
        assert_values(ask.line_values(lines), of_lines)
        assert_values(ask.solve(lines), values)
        found = ask.best_lines(lines)
        np.testing.assert_array_equal(found.best, best)
        np.testing.assert_array_equal(found.value, values)
        assert found.exact.all()


@pytest.mark.parametrize("size", LARGER)
def test_lines_of_larger_boards(size):
    """R088: values, the value of every line, all best lines; boxes on offer, safe lines, loony ends."""
    lines = positions(*size, 14, 6, seed=4)
    least = board(*size).least_degrees(lines)
    offered, safe = (least == 1).any(axis=1), (least >= 3).any(axis=1)
    assert min(offered.sum(), (safe & ~offered).sum(), (~safe & ~offered).sum()) >= 3
    assert_right(*size, lines)


@pytest.mark.slow
@pytest.mark.parametrize("size", [*LARGER, (1, 6), (4, 4), (6, 6), (7, 5)])
def test_lines_of_larger_boards_with_19_undrawn(size):
    """R088: the horizon at which the strongest level never errs."""
    lines = positions(*size, 19, 25, seed=5)
    assert (lines == 0).sum(axis=1).max() == 19
    assert_right(*size, lines)


@pytest.mark.parametrize("size", [*SMALL, *LARGER])
def test_finished_positions_and_the_last_line(size):
    """The last line closes every box beside it."""
    game = boxes(*size)
    solver, num_lines = Solver(game), game.rules.num_lines
    last = np.eye(num_lines, dtype=np.uint8)
    closed = np.array([len(near) for near in board(*size).boxes_of])
    assert_values(solver.solve(1 - last), closed)
    assert_values(solver.line_values(1 - last), last * closed[:, None])
    np.testing.assert_array_equal(solver.best_lines(1 - last).best, last)
    assert [solver.principal_variation(line_set) for line_set in 1 - last] == [[i] for i in range(num_lines)]
    done = np.ones((2, num_lines), np.uint8)
    assert_values(solver.solve(done), 0)
    assert_values(solver.line_values(done), np.zeros(done.shape))
    found = solver.best_lines(done)
    assert not found.best.any()
    assert found.value.tolist() == [0, 0]
    assert found.exact.all()
    assert solver.principal_variation(done[0]) == []


@pytest.mark.parametrize("size", LARGER)
def test_best_play_to_the_end(size):
    """Each line of it is the first best one of its position, and both sides get what the value says."""
    solver = Solver(boxes(*size))
    for line_set in positions(*size, 14, 2, seed=6):
        judge, referee = SlowSolver(*size, line_set), Referee(*size)
        referee.drawn = {referee.segments[line] for line in np.flatnonzero(line_set)}
        rest = line_set.copy()
        for line in solver.principal_variation(line_set):
            number = np.int32(judge.number(rest))
            left = np.flatnonzero(rest == 0).tolist()
            assert line == max(left, key=lambda line: (judge.after(number, judge.bit[line]), -line))
            rest[line] = 1
            referee.draw(line)
        assert referee.finished()
        mine, theirs = referee.score()
        assert mine - theirs == judge.value()


def test_known_positions(load_case):
    """R080 to R082, R086, R088, R148: one by one and in batches of one board."""
    cases = {}
    for case in load_case("boxes_positions.json"):
        cases.setdefault((case["rows"], case["cols"]), []).append(case)
    assert sum(map(len, cases.values())) == 34
    for size, those in cases.items():
        notation, solver = BoxesNotation(BoxesRules(rows=size[0], columns=size[1])), Solver(boxes(*size))
        lines = np.stack([notation.parse_dbn(case["dbn"]) for case in those])
        of_lines, best = np.zeros(lines.shape, int), np.zeros(lines.shape, bool)
        for i, case in enumerate(those):
            best[i, [notation.parse(name) for name in case["best"]]] = True
            for name, value in case["moves"].items():
                of_lines[i, notation.parse(name)] = value
        values = [case["value_to_move"] for case in those]
        assert_values(solver.solve(lines), values)
        assert_values(solver.line_values(lines), of_lines)
        np.testing.assert_array_equal(solver.best_lines(lines).best, best)
        for i in range(len(those)):
            one = lines[i : i + 1]
            assert_values(Solver(boxes(*size)).solve(one), values[i : i + 1])
            assert_values(Solver(boxes(*size)).line_values(one), of_lines[i : i + 1])
            np.testing.assert_array_equal(Solver(boxes(*size)).best_lines(one).best, best[i : i + 1])


def test_the_sacrifice_of_the_example_game(load_case):
    """R072: line 7 of the game, A1T, gives a box away and is right: worth +2 to whoever draws it."""
    case = load_case("boxes_games.json")[0]
    notation = BoxesNotation(BoxesRules(rows=2, columns=2))
    line = notation.parse(case["moves"][6])
    assert notation.name(line) == "A1T"
    lines = np.zeros((1, 12), np.uint8)
    lines[0, [notation.parse(name) for name in case["moves"][:6]]] = 1
    least = board(2, 2).least_degrees(lines)[0]
    assert least[line] == 2, "it offers a box"
    assert (least > 2).any(), "and there are safe lines"
    assert_values(Solver(boxes(2, 2)).solve(lines), [2])
    assert Solver(boxes(2, 2)).line_values(lines).lower[0, line] == 2
    assert Solver(boxes(2, 2)).best_lines(lines).best[0, line]


def far_positions(rows, columns, num, seed):
    """Positions out of the slow solver's reach, with 22 to 28 undrawn lines."""
    rng = np.random.default_rng([rows, columns, seed])
    num_left = min(28, 3 * board(rows, columns).num_lines // 5)
    some = [careful_play(rows, columns, num_left, num, rng, careless) for careless in (0.0, 0.1)]
    some += [random_sets(rows, columns, 22, num, rng), loony_ends(rows, columns, num, rng)]
    return np.concatenate([*some, opened(rows, columns, some[-1], rng)])


@pytest.mark.parametrize("size", [(4, 4), (5, 5), (6, 4), (7, 7), (3, 15)])
def test_values_of_a_position_and_of_what_follows_fit_together(size):
    """The value is that of the best line, and follows from those of the next positions by the rules."""
    game, lines = boxes(*size), far_positions(*size, 6, seed=7)
    found, values = Solver(game).line_values(lines), Solver(game).solve(lines)
    assert found.exact.all()
    assert values.exact.all()
    best = np.where(lines == 0, found.lower, -99)
    np.testing.assert_array_equal(values.lower, best.max(axis=1))
    np.testing.assert_array_equal(Solver(game).best_lines(lines).best, best == best.max(axis=1)[:, None])
    num_open = (board(*size).degrees(lines) > 0).sum(axis=1)
    for line_set, of_lines, before in zip(lines, found.lower, num_open, strict=True):
        undrawn = np.flatnonzero(line_set == 0)
        after = np.repeat(line_set[None], len(undrawn), axis=0)
        after[np.arange(len(undrawn)), undrawn] = 1
        rest = Solver(game).solve(after).lower
        closed = before - (board(*size).degrees(after) > 0).sum(axis=1)
        np.testing.assert_array_equal(of_lines[undrawn], np.where(closed > 0, closed + rest, -rest))


@pytest.mark.parametrize("size", [(1, 9), (4, 4), (5, 5), (6, 4), (7, 7), (3, 15)])
def test_values_have_the_parity_of_the_open_boxes_and_are_not_more(size):
    lines = far_positions(*size, 20, seed=8) if size != (1, 9) else positions(1, 9, 20, 20, seed=8)
    values = Solver(boxes(*size)).solve(lines).lower
    num_open = (board(*size).degrees(lines) > 0).sum(axis=1)
    np.testing.assert_array_equal(values % 2, num_open % 2)
    assert (abs(values) <= num_open).all()
    assert len(set(values.tolist())) > 4


@pytest.mark.parametrize("size", [(4, 4), (5, 5), (6, 4), (7, 7), (3, 15), (31, 1)])
def test_symmetric_images_are_worth_the_same(size):
    """Each is solved anew, by a solver that has not seen the others."""
    game = boxes(*size)
    lines = far_positions(*size, 2, seed=9) if size != (31, 1) else positions(*size, 20, 2, seed=9)
    found, symmetries = Solver(game).line_values(lines), game.symmetries
    assert len(symmetries) == (8 if size[0] == size[1] else 4)
    assert found.exact.all()
    for symmetry in range(len(symmetries)):
        which = np.full(len(lines), symmetry)
        image = Solver(game).line_values(symmetries.apply_to_actions(lines, which))
        assert_values(image, symmetries.apply_to_actions(found.lower, which))


@pytest.mark.parametrize("size", [(1, 1), (1, 9), (9, 1), (2, 2), (4, 4), (5, 5), (7, 7)])
def test_border_lines_of_one_box_are_interchangeable(size):
    """In a corner, and all along a board of one row: whichever of them is drawn, the value is the same."""
    game, rng = boxes(*size), np.random.default_rng([*size, 10])
    num_left = {(1, 1): 2, (2, 2): 7}.get(size, 20 if min(size) == 1 else 22)
    lines = random_sets(*size, num_left, 200, rng)
    groups = [border for box in range(size[0] * size[1]) if len(border := board(*size).border(box)) > 1]
    assert len(groups) == (size[0] * size[1] if min(size) == 1 else 4)
    swapped = lines.copy()
    for group in groups:
        for row in swapped:
            row[group] = rng.permutation(row[group])
    changed = (swapped != lines).any(axis=1)
    assert changed.sum() > 50
    assert_values(Solver(game).solve(swapped[changed]), Solver(game).solve(lines[changed]).lower)
