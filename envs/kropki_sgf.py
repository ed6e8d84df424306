"""Records of Kropki in the Smart Game Format, GM[40], as servers and engines write them: reading.

Player 1 is B, player 2 W; points are two letters, column and row from the top. A move is `B[xy]`, with the
chains that it closes `B[xy.chain.chain]`; a chain without a move is `B[.chain]`. Source: "Kropki (GM[40])",
eidokropki.reaktywni.pl, and the habits of the servers:

* STOP is an empty `B[]`. Where the opponent then puts dots in a row, or where its dots in a row, as moves or
  as several values of one, are all that tells of the STOP, these dots only show what is not grounded.
* `RE[B+G]` is a win by grounding; if no STOP is written, the player to move has said it.
* `B[resign]` is the same as `RE[W+R]`.

What is not read is told in the notes of the record: variations beside the main line, properties of moves
other than comments and clocks. Rules that are not played here are refused (`kropki_sgf_rules.py`).
"""

import functools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from dotzero.envs.game_records import Ending, Points, Record, RecordError, named_starts, shown
from dotzero.envs.kropki_rules import MAX_SIDE, KropkiRules, StopRule, point_name
from dotzero.envs.kropki_sgf_chains import WrittenChain
from dotzero.envs.kropki_sgf_rules import rules_of_tags
from dotzero.envs.records_source import Chunk
from dotzero.envs.sgf import Node, main_line, plain

HEADERS = {
    "DT": "date",
    "EV": "event",
    "RO": "round",
    "PC": "place",
    "SO": "source",
    "AN": "annotator",
    "CP": "copyright",
    "GN": "name",
    "GC": "description",
    "ON": "opening_name",
    "US": "user",
    "TM": "time",
    "OT": "overtime",
    "BR": "rating_1",
    "WR": "rating_2",
    "BT": "team_1",
    "WT": "team_2",
    "BL": "clock_1",
    "WL": "clock_2",
    "HA": "handicap",
    "AP": "application",
}
"""Properties that are headers of a record, by another name; whatever else the root has is one by its own."""
APPLICATION = "dotzero"
"""What AP says in records that are written here."""
PLAYERS = "BW"

_SIZE = re.compile(r"([0-9]{1,4})(?::([0-9]{1,4}))?")
_KOMI = re.compile(r"[+-]?[0-9]{1,5}(?:\.[0-9]{1,4})?")
_CLOCK = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,9})?")
_RESULT = re.compile(r"([BW])\+(?:([0-9]{1,5}(?:\.[0-9]{1,4})?)|([A-Z]+|\?)?)", re.IGNORECASE)
_REASONS = {
    "R": Ending.RESIGN,
    "RESIGN": Ending.RESIGN,
    "T": Ending.TIME,
    "TIME": Ending.TIME,
    "F": Ending.FORFEIT,
    "FORFEIT": Ending.FORFEIT,
    "G": Ending.STOP,
    "": None,
    "?": None,
}
_GIVEN_UP = (Ending.RESIGN, Ending.TIME, Ending.FORFEIT)
"""Ends after which moves in a row of one side, if there are any, are no sign of a STOP."""
_STOP = -1
"""A STOP among moves, as long as the size of the board may be unknown."""


class Move(NamedTuple):
    """A move as it is written: who, where (or `_STOP`), and at which node."""

    player: int
    point: int
    node: str


def read_tree(tree: Chunk) -> Record:
    """The record that a game tree holds.

    Raises:
        RecordError: The tree is not a record of Kropki, or of rules that are not played here.
    """
    nodes, num_others = main_line(tree)
    reader = _Reader(tree, nodes)
    for number, node in enumerate(nodes, 1):
        reader.read_node(number, node)
    if num_others:
        reader.notes.append(f"{num_others} variations beside the main line are left out")
    return reader.record()


class _Reader:
    """Collects what the nodes of one tree say."""

    def __init__(self, tree: Chunk, nodes: list[Node]) -> None:
        self.begin = tree.line
        self.info = self._information(nodes)
        self.line, self.where = self.begin, "node 1"
        game = self.info.get("GM")
        self._require(game == "40", "GM", "must be 40, the number of Kropki", game)
        self._require(self.info.get("FF", "4") == "4", "FF", "must be 4", self.info.get("FF"))
        charset = self.info.get("CA", "UTF-8")
        known = charset.upper() in ("UTF-8", "UTF8") or tree.text.isascii()
        self._require(known, "CA", "must be UTF-8", charset)
        size = _SIZE.fullmatch(self.info.get("SZ", ""))
        if size is None:
            raise self._wrong("SZ", "must be a size such as 20 or 39:32", self.info.get("SZ"))
        self.width, self.height = int(size[1]), int(size[2] or size[1])
        self.points = _points(self.width, self.height)
        self.stones: tuple[list[int], list[int]] = ([], [])
        self.moves: list[Move] = []
        self.run: list[Move] = []  # dots of one side in one property
        self.resigned: int | None = None
        self.comments: dict[int, str] = {}
        self.clocks: dict[int, float] = {}
        self.chains: list[WrittenChain] = []
        self.headers: dict[str, str] = {}
        self.left_out: dict[str, int] = {}
        self.notes: list[str] = []
        self._actions: dict[str, Callable[[str, list[str]], None]] = {
            "B": self._move, "W": self._move, "AB": self._add, "AW": self._add, "C": self._comment,
        }  # fmt: skip

    def _information(self, nodes: list[Node]) -> dict[str, str]:
        """Properties that may stand once in a tree, whatever the node."""
        info: dict[str, str] = {}
        for number, node in enumerate(nodes, 1):
            for name, values in node.properties:
                if name in _ONCE:
                    self.line, self.where = node.line, f"node {number}"
                    self._require(name not in info and len(values) == 1, name, "must be given once", values)
                    info[name] = plain(values[0]) if name in ("PB", "PW") else plain(values[0]).strip()
        return info

    def read_node(self, number: int, node: Node) -> None:
        """Take in one node."""
        self.line, self.where = node.line, f"node {number}"
        mover = None
        for name, values in node.properties:
            if name in ("B", "W"):
                self._require(mover is None, name, "must be the only move of a node", f"{mover} too")
                mover = name
            if name in self._actions:
                self._actions[name](name, values)
            elif name in ("BL", "WL") and mover == name[0]:
                self._clock(name, values)
            elif name == "AE":
                raise self._wrong(name, "must not take dots away", values)
            elif name not in _ONCE:
                self._other(name, values, in_root=number == 1)

    def _other(self, name: str, values: list[str], in_root: bool) -> None:
        known = HEADERS.get(name, name)
        if in_root and len(values) == 1 and known not in self.headers:
            self.headers[known] = plain(values[0])
        else:
            self.left_out[name] = self.left_out.get(name, 0) + 1

    def _add(self, name: str, values: list[str]) -> None:
        self._require(not self.moves, name, "must stand before the first move", values)
        for value in values:
            first, colon, last = value.strip().partition(":")
            one = self._point(name, first)
            two = self._point(name, last) if colon else one
            fit = one // self.width <= two // self.width and one % self.width <= two % self.width
            self._require(fit, name, "must name rectangles by their upper left and lower right points", value)
            for y in range(one // self.width, two // self.width + 1):
                for x in range(one % self.width, two % self.width + 1):
                    self.stones[name == "AW"].append(y * self.width + x)
            num_dots = len(self.stones[0]) + len(self.stones[1])
            fit = num_dots <= self.width * self.height
            self._require(fit, name, "must name different points of the board", value)

    def _move(self, name: str, values: list[str]) -> None:
        player = PLAYERS.index(name)
        if self.resigned is not None:
            raise self._wrong(name, "must not follow a resignation", values[0])
        if len(values) > 1 or self.run:
            points = [self._point(name, value.partition(".")[0].strip()) for value in values]
            self._require(not self.run or self.run[0].player == player, name, "must be one dot", values)
            self.run += [Move(player, point, self.where) for point in points]
            return
        text = values[0].strip()
        point = self.points.get(text)
        if point is not None:  # as most moves
            self.moves.append(Move(player, point, self.where))
            return
        if text.lower() == "resign":
            self.resigned = player
            return
        dot, *chains = text.split(".")
        if dot or not chains:
            self.moves.append(Move(player, self._point(name, dot) if dot else _STOP, self.where))
        for chain in chains:
            self.chains.append(WrittenChain(len(self.moves), self._chain(name, chain)))

    def _chain(self, name: str, text: str) -> Points:
        pairs = [text[index : index + 2] for index in range(0, len(text), 2)]
        points = [self._point(name, pair) for pair in pairs]
        self._require(bool(points), name, "must have points in a chain", text)
        return tuple(points[:-1] if len(points) > 1 and points[0] == points[-1] else points)

    def _comment(self, name: str, values: list[str]) -> None:
        number = len(self.moves)
        texts = [self.comments[number]] if number in self.comments else []
        self.comments[number] = "\n".join([*texts, *map(plain, values)])

    def _clock(self, name: str, values: list[str]) -> None:
        text = values[0].strip()
        if len(values) == 1 and _CLOCK.fullmatch(text) and not self.run and self.resigned is None:
            self.clocks[len(self.moves)] = float(text)
        else:
            self.left_out[name] = self.left_out.get(name, 0) + 1

    def _point(self, name: str, text: str) -> int:
        point = self.points.get(text)
        if point is None:
            rule = f"must be a point of the board of {self.width}x{self.height}, such as aa"
            raise self._wrong(name, rule, text)
        return point

    def record(self) -> Record:
        """What has been collected, with the STOP found where it is only shown."""
        self.line, self.where = self.begin, "node 1"
        komi = self.info.get("KM", "0") or "0"
        self._require(_KOMI.fullmatch(komi) is not None, "KM", "must be a number", komi)
        size: dict[str, Any] = {"width": self.width, "height": self.height, "komi": float(komi)}
        try:
            rules = KropkiRules(**size, **rules_of_tags(self.info.get("RU", "")))
        except ValueError as error:
            raise RecordError(str(error), line=self.line, where=self.where) from None
        ours = self.headers.get("application") == APPLICATION  # whose records say start and STOP outright
        if not ours:
            self._take_start()
        result, margin, reason = self._result()
        moves, dots = _with_stop(rules, self.moves, self.run, reason, self.notes, guess=not ours)
        for name, count in self.left_out.items():
            self.notes.append(f"{name} is left out" + (f" {count} times" if count > 1 else ""))
        if self.headers.get("application") == APPLICATION:
            del self.headers["application"]
        return Record.checked(
            self.line,
            rules=rules,
            moves=tuple(rules.num_points if move.point == _STOP else move.point for move in moves),
            movers=tuple(move.player for move in moves),
            start=(tuple(self.stones[0]), tuple(self.stones[1])),
            shown=tuple(move.point for move in dots),
            result=result,
            margin=margin,
            reason=reason,
            players=(self.info.get("PB", ""), self.info.get("PW", "")),
            headers=self.headers,
            comments={min(number, len(moves)): text for number, text in self.comments.items()},
            clocks={number: clock for number, clock in self.clocks.items() if number <= len(moves)},
            chains=tuple(chain for chain in self.chains if chain.after <= len(moves)),
            notes=tuple(self.notes),
        )

    def _take_start(self) -> None:
        """Take the first moves as start dots where they are several crosses, which are never put in turn."""
        if self.stones[0] or self.stones[1]:
            return
        for (own, other), start in named_starts(self.width, self.height).items():
            num = len(own) + len(other)
            first = self.moves[:num]
            dots = [tuple(sorted(move.point for move in first if move.player == player)) for player in (0, 1)]
            if num > 4 and dots == [own, other]:
                self.stones = (list(own), list(other))
                del self.moves[:num]
                early = [text for number, text in self.comments.items() if number <= num]
                self.comments = {number - num: text for number, text in self.comments.items() if number > num}
                if early:
                    self.comments[0] = "\n".join(early)
                self.clocks = {number - num: clock for number, clock in self.clocks.items() if number > num}
                self.chains = [chain._replace(after=max(0, chain.after - num)) for chain in self.chains]
                self.notes.append(f"the first {num} moves are the start {start}")
                return

    def _result(self) -> tuple[int | None, float | None, Ending | None]:
        """Winner, margin and reason that the record gives."""
        text = self.info.get("RE", "")
        match = _RESULT.fullmatch(text)
        if text.lower() in ("0", "draw"):
            result: tuple[int | None, float | None, Ending | None] = (0, None, None)
        elif text.lower() in ("", "?", "void"):
            result = (None, None, None)
        elif match is None or (match[3] or "").upper() not in _REASONS:
            raise self._wrong("RE", "must be such as B+12, W+R, W+T or 0", text)
        else:
            winner = PLAYERS.index(match[1].upper()) + 1
            margin = None if match[2] is None else float(match[2])
            result = (winner, margin, _REASONS[(match[3] or "").upper()])
        if self.resigned is None:
            return result
        winner = 2 - self.resigned
        self._require(result[0] in (None, winner), "RE", "must be lost by who resigned", text)
        return winner, None, Ending.RESIGN

    def _require(self, fit: bool, name: str, rule: str, value: object) -> None:
        if not fit:
            raise self._wrong(name, rule, value)

    def _wrong(self, name: str, rule: str, value: object) -> RecordError:
        got = "none" if value is None else shown(value)
        return RecordError(f"{name} {rule}, got {got}", line=self.line, where=self.where)


_ONCE = ("GM", "FF", "CA", "SZ", "RU", "KM", "RE", "PB", "PW")


@functools.lru_cache(maxsize=8)
def _points(width: int, height: int) -> dict[str, int]:
    """The points of a board by their names; of one that is too large those that have a name."""
    width_named, height_named = min(width, MAX_SIDE), min(height, MAX_SIDE)
    return {point_name(x, y): y * width + x for y in range(height_named) for x in range(width_named)}


def _with_stop(
    rules: KropkiRules,
    moves: list[Move],
    run: list[Move],
    reason: Ending | None,
    notes: list[str],
    guess: bool,
) -> tuple[list[Move], list[Move]]:
    """The moves with the STOP that they only show, and the dots that show what it loses.

    With `guess`, moves of one side in a row are such dots even where each has a node of its own.
    """
    if rules.stop is StopRule.OFF:
        return [*moves, *run], []
    stops = [index for index, move in enumerate(moves) if move.point == _STOP]
    shown_by: list[Move] = []
    if stops and rules.stop is StopRule.GROUNDING:
        last = stops[0] + 1
        other = all(move.player != moves[last - 1].player for move in [*moves[last:], *run])
        if other and all(move.point != _STOP for move in moves[last:]):
            moves, shown_by = moves[:last], [*moves[last:], *run]
        else:
            moves = [*moves, *run]
    elif run or (guess and not stops and not rules.add_turn and reason not in _GIVEN_UP):
        moves, extra = (moves, run) if run else _extra_moves(moves)
        if extra and rules.stop is StopRule.SOLO:
            moves = [*moves, _stop_of(1 - extra[0].player, extra[0]), *extra]
        elif extra:
            moves, shown_by = [*moves, _stop_of(1 - extra[0].player, extra[0])], extra
            stopper, row = moves[-1].player + 1, f"the other's dots in a row: {len(extra)}"
            notes.append(f"the STOP of player {stopper} is read from {row}")
    grounded = reason is Ending.STOP and moves and all(move.point != _STOP for move in moves)
    if grounded:
        moves = [*moves, _stop_of(1 - moves[-1].player, moves[-1])]
        notes.append(f"the STOP of player {moves[-1].player + 1} is read from RE")
    return moves, shown_by


def _extra_moves(moves: list[Move]) -> tuple[list[Move], list[Move]]:
    """Moves in turn, and dots of one side at the end that the other did not answer, if there are any."""
    first = len(moves)
    while first and moves[first - 1].player == moves[-1].player:
        first -= 1
    return (moves[: first + 1], moves[first + 1 :]) if first else (moves, [])


def _stop_of(player: int, beside: Any) -> Move:
    return Move(player, _STOP, beside.node)
