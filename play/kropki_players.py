"""Players of Kropki that need no network.

Greedy looks one move ahead: it takes the most dots that one dot can take now, and moves at random near the
dots that are there while nothing is on offer. It sees neither what the enemy threatens nor what a house
would do to its own dot, and never says STOP.

Shape letters as in `envs/kropki.py`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import Game, State
from dotzero.envs.kropki import KropkiGame, KropkiState
from dotzero.play.players import Player, cast_lots, pick


class KropkiGreedy(Player):
    """Takes the largest capture on offer, else moves at random near the dots."""

    name = "greedy"

    def choose(self, game: Game[Any], state: State, seeds: NDArray[np.uint64]) -> NDArray[np.int32]:
        """One of the largest captures, or a point of `opening_actions`."""
        if not isinstance(game, KropkiGame) or not isinstance(state, KropkiState):
            raise ValueError(f"player greedy must play kropki, got {game.name}")
        gains = np.where(game.plain_actions(state)[:, : game.stop], game.gains(state), 0)
        most = gains.max(axis=1, keepdims=True)
        candidates = game.opening_actions(state)
        takes = most[:, 0] > 0
        candidates[takes, : game.stop] = (gains == most)[takes]
        return pick(candidates, cast_lots(game, state, seeds))
