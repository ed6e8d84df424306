"""A review of a recorded game: what every move cost, how bad that was, how well both sides played.

The one idea: a move costs what the position lost by it, seen by its player: points, and chance of winning.
Both are measured against the same scale, in *mistakes*: 10% of chance, or 4 points (boxes or dots of final
margin), whichever is more. From there everything else follows:

    inaccuracy   half a mistake or more: 5%, or 2 points
    mistake      one or more: 10%, or 4 points
    blunder      two or more: 20%, or 8 points
    accuracy     of a side: the mean of 100 * 2 ** -mistakes over its moves, so that a move that costs one
                 mistake counts 50 and a faultless one 100

A move with no other choice, or whose cost is not known, is not rated. Where less than half of a side's
choices are rated, as in Kropki without a network, it has no accuracy: the few would say nothing of the game.
Where the network says what positions are worth, a move that it would play itself costs nothing, and one that
turns out better than it expected neither. A cost between an estimate and a certain value holds the network's
error, too.

Terms as on the review pages of lichess and OGS; the numbers are ours.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.play.game_positions import GamePositions
from dotzero.play.game_values import GameValues

WIN_OF_A_MISTAKE = 0.10
POINTS_OF_A_MISTAKE = 4.0
MOST_KEY_MOVES = 5
LEAST_RATED = 0.5
"""Share of a side's moves, only ones aside, that must be rated for an accuracy."""


class MoveClass(StrEnum):
    """How bad a move was."""

    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


_LEAST = {MoveClass.BLUNDER: 2.0, MoveClass.MISTAKE: 1.0, MoveClass.INACCURACY: 0.5}
"""Mistakes from which on a move belongs to a class."""
THRESHOLDS = {
    kind.value: {"win": least * WIN_OF_A_MISTAKE, "points": least * POINTS_OF_A_MISTAKE}
    for kind, least in _LEAST.items()
}
"""The classes as JSON states them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewedMove:
    """One move, everything seen by its player."""

    number: int
    """From 1."""
    player: int
    """0 or 1."""
    action: int
    score: tuple[int, int]
    """Points of both after it."""
    phase: str
    """Of the position before it."""
    exact: bool
    """Whether `value` is certain, and so is `loss` where the position after it is known as well."""
    value: float | None
    """Points still to come before it; None: not known."""
    win: float | None
    """The chance of winning before it; None: not known."""
    win_exact: bool
    """Whether `win` is certain."""
    best: tuple[int, ...]
    """Best moves; empty: not known."""
    loss: float | None
    """Points that it cost."""
    win_loss: float | None
    """Chance of winning that it cost."""
    mistakes: float | None
    """Its cost on the common scale; None: not rated."""
    forced: bool
    """Whether it was the only legal one."""
    taken: int
    """Points that it won."""
    on_offer: int
    """The most that one move could have taken."""

    @property
    def kind(self) -> MoveClass | None:
        """Its class; None: not rated."""
        if self.mistakes is None:
            return None
        return next((kind for kind, least in _LEAST.items() if self.mistakes >= least), MoveClass.GOOD)

    def to_json(self, names: Sequence[str]) -> dict[str, Any]:
        """Plain values; what is not known is absent."""
        data: dict[str, Any] = {
            "number": self.number,
            "player": self.player + 1,
            "move": names[self.action],
            "phase": self.phase,
            "exact": self.exact,
        }
        for name in ("value", "win"):
            if getattr(self, name) is not None:
                data[name] = round(getattr(self, name), 4)
        if self.win is not None:
            data["win_exact"] = self.win_exact
        if self.best:
            data["best"] = [names[action] for action in self.best]
        for name in ("loss", "win_loss"):
            if getattr(self, name) is not None:
                data[name] = round(getattr(self, name), 4)
        if self.kind is not None:
            data["class"] = self.kind.value
        if self.forced:
            data["forced"] = True
        return data | {"taken": self.taken, "on_offer": self.on_offer, "score": list(self.score)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """How a player played, over the moves that were rated."""

    moves: int
    choices: int
    """Moves that were not the only ones."""
    rated: int
    """Of these, those whose cost is known."""
    classes: dict[MoveClass, int]
    loss: float | None
    """Points that its moves cost together, as far as known; None: of none it is."""
    accuracy: float | None
    """0 to 100; None: too few moves were rated."""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        plural = {"inaccuracy": "inaccuracies", "mistake": "mistakes", "blunder": "blunders"}
        data: dict[str, Any] = {"moves": self.moves, "choices": self.choices, "rated": self.rated}
        if self.accuracy is not None:
            data["accuracy"] = round(self.accuracy, 1)
        if self.loss is not None:
            data["loss"] = round(self.loss, 2)
        if self.rated:
            data |= {plural[kind]: self.classes[kind] for kind in MoveClass if kind is not MoveClass.GOOD}
        return data


@dataclass(frozen=True, kw_only=True, slots=True)
class Review:
    """A game with all its moves."""

    positions: GamePositions
    moves: tuple[ReviewedMove, ...]
    last_margin: float | None
    """The final margin of player 0 that the last position comes to; None: not known."""
    last_win: float | None
    """Its chance of winning there; None: not known."""

    def side(self, player: int) -> Side:
        """How player 0 or 1 played."""
        own = [move for move in self.moves if move.player == player]
        rated = [move.mistakes for move in own if move.mistakes is not None]
        choices, losses = sum(not move.forced for move in own), [m.loss for m in own if m.loss is not None]
        told = rated and len(rated) >= LEAST_RATED * choices
        return Side(
            moves=len(own),
            choices=choices,
            rated=len(rated),
            classes={kind: sum(move.kind is kind for move in own) for kind in MoveClass},
            loss=math.fsum(losses) if losses else None,
            accuracy=100 * math.fsum(2.0**-mistakes for mistakes in rated) / len(rated) if told else None,
        )

    @property
    def key_moves(self) -> tuple[ReviewedMove, ...]:
        """The few worst moves that were mistakes or worse, in the order of the game."""
        bad = [move for move in self.moves if move.kind in (MoveClass.MISTAKE, MoveClass.BLUNDER)]
        worst = sorted(bad, key=lambda move: (-(move.mistakes or 0.0), move.number))[:MOST_KEY_MOVES]
        return tuple(sorted(worst, key=lambda move: move.number))


def review(positions: GamePositions, values: GameValues) -> Review:
    """Review a game whose positions have been valued."""
    leads, forced = positions.leads.tolist(), (positions.num_legal == 1).tolist()
    scores, phases = positions.states.score.tolist(), positions.phases
    margins, wins = _known(values.margin), _known(values.win)
    offers, taken = positions.most_on_offer.tolist(), positions.taken
    moves = []
    for i, (action, player) in enumerate(zip(positions.record.moves, positions.record.movers, strict=True)):
        margin, win, (loss, win_loss) = margins[i], wins[i], _costs(values, i, action, player)
        moves.append(
            ReviewedMove(
                number=i + 1,
                player=player,
                action=action,
                score=(scores[i + 1][0], scores[i + 1][1]),
                phase=phases[i],
                exact=bool(values.exact[i]),
                value=None if margin is None else (margin - leads[i]) * (1 if player == 0 else -1),
                win=win if win is None or player == 0 else 1 - win,
                win_exact=bool(values.certain_win[i]),
                best=values.best[i],
                loss=loss,
                win_loss=win_loss,
                mistakes=None if forced[i] else _mistakes(loss, win_loss),
                forced=forced[i],
                taken=taken[i],
                on_offer=offers[i],
            )
        )
    return Review(positions=positions, moves=tuple(moves), last_margin=margins[-1], last_win=wins[-1])


def _mistakes(loss: float | None, win_loss: float | None) -> float | None:
    """A cost on the common scale; None where nothing is known of it."""
    by_points = [] if loss is None else [loss / POINTS_OF_A_MISTAKE]
    by_chance = [] if win_loss is None else [win_loss / WIN_OF_A_MISTAKE]
    return max(by_points + by_chance, default=None)


def _known(numbers: NDArray[np.float64]) -> list[float | None]:
    return [None if math.isnan(number) else number for number in numbers.tolist()]


def _costs(values: GameValues, i: int, action: int, player: int) -> tuple[float | None, float | None]:
    """Points and chance that move `i` cost its player."""
    sign, certain = (1 if player == 0 else -1), bool(values.exact[i] and values.exact[i + 1])
    liked = action in values.best[i] and not certain
    costs = []
    for numbers in (values.margin, values.win):
        cost = sign * float(numbers[i] - numbers[i + 1])
        costs.append(None if math.isnan(cost) else 0.0 if liked else max(0.0, cost))
    return costs[0], costs[1]
