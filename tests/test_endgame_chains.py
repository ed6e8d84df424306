"""The exact solver where chains and loops are all that is left, against the rules of that end written out.

Whoever must open one gives it away. The other takes it whole and opens the next one himself, or leaves two
boxes of a chain (four of a loop) and lets the first open again. `to_open` tries all of that and nothing else,
so it knows neither which to open nor when to leave boxes; where few lines are left the slow solver checks it.

A chain of one box stands in a corner or on a board of one row, for a line between it and a finished box would
be drawn. So all endgames of up to 25 boxes that exist lie on the boards of 31x1 and 2x20 boxes.
"""

import functools
import itertools

import numpy as np
import pytest
from boxes_generators import board, laid_out
from slow_boxes import SlowSolver

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.search.endgame import Solver

CHAINS, LOOPS, MOST_BOXES = range(1, 12), range(4, 13, 2), 25
COLUMN, BAND = (31, 1), (2, 20)


def solver(size):
    return Solver(BoxesGame(BoxesRules(rows=size[0], columns=size[1])))


@functools.cache
def to_open(chains, loops):
    """The value for whoever must open one of these chains and loops, given as sorted tuples of lengths."""
    found = [0] if not chains + loops else []
    for chain in set(chains):
        rest = to_open(without(chains, chain), loops)
        found += [-reply(chain, left, rest) for left in ((0, 2) if chain == 2 else (2 * (chain > 2),))]
    for loop in set(loops):
        found.append(-reply(loop, 4, to_open(chains, without(loops, loop))))
    return max(found)


def without(lengths, one):
    where = lengths.index(one)
    return lengths[:where] + lengths[where + 1 :]


def reply(length, left, rest):
    """The best that an opened chain or loop brings; `rest` is what to open next is worth."""
    taken_whole = length + rest
    return max(taken_whole, length - left - left - rest) if left else taken_whole


def all_multisets(lengths, most):
    """All sorted tuples of these lengths with a sum of at most `most`."""
    if not lengths:
        return [()]
    first, *others = lengths
    return [
        (first,) * times + rest
        for times in range(most // first + 1)
        for rest in all_multisets(others, most - times * first)
    ]


def all_endgames():
    """Chains and loops of every endgame that exists on some board and is not finished."""
    return [
        (chains, loops)
        for chains in all_multisets(list(CHAINS), MOST_BOXES)
        for loops in all_multisets(list(LOOPS), MOST_BOXES - sum(chains))
        if chains + loops and (chains.count(1) <= 4 or not loops)
    ]


def chain_lines(size, path, first, last):
    """Lines of a chain through the boxes of `path` that leaves the board by the lines `first` and `last`."""
    return [first, *(board(*size).between(*pair) for pair in itertools.pairwise(path)), last]


def in_a_column(chains):
    """The lines of each chain, in its order; the chains stand one below the other."""
    found, start = [], 0
    for length in chains:
        path = range(start, start + length)
        left, right = board(*COLUMN).border(path[0])[-2], board(*COLUMN).border(path[-1])[-1]
        found.append(chain_lines(COLUMN, path, left, right))
        start += length
    return found


def in_a_band(chains, loops):
    """The lines of each chain, then of each loop, in their order; they stand side by side.

    They come in from above and go back below. Chains of one box take the corners.
    """
    (_, columns), num_ones = BAND, chains.count(1)
    corners = [0, columns, columns - 1, 2 * columns - 1]
    found = [board(*BAND).border(corner) for corner in corners[:num_ones]]
    column = 1 if num_ones else 0
    for length in [*chains[num_ones:], *loops]:
        there = range(column, column + (length + 1) // 2)
        path = [*there, *(columns + c for c in reversed(there))][:length]
        if len(found) < len(chains):
            found.append(chain_lines(BAND, path, path[0], path[-1] + columns))
        else:
            found.append([board(*BAND).between(*pair) for pair in itertools.pairwise([*path, path[0]])])
        column += len(there)
    assert column <= columns - (num_ones > 2)
    return found


def endgame(chains, loops):
    """Size, and the lines of each chain and loop."""
    return (BAND, in_a_band(chains, loops)) if loops else (COLUMN, in_a_column(chains))


def position(size, *undrawn):
    """The position with these lines undrawn. Shape [L]."""
    lines = np.ones(board(*size).num_lines, np.uint8)
    lines[list(itertools.chain(*undrawn))] = 0
    return lines


@pytest.mark.parametrize(
    ("chains", "loops"),
    [((1, 1, 2), ()), ((3, 4), ()), ((1, 2, 3), ()), ((5, 6), ()), ((1, 1, 4), (4,)), ((), (4, 8))]
    + [
        ((2, 3), (6,)),
        ((3,), (4, 6)),
        ((1, 1, 1, 1, 2), (4,)),
        ((3, 3, 3), ()),
        ((3, 4, 4), ()),
        ((11,), ()),
    ],
)
def test_the_rules_of_the_end_are_those_of_the_game(chains, loops):
    """The judge of this file, and how it lays out endgames, by a solver that knows no chains."""
    size, lines = endgame(chains, loops)
    assert SlowSolver(*size, position(size, *lines)).value() == to_open(chains, loops)


def test_all_endgames_of_up_to_25_boxes():
    """R080 to R082: chains of 1 to 11 boxes and loops of 4 to 12, whatever fits together."""
    for size, endgames in (
        (COLUMN, [(chains, loops) for chains, loops in all_endgames() if not loops]),
        (BAND, [(chains, loops) for chains, loops in all_endgames() if chains.count(1) <= 4]),
    ):
        assert len(endgames) > 7000
        make = (lambda chains, _: in_a_column(chains)) if size == COLUMN else in_a_band
        lines = np.stack([position(size, *make(*one)) for one in endgames])
        degrees = board(*size).degrees(lines)
        assert ((degrees == 0) | (degrees == 2)).all()
        np.testing.assert_array_equal((degrees == 2).sum(axis=1), [sum(c) + sum(o) for c, o in endgames])
        found = solver(size).solve(lines)
        assert found.exact.all()
        np.testing.assert_array_equal(found.lower, [to_open(*one) for one in endgames])


def controlled(chains, loops):
    """What control is worth, by Buzzard and Ciere, "Playing simple loony dots-and-boxes endgames optimally",
    Integers 2014."""
    if not chains:
        last = 8
    elif loops and max(chains) == 3:
        last = 6
    else:
        last = 4
    return sum(chains) - 4 * len(chains) + sum(loops) - 8 * len(loops) + last


def test_the_value_of_control():
    """Of chains of three and more, and loops: the published formula where control is worth two or more."""
    endgames = [one for one in all_endgames() if 1 not in one[0] and 2 not in one[0]]
    lines = np.stack([position(BAND, *in_a_band(*one)) for one in endgames])
    values = -solver(BAND).solve(lines).lower
    formula = np.array([controlled(*one) for one in endgames])
    worth = formula >= 2
    assert worth.sum() > 800
    assert (~worth).sum() > 400
    np.testing.assert_array_equal(values[worth], formula[worth])
    assert set(values[~worth & (values % 2 == 1)].tolist()) == {1, 3}
    assert set(values[~worth & (values % 2 == 0)].tolist()) == {0, 2, 4}


@pytest.mark.parametrize("size", [(4, 4), (5, 5), (7, 7), (3, 9)])
def test_endgames_anywhere_on_the_board(size):
    """Winding chains and loops of other shapes, on square and long boards."""
    rng, rows, columns = np.random.default_rng([*size, 1]), *size
    known, lines = [], []
    while len(lines) < 60:
        chains = tuple(sorted(rng.integers(1, 12, rng.integers(0, 6)).tolist()))
        loops = tuple(sorted((2 * rng.integers(2, 7, rng.integers(0, 3))).tolist()))
        if 0 < sum(chains) + sum(loops) <= min(MOST_BOXES, 0.8 * rows * columns) and chains.count(1) <= 4:
            try:
                lines.append(laid_out(rows, columns, chains, loops, rng, tries=5))
            except ValueError:
                continue
            known.append((chains, loops))
    assert sum(bool(loops) for _, loops in known) > 10
    assert len({len(chains) + len(loops) for chains, loops in known}) > 2
    np.testing.assert_array_equal(solver(size).solve(np.stack(lines)).lower, [to_open(*one) for one in known])


def test_every_line_of_an_endgame():
    """R079: all lines of a chain or loop do the same, but for a chain of two: its middle leaves no choice."""
    rng, endgames = np.random.default_rng(2), all_endgames()
    for index in rng.choice(len(endgames), 300, replace=False):
        chains, loops = endgames[index]
        size, lines = endgame(chains, loops)
        expected = np.zeros(board(*size).num_lines, int)
        for length, those in zip(chains + loops, lines, strict=True):
            if len(those) == length:
                worth = [-reply(length, 4, to_open(chains, without(loops, length)))] * length
            else:
                rest = to_open(without(chains, length), loops)
                left = [2 * (length > 1)] * (length + 1)
                if length == 2:
                    left[1] = 0
                worth = [-reply(length, few, rest) for few in left]
            expected[those] = worth
        found = solver(size).line_values(position(size, *lines)[None])
        np.testing.assert_array_equal(found.lower[0], expected)
        np.testing.assert_array_equal(found.upper[0], expected)


@pytest.mark.parametrize("length", [3, 4, 7])
@pytest.mark.parametrize(
    ("rest", "take", "leave"),
    [((), True, False), ((1,), True, False), ((1, 1), True, False), ((2,), True, True), ((3,), False, True)]
    + [
        ((4,), False, True),
        ((3, 3), True, True),
        ((4, 4), False, True),
        ((1, 5), True, False),
        ((2, 2), True, False),
    ],
)
def test_the_last_two_boxes_of_an_opened_chain(length, rest, take, leave):
    """R080, R082: the far end leaves a pair if the rest is worth more than two; else these are taken too."""
    lines, *others = in_a_column((length, *rest))
    undrawn, ask = lines[1:], solver(COLUMN)  # the opponent has drawn the first line
    while len(undrawn) > 2:
        assert undrawn[0] in best(ask, position(COLUMN, undrawn, *others))
        undrawn = undrawn[1:]
    near, far = undrawn
    wanted = ([near] if take else []) + ([far] if leave else [])
    assert best(ask, position(COLUMN, undrawn, *others)) == wanted


@pytest.mark.parametrize("length", [4, 6, 8])
@pytest.mark.parametrize(
    ("rest", "take", "leave"),
    [((), True, False), ((1,), True, False), ((3,), True, False), ((4,), True, True), ((2, 3), True, False)]
    + [((5,), False, True), ((4, 4), True, True), ((4, 5), False, True)],
)
def test_the_last_four_boxes_of_an_opened_loop(length, rest, take, leave):
    """R081, R082: the line in their middle leaves two pairs if the rest is worth more than four."""
    *others, lines = in_a_band(rest, (length,))
    undrawn, ask = lines[1:], solver(BAND)
    while len(undrawn) > 3:
        assert undrawn[0] in best(ask, position(BAND, undrawn, *others))
        undrawn = undrawn[1:]
    left, middle, right = undrawn
    wanted = ([left, right] if take else []) + ([middle] if leave else [])
    assert best(ask, position(BAND, undrawn, *others)) == sorted(wanted)


def best(ask, lines):
    """The best lines, by number."""
    return np.flatnonzero(ask.best_lines(lines[None]).best[0]).tolist()


@pytest.mark.parametrize(
    ("chains", "loops", "turns"),
    [((4, 5), (), [0, 2, 2, 5]), ((4, 5, 6), (), [0, 2, 2, 3, 2, 6]), ((2, 5), (), [0, 2, 5])]
    + [((5,), (4,), [0, 0, 4, 5]), ((6,), (8,), [0, 4, 4, 6]), ((1, 2, 3), (), [0, 1, 2, 3])],
)
def test_the_boxes_of_each_turn_of_best_play(chains, loops, turns):
    """R080 to R083: whoever has control keeps it, and takes the last chain whole."""
    size, lines = endgame(chains, loops)
    line_set = position(size, *lines)
    taken = [0]
    for line in solver(size).principal_variation(line_set):
        before = (board(*size).degrees(line_set[None]) == 0).sum()
        line_set[line] = 1
        closed = int((board(*size).degrees(line_set[None]) == 0).sum() - before)
        taken[-1] += closed
        if not closed:
            taken.append(0)
    assert taken == turns
