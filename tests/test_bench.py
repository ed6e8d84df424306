"""The bench as a whole command: every figure of both games, on boards so small that it takes seconds."""

import json
import subprocess
import sys

import numpy as np
import pytest

from dotzero.__main__ import main
from dotzero.configs.schema import BenchJob
from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.scripts.bench import BOARDS, bench
from dotzero.scripts.solver_speed import safe_play, solver_figures

SMALL = [
    "seconds=0.02", "repeats=1", "num_games=12", "search.num_simulations=8", "network.num_blocks=1",
    "network.num_channels=8", "network.num_pooled_channels=4",
]  # fmt: skip


def run_bench(*words, cwd):
    command = [sys.executable, "-m", "dotzero", "bench", *SMALL, *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)


def test_bench_has_every_figure_of_boxes(tmp_path):
    done = run_bench("game=boxes", "rules.rows=2", "rules.columns=2", "output=json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert list(result) == ["machine", "rules", "environments", "search", "network", "solver", "selfplay"]
    assert result["rules"]["boxes@2x2"]["random_games_per_second"] > 0
    assert result["environments"]["boxes@2x2"]["steps_per_second"] > 0
    assert result["environments"]["boxes@2x2"]["games"] == 1024
    assert result["search"]["boxes@2x2"]["simulations_per_second"] > 0
    assert {"b1c8 torch@boxes", "b1c8 onnx@boxes"} <= set(result["network"])
    assert 0 < result["selfplay"]["b1c8 onnx@boxes"]["efficiency"] < 3
    assert result["machine"]["cores"] >= 1


def test_bench_has_every_figure_of_kropki(tmp_path):
    words = ["game=kropki", "rules.width=6", "rules.height=5", "backend.kind=torch"]
    done = run_bench(*words, "output=json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    row = result["rules"]["kropki@6x5"]
    assert min(row["random_games_per_second"], row["with_grounding"]) > 0
    assert row["grounding_cost"] == pytest.approx(row["random_games_per_second"] / row["with_grounding"])
    assert row["move_to_copy"] == pytest.approx(row["ns_a_move"] / row["ns_a_copy"])
    assert min(row["ns_a_move"], row["ns_a_move_with_grounding"], row["ns_a_copy"]) > 1
    assert result["environments"]["kropki@6x5"]["steps_per_second"] > 0
    found = result["search"]["kropki@6x5"]
    assert found["simulations_per_second"] > 0
    assert "feature_ns_a_leaf" in found  # a difference of two times: any number on a busy machine
    assert 0 < result["selfplay"]["b1c8 torch@kropki"]["efficiency"] < 3


def test_all_games_and_boards_by_default(monkeypatch):
    """Sizes as the games write them; networks are measured on the first board of each game."""
    import dotzero.scripts.bench as module

    monkeypatch.setattr(module, "_rules", lambda job, game: {"random_games_per_second": 1.0})
    monkeypatch.setattr(module, "_search", lambda job, game: {"simulations_per_second": 1.0, "games": 1})
    monkeypatch.setattr("dotzero.scripts.network_speed.network_figures", lambda job, game, best: ({}, {}))
    monkeypatch.setattr(
        "dotzero.scripts.solver_speed.solver_figures", lambda job, game: {"by_lines": [], "empty": []}
    )
    report = bench(BenchJob(seconds=0.01, repeats=1))
    boards = ["boxes@5x5", "kropki@8x8", "kropki@20x20", "kropki@39x32"]
    assert list(report.data["rules"]) == list(report.data["search"]) == boards
    assert set(BOARDS) == {"boxes", "kropki"}
    assert list(
        bench(BenchJob(game="boxes", rules={"rows": 1, "columns": 2}, seconds=0.01, repeats=1)).data["rules"]
    ) == ["boxes@1x2"]


def test_bench_of_the_solver():
    """Quick ones only where there is little time; positions are those of safe play."""
    game = BoxesGame(BoxesRules(rows=5, columns=5))
    figures = solver_figures(BenchJob(repeats=1, seconds=0.01), game)
    assert [row["lines"] for row in figures["by_lines"]] == [24, 28]
    for row in figures["by_lines"]:
        assert 0 < row["median"] <= row["p90"] <= row["worst"]
        assert row["nodes_median"] >= 1
    assert all(row["positions_per_second"] > 0 for row in figures["batch"])
    assert figures["empty"] == []
    lines = safe_play(game.rules, 24, 50)
    assert (lines == 0).sum(axis=1).tolist() == [24] * 50
    assert len(np.unique(lines, axis=0)) > 45
    np.testing.assert_array_equal(lines, safe_play(game.rules, 24, 50))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rules.rows=3"], "BenchJob.rules must be empty unless game names one game, got {'rows': 3}"),
        (["game=go"], "game must be one of boxes, kropki, got go"),
        (["game=kropki", "rules.rows=3"], "KropkiRules must have the fields"),
        (["seconds=0"], "BenchJob.seconds must be above 0, got 0"),
    ],
)
def test_mistakes_are_told_in_one_line(words, message, capsys):
    assert main(["bench", *words]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
