"""The end of self-play games of Dots and Boxes, played by the solver.

The one idea: a game whose outcome is known need not be searched to its end. From the first position with
few enough undrawn lines on, both players draw random best lines. So all earlier positions get the exact
margin and owners under best play as their targets, and some of the solved ones are learned from too.

Shape letters as in `dotzero.envs.boxes`; B games.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame
from dotzero.envs.game import Game
from dotzero.search.endgame import Solver, SolverConfig
from dotzero.search.mcts import SearchConfig
from dotzero.train.game_log import GameLog, add_policies, random_actions


class ExactEnd:
    """Plays games of one board to their ends once they are within the solver's reach."""

    def __init__(self, game: Game[Any], config: SearchConfig) -> None:
        """Make the solver; a search of the same configuration has refused games and boards without one."""
        assert isinstance(game, BoxesGame)
        self._game = game
        self._exact_lines = config.exact_lines
        self._solver = Solver(game, SolverConfig(table_mib=config.exact_table_mib))

    def play(
        self,
        state: Any,
        logs: Sequence[GameLog[Any]],
        fraction: float,
        random: np.random.Generator,
    ) -> None:
        """Finish the games with at most `exact_lines` undrawn lines, in place.

        Args:
            state: All games, a `BoxesState`. B of them.
            logs: Their logs; moves are added, and for some of the positions the best lines as policy.
            fraction: That share of the positions.
            random: Chooses among best lines, and which positions are learned from.
        """
        undrawn = (state.lines == 0).sum(axis=1)
        going = np.flatnonzero((undrawn <= self._exact_lines) & ~state.finished)
        while len(going):
            best = self._solver.best_lines(state.lines[going]).best
            self._record(best, going, logs, random.random(len(going)) < fraction)
            actions = random_actions(best, random)
            for slot, action in zip(going.tolist(), actions.tolist(), strict=True):
                logs[slot].add(action)
            state[going] = self._game.step(state[going], actions)
            going = going[~state.finished[going]]

    def _record(
        self,
        best: NDArray[np.bool_],
        going: NDArray[np.intp],
        logs: Sequence[GameLog[Any]],
        chosen: NDArray[np.bool_],
    ) -> None:
        """Add equal shares of all best lines where `chosen`. `best` [n, L]; the others [n]."""
        policy = best.astype(np.float32) / best.sum(axis=1, keepdims=True)
        add_policies([logs[slot] for slot in going.tolist()], np.flatnonzero(chosen), policy)
