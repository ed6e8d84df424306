"""What an arena says of games that a program has forfeited: the developer of an engine looks there first."""

import json
import sys

from dotzero.__main__ import main

ABSENT = "engine:/nowhere/to/be/found"
WHY = "the program cannot be started: No such file or directory"
BOARD = ["rules.rows=1", "rules.columns=2", "workers=1"]
ONCE = """
import json, pathlib, sys
import dotzero.play.engine
engine = dotzero.play.engine.Engine()
mark = pathlib.Path(sys.argv[1])
for line in sys.stdin:
    if not mark.exists():
        mark.write_text("")
        print("\\x1b[2Jnot yet", flush=True)
    else:
        print(engine.answer(json.dumps(json.loads(line) | {"level": "random"}).encode()), flush=True)
"""


def test_a_program_that_cannot_be_started_ends_the_command_with_an_error(capsys, tmp_path):
    out = tmp_path / "results"
    words = [f"players=[{ABSENT},random]", *BOARD, "games=6"]
    assert main(["arena", *words, f"out={out}"]) == 2
    shown = capsys.readouterr()
    table = shown.out.splitlines()
    assert table[-1] == f"{ABSENT} forfeited 6 of 6 games, the first one because of: {WHY}"
    error = f"error: player {ABSENT} must end a game without a forfeit, got 6 forfeits: {WHY}; "
    assert (
        shown.err.splitlines()[-1]
        == error + f"{out} keeps these games, so name another out= once that is mended"
    )
    player, other = json.loads((out / "results.json").read_text())["players"]
    assert (player["forfeits"], player["first_forfeit"]) == (6, WHY)
    assert other["forfeits"] == 0
    assert "first_forfeit" not in other
    assert len((out / "games.jsonl").read_text().splitlines()) == 6
    assert main(["arena", *words, "output=json"]) == 2  # one object all the same
    assert json.loads(capsys.readouterr().out)["players"][0]["first_forfeit"] == WHY


def test_two_programs_that_cannot_be_started_win_nothing_by_each_other(capsys):
    words = [f"players=[{ABSENT},engine:/nor/this]", *BOARD, "games=4", "opening_plies=0"]
    assert main(["arena", *words]) == 2  # each wins the games that the other one begins
    shown = capsys.readouterr()
    assert [line for line in shown.out.splitlines() if " forfeited " in line] == [
        f"{name} forfeited 2 of 4 games, the first one because of: {WHY}"
        for name in (ABSENT, "engine:/nor/this")
    ]
    assert f"player {ABSENT} and engine:/nor/this must end a game without a forfeit, got 2" in shown.err


def test_games_decided_otherwise_leave_the_exit_code_at_0(capsys, tmp_path):
    (tmp_path / "once.py").write_text(ONCE)
    engine = f"engine:{sys.executable} {tmp_path}/once.py {tmp_path}/mark"
    assert main(["arena", f"players=[{engine},random]", *BOARD, "games=4"]) == 0
    shown = capsys.readouterr()
    (line,) = (line for line in shown.out.splitlines() if "forfeited" in line)
    assert line.startswith(f"{engine} forfeited 1 of 4 games, the first one because of: ")
    assert line.endswith(
        ": an answer that is no JSON: ?[2Jnot yet"
    )  # its words, without the power over a screen
    assert "error" not in shown.err


def test_without_forfeits_nothing_is_said_of_them(capsys):
    assert main(["arena", "players=[medium,random]", *BOARD, "games=4"]) == 0
    assert "forfeit" not in capsys.readouterr().out
