"""JSON objects out of a stream, one by one: a line each, over several lines, or in an array.

Decoded is strictly: no name twice, no NaN, no text with half a character. An object of one line, which is the
rule, is decoded at once; of one over several lines the end is looked for first, without recursion.
"""

import json
import re
from typing import Any, NamedTuple, NoReturn

from dotzero.envs.game_records import RecordError, shown
from dotzero.envs.records_source import LARGEST_RECORD, Chunk, Source, TooLongError

_DEEPEST = 64
"""Levels of nesting that an object over several lines may have."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|["{}\[\]]')
_BETWEEN = " \t\r\n,[]"
"""What may stand between objects: those of an array have it."""


class JsonObject(NamedTuple):
    """An object and where it begins.

    Attributes:
        line: From 1.
        data: What it holds.
    """

    line: int
    data: dict[str, Any]


def next_object(source: Source) -> JsonObject | None:
    """Decode the next object of a stream; None at its end.

    Raises:
        RecordError: Other text, or an object that is damaged. The stream then goes on behind it, or at a line
            inside of it that begins as an object.
    """
    try:
        first = _first_line(source)
        if first is None:
            return None
        data, end = _decode(first)
    except TooLongError as error:
        raise RecordError(str(error), line=error.line) from None
    except _NotJsonError as error:
        assert first is not None
        chunk = _over_lines(source, first, error)
        try:
            data, end = _decode(chunk)
        except _NotJsonError as wrong:
            _resume(source, chunk)
            raise wrong.as_record_error() from None
        source.push_back(chunk.line + chunk.text.count("\n", 0, end), chunk.text[end:])
    else:
        source.push_back(first.line, first.text[end:])
    if not isinstance(data, dict):
        raise RecordError(f"must be an object, got {shown(data)}", line=first.line)
    return JsonObject(first.line, data)


class _NotJsonError(ValueError):
    """Text that cannot be decoded."""

    def __init__(self, reason: str, line: int) -> None:
        self.reason, self.line = reason, line
        super().__init__(reason)

    def as_record_error(self) -> RecordError:
        return RecordError(f"must be JSON: {self.reason}", line=self.line)


def _first_line(source: Source) -> Chunk | None:
    """The next line with an object, from the object on.

    Raises:
        RecordError: Other text stands before it, all of which has been passed over.
    """
    while (item := source.whole_line()) is not None:
        text = item.text.lstrip(_BETWEEN)
        if text.startswith("{"):
            return Chunk(item.line, text)
        if text:
            _pass_over(source)
            raise RecordError(f"an object must begin with {{, got {shown(text.strip())}", line=item.line)
    return None


def _over_lines(source: Source, first: Chunk, error: _NotJsonError) -> Chunk:
    """The text of an object that its first line does not hold.

    Raises:
        RecordError: It does not end, or not before another one begins.
    """
    kept, size, depth, last = [first.text], 0, 0, first.text
    while True:
        depth, closed = _scan(last, depth)
        size += len(last)
        if closed:
            return Chunk(first.line, "".join(kept))
        broken = not 0 <= depth <= _DEEPEST or size > LARGEST_RECORD
        after = None if broken else source.whole_line()
        if after is not None and after.text.startswith("{"):
            broken = last.rstrip()[-1:] not in ("", ",", ":", "[")
        if after is not None:
            kept.append(after.text)
        if broken or after is None:
            if not _resume(source, Chunk(first.line, "".join(kept))):
                _pass_over(source)
            raise error.as_record_error()
        last = after.text


def _scan(text: str, depth: int) -> tuple[int, bool]:
    """The depth of brackets after a line, below 0 where it is damaged, and whether an object ends in it."""
    for token in _TOKEN.findall(text):
        if token == '"':
            return -1, False  # a text that does not end in its line
        if token in "{[":
            depth += 1
        elif token in "}]":
            depth -= 1
            if depth == 0:
                return 0, True
    return depth, False


def _resume(source: Source, broken: Chunk) -> bool:
    """Go on in the stream where an object seems to begin inside of one that is damaged, if one does."""
    place = broken.text.find("\n{") + 1
    if place:
        source.push_back(broken.line + broken.text.count("\n", 0, place), broken.text[place:])
    return place > 0


def _pass_over(source: Source) -> None:
    """Go on in the stream at the next line that begins as an object."""
    while True:
        try:
            item = source.whole_line()
        except TooLongError:
            continue
        if item is None:
            return
        if item.text.lstrip(_BETWEEN).startswith("{"):
            source.push_back(*item)
            return


def _decode(chunk: Chunk) -> tuple[Any, int]:
    """What a text that begins with an object holds, and where the object ends."""
    try:
        return _DECODER.raw_decode(chunk.text.rstrip())
    except json.JSONDecodeError as error:
        reason = f"{error.msg.removesuffix(' at')} at character {error.colno}"
        raise _NotJsonError(reason, chunk.line + error.lineno - 1) from None
    except RecursionError:
        raise _NotJsonError("it is nested too deeply", chunk.line) from None
    except ValueError as error:  # ours, and of numbers with thousands of digits
        raise _NotJsonError(str(error), chunk.line) from None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)
