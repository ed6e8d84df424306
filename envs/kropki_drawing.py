"""Boards of Kropki as pictures: dots on a grid, tinted enclosures with their chains, the last dot in a ring.

Player 1 has full dots and plain areas, player 2 hollow dots and hatched ones. Captured dots are smaller. An
enclosure whose chain is known is drawn as the polygon of its chain (R031) as long as its captor holds a point
inside; closed points outside all of these, as in a position that was set up, are tinted one by one.

Shape letters as in `kropki.py`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.drawing import FAINT, INK, PAPER, PLAYERS, TINTS, Canvas
from dotzero.envs.kropki import Capture, KropkiGame, KropkiState
from dotzero.envs.kropki_rules import LETTERS

_HELD = (0x10, 0x20)
_PLACED = (0x04, 0x08)
_LIVE = 0x03


def draw_kropki(
    game: KropkiGame, state: KropkiState, index: int, last: int | None, enclosures: Sequence[Capture]
) -> NDArray[np.uint8]:
    """One game of a batch; arguments and result as for `drawing.draw`."""
    H, W = game.size
    canvas = Canvas(W - 1, H - 1)
    canvas.labels(list(LETTERS[:W]), list(LETTERS[:H]), 0)
    for x in range(W):
        canvas.line((x, 0), (x, H - 1), FAINT, 0.02)
    for y in range(H):
        canvas.line((0, y), (W - 1, y), FAINT, 0.02)
    cells = state.cells[index]
    _areas(canvas, cells, enclosures)
    for y, row in enumerate(cells.tolist()):
        for x, cell in enumerate(row):
            for player in (0, 1):
                if cell & _PLACED[player]:
                    radius = 0.34 if cell & _LIVE else 0.22
                    canvas.dot((x, y), radius, PLAYERS[player], PAPER if player else None)
    if last is not None and 0 <= last < game.stop:
        canvas.ring((last % W, last // W), 0.46, INK, 0.07)
    canvas.footer(game, state, index)
    return canvas.pixels()


def _areas(canvas: Canvas, cells: NDArray[np.uint8], enclosures: Sequence[Capture]) -> None:
    """Tint what is closed, in the order in which it was: a later enclosure may hold an earlier one."""
    W = cells.shape[1]
    bare = {player: cells & _HELD[player] != 0 for player in (0, 1)}
    for one in enclosures:
        inside = np.unravel_index(np.array(one.interior, np.intp), cells.shape)
        if not (cells[inside] & _HELD[one.player]).any():
            continue
        corners = [(point % W, point // W) for point in one.chain]
        canvas.area(corners, TINTS[one.player], PLAYERS[1] if one.player else None)
        for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
            canvas.line(start, end, PLAYERS[one.player], 0.1)
        bare[one.player][inside] = False
    for player in (0, 1):
        for y, x in np.argwhere(bare[player]).tolist():
            corners = [(x - 0.5, y - 0.5), (x + 0.5, y - 0.5), (x + 0.5, y + 0.5), (x - 0.5, y + 0.5)]
            canvas.area(corners, TINTS[player], PLAYERS[1] if player else None)
