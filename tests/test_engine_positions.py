"""Positions of the engine: reading and describing them, and what is refused."""

import re

import numpy as np
import pytest

from dotzero.envs.kropki_rules import KropkiRules
from dotzero.play.engine_positions import make_board


def same(one, other, *fields):
    return all((getattr(one, name) == getattr(other, name)).all() for name in fields)


@pytest.mark.parametrize(
    "rules",
    [{}, {"rows": 3, "columns": 2, "border": "left_bottom"}, {"rows": 1, "columns": 2, "scoring": "misere"}],
)
def test_boxes_positions_come_back(rules, random_states):
    board = make_board("boxes", rules)
    states = random_states(board.game, 300, np.random.default_rng(1))
    assert 0 < states.finished.sum() < 300
    for index in range(300):
        state = states[[index]]
        data = board.describe(state)
        read = board.read(data["position"], [])
        assert same(read, state, "lines", "score", "to_move", "finished")
        assert board.describe(read) == data


@pytest.mark.parametrize(
    "rules", [{"width": 7, "height": 6}, {"width": 9, "height": 5, "punish": True, "start": "empty"}]
)
def test_kropki_positions_come_back(rules, random_states):
    board = make_board("kropki", rules)
    states = random_states(board.game, 300, np.random.default_rng(2))
    going = np.flatnonzero(~states.finished)
    assert len(going) > 100
    for index in going:
        state = states[[index]]
        data = board.describe(state)
        read = board.read(data["position"], [])
        assert same(read, state, "score", "to_move", "cells")
        assert board.describe(read)["legal"] == data["legal"]


def test_moves_go_on_from_a_position():
    board = make_board("boxes", {"rows": 1, "columns": 2})
    position = {"lines": "1010100", "score": [0, 0], "to_move": 2}
    state = board.read(position, ["b1l"])
    assert (state.score.tolist(), state.to_move.tolist()) == ([[0, 1]], [1])
    kropki = make_board("kropki", {"width": 3, "height": 3, "start": "empty"})
    state = kropki.read({"rows": [". X .", "X O X", ". . ."], "to_move": 1}, ["bc", "STOP"])
    assert kropki.describe(state)["result"] == 1
    assert kropki.describe(state)["position"]["rows"][1] == "X o X"


def test_a_description_names_all(random_states):
    """Against the game itself; players are 1 and 2, results 0, 1 and 2 (R123)."""
    for board in (
        make_board("boxes", {"rows": 2, "columns": 2}),
        make_board("kropki", {"width": 5, "height": 5, "komi": 0.5, "start": "empty"}),
    ):
        game, seen = board.game, set()
        states = random_states(game, 150, np.random.default_rng(3))
        for index in range(150):
            state = states[[index]]
            data = board.describe(state)
            assert [board.parse(name) for name in data["legal"]] == np.flatnonzero(
                game.legal(state)[0]
            ).tolist()
            assert data["score"] == state.score[0].tolist()
            assert data["to_move"] == state.to_move[0] + 1
            lead = data["score"][0] - data["score"][1] - (0.5 if game.name == "kropki" else 0)
            assert data["finished"] == (data["phase"] == "finished") == bool(state.finished[0])
            assert (
                data["result"] == ((lead < 0) + 1 if lead else 0)
                if data["finished"]
                else data["result"] is None
            )
            seen.add(data["result"])
        assert seen >= {None, 1, 2}


def test_a_solo_phase_and_an_opening_zone():
    solo = make_board("kropki", {"width": 4, "height": 4, "stop": "solo"})
    data = solo.describe(solo.read(None, ["aa", "stop"]))
    assert (data["phase"], data["to_move"]) == ("solo", 1)
    zone = make_board(
        "kropki", {"width": 5, "height": 5, "start": "empty", "opening_zone": [2, 1], "stop": "off"}
    )
    data = zone.describe(zone.read(None, []))
    assert (data["phase"], data["legal"]) == ("opening", ["bc", "cc"])


LINES = {"lines": "1111111", "score": [1, 1], "to_move": 1}
LINE = "line must be a column, a row and T, B, L or R, as in A1R, got"
SCORE = "position.score must be the boxes of player 1 and 2, 2 together, got"


@pytest.mark.parametrize(
    ("position", "moves", "message"),
    [
        (None, ["A0T"], "moves, move 1: line must be in a row from 1 to 1, got 'A0T'"),
        (None, ["A1T", "Z9R"], "moves, move 2: line must be in a column from A to B, got 'Z9R'"),
        (None, ["-1"], f"moves, move 1: {LINE} '-1'"),
        (None, [""], f"moves, move 1: {LINE} ''"),
        (None, ["A1R", "B1L"], 'moves must be legal, got "B1L" as move 2: this line is drawn already'),
        (LINES, ["A1R"], 'moves must end with the game, got "A1R" as move 1 after its end'),
        ({}, [], "position.lines must be given with a position of boxes"),
        ({"lines": "0" * 7, "score": [0, 0]}, [], "position.to_move must be given with a position of boxes"),
        (LINES | {"rows": []}, [], 'position must have the fields lines, score, to_move, got "rows"'),
        (LINES | {"to_move": 0}, [], "position.to_move must be 1 or 2, got 0"),
        (LINES | {"to_move": 3}, [], "position.to_move must be 1 or 2, got 3"),
        (LINES | {"to_move": True}, [], "position.to_move must be 1 or 2, got true"),
        (LINES | {"to_move": 1.0}, [], "position.to_move must be 1 or 2, got 1.0"),
        (LINES | {"lines": 1111111}, [], "position.lines must be a text of 0 and 1, got 1111111"),
        (LINES | {"lines": "0101"}, [], "position.lines: dbn of 1x2 boxes must have 7 places, got 4"),
        (LINES | {"lines": "01010x0"}, [], "position.lines: dbn must hold 0 and 1 only, got 'x' at place 6"),
        (LINES | {"score": [2, 1]}, [], f"{SCORE} [2, 1]"),
        (LINES | {"score": [3, -1]}, [], f"{SCORE} [3, -1]"),
        (LINES | {"score": [2]}, [], f"{SCORE} [2]"),
        (LINES | {"score": 2}, [], f"{SCORE} 2"),
        (LINES | {"score": [1.0, 1]}, [], f"{SCORE} [1.0, 1]"),
    ],
)
def test_what_boxes_refuse(position, moves, message):
    """The bad input of the issue: names out of range, negative ones, a line twice, moves after the end."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make_board("boxes", {"rows": 1, "columns": 2}).read(position, moves)


def test_a_border_is_part_of_every_position():
    board = make_board("boxes", {"rows": 1, "columns": 2, "border": "all"})
    message = r"^position.lines must hold the border of rules.border=all, lacks A1T$"
    with pytest.raises(ValueError, match=message):
        board.read({"lines": "0111101", "score": [0, 0], "to_move": 1}, [])


POINT = "move must be the letters of a column and a row, as in ce, or stop, got"
SIGNS = "must be made of the signs . ' \" * 1 2 X x # Y O o @ Q, got"
CAUGHT = "cells must hold no live dot inside an enemy enclosure, got 10 at bb"


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        (["aa", "aa"], 'moves must be legal, got "aa" as move 2: this point is occupied'),
        (["ba"], 'moves must be legal, got "ba" as move 1: this point is occupied'),
        (["da"], "moves, move 1: move must be in a column from a to c, got 'da'"),
        (["aa", "a"], f"moves, move 2: {POINT} 'a'"),
        (["-1"], f"moves, move 1: {POINT} '-1'"),
        (["stop", "aa"], 'moves must end with the game, got "aa" as move 2 after its end'),
    ],
)
def test_what_kropki_refuses(moves, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make_board("kropki", {"width": 3, "height": 3}).read(None, moves)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "must be a list of 3 rows, got 0"),
        ("...", 'must be a list of 3 rows, got "..."'),
        ([". . .", "...", ". . ."], 'must have 3 signs with blanks between, got "..." as row b'),
        ([". . .", 3, ". . ."], "must have 3 signs with blanks between, got 3 as row b"),
        ([". . .", ". Z .", ". . ."], f'{SIGNS} "Z" at bb'),
        ([". . .", ". . .", "x . ."], "cells must not be closed on the edge, got 36 at ac"),
        ([". X .", "X O X", ". X ."], CAUGHT),
    ],
)
def test_what_a_position_of_kropki_must_be(rows, message):
    with pytest.raises(ValueError, match=f"^position.rows:? {re.escape(message)}$"):
        make_board("kropki", {"width": 3, "height": 3}).read({"rows": rows, "to_move": 1}, [])


def test_an_opening_outside_its_zone_and_a_stop_that_is_off_have_their_reasons():
    rules = {"width": 5, "height": 5, "start": "empty", "opening_zone": [2, 1], "stop": "off"}
    board = make_board("kropki", rules)
    with pytest.raises(ValueError, match=r'got "aa" as move 1: the first move of each player must lie in'):
        board.read(None, ["aa"])
    with pytest.raises(ValueError, match=r'got "stop" as move 1: STOP is off$'):
        board.read(None, ["stop"])


def test_boards_are_those_of_the_registry():
    board = make_board("kropki", {"width": 4, "height": 3})
    assert board.game.rules == KropkiRules(width=4, height=3)
    with pytest.raises(ValueError, match=r"^game must be one of boxes, kropki, got chess$"):
        make_board("chess", {})
    with pytest.raises(ValueError, match=r"^BoxesRules must have the fields rows, columns, .*, got size$"):
        make_board("boxes", {"size": 3})
