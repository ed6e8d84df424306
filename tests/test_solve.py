"""The act solve: published values, limits, interruption."""

import json
import re

import pytest

from dotzero.__main__ import main
from dotzero.play.values import ValueSearch
from dotzero.scripts import progress

ONE_THREAD = ["--threads", "1", "--memory", "4"]


def solve(capsys, *words, code=0):
    """What the act prints on standard output and standard error."""
    assert main(["solve", *words]) == code
    return capsys.readouterr()


def answer(capsys, *words, code=0):
    shown = solve(capsys, *ONE_THREAD, *words, "--json", code=code)
    assert shown.out.count("\n") == 1
    return json.loads(shown.out)


EMPTY = {
    "1x1": -1, "1x2": 0, "1x3": -1, "1x4": 0, "1x5": -1, "1x6": 0, "2x2": 2, "2x3": -2, "2x4": 2, "3x3": -3,
}  # fmt: skip
LEFT_BOTTOM = {"1x2": 2, "1x3": -1, "2x2": 2, "2x3": 4, "2x4": 4, "2x5": 2, "2x6": 2, "3x3": -1, "3x4": 4}
ALL = {
    "1x2": 2,
    "1x3": 3,
    "2x2": -4,
    "2x3": 6,
    "2x4": 0,
    "2x5": 2,
    "2x6": -4,
    "3x3": 7,
    "3x4": 4,
    "3x5": 5,
    "4x4": 0,
}
MISERE = {
    "1x1": 1, "1x2": 2, "1x3": 3, "1x4": 4, "1x5": 3, "1x6": 4, "1x7": 5, "2x2": -2, "2x3": 2, "2x4": 0,
}  # fmt: skip
VALUES = [
    *((size, "none", "normal", value) for size, value in EMPTY.items()),
    *((size, "left_bottom", "normal", value) for size, value in LEFT_BOTTOM.items()),
    *((size, "all", "normal", value) for size, value in ALL.items()),
    *((size, "none", "misere", value) for size, value in MISERE.items()),
]


@pytest.mark.parametrize(("size", "border", "scoring", "value"), VALUES)
def test_known_values(capsys, size, border, scoring, value):
    """R089: of empty boards, of both borders, and in misere, as published or computed elsewhere."""
    data = answer(capsys, "--size", size, "--border", border, "--scoring", scoring)
    assert (data["value"], data["exact"]) == (value, True)
    rows, columns = map(int, size.split("x"))
    more = -value if scoring == "misere" else value
    assert data["final"] == [(rows * columns + more) // 2, (rows * columns - more) // 2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "border", "scoring", "value"),
    [("2x5", "none", "normal", -2), ("2x6", "none", "normal", 2), ("3x4", "none", "normal", 0)]
    + [("3x5", "left_bottom", "normal", -1), ("4x4", "left_bottom", "normal", 4)]
    + [("3x3", "none", "misere", -1)],
)
def test_values_that_take_seconds(capsys, size, border, scoring, value):
    data = answer(capsys, "--size", size, "--border", border, "--scoring", scoring, "--memory", "64")
    assert (data["value"], data["exact"]) == (value, True)


def test_what_is_printed(capsys):
    """Value, result in words, nodes, time and rate, and the lines by their values."""
    text = solve(capsys, "--size", "2x2", "--first-lines", *ONE_THREAD).out
    nodes = r"\d+ positions in \d\.\d\d s, [\d,]+ a second"
    assert re.sub(nodes, "N", text) == PRINTED.lstrip("\n")


PRINTED = """
2x2 boxes, 12 lines to draw
value        +2 for the first player (exact)
result       the first player wins 3-1
search       N; 4 MiB, 1 thread
first lines  +2, 8 lines: A2T B2T A1B B1B A2L B2R A1L B1R
first lines  0, 4 lines: A1T B1T B2L B1L
"""


def test_every_first_line_of_3x3_is_worth_the_same(capsys):
    data = answer(capsys, "--size", "3x3", "--first-lines")
    assert len(data["best"]) == 24
    assert set(data["moves"].values()) == {-3}


def test_the_fields_of_json(capsys):
    data = answer(capsys, "--size", "2x3")
    assert {name: type(value) for name, value in data.items()} == {
        "game": str,
        "rules": dict,
        "lines": str,
        "score": list,
        "to_move": int,
        "value": int,
        "exact": bool,
        "final": list,
        "nodes": int,
        "seconds": float,
        "nodes_per_second": int,
        "memory_mib": int,
        "threads": int,
    }
    assert data["nodes"] > 100
    assert (data["memory_mib"], data["threads"]) == (4, 1)


def test_results_in_words(capsys):
    """A win for the second, a draw, and misere, which fewer boxes win."""
    for words, result in (
        (["--size", "2x3"], "the second player wins 4-2"),
        (["--size", "1x2"], "a draw, 1-1"),
        (["--size", "1x3", "--scoring", "misere"], "the first player wins 0-3, fewer boxes win"),
    ):
        assert f"result       {result}\n" in solve(capsys, *words, *ONE_THREAD).out


def test_a_position_instead_of_an_empty_board(capsys):
    words = ["--size", "2x3", "--moves", "A2T B2T C2T A1T B1T C1T A1B B1B C1B A2L"]
    data = answer(capsys, *words)
    assert (data["value"], data["final"]) == (2, [4, 2])
    text = solve(capsys, *words, *ONE_THREAD).out
    assert "value        +2 for the player to move (exact)\nresult       player 1 wins 4-2\n" in text


@pytest.mark.parametrize("limit", [["--nodes", "1000"], ["--seconds", "0.001"]])
def test_a_limit_gives_bounds(capsys, limit):
    """R089: 3x4 is worth 0; the search ends before that is known, says so, and that is no failure."""
    data = answer(capsys, "--size", "3x4", *limit, "--first-lines")
    assert data["exact"] is False
    assert data["bounds"][0] <= 0 <= data["bounds"][1]
    assert not {"value", "final"} & set(data)
    text = solve(capsys, "--size", "3x4", *limit, *ONE_THREAD).out
    assert "(bounds only: the search was ended before the value was known)\n" in text
    assert "result" not in text


def test_ctrl_c_prints_the_bounds_and_exits_with_130(capsys, monkeypatch):
    asked = []

    def ask(search, lines, nodes, seconds):
        asked.append(seconds)
        if len(asked) == 3:
            raise KeyboardInterrupt
        search.lower, search.num_nodes = -4, 10 * len(asked)

    monkeypatch.setattr(ValueSearch, "_ask", ask)
    shown = solve(capsys, "--size", "3x4", *ONE_THREAD, code=130)
    assert "value        -4 to +12 for the first player (bounds only" in shown.out
    assert "search       20 positions in" in shown.out
    assert shown.err == "interrupted\n"
    asked.clear()
    data = answer(capsys, "--size", "3x4", code=130)
    assert (data["bounds"], data["exact"]) == ([-4, 12], False)
    assert asked[1] == 2 * asked[0]  # the questions get longer, but never so long that Ctrl-C has to wait


def test_progress_goes_to_standard_error(capsys, monkeypatch):
    """Bounds, nodes and rate."""
    monkeypatch.setattr(progress, "LINE_EVERY", 0.0)
    shown = solve(capsys, "--size", "2x3", *ONE_THREAD, "--json", "--first-lines")
    assert json.loads(shown.out)["value"] == -2
    lines = shown.err.splitlines()
    assert re.fullmatch(r"solve 2x3 value -2, \d+ of 17 lines known, [\d,]+ positions in 0 s, .*", lines[-1])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--game", "kropki"], "--game must be boxes: there is no exact play of kropki"),
        (["--size", "8x8"], "exact play must have a board of at most 64 dots, got 8x8 boxes with 81"),
        (["--size", "3x4", "--scoring", "misere"], "scoring=misere must have at most 24 undrawn lines"),
        (["--size", "1x1", "--border", "all"], "BoxesRules.border must leave a line to draw"),
        (["--threads", "0"], "--threads must be in 1..256, got 0"),
    ],
)
def test_mistakes_get_one_line_and_code_2(capsys, words, message):
    shown = solve(capsys, *words, code=2)
    assert shown.out == ""
    assert shown.err.startswith(f"error: {message}")
    assert shown.err.count("\n") == 1
