"""Start positions of Kropki: which dots stand on the board before the first move.

Everything is built from the cross, a 2x2 block with the dots of each player on one diagonal; a fight is on
from the first move, where an empty board lets a player who keeps to the border force a draw. Places are those
of the servers: on 39x32 the single dot and the cross begin at column 20, row 16, counted from 1.

A board of start dots is uint8 [H, W]: 0 none, 1 or 2 a dot of player 1 or 2.
"""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

CROSS = np.array([[1, 2], [2, 1]], np.uint8)
"""Player 1 from north-west to south-east."""
MIRRORED = CROSS[:, ::-1]
"""Player 1 from north-east to south-west."""
NUM_TRIES = 20
"""Attempts to place random crosses freely before they are put on a grid."""
APART = 3
"""Least distance between random crosses in rows or columns: touching ones may shut in each other's dots."""


class Start(StrEnum):
    """The start positions by name."""

    EMPTY = "empty"
    """No dots."""
    SINGLE = "single"
    """One dot of player 1 in the centre; player 1 moves first all the same."""
    CROSS = "cross"
    """One cross in the middle."""
    DOUBLE_CROSS = "double_cross"
    """Two crosses side by side, the second mirrored."""
    FOUR_CROSSES = "four_crosses"
    """Four crosses that mirror each other, at column 12, row 11 of 39x32 and else at thirds of the sides."""
    RANDOM_CROSSES = "random_crosses"
    """A number of crosses at random places that do not touch, either way round."""


_NEEDS = {
    Start.EMPTY: (0, 2, 2),
    Start.SINGLE: (0, 2, 2),
    Start.CROSS: (1, 2, 2),
    Start.DOUBLE_CROSS: (2, 4, 2),
    Start.FOUR_CROSSES: (4, 4, 4),
}
"""Crosses of each fixed start, and the columns and rows that they need."""


def fits(start: Start, width: int, height: int, num_crosses: int) -> bool:
    """Whether a board of width x height points, at least 2 each, has room for a start and one move."""
    if start is Start.RANDOM_CROSSES:
        has_room = num_crosses <= ((width + 1) // APART) * ((height + 1) // APART)
    else:
        num_crosses, columns, rows = _NEEDS[start]
        has_room = columns <= width and rows <= height
        if start is Start.FOUR_CROSSES:  # side by side both ways they shut in the dots in the middle
            has_room = has_room and (_gap(width) > 0 or _gap(height) > 0)
    return has_room and 4 * num_crosses < width * height


def _gap(side: int) -> int:
    """Free points between two of the four crosses along a side."""
    return side - 2 * (side // 3 - 1 + 2)


def fixed_dots(start: Start, width: int, height: int) -> NDArray[np.uint8]:
    """The start dots of every start position but random crosses, on a board they fit. [H, W]."""
    assert start is not Start.RANDOM_CROSSES
    dots = np.zeros((height, width), np.uint8)
    x, y = (width + 1) // 2 - 1, height // 2 - 1
    if start is Start.SINGLE:
        dots[(height - 1) // 2, x] = 1
    elif start is Start.CROSS:
        dots[y : y + 2, x : x + 2] = CROSS
    elif start is Start.DOUBLE_CROSS:
        dots[y : y + 2, x - 1 : x + 3] = np.hstack([CROSS, MIRRORED])
    elif start is Start.FOUR_CROSSES:
        x, y = (11, 10) if (width, height) == (39, 32) else (width // 3 - 1, height // 3 - 1)
        quarter = np.zeros_like(dots)
        quarter[y : y + 2, x : x + 2] = CROSS
        dots = quarter + quarter[:, ::-1] + quarter[::-1] + quarter[::-1, ::-1]
    return dots


def random_dots(width: int, height: int, num_crosses: int, random: np.random.Generator) -> NDArray[np.uint8]:
    """Crosses at random places of a board they fit, each either way round. [H, W]."""
    corners = _places_apart(width, height, num_crosses, random)
    dots = np.zeros((height, width), np.uint8)
    for y, x in corners:
        dots[y : y + 2, x : x + 2] = CROSS if random.random() < 0.5 else MIRRORED
    return dots


def _places_apart(
    width: int, height: int, num_crosses: int, random: np.random.Generator
) -> list[tuple[int, int]]:
    """Row and column of the top left points of crosses that do not touch."""
    rows, columns = np.divmod(np.arange((height - 1) * (width - 1)), width - 1)
    for _ in range(NUM_TRIES):
        corners: list[tuple[int, int]] = []
        free = np.ones(len(rows), np.bool_)
        while free.any() and len(corners) < num_crosses:
            place = random.choice(np.flatnonzero(free))
            y, x = int(rows[place]), int(columns[place])
            corners.append((y, x))
            free &= (abs(rows - y) >= APART) | (abs(columns - x) >= APART)
        if len(corners) == num_crosses:
            return corners
    # Too many for that: some places of a grid that lies anywhere on the board.
    num_rows, num_columns = (height + 1) // APART, (width + 1) // APART
    top = random.integers(0, height + 2 - APART * num_rows)
    left = random.integers(0, width + 2 - APART * num_columns)
    places = random.choice(num_rows * num_columns, num_crosses, replace=False)
    return [(int(top + APART * (p // num_columns)), int(left + APART * (p % num_columns))) for p in places]
