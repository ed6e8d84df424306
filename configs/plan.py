"""The settings of `dotzero bench plan`: a whole run's, and how long to measure."""

from dataclasses import dataclass

from dotzero.configs.schema import TrainJob


@dataclass(kw_only=True)
class PlanJob(TrainJob):
    """Settings of `dotzero bench plan`: those of the run that is planned, and two of its own."""

    positions: int = 1_000_000
    """Recorded positions whose time is asked for."""
    seconds: float = 5.0
    """Time for each of three measurements, in seconds; each plays at least one move in every game."""

    def __post_init__(self) -> None:
        TrainJob.__post_init__(self)
        if self.positions < 1:
            raise ValueError(f"PlanJob.positions must be at least 1, got {self.positions}")
        if self.seconds <= 0:
            raise ValueError(f"PlanJob.seconds must be above 0, got {self.seconds}")
