"""A slow referee of Dots and Boxes that works out everything anew from sets of line segments.

Written from the rules alone and sharing nothing with the package: dots are (x, y) points, a line is the set
of its two ends, and after every move all boxes are looked at again.
"""

import functools


class Referee:
    """One game; `draw` plays a line by its number and keeps score."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        across = [frozenset({(x, y), (x + 1, y)}) for y in range(rows + 1) for x in range(columns)]
        down = [frozenset({(x, y), (x, y + 1)}) for y in range(rows) for x in range(columns + 1)]
        self.segments = across + down
        self.drawn = set()
        self.owner = {}
        self.mover = 0
        self.closed = []

    @staticmethod
    @functools.cache
    def sides(x, y):
        """The four segments around the box with top left dot (x, y)."""
        corners = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)]
        return frozenset(frozenset({corners[i], corners[(i + 1) % 4]}) for i in range(4))

    def boxes(self):
        return [(x, y) for y in range(self.rows) for x in range(self.columns)]

    def num_sides(self, box):
        return len(self.sides(*box) & self.drawn)

    def draw(self, line):
        segment = self.segments[line]
        assert segment not in self.drawn, "no line twice"
        before = {box for box in self.boxes() if self.num_sides(box) == 4}
        self.drawn.add(segment)
        new = {box for box in self.boxes() if self.num_sides(box) == 4} - before
        for box in new:
            self.owner[box] = self.mover
        self.closed.append(len(new))
        if not new:
            self.mover = 1 - self.mover

    def legal(self):
        return [segment not in self.drawn for segment in self.segments]

    def finished(self):
        return len(self.drawn) == len(self.segments)

    def score(self):
        return [sum(owner == player for owner in self.owner.values()) for player in (0, 1)]

    def owners(self):
        """Owner of every box row by row, -1 while open."""
        return [self.owner.get(box, -1) for box in self.boxes()]

    def outcome(self):
        """+1, 0, -1 for the player to move; 0 while the game goes on."""
        if not self.finished():
            return 0
        mine, other = self.score()[self.mover], self.score()[1 - self.mover]
        return (mine > other) - (mine < other)


def observation(referee):
    """Bits and globals by their definition. Returns ({(x, y): set of bits}, list of 8 numbers)."""
    points, drawn, every = {}, referee.drawn, set(referee.segments)
    for y in range(referee.rows + 1):
        for x in range(referee.columns + 1):
            right, below = frozenset({(x, y), (x + 1, y)}), frozenset({(x, y), (x, y + 1)})
            bits = {7}
            bits |= {bit for bit, line in ((0, right), (1, below)) if line in drawn}
            bits |= {bit for bit, line in ((2, right), (3, below)) if line in every}
            if (x, y) in referee.boxes():
                sides = referee.num_sides((x, y))
                bits |= {bit for bit, holds in ((4, sides < 4), (5, sides == 3), (6, sides == 2)) if holds}
            points[x, y] = bits
    score = referee.score()
    margin = score[referee.mover] - score[1 - referee.mover]
    num_boxes, num_lines = len(referee.boxes()), len(every)
    lines_left = num_lines - len(drawn)
    boxes_left = sum(referee.num_sides(box) < 4 for box in referee.boxes())

    def parity(number):
        return 1 if number % 2 == 0 else -1

    return points, [
        margin / num_boxes,
        margin / 10,
        parity(lines_left),
        parity(boxes_left),
        parity((referee.rows + 1) * (referee.columns + 1)),
        lines_left / num_lines,
        boxes_left / num_boxes,
        parity(margin),
    ]
