"""Moves of Dots and Boxes that need no search, since their best lines can be calculated.

The search's own use of the solver ends where a leaf would cost too much. A move is asked for once, so a
position with many more undrawn lines may be tried, as level insane does.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesState
from dotzero.envs.game import Game, State
from dotzero.search.endgame import Solver, has_solver


class ExactMoves:
    """Best lines of positions, as far as a number of undrawn lines and of searched positions allows."""

    def __init__(self, game: Game[Any], lines: int, nodes: int) -> None:
        """Make the solver, if the game has one.

        Args:
            game: The board.
            lines: Most undrawn lines of a position that is tried; 0: none is.
            nodes: Positions that one attempt may search.
        """
        self._lines = lines
        self._nodes = nodes
        self._solver = Solver(game) if has_solver(game) and lines > 0 else None

    def best(self, state: State, max_seconds: float | None = None) -> NDArray[np.bool_]:
        """All best lines of each unfinished position, none where they were not found out. Shape [B, A].

        Args:
            state: B games of the board.
            max_seconds: Limit of time for all of them together, in place of that of positions.
        """
        if self._solver is None:
            return np.zeros((len(state), 0), np.bool_)
        assert isinstance(state, BoxesState)
        best = np.zeros(state.lines.shape, np.bool_)
        rows = np.flatnonzero(((state.lines == 0).sum(axis=1) <= self._lines) & ~state.finished)
        if len(rows):
            nodes = None if max_seconds is not None else self._nodes
            best[rows] = self._solver.best_lines(
                state.lines[rows], max_nodes=nodes, max_seconds=max_seconds
            ).best
        return best
