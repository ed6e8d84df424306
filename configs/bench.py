"""The settings of the two further jobs of `dotzero bench`: `plan` and `gpu`."""

from dataclasses import dataclass

import torch

from dotzero.configs.job import Job
from dotzero.configs.schema import TrainJob
from dotzero.models.backend import BackendConfig


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


@dataclass(kw_only=True)
class GpuJob(Job):
    """Settings of `dotzero bench gpu`."""

    device: str = "cuda"
    """The GPU: cuda, cuda:0 and so on; cpu only tries the check itself."""
    seconds: float = 5.0
    """Time for each figure, in seconds; self-play makes at least one move in every game."""
    train_seconds: float = 120.0
    """Time of the training on 3x3 boxes, in seconds; 0: none."""
    out: str | None = None
    """A file for the result as JSON."""

    def __post_init__(self) -> None:
        try:
            BackendConfig(device=self.device)
        except ValueError as error:
            raise ValueError(str(error).replace("BackendConfig", "GpuJob")) from None
        if self.seconds <= 0:
            raise ValueError(f"GpuJob.seconds must be above 0, got {self.seconds}")
        if self.train_seconds < 0:
            raise ValueError(f"GpuJob.train_seconds must be at least 0, got {self.train_seconds}")

    @property
    def missing(self) -> bool:
        """Whether this machine, or this build of torch, has no such device."""
        wanted = torch.device(self.device)
        if wanted.type == "cpu":
            return False
        return not torch.cuda.is_available() or (wanted.index or 0) >= torch.cuda.device_count()
