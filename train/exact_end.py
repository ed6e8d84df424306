"""The end of self-play games of Dots and Boxes, played by the solver.

The one idea: a game whose outcome is known need not be searched to its end. From the first position with
few enough undrawn lines on, both players draw random best lines. So all earlier positions get the exact
margin and owners under best play as their targets, and some of the solved ones are learned from too.

Such ends are tidy: nobody has thrown a box away. What a network has to know in other games it learns from
strays, which leave a game at any of its moves, go on between careless and careful and are solved as well.

Shape letters as in `dotzero.envs.boxes`; B games.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame
from dotzero.envs.game import Game, join_states
from dotzero.search.endgame import Solver, SolverConfig
from dotzero.search.search_config import SearchConfig
from dotzero.train.game_log import GameLog, add_policies, random_actions
from dotzero.train.half_careful import half_careful_lines


class ExactEnd:
    """Plays games of one board to their ends once they are within the solver's reach."""

    def __init__(self, game: Game[Any], config: SearchConfig) -> None:
        """Make the solver; a search of the same configuration has refused games and boards without one."""
        assert isinstance(game, BoxesGame)
        self._game = game
        self._exact_lines = config.exact_lines
        self._solver = Solver(game, SolverConfig(table_mib=config.exact_table_mib))

    def play(
        self, state: Any, logs: Sequence[GameLog[Any]], fraction: float, random: np.random.Generator
    ) -> NDArray[np.intp]:
        """Finish the games with at most `exact_lines` undrawn lines, in place; these.

        Args:
            state: All games, a `BoxesState`. B of them.
            logs: Their logs; moves are added, and for some of the positions the best lines as policy.
            fraction: That share of the positions.
            random: Chooses among best lines, and which positions are learned from.
        """
        reached = np.flatnonzero(((state.lines == 0).sum(axis=1) <= self._exact_lines) & ~state.finished)
        self._finish(state, logs, reached, random.random(len(reached)) < fraction, fraction, random)
        return reached

    def strays(
        self, logs: Sequence[GameLog[Any]], number: int, fraction: float, random: np.random.Generator
    ) -> list[GameLog[Any]]:
        """Games that left others at a random move and went on between careless and careful, then solved.

        Args:
            logs: The games that they leave, played to their ends.
            number: So many of each; those that end on the way are left out.
            fraction: Share of their positions that is learned from, besides the first one of each.
            random: Chooses where they leave, how they go on, and as in `play`.

        Returns:
            Their logs, from the first solved position on.
        """
        sources = [log for log in logs for _ in range(number)]
        if not sources:
            return []
        state = self._left(sources, random)
        least = random.integers(1, self._exact_lines + 1, len(sources))
        care = random.random(len(sources))
        while True:
            going = np.flatnonzero(((state.lines == 0).sum(axis=1) > least) & ~state.finished)
            if len(going) == 0:
                break
            playing = state[going]
            state[going] = self._game.step(
                playing, half_careful_lines(self._game, playing, care[going], random)
            )
        state = state[~state.finished]
        strays = [GameLog(state[[index]], strayed=True) for index in range(len(state))]
        everyone = np.arange(len(strays))
        self._finish(state, strays, everyone, np.ones(len(strays), np.bool_), fraction, random)
        return strays

    def _left(self, sources: Sequence[GameLog[Any]], random: np.random.Generator) -> Any:
        """A random position of each game."""
        state = join_states([log.start for log in sources])
        plies = random.integers(0, [len(log.actions) for log in sources])
        for ply in range(int(plies.max())):
            going = np.flatnonzero(plies > ply)
            actions = np.array([sources[index].actions[ply] for index in going.tolist()], np.int32)
            state[going] = self._game.step(state[going], actions)
        return state

    def _finish(
        self,
        state: Any,
        logs: Sequence[GameLog[Any]],
        going: NDArray[np.intp],
        chosen: NDArray[np.bool_],
        fraction: float,
        random: np.random.Generator,
    ) -> None:
        """Play best lines to the end; of the first positions of `going` those `chosen` are learned from."""
        while len(going):
            best = self._solver.best_lines(state.lines[going]).best
            self._record(best, going, logs, chosen)
            actions = random_actions(best, random)
            for slot, action in zip(going.tolist(), actions.tolist(), strict=True):
                logs[slot].add(action)
            state[going] = self._game.step(state[going], actions)
            going = going[~state.finished[going]]
            chosen = random.random(len(going)) < fraction

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
