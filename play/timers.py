"""Time that runs out: the clocks of both players, and the countdown of a player who goes on alone.

The one idea: a timer is told how to read the time. So a game whose clocks run is tested, saved and restored
without anybody waiting.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Now = Callable[[], float]
"""Reads the time, in seconds from any beginning; it never goes back."""

LONGEST = 7 * 86400.0
"""Seconds of the longest time that can be agreed on: a week."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeControl:
    """How much time both players have for a game."""

    seconds: float
    """For all moves, above 0."""
    increment: float = 0.0
    """Seconds added at the end of each turn; a turn of many lines is one."""

    def __post_init__(self) -> None:
        for name, least in (("seconds", 1.0), ("increment", 0.0)):
            value = getattr(self, name)
            if not is_seconds(value) or value < least:
                raise ValueError(f"clock.{name} must be seconds in {least:g}..{LONGEST:g}, got {value!r}")

    @classmethod
    def from_json(cls, data: Any) -> "TimeControl":
        """Read what `to_json` has written.

        Raises:
            ValueError: It has another form.
        """
        if not isinstance(data, dict) or not {"seconds"} <= set(data) <= {"seconds", "increment"}:
            raise ValueError(f"clock must have the fields seconds and increment, got {data!r:.60}")
        return cls(**data)

    def to_json(self) -> dict[str, float]:
        """Plain values."""
        return {"seconds": self.seconds, "increment": self.increment}


class Timer:
    """Seconds that are left; a running timer loses them as time passes, and stops at 0."""

    def __init__(self, seconds: float, now: Now) -> None:
        self._left, self._now = float(seconds), now
        self._since: float | None = None

    @property
    def left(self) -> float:
        """Seconds left now, at least 0."""
        passed = 0.0 if self._since is None else self._now() - self._since
        return max(0.0, self._left - passed)

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return self._since is not None

    def start(self) -> None:
        """Let it run, if it does not."""
        if self._since is None:
            self._since = self._now()

    def stop(self) -> None:
        """Stop it, if it runs."""
        self._left, self._since = self.left, None

    def set(self, seconds: float) -> None:
        """Put it at a number of seconds; it goes on running, or not."""
        self._left = float(seconds)
        if self._since is not None:
            self._since = self._now()


def is_seconds(value: object) -> bool:
    """Whether a value from outside is a time from 0 to `LONGEST`."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return 0 <= value <= LONGEST  # NaN is in no range
