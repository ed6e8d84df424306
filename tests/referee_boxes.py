"""A slow referee of Dots and Boxes that works out everything anew from sets of line segments.

Written from the rules alone and sharing nothing with the package: dots are (x, y) points, a line is the set
of its two ends, and after every move all boxes are looked at again.
"""

import functools

import numpy as np


class Referee:
    """One game; `draw` plays a line by its number and keeps score.

    `border` is none, left_bottom or all: the edges that are drawn before the game, y growing downwards. In
    `misere` fewer boxes win.
    """

    def __init__(self, rows, columns, border="none", misere=False):
        self.rows, self.columns, self.misere = rows, columns, misere
        across = [frozenset({(x, y), (x + 1, y)}) for y in range(rows + 1) for x in range(columns)]
        down = [frozenset({(x, y), (x, y + 1)}) for y in range(rows) for x in range(columns + 1)]
        self.segments = across + down
        edges = {"none": "", "left_bottom": "LB", "all": "LRTB"}[border]
        on_edge = {"L": lambda x, y: x == 0, "R": lambda x, y: x == columns}
        on_edge |= {"T": lambda x, y: y == 0, "B": lambda x, y: y == rows}
        self.drawn = {s for s in self.segments for edge in edges if all(on_edge[edge](*dot) for dot in s)}
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

    def margin(self):
        """What the player to move leads by."""
        mine, other = self.score()[self.mover], self.score()[1 - self.mover]
        return other - mine if self.misere else mine - other

    def outcome(self):
        """+1, 0, -1 for the player to move; 0 while the game goes on."""
        if not self.finished():
            return 0
        return (self.margin() > 0) - (self.margin() < 0)


def observation(referee):
    """Bits and globals by their definition. Returns ({(x, y): set of bits}, list of 9 numbers)."""
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
    margin = referee.margin()
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
        1 if referee.misere else 0,
    ]


def assert_same(game, state, referees):
    """Everything the game says of a batch is what the referees say of their games."""
    assert state.to_move.tolist() == [referee.mover for referee in referees]
    assert state.finished.tolist() == [referee.finished() for referee in referees]
    assert state.score.tolist() == [referee.score() for referee in referees]
    assert game.legal(state).tolist() == [referee.legal() for referee in referees]
    assert state.owner.tolist() == [referee.owners() for referee in referees]
    assert game.margin(state).tolist() == [referee.margin() for referee in referees]
    assert game.outcome(state).tolist() == [referee.outcome() for referee in referees]
    lattice = game.owners(state)
    for index, referee in enumerate(referees):
        seen = np.zeros((referee.rows + 1, referee.columns + 1), int)
        for (x, y), owner in referee.owner.items():
            seen[y, x] = 1 if owner == referee.mover else -1
        assert lattice[index].tolist() == seen.tolist()


def assert_same_observation(game, state, referees):
    """Bits and globals are those of the definition."""
    seen = game.observe(state)
    for index, referee in enumerate(referees):
        points, numbers = observation(referee)
        for (x, y), bits in points.items():
            assert seen.points[index, 0, y, x] == sum(1 << bit for bit in bits), (x, y, bits)
        np.testing.assert_allclose(seen.globals[index], numbers, rtol=0, atol=1e-6)
