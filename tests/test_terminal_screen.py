"""The screen: what it can show, questions, the choice among unfinished games."""

import io
import os
import pty
from pathlib import Path

import pytest
from played_sessions import boxes, kropki, play
from typed_games import screen_of

from dotzero.play.saves import Saves
from dotzero.play.seats import Language
from dotzero.play.terminal_screen import LeftError, Screen, choose_saved


def stream(encoding, file=None):
    return io.TextIOWrapper(file or io.BytesIO(), encoding=encoding)


@pytest.fixture
def terminal():
    """An output stream that is a terminal, and its other end."""
    keys, screen = pty.openpty()
    with os.fdopen(screen, "w", encoding="utf-8") as opened:
        yield opened
    os.close(keys)


@pytest.mark.parametrize(("term", "unicode"), [("xterm-256color", True), ("dumb", False)])
def test_signs_beyond_ascii_only_where_the_terminal_has_them(terminal, monkeypatch, term, unicode):
    """A dumb terminal gets ASCII; so does everybody who asks for it."""
    monkeypatch.setenv("TERM", term)
    screen = Screen.on(io.StringIO(), terminal, Language.EN)
    assert screen.look.unicode is unicode
    assert Screen.on(io.StringIO(), terminal, Language.EN, ascii_only=True).look.unicode is False


def test_a_pipe_gets_ascii_and_boards_that_read_back():
    screen, _ = screen_of([])
    assert (screen.look.unicode, screen.look.rows) == (False, 0)


def test_a_language_that_cannot_be_shown_is_refused():
    """R160: Russian needs Cyrillic; KOI8-R has it, though not the signs of the board."""
    with pytest.raises(
        ValueError, match=r"^language must be one that the terminal can show \(ascii\), got ru$"
    ):
        Screen.on(io.StringIO(), stream("ascii"), Language.RU)
    screen = Screen.on(io.StringIO(), stream("koi8-r"), Language.RU)
    screen.say("your_turn")
    assert Screen.on(io.StringIO(), stream("ascii"), Language.EN).look.unicode is False


def test_texts_are_shown_as_they_are():
    """No markup, no emoji, no wrapping: names of people are free."""
    screen, stdout = screen_of([])
    line = "[bold]Anna[/bold] :smile: " + "word " * 60 + "https://x"
    screen.write(line)
    assert stdout.getvalue() == line + "\n"


def test_questions():
    """What comes from a pipe is echoed; its end is no answer."""
    screen, stdout = screen_of(["yes", "Д", "maybe"])
    assert [screen.agrees("Sure? ") for _ in range(3)] == [True, True, False]
    with pytest.raises(LeftError):
        screen.ask("More? ")
    assert stdout.getvalue() == "Sure? yes\nSure? Д\nSure? maybe\nMore? \n"


def test_r114_unfinished_games_to_choose_from(tmp_path):
    """R114: newest first; a wrong number asks again, nothing begins a new game."""
    with Saves(tmp_path) as saves:
        assert choose_saved(screen_of([])[0], saves) is None
        first, second = boxes(names=("Anna", "Boris")), kropki(seats=(None, "greedy"))
        for session in (first, second):
            play(session, ["A1T"] if session is first else ["aa"])
            saves.put(session)
        screen, stdout = screen_of(["3", "x", "2"])
        assert choose_saved(screen, saves) == first.id
        text = stdout.getvalue()
        assert "1  Kropki (Dots) 5x5, against Greedy, 1 move, 0:0, " in text
        assert text.index("1  Kropki") < text.index("2  Dots and Boxes 2x2, two people")
        assert text.count("CONTINUE: ") == 3
        assert choose_saved(screen_of([""], "ru")[0], saves) is None
        for typed in ([], ["q"], ["выход"]):
            with pytest.raises(LeftError):
                choose_saved(screen_of(typed)[0], saves)
    assert Path(tmp_path).is_dir()
