"""What a session of a game is made of: its moves, its end, and the questions that it asks computers.

See `sessions.py`, which makes all of these.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dotzero.envs.game import Game, State
from dotzero.envs.game_records import Ending
from dotzero.envs.kropki import Capture, KropkiGame, KropkiState
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


def verdict(game: Game[Any], state: State) -> tuple[int | None, Ending]:
    """Who won a game that the rules have ended, a seat or None for a draw, and why it is over."""
    outcome, mover = int(game.outcome(state)[0]), int(state.to_move[0])
    winner = None if outcome == 0 else mover if outcome > 0 else 1 - mover
    if isinstance(game, KropkiGame) and isinstance(state, KropkiState):
        if int(state.stopped[0]) >= 0:
            return winner, Ending.STOP
        limit, score = game.rules.instant_win, state.score[0]
        if limit is not None and abs(int(score[0]) - int(score[1])) >= limit:
            return winner, Ending.INSTANT_WIN
    return winner, Ending.FULL_BOARD


def why_illegal(game: Game[Any], state: State, action: int) -> str:
    """Why an action is not legal in a batch of one, as the rules say it."""
    try:
        game.step(state, [action])
    except ValueError as error:
        return str(error).partition(": ")[2] or str(error)
    raise AssertionError("a move that is not legal must be refused")
