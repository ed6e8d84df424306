"""Requests to the engine: one JSON object a line, read strictly.

The one idea: a line is read as far as it can be, and what is wrong with it is noted instead of raised. So the
answer to a faulty line still carries the `id` that the line has. Whatever JSON readers differ in is refused:
names given twice, NaN and infinite numbers, numbers of hundreds of digits, deep nesting.

The fields stand in `engine.py`. One that is null counts as absent.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from dotzero.play.players import Budget

MOST_DEPTH = 32
"""Lists and objects inside each other, the request included."""
MOST_DIGITS = 100
"""Characters of a number."""
MOST_SEED = 2**64 - 1
_SHOWN = 60
"""Characters of a wrong value that an error shows."""


class Line(NamedTuple):
    """A line, as far as it could be read."""

    id: Any
    """The request's own `id`; None where it has none that can be read."""
    fields: dict[str, Any]
    """All fields of the request, `id` included; empty where it is no JSON object."""
    fault: str | None
    """What is wrong with the line, in one line; None if it is a JSON object."""


class Query(StrEnum):
    """What can be asked."""

    STATE = "state"
    """The position after some moves."""
    MOVE = "move"
    """What a level plays."""
    ANALYZE = "analyze"
    """What is known of a position."""
    LEVELS = "levels"
    """Which levels there are."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """One question."""

    query: Query
    game: str | None
    """Name of the game; None only where levels of all games are asked for."""
    rules: Mapping[str, Any]
    """Fields of the rules; whether they are some shows when the game is made."""
    position: Mapping[str, Any] | None
    """Where the moves begin; None: the start of the game."""
    moves: tuple[str, ...]
    level: str | None
    """A player's specification."""
    seed: int
    budget: Budget | None


def read_line(line: bytes) -> Line:
    """Read a line as a JSON object."""
    try:
        text = line.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        return _fault(f"line must be UTF-8, got byte 0x{line[error.start]:02x} at place {error.start + 1}")
    if not text.strip():
        return _fault("line must hold a JSON object, got an empty line")
    reader = _Reader()
    try:
        data = reader.read(text)
    except json.JSONDecodeError as error:
        return _fault(f"line must be JSON, wrong at place {error.pos + 1}: {error.msg}")
    except RecursionError:
        return _fault(f"line must be nested at most {MOST_DEPTH} deep")
    if _deeper_than(data, MOST_DEPTH):
        return _fault(f"line must be nested at most {MOST_DEPTH} deep")
    if not isinstance(data, dict):
        return _fault(f"line must hold a JSON object, got {shown(data)}")
    return Line(data.get("id"), data, reader.fault)


def read_request(fields: Mapping[str, Any]) -> Request:
    """Read the fields of a request.

    Raises:
        ValueError: A field is unknown, missing or of a wrong kind, in one line that names it.
    """
    names = ("id", "query", "game", "rules", "moves", "position", "level", "seed", "budget")
    unknown = [name for name in fields if name not in names]
    if unknown:
        raise ValueError(f"request must have the fields {', '.join(names)}, got {shown(unknown[0])}")
    given = {name: value for name, value in fields.items() if value is not None}
    queries = [query.value for query in Query]
    if given.get("query") not in queries:
        known = ", ".join(queries)
        raise ValueError(f"query must be one of {known}, got {shown(fields.get('query'))}")
    query = Query(given["query"])
    for name, wanted in (("game", query is not Query.LEVELS), ("level", query is Query.MOVE)):
        if wanted and name not in given:
            raise ValueError(f"{name} must be given with the query {query}")
    return Request(
        query=query,
        game=_text(given, "game"),
        rules=_object(given, "rules") or {},
        position=_object(given, "position"),
        moves=_moves(given),
        level=_text(given, "level"),
        seed=_seed(given),
        budget=_budget(given),
    )


def shown(value: Any) -> str:
    """A value of a request as an error shows it: as JSON, in one line, shortened."""
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 4]} ..."


class _Reader:
    """Reads JSON and notes the first thing that is allowed by the standard library only, or ambiguous."""

    def __init__(self) -> None:
        self.fault: str | None = None

    def read(self, text: str) -> Any:
        return json.loads(
            text,
            object_pairs_hook=self._object,
            parse_constant=self._constant,
            parse_int=self._whole,
            parse_float=self._real,
        )

    def _note(self, fault: str) -> None:
        self.fault = self.fault or fault

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for name, value in pairs:
            if name in fields:
                self._note(f"line must name a field once, got {shown(name)} twice")
                value = None  # neither of the two is meant for sure
            fields[name] = value
        return fields

    def _constant(self, text: str) -> None:
        self._note(f"line must hold finite numbers, got {text}")

    def _whole(self, text: str) -> int | None:
        if len(text) > MOST_DIGITS:
            self._note(f"line must hold numbers of at most {MOST_DIGITS} characters, got {len(text)}")
            return None
        return int(text)

    def _real(self, text: str) -> float | None:
        value = float(text) if len(text) <= MOST_DIGITS else math.inf
        if not math.isfinite(value):
            self._note(f"line must hold finite numbers of at most {MOST_DIGITS} characters, got {text[:20]}")
            return None
        return value


def _fault(text: str) -> Line:
    return Line(None, {}, text)


def _deeper_than(data: Any, most: int) -> bool:
    """Whether lists and objects are nested deeper; layer by layer, so that no depth is too much."""
    layer = [data]
    for _ in range(most + 1):
        layer = [item for item in layer if isinstance(item, (dict, list))]
        if not layer:
            return False
        layer = [part for item in layer for part in (item.values() if isinstance(item, dict) else item)]
    return True


def _text(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is not None and not (isinstance(value, str) and value.isprintable()):
        raise ValueError(f"{name} must be a text of one line, got {shown(value)}")
    return value


def _object(given: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    value = given.get(name)
    if value is not None and not isinstance(value, dict):
        raise ValueError(f"{name} must be an object, got {shown(value)}")
    return value


def _moves(given: Mapping[str, Any]) -> tuple[str, ...]:
    value = given.get("moves", [])
    if not isinstance(value, list):
        raise ValueError(f"moves must be a list of names, got {shown(value)}")
    for number, name in enumerate(value, 1):
        if not isinstance(name, str):
            raise ValueError(f"moves must be a list of names, got {shown(name)} as move {number}")
    return tuple(value)


def _seed(given: Mapping[str, Any]) -> int:
    value = given.get("seed", 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_SEED:
        raise ValueError(f"seed must be a whole number in 0..{MOST_SEED}, got {shown(value)}")
    return value


def _budget(given: Mapping[str, Any]) -> Budget | None:
    value = _object(given, "budget")
    if value is None:
        return None
    for name in value:
        if name not in ("simulations", "seconds"):
            raise ValueError(f"budget must have either simulations or seconds, got {shown(name)}")
    return Budget(simulations=value.get("simulations"), seconds=value.get("seconds"))
