"""Settings by their names with dots, as they are written on the command line."""

from collections.abc import Iterator, Mapping
from typing import Any


def flat_settings(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Names and values, groups taken apart; a group without settings stays what it is."""
    for name, value in settings.items():
        if isinstance(value, Mapping) and value:
            yield from flat_settings(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
