"""The state of a run as its folder tells it, also while a process trains in it.

The one idea: nothing here writes, and the run's lock is only tried, shared and for a moment. Everything that
counts is replaced by a rename, so what is read is always a whole commit, the last one.
"""

import fcntl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from dotzero.train.curves import read_metrics
from dotzero.train.footprint import folder_mib
from dotzero.train.json_files import read_json

BACK = 10
"""Iterations between the losses that are compared; the time to the end is estimated from as many."""
_NO_LOSSES = frozenset({"step", "learning_rate", "muon_learning_rate", "gradient_norm"})
"""Numbers of the learner that are no losses."""


class Stage(StrEnum):
    """Where a run stands."""

    STARTING = "starting"
    """A process has the run open and has not finished its first shard."""
    RUNNING = "running"
    """A process has the run open."""
    STOPPED = "stopped"
    """No process has it open, and iterations are left."""
    LEARNED = "learned"
    """All iterations are done; the match at the end or the export is not."""
    FINISHED = "finished"
    """Learned, measured and exported."""


@dataclass(kw_only=True, slots=True)
class RunStatus:
    """What is known of a run at its last commit."""

    run: str
    """Its folder."""
    stage: Stage
    """Where it stands."""
    process: int | None = None
    """Number of the process that has it open, where it is known."""
    iteration: int = 0
    """Iterations that are done."""
    num_iterations: int | None = None
    """Of so many; None before the first commit."""
    seconds: float = 0.0
    """Time that went into them."""
    seconds_left: float | None = None
    """Estimate of the time to the end, from the last iterations; None where there is none."""
    committed_ago: float | None = None
    """Seconds since the last commit."""
    num_evaluations: int = 0
    """Positions that self-play had evaluated."""
    num_positions: int = 0
    """Positions that self-play has recorded."""
    window: int = 0
    """Of which so many are learned from."""
    evaluations_per_second: float | None = None
    """Speed of self-play in the last iteration."""
    rss_mib: float | None = None
    """Memory at the last iteration."""
    disk_mib: float = 0.0
    """Length of all files of the run."""
    losses: dict[str, float] = field(default_factory=dict)
    """Losses of the last iteration."""
    earlier_losses: dict[str, float] = field(default_factory=dict)
    """Those of `BACK` iterations before it, or of the first iteration that is known."""
    earlier_iteration: int | None = None
    """That iteration."""
    judge: dict[str, float] = field(default_factory=dict)
    """Last figures of the judge, by board, budget and what was counted, as in "3x3/raw/optimal"."""
    judge_iteration: int | None = None
    """When they were taken."""
    ladder: dict[str, float] = field(default_factory=dict)
    """Last figures against the fixed opponents, as in "medium/score"."""
    ladder_iteration: int | None = None
    """When they were taken."""
    score: float | None = None
    """Share of the points in the match at the end."""
    opponent: str | None = None
    """Who that was against."""
    checkpoint: str | None = None
    """The newest kept weights."""
    export: str | None = None
    """The exported network."""
    bad_batches: list[str] = field(default_factory=list)
    """Batches with a non-finite loss, of steps that the run has not passed since."""


def read_status(path: Path) -> RunStatus:
    """The state of the run in the folder `path`.

    Raises:
        ValueError: There is no run, or one of its files is damaged; one line names it.
    """
    if not path.is_dir() or not any((path / name).exists() for name in ("state.json", "lock")):
        raise ValueError(f"run must be the folder of a run, {path} is none")
    running, process = owner(path)
    state = read_json(path / "state.json")
    if state is None:
        stage = Stage.STARTING if running else Stage.STOPPED
        return RunStatus(run=str(path), stage=stage, process=process, disk_mib=folder_mib(path))
    status = _committed(path, state)
    status.process = process
    _add_metrics(status, read_metrics(path, status.iteration))
    finished = read_json(path / "finished.json")
    done = status.num_iterations is not None and status.iteration >= status.num_iterations
    if running:
        status.stage = Stage.RUNNING
    elif done:
        status.stage = Stage.LEARNED if finished is None else Stage.FINISHED
    if finished is not None:
        _add_result(status, finished)
    return status


def run_folders(runs: Path) -> list[Path]:
    """The folders of all runs below `runs`, those of grids and those that only begin among them, by name."""
    return sorted({path.parent for name in ("state.json", "lock") for path in runs.rglob(name)})


def owner(path: Path) -> tuple[bool, int | None]:
    """Whether a process has the run open, and its number if it has said so."""
    try:
        lock = open(path / "lock", encoding="utf-8")  # noqa: SIM115  (closed below)
    except FileNotFoundError:
        return False, None
    with lock:
        try:
            # Shared, so that two who look do not see each other, and given back at once.
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            number = lock.read().strip()
            return True, int(number) if number.isdecimal() else None
        fcntl.flock(lock, fcntl.LOCK_UN)
    return False, None


def _committed(path: Path, state: Mapping[str, Any]) -> RunStatus:
    """What the state and the names of the files say."""
    file = path / "state.json"
    length = _number(file, _group(file, _group(file, state, "settings"), "loop"), "num_iterations")
    step = _number(file, state, "step")
    checkpoints = sorted((path / "checkpoints").glob("*.safetensors"))
    bad = {int(one.stem.rpartition("-")[2]): str(one) for one in path.glob("bad-batch-*[0-9].safetensors")}
    return RunStatus(
        run=str(path),
        stage=Stage.STOPPED,
        iteration=int(_number(file, state, "iteration")),
        num_iterations=int(length),
        seconds=_number(file, state, "seconds"),
        committed_ago=max(0.0, time.time() - file.stat().st_mtime),
        num_evaluations=int(_number(file, state, "num_evaluations")),
        num_positions=int(_number(file, state, "total_positions")),
        disk_mib=folder_mib(path),
        checkpoint=str(checkpoints[-1]) if checkpoints else None,
        bad_batches=[name for number, name in sorted(bad.items()) if number > step],
    )


def _add_metrics(status: RunStatus, lines: list[dict[str, float]]) -> None:
    """What the numbers of the iterations say."""
    if not lines:
        return
    now = lines[-1]
    earlier = lines[max(0, len(lines) - 1 - BACK)]
    status.losses = _losses(now)
    if earlier is not now:
        status.earlier_losses, status.earlier_iteration = _losses(earlier), int(earlier["iteration"])
    status.window = int(now.get("replay/window", 0))
    status.evaluations_per_second = now.get("selfplay/evaluations_per_second")
    status.rss_mib = now.get("memory/rss_mib")
    status.judge, status.judge_iteration = _latest(lines, "judge/")
    status.ladder, status.ladder_iteration = _latest(lines, "ladder/")
    left = 0 if status.num_iterations is None else status.num_iterations - status.iteration
    status.seconds_left = left * _seconds_each(earlier, now)


def _add_result(status: RunStatus, finished: Mapping[str, Any]) -> None:
    """What the match at the end has said; absent parts are left out."""
    status.export = finished.get("export")
    if finished.get("arena") is None:
        return
    try:
        zero, opponent = finished["arena"]["players"][:2]
        status.score, status.opponent = float(zero["score"]), str(opponent["name"])
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{status.run}/finished.json is damaged: its arena has no result") from None


def _seconds_each(earlier: Mapping[str, float], now: Mapping[str, float]) -> float:
    """Mean time of an iteration between two lines of the metrics, or up to the only one."""
    seconds, iterations = now.get("time/seconds", 0.0), now["iteration"]
    if earlier is not now:
        seconds -= earlier.get("time/seconds", 0.0)
        iterations -= earlier["iteration"]
    return seconds / max(iterations, 1)


def _losses(line: Mapping[str, float]) -> dict[str, float]:
    found = _below(line, "learner/")
    return {name: value for name, value in found.items() if name not in _NO_LOSSES}


def _below(line: Mapping[str, float], prefix: str) -> dict[str, float]:
    """The numbers whose names begin with `prefix`, without it."""
    return {name.removeprefix(prefix): value for name, value in line.items() if name.startswith(prefix)}


def _latest(lines: list[dict[str, float]], prefix: str) -> tuple[dict[str, float], int | None]:
    """The newest numbers below `prefix` and their iteration."""
    for line in reversed(lines):
        found = _below(line, prefix)
        if found:
            return found, int(line["iteration"])
    return {}, None


def _group(path: Path, content: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = content.get(name)
    if not isinstance(value, Mapping):
        raise ValueError(f"{path} is damaged or of another version of dotzero: it has no {name}")
    return value


def _number(path: Path, content: Mapping[str, Any], name: str) -> float:
    value = content.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError(f"{path} is damaged or of another version of dotzero: it has no {name}")
    return value
