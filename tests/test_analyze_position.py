"""Positions for the act analyze: Kropki, networks, positions of records."""

import json

import pytest
from random_networks import zero_of
from recorded import CLASSIC
from test_analyze import ONE_THREAD, analyze, answer

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules

SMALL = ["--game", "kropki", "--size", "6x6"]
DUEL = "   a b c d e\na  . . X . .\nb  . X O X .\nc  . . . O .\nd  . . O X O\ne  . . . . .\n"


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """Specifications of level zero with random networks by game."""
    folder = tmp_path_factory.mktemp("nets")
    boxes, kropki = BoxesGame(BoxesRules(rows=4, columns=4)), KropkiGame(KropkiRules(width=6, height=6))
    return {game.name: zero_of(folder, game, ",simulations=12") for game in (boxes, kropki)}


def test_facts_of_kropki_without_a_network(capsys, tmp_path):
    """R037, R135: what the rules tell, as JSON and in words, of a board from a file."""
    path = tmp_path / "board.txt"
    path.write_text(DUEL)
    words = ["--game", "kropki", "--board", str(path), "--rule", "start=empty"]
    data = answer(capsys, *words, limits=())
    assert (data["game"], data["rules"]["width"], data["rules"]["stop"]) == ("kropki", 5, "grounding")
    assert (data["score"], data["dots"], data["ungrounded"]) == ([0, 0], [4, 4], [3, 3])
    assert (data["captures"], data["threats"], data["legal_points"]) == ({"cc": 1}, {"de": 1}, 17)
    assert (data["exact"], data["phase"], data["to_move"]) == (False, "play", 1)
    assert not {"value", "best", "win", "candidates"} & set(data)
    text = analyze(capsys, *words).out
    assert "player 1      4 dots, 3 not grounded; can capture cc 1 now\n" in text
    assert answer(capsys, *words, "--to-move", "2", limits=())["captures"] == {"de": 1}


def test_kropki_with_a_network(capsys, networks):
    """F08-F11: win, margin, candidates, raw policy, owners."""
    level = ["--level", networks["kropki"]]
    data = answer(capsys, *SMALL, "--moves", "aa bb", *level, limits=())
    assert sum(one["visits"] for one in data["candidates"]) == 12
    assert data["candidates"][0]["move"] == data["best"][0] == data["pv"][0]
    assert 0 <= data["win"] <= 1
    assert data["margin"] == data["value"]  # nothing has been captured
    assert sum(data["policy"].values()) <= 1.01
    assert [len(row) for row in data["owners"]] == [6] * 6
    assert {"captures", "threats", "stop_margins"} <= set(data)
    assert answer(capsys, *SMALL, "--moves", "aa bb", *level, limits=()) == data
    more = answer(capsys, *SMALL, "--moves", "aa bb", *level, "--simulations", "20", limits=())
    assert sum(more["visits"].values()) == 20
    text = analyze(capsys, *SMALL, *level, "--map").out
    assert " move      visits  prior  value    win  and then" in text
    assert "Owner map: tenths of the chance that player 1 will own it." in text
    assert "Owner map" not in analyze(capsys, *SMALL, *level).out


def test_a_finished_game_of_kropki_is_exact_with_a_network_too(capsys, networks):
    data = answer(capsys, *SMALL, "--moves", "aa stop", "--level", networks["kropki"], limits=())
    assert (data["exact"], data["value"], data["phase"]) == (True, 0, "finished")
    assert "candidates" not in data


def test_f13_boxes_are_exact_where_they_can_be(capsys, networks):
    """F13: the network is asked where the solver's time ends before the value is known."""
    level = ["--level", networks["boxes"]]
    data = answer(capsys, "--size", "2x2", *level)
    assert (data["value"], data["exact"]) == (2, True)
    assert "candidates" not in data
    data = answer(capsys, "--size", "4x4", "--nodes", "10", *level)
    assert data["exact"] is False
    assert data["value"] == data["candidates"][0]["value"]
    assert data["bounds"][0] < data["bounds"][1]
    assert [len(row) for row in data["owners"]] == [4] * 4
    assert "(an" in analyze(capsys, "--size", "4x4", "--nodes", "10", *level).out
    misere = answer(capsys, "--size", "4x4", "--scoring", "misere", *level)
    assert misere["exact"] is False
    assert "value" in misere


def test_a_position_of_a_record(capsys, tmp_path, load_case):
    """After so many moves of a file's first game, in both games."""
    path = tmp_path / "game.txt"
    path.write_text(f'[Size "2x2"]\n{CLASSIC}\n')
    data = answer(capsys, str(path), "--after", "6")
    assert (data["value"], data["exact"], data["score"], data["to_move"]) == (2, True, [0, 0], 1)
    assert "A1T" in data["best"]
    assert answer(capsys, str(path), "--after", "12")["final"] == [3, 1]
    path.write_text('{"game": "kropki", "rules": {"width": 6, "height": 6}, "moves": ["aa", "bb"]}')
    data = answer(capsys, str(path), "--after", "1", limits=())
    assert (data["to_move"], data["rows"][0][0]) == (2, "X")
    assert "a (X)" in analyze(capsys, str(path), "--after", "1").out
    shown = analyze(capsys, str(path), "--after", "3", code=2)
    assert shown.err == "error: --after must be in 0..2, the moves of the game, got 3\n"
    path.write_text("nonsense")
    assert (
        f"error: {path}, line 1: a record must begin as"
        in analyze(capsys, str(path), "--after", "1", code=2).err
    )


def test_a_level_that_is_no_network_is_refused(capsys):
    shown = analyze(capsys, *SMALL, "--level", "greedy", code=2)
    assert shown.err.startswith("error: --level must be zero or zero:DIR")


def test_interrupted_analysis_shows_what_is_known(capsys, monkeypatch):
    """Ctrl-C: bounds so far on standard output, exit code 130."""
    from dotzero.play.values import ValueSearch

    def run(search):
        yield
        raise KeyboardInterrupt

    monkeypatch.setattr(ValueSearch, "run", run)
    shown = analyze(capsys, "--size", "3x3", *ONE_THREAD, "--json", code=130)
    assert json.loads(shown.out)["bounds"] == [-9, 9]
