"""A slow, independent solver of Dots and Boxes: the values of all sets of lines that a position can come to.

Written from the rules alone, knowing nothing of chains and sharing nothing with the package: the sides of the
boxes come from the tests' referee. A set of undrawn lines is a number, bit i for the i-th of them in the
order of the lines. A set is worth its best line: the boxes that this closes, plus the value of the smaller
set if it closes any, else minus that value, since the turn passes. So sets are worked out from small to
large, all of one size at a time.

In misere the value is the other's boxes minus one's own, so every box closed counts -1 for whoever closes it.
"""

import functools

import numpy as np
from referee_boxes import Referee

MOST_LINES = 20


@functools.cache
def sets_by_size(num_lines):
    """The numbers of all sets of `num_lines` things, one array for every size."""
    sets = np.arange(1 << num_lines, dtype=np.int32)
    return [sets[np.bitwise_count(sets) == size] for size in range(num_lines + 1)]


@functools.cache
def box_sides(rows, columns):
    """The line numbers of every box's sides."""
    referee = Referee(rows, columns)
    number = {segment: line for line, segment in enumerate(referee.segments)}
    return [[number[side] for side in referee.sides(*box)] for box in referee.boxes()]


class SlowSolver:
    """Values of one position of at most 20 undrawn lines and of all that follow from it."""

    def __init__(self, rows, columns, lines, misere=False):
        self.undrawn = np.flatnonzero(np.asarray(lines) == 0).tolist()
        assert len(self.undrawn) <= MOST_LINES
        self.worth = -1 if misere else 1
        self.bit = {line: 1 << i for i, line in enumerate(self.undrawn)}
        boxes = [[self.bit[line] for line in box if line in self.bit] for box in box_sides(rows, columns)]
        self.boxes_of = {bit: [sum(box) for box in boxes if bit in box] for bit in self.bit.values()}
        """The undrawn sides of the boxes beside a line."""
        self.values = np.zeros(1 << len(self.undrawn), np.int8)
        for sets in sets_by_size(len(self.undrawn))[1:]:
            best = np.full(len(sets), -128, np.int8)
            for bit in self.boxes_of:
                having = np.flatnonzero(sets & bit)
                best[having] = np.maximum(best[having], self.after(sets[having], bit))
            self.values[sets] = best

    def after(self, sets, bit):
        """Value of drawing the line `bit` in every set, for the player who draws it."""
        closed = np.zeros(np.shape(sets), np.int8)
        for sides in self.boxes_of[bit]:
            closed += (sets & sides) == bit
        rest = self.values[sets ^ bit]
        return np.where(closed > 0, self.worth * closed + rest, -rest)

    def number(self, lines):
        """The number of a position that follows from this one."""
        left = np.flatnonzero(np.asarray(lines) == 0).tolist()
        return sum(self.bit[line] for line in left)

    def value(self, lines=None):
        """What is to come for the player to move minus the other's, by default of the position itself."""
        return int(self.values[-1 if lines is None else self.number(lines)])

    def line_values(self):
        """Value of drawing each undrawn line, by its number."""
        whole = len(self.values) - 1
        return {line: int(self.after(np.int32(whole), bit)) for line, bit in self.bit.items()}

    def best_lines(self):
        """All lines of the best value."""
        return {line for line, value in self.line_values().items() if value == self.value()}
