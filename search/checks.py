"""A check that the settings of several parts share."""

import math
from dataclasses import fields
from typing import Any

MAX_SIMULATIONS = 1_000_000
"""Most simulations of one search: the memory of its tree is taken at once."""


def require_finite(settings: Any) -> None:
    """Refuse infinite numbers and NaN in the fields of a dataclass.

    Comparisons such as "at least 0" let infinity through, and NaN slips past those that are written the other
    way round.

    Raises:
        ValueError: A field is not finite; the message names it.
    """
    for item in fields(settings):
        value = getattr(settings, item.name)
        if isinstance(value, float) and not math.isfinite(value):
            name = f"{type(settings).__name__}.{item.name}"
            raise ValueError(f"{name} must be a finite number, got {value}")


def require_at_most(settings: Any, limit: int, *names: str) -> None:
    """Refuse whole numbers that the core could not take.

    Args:
        settings: A dataclass.
        limit: The largest accepted value.
        names: The fields.

    Raises:
        ValueError: A field is larger; the message names it.
    """
    for name in names:
        if getattr(settings, name) > limit:
            raise ValueError(
                f"{type(settings).__name__}.{name} must be at most {limit}, got {getattr(settings, name)}"
            )
