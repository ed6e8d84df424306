"""Where a player of Kropki may say STOP without a doubt."""

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import NO_ACTION
from dotzero.envs.kropki import KropkiGame, KropkiState


def winning_stops(game: KropkiGame, state: KropkiState) -> NDArray[np.bool_]:
    """Where the player to move wins by STOP: by grounding, or alone in a solo phase by ending it. Shape [B].

    By grounding it wins if it is ahead even after all its dots that are not linked to the edge have gone to
    the enemy.
    """
    ahead_alone = (state.stopped >= 0) & ~state.finished & (game.margin(state) > 0)
    return np.asarray((game.winning_stop(state) != NO_ACTION) | ahead_alone)
