"""The exact solver of Dots and Boxes on boards before the first line: known values, variants, first lines.

The values come from other programs, most of them found by several; see Berlekamp, "The Dots and Boxes Game",
2000, for the names of the borders. What takes longer than about a second is a slow test. How many positions
are searched is checked too: that grows at once if one of the solver's shortcuts is lost, and unlike time it
is always the same.
"""

import numpy as np
import pytest

from dotzero.envs.boxes import Border, BoxesGame, BoxesRules, Scoring
from dotzero.search.endgame import Solver, SolverConfig, set_values

EMPTY = {(1, n): -(n % 2) for n in range(1, 10)}
EMPTY |= {(2, 2): 2, (2, 3): -2, (2, 4): 2, (2, 5): -2, (3, 3): -3}
SLOW_EMPTY = {(1, 10): 0, (1, 11): -1, (2, 6): 2, (3, 4): 0}
SWEDISH = {(1, 2): 2, (1, 3): 3, (2, 2): -4, (2, 3): 6, (2, 4): 0, (2, 5): 2, (2, 6): -4}
SWEDISH |= {(3, 3): 7, (3, 4): 4, (3, 5): 5, (4, 4): 0}
ICELANDIC = {(1, 2): 2, (1, 3): -1, (2, 2): 2, (2, 3): 4, (2, 4): 4, (2, 5): 2, (2, 6): 2}
ICELANDIC |= {(3, 3): -1, (3, 4): 4}
SLOW_ICELANDIC = {(3, 5): -1, (4, 4): 4}
MISERE = {(1, 1): 1, (1, 2): 2, (1, 3): 3, (1, 4): 4, (1, 5): 3, (1, 6): 4, (1, 7): 5}
MISERE |= {(2, 2): -2, (2, 3): 2, (2, 4): 0, (3, 3): -1}


def boxes(rows, columns, **options):
    return BoxesGame(BoxesRules(rows=rows, columns=columns, **options))


def start_value(size, border=Border.NONE, **config):
    """The value of a board before the first line."""
    game = boxes(*size, border=border)
    solution = Solver(game, SolverConfig(**config)).solve(game.rules.start_lines()[None])
    assert solution.exact.tolist() == [True]
    return int(solution.lower[0])


def first_lines(size):
    """The values of all first lines [L]; all best lines are checked against them."""
    game = boxes(*size)
    solver, lines = Solver(game), game.rules.start_lines()[None]
    found = solver.line_values(lines)
    assert found.exact.tolist() == [True]
    (values,) = found.lower
    np.testing.assert_array_equal(Solver(game).best_lines(lines).best[0], values == values.max())
    return values


@pytest.mark.parametrize("size", EMPTY)
def test_empty_boards(size):
    """R089: of a board, and of the one that lies on its side."""
    assert start_value(size) == start_value(size[::-1]) == EMPTY[size]


@pytest.mark.slow
@pytest.mark.parametrize("size", SLOW_EMPTY)
def test_larger_empty_boards(size):
    """R089."""
    assert start_value(size, table_mib=256) == SLOW_EMPTY[size]


def test_the_known_values_are_those_of_the_file(load_case):
    """R089, R148: the tables above hold all boards of the file, and one more."""
    known = {f"{rows}x{columns}": value for (rows, columns), value in (EMPTY | SLOW_EMPTY).items()}
    solved = load_case("boxes_solved.json")["computed_here"]
    assert len(solved) == 12
    assert {size: known[size] for size in solved} == solved


@pytest.mark.parametrize("size", SWEDISH)
def test_boards_with_their_border_drawn(size):
    """R089: the Swedish board."""
    assert start_value(size, Border.ALL) == SWEDISH[size]


@pytest.mark.parametrize("size", ICELANDIC)
def test_boards_with_two_edges_drawn(size):
    """R089: the Icelandic board."""
    assert start_value(size, Border.LEFT_BOTTOM) == ICELANDIC[size]


@pytest.mark.slow
@pytest.mark.parametrize("size", SLOW_ICELANDIC)
def test_larger_boards_with_two_edges_drawn(size):
    """R089: the Icelandic board."""
    assert start_value(size, Border.LEFT_BOTTOM, table_mib=256) == SLOW_ICELANDIC[size]


@pytest.mark.parametrize("size", MISERE)
def test_empty_boards_in_misere(size):
    """The other's boxes less one's own: in a row of five to seven whoever begins takes one box."""
    game = boxes(*size, scoring=Scoring.MISERE)
    assert set_values(game, game.rules.start_lines())[-1] == MISERE[size]


def test_first_lines_of_2x2():
    """R089: the eight outer lines keep +2, the four inner ones give it away."""
    inner = [2, 3, 7, 10]
    assert np.flatnonzero(first_lines((2, 2)) != 2).tolist() == inner
    assert first_lines((2, 2))[inner].tolist() == [0] * 4


@pytest.mark.parametrize(("size", "value"), [((2, 3), -2), ((3, 3), -3)])
def test_boards_whose_first_lines_are_all_equal(size, value):
    """R089: the second player wins 3x3 by three boxes whatever the first line."""
    assert set(first_lines(size).tolist()) == {value}


def test_first_lines_of_2x5():
    """R089: all are worth -2."""
    assert first_lines((2, 5)).tolist() == [-2] * 27


@pytest.mark.slow
def test_first_lines_of_3x4():
    """R089: the three inner lines down the middle draw, the others lose by two."""
    values = first_lines((3, 4))
    assert np.flatnonzero(values == 0).tolist() == [18, 23, 28]
    assert (np.delete(values, [18, 23, 28]) == -2).all()


@pytest.mark.slow
@pytest.mark.parametrize("table_mib", [16, 256])
def test_3x4_by_two_threads(table_mib):
    """All threads search for one value, in a table that is much too small or large enough."""
    assert start_value((3, 4), table_mib=table_mib, num_threads=2) == 0


@pytest.mark.parametrize(
    ("size", "most"), [((1, 8), 90_000), ((2, 4), 85_000), ((2, 5), 940_000), ((3, 3), 135_000)]
)
def test_positions_searched_from_the_empty_board(size, most):
    """A fifth more than it takes: a shortcut that is lost shows here."""
    game = boxes(*size)
    solution = Solver(game).solve(game.rules.start_lines()[None], max_nodes=10 * most)
    assert solution.exact.all()
    assert most / 4 < solution.num_nodes[0] <= most
