"""Values of endgames of Dots and Boxes that consist of separate chains and loops, of any number of boxes.

An independent second judge beside the slow solver, which can only see 20 lines. It knows two things. First,
with boxes on offer a player takes all T of them, or leaves the last pair at a loose end (q = 2) or the last
two pairs of a closed region (q = 4), after which the other takes these and moves in the rest of value v: the
better is worth T - q + |v + q|. Second, the rest depends on nothing but the sizes of its chains and loops.
test_boxes_experts.py compares it with the slow solver where that can see.
"""

import functools

import numpy as np
from slow_boxes import box_sides


class Corridors:
    """One position of chains and loops, some of them opened."""

    def __init__(self, rows, columns, lines):
        self.rows, self.columns, self.lines = rows, columns, np.array(lines, np.uint8)
        self.sides = [[s for s in sides if not lines[s]] for sides in box_sides(rows, columns)]
        assert max(map(len, self.sides)) <= 2

    def regions(self):
        """Open boxes that hang together by undrawn lines, as lists."""
        left = {box for box, sides in enumerate(self.sides) if sides}
        while left:
            region = [left.pop()]
            for box in region:
                near = [other for other in left if set(self.sides[other]) & set(self.sides[box])]
                left.difference_update(near)
                region += near
            yield region

    def value(self):
        """What is to come for the player to move minus the other's."""
        chains, loops, loose, closed = [], [], [], []
        for region in self.regions():
            num_lines = len({line for box in region for line in self.sides[box]})
            on_offer = any(len(self.sides[box]) == 1 for box in region)
            if on_offer:
                (closed if num_lines < len(region) else loose).append(len(region))
            else:
                (loops if num_lines == len(region) else chains).append(len(region))
        return worth(loose, closed, quiet(tuple(sorted(chains)), tuple(sorted(loops))))

    def line_value(self, line):
        """Value of drawing an undrawn line."""
        after = self.lines.copy()
        after[line] = 1
        num_closed = sum(sides == [line] for sides in self.sides)
        rest = Corridors(self.rows, self.columns, after).value()
        return num_closed + rest if num_closed else -rest


def worth(loose, closed, rest):
    """Value with boxes on offer in regions of these sizes, and a rest of value `rest`."""
    taken = sum(loose) + sum(closed)
    if any(size >= 2 for size in loose):
        return taken - 2 + abs(rest + 2)
    if any(size >= 4 for size in closed):
        return taken - 4 + abs(rest + 4)
    return taken + rest


@functools.cache
def quiet(chains, loops):
    """Value of chains and loops of these sizes with nothing on offer: that of the best of all their lines."""
    if not chains and not loops:
        return 0
    values = []
    for size in set(chains):
        rest = quiet(without(chains, size), loops)
        values += [
            -worth([part for part in (at, size - at) if part], [], rest) for at in range(size // 2 + 1)
        ]
    for size in set(loops):
        values.append(-worth([], [size], quiet(chains, without(loops, size))))
    return max(values)


def without(sizes, size):
    """The sizes less one of them."""
    where = sizes.index(size)
    return sizes[:where] + sizes[where + 1 :]
