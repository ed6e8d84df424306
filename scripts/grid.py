"""Grids: one act with several values for some settings, `dotzero train -m key=a,b ...`.

Every combination is a job of its own: its own process, its own folder `runs/<run>/<job>` named after the
settings that vary. Nothing is kept in memory between jobs, so a grid can be stopped and started again at
any time: a job whose folder holds `finished.json` is skipped, every other one is started, and the act itself
goes on where it was. A job that fails is named at the end and does not keep the others from running.
"""

import contextlib
import hashlib
import itertools
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.table import Table

from dotzero.configs.job import Output
from dotzero.scripts.command import Report, show
from dotzero.whole_files import write_text

__all__ = ["Grid", "GridJob", "expand", "grid_wanted", "run_grid"]

FINISHED = "finished.json"  # written by the act when a run has reached its end
SETTINGS = "grid.json"  # written here: the words that the job was started with
LOG = "grid.log"  # what the job printed, appended to on every start
METRICS = "metrics.jsonl"  # written by the act, one JSON object a line

_MAX_NAME = 100  # characters; file systems allow 255, tables want far fewer


@dataclass(kw_only=True, slots=True)
class GridJob:
    """One combination of a grid."""

    name: str
    """Name of the folder, made from the settings that vary."""

    words: list[str]
    """All settings but `run`, as `key=value`."""

    state: str = "waiting"
    """waiting, finished, skipped (finished before), stopped (ended early as told), failed or interrupted."""

    error: str = ""
    """Last line of the log of a failed job."""

    metrics: dict[str, Any] = field(default_factory=dict)
    """Last line of the job's `metrics.jsonl`."""


@dataclass(kw_only=True, slots=True)
class Grid:
    """What the words of a grid say."""

    run: str
    """Name of the grid, `run=NAME`."""

    folder: Path
    """Its folder, which holds a folder for each job; `runs=DIR` sets the folder of all runs."""

    output: Output
    """The form of the result."""

    jobs: list[GridJob]
    """All combinations, the last setting varying fastest."""


def grid_wanted(argv: Sequence[str]) -> bool:
    """Whether the words ask for a grid."""
    return bool({"-m", "--multirun"} & set(argv))


def run_grid(
    act: str,
    argv: Sequence[str],
    *,
    columns: Sequence[str] = (),
    command: Sequence[str] = (sys.executable, "-m", "dotzero"),
) -> int:
    """Run all jobs of a grid one after the other.

    Args:
        act: The act that each job runs.
        argv: The words after the act: `-m`, `run=NAME` and settings, some with several values.
        columns: Metrics for the table at the end; all numbers of the last line if empty.
        command: How dotzero is started.

    Returns:
        0 if no job failed, 1 if some did, 130 after Ctrl-C.

    Raises:
        ValueError: If the words are no grid.
    """
    grid = expand(argv)
    jobs = grid.jobs
    interrupted = False
    for number, job in enumerate(jobs, 1):
        folder = grid.folder / job.name
        if not interrupted:
            _say(f"[{number}/{len(jobs)}] {job.name}")
            started = time.monotonic()
            interrupted = _run_one(job, folder, [*command, act, *job.words, f"run={grid.run}/{job.name}"])
            _say(f"[{number}/{len(jobs)}] {job.state} after {time.monotonic() - started:.0f} s {job.error}")
        job.metrics = _last_metrics(folder)
    failed = [job for job in jobs if job.state == "failed"]
    data = {"run": grid.run, "jobs": [{**asdict(job), "folder": grid.folder / job.name} for job in jobs]}
    lines = [f"{job.name} failed: {job.error} (see {grid.folder / job.name / LOG})" for job in failed]
    show(Report(data=data, shown=[_table(jobs, columns), *lines]), grid.output)
    return 130 if interrupted else int(bool(failed))


def expand(argv: Sequence[str]) -> Grid:
    """Read the words of a grid.

    Args:
        argv: As for `run_grid`.

    Raises:
        ValueError: If a word is wrong, `run` is missing or nothing varies.
    """
    from dotzero.configs.compose import parse_override

    fixed: dict[str, str] = {}
    varied: dict[str, list[str]] = {}
    for word in argv:
        if word in {"-m", "--multirun"}:
            continue
        if word.startswith("-"):
            raise ValueError(f"{word} is not an option of a grid, see --help")
        override = parse_override(word)
        key = override.get_key_element()
        if key in fixed or key in varied:
            raise ValueError(f"{key} must be given once in a grid, got it twice")
        if not override.is_sweep_override():
            fixed[key] = word.partition("=")[2]
        elif override.is_discrete_sweep() and not word.partition("=")[2].startswith("glob("):
            varied[key] = list(dict.fromkeys(override.sweep_string_iterator()))
        else:
            raise ValueError(f"{key} must be a list of values a,b or range(a,b) in a grid, got {word!r}")
    if "run" not in fixed:
        raise ValueError("a grid needs run=NAME with one name, the folder of its jobs")
    if not varied:
        raise ValueError(
            "a grid needs a setting with several values, such as learner.learning_rate=1e-3,3e-3"
        )
    run = fixed.pop("run").strip("'\"")
    output = Output.JSON if fixed.pop("output", "table").lower() == "json" else Output.TABLE
    combinations = itertools.product(*varied.values())
    jobs = [_job(fixed, dict(zip(varied, values, strict=True))) for values in combinations]
    return Grid(run=run, folder=Path(fixed.get("runs", "runs").strip("'\"")) / run, output=output, jobs=jobs)


def _job(fixed: Mapping[str, str], chosen: Mapping[str, str]) -> GridJob:
    """One job, with a name that depends on its own settings alone.

    A grid can so be given more values later without starting its finished jobs anew.
    """
    last = [key.rpartition(".")[2] for key in chosen]
    parts = [
        f"{short if last.count(short) == 1 else key}-{value}"
        for (key, value), short in zip(chosen.items(), last, strict=True)
    ]
    text = "__".join(parts)
    safe = re.sub(r"[^A-Za-z0-9._-]+", "_", text).strip("._")
    if safe != text or len(safe) > _MAX_NAME:
        # Two different values must never share a folder.
        safe = f"{safe[:_MAX_NAME]}-{hashlib.sha256(text.encode()).hexdigest()[:6]}"
    words = [f"{key}={value}" for key, value in {**fixed, **chosen}.items()]
    return GridJob(name=safe, words=words)


def _run_one(job: GridJob, folder: Path, command: Sequence[str]) -> bool:
    """Run one job and note how it ended; True if the grid is to stop."""
    if (folder / FINISHED).exists() and _settings_of(folder) == job.words:
        job.state = "skipped"
        return False
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / SETTINGS, json.dumps(job.words) + "\n")
    with (folder / LOG).open("ab") as log:
        start = log.tell()
        code = _wait_for(command, log)
    if code is None:
        job.state = "interrupted"
        return True
    if code == 0:
        # An act may also stop early because it was told to, and is then to go on next time.
        job.state = "finished" if (folder / FINISHED).exists() else "stopped"
        return False
    job.state = "failed"
    if code < 0:
        job.error = f"ended by {signal.Signals(-code).name}"
    else:
        job.error = _last_line(folder / LOG, start) or f"exit code {code}"
    return False


def _settings_of(folder: Path) -> Any:
    """The words that a job was last started with; None if they are not known."""
    path = folder / SETTINGS
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError):
        _say(f"{path} is damaged: the job is taken as not finished")
        return None


def _last_line(log: Path, start: int) -> str:
    """The last line with text that was written after `start` (bytes)."""
    with log.open("rb") as file:
        file.seek(start)
        lines = file.read().decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _wait_for(command: Sequence[str], log: Any) -> int | None:
    """Exit code of a child process, or None if the grid was interrupted and the child has ended.

    The child has a process group of its own, so that one Ctrl-C reaches it once: through us.
    """
    with _terminating_as_interrupt():
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, process_group=0)
        try:
            return child.wait()
        except KeyboardInterrupt:
            _say("interrupted: waiting for the job to save its state (Ctrl-C again ends it at once)")
            child.send_signal(signal.SIGINT)
            try:
                child.wait()
            except KeyboardInterrupt:
                child.kill()
                child.wait()
            return None


@contextlib.contextmanager
def _terminating_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP like Ctrl-C, so that no child goes on without its grid."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    previous = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _last_metrics(folder: Path) -> dict[str, Any]:
    """The last complete line of a job's metrics; empty if there is none."""
    try:
        lines = (folder / METRICS).read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return {}
    for line in reversed(lines):
        with contextlib.suppress(json.JSONDecodeError):  # a killed job may leave half a line
            values = json.loads(line, parse_constant=lambda name: None)  # a NaN is no JSON
            if isinstance(values, dict):
                return values
    return {}


def _table(jobs: Sequence[GridJob], columns: Sequence[str]) -> Table:
    """One row a job: name, state and last metrics."""
    table = Table("job", "state", *columns, *([] if columns else ["last metrics"]))
    for job in jobs:
        numbers = {k: f"{v:.4g}" for k, v in job.metrics.items() if isinstance(v, (int, float))}
        cells = [numbers.get(name, "") for name in columns]
        if not columns:
            cells = [" ".join(f"{name}={number}" for name, number in numbers.items())]
        table.add_row(job.name, job.state, *cells)
    return table


def _say(line: str) -> None:
    print(line.rstrip(), file=sys.stderr, flush=True)
