"""Boards of the terminal: signs without colour, colours that repeat them, two sizes of Kropki."""

import pytest
from played_sessions import EXAMPLE, boxes, kropki, play
from rich.console import Console

from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.envs.kropki_notation import KropkiNotation
from dotzero.play.seats import Language
from dotzero.play.terminal_board import Look, board_text, standing_enclosures

RING = ["cb", "cc", "bc", "aa", "dc", "ba", "cd"]
SMALL = Look(rows=0)


def drawn(session, look=SMALL, language=Language.EN):
    return board_text(session, look, language)


def test_boxes_in_ascii_have_the_marks_of_their_owners():
    """R108, R110, R146, R147: labels, marks, the last line double."""
    session = boxes(1, 3, names=("Anna", "Boris"))
    play(session, ["A1T", "A1B", "A1L", "A1R"])
    assert drawn(session).plain == (
        "    A   B   C\n"
        "  +---+   +   +\n"
        "1 | B #\n"
        "  +---+   +   +"
    )  # fmt: skip
    play(session, ["B1T"])
    assert "+---+===+   +" in drawn(session).plain


def test_boxes_without_owners_are_those_of_the_notation():
    session = boxes(3, 12)
    play(session, ["A1R", "K2B", "L3T"])
    expected = BoxesNotation(session.game.rules).board(session.state, last=session.last_move.action)
    assert drawn(session).plain == expected
    assert BoxesNotation(session.game.rules).parse_board(drawn(session).plain)[0].sum() == 3


def test_boxes_with_signs_beyond_ascii():
    session = boxes()
    play(session, EXAMPLE[:-1])
    text = drawn(session, Look(unicode=True), Language.RU).plain
    assert text == (
        "    A   B\n"
        "  •───•───•\n"
        "2 │И2 │И1 │\n"
        "  •───•───•\n"
        "1     ┃И1 │\n"
        "  •───•───•"
    )  # fmt: skip


def test_small_boards_of_kropki_are_those_of_the_notation():
    """R006, R161: they read back."""
    session = kropki()
    play(session, RING)
    notation = KropkiNotation(session.game.rules)
    text = drawn(session, Look(columns=200, rows=0)).plain
    assert text == notation.board(session.state, last=session.last_move.action)
    assert (notation.parse_board(text) == session.state.cells[0]).all()


def test_a_wide_board_draws_chains():
    """R031: lines between the dots of a chain; the captured dot is another sign."""
    session = kropki(4, 4)
    play(session, ["ba", "bb", "ab", "dd", "cb", "da", "bc"])
    assert drawn(session, Look(columns=20, rows=16)).plain == (
        "   a   b   c   d\n"
        "a  .   X   .   O\n"
        "     /   \\\n"
        "b  X   o   X   .\n"
        "     \\   /\n"
        "c  .  (X)  .   .\n"
        "\n"
        "d  .   .   .   O"
    )
    assert "/" not in drawn(session, Look(columns=19, rows=16)).plain
    assert "/" not in drawn(session, Look(columns=20, rows=15)).plain


def test_links_along_rows_and_columns():
    """A ring with straight sides; on a small board those along a row are drawn."""
    session = kropki(6, 6)
    ring = ["ab", "bb", "ba", "fa", "ca", "fb", "db", "fc", "dc", "fd", "cd", "fe", "bd", "ff", "ac"]
    play(session, ring)
    wide = drawn(session, Look(columns=80, rows=40)).plain.splitlines()
    assert wide[1] == "a  .   X---X   .   .   O"
    assert wide[3] == "b  X   o   1   X   .   O"
    assert wide[4] == "   |           |"
    assert wide[5] == "c (X)  1   1   X   .   O"
    assert wide[7] == "d  .   X---X   .   .   O"
    assert drawn(session).plain.splitlines()[1] == "a  . X-X . . O"


def test_an_enclosure_that_was_retaken_stands_no_more():
    """R028: who is swallowed holds nothing; its chain is drawn no more."""
    session = kropki(7, 7)
    inner = ["dc", "dd", "cd", "aa", "ed", "ab", "de"]
    play(session, inner)
    assert [one.player for one in standing_enclosures(session)] == [0]
    outer = ["db", "ce", "cc", "ec", "bd", "ee", "fd", "df"]
    state = session.state
    session.resume()
    rest = iter(["ga", "gb", "gc", "ge", "gf", "gg", "ag", "bg"])
    for name in outer:
        if session.mover == 0:
            play(session, [next(rest)])
        play(session, [name])
    assert session.state is not state
    assert [one.player for one in standing_enclosures(session)] == [1]


@pytest.mark.parametrize("seats", [(None, "easy"), ("easy", None)])
def test_colours_only_repeat_the_signs(seats):
    """R105, R161: your lines and boxes blue, the computer's red; without colour the text is the same."""
    session = boxes(seats=seats)
    play(session, ["A1T"])
    text = drawn(session)
    console = Console(force_terminal=True, color_system="standard", width=80)
    with console.capture() as capture:
        console.print(text)
    shown = capture.get()
    blue, red = "\x1b[1;94m", "\x1b[1;91m"
    assert (blue in shown, red in shown) == ((True, False) if seats[0] is None else (False, True))
    plain = Console(width=80, no_color=True)
    with plain.capture() as capture:
        plain.print(text)
    assert "\x1b" not in capture.get()
