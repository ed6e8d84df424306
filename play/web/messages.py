"""What the page may say: every message is checked here, and nowhere else.

The one idea: a message is an object of JSON with a `type` and exactly the fields that belong to it, each of
the kind that it must be. Whatever else comes is refused in one line, and nothing behind this module looks at
it.
"""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from dotzero.play.agreements import Terms
from dotzero.play.engine_requests import read_line, shown
from dotzero.play.seats import Language
from dotzero.play.web.refusals import RefusedError

MOST_BYTES = 2**16
"""Of one message."""
LONGEST_DELAY = 5.0
"""Seconds between two lines of a computer."""
_MOST_MOVES = 10**4
_LONGEST_WORD = 64

Check = Callable[[Any], bool]


class Message(NamedTuple):
    """One thing that the page says."""

    type: str
    fields: dict[str, Any]


class _Field(NamedTuple):
    check: Check
    rule: str
    key: str = ""
    """Of the page's text, where a person may have given what breaks the rule."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_WORD and value.isprintable()


_OBJECT = _Field(lambda value: isinstance(value, Mapping), "an object")
_WORD = _Field(_is_word, f"a word of at most {_LONGEST_WORD} characters")
_PROFILE = _WORD._replace(key="profile")
_TEXT = _Field(lambda value: isinstance(value, str), "a text")
_FLAG = _Field(lambda value: isinstance(value, bool), "true or false")
_LANGUAGE = _Field(lambda value: value in list(Language), "en or ru")
_TERMS = _Field(lambda value: value in list(Terms), "score or draw")
_FORMAT = _Field(lambda value: value in ("jsonl", "sgf", "text"), "jsonl, sgf or text")
_DELAY = _Field(
    lambda value: _is_number(value) and 0 <= value <= LONGEST_DELAY, f"seconds in 0..{LONGEST_DELAY:g}"
)
_PLACE = _Field(
    lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_MOVES,
    f"a number of moves in 0..{_MOST_MOVES}",
)

MESSAGES: Mapping[str, Mapping[str, _Field]] = MappingProxyType(
    {
        "hello": {"language": _LANGUAGE, "profile": _PROFILE},
        "language": {"language": _LANGUAGE},
        "check": {"settings": _OBJECT},
        "new": {"settings": _OBJECT},
        "continue": {"id": _WORD},
        "drop": {"id": _WORD},
        "leave": {},
        "delay": {"seconds": _DELAY},
        "move": {"move": _WORD},
        "undo": {},
        "pause": {},
        "resume": {},
        "resign": {},
        "offer": {"terms": _TERMS},
        "answer": {"accept": _FLAG},
        "hint": {},
        "look": {"at": _PLACE},
        "board": {"at": _PLACE},
        "analyse": {"at": _PLACE},
        "graph": {},
        "record": {"format": _FORMAT},
        "load": {"text": _TEXT, "cut": _FLAG},
        "statistics": {},
    }
)
"""All types of messages, with their fields."""


def read_message(text: str | bytes) -> Message:
    """Read one message.

    Raises:
        ValueError: It is not JSON, of no known type, or has other fields, in one line.
    """
    line = read_line(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    if line.fault is not None:
        raise ValueError(f"message: {line.fault}")
    kind = line.fields.get("type")
    if not isinstance(kind, str) or kind not in MESSAGES:
        raise ValueError(f"message.type must be one of {', '.join(MESSAGES)}, got {shown(kind)}")
    known, given = MESSAGES[kind], {name: value for name, value in line.fields.items() if name != "type"}
    for name in given:
        if name not in known:
            raise ValueError(f"message {kind} must have the fields {', '.join(known)}, got {shown(name)}")
    for name, field in known.items():
        if name not in given:
            raise ValueError(f"message {kind} must have the field {name}")
        if not field.check(given[name]):
            text = f"message {kind}.{name} must be {field.rule}, got {shown(given[name])}"
            raise RefusedError(text, field.key, most=_LONGEST_WORD) if field.key else ValueError(text)
    return Message(kind, given)
