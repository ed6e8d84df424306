"""A game as it was written down: rules, start, moves, who made them, how it ended.

Every format of `records.py` reads into this one form and is written from it. A record may be wrong about its
moves; `replayed_records.py` plays them again under the rules.

Formats count players and moves from 1, as people do; the fields here count players from 0 and key what stands
beside a move by the number of moves made by then (0: before the first).
"""

import functools
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.game import Game
from dotzero.envs.kropki import KropkiGame, KropkiState
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.kropki_sgf_chains import WrittenChain
from dotzero.envs.kropki_starts import Start, fits, fixed_dots
from dotzero.envs.notation import Notation, notation_for

_SHOWN = 40
"""Characters of a value that a message quotes."""
_LONGEST_REASON = 200
"""Characters of a whole message; the rules quote any value that they refuse."""


class Ending(StrEnum):
    """Why a game was over."""

    FULL_BOARD = "full_board"
    """No legal move was left."""
    STOP = "stop"
    """A player said STOP."""
    INSTANT_WIN = "instant_win"
    """A lead was as large as the rules ask for."""
    RESIGN = "resign"
    """The loser gave up."""
    TIME = "time"
    """The loser's time was over."""
    FORFEIT = "forfeit"
    """The loser broke a rule, or did not come."""
    AGREEMENT = "agreement"
    """The players ended it and took the score as it was, or agreed to a draw."""
    UNFINISHED = "unfinished"
    """It was not over."""


BY_THE_RULES = (Ending.FULL_BOARD, Ending.STOP, Ending.INSTANT_WIN)
"""The ends that the moves tell by themselves."""


class RecordError(ValueError):
    """A record that cannot be read or played: the message is one line with its place and the reason.

    Attributes:
        reason: What is wrong.
        line: Line of the file, from 1; None: not known.
        where: The node or move, or nothing.
    """

    def __init__(self, reason: str, *, line: int | None = None, where: str = "") -> None:
        reason = " ".join(reason.split())
        if len(reason) > _LONGEST_REASON:
            reason = reason[: _LONGEST_REASON - 3] + "..."
        self.reason, self.line, self.where = reason, line, where
        places = [] if line is None else [f"line {line}"]
        place = ", ".join([*places, where] if where else places)
        super().__init__(f"{place}: {self.reason}" if place else self.reason)


Points = tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """One game as it was written down."""

    rules: BoxesRules | KropkiRules
    """Board and options; in Kropki with the komi of this very game."""
    moves: tuple[int, ...]
    """The actions in order."""
    movers: tuple[int, ...]
    """Player 0 or 1 of each move."""
    start: tuple[Points, Points] | None = None
    """In Kropki the points of the dots of player 0 and player 1 that stood at the start; None: those that the
    rules place. Afterwards they are always there, in ascending order."""
    shown: Points = ()
    """In Kropki: dots that a player put after the opponent's STOP and that only show what it has lost."""
    result: int | None = None
    """Who won by the record, player 1 or 2 as in every file; 0: a draw; None: it does not say."""
    score: tuple[int, int] | None = None
    """Final points of both by the record, without komi."""
    margin: float | None = None
    """What the winner led by, with komi, by the record."""
    reason: Ending | None = None
    """Why the game was over by the record; what the moves tell need not be said."""
    players: tuple[str, str] = ("", "")
    """Names, "" where there is none."""
    headers: dict[str, str] = field(default_factory=dict)
    """What else is said of the game: date, event, ..."""
    comments: dict[int, str] = field(default_factory=dict)
    """Texts by the number of moves made."""
    clocks: dict[int, float] = field(default_factory=dict)
    """Seconds that the player of a move had left after it, by the number of moves made."""
    chains: tuple[WrittenChain, ...] = field(default=(), compare=False)
    """In Kropki: the borders of enclosures as they were written, to be compared with those of the rules."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What the reader left out, or read in a way that could be doubted."""
    line: int | None = field(default=None, compare=False)
    """Where the record begins in its file."""

    def __post_init__(self) -> None:
        self._check_moves()
        self._set_start()
        if self.result not in (None, 0, 1, 2):
            raise ValueError(f"Record.result must be 0, 1 or 2, got {self.result}")
        if self.reason is not None and self.reason not in (*BY_THE_RULES, Ending.UNFINISHED):
            said = self.result is not None
            _require(said, "result", f"must be known where a game ended by {self.reason}", self.result)
        if self.reason in (Ending.RESIGN, Ending.TIME, Ending.FORFEIT):
            won = self.result in (1, 2)
            _require(won, "result", f"must be 1 or 2 where a game ended by {self.reason}", self.result)
        open_end = self.reason is Ending.UNFINISHED
        _require(
            not open_end or self.result is None, "result", "must be none in an unfinished game", self.result
        )
        self._check_score()
        for text in (*self.players, *self.headers, *self.headers.values(), *self.comments.values()):
            _require(_is_unicode(text), "texts", "must be Unicode without lone surrogates", text)

    def _check_score(self) -> None:
        """No score beyond the board; dots that show what a STOP loses only behind one."""
        boxes = isinstance(self.rules, BoxesRules)
        most = self.rules.num_boxes if isinstance(self.rules, BoxesRules) else self.rules.num_points
        fit = self.score is None or all(0 <= points <= most for points in self.score)
        _require(fit, "score", f"must be two numbers in 0..{most}", self.score)
        stopped = not boxes and bool(self.moves) and self.moves[-1] == most
        _require(not self.shown or stopped, "shown", "must follow a STOP", self.shown)

    @classmethod
    def checked(cls, line: int | None, **fields: Any) -> Self:
        """A record of a file, whose wrong fields are the file's fault.

        Raises:
            RecordError: A field is wrong.
        """
        try:
            return cls(line=line, **fields)
        except ValueError as error:
            raise RecordError(str(error), line=line) from None

    @property
    def game(self) -> str:
        """The name of the game."""
        return BoxesGame.name if isinstance(self.rules, BoxesRules) else KropkiGame.name

    def new_game(self) -> tuple[Game[Any], Any]:
        """The game and its state before the first move, a batch of one that must not be changed.

        Raises:
            RecordError: The rules cannot have such a start.
        """
        assert self.start is not None
        game = game_of(self.rules)
        if not isinstance(game, KropkiGame):
            return game, game.start(1)
        try:
            state = _start_state(game.rules, self.start)
        except ValueError as error:
            raise RecordError(str(error), line=self.line, where="start") from None
        return game, state if self.first == 0 else with_mover(state, 1)

    @property
    def first(self) -> int:
        """Who made the first move, player 0 or 1; in Kropki either may."""
        return self.movers[0] if self.movers else 0

    def move_name(self, index: int) -> str:
        """The move's number from 1 and its name."""
        return f"move {index + 1} ({notation_of(self.rules).name(self.moves[index])})"

    def _check_moves(self) -> None:
        num_actions = (
            self.rules.num_lines if isinstance(self.rules, BoxesRules) else self.rules.num_points + 1
        )
        _require(len(self.movers) == len(self.moves), "movers", "must be as many as moves", len(self.movers))
        _require({0, 1}.issuperset(self.movers), "movers", "must be 0 or 1", self.movers)
        numbers = (*self.moves, 0)
        fit = min(numbers) >= 0 and max(numbers) < num_actions
        _require(fit, "moves", f"must be from 0 to {num_actions - 1}", self.moves)
        places = (*self.comments, *self.clocks, 0)
        fit = min(places) >= 0 and max(places) <= len(self.moves)
        _require(fit, "comments and clocks", "must stand at a move", max(places))

    def _set_start(self) -> None:
        """Fill in the start of the rules, and name a start that is given by its dots alone."""
        rules, dots = self.rules, self.start
        if isinstance(rules, BoxesRules):
            _require(dots in (None, ((), ())), "start", "must be left out in boxes", dots)
            _require(not self.shown, "shown", "must be left out in boxes", self.shown)
            object.__setattr__(self, "start", ((), ()))
            return
        if dots is None:
            board = rules.start_dots().ravel()
            dots = (_points(board, 1), _points(board, 2))
        own, other = tuple(sorted(dots[0])), tuple(sorted(dots[1]))
        taken = (*own, *other)
        fit = len(set(taken)) == len(taken) and all(0 <= point < rules.num_points for point in taken)
        _require(fit, "start", "must be different points of the board", dots)
        fit = all(0 <= point < rules.num_points for point in self.shown)
        _require(fit, "shown", "must be points of the board", self.shown)
        named = named_starts(rules.width, rules.height)
        if rules.start is Start.EMPTY and rules.opening_zone is None and (own, other) in named:
            object.__setattr__(self, "rules", replace(rules, start=named[own, other]))
        elif rules.start not in (Start.EMPTY, Start.RANDOM_CROSSES):
            fit = named.get((own, other)) is rules.start
            _require(fit, "start", f"must be the dots of KropkiRules.start={rules.start}", dots)
        object.__setattr__(self, "start", (own, other))


def game_of(rules: BoxesRules | KropkiRules) -> Game[Any]:
    """The game of these rules; the last few are kept."""
    return _game(rules)


@functools.lru_cache(maxsize=8)  # of the largest boards a few MiB each
def _game(rules: BoxesRules | KropkiRules) -> Game[Any]:
    return BoxesGame(rules) if isinstance(rules, BoxesRules) else KropkiGame(rules)


@functools.lru_cache(maxsize=8)
def notation_of(rules: BoxesRules | KropkiRules) -> Notation[Any]:
    """The notation of the game of these rules; the last few are kept."""
    return notation_for(game_of(rules))


@functools.lru_cache(maxsize=8)
def actions_by_name(rules: BoxesRules | KropkiRules) -> dict[str, int]:
    """All actions by the names that are written; most of what is read is among them. Not to be changed."""
    notation = notation_of(rules)
    return {notation.name(action): action for action in range(game_of(rules).num_actions)}


@functools.lru_cache(maxsize=8)
def _start_state(rules: KropkiRules, start: tuple[Points, Points]) -> KropkiState:
    game = game_of(rules)
    assert isinstance(game, KropkiGame)
    dots = np.zeros(rules.num_points, np.uint8)
    for player, points in enumerate(start):
        dots[list(points)] = player + 1
    return game.start_from(dots.reshape(1, rules.height, rules.width))


@functools.lru_cache(maxsize=64)
def named_starts(width: int, height: int) -> dict[tuple[Points, Points], Start]:
    """The fixed start positions with dots by their dots."""
    named = [Start.SINGLE, Start.CROSS, Start.DOUBLE_CROSS, Start.FOUR_CROSSES]
    boards = {s: fixed_dots(s, width, height).ravel() for s in named if fits(s, width, height, 0)}
    return {(_points(board, 1), _points(board, 2)): start for start, board in boards.items()}


def _points(board: NDArray[np.uint8], player: int) -> Points:
    return tuple(np.flatnonzero(board == player).tolist())


def with_mover(state: Any, player: int) -> Any:
    """The same state with player 0 or 1 to move."""
    changed = state.copy()
    changed.to_move[:] = player
    return changed


def shown(value: object) -> str:
    """A value as a message quotes it: the beginning of what it looks like, in one line."""
    text = repr(value[: 2 * _SHOWN] if isinstance(value, str | tuple | list) else value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _require(fit: bool, name: str, rule: str, value: object) -> None:
    if not fit:
        raise ValueError(f"Record.{name} {rule}, got {shown(value)}")


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text)
