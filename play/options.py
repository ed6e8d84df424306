"""The options of a player: texts `KEY=VALUE` become a dataclass, whose fields say what they are."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar, get_type_hints

S = TypeVar("S")


def read_settings(kind: type[S], player: str, options: Mapping[str, str]) -> S:
    """Settings with the options given, the others at their defaults.

    Args:
        kind: A dataclass whose fields are whole numbers, numbers, texts, enums, true or false.
        player: Who takes the options; the errors begin with it.
        options: Names of fields and their values, as texts.

    Raises:
        ValueError: There is no such field, a text is not a value of its kind, or the settings refuse it.
    """
    kinds = get_type_hints(kind)
    values = {}
    for key, text in options.items():
        if key not in kinds:
            raise ValueError(f"{player}: an option must be one of {', '.join(kinds)}, got {key}")
        try:
            values[key] = _read_bool(text) if kinds[key] is bool else kinds[key](text)
        except ValueError:
            wanted = _wanted(kinds[key])
            raise ValueError(f"{player}: {key} must be {wanted}, got {text!r}") from None
    return kind(**values)


def _read_bool(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _wanted(kind: Any) -> str:
    if kind is bool:
        return "true or false"
    if issubclass(kind, Enum):
        return "one of " + ", ".join(str(member.value) for member in kind)
    return "a whole number" if kind is int else "a number"
