"""Boards of Dots and Boxes as pictures: dots, drawn lines, the last one thick, boxes with their owner's mark.

Lines belong to nobody once they are drawn, so only boxes have a player's colour. Columns and rows are named
as lines are (R146): letters, and numbers from the bottom.

Shape letters as in `boxes.py`.
"""

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame, BoxesState, line_place
from dotzero.envs.drawing import FAINT, INK, PLAYERS, TINTS, Canvas

_LAST = (196, 0, 110)


def draw_boxes(
    game: BoxesGame, state: BoxesState, index: int, last: int | None, marks: tuple[str, str]
) -> NDArray[np.uint8]:
    """One game of a batch; arguments and result as for `drawing.draw`."""
    R, C = game.rules.rows, game.rules.columns
    canvas = Canvas(C, R)
    canvas.labels([chr(ord("A") + c) for c in range(C)], [str(R - r) for r in range(R)], 0.5)
    for box, owner in enumerate(state.owner[index].tolist()):
        if owner >= 0:
            y, x = divmod(box, C)
            corners = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)]
            canvas.area(corners, TINTS[owner], PLAYERS[1] if owner else None)
            canvas.dot((x + 0.5, y + 0.5), 0.28, TINTS[owner])  # so that the mark stands on plain ground
            canvas.text((x + 0.5, y + 0.5), marks[owner], PLAYERS[owner], 0.42)
    lines = state.lines[index].tolist()
    order = sorted(range(len(lines)), key=lambda line: (lines[line], line == last))  # drawn over undrawn
    for line in order:
        across, y, x = line_place(game.rules, line)
        start, end = (x, y), (x + across, y + (not across))
        if not lines[line]:
            canvas.line(start, end, FAINT, 0.02)
        elif line == last:
            canvas.line(start, end, _LAST, 0.15)
        else:
            canvas.line(start, end, INK, 0.08)
    for y in range(R + 1):
        for x in range(C + 1):
            canvas.dot((x, y), 0.1, INK)
    canvas.footer(game, state, index)
    return canvas.pixels()
