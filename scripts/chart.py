"""Draw numbers of runs over time as a picture, the judge's first of all.

Examples:
    dotzero chart runs=[runs/a_s1,runs/a_s2,runs/b_s1,runs/b_s2] group=true out=chart.png
    dotzero chart runs=[runs/a] x=seconds 'y=[judge/*/64/lost,learner/policy]'

Without y two charts are drawn: the share of best lines, and the margin that a line costs. Needs matplotlib:
pip install 'dotzero[chart]'.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dotzero.mistakes import needed_for
from dotzero.scripts.command import Report, help_wanted, run_job

if TYPE_CHECKING:
    from dotzero.configs.looks import ChartJob
    from dotzero.train.curves import Curve

HEADLINE = ("judge/*/*/optimal", "judge/*/*/lost")
"""What is drawn unless something else is asked for."""
_AXES = {
    "evaluations": ("selfplay/total_evaluations", "evaluations in self-play"),
    "seconds": ("time/seconds", "seconds of training"),
    "iterations": ("iteration", "iterations"),
}
"""By the name of an axis, the number that it counts and what it says."""
_TITLES = {"optimal": "share of best lines", "lost": "margin lost a line"}
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Of Okabe and Ito, one a run; then from the start."""
_STROKES = ("-", "--", ":", "-.")
"""One for each number of a chart; then from the start."""


def main(argv: list[str]) -> int:
    """Run the act."""
    if help_wanted(argv, __doc__):
        return 0
    from dotzero.configs.looks import ChartJob

    return run_job(ChartJob, argv, chart)


def chart(job: "ChartJob") -> Report:
    """Read the runs, draw, and tell where the curves end."""
    _require_matplotlib()
    if not job.runs:
        raise ValueError("runs must name at least one run, got []")
    charts = _curves(job, job.y or list(HEADLINE))
    with needed_for("out", "a file that can be written", job.out):
        _draw(job, charts)
    data = {"out": job.out, "x": job.x.value, "charts": [_data(*pair) for pair in charts.items()]}
    return Report(data=data, shown=[_table(job, charts), f"wrote {job.out}"])


def _require_matplotlib() -> None:
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise ValueError("chart needs the package matplotlib: pip install 'dotzero[chart]'")


def _curves(job: "ChartJob", patterns: Sequence[str]) -> "dict[str, list[Curve]]":
    """The curves of every chart."""
    from dotzero.train.curves import curve, mean_curve, names_like, without_seed

    lines = {run: _lines(run) for run in dict.fromkeys(job.runs)}
    labels = {run: without_seed(run) if job.group else run for run in lines}
    x, _ = _AXES[job.x.value]
    charts: dict[str, list[Curve]] = {}
    for pattern in patterns:
        charts[pattern] = []
        for run, own in lines.items():
            if not names_like(own, pattern):
                raise ValueError(f"y must name a number that every run has, {run} has no {pattern}")
        for label in dict.fromkeys(labels.values()):
            runs = [own for run, own in lines.items() if labels[run] == label]
            for name in names_like(runs[0], pattern):
                several = job.group and len(runs) > 1
                charts[pattern].append(
                    mean_curve(label, runs, name, x) if several else curve(label, runs[0], name, x)
                )
    return charts


def _lines(run: str) -> list[dict[str, float]]:
    """The numbers of a run."""
    from dotzero.train.curves import read_metrics

    if not Path(run).is_dir():
        raise ValueError(f"runs must be folders of runs, {run} is none")
    lines = read_metrics(Path(run))
    if not lines:
        raise ValueError(f"runs must have finished an iteration, {run} has not")
    return lines


def _draw(job: "ChartJob", charts: "dict[str, list[Curve]]") -> None:
    """Write the picture, whole or not at all; no window, no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from dotzero.whole_files import open_whole

    figure = Figure(figsize=(6.4 * len(charts), 4.8), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (pattern, curves) in zip(
        figure.subplots(1, len(charts), squeeze=False)[0], charts.items(), strict=True
    ):
        _draw_curves(axes, curves)
        axes.set_title(_TITLES.get(pattern.rpartition("/")[2], pattern))
        axes.set_xlabel(_AXES[job.x.value][1])
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
    with open_whole(Path(job.out), "wb") as file:
        figure.savefig(file, format="png", dpi=120)


def _draw_curves(axes: Any, curves: "Sequence[Curve]") -> None:
    """One colour a run, one stroke a number; the range of several runs as a band."""
    labels = list(dict.fromkeys(one.label for one in curves))
    names = list(dict.fromkeys(one.name for one in curves))
    for one in curves:
        colour = _COLOURS[labels.index(one.label) % len(_COLOURS)]
        stroke = _STROKES[names.index(one.name) % len(_STROKES)]
        marker = "o" if len(one.x) == 1 else ""
        axes.plot(one.x, one.y, color=colour, linestyle=stroke, marker=marker, label=_legend(one))
        if one.num_runs > 1:
            axes.fill_between(one.x, one.low, one.high, color=colour, alpha=0.15, linewidth=0)


def _legend(one: "Curve") -> str:
    """The run and, of the judge's numbers, board and budget."""
    parts = one.name.split("/")
    what = " ".join(parts[1:-1]) if parts[-1] in _TITLES else one.name
    runs = f" ({one.num_runs} runs)" if one.num_runs > 1 else ""
    return f"{one.label} {what}{runs}"


def _table(job: "ChartJob", charts: "dict[str, list[Curve]]") -> Any:
    from rich.table import Table

    table = Table(title="at the end of the curves")
    for column in ("run", "number", job.x.value, "value", "range"):
        table.add_column(column, justify="left" if column in ("run", "number") else "right")
    for one in (one for curves in charts.values() for one in curves if one.x):
        spread = f"{one.low[-1]:.4f} .. {one.high[-1]:.4f}" if one.num_runs > 1 else ""
        table.add_row(one.label, one.name, f"{one.x[-1]:,.0f}", f"{one.y[-1]:.4f}", spread)
    return table


def _data(pattern: str, curves: "Sequence[Curve]") -> dict[str, Any]:
    from dataclasses import asdict

    return {"y": pattern, "curves": [asdict(one) for one in curves]}
