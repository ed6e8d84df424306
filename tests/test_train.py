"""The act train: what it refuses at once, and what a finished run does when it is asked for again."""

import json

import pytest

from dotzero.__main__ import main
from dotzero.play import zero
from dotzero.scripts import train as act

SMALL = ["preset=smoke", "rules.rows=1", "rules.columns=2", "selfplay.random_opening_plies=2", "run=one"]
SHORT = [
    "loop.num_iterations=1",
    "loop.positions_per_iteration=30",
    "measure.games=4",
    "measure.opening_plies=1",
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("run=''", "run must be the name of a folder below runs, got ''"),
        ("run=../escape", "run must be the name of a folder below runs, got '../escape'"),
        ("run=/tmp/absolute", "run must be the name of a folder below runs"),
        ("measure.opponent=best", "got 'best'"),
        ("measure.opening_plies=7", "opening_plies must leave something to play, got 7"),
        ("backend.device=cuda", "cuda"),
        ("rules.rows=0", "BoxesRules.rows must be a whole number of at least 1, got 0"),
        ("boards=[{rows: 2},{rows: 0}]", "boards[1]: BoxesRules.rows must be a whole number"),
        ("boards=[2]", "TrainConfig.boards must hold groups of rules such as {width: 8}, got 2"),
        ("rules.border=all", "opening_plies must leave something to play, got 1"),
        (
            "rules.scoring=misere",
            "measure.opponent: player medium must play scoring=normal, got misere",
        ),
        ("measure.rules.rows=0", "measure.rules: BoxesRules.rows must be a whole number"),
        ("selfplay.komi_spread=1", "SelfPlayConfig.komi_spread must be 0 in boxes: no komi there, got 1.0"),
    ],
)
def test_what_only_the_end_needs_is_refused_at_the_start(here, capsys, word, message):
    if "cuda" in word:
        import torch

        if torch.cuda.is_available():
            pytest.skip("there is a CUDA device here")
    assert main(["train", *SMALL, *SHORT, word]) == 2
    errors = capsys.readouterr().err.strip().splitlines()
    assert len(errors) == 1
    assert message in errors[0]
    assert not (here / "runs" / "one").exists()


@pytest.mark.parametrize("solver", [False, True])
def test_the_network_is_measured_with_the_solver_where_that_is_asked(here, capsys, monkeypatch, solver):
    """With it both solve 1x2 from the first line on, so each wins with the same side of an opening."""
    made = []

    class Spied(zero.ZeroPlayer):
        def __init__(self, path, game, config):
            made.append(config)
            super().__init__(path, game, config)

    monkeypatch.setattr(zero, "ZeroPlayer", Spied)
    assert main(["train", *SMALL, *SHORT, "measure.opponent=insane", f"measure.solver={solver}"]) == 0
    assert [config.exact_lines for config in made] == [zero.ZeroConfig().exact_lines if solver else 0]
    told = capsys.readouterr().out
    assert ("with the solver against insane" in told) == solver
    assert ("export@exact_lines=0,insane" in told) == (not solver)
    if solver:
        assert "50.0% of 4 games" in told


def test_a_finished_run_is_shown_again_and_measured_anew_when_that_is_asked(here, capsys, monkeypatch):
    def train(*words):
        assert main(["train", *SMALL, *SHORT, *words, "output=json"]) == 0
        return json.loads(capsys.readouterr().out)

    first = train()
    assert first["arena"]["games"] == 4
    calls = []
    monkeypatch.setattr(act, "_iterate", lambda *_: calls.append("iterate"))
    measure = act._measure
    monkeypatch.setattr(act, "_measure", lambda *words: calls.append("measure") or measure(*words))
    assert train() == first
    assert calls == ["iterate"]
    again = train("measure.games=6", "measure.opponent=random")
    assert calls == ["iterate", "iterate", "measure"]
    assert again["arena"]["games"] == 6
    assert again["arena"]["players"][1]["name"] == "random"
    assert again["card"] == first["card"]
    none = train("measure.opponent=null")
    assert none["arena"] is None


def test_damaged_state_names_what_is_missing(here, capsys):
    assert main(["train", *SMALL, "loop.num_iterations=2", "loop.stop_after=1", *SHORT[1:]]) == 0
    capsys.readouterr()
    path = here / "runs" / "one" / "state.json"
    state = json.loads(path.read_text())
    del state["settings"]
    path.write_text(json.dumps(state))
    assert main(["train", *SMALL, "loop.num_iterations=2", *SHORT[1:]]) == 2
    assert "state.json is damaged: it has no settings" in capsys.readouterr().err


def test_a_variant_is_measured_and_the_next_steps_are_of_its_rules(here, capsys):
    """A whole run of misere from a drawn border; what it says to type next plays the same game."""
    words = ["rules.rows=2", "rules.border=left_bottom", "rules.scoring=misere", "measure.opponent=random"]
    assert main(["train", *SMALL, *SHORT, *words]) == 0
    shown = capsys.readouterr().out
    assert "boxes rows=2 columns=2 border=left_bottom scoring=misere" in shown
    step = "dotzero play --level zero:runs/one/export --size 2x2 --border left_bottom --scoring misere\n"
    assert step in shown
    card = json.loads((here / "runs" / "one" / "export" / "card.json").read_text())
    assert card["rules"] == {"rows": 2, "columns": 2, "border": "left_bottom", "scoring": "misere"}
    assert card["encoding_version"] == 2


def test_the_largest_boards_can_be_exported(here, capsys):
    words = ["preset=smoke", "rules.rows=10", "rules.columns=11", "selfplay.num_games=2", "run=large"]
    words += [
        "loop.positions_per_iteration=1",
        "search.num_simulations=1",
        "measure.opponent=null",
        *SHORT[:1],
    ]
    assert main(["train", *words]) == 0
    assert (here / "runs" / "large" / "export" / "card.json").exists()
    assert "10x11" in capsys.readouterr().out
