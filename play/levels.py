"""The AI levels that need no network.

Dots and Boxes, medium, by its four rules: M1 it takes every box on offer; M2 while a safe line is left (one
that gives no box its third side) it draws a safe one; M3 when it must give, it gives the fewest boxes, and
two as a pair opened in the middle (hard-hearted), which cannot be double-dealt; M4 so it always takes a
chain whole, and a double deal beats it. What remains open is uniformly random.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame, BoxesState, Scoring
from dotzero.envs.game import Game, State
from dotzero.play.kropki_players import KropkiGreedy
from dotzero.play.players import Player, RandomPlayer, cast_lots, pick
from dotzero.search.gifts import cheapest_gifts, most_sides


class BoxesMedium(Player):
    """Greedy with care: takes every box, gives none without need, else the fewest."""

    name = "medium"

    def choose(self, game: Game[Any], state: State, seeds: NDArray[np.uint64]) -> NDArray[np.int32]:
        """A line by the rules M1 to M3."""
        if not isinstance(game, BoxesGame) or not isinstance(state, BoxesState):
            raise ValueError(f"player medium must play boxes, got {game.name}")
        if game.rules.scoring is Scoring.MISERE:
            raise ValueError(f"player medium must play scoring=normal, got {game.rules.scoring}")
        most = most_sides(game.rules, state.lines)
        candidates = most == 3
        careful = ~candidates.any(axis=1)
        candidates[careful] = (most[careful] >= 0) & (most[careful] <= 1)
        giving = ~candidates.any(axis=1) & ~state.finished
        candidates[giving] = cheapest_gifts(game.rules, state.lines[giving])
        return pick(candidates, cast_lots(game, state, seeds))


LEVELS: dict[str, dict[str, type[Player]]] = {
    "boxes": {"medium": BoxesMedium},
    "kropki": {"greedy": KropkiGreedy},
}
"""The levels of every game by their identifiers, weakest first."""


def strongest_level(game: str) -> str:
    """The strongest player of a game that needs no network."""
    return [RandomPlayer.name, *LEVELS.get(game, {})][-1]
