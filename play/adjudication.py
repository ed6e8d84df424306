"""Ending games before their end, where their result is certain.

Shape letters as in `envs/game.py`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame
from dotzero.envs.game import Game
from dotzero.search.endgame import Solver, has_solver

EXACT_LINES = 30
"""Undrawn lines from which exact adjudication asks the solver: microseconds a position."""


class Verdicts(NamedTuple):
    """What is certain of B games."""

    known: NDArray[np.bool_]
    """Whether anything is. Shape [B]."""
    margin: NDArray[np.float64]
    """What player 0 leads by: under best play where it was calculated, else so far. Shape [B]."""
    winner: NDArray[np.int64]
    """0 or 1, 2 for a draw. Shape [B]."""


class Adjudicator:
    """Judges games of one board."""

    def __init__(self, game: Game[Any], *, decided: bool, exact: bool) -> None:
        """Make the solver where it is wanted.

        Args:
            game: The board.
            decided: End games whose winner cannot change any more.
            exact: End games whose result under best play can be calculated.

        Raises:
            ValueError: Exact adjudication is wanted of a game without a solver.
        """
        if exact and not has_solver(game):
            raise ValueError(
                f"ArenaConfig.adjudication must not be exact here: no solver for this {game.name}"
            )
        self._game = game
        self._decided = decided
        self._solver = Solver(game) if exact and isinstance(game, BoxesGame) else None

    def verdicts(self, state: Any) -> Verdicts:
        """Judge unfinished games. B of them."""
        sign = np.where(state.to_move == 0, 1, -1)
        margin = sign * self._game.margin(state).astype(np.float64)
        winner = np.full(len(state), -1, np.int64)
        if self._decided:
            winner = self._game.decided(state).astype(np.int64)
        if self._solver is not None:
            rows = np.flatnonzero((state.lines == 0).sum(axis=1) <= EXACT_LINES)
            if len(rows):
                # Values are boxes to come for the player to move less the other's.
                margin[rows] += sign[rows] * self._solver.solve(state.lines[rows]).lower
                winner[rows] = np.select([margin[rows] > 0, margin[rows] < 0], [0, 1], 2)
        return Verdicts(winner >= 0, margin, winner)
