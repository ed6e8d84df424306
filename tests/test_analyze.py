"""The act analyze: a whole answer as text and as JSON, limits, mistakes."""

import json
import re

import pytest

from dotzero.__main__ import main

CHAINS = ["--size", "2x3", "--moves", "A2T B2T C2T A1T B1T C1T A1B B1B C1B A2L"]
"""Three boxes on offer, and a chain of three."""
ONE_THREAD = ["--threads", "1", "--memory", "1"]


def analyze(capsys, *words, code=0):
    """What the act prints on standard output and standard error."""
    assert main(["analyze", *words]) == code
    return capsys.readouterr()


def answer(capsys, *words, limits=ONE_THREAD):
    shown = analyze(capsys, *words, *limits, "--json")
    assert shown.err == ""
    assert shown.out.count("\n") == 1
    return json.loads(shown.out)


def test_a_worked_example(capsys):
    """F13, F15: all that is said of a position, in 80 columns."""
    shown = analyze(capsys, *CHAINS, *ONE_THREAD)
    assert shown.err == ""
    assert re.sub(r"\d+\.\d\d s", "0.00 s", shown.out) == EXAMPLE.lstrip("\n")


EXAMPLE = """
2x3 boxes, player 1 to move. A number on a line is what drawing it is worth to
the player to move: boxes to come, own less the other's, under best play.
[Brackets]: a best line.

         A       B       C
     +-------+-------+-------+
2    |     [+2]      0       0
     +-------+-------+-------+
1   -6      -6      -6      -6
     +-------+-------+-------+

value         +2 to come for player 1 (exact), 6 boxes open
score         0-0 so far
result        player 1 wins 4-2 under best play
best lines    B2L
phase         loony
chains        A2 B2 C2 (long, opened), A1 B1 C1 (long)
loops         none
joints        none
long chains   2; if it stays so, the long chain rule favours player 1
on offer      A2; in one turn A2 B2 C2
double deal   B2L C2R leaves B2 C2
openings      6 boxes with those on offer, long: A1L B1L C1L C1R
best play     1: B2L C2R +1; 2: C2L A1L +2; 1: B1L C1L C1R +3
search        9 positions in 0.00 s
"""


def test_json_is_one_object(capsys):
    """All fields of the example."""
    data, closed = answer(capsys, *CHAINS), ["A1L", "B1L", "C1L", "C1R"]
    assert isinstance(data.pop("seconds"), float)
    assert data == {
        "game": "boxes",
        "rules": {"rows": 2, "columns": 3, "border": "none", "scoring": "normal"},
        "lines": "11111111110000000",
        "score": [0, 0],
        "to_move": 1,
        "value": 2,
        "exact": True,
        "best": ["B2L"],
        "moves": {"B2L": 2, "C2L": 0, "C2R": 0, "A1L": -6, "B1L": -6, "C1L": -6, "C1R": -6},
        "pv": ["B2L", "C2R", "C2L", "A1L", "B1L", "C1L", "C1R"],
        "nodes": 9,
        "phase": "loony",
        "safe_lines": 0,
        "safe": [],
        "chains": [
            {"boxes": ["A2", "B2", "C2"], "lines": ["B2L", "C2L", "C2R"], "long": True, "opened": True},
            {
                "boxes": ["A1", "B1", "C1"],
                "lines": ["A1L", "B1L", "C1L", "C1R"],
                "long": True,
                "opened": False,
            },
        ],
        "loops": [],
        "joints": [],
        "long_chains": 2,
        "favours": 1,
        "offered": ["A2"],
        "offers": [{"boxes": ["A2", "B2", "C2"], "lines": ["B2L", "C2L", "C2R"], "price": 2}],
        "double_deals": [{"lines": ["B2L", "C2R"], "left": ["B2", "C2"]}],
        "openings": {name: {"kind": "long", "boxes": 6} for name in closed},
        "final": [4, 2],
    }


def test_a_position_of_the_literature(capsys, load_case):
    """R086: the sacrifice that is the only winning line, from a line string; who moves follows from it."""
    case = load_case("boxes_positions.json")[0]
    data = answer(capsys, "--lines", case["dbn"])
    assert (data["value"], data["best"], data["moves"]) == (3, ["A2T"], case["moves"])
    assert (data["to_move"], data["score"], data["final"]) == (2, [0, 0], [3, 6])


def test_a_board_from_a_file(capsys, tmp_path):
    """With owners, so with a score; who moves is not known here and so left out, and with it the end."""
    path = tmp_path / "board.txt"
    path.write_text("    A   B   C\n  +---+---+---+\n1 | 1 | 2 |   |\n  +---+---+   +\n")
    data = answer(capsys, "--board", str(path))
    assert (data["value"], data["score"]) == (1, [1, 1])
    assert not {"to_move", "final"} & set(data)
    assert answer(capsys, "--board", str(path), "--to-move", "2")["final"] == [1, 2]
    text = analyze(capsys, "--board", str(path), *ONE_THREAD).out
    assert "player 1 to move (assumed, the lines leave it open)" in " ".join(text.split())
    assert "1    |   1   |   2   |       |\n" in text


def test_a_score_that_is_not_given_is_not_made_up(capsys):
    words = ["--size", "1x2", "--lines", "1010110"]
    data = answer(capsys, *words)
    assert data["to_move"] == 2
    assert not {"score", "final"} & set(data)
    assert answer(capsys, *words, "--score", "0-1")["final"] == [0, 2]
    assert "score         not given\n" in analyze(capsys, *words, *ONE_THREAD).out


@pytest.mark.parametrize(("border", "value"), [("left_bottom", 2), ("all", -4)])
def test_borders(capsys, border, value):
    data = answer(capsys, "--size", "2x2", "--border", border)
    assert (data["value"], data["rules"]["border"]) == (value, border)


def test_misere(capsys):
    data = answer(capsys, "--size", "2x2", "--scoring", "misere")
    assert (data["value"], data["exact"], data["final"]) == (-2, True, [3, 1])
    assert not {"favours", "double_deals"} & set(data)


def test_limits_give_bounds(capsys):
    """R089: 3x3 from the start is worth -3; ten nodes do not show it."""
    data = answer(capsys, "--nodes", "10")
    assert data["exact"] is False
    assert data["bounds"][0] <= -3 <= data["bounds"][1]
    assert all(low <= -3 <= high for low, high in data["move_bounds"].values())
    assert not {"value", "best", "pv", "final"} & set(data)
    text = analyze(capsys, "--nodes", "10").out
    assert "(bounds only: the search came to its limit)" in " ".join(text.split())


def test_time_is_a_limit_too(capsys):
    """5x5 from the start would take longer than anybody waits."""
    data = answer(capsys, "--size", "5x5", "--seconds", "0.3")
    assert (data["exact"], data["safe_lines"], data["phase"]) == (False, 60, "safe")
    assert data["seconds"] < 3


def test_a_large_board_has_structure_only(capsys):
    data = answer(capsys, "--size", "8x8", "--moves", "A1T")
    assert data["exact"] is False
    assert not {"value", "bounds", "moves", "best", "nodes"} & set(data)
    assert data["safe_lines"] == 143
    assert "exact play takes boards of at most 64 dots" in analyze(capsys, "--size", "8x8").out


def test_progress_is_told_on_standard_error(capsys, monkeypatch):
    from dotzero.scripts import progress

    monkeypatch.setattr(progress, "LINE_EVERY", 0.0)
    shown = analyze(capsys, "--size", "2x2", *ONE_THREAD, "--json")
    assert shown.err.startswith("analyze value +2, ")
    assert json.loads(shown.out)["value"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--game", "chess"], "game must be one of boxes, kropki, got chess"),
        (["--game", "kropki", "--lines", "01"], "--lines must be left out with --game kropki, got 01"),
        (["--rule", "stop=solo"], "--rule must go with --game kropki, got --game boxes"),
        (
            ["--level", "insane"],
            "--level must be zero or zero:DIR, the one that values positions, got insane",
        ),
        (["--simulations", "9"], "--simulations must go with --level zero"),
        (["--turns", "1..3"], "--turns must go with a FILE of records"),
        (["--seed", "-1"], "--seed must be in 0.."),
        (["absent.txt"], "No such file or directory: absent.txt"),
        (["absent.txt", "--moves", "A1T"], "--moves must be left out where a record is given"),
        (["absent.txt", "--after", "3", "--brief"], "--after must stand alone"),
        (["absent.txt", "--border", "all"], "--border must be left out where a record is given"),
        (["absent.txt", "--scoring", "misere"], "--scoring must be left out where a record is given"),
        (["absent.txt", "--game", "kropki"], "--game must be left out where a record is given"),
        (["absent.txt", "--level", "zero", "--map"], "--map must go with --after where a FILE is given"),
        (["--seed", "5"], "--seed must go with --level zero"),
        (["--game", "kropki", "--nodes", "9"], "--nodes must go with Dots and Boxes, whose solver it limits"),
        (["--game", "kropki", "--threads", "1"], "--threads must go with Dots and Boxes"),
        (["--game", "kropki", "--memory", "1"], "--memory must go with Dots and Boxes"),
        (["--game", "kropki", "--seconds", "9"], "--seconds must go with --level zero in Kropki"),
        (["a.txt", "b.txt", "--after", "3"], "--after must go with one FILE, got 2"),
        (["absent.txt", "--turns", "3..1"], "--turns must be numbers of moves such as 10..20,33, got 3..1"),
        (["--size", "3"], "--size must be ROWSxCOLUMNS such as 3x3, got 3"),
        (["--scoring", "misere", "--size", "3x4"], "scoring=misere must have at most 24 undrawn lines"),
        (["--moves", "A1R A1R"], "--moves must draw no line twice"),
        (["--lines", "01"], "--lines: dbn of 3x3 boxes must have 24 places, got 2"),
        (["--board", "absent.txt"], "--board must be a file that can be read, got absent.txt: No such file"),
        (["--memory", "99999999"], "--memory must be in 1.."),
        (["--seconds", "-2"], "--seconds must be above 0"),
        (["--what"], "unrecognized arguments: --what (see dotzero analyze --help)"),
    ],
)
def test_mistakes_get_one_line_and_code_2(capsys, words, message):
    shown = analyze(capsys, *words, code=2)
    assert shown.out == ""
    assert shown.err.startswith(f"error: {message}")
    assert shown.err.count("\n") == 1
