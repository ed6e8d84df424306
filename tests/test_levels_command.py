"""`dotzero levels`: every level with what it does, and figures that belong to steps between neighbours."""

import json

import pytest

from dotzero.play.levels import LEVELS
from dotzero.play.measured import LADDERS
from dotzero.scripts.levels import main


def test_every_level_is_listed_with_what_it_does(capsys):
    assert main(["--json"]) == 0
    games = json.loads(capsys.readouterr().out)["games"]
    assert set(games) == {"boxes", "kropki"}
    for name, levels in games.items():
        listed = [level["level"] for level in levels]
        assert listed[0] == "random"
        assert listed[1:-1] == list(LEVELS[name])
        assert listed[-1].startswith("zero")
        assert all(len(level["plays"]) > 20 for level in levels)
        assert all(set(level["label"]) == {"en", "ru"} for level in levels)


def test_a_measured_step_is_between_neighbours():
    for name, ladder in LADDERS.items():
        order = ["random", *LEVELS[name], "zero"]
        for step in ladder.steps:
            assert order.index(step.level) == order.index(step.below) + 1
            assert 0.5 < step.score <= 1
            assert step.games % 2 == 0
        assert ladder.step("random") is None


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_the_list_is_for_people(capsys, monkeypatch, columns):
    """No option is broken at any width: half of a number would be another number."""
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["--game", "boxes"]) == 0
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert "insane: 98.5% of 200 games against hard" in lines
    options = [word for line in lines if "=" in line and "arena" not in line for word in line.split()]
    assert {"nodes=1000000", "rollouts=2000", "root_nodes=1000000"} <= set(options)
    assert "dotzero arena 'players=[FIRST,SECOND]' games=200" in shown
    assert "kropki" not in shown


def test_what_a_network_does_when_somebody_waits_for_it(capsys, monkeypatch):
    """Four times the simulations in Kropki, where no option speaks of a solver; less of it in Boxes."""
    monkeypatch.setenv("COLUMNS", "200")
    assert main([]) == 0
    boxes, kropki = capsys.readouterr().out.split("\nkropki\n")
    people = "    in dotzero play and dotzero web, unless given otherwise: @ "
    assert f"{people}exact_lines=20 root_nodes=200000\n" in boxes
    assert f"{people}simulations=256\n" in kropki
    assert "exact_lines=24" in boxes
    assert not {
        word for word in kropki.split() if word.startswith(("exact_lines", "root_lines", "root_nodes"))
    }
    assert main(["--json"]) == 0
    games = json.loads(capsys.readouterr().out)["games"]
    assert games["kropki"][-1]["with_people"] == {"simulations": "256"}
    assert games["boxes"][-1]["with_people"] == {"exact_lines": "20", "root_nodes": "200000"}
    assert "with_people" not in games["boxes"][-2]


def test_every_level_is_measured():
    for name, levels in LEVELS.items():
        measured = [step.level for step in LADDERS[name].steps]
        assert measured[: len(levels)] == list(levels)
        assert measured[len(levels) :] in ([], ["zero"])


def test_an_unknown_game_is_one_line(capsys):
    with pytest.raises((SystemExit, ValueError)):
        main(["--game", "chess"])
    assert len(capsys.readouterr().err.strip().splitlines()) <= 1
