"""Files that a person names in the terminal, and why they are not written, in both languages."""

import errno
import re

import pytest
from played_sessions import EXAMPLE, boxes, kropki, play

from dotzero.envs.records import read_records
from dotzero.play import terminal_files
from dotzero.play.seats import Language
from dotzero.play.terminal_files import FORMATS, endings, why_not, write_game

EN, RU = Language


@pytest.mark.parametrize(("make", "moves"), [(boxes, EXAMPLE[:5]), (kropki, ["aa", "bb", "cc"])])
def test_every_ending_that_is_offered_can_be_written_and_read(tmp_path, make, moves):
    """F25: of each game those formats that hold it, and no other."""
    session = make()
    play(session, moves)
    for ending in FORMATS[session.game.name]:
        path = tmp_path / f"game{ending}"
        assert write_game(session, str(path), EN) == f"The game is written to {path}."
        (record,) = read_records(path)
        assert record.moves == tuple(move.action for move in session.moves)
    other = ".sgf" if session.game.name == "boxes" else ".txt"
    assert other not in endings(session.game.name)
    told = write_game(session, str(tmp_path / f"game{other}"), EN)
    assert told.startswith("not written: the name of the file must end in one of ")
    assert not (tmp_path / f"game{other}").exists()


def test_nothing_is_written_over(tmp_path):
    path = tmp_path / "game.txt"
    path.write_text("dear")
    assert write_game(boxes(), str(path), EN) == (
        f"not written: there is a file {path} already; choose another name"
    )
    assert "уже есть" in write_game(boxes(), str(path), RU)
    assert path.read_text() == "dear"


@pytest.mark.parametrize(
    ("number", "english", "russian"),
    [
        (errno.ENOENT, "there is no such folder", "нет такой папки"),
        (errno.ENOTDIR, "there is no such folder", "нет такой папки"),
        (errno.EACCES, "nothing may be written there", "туда нельзя писать"),
        (errno.EROFS, "nothing may be written there", "туда нельзя писать"),
        (errno.EISDIR, "that is a folder", "это папка"),
        (errno.ENOSPC, "there is no room left on the disk", "на диске нет места"),
        (errno.ENAMETOOLONG, "the name is too long", "имя слишком длинное"),
        (errno.EIO, "Input/output error", "ошибка записи"),
    ],
)
def test_the_system_speaks_the_language_of_the_screen(monkeypatch, tmp_path, number, english, russian):
    """R160: its own words are English."""

    def refuse(*words):
        raise OSError(number, "Input/output error", "x")

    monkeypatch.setattr(terminal_files, "write_records", refuse)
    for language, reason in ((EN, english), (RU, russian)):
        told = write_game(boxes(), str(tmp_path / "a.txt"), language)
        assert told.endswith(f": {reason}")
        assert language is EN or not re.search("[A-Za-z]", told)


def test_an_error_without_a_number():
    assert why_not(OSError("play.sqlite: database is locked"), EN) == "play.sqlite: database is locked"
    assert why_not(OSError("play.sqlite: database is locked"), RU) == "ошибка записи"
