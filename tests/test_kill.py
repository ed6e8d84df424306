"""kill -9 at any moment: every restart goes on, and the end is that of a run that was left alone.

The real command is started, killed at random moments of starting, playing, learning and saving, and started
again, until the run has died `NUM_KILLS` times. What a commit has named is looked at after every death.
"""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from dotzero.models.files import read_tensors

NUM_KILLS = 16
"""Deaths of each of the two runs."""
NUM_ITERATIONS = 12
PATIENCE = 300
"""Seconds that a start, or a whole run, may take on a busy machine."""


class Life:
    """One process of the command."""

    def __init__(self, folder, overlap):
        self.run = folder / "runs" / "one"
        self.events = self._num_events()
        words = [
            "preset=smoke",
            "run=one",
            f"loop.overlap={overlap}",
            f"loop.num_iterations={NUM_ITERATIONS}",
        ]
        command = [sys.executable, "-m", "dotzero", "train", *words, "measure.games=4", "output=json"]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def _num_events(self):
        return len(list((self.run / "tensorboard").glob("*")))

    def wait_for(self, reached):
        """Until something is true or the process has ended."""
        end = time.monotonic() + PATIENCE
        while not reached() and self.process.poll() is None:
            assert time.monotonic() < end, "the command did not get on"
            time.sleep(0.002)

    def holds_the_run(self):
        lock = self.run / "lock"
        return lock.exists() and lock.read_text().strip() == str(self.process.pid)

    def goes_on(self):
        """The last thing that a start does is to open a new file of events."""
        return self.holds_the_run() and self._num_events() > self.events

    def kill(self):
        """Kill -9; whether it was still there to be killed."""
        self.process.kill()
        output, errors = self.process.communicate()
        assert self.process.returncode in (0, -signal.SIGKILL), errors
        if self.process.returncode == 0:
            assert json.loads(output)["finished"]
        return self.process.returncode != 0

    def finish(self):
        output, errors = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, errors
        return json.loads(output)


def committed(run):
    """The state, and the stamps of the shards that it names; every file that it names is read."""
    if not (run / "state.json").exists():
        return None, {}
    state = json.loads((run / "state.json").read_text())
    waiting = [shard["name"] for shard in (state["ready"], state["ahead"]) if shard is not None]
    for name in filter(None, state["files"].values()):
        read_tensors(run / name, "file")
    stamps = {}
    for name in [*state["shards"], *waiting]:
        read_tensors(run / "shards" / name, "shard")
        stat = (run / "shards" / name).stat()
        stamps[name] = (stat.st_mtime_ns, stat.st_ino, stat.st_size)
    return state, stamps


def kill_again_and_again(folder, overlap, lots, seconds_each, most):
    """Start and kill until the run has died `most` times or has come to its end; when it died."""
    run, deaths, done, stamps = folder / "runs" / "one", [], 0, {}
    while len(deaths) < most:
        life = Life(folder, overlap)
        while_starting = lots.random() < 0.25
        life.wait_for(life.holds_the_run if while_starting else life.goes_on)
        # Many lives get an iteration on, so that the run dies in most of its iterations.
        time.sleep(lots.uniform(0, 0.3 if while_starting else 3 * seconds_each))
        died = life.kill()
        state, now = committed(run)
        iteration = 0 if state is None else state["iteration"]
        assert iteration >= done
        kept = {name: stamp for name, stamp in stamps.items() if name in now}
        assert kept == {name: now[name] for name in kept}, "a committed shard was played again"
        gone = set(stamps) - set(now)
        assert not gone or max(gone) < min(now), "a committed shard was lost"
        done, stamps = iteration, now
        if not died:
            break
        deaths.append((while_starting, iteration))
    return deaths


def content(run):
    """Everything a run has learned and said, without what a clock or a machine decides."""
    state, _ = committed(run)
    names = [*state["files"].values(), *(f"shards/{name}" for name in state["shards"])]
    names += [f"checkpoints/{path.name}" for path in sorted((run / "checkpoints").iterdir())]
    tensors = {f"{name}:{key}": value for name in names for key, value in load_file(run / name).items()}
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return (
        without_times({key: state[key] for key in state if key != "settings"}),
        tensors,
        without_times(lines),
    )


def without_times(value):
    if isinstance(value, list):
        return [without_times(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key for key in value if not key.startswith(("time/", "memory/")) and "second" not in key}
    return {key: without_times(value[key]) for key in kept}


def assert_same_end(one, two, found, expected):
    """Two runs have come to the same, to the bit, and the second has left nothing else behind."""
    assert found["arena"] == expected["arena"]
    state, tensors, lines = content(one)
    other_state, other_tensors, other_lines = content(two)
    assert other_state == state
    assert other_lines == lines
    assert [line["iteration"] for line in lines] == list(range(1, NUM_ITERATIONS + 1))
    assert other_tensors.keys() == tensors.keys()
    for name, value in tensors.items():
        assert torch.equal(other_tensors[name], value), name
    assert files(two) == files(one)


def files(run):
    """Paths of all files of a run but the many event files of TensorBoard."""
    paths = (path.relative_to(run) for path in run.rglob("*") if path.is_file())
    return sorted(str(path) for path in paths if path.parts[0] != "tensorboard")


@pytest.mark.slow
@pytest.mark.parametrize("overlap", [False, True])
def test_kill_9_at_random_moments_loses_nothing(tmp_path, overlap):
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")  # shown where the test fails; the machine's own timing is luck too
    lots = random.Random(seed)
    whole = tmp_path / "whole"
    whole.mkdir()
    life = Life(whole, overlap)
    expected = life.finish()
    state = json.loads((life.run / "state.json").read_text())
    num_deaths, number = 0, 0
    while num_deaths < NUM_KILLS:  # a run that comes to its end before that is followed by another
        folder = tmp_path / f"killed{number}"
        folder.mkdir()
        each, left = state["seconds"] / NUM_ITERATIONS, NUM_KILLS - num_deaths
        deaths = kill_again_and_again(folder, overlap, lots, each, left)
        print(f"killed{number}: while starting?, iteration of {deaths}")
        found = Life(folder, overlap).finish()
        assert_same_end(Path(life.run), folder / "runs" / "one", found, expected)
        num_deaths, number = num_deaths + len(deaths), number + 1


@pytest.mark.slow
def test_of_two_commands_started_at_once_one_is_refused(tmp_path):
    """And the other trains to its end as if it had been alone."""
    alone, both = tmp_path / "alone", tmp_path / "both"
    alone.mkdir()
    both.mkdir()
    life = Life(alone, True)
    expected = life.finish()
    lives = [Life(both, True) for _ in range(2)]
    ends = [life.process.communicate(timeout=PATIENCE) for life in lives]
    codes = [life.process.returncode for life in lives]
    assert sorted(codes) == [0, 2]
    (refusal,) = ends[codes.index(2)][1].splitlines()
    assert "must not be in use, it is by process" in refusal
    found = json.loads(ends[codes.index(0)][0])
    assert_same_end(life.run, both / "runs" / "one", found, expected)
