"""Enclosures that a screen of Kropki draws: those that still stand.

The one idea: a larger enclosure may swallow a smaller one. Whoever holds none of its points any more holds no
border round them either, so its chain is not drawn.
"""

from collections.abc import Sequence

from dotzero.envs.kropki import Capture, KropkiState
from dotzero.play.session_moves import Move


def standing(state: KropkiState, moves: Sequence[Move]) -> list[tuple[int, Capture]]:
    """The enclosures of which their captor holds a point, in the order in which they were closed.

    Args:
        state: A position, a batch of one.
        moves: Those that led to it, from the first one on.

    Returns:
        Each with the number of the move that closed it, from 1 on.
    """
    cells = state.cells[0].ravel()
    return [
        (number, capture)
        for number, move in enumerate(moves, 1)
        for capture in move.captures
        if (cells[list(capture.interior)] & (16 << capture.player)).any()
    ]
