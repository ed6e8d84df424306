"""Records of Dots and Boxes as the Chinese computer games championship writes them: JSON, and file names.

    {"R": "Alpha", "B": "Beta", "winner": "R", "RScore": 13, "BScore": 12, "Date": "2022-08-06",
     "Event": "2022 CCGC", "game": [{"piece": "r(a6,h)"}, {"piece": "b(c3,v)"}, ...]}

R moves first; every line has an entry, so a player who takes boxes has several in a row. A letter is a column
of dots from the left, a digit a row of dots from the bottom; from this dot a line h runs to the right, a line
v upwards. An entry may have an `annotation`. The board is always 5x5 boxes. File names tell players and
winner: `DB：Alpha vs Beta：先手胜.txt`, or 后手胜 where the second player has won.
"""

import json
import re
from typing import Any

from dotzero.envs.boxes import BoxesRules, LinePlace, line_at, line_place
from dotzero.envs.game_records import Record, RecordError, shown
from dotzero.envs.json_stream_records import JsonObject

SIDE = 5
"""Boxes along each side of the board."""
_RULES = BoxesRules(rows=SIDE, columns=SIDE)
_COLOURS = "rb"
_PIECE = re.compile(r"([rb])\(([a-f])([1-6]),([hv])\)")
_HEADERS = {"Date": "date", "Event": "event"}
_SUFFIXES = {1: "先手胜", 2: "后手胜"}
_FILE_NAME = re.compile(r"DB[：:](.*) vs (.*)[：:](先手胜|后手胜)", re.DOTALL)
_UNSAFE = re.compile(r'[\x00-\x1f<>:"/\\|?*：]')


def is_ccgc(data: dict[str, Any]) -> bool:
    """Whether an object of JSON is meant as a record of this kind."""
    return isinstance(data.get("game"), list)


def read_ccgc(item: JsonObject) -> Record:
    """The record that an object holds.

    Raises:
        RecordError: A field is unknown, missing or wrong.
    """
    data, line = item.data, item.line
    fields: dict[str, Any] = {"rules": _RULES, "comments": {}, "headers": {}}
    moves, movers = [], []
    for number, entry in enumerate(data["game"], 1):
        action, player = _piece(entry, line, f"piece {number}")
        moves.append(action)
        movers.append(player)
        if "annotation" in entry:
            fields["comments"][number] = _text(entry, "annotation", line)
    for name in data:
        if name in _HEADERS:
            fields["headers"][_HEADERS[name]] = _text(data, name, line)
        elif name not in ("R", "B", "winner", "RScore", "BScore", "game"):
            raise RecordError(f"a CCGC record must have no field {shown(name)}", line=line)
    fields["players"] = tuple(_text(data, name, line) if name in data else "" for name in "RB")
    if "winner" in data:
        winner = data["winner"]
        if winner not in ("R", "B"):
            raise RecordError(f"winner must be R or B, got {shown(winner)}", line=line)
        fields["result"] = "RB".index(winner) + 1
    if "RScore" in data or "BScore" in data:
        fields["score"] = (_points(data, "RScore", line), _points(data, "BScore", line))
    return Record.checked(line, moves=tuple(moves), movers=tuple(movers), **fields)


def write_ccgc(record: Record) -> str:
    """A record as one line of JSON with its line break; of its headers, only date and event.

    Raises:
        RecordError: The format cannot hold it.
    """
    if record.rules != _RULES:
        raise RecordError("a CCGC record must be of 5x5 boxes under the usual rules", line=record.line)
    data: dict[str, Any] = {"R": record.players[0], "B": record.players[1]}
    if record.result:
        data["winner"] = "RB"[record.result - 1]
    if record.score is not None:
        data["RScore"], data["BScore"] = record.score
    for name, header in _HEADERS.items():
        if header in record.headers:
            data[name] = record.headers[header]
    data["game"] = []
    for index, (action, player) in enumerate(zip(record.moves, record.movers, strict=True)):
        entry = {"piece": f"{_COLOURS[player]}({_dot(action)})"}
        if index + 1 in record.comments:
            entry["annotation"] = record.comments[index + 1]
        data["game"].append(entry)
    return json.dumps(data, ensure_ascii=False) + "\n"


def ccgc_file_name(record: Record) -> str:
    """The name that the championship gives the file of a game; signs that files cannot have become _.

    Raises:
        RecordError: The record does not say who won.
    """
    if not record.result:
        raise RecordError("the name of a CCGC file must tell the winner, got no result", line=record.line)
    one, two = (_UNSAFE.sub("_", name) for name in record.players)
    return f"DB：{one} vs {two}：{_SUFFIXES[record.result]}.txt"


def ccgc_name_note(record: Record, stem: str) -> str | None:
    """What the name of a file, without its ending, says otherwise than its record, if anything."""
    match = _FILE_NAME.fullmatch(stem)
    if match is None or not record.result or match[3] == _SUFFIXES[record.result]:
        return None
    return f"the file's name says {match[3]}, the record that player {record.result} won"


def _piece(entry: Any, line: int, where: str) -> tuple[int, int]:
    """Line and player of one entry."""
    text = entry.get("piece") if isinstance(entry, dict) else entry
    match = _PIECE.fullmatch(text) if isinstance(text, str) else None
    if match is None or not set(entry) <= {"piece", "annotation"}:
        rule = "a piece must be such as r(a6,h), with an annotation at most"
        raise RecordError(f"{rule}, got {shown(entry)}", line=line, where=where)
    column, row, across = "abcdef".index(match[2]), SIDE + 1 - int(match[3]), match[4] == "h"
    action = line_at(_RULES, LinePlace(across, row if across else row - 1, column))
    if action is None:
        raise RecordError(f"a line must lie on the board, got {shown(text)}", line=line, where=where)
    return action, _COLOURS.index(match[1])


def _dot(action: int) -> str:
    """The dot and the direction of a line."""
    across, row, column = line_place(_RULES, action)
    return f"{'abcdef'[column]}{SIDE + across - row},{'h' if across else 'v'}"


def _text(data: dict[str, Any], name: str, line: int) -> str:
    if not isinstance(data[name], str):
        raise RecordError(f"{name} must be a text, got {shown(data[name])}", line=line)
    text: str = data[name]
    return text


def _points(data: dict[str, Any], name: str, line: int) -> int:
    value = data.get(name)
    if type(value) is not int or not 0 <= value <= SIDE * SIDE:
        raise RecordError(f"{name} must be from 0 to {SIDE * SIDE}, got {shown(value)}", line=line)
    points: int = value
    return points
