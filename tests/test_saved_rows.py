"""Rows of the file of saved games that cannot be right are told from those that can."""

import pytest

from dotzero.play.saved_rows import FinishedGame, SavedGame, counted_result, finished_game, saved_game
from dotzero.play.tallies import Table

SAVED = ("x1", "boxes", "3x3", "easy", 4, 1, 0, 1.5e9)
FINISHED = ("x1", "boxes", "3x3", "usual", "easy", 0, 1, "full_board", 5, 4, 24, 1.5e9, "{}")


def changed(row, place, value):
    return (*row[:place], value, *row[place + 1 :])


def test_rows_that_are_right():
    assert saved_game(SAVED) == SavedGame("x1", "boxes", "3x3", "easy", 4, (1, 0), 1.5e9)
    assert saved_game(changed(SAVED, 3, None)).player is None
    table = Table("boxes", "3x3", "usual", "easy")
    assert counted_result(("boxes", "3x3", "usual", "easy", -1)) == (table, -1)
    game = FinishedGame("x1", table, 0, 1, "full_board", (5, 4), 24, 1.5e9, "{}")
    assert finished_game(FINISHED) == game
    people = changed(changed(changed(FINISHED, 4, None), 5, None), 6, None)
    assert finished_game(people) == game._replace(table=None, seat=None, outcome=None)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, None), (0, b"x"), (1, "go"), (1, 3), (2, None), (3, ":"), (3, 5), (4, "many"), (5, 0.5),
        (6, None), (7, "today"), (7, float("inf")), (7, -1.0), (7, 1e20),
    ],
)  # fmt: skip
def test_an_unfinished_game_that_cannot_be_shown(place, value):
    assert saved_game(changed(SAVED, place, value)) is None


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, None), (1, "go"), (2, 1), (3, None), (4, ":"), (5, 7), (6, 2), (6, None), (7, "rain"), (8, "x"),
        (9, None), (10, 1.5), (11, "x"), (12, b"{}"),
    ],
)  # fmt: skip
def test_a_finished_game_that_cannot_be_counted(place, value):
    assert finished_game(changed(FINISHED, place, value)) is None
    if place in (1, 2, 3, 4, 6):
        assert (
            counted_result(changed(FINISHED, place, value)[1:5] + (changed(FINISHED, place, value)[6],))
            is None
        )
