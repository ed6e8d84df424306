"""Games between careless and careful play: positions as they come up when players make mistakes.

Shape letters as in `dotzero.envs.boxes`; B games.
"""

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame, BoxesState
from dotzero.search.gifts import are_safe, most_sides
from dotzero.train.game_log import random_actions


def half_careful_lines(
    game: BoxesGame, state: BoxesState, care: NDArray[np.float64], random: np.random.Generator
) -> NDArray[np.int32]:
    """One line in each game.

    With the chance `care` a box where one is on offer; else with the chance `care` a safe line where there is
    one; else any line.

    Args:
        game: The board.
        state: Unfinished games. B of them.
        care: From 0 (any line) to 1. Shape [B].
        random: Draws the lines.

    Returns:
        Lines. Shape [B].
    """
    legal = state.lines == 0
    most = most_sides(game.rules, state.lines)
    candidates = legal.copy()
    for better in (are_safe(most) & legal, (most == 3) & legal):
        careful = better.any(axis=1) & (random.random(len(state)) < care)
        candidates[careful] = better[careful]
    return random_actions(candidates, random)
