"""Numbers of runs over time, read from their `metrics.jsonl` and made curves of. Loads no torch.

A line is one iteration: a JSON object of numbers, with "iteration" from 1. A run that is being written may
have the beginning of a line at its end, and after a kill lines of iterations that were never committed.

Runs of one configuration with different seeds have their names end in the seed, as in `boxes_s1` and
`boxes_s2`; together they make one curve, the mean, with the range from the lowest to the highest.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

METRICS = "metrics.jsonl"
"""Name of the file in a run's folder."""
_SEED = re.compile(r"[_,/-](s|seed=?)\d+$")
"""The seed at the end of a run's name: first_s1, first-seed2, grid/seed=3."""


@dataclass(kw_only=True, slots=True)
class Curve:
    """One number of one run, or of several that differ in their seeds, over time."""

    label: str
    """The run, or what the names of the runs have in common."""
    name: str
    """Of the number, as in "judge/3x3/64/optimal"."""
    x: list[float]
    """Where the number was taken, ascending; of several runs the mean."""
    y: list[float]
    """The number; of several runs the mean."""
    low: list[float]
    """Of several runs the lowest, of one the number itself."""
    high: list[float]
    """Of several runs the highest, of one the number itself."""
    num_runs: int = 1
    """How many runs it is of."""


def complete_lines(path: Path) -> list[str]:
    """The lines of a file that are whole, none where it is absent.

    What stands behind the last line break was cut off by a kill, or is being written.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    return text.split("\n")[:-1]


def parse_line(path: Path, number: int, line: str) -> dict[str, Any]:
    """The numbers of one iteration.

    Args:
        path: The file, for the message.
        number: Of the line, from 1.
        line: The line.

    Raises:
        ValueError: It is no JSON object with a whole "iteration".
    """
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict) or not isinstance(values.get("iteration"), int):
        raise ValueError(f"{path} is damaged: line {number} is no JSON object with an iteration")
    return values


def read_metrics(folder: Path, last: int | None = None) -> list[dict[str, float]]:
    """The numbers of a run's iterations, in order; none where nothing was written yet.

    Args:
        folder: The run's folder.
        last: The last iteration that counts; None: all do.

    Returns:
        A dictionary an iteration, with "iteration"; what is not finite is left out.

    Raises:
        ValueError: A line is damaged; the message names it.
    """
    path = folder / METRICS
    lines = (parse_line(path, number, line) for number, line in enumerate(complete_lines(path), 1))
    return [_numbers(values) for values in lines if last is None or values["iteration"] <= last]


def _numbers(values: dict[str, Any]) -> dict[str, float]:
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, int | float) and math.isfinite(value)
    }


def names_like(lines: Sequence[Mapping[str, float]], pattern: str) -> list[str]:
    """Names of the numbers that fit, in the order of their first coming; * is any part between slashes."""
    fits = re.compile("[^/]+".join(map(re.escape, pattern.split("*"))))
    return [name for name in dict.fromkeys(key for line in lines for key in line) if fits.fullmatch(name)]


def curve(label: str, lines: Sequence[Mapping[str, float]], name: str, x: str) -> Curve:
    """A number of one run over another one, such as "selfplay/total_evaluations" or "iteration"."""
    points = [(line[x], line[name]) for line in lines if x in line and name in line]
    values = [value for _, value in points]
    return Curve(
        label=label,
        name=name,
        x=[place for place, _ in points],
        y=values,
        low=list(values),
        high=list(values),
    )


def without_seed(label: str) -> str:
    """A run's name without the seed at its end."""
    return _SEED.sub("", label)


def mean_curve(label: str, runs: Sequence[Sequence[Mapping[str, float]]], name: str, x: str) -> Curve:
    """Mean and range of a number over runs, at the iterations at which all of them have it."""
    tables = [{line["iteration"]: line for line in lines if x in line and name in line} for lines in runs]
    shared = sorted(set.intersection(*(set(table) for table in tables)))
    columns = [[table[iteration] for table in tables] for iteration in shared]
    values = [[line[name] for line in column] for column in columns]
    return Curve(
        label=label,
        name=name,
        x=[sum(line[x] for line in column) / len(column) for column in columns],
        y=[sum(column) / len(column) for column in values],
        low=[min(column) for column in values],
        high=[max(column) for column in values],
        num_runs=len(runs),
    )
