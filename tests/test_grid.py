"""Grids with a toy act: names, order, failures, going on after an interruption."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from dotzero.configs.job import Output
from dotzero.scripts.grid import expand, grid_wanted, run_grid

# Counts its starts in runs/<run>/starts, fails for rate=2, sleeps for wait=true, and finishes otherwise.
TOY = textwrap.dedent(
    """
    import json, pathlib, sys, time
    act, *words = sys.argv[1:]
    assert act == "toy"
    settings = dict(word.split("=", 1) for word in words)
    folder = pathlib.Path("runs") / settings["run"]
    with open(folder / "starts", "a") as file:
        file.write("x")
    with open(folder / "metrics.jsonl", "a") as file:
        file.write(json.dumps({"iteration": 1, "loss": float(settings["learner.rate"]), "note": "n"}) + "\\n")
        file.write('{"iteration": 2, "lo')
    if settings["learner.rate"] == "2" and not pathlib.Path("mended").exists():
        sys.exit("error: learner.rate must not be 2")
    if settings.get("stop") == "true":
        sys.exit(0)
    if settings.get("wait") == "true" and not pathlib.Path("mended").exists():
        pathlib.Path("waiting").touch()
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            (folder / "saved").touch()
            sys.exit(130)
    (folder / "finished.json").write_text("{}")
    """
)


@pytest.fixture
def toy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy.py").write_text(TOY)
    return (sys.executable, str(tmp_path / "toy.py"))


def starts(tmp_path, job):
    return len((tmp_path / "runs" / "g" / job / "starts").read_text())


def test_every_combination_is_a_job_with_a_telling_name():
    grid = expand(
        ["-m", "learner.learning_rate=1e-3,3e-3", "search.num_simulations=16,32", "preset=smoke", "run=grid"]
    )
    assert (grid.run, grid.folder, grid.output) == ("grid", Path("runs/grid"), Output.TABLE)
    assert [job.name for job in grid.jobs] == [
        "learning_rate-0.001__num_simulations-16",
        "learning_rate-0.001__num_simulations-32",
        "learning_rate-0.003__num_simulations-16",
        "learning_rate-0.003__num_simulations-32",
    ]
    assert grid.jobs[1].words == ["preset=smoke", "learner.learning_rate=0.001", "search.num_simulations=32"]


def test_hydras_sweep_grammar_is_understood():
    jobs = expand(["-m", "a.n=range(1,4)", "b.n=choice(x,y)", "run=g"]).jobs
    assert [job.name for job in jobs][:3] == ["a.n-1__b.n-x", "a.n-1__b.n-y", "a.n-2__b.n-x"]
    assert len(jobs) == 6


def test_a_jobs_name_does_not_depend_on_the_other_values():
    few = {job.name for job in expand(["-m", "rate=1,2", "run=g"]).jobs}
    more = {job.name for job in expand(["-m", "rate=1,2,3", "run=g"]).jobs}
    assert few < more


def test_names_are_safe_for_file_systems_and_never_shared():
    values = ["[1,2]", "[1.2]", "'a/b'", "'a b'", "'../../x'", "x" * 300, "x" * 301]
    jobs = expand(["-m", f"players={','.join(values)}", "run=g"]).jobs
    names = [job.name for job in jobs]
    assert len(set(names)) == len(values)
    for name in names:
        assert len(name) < 120
        assert not set(name) - set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
        assert not name.startswith(".")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rate=1,2"], "a grid needs run=NAME"),
        (["rate=1,2", "run=a,b"], "a grid needs run=NAME with one name"),
        (["rate=1", "run=g"], "a grid needs a setting with several values"),
        (["rate=interval(0,1)", "run=g"], "rate must be a list of values"),
        (["preset=glob(*)", "run=g"], "preset must be a list of values"),
        (["rate=1,2", "rate=3", "run=g"], "rate must be given once in a grid"),
        (["rate=1,2", "--fast", "run=g"], "--fast is not an option of a grid"),
        (["rate=[1", "run=g"], "a setting must be written key=value"),
    ],
)
def test_a_wrong_grid_is_one_line(words, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        expand(["-m", *words])
    assert str(caught.value).startswith(message)


def test_the_folder_of_all_runs_may_be_another():
    assert expand(["-m", "rate=1,2", "run=g", "runs=/data/x"]).folder == Path("/data/x/g")


def test_only_the_flag_makes_a_grid():
    assert grid_wanted(["-m", "rate=1,2"])
    assert grid_wanted(["rate=1,2", "--multirun"])
    assert not grid_wanted(["rate=1", "run=m"])


def test_a_failed_job_is_named_at_the_end_and_does_not_hide_the_others(toy, tmp_path, capsys):
    """P-grid: a failure is named with its last line; the other jobs run; the exit code says it."""
    assert (
        run_grid("toy", ["-m", "learner.rate=1,2,3", "run=g"], command=toy, columns=("iteration", "loss"))
        == 1
    )
    out = capsys.readouterr().out
    assert "rate-2 failed: error: learner.rate must not be 2" in out
    assert out.count("finished") == 2
    assert (tmp_path / "runs/g/rate-3/finished.json").exists()
    assert "error: learner.rate must not be 2" in (tmp_path / "runs/g/rate-2/grid.log").read_text()


def test_the_same_grid_again_goes_on_with_what_is_unfinished(toy, tmp_path, capsys):
    words = ["-m", "learner.rate=1,2,3", "run=g"]
    assert run_grid("toy", words, command=toy) == 1
    (tmp_path / "mended").touch()
    assert run_grid("toy", words, command=toy) == 0
    assert [starts(tmp_path, f"rate-{rate}") for rate in (1, 2, 3)] == [1, 2, 1]
    assert run_grid("toy", ["-m", "learner.rate=1,2,3,4", "run=g"], command=toy) == 0
    assert [starts(tmp_path, f"rate-{rate}") for rate in (1, 2, 3, 4)] == [1, 2, 1, 1]
    capsys.readouterr()


def test_a_finished_job_with_other_settings_is_left_to_the_act(toy, tmp_path, capsys):
    assert run_grid("toy", ["-m", "learner.rate=1,3", "run=g"], command=toy) == 0
    assert run_grid("toy", ["-m", "learner.rate=1,3", "steps=20", "run=g"], command=toy) == 0
    assert starts(tmp_path, "rate-1") == 2
    capsys.readouterr()


def test_a_job_that_was_told_to_stop_early_is_not_finished(toy, tmp_path, capsys):
    assert run_grid("toy", ["-m", "learner.rate=1,3", "stop=true", "run=g"], command=toy) == 0
    assert capsys.readouterr().out.count("stopped") == 2


def test_json_output_of_a_grid(toy, capsys):
    assert run_grid("toy", ["-m", "learner.rate=1,2", "run=g", "output=json"], command=toy) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["run"] == "g"
    assert [(job["name"], job["state"], job["metrics"]["loss"]) for job in result["jobs"]] == [
        ("rate-1", "finished", 1.0),
        ("rate-2", "failed", 2.0),
    ]
    assert result["jobs"][1]["error"] == "error: learner.rate must not be 2"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_reaches_the_job_and_stops_the_grid(toy, tmp_path, number):
    program = (
        "import sys; from dotzero.__main__ import exit_code; from dotzero.scripts.grid import run_grid\n"
        "words = ['-m', 'learner.rate=1,3', 'wait=true', 'run=g']\n"
        f"sys.exit(exit_code(lambda: run_grid('toy', words, command={toy!r})))"
    )
    grid = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "waiting").exists():
        assert time.monotonic() < deadline
        assert grid.poll() is None
        time.sleep(0.05)
    os.kill(grid.pid, number)
    out, _ = grid.communicate(timeout=60)
    assert grid.returncode == 130
    assert "interrupted" in out
    assert (tmp_path / "runs/g/rate-1/saved").exists()
    assert not (tmp_path / "runs/g/rate-3").exists()


@pytest.mark.parametrize("content", [b"", b"[", b"\xff\xfe", b"{}"])
def test_a_damaged_file_of_settings_does_not_kill_the_grid(toy, tmp_path, capsys, content):
    """The job is taken as not finished, which is said, and its settings are written anew."""
    words = ["-m", "learner.rate=1,3", "run=g"]
    assert run_grid("toy", words, command=toy) == 0
    settings = tmp_path / "runs/g/rate-1/grid.json"
    right = settings.read_bytes()
    settings.write_bytes(content)
    capsys.readouterr()
    assert run_grid("toy", words, command=toy) == 0
    captured = capsys.readouterr()
    if content != b"{}":  # which is whole, only not what was asked for
        assert "runs/g/rate-1/grid.json is damaged: the job is taken as not finished" in captured.err
    assert [starts(tmp_path, f"rate-{rate}") for rate in (1, 3)] == [2, 1]
    assert settings.read_bytes() == right
    assert not list((tmp_path / "runs").rglob("*.tmp"))


@pytest.mark.parametrize("line", [b"[1]", b"3", b"\xff\xfe"])
def test_strange_metrics_are_left_out(toy, tmp_path, capsys, line):
    assert run_grid("toy", ["-m", "learner.rate=1,3", "run=g"], command=toy) == 0
    with (tmp_path / "runs/g/rate-1/metrics.jsonl").open("ab") as file:
        file.write(b"\n" + line + b"\n")
    capsys.readouterr()
    assert run_grid("toy", ["-m", "learner.rate=1,3", "run=g", "output=json"], command=toy) == 0
    assert json.loads(capsys.readouterr().out)["jobs"][0]["metrics"]["loss"] == 1.0
