"""Typed lines: from a pipe, and from a terminal whose clock may run out."""

import io
import os
import pty

import pytest

from dotzero.play.terminal_input import LineReader


@pytest.fixture
def terminal():
    """The two ends of a terminal: where a person types, and what the program reads."""
    keys, screen = pty.openpty()
    stream = os.fdopen(screen, encoding="utf-8")
    yield keys, stream
    stream.close()
    os.close(keys)


def test_lines_of_a_pipe():
    reader = LineReader(io.StringIO("one\r\n\ntwo"))
    assert not reader.is_terminal
    assert [reader.read(0.0) for _ in range(4)] == ["one", "", "two", None]


def test_bytes_of_a_pipe_that_are_no_text():
    reader = LineReader(io.TextIOWrapper(io.BytesIO(b"\xff\xfe\nA1T\n"), encoding="utf-8"))
    assert [reader.read(), reader.read(), reader.read()] == ["\N{REPLACEMENT CHARACTER}" * 2, "A1T", None]


def test_lines_of_a_terminal_typed_ahead(terminal):
    """Two lines that come in one piece are two answers, in their order."""
    keys, stream = terminal
    reader = LineReader(stream)
    assert reader.is_terminal
    os.write(keys, "помощь\nA1T\n".encode())
    assert reader.read(5.0) == "помощь"
    assert reader.read(0.0) == "A1T"


def test_time_that_runs_out_keeps_what_was_typed(terminal):
    """The line that was begun is whole with the next question."""
    keys, stream = terminal
    reader = LineReader(stream)
    with pytest.raises(TimeoutError):
        reader.read(0.0)
    os.write(keys, b"A1")
    with pytest.raises(TimeoutError):
        reader.read(0.01)
    os.write(keys, b"T\n")
    assert reader.read(5.0) == "A1T"


def test_ctrl_d_ends_one_question(terminal):
    """A terminal's end of input is no end of the terminal."""
    keys, stream = terminal
    reader = LineReader(stream)
    os.write(keys, b"\x04")
    assert reader.read(5.0) is None
    os.write(keys, b"q\n")
    assert reader.read(5.0) == "q"
