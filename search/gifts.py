"""What can be taken and what a line gives away, in whole batches of positions of Dots and Boxes.

The one idea: all boxes on offer are taken in every position at once, again and again until none is left. The
order does not matter, so this is what one player can take in one turn.

Shape letters as in `envs/boxes.py`: L lines, N boxes; K positions. `lines` are 1 where a line is drawn.
"""

import functools

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesRules, box_lines


@functools.cache
def line_boxes(rules: BoxesRules) -> NDArray[np.int32]:
    """The two boxes beside every line; N stands for "outside the board". Read only, shape [L, 2]."""
    beside = np.full((rules.num_lines, 2), rules.num_boxes, np.int32)
    for box, (top, bottom, left, right) in enumerate(box_lines(rules)):
        beside[[bottom, right], 0] = box  # the box is above, or to the left
        beside[[top, left], 1] = box
    beside.setflags(write=False)
    return beside


def count_sides(rules: BoxesRules, lines: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Drawn sides of every box, and a last column of 0 for "outside". `lines` [K, L]; shape [K, N + 1]."""
    sides = np.zeros((len(lines), rules.num_boxes + 1), np.int8)
    for column in box_lines(rules).T:
        sides[:, :-1] += lines[:, column].view(np.int8)
    return sides


def most_sides(rules: BoxesRules, lines: NDArray[np.uint8]) -> NDArray[np.int8]:
    """For each undrawn line the larger number of sides of the boxes beside it, -1 for drawn lines.

    So 3 means that the line takes a box, 2 that it gives one away, 0 or 1 that it is safe. Shape [K, L].
    """
    sides = count_sides(rules, lines)
    above, below = line_boxes(rules).T
    return np.where(lines == 0, np.maximum(sides[:, above], sides[:, below]), -1).astype(np.int8)


def are_safe(most: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Which lines are safe: undrawn, and giving no box its third side. `most` of `most_sides`; [K, L]."""
    return np.asarray((most == 0) | (most == 1))


def take_all(rules: BoxesRules, lines: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The lines after one player took every box on offer, and those then on offer, to the last. [K, L]."""
    lines = lines.copy()
    rows = np.arange(len(lines))
    while len(rows):
        takes = most_sides(rules, lines[rows]) == 3
        lines[rows] |= takes
        rows = rows[takes.any(axis=1)]
    return lines


def num_takable(rules: BoxesRules, lines: NDArray[np.uint8]) -> NDArray[np.int16]:
    """The number of boxes that one player can take in one turn. `lines` [K, L]; shape [K]."""
    after, before = count_sides(rules, take_all(rules, lines)), count_sides(rules, lines)
    num_taken: NDArray[np.int16] = ((after == 4) & (before < 4)).sum(axis=1, dtype=np.int16)
    return num_taken


def handouts(rules: BoxesRules, lines: NDArray[np.uint8]) -> NDArray[np.int16]:
    """`handout` of every line, -1 for drawn lines. `lines` [K, L]; shape [K, L]."""
    row, line = np.nonzero(lines == 0)
    after = lines[row]
    after[np.arange(len(row)), line] = 1
    given = np.full(lines.shape, -1, np.int16)
    given[row, line] = num_takable(rules, after)
    return given


def cheapest_gifts(rules: BoxesRules, lines: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """The lines after which the opponent can take the fewest boxes, for positions with nothing on offer.

    Where that is two boxes, only lines between the two stand, if there are any: they leave no double deal.
    `lines` [K, L]; shape [K, L].
    """
    given = handouts(rules, lines)
    undrawn = given >= 0
    fewest = np.where(undrawn, given, rules.num_boxes).min(axis=1, keepdims=True)
    cheapest: NDArray[np.bool_] = undrawn & (given == fewest)
    sides = count_sides(rules, lines)
    above, below = line_boxes(rules).T
    middle = cheapest & (fewest == 2) & (sides[:, above] == 2) & (sides[:, below] == 2)
    cheapest[middle.any(axis=1)] = False
    cheapest |= middle
    return cheapest
