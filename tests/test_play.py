"""The act play: flags, saved games, statistics; whole commands that are killed or interrupted."""

import io
import json
import os
import re
import signal
import subprocess
import sys

import pytest
from played_sessions import boxes

from dotzero.__main__ import main
from dotzero.play.saves import Saves

EXAMPLE = ["A2T", "B1B", "A1B", "A2L", "B1R", "B2T", "A1T", "A2R", "B1T", "B2R", "A1R", "A1L"]
QUIET = ["--delay", "0"]


@pytest.fixture
def played(tmp_path, monkeypatch, capsys):
    """Runs the act with typed lines and its own data folder; returns its output."""

    def run(words, typed=(), code=0):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
        data = [] if "--no-save" in words else ["--data", str(tmp_path / "data")]
        assert main(["play", *QUIET, *words, *data]) == code
        return capsys.readouterr()

    return run


def boards_of(text):
    """The boards that were shown, as text."""
    return [part.split("\n\n")[-1] for part in text.split("\nYou (")[:-1]]


def test_a_game_of_boxes_from_start_to_end(played):
    """R051, R064, R104: level, size in boxes and dots, who begins; the result at the end."""
    shown = played(["--level", "human", "--size", "2x2"], EXAMPLE).out
    assert "Player 1 won 3:1." in shown
    first = played(["--level", "easy", "--size", "3x2", "--first", "computer", "--seed", "3"], ["q"]).out
    assert first.index("Easy: ") < first.index("Line: ")
    assert "Dots and Boxes, 3x2 boxes (4x3 dots)." in first


def test_names_marks_and_language(played):
    """R147, R160."""
    words = ["--level", "human", "--size", "2x2", "--language", "ru", "--name", "Анна", "--mark", "*"]
    shown = played([*words, "--opponent-name", "Борис"], EXAMPLE).out
    assert "1 # * | * |" in shown
    assert "Победа: Анна, 3:1." in shown


def test_kropki_with_its_rules(played):
    """R003, R133: 15x15 from a cross if nothing is said; rules and presets by flags."""
    shown = played(["--game", "kropki"], ["aa", "q"]).out
    assert "Kropki (Dots), 15x15 points." in shown
    assert "Greedy: " in shown or "Medium: " in shown
    words = ["--game", "kropki", "--size", "8x7", "--rule", "start=empty", "--rule", "stop=solo"]
    shown = played([*words, "--level", "human"], ["aa", "bb", "stop", "y", "stop", "y"]).out
    assert "Rules: empty board at the start, after STOP the opponent goes on alone." in shown
    assert "alone now: Player 2, " in shown
    assert "A draw, 0:0." in shown
    assert "20x20 points" in played(["--game", "kropki", "--preset", "house", "--level", "human"], ["q"]).out


def test_r114_continue_goes_on_where_it_stopped(played, tmp_path):
    """R114: level, seed and rules are the saved game's; the whole game is the one that was not left."""
    words = ["--level", "medium", "--size", "3x3", "--seed", "7"]
    half = ["A1T", "B2L", "C3R"]
    rest = [f"{column}{row}{side}" for row in "123" for column in "ABC" for side in "TBLR"]
    whole = played([*words, "--no-save"], half + rest)
    played(words, half)
    with Saves(tmp_path / "data") as saves:
        assert len(saves.unfinished()) == 1
    shown = played(["--continue"], rest)
    assert "The game goes on after " in shown.out
    results = [text.out.split("Board 3x3")[0].split("\n")[-2:] for text in (whole, shown)]
    assert results[0] == results[1]
    assert boards_of(whole.out)[-1] == boards_of(shown.out)[-1]
    error = played(["--continue"], code=2).err
    assert error.startswith("error: --continue must have an unfinished game, got none in ")


def test_a_game_whose_player_cannot_be_made_stays_where_it_is(played, tmp_path):
    """R114: whoever plays it goes on; only a game that can be played is taken over."""
    session = boxes(seats=(None, "zero:absent"))
    session.move(0)
    with Saves(tmp_path / "data") as saves:
        saves.put(session)
        assert "absent" in played(["--continue"], code=2).err
        session.move(1)
        saves.put(session)
        assert saves.load(session.id).num_moves == 2


def test_two_unfinished_games_do_not_disturb_each_other(played, tmp_path):
    """R117: a new game leaves the older ones as they are."""
    played(["--level", "human", "--size", "2x2"], ["A1T"])
    played(["--level", "human", "--size", "1x2"], ["A1T"])
    with Saves(tmp_path / "data") as saves:
        assert [game.board for game in saves.unfinished()] == ["1x2", "2x2"]
    assert "1x2 boxes" in played(["--continue"], ["q"]).out


def test_r153_statistics_of_all_tables(played):
    """R116, R153: by game, board, rules and level."""
    assert played(["--statistics"]).out == "No finished games against a level yet.\n"
    for size in ("2x2", "2x2", "3x3"):
        played(["--level", "easy", "--size", size], ["resign", "y"])
    played(["--level", "greedy", "--game", "kropki", "--size", "8x8"], ["сдаюсь", "да"])
    rows = [row.split() for row in played(["--statistics"]).out.splitlines()]
    assert rows[1:] == [
        ["boxes", "2x2", "-", "Easy", "0", "2", "0", "0%", "0", "0"],
        ["boxes", "3x3", "-", "Easy", "0", "1", "0", "0%", "0", "0"],
        ["kropki", "8x8", "-", "Greedy", "0", "1", "0", "0%", "0", "0"],
    ]
    assert "поле" in played(["--statistics", "--language", "ru"]).out


def test_a_clock(played):
    shown = played(["--level", "human", "--clock", "300+5", "--size", "2x2"], ["A1T", "q"]).out
    assert re.search(r"clock (5:00|4:5\d) : 5:00, Player 1 to move", shown)
    assert re.search(r"clock (5:0[345]) : (5:00|4:5\d), Player 2 to move", shown)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--level", "best"], "--level: player of boxes must be one of random, easy, medium"),
        (
            ["--level", "medium", "--scoring", "misere"],
            "--level: player medium must play scoring=normal, got misere",
        ),
        (["--game", "kropki", "--scoring", "misere"], "--scoring must be left out with --game kropki"),
        (["--rule", "stop=off"], "--rule must go with --game kropki"),
        (
            ["--continue", "--level", "easy"],
            "--level must be left out with --continue",
        ),
        (
            ["--first", "computer", "--level", "human"],
            "--first must be you where two people play, got computer",
        ),
        (["--continue", "--no-save"], "--no-save must stand without --continue and --statistics"),
        (["--clock", "soon"], "--clock must be SECONDS or SECONDS+INCREMENT such as 300+5, got soon"),
        (["--clock", "0"], "clock.seconds must be seconds in 1.."),
        (["--seed", "-1"], "seed must be a whole number in 0.."),
        (["--mark", "long"], "seat.mark must be a text of at most 3 printable characters"),
        (["--delay", "99"], "--delay must be in 0..60 seconds, got 99.0"),
    ],
)
def test_mistakes_are_told_before_anything_is_shown(played, tmp_path, words, message):
    shown = played(words, code=2)
    assert shown.out == ""
    assert shown.err.startswith(f"error: {message}")
    assert shown.err.count("\n") == 1


def start(folder, *words):
    """The command in a process of its own, whose lines are typed by the test."""
    environment = {**os.environ, "DOTZERO_DATA": str(folder)}
    return subprocess.Popen(
        [sys.executable, "-m", "dotzero", "play", *words, *QUIET],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def type_in(process, line):
    """Type a line and read on until the next question."""
    process.stdin.write(line + "\n")
    process.stdin.flush()
    return read_to_prompt(process)


def read_to_prompt(process):
    shown = ""
    while not shown.endswith("Line: "):
        sign = process.stdout.read(1)
        assert sign, process.stderr.read()
        shown += sign
    return shown


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_r151_a_killed_game_goes_on_identically(tmp_path, how):
    """R114, R151: kill -9, or Ctrl-C, after a line: position, turn, score and luck are the same."""
    words = ["--level", "easy", "--size", "3x3", "--seed", "11"]
    process = start(tmp_path, *words)
    read_to_prompt(process)
    type_in(process, "A1T")
    last = type_in(process, "C3T")
    process.send_signal(how)
    out, err = process.communicate(timeout=60)
    if how is signal.SIGINT:
        assert process.returncode == 130
        assert out.endswith("\ndotzero play --continue goes on with it.\n")
        assert "\nInterrupted.\n" in out
        assert err == ""
    else:
        assert process.returncode == -signal.SIGKILL
    again = start(tmp_path, "--continue")
    shown = read_to_prompt(again)
    assert shown.split("\n\n")[-1] == last.split("\n\n")[-1]
    continued = type_in(again, "B2L")
    again.kill()
    again.communicate()
    other = start(tmp_path / "other", *words)
    read_to_prompt(other)
    for line in ("A1T", "C3T"):
        type_in(other, line)
    assert type_in(other, "B2L") == continued
    other.kill()
    other.communicate()
    with Saves(tmp_path) as saves:
        (saved,) = saves.unfinished()
        stored = saves.load(saved.id)
    with Saves(tmp_path / "other") as saves:
        expected = saves.load(saves.unfinished()[0].id)
    assert [move.name for move in stored.moves] == [move.name for move in expected.moves]


def test_a_damaged_file_is_told_on_standard_error(played, tmp_path):
    """What was there is kept beside it; the game goes on with a new file."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "play.sqlite").write_bytes(b"no database, but long enough to be one" * 100)
    shown = played(["--level", "human", "--size", "2x2"], ["A1T"])
    assert "was damaged and has been kept as play.sqlite.damaged-1" in shown.err
    with Saves(folder) as saves:
        assert len(saves.unfinished()) == 1


def test_a_finished_game_is_a_record_for_replay(played, tmp_path, capsys):
    played(["--level", "human", "--size", "2x2"], EXAMPLE)
    with Saves(tmp_path / "data") as saves:
        (game,) = saves.finished()
    path = tmp_path / "game.jsonl"
    path.write_text(game.record)
    assert main(["replay", "--json", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["score"] == [3, 1]


def help_of(act, capsys):
    with pytest.raises(SystemExit):
        main([act, "--help"])
    return " ".join(capsys.readouterr().out.split())


def test_the_help_tells_what_is_so(played, capsys):
    """R051: both games, and the board that each has where nothing is said."""
    text = help_of("play", capsys)
    assert "--game GAME boxes (Dots and Boxes) or kropki (default: boxes)" in text
    assert "rows x columns of boxes (default: 3x3); kropki: columns x rows of points (default: 15x15" in text
    assert "3x3 boxes" in played([], ["q"]).out
    assert "15x15 points" in played(["--game", "kropki"], ["q"]).out
    assert "39x32 points" in played(["--game", "kropki", "--preset", "tournament"], ["q"]).out
    text = help_of("analyze", capsys)
    assert "kropki: columns x rows of points (default: 39x32" in text
    assert main(["analyze", "--game", "kropki"]) == 0
    assert capsys.readouterr().out.startswith("kropki 39x32, ")
    assert "kropki" not in help_of("solve", capsys).lower().replace("boxes, the only game", "")


def test_misere_without_a_level_says_that_moves_are_random(played):
    """The levels do not play it: named ones are refused in a line, none is taken silently."""
    words = ["--scoring", "misere", "--size", "2x2"]
    shown = played(words, ["hint", "q"]).out
    assert "No level plays by these rules: the moves of the computer are random" in shown
    assert "Random (R)" in shown
    for level in ("easy", "medium", "hard", "insane"):
        error = played([*words, "--level", level], code=2).err
        assert error == f"error: --level: player {level} must play scoring=normal, got misere\n"
