"""Whole games for the act analyze: tables, JSON lines, batches, damage."""

import json

import pytest
from random_networks import zero_of
from recorded import CLASSIC
from test_analyze import analyze

from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules

KROPKI = '{"game": "kropki", "rules": {"width": 6, "height": 6, "start": "empty"}, "moves": [%s]}\n'
MOVES = '"cb", "cc", "bc", "aa", "dc", "bb", "cd", "stop"'
SGF = "(;GM[40]SZ[6]PB[Anna]PW[Boris]RE[W+2];B[cb];W[cc];B[bc];W[aa];B[])"


@pytest.fixture
def file(tmp_path):
    """Makes a file with a text."""

    def make(text, name="games.txt"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return make


def lines_of(shown):
    return [json.loads(line) for line in shown.out.splitlines()]


def test_f12_a_game_as_a_table(capsys, file):
    """F12, R071: moves, classes, accuracy, key moves, and what they mean."""
    path = file(f'[Size "2x2"]\n[White "Anna"]\n{CLASSIC}\n')
    shown = analyze(capsys, path)
    assert shown.err == ""
    lines = shown.out.splitlines()
    assert lines[0].startswith(f"{path}, line ")
    assert lines[0].endswith(": boxes 2x2")
    assert sum("BLUNDER" in line for line in lines) == 2
    assert "final       3-1, player 1 wins by 2 (full board)" in lines
    assert "key moves   5, 6" in lines
    assert "A mistake costs 10% of the chance to win" in shown.out
    brief = analyze(capsys, path, "--brief").out
    assert "BLUNDER" not in brief
    assert "player 1    7 moves, 6 rated: accuracy 83.3%" in brief


def test_json_is_one_object_a_game(capsys, file):
    path = file(f'[Size "2x2"]\n{CLASSIC}\n')
    (data,) = lines_of(analyze(capsys, path, "--json"))
    assert (data["game"], data["num_moves"], data["score"], data["result"]) == ("boxes", 12, [3, 1], 1)
    assert [move["loss"] for move in data["moves"]] == [0, 0, 0, 2, 6, 4, 0, 0, 0, 0, 0, 0]
    assert data["moves"][4]["best"] == ["B1L"]
    assert data["moves"][4]["class"] == "blunder"
    assert (data["key_moves"], data["last_margin"], data["last_win"]) == ([5, 6], 2, 1)
    assert data["sides"][1]["accuracy"] == 74.2
    assert data["thresholds"]["mistake"] == {"win": 0.1, "points": 4.0}


def test_turns_beyond_the_end_of_all_games_are_refused(capsys, file):
    """One game has 12 lines, the other 8 moves: nothing is analysed for moves that neither has."""
    path = file(KROPKI % MOVES, "dots.jsonl")
    shown = analyze(capsys, path, "--turns", "9..20,30", code=2)
    assert shown.out == ""
    assert shown.err == "error: --turns must name moves of the games, in 1..8, got 9..20,30\n"
    both = file(KROPKI % '"cb", "cc"' + KROPKI % MOVES, "both.jsonl")
    shown = analyze(capsys, both, "--turns", "8")
    assert shown.out.count("moves       none of --turns 8: it has 1..2") == 1
    assert sum(line.split()[:1] == ["8"] for line in shown.out.splitlines()) == 1


def test_f14_only_some_turns(capsys, file):
    """F14: the numbers of the moves that are shown; the summary is of all."""
    path = file(f'[Size "2x2"]\n{CLASSIC}\n')
    (data,) = lines_of(analyze(capsys, path, "--json", "--turns", "5..6,12"))
    assert [move["number"] for move in data["moves"]] == [5, 6, 12]
    assert data["sides"][0]["moves"] == 7
    rows = analyze(capsys, path, "--turns", "4").out.splitlines()
    assert [row.split()[2] for row in rows if row[:5].strip().isdigit()] == ["A2L"]


def test_a_batch_of_both_games_with_a_network(capsys, file, tmp_path):
    """F14: many games and files, one object a line, in their order."""
    level = zero_of(tmp_path, KropkiGame(KropkiRules(width=6, height=6)), ",simulations=8")
    path = file(KROPKI % MOVES * 2, "games.jsonl")
    sgf = file(SGF, "game.sgf")
    first, second, third = lines_of(analyze(capsys, path, sgf, "--level", level, "--json"))
    assert {**first, "line": 0} == {**second, "line": 0}
    assert (first["line"], second["line"]) == (1, 2)
    assert (third["file"], third["players"]) == (sgf, ["Anna", "Boris"])
    for data in (first, third):
        assert all(
            {"value", "win", "best", "loss", "win_loss", "class"} <= set(move) for move in data["moves"]
        )
        assert not any(move["exact"] for move in data["moves"])
        assert [side["rated"] for side in data["sides"]] == [side["moves"] for side in data["sides"]]
    assert first["last_margin"] == 2
    text = analyze(capsys, path, sgf, "--level", level, "--brief").out
    assert "players     Anna - Boris" in text
    assert text.splitlines()[-1] == "3 games"


def test_kropki_without_a_network_tells_what_was_missed(capsys, file):
    moves = MOVES.replace('"cd", "stop"', '"ff"')
    (data,) = lines_of(analyze(capsys, file(KROPKI % moves), "--json"))
    assert (data["moves"][-1]["on_offer"], data["moves"][-1]["taken"]) == (1, 0)
    assert "accuracy" not in data["sides"][0]
    assert "left 1" in analyze(capsys, file(KROPKI % moves)).out


def test_a_damaged_game_ends_the_command_or_is_passed_over(capsys, file):
    """One line that names file, line and reason; what was finished before stays."""
    good, bad = KROPKI % '"aa"', KROPKI % '"aa", "aa"'
    path = file(good + bad + good, "games.jsonl")
    shown = analyze(capsys, path, "--json", code=2)
    assert len(shown.out.splitlines()) == 1
    reason = f"{path}, line 2, move 2 (aa): this point is occupied"
    assert shown.err == f"error: {reason}\n"
    shown = analyze(capsys, path, "--json", "--keep-going", code=1)
    assert [data["line"] for data in lines_of(shown)] == [1, 2, 3]
    assert lines_of(shown)[1] == {"file": path, "line": 2, "error": reason.removeprefix(f"{path}, ")}
    shown = analyze(capsys, path, "--brief", "--keep-going", code=1)
    assert shown.err == f"{reason}\n"
    assert shown.out.splitlines()[-1] == "2 games, 1 damaged passed over"


def test_budgets_of_every_position(capsys, file, tmp_path):
    """--simulations and --seconds hold for each position; --nodes for the solver."""
    path = file('{"game": "boxes", "rules": {"rows": 4, "columns": 4}, "moves": ["A1T", "B2L"]}', "b.jsonl")
    (data,) = lines_of(analyze(capsys, path, "--json", "--nodes", "5"))
    assert not any("value" in move for move in data["moves"])
    level = zero_of(tmp_path, KropkiGame(KropkiRules(width=6, height=6)), ",simulations=8")
    game = file(KROPKI % '"aa", "bb"', "k.jsonl")
    for words in (["--simulations", "3"], ["--seconds", "0.01"]):
        (data,) = lines_of(analyze(capsys, game, "--json", "--level", level, *words))
        assert all("win" in move for move in data["moves"])


def test_progress_is_told_on_standard_error(capsys, file, monkeypatch):
    from dotzero.scripts import progress

    monkeypatch.setattr(progress, "LINE_EVERY", 0.0)
    shown = analyze(capsys, file(f'[Size "2x2"]\n{CLASSIC}\n'), "--json")
    assert shown.err.startswith("analyze game 1, 1 of 13 positions")


@pytest.mark.parametrize("flag", ["--nodes", "--threads", "--memory", "--seconds"])
def test_limits_of_the_solver_are_refused_for_kropki(capsys, file, flag):
    """Nothing would read them; the message comes before any work."""
    shown = analyze(capsys, file(KROPKI % MOVES), flag, "1", code=2)
    assert shown.out == ""
    assert shown.err.startswith(f"error: {flag} must go with ")
    assert shown.err.count("\n") == 1
