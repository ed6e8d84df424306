"""dotzero's own form of a record: JSON, one object a line.

    {"game": "boxes", "rules": {"rows": 2, "columns": 2}, "moves": ["A1T", ...], "movers": [1, ...],
     "score": [3, 1], "result": 1}

Names are those of `notation.py`; what the rules do not decide may be left out. This is what the arena writes
in its `games.jsonl`, which also has `opening` and `opening_plies`. All fields:

    game rules                  as in configuration; rules that are absent are the usual ones
    start komi                  Kropki: names of the start dots of both players; the komi of this game
    moves movers                in order; who made them, 1 or 2
    score result                final points without komi; who won, 0 for a draw
    reason                      full_board stop instant_win resign time forfeit agreement unfinished
    margin                      what the winner led by, with komi, where the score is not known
    players headers             names; texts by name
    comments clocks             by the number of moves made: texts; seconds left
    shown                       Kropki: dots after STOP that only show what it loses
"""

import functools
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any, TypeVar

from dotzero.envs.boxes import BoxesRules
from dotzero.envs.game_records import Ending, Record, RecordError, actions_by_name, notation_of, shown
from dotzero.envs.json_stream_records import JsonObject
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.registry import make_game, plain_value
from dotzero.envs.replayed_records import in_turn

_FIELDS = (
    "game", "rules", "start", "komi", "players", "opening", "opening_plies", "moves", "movers", "score",
    "result", "reason", "margin", "shown", "headers", "comments", "clocks",
)  # fmt: skip
_MOST_POINTS = 10**6
_LONGEST_RULES = 10**4  # characters

T = TypeVar("T")


def read_object(item: JsonObject) -> Record:
    """The record that an object holds.

    Raises:
        RecordError: A field is unknown, missing or wrong.
    """
    reader = _Reader(item)
    fields: dict[str, Any] = {"rules": reader.rules(), "moves": (), **reader.told()}
    for name in ("moves", "shown"):
        if name in item.data or name == "moves":
            fields[name] = reader.names(name, fields["rules"])
    if "start" in item.data:
        sides = reader.pair("start", list, "two lists of points")
        fields["start"] = tuple(reader.actions("start", side, fields["rules"]) for side in sides)
    if "movers" not in item.data:
        return in_turn(item.line, **fields)
    movers = reader.values("movers", int, "a list of 1 and 2")
    return Record.checked(item.line, movers=tuple(mover - 1 for mover in movers), **fields)


def write_object(record: Record) -> str:
    """A record as one line of JSON with its line break."""
    notation = notation_of(record.rules)
    data: dict[str, Any] = {"game": record.game, "rules": plain_value(asdict(record.rules))}
    if isinstance(record.rules, KropkiRules):
        assert record.start is not None
        data["start"] = [[notation.name(point) for point in side] for side in record.start]
    if any(record.players):
        data["players"] = list(record.players)
    data["moves"] = [notation.name(action) for action in record.moves]
    data["movers"] = [player + 1 for player in record.movers]
    for name in ("score", "result", "reason", "margin"):
        value = getattr(record, name)
        if value is not None:
            data[name] = plain_value(value)
    if record.shown:
        data["shown"] = [notation.name(point) for point in record.shown]
    for name in ("headers", "comments", "clocks"):
        if getattr(record, name):
            data[name] = {str(key): value for key, value in getattr(record, name).items()}
    return json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n"


class _Reader:
    """Takes the fields of one object, each of the kind that it must be."""

    def __init__(self, item: JsonObject) -> None:
        self.line, self.data = item.line, item.data
        for name in item.data:
            if name not in _FIELDS:
                raise self._wrong(f"a record must have no field {shown(name)}")

    def rules(self) -> BoxesRules | KropkiRules:
        """The rules, with the komi of this game."""
        game, rules = self._field("game", str, "a name"), self.data.get("rules", {})
        self._require(isinstance(rules, dict), "rules", "an object", rules)
        text = json.dumps(rules)
        self._require(len(text) < _LONGEST_RULES, "rules", "those of the game", rules)
        try:
            made = _rules(game, text)
            if "komi" in self.data:
                made = replace(made, komi=self.data["komi"])
        except TypeError:
            raise self._wrong(f"komi must be left out in {game}") from None
        except ValueError as error:
            raise self._wrong(str(error)) from None
        return made

    def told(self) -> dict[str, Any]:
        """Fields of a record that need no notation."""
        found: dict[str, Any] = {}
        for name in ("players", "score"):
            if name in self.data:
                kind, rule = (str, "two names") if name == "players" else (int, "two whole numbers")
                found[name] = self.pair(name, kind, rule)
        if "result" in self.data:
            found["result"] = self._field("result", int, "0, 1 or 2")
        if "margin" in self.data:
            found["margin"] = float(self._number("margin", self.data["margin"]))
        if "reason" in self.data:
            reasons = [reason.value for reason in Ending]
            reason = self._field("reason", str, f"one of {', '.join(reasons)}")
            self._require(reason in reasons, "reason", f"one of {', '.join(reasons)}", reason)
            found["reason"] = Ending(reason)
        found["headers"] = self._table("headers", str, lambda text: text)
        for name in ("opening", "opening_plies"):
            if name in self.data:
                found["headers"][name] = str(self._field(name, int, "a whole number"))
        found["comments"] = self._table("comments", str, self._place)
        clocks = self._table("clocks", (int, float), self._place)
        found["clocks"] = {place: float(self._number("clocks", clock)) for place, clock in clocks.items()}
        return found

    def names(self, name: str, rules: BoxesRules | KropkiRules) -> tuple[int, ...]:
        """The actions that a list of names means."""
        return self.actions(name, self._field(name, list, "a list of names"), rules)

    def actions(self, name: str, texts: list[Any], rules: BoxesRules | KropkiRules) -> tuple[int, ...]:
        """The same for a list that may hold anything."""
        known, notation, found = actions_by_name(rules), notation_of(rules), []
        for number, text in enumerate(texts, 1):
            self._require(isinstance(text, str), name, "a list of names", text)
            action = known.get(text)
            try:
                found.append(notation.parse(text) if action is None else action)
            except ValueError as error:
                raise self._wrong(str(error), f"{name} {number}") from None
        return tuple(found)

    def values(self, name: str, kind: type[T], rule: str) -> list[T]:
        """A list of values of one kind."""
        found: list[T] = self._field(name, list, rule)
        for value in found:
            self._require(type(value) is kind, name, rule, value)
        return found

    def pair(self, name: str, kind: type[T], rule: str) -> tuple[T, T]:
        """Two values of one kind."""
        found = self.values(name, kind, rule)
        self._require(len(found) == 2, name, rule, found)
        return found[0], found[1]

    def _field(self, name: str, kind: type[T], rule: str) -> Any:
        if name not in self.data:
            raise self._wrong(f"a record must have the field {name}")
        self._require(type(self.data[name]) is kind, name, rule, self.data[name])
        return self.data[name]

    def _table(self, name: str, kind: Any, key_of: Callable[[str], T]) -> dict[T, Any]:
        table = self.data.get(name, {})
        self._require(isinstance(table, dict), name, "an object", table)
        for value in table.values():
            fit = isinstance(value, kind) and not isinstance(value, bool)
            self._require(fit, name, "an object of the right values", value)
        return {key_of(key): value for key, value in table.items()}

    def _place(self, key: str) -> int:
        """The number of moves made that a comment or a clock stands at."""
        fit = key.isascii() and key.isdigit() and len(key) < 6 and str(int(key)) == key
        self._require(fit, "comments and clocks", "keyed by a number of moves", key)
        return int(key)

    def _number(self, name: str, value: object) -> int | float:
        fit = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST_POINTS
        self._require(fit, name, "a number", value)
        assert isinstance(value, int | float)
        return value

    def _require(self, fit: bool, name: str, rule: str, value: object) -> None:
        if not fit:
            raise self._wrong(f"{name} must be {rule}, got {shown(value)}")

    def _wrong(self, reason: str, where: str = "") -> RecordError:
        return RecordError(reason, line=self.line, where=where)


@functools.lru_cache(maxsize=16)
def _rules(game: str, text: str) -> BoxesRules | KropkiRules:
    """Rules by the name of their game and their JSON, checked; the last are kept, as files repeat them."""
    made: BoxesRules | KropkiRules = make_game(game, json.loads(text)).rules
    return made
