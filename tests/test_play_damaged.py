"""The act play with damaged data: which game it is, in the language of the screen; the rest is there."""

import io
import sqlite3
import sys

import pytest
from played_sessions import boxes, play

from dotzero.__main__ import main
from dotzero.play.saves import FILE_NAME, Saves


@pytest.fixture
def data(tmp_path):
    """The folder of three unfinished games, 3x3 being the newest, and of three finished ones."""
    with Saves(tmp_path) as saves:
        for rows, moves in ((1, ["A1T"]), (2, ["A1T", "A2T"]), (3, ["A1T", "A2T", "B3R"])):
            session = boxes(rows, rows)
            play(session, moves)
            saves.put(session)
        for _ in range(3):
            session = boxes(seats=(None, "easy"))
            session.resign(0)
            saves.put(session)
    return tmp_path


def tamper(data, statement):
    database = sqlite3.connect(data / FILE_NAME)
    with database:
        database.execute(statement)
    database.close()


def run(data, words, monkeypatch, capsys, typed=(), code=0):
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
    assert main(["play", "--delay", "0", "--data", str(data), *words]) == code
    return capsys.readouterr()


@pytest.mark.parametrize("session", ["{", "[]", '{"version": 1}', "[" * 10_000])
@pytest.mark.parametrize(
    ("language", "told", "goes_on"),
    [
        (
            "en",
            "A saved game is damaged and passed over: Dots and Boxes 3x3, two people, 3 moves, 0:0, ",
            "The",
        ),
        (
            "ru",
            "Сохранённая игра повреждена и пропущена: Точки и квадраты 3x3, вдвоём, 3 хода, 0:0, ",
            "Игра",
        ),
    ],
)
def test_a_damaged_newest_game_blocks_no_other(data, monkeypatch, capsys, session, language, told, goes_on):
    """R114: the next one goes on; the damaged one is named and stays where it is."""
    tamper(data, f"UPDATE unfinished SET session = '{session}' WHERE board = '3x3'")
    shown = run(data, ["--continue", "--language", language], monkeypatch, capsys, ["q"])
    assert shown.err.startswith(told)
    assert shown.err.count("\n") == 1
    assert "2x2" in shown.out
    assert f"\n{goes_on} " in shown.out
    with Saves(data) as saves:
        assert [game.board for game in saves.unfinished()] == ["2x2", "3x3", "1x1"]


def test_a_row_that_is_no_game_is_named_by_its_id(data, monkeypatch, capsys):
    with Saves(data) as saves:
        newest = saves.unfinished()[0]
    tamper(data, f"UPDATE unfinished SET game = 'go' WHERE id = '{newest.id}'")
    shown = run(data, ["--continue"], monkeypatch, capsys, ["q"])
    assert shown.err == f"A saved game is damaged and passed over: {newest.id}\n"
    assert "2x2 boxes" in shown.out


def test_nothing_but_damaged_games(data, monkeypatch, capsys):
    tamper(data, "UPDATE unfinished SET session = '{'")
    shown = run(data, ["--continue"], monkeypatch, capsys, code=2)
    assert shown.err.count("A saved game is damaged") == 3
    assert shown.err.splitlines()[-1].startswith(
        "error: --continue must have an unfinished game, got none in "
    )


@pytest.mark.parametrize("change", ["game = 'go'", "outcome = 'won'", "outcome = 7", "player = ':'"])
def test_a_damaged_result_costs_no_other(data, monkeypatch, capsys, change):
    """R153: it is told and left out of the table."""
    tamper(data, f"UPDATE finished SET {change} WHERE number = 2")
    shown = run(data, ["--statistics"], monkeypatch, capsys)
    assert shown.err == "1 result in the data file is damaged and not counted: no. 2\n"
    assert shown.out.splitlines()[1].split() == ["boxes", "2x2", "-", "Easy", "0", "2", "0", "0%", "0", "0"]
    russian = run(data, ["--statistics", "--language", "ru"], monkeypatch, capsys)
    assert russian.err == "1 результат в файле данных повреждён и не учтён: № 2\n"
    tamper(data, f"UPDATE finished SET {change}")
    assert "not counted: no. 1, 2, 3\n" in run(data, ["--statistics"], monkeypatch, capsys).err


def test_a_file_that_is_no_database_is_told_in_the_language_of_the_screen(tmp_path, monkeypatch, capsys):
    (tmp_path / FILE_NAME).write_bytes(b"no database, but long enough to be one" * 100)
    shown = run(tmp_path, ["--statistics", "--language", "ru"], monkeypatch, capsys)
    path = tmp_path / FILE_NAME
    assert shown.err == f"файл {path} повреждён и отложен под именем {FILE_NAME}.damaged-1; начат новый\n"


def test_a_game_that_another_screen_has_taken(data, monkeypatch, capsys):
    """R114, R160: one line on the screen, exit code 2."""
    from dotzero.play.terminal import Terminal

    step = Terminal._step

    def late(terminal):
        with Saves(data) as other:
            other.load(terminal.session.id)
        step(terminal)

    monkeypatch.setattr(Terminal, "_step", late)
    shown = run(data, ["--continue", "--language", "ru"], monkeypatch, capsys, ["A1B"], code=2)
    assert shown.out.endswith("\nЭту игру продолжили в другом месте; она идёт там.\n")
    assert shown.err == ""


def test_a_data_file_that_cannot_be_written(data, monkeypatch, capsys):
    def full(*words):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Saves, "_store", full)
    shown = run(data, ["--continue"], monkeypatch, capsys, ["A1B"], code=2)
    told = f"The game cannot be stored: {data / FILE_NAME}: database or disk is full. It ends here"
    assert told in shown.out
    assert shown.err == ""
    shown = run(data, ["--continue", "--language", "ru"], monkeypatch, capsys, ["A1B"], code=2)
    assert "Игру не удалось сохранить: ошибка записи." in shown.out
