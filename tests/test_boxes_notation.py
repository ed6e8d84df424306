"""Names of lines, line strings and text boards of Dots and Boxes."""

import re

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.envs.notation import notation_for

BOARD = """\
    A   B   C
  +---+   +---+
2 |           |
  +---+   +   +
1 | 1 #
  +---+   +   +"""


def notation(rows, columns):
    return BoxesNotation(BoxesRules(rows=rows, columns=columns))


def test_all_names_of_all_lines(load_case):
    """R068 to R070: rows count from the bottom; every alias in any case means its line."""
    for case in load_case("boxes_notation_aliases.json"):
        names = notation(case["rows"], case["cols"])
        assert sorted(names.names(case["edge"])) == sorted(case["names"])
        written = [name for name in case["names"] if name[-1] in "TL"] or case["names"]
        assert [names.name(case["edge"])] == written
        for name in case["names"]:
            assert names.parse(name) == names.parse(name.lower()) == names.parse(f" {name} ") == case["edge"]


@pytest.mark.parametrize("size", [(1, 1), (1, 26), (10, 10), (4, 7), (12, 9)])
def test_written_names_read_back(size):
    """R069, R073: T except the bottom edge B, L except the right edge R."""
    names = notation(*size)
    rows, columns = size
    for line in range(names.rules.num_lines):
        name = names.name(line)
        assert names.parse(name) == line
        side, row, column = name[-1], int(name[1:-1]), ord(name[0]) - ord("A")
        assert side in "TL" or (side == "B" and row == 1) or (side == "R" and column == columns - 1)
    assert names.parse(f"A{rows}T") == 0
    assert sum(len(names.names(line)) for line in range(names.rules.num_lines)) == 4 * rows * columns


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A0T", "line must be in a row from 1 to 3, got 'A0T'"),
        ("Z9R", "line must be in a column from A to C, got 'Z9R'"),
        ("a4t", "line must be in a row from 1 to 3, got 'a4t'"),
        ("D1L", "line must be in a column from A to C, got 'D1L'"),
        ("A1", "as in A1R, got 'A1'"),
        ("A1X", "as in A1R, got 'A1X'"),
        ("", "as in A1R, got ''"),
        ("A1R A2R", "as in A1R, got 'A1R A2R'"),
        ("A1-B2", "as in A1R, got 'A1-B2'"),
        ("1AR", "as in A1R, got '1AR'"),
        ("A-1R", "as in A1R, got 'A-1R'"),
        ("A01R", "as in A1R, got 'A01R'"),
        ("A\u0661R", "as in A1R"),
        ("\u01411R", "as in A1R"),
        ("A1R\nB1L", "as in A1R, got 'A1R\\nB1L'"),
    ],
)
def test_what_is_no_line_is_refused_in_one_line(text, message):
    """R054 (no diagonals) and typing errors: what, rule and value."""
    with pytest.raises(ValueError, match=r"^line must be [^\n]+$") as error:
        notation(3, 3).parse(text)
    assert message in str(error.value)


def test_numbers_outside_the_board_have_no_name():
    for wrong in (-1, 4, 1000):
        with pytest.raises(ValueError, match=f"line must be a number from 0 to 3, got {wrong}"):
            notation(1, 1).name(wrong)


def test_line_strings_read_back():
    """R073: dbn is a string of 0 and 1 in line order."""
    names, rng = notation(3, 2), np.random.default_rng(1)
    for _ in range(50):
        lines = rng.integers(0, 2, names.rules.num_lines).astype(np.uint8)
        text = names.dbn(lines)
        read = names.parse_dbn(text)
        assert (read == lines).all()
        assert read.dtype == np.uint8
    assert names.dbn(np.eye(17, dtype=np.uint8)[2]) == "00100000000000000"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("101", "dbn of 1x1 boxes must have 4 places, got 3"),
        ("10101", "dbn of 1x1 boxes must have 4 places, got 5"),
        ("", "dbn of 1x1 boxes must have 4 places, got 0"),
        ("10x1", "dbn must hold 0 and 1 only, got 'x' at place 3"),
        ("1 01", "dbn must hold 0 and 1 only, got ' ' at place 2"),
    ],
)
def test_wrong_line_strings_are_refused(text, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        notation(1, 1).parse_dbn(text)
    with pytest.raises(ValueError, match="lines must have shape"):
        notation(1, 1).dbn(np.zeros(5, np.uint8))


def test_a_board_as_text():
    """R146, R110: columns A.. and rows 1.. from the bottom, owners, and the last line marked."""
    game = BoxesGame(BoxesRules(rows=2, columns=3))
    names = notation_for(game)
    state = game.start(1)
    for move in ("A2T", "A2L", "C2T", "C2R", "A1T", "A1B", "A1L", "A1R"):
        last = names.parse(move)
        state = game.step(state, [last])
    assert names.board(state, last=last) == BOARD.replace("1 | 1 #", f"1 | {state.owner[0, 3] + 1} #")
    assert "#" not in names.board(state)


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (10, 10), (12, 3), (1, 26)])
def test_boards_read_back(size, random_states):
    """R066, R073: lines and owners survive the round trip, marked or not."""
    game = BoxesGame(BoxesRules(rows=size[0], columns=size[1]))
    names, state = notation_for(game), random_states(game, 30, np.random.default_rng(4))
    for index in range(30):
        drawn = np.flatnonzero(state.lines[index])
        for last in (None, *drawn[:1]):
            lines, owner = names.parse_board(names.board(state, index, last))
            assert (lines == state.lines[index]).all()
            assert (owner == state.owner[index]).all()
            assert (lines.dtype, owner.dtype) == (np.uint8, np.int8)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("    A   B   C\n", "", "board must have 6 rows of text"),
        ("A   B   C", "A   B", "board must begin with the columns 'A   B   C', got 'A   B'"),
        ("2 |", "1 |", "board row 2 must have label '2' and 3 boxes"),
        ("+---+   +---+", "+---+   +---+---+", "board row 1 must have label '' and 3 boxes"),
        ("+---+   +---+", "+--+    +---+", "board line A2T must be --- or ===, got '--+'"),
        ("+---+   +---+", "+---+   ----+", "board row 1 must have its dots as +, got '-'"),
        ("2 |  ", "2 X  ", "board line A2L must be | or #, got 'X'"),
        ("| 1 #", "| 3 #", "board box A1 must hold 1 or 2, got ' 3 '"),
        ("| 1 #", "|   #", "board box A1 must hold its owner 1 or 2, got none"),
        ("2 |   ", "2 | 2 ", "board box A2 must have no owner while open"),
    ],
)  # fmt: skip
def test_damaged_boards_are_refused(old, new, message):
    """One line: what, rule, value."""
    assert old in BOARD
    with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
        notation(2, 3).parse_board(BOARD.replace(old, new, 1))
    assert message in str(error.value)
