"""What `dotzero train status` says of a run."""

import json

import pytest
from made_runs import STATE, make_run

from dotzero.__main__ import exit_code
from dotzero.scripts.train_status import status_main
from dotzero.train.run_folder import RunFolder


def run(*words):
    return exit_code(lambda: status_main(list(words)))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_one_run_in_words(here, capsys):
    path = make_run(here / "runs" / "first")
    assert run("run=first") == 0
    shown = capsys.readouterr().out
    for part in ("stopped", "12 of 40", "2 min 10 s, about 4 min 40 s left", "5,000, lately 1,200/s"):
        assert part in shown
    assert "900, of which 120 are learned from" in shown
    assert "512 MiB of memory" in shown
    assert "50.00%" in shown  # the judge's share of best lines
    assert "To go on: the same `dotzero train` command" in shown
    with RunFolder(path):
        assert run("run=first") == 0
    assert "tensorboard --logdir runs/first/tensorboard" in capsys.readouterr().out
    (path / "bad-batch-301.safetensors").write_bytes(b"x")
    assert run("run=first") == 0
    assert "A loss was not finite" in capsys.readouterr().out


def test_one_run_as_json(here, capsys):
    make_run(here / "runs" / "first", {**STATE, "iteration": 1})
    assert run("run=first", "output=json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["stage"] == "stopped"
    assert told["iteration"] == 1
    assert told["losses"] == {"policy": 1.99}
    assert told["earlier_iteration"] is None
    assert len(told["next"]) == 1


def test_all_runs_have_a_line_each(here, capsys):
    make_run(here / "runs" / "first")
    make_run(here / "runs" / "grid" / "seed=2")
    assert run() == 0
    shown = capsys.readouterr().out
    assert "runs/first" in shown
    assert "runs/grid/seed=2" in shown
    assert run("output=json") == 0
    assert [one["run"] for one in json.loads(capsys.readouterr().out)["runs"]] == [
        "runs/first",
        "runs/grid/seed=2",
    ]


def test_a_damaged_run_does_not_hide_the_others(here, capsys):
    make_run(here / "runs" / "first")
    (make_run(here / "runs" / "damaged") / "state.json").write_text("{")
    assert run() == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "runs/first" in shown
    assert "runs/damaged/state.json is damaged" in shown
    assert run("output=json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["run"] for one in found["runs"]] == ["runs/first"]
    assert len(found["damaged"]) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run=second"], "run must be one of first in runs, got second"),
        (["run=second", "runs=elsewhere"], "run must be the name of a run in elsewhere, got second"),
        (["runs=elsewhere"], "runs must be a folder with runs, elsewhere has none"),
        (["name=first"], "name is not a setting of this act"),
        (["run=damaged"], "state.json is damaged"),
    ],
)
def test_mistakes_are_one_line(here, capsys, words, message):
    make_run(here / "runs" / "first")
    if words == ["run=damaged"]:
        (make_run(here / "runs" / "damaged") / "state.json").write_text("{")
    assert run(*words) == 2
    errors = capsys.readouterr().err.strip().splitlines()
    assert len(errors) == 1
    assert message in errors[0]
