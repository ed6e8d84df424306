"""Odd lines in the terminal: long ones, ones that are no text, and those that end a pause."""

import pytest
from played_sessions import boxes
from typed_games import typed_game

from dotzero.printable import printable


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize(
    "typed", ["x" * 5000, "A1T" + " " * 500 + "x", "\x1b[2J\x07", "\udcff\udcfe", "a\x00b"]
)
def test_what_is_no_move_is_shown_short_and_without_power_over_the_screen(typed, language):
    session = boxes()
    shown = typed_game(session, ["A1T", typed, "A1B", "q"], language)
    assert session.num_moves == 2
    assert max(map(len, shown.split("\n"))) < 300
    assert all(char.isprintable() or char == "\n" for char in shown)


def test_printable():
    assert printable("A1T") == "A1T"
    assert printable("стоп \N{BULLET}") == "стоп \N{BULLET}"
    assert printable("\x1b[2J\n\udcff\N{REPLACEMENT CHARACTER}") == "?[2J???"
    assert printable("x" * 61) == "x" * 57 + "..."
    assert printable("x" * 60) == "x" * 60


@pytest.mark.parametrize("word", ["pause", "пауза"])
def test_what_follows_a_pause_in_a_pipe_is_not_lost(word):
    """An empty line ends a pause and nothing else; anything else is the next move."""
    session = boxes()
    shown = typed_game(session, ["A1T", word, "A1B", word, "", "A1L", "q"])
    assert session.num_moves == 3
    assert shown.count("Paused, the clocks stand.") == 2


@pytest.mark.parametrize(
    "name", ["\x00.txt", "a\x1b[2J.txt", "\udcff.txt", "~nobody-of-this-name/a.txt", "x" * 300 + ".txt"]
)
def test_names_of_files_that_cannot_be(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = typed_game(boxes(), ["A1T", f"save {name}", "q"])
    assert shown.count("not written: ") == 1
    assert all(char.isprintable() or char == "\n" for char in shown)
    assert list(tmp_path.iterdir()) == []
