"""Records of games: files of any length in every format that is read here, one game after another.

    jsonl        both games: our own form and the arena's, an object of JSON a line (`json_records.py`)
    sgf          Kropki: Smart Game Format GM[40], of servers and engines (`kropki_sgf.py`)
    text         Boxes: turns of lines such as A1R, with tags (`boxes_text_records.py`)
    dots         Boxes: the same with lines such as a1-b1
    open_spiel   Boxes: the same with actions such as P1(h,0,0)
    hrc          Boxes: the same with lines such as h 0 0
    lines        Boxes: the same with one string of 0 and 1 a position
    ccgc         Boxes: JSON of the Chinese computer games championship (`ccgc_records.py`)

The format of a file is found by how its records begin. A file is read as a stream, and a damaged record costs
no more than itself: reading can go on with the next one.

    for record in read_records("games.sgf"):
        verdict = replay(record)
        print(verdict.score, verdict.result, verdict.agrees)

Players are 0 and 1 in Python's lists of movers, 1 and 2 in files, names of files, results and messages.
"""

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from dotzero.envs.boxes_line_records import SPELLINGS, TOKEN
from dotzero.envs.boxes_text_records import next_text, read_text, write_text
from dotzero.envs.ccgc_records import ccgc_file_name, ccgc_name_note, is_ccgc, read_ccgc, write_ccgc
from dotzero.envs.game_records import Ending, Record, RecordError, shown
from dotzero.envs.json_records import read_object, write_object
from dotzero.envs.json_stream_records import next_object
from dotzero.envs.kropki_sgf import read_tree
from dotzero.envs.kropki_sgf_writer import write_tree
from dotzero.envs.records_source import Chunk, Source
from dotzero.envs.replayed_records import Verdict, completed, replay
from dotzero.envs.sgf import next_tree
from dotzero.whole_files import open_whole

__all__ = [
    "FORMATS",
    "Ending",
    "Record",
    "RecordError",
    "Verdict",
    "ccgc_file_name",
    "completed",
    "open_records",
    "read_records",
    "replay",
    "write_record",
    "write_records",
]

FORMATS: Mapping[str, Callable[[Record], str]] = MappingProxyType(
    {
        "jsonl": write_object,
        "sgf": write_tree,
        **{spelling: partial(write_text, spelling=spelling) for spelling in SPELLINGS},
        "ccgc": write_ccgc,
    }
)
"""Writers of all formats by name."""
Damage = Callable[[RecordError], None]
"""Told of a record that is passed over."""

_SEARCHED = 200
"""Lines (or pieces of very long ones) in which the beginning of a record is looked for."""
_BEGINNINGS = {
    "sgf": re.compile(r"\s*\(\s*(?:;|$)"),
    "json": re.compile(r'[\s,\[]*\{\s*(?:["}]|$)|\s*\[\s*$'),
    "text": re.compile(r'\s*\[\s*[A-Za-z]\w*\s+"'),
}
"""What a line looks like with which a record of each kind begins; text may begin with its lines, too."""


def read_records(
    source: str | os.PathLike[str] | IO[Any],
    on_damage: Damage | None = None,
    size: tuple[int, int] | None = None,
) -> Iterator[Record]:
    """The records of a file or a stream, one by one, whatever their format.

    Args:
        source: A path, or an open stream of bytes or of text, which stays open.
        on_damage: Called with the error of every record that cannot be read, after which reading goes on with
            the next; None: the first one is raised.
        size: Rows and columns of boxes, for records of Dots and Boxes that do not tell them.

    Raises:
        RecordError: A record is damaged; the message names line, node or move, and reason.
        OSError: The file cannot be read.
    """
    if not isinstance(source, str | os.PathLike):
        yield from _records(Source(source), on_damage, size, stem="")
        return
    with open(source, "rb") as stream:
        yield from _records(Source(stream), on_damage, size, Path(source).stem)


def write_record(record: Record, format: str) -> str:
    """A record as text that can follow other records of the same format in a file.

    Raises:
        ValueError: There is no such format.
        RecordError: The format cannot hold the record.
    """
    return _writer(format)(record)


def _writer(format: str) -> Callable[[Record], str]:
    if format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {format}")
    return FORMATS[format]


@contextlib.contextmanager
def open_records(path: str | os.PathLike[str], format: str) -> Iterator[Callable[[Record], None]]:
    """A file to put records into one by one, which is there when it is whole and not before (`open_whole`).

        with open_records("games.jsonl", "jsonl") as put:
            put(record)

    Args:
        path: The file; its folder must exist.
        format: One of `FORMATS`.

    Raises:
        ValueError: There is no such format.
        RecordError: From `put`: the format cannot hold the record, of which nothing is written then.
        OSError: The file cannot be written. After this or any other error what was there before is unchanged.
    """
    write = _writer(format)
    with open_whole(Path(path), "w", encoding="utf-8", newline="") as file:
        yield lambda record: _put(file, write(record))


def _put(file: IO[str], text: str) -> None:
    file.write(text)


def write_records(path: str | os.PathLike[str], records: Iterable[Record], format: str) -> int:
    """Write records, taken one by one, as a file; see `open_records`. Returns how many there were."""
    number = 0
    with open_records(path, format) as put:
        for number, record in enumerate(records, 1):  # noqa: B007  (the last number is the result)
            put(record)
    return number


def _records(
    source: Source, on_damage: Damage | None, size: tuple[int, int] | None, stem: str
) -> Iterator[Record]:
    """The records of a source; `stem` is the name of its file without the ending, or nothing."""
    next_record: Callable[[], Record | None] | None = None
    while True:
        try:
            if next_record is None:
                next_record = _reader(source, size, stem)
            record = next_record()
        except RecordError as error:
            if on_damage is None:
                raise
            on_damage(error)
            if next_record is None:
                return
            continue
        if record is None:
            return
        yield record


def _reader(source: Source, size: tuple[int, int] | None, stem: str) -> Callable[[], Record | None]:
    """What takes the next record out of a source; None at its end.

    Raises:
        RecordError: The source begins as none of the formats.
    """
    begun, kind = _begin(source)
    if kind == "sgf":
        return lambda: _read(next_tree(source), read_tree)
    if kind == "json":
        return lambda: _read(next_object(source), partial(_read_object, stem=stem))
    if kind is None and begun is not None:
        rule = "a record must begin as SGF, JSON, or lines such as A1R"
        raise RecordError(f"{rule}, got {shown(begun.text.strip())}", line=begun.line)
    return lambda: _read(next_text(source), partial(read_text, size=size))


def _begin(source: Source) -> tuple[Chunk | None, str | None]:
    """The first line that is not empty, and the kind of the first that begins as a record can."""
    looked_at: list[Chunk] = []
    first, kind = None, None
    while kind is None and len(looked_at) < _SEARCHED and (item := source.next()) is not None:
        looked_at.append(item)
        if item.text.strip():
            first = first or item
            kind = _kind(item.text)
    for item in reversed(looked_at):
        source.push_back(*item)
    if kind is None and first is not None and _kind(first.text, whole=False):
        kind = "text"  # with a mistake in its first line
    return first, kind


def _kind(text: str, whole: bool = True) -> str | None:
    """The kind of record that begins with a line; text may begin with lines, alone or with something else."""
    for kind, beginning in _BEGINNINGS.items():
        if beginning.match(text):
            return kind
    position, kinds = 0, set()
    while (token := TOKEN.match(text, position)) is not None:
        kinds.add(token.lastgroup)
        position = token.end()
    has_lines = not kinds.isdisjoint(SPELLINGS) or (whole and "end" in kinds)
    return "text" if has_lines and (position == len(text) or not whole) else None


def _read(item: Any, read: Callable[[Any], Record]) -> Record | None:
    return None if item is None else read(item)


def _read_object(item: Any, stem: str) -> Record:
    if not is_ccgc(item.data):
        return read_object(item)
    record = read_ccgc(item)
    note = ccgc_name_note(record, stem)
    return record if note is None else replace(record, notes=(*record.notes, note))
