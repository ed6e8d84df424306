"""What a session of a game is made of: its moves, its end, and the questions that it asks computers.

See `sessions.py`, which makes all of these.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dotzero.envs.game import Game, State
from dotzero.envs.game_records import Ending
from dotzero.envs.kropki import Capture, KropkiGame, KropkiState
from dotzero.envs.replayed_records import ended_by
from dotzero.play.players import Player


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """How a game ended."""

    winner: int | None
    """A seat; None: a draw."""
    reason: Ending
    """Why it is over (R142): `full_board` is the count."""
    score: tuple[int, int]
    """Points of both seats, without komi."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """One line or dot, or STOP, and what it did."""

    action: int
    name: str
    """In the game's notation."""
    seat: int
    """Who made it."""
    gained: tuple[int, int]
    """What it changed in the score of both seats; a freed dot is -1."""
    captures: tuple[Capture, ...]
    """In Kropki the enclosures that it closed."""
    again: bool
    """Whether the same seat moves once more: a box was closed and lines are left (R109, R149), or the other
    has stopped."""


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds left at one moment: of both clocks, and of a solo phase."""

    clocks: tuple[float, float] | None
    solo: float | None

    def at_most(self, other: "Times") -> "Times":
        """These times, of each no more than the other has; where one is absent there, as it is here."""
        clocks, solo = self.clocks, self.solo
        if clocks is not None and other.clocks is not None:
            clocks = (min(clocks[0], other.clocks[0]), min(clocks[1], other.clocks[1]))
        if solo is not None and other.solo is not None:
            solo = min(solo, other.solo)
        return Times(clocks, solo)


@dataclass(frozen=True, slots=True)
class Question:
    """A move that a computer has to make; it holds all that is needed, and may be asked in any thread."""

    game: Game[Any]
    state: State
    """A batch of one, which nobody changes."""
    seat: int
    player: str
    """The specification of who is asked."""
    seed: np.uint64
    revision: int

    def ask(self, player: Player) -> int:
        """The player's action. Someone alone in a solo phase stops once there is nothing left to take."""
        if isinstance(self.game, KropkiGame) and isinstance(self.state, KropkiState):
            other = 1 - self.seat
            if self.state.stopped[0] == other and not self.game.ungrounded(self.state)[0, other]:
                return self.game.stop
        return int(player.choose(self.game, self.state, np.array([self.seed], np.uint64))[0])


@dataclass(slots=True)
class Kept:
    """A position with what led on from it."""

    state: State
    times: Times
    move: Move


def turn_begin(history: Sequence[Kept], is_person: Sequence[bool]) -> int:
    """How many moves are left once the last turn of a person is taken back; all where there is none.

    Args:
        history: All moves so far.
        is_person: Of both seats. What computers played after the turn goes with it.

    A turn is all moves of one seat in a row, but alone, after a STOP, every dot is a turn: a whole phase is
    too much to lose by a slip.
    """
    keep = len(history)
    while keep and not is_person[history[keep - 1].move.seat]:
        keep -= 1
    if not keep:
        return len(history)
    turn = history[keep - 1].move.seat
    while keep and history[keep - 1].move.seat == turn:
        keep -= 1
        if _is_alone(history[keep].state):
            break
    return keep


def _is_alone(state: State) -> bool:
    return isinstance(state, KropkiState) and int(state.stopped[0]) >= 0


def verdict(game: Game[Any], state: State) -> tuple[int | None, Ending]:
    """Who won a game that the rules have ended, a seat or None for a draw, and why it is over."""
    outcome, mover = int(game.outcome(state)[0]), int(state.to_move[0])
    winner = None if outcome == 0 else mover if outcome > 0 else 1 - mover
    return winner, ended_by(game.rules, state)
