"""What every job's settings have in common."""

import enum
from dataclasses import dataclass

__all__ = ["Job", "Output"]


class Output(enum.Enum):
    """How a job shows its result on standard output."""

    TABLE = "table"
    JSON = "json"


@dataclass(kw_only=True)
class Job:
    """Base of the settings of `train`, `export`, `arena`, `bench` and `evaluate`."""

    output: Output = Output.TABLE
    """A table for people, or one JSON object and nothing else on standard output."""
