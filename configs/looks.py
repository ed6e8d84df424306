"""Settings of the acts that look at runs: `train status` and `chart`. Light, so that they start at once."""

import enum
from dataclasses import dataclass, field
from pathlib import Path

from dotzero.configs.job import Job

__all__ = ["Axis", "ChartJob", "StatusJob"]


class Axis(enum.Enum):
    """What the horizontal axis of a chart counts."""

    EVALUATIONS = "evaluations"
    SECONDS = "seconds"
    ITERATIONS = "iterations"


@dataclass(kw_only=True)
class StatusJob(Job):
    """Settings of `dotzero train status`."""

    run: str | None = None
    """Name of the run: its folder below `runs`; null: a line for every run."""
    runs: str = "runs"
    """Folder of all runs."""

    @property
    def folder(self) -> Path | None:
        """The run's folder."""
        return None if self.run is None else Path(self.runs) / self.run


@dataclass(kw_only=True)
class ChartJob(Job):
    """Settings of `dotzero chart`."""

    runs: list[str] = field(default_factory=list)
    """Folders of the runs."""
    out: str = "chart.png"
    """The picture to write, as PNG."""
    x: Axis = Axis.EVALUATIONS
    """What the horizontal axis counts: evaluations of self-play, seconds of training, or iterations."""
    y: list[str] = field(default_factory=list)
    """Numbers of the runs to draw, one chart each, with * for any part, as in judge/*/64/optimal; none: the
    judge's share of best lines and margin lost."""
    group: bool = False
    """Draw runs whose names differ only in a seed at the end (_s1, _s2) as one curve with their range."""

    def __post_init__(self) -> None:
        if not self.out.endswith(".png"):
            raise ValueError(f"ChartJob.out must end in .png, got {self.out}")
