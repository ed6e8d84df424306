"""The forecast of a run: its arithmetic on made-up rates, and the whole command on a board of seconds."""

import json
import subprocess
import sys

import pytest

from dotzero.__main__ import main
from dotzero.configs.bench import PlanJob
from dotzero.configs.schema import MeasureConfig
from dotzero.scripts.plan import forecast
from dotzero.scripts.run_rates import Measured, Rates
from dotzero.train.evaluate import JudgeConfig
from dotzero.train.ladder import LadderConfig
from dotzero.train.learner import LearnerConfig
from dotzero.train.replay import ReplayConfig
from dotzero.train.selfplay import SelfPlayConfig
from dotzero.train.train_config import LoopConfig


def job(overlap, **settings):
    """Ten iterations of 1,000 positions, 50 steps each."""
    loop = LoopConfig(num_iterations=10, positions_per_iteration=1000, overlap=overlap)
    return PlanJob(
        loop=loop, replay=ReplayConfig(reuse=5.0), learner=LearnerConfig(batch_size=100), **settings
    )


def measured(beside=(50.0, 0.5)):
    """20 evaluations a position at 100 a second: 200 s of self-play; 50 steps at 1 a second."""
    rates = Rates(100.0, 1.0, *beside)
    return Measured(rates, 20.0, 25.0, 2**20 / 100, 30.0, {"mean_batch": 8.0})


def test_one_after_the_other():
    data = forecast(job(False, positions=5000), measured())
    assert data["iteration"] == {"seconds": 250.0, "selfplay_seconds": 200.0, "learner_seconds": 50.0}
    assert data["run"] == {"iterations": 10, "positions": 10_000, "seconds": 2500.0}
    assert data["goal"] == {"positions": 5000, "seconds": 1250.0}
    an_hour = 3600 / 250
    expected = {"games": 40 * an_hour, "positions": 1000 * an_hour, "evaluations": 20_000 * an_hour}
    assert data["per_hour"] == pytest.approx(expected | {"steps": 50 * an_hour})


def test_side_by_side_until_one_is_done():
    """Learning takes 100 s beside self-play, which has done 5,000 of its 20,000 evaluations by then."""
    data = forecast(job(True), measured())
    assert data["iteration"]["seconds"] == pytest.approx(100 + 15_000 / 100)
    assert data["run"]["seconds"] == pytest.approx(200 + 9 * 250 + 50)
    # Self-play is through first: 100 s, in which 10 of the 50 steps were made.
    data = forecast(job(True), measured(beside=(200.0, 0.1)))
    assert data["iteration"]["seconds"] == pytest.approx(100 + 40)
    # No step came to its end while it was measured.
    assert forecast(job(True), measured(beside=(50.0, 0.0)))["iteration"]["seconds"] == pytest.approx(250)


def test_iterations_of_the_teacher_come_first():
    """10 positions a second: 100 s of teaching; on two cores half of the learner's 50 s comes on top."""
    rates = Rates(100.0, 1.0, 50.0, 0.5, taught=10.0)
    taught = Measured(rates, 20.0, 25.0, 10.0, 30.0, {}, num_cores=2)
    few = job(True, positions=4000, selfplay=SelfPlayConfig(teacher_iterations=3))
    data = forecast(few, taught)
    assert data["taught"] == {"iterations": 3, "seconds": 125.0}
    assert data["run"]["seconds"] == pytest.approx(3 * 125 + 7 * 250)
    assert data["goal"]["seconds"] == pytest.approx(3 * 125 + 250)
    apart = forecast(job(False, selfplay=SelfPlayConfig(teacher_iterations=3)), taught)
    assert apart["taught"]["seconds"] == 150
    # More of them than there are iterations.
    every = forecast(job(True, selfplay=SelfPlayConfig(teacher_iterations=99)), taught)
    assert every["taught"]["iterations"] == 10
    assert every["run"]["seconds"] == pytest.approx(10 * 125)
    assert forecast(job(True), measured())["taught"] == {"iterations": 0, "seconds": 0.0}


def test_what_comes_on_top_is_named():
    """Without judge, ladder and match what every run has; else each of them with its numbers."""
    quiet = job(True, judge=JudgeConfig(every=0), measure=MeasureConfig(opponent=None))
    assert forecast(quiet, measured())["not_counted"] == ["starting up", "the export"]
    full = job(
        True,
        judge=JudgeConfig(every=5),
        ladder=LadderConfig(every=20),
        measure=MeasureConfig(opponent="medium", games=60),
    )
    assert forecast(full, measured())["not_counted"] == [
        "starting up",
        "the judge every 5 iterations",
        "the ladder every 20 iterations",
        "the final match of 60 games against medium",
        "the export",
    ]
    kropki = job(True, game="kropki", judge=JudgeConfig(every=5), measure=MeasureConfig(opponent=None))
    assert forecast(kropki, measured())["not_counted"] == [
        "starting up",
        "the export",
    ]


def test_memory_is_that_of_the_windows_end():
    small = forecast(job(False), measured())["memory"]
    assert small["window_positions"] == 10_000  # fewer than the window's start
    assert small["window_mib"] == pytest.approx(100)
    assert small["selfplay_mib"] == 30
    shrunk = PlanJob(
        loop=LoopConfig(num_iterations=10, positions_per_iteration=1000),
        replay=ReplayConfig(window_start=1000, window_exponent=0.5),
    )
    assert forecast(shrunk, measured())["memory"]["window_positions"] == shrunk.replay.window_size(10_000)


def run_plan(*words, cwd):
    command = [sys.executable, "-m", "dotzero", "bench", "plan", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)


def test_the_command_writes_nothing(tmp_path):
    done = run_plan("preset=smoke", "seconds=0.05", "positions=5000", "output=json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert list(data) == ["rates", "per_hour", "iteration", "taught", "run", "goal", "not_counted", "memory"]
    assert data["run"]["positions"] == 800
    assert data["goal"]["positions"] == 5000
    assert min(data["per_hour"].values()) > 0
    assert sum(data["rates"]["shares"].values()) == pytest.approx(1, abs=0.01)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["positions=0"], "PlanJob.positions must be at least 1, got 0"),
        (["seconds=0"], "PlanJob.seconds must be above 0, got 0.0"),
        (["preset=none"], "preset must be one of"),
        (["speed=3"], "speed is not a setting of this act"),
    ],
)
def test_mistakes_are_told_in_one_line(words, message, capsys):
    assert main(["bench", "plan", *words]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


def test_help_is_quick_and_names_the_presets(tmp_path):
    done = run_plan("--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "dotzero bench plan preset=boxes_5x5" in done.stdout
    assert "smoke" in done.stdout
