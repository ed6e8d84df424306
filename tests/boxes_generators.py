"""Seeded generators of positions of Dots and Boxes: uint8 arrays of lines, 1 where a line is drawn.

Three kinds. Random sets of lines, all over the board or close together: any set of lines is a position of
some game, and random play reaches all of one size alike. Games of careful players, who take what is on offer
and else draw safe lines, up to a given share of carelessness; they end in loony endgames with joints. And
endgames laid out to order: separate chains and loops of given sizes, all other boxes being complete.

What is random comes from the generator that is passed in, so the same seed gives the same positions. The
sides of the boxes come from the tests' referee. Shape letters: K positions, L lines, N boxes.
"""

import functools
import itertools

import numpy as np
from referee_boxes import Referee


class Board:
    """What the generators need to know of a size: boxes, their sides, and boxes with a common side."""

    def __init__(self, rows, columns):
        referee = Referee(rows, columns)
        number = {segment: line for line, segment in enumerate(referee.segments)}
        self.num_lines = len(number)
        self.sides = [{number[side] for side in referee.sides(*box)} for box in referee.boxes()]
        self.boxes_of = [
            [b for b, sides in enumerate(self.sides) if line in sides] for line in number.values()
        ]
        self.has_side = np.zeros((len(self.sides), self.num_lines), np.int8)
        for box, sides in enumerate(self.sides):
            self.has_side[box, list(sides)] = 1

    def border(self, box):
        """The sides of a box that are edges of the board."""
        return [line for line in sorted(self.sides[box]) if len(self.boxes_of[line]) == 1]

    def near(self, box):
        """The boxes beside a box."""
        return sorted({b for line in self.sides[box] for b in self.boxes_of[line]} - {box})

    def between(self, one, other):
        """The common side of two boxes."""
        (line,) = self.sides[one] & self.sides[other]
        return line

    def degrees(self, lines):
        """Undrawn sides of every box. `lines` [K, L]; shape [K, N]."""
        return (1 - lines.astype(np.int8)) @ self.has_side.T

    def least_degrees(self, lines):
        """The smaller degree of the boxes beside every undrawn line, -1 for drawn lines. Shape [K, L]."""
        degrees = self.degrees(lines)
        least = np.stack([degrees[:, boxes].min(axis=1) for boxes in self.boxes_of], axis=1)
        return np.where(lines == 0, least, -1)


board = functools.cache(Board)


def random_sets(rows, columns, num_left, num, rng):
    """Sets of lines, all of a size equally likely, which is what random play comes to. Shape [K, L]."""
    num_lines = board(rows, columns).num_lines
    order = rng.random((num, num_lines)).argsort(axis=1)
    return (order >= num_left).astype(np.uint8)


def compact_sets(rows, columns, num_left, num, rng):
    """Sets whose undrawn lines lie close together: the hard ones for a solver. Shape [K, L].

    Boxes are opened one beside the other, all their sides at once, until enough lines are undrawn; of the
    last box some sides stay drawn.
    """
    size, lines = board(rows, columns), np.ones((num, board(rows, columns).num_lines), np.uint8)
    for drawn in lines:
        ready, seen = [int(rng.integers(len(size.sides)))], set()
        while (missing := num_left - int((drawn == 0).sum())) > 0:
            box = ready.pop(int(rng.integers(len(ready))))
            closed = [line for line in sorted(size.sides[box]) if drawn[line]]
            drawn[rng.permutation(np.array(closed, int))[:missing]] = 0
            seen.add(box)
            ready += [near for near in size.near(box) if near not in seen and near not in ready]
    return lines


def careful_play(rows, columns, num_left, num, rng, careless=0.0):
    """Games of players who take what is on offer, else draw a safe line, else any, down to `num_left` lines.

    A line is drawn at random from all with the chance `careless`. Shape [K, L].
    """
    size = board(rows, columns)
    lines = np.zeros((num, size.num_lines), np.uint8)
    for _ in range(size.num_lines - num_left):
        draw_one(lines, choices(size, lines, careless, rng), rng)
    return lines


def choices(size, lines, careless, rng):
    """The lines that a careful player may draw; at least one in every position that has one. Shape [K, L]."""
    least = size.least_degrees(lines)
    takes, safe = least == 1, least >= 3
    allowed = np.where(takes.any(axis=1, keepdims=True), takes, safe)
    free = ~allowed.any(axis=1) | (rng.random(len(lines)) < careless)
    allowed[free] = lines[free] == 0
    return allowed


def draw_one(lines, allowed, rng):
    """Draw one of the allowed lines in every position that has one."""
    lots = np.where(allowed, rng.random(lines.shape), -1.0)
    rows = np.flatnonzero(allowed.any(axis=1))
    lines[rows, lots[rows].argmax(axis=1)] = 1


def loony_ends(rows, columns, num, rng, careless=0.0, most_left=None):
    """Positions of careful play without a safe line and with nothing on offer, not finished. Shape [<= K, L].

    Args:
        careless: As in `careful_play`.
        most_left: Play goes on until so few lines are undrawn, whatever is opened being taken whole.
    """
    size = board(rows, columns)
    lines = np.zeros((num, size.num_lines), np.uint8)
    while True:
        least = size.least_degrees(lines)
        again = (least == 1).any(axis=1) | (least >= 3).any(axis=1)
        if most_left is not None:
            again |= (lines == 0).sum(axis=1) > most_left
        if not again.any():
            return lines[(lines == 0).any(axis=1)]
        going = lines[again]
        draw_one(going, choices(size, going, careless, rng), rng)
        lines[again] = going


def laid_out(rows, columns, chains, loops, rng, tries=200):
    """One endgame of separate chains and loops of the given numbers of boxes. Shape [L].

    The ends of a chain leave the board, so a chain of one stands in a corner or on a board of one row.

    Raises:
        ValueError: They were not got on the board in `tries` tries.
    """
    size = board(rows, columns)
    for _ in range(tries):
        lines, free = np.ones(size.num_lines, np.uint8), set(range(len(size.sides)))
        parts = [(loop_of, length) for length in loops] + [(chain_of, length) for length in chains]
        parts.sort(key=lambda part: -part[1])  # the largest need the most room
        for make, length in parts:
            undrawn = make(size, length, free, rng)
            if undrawn is None:
                break
            lines[undrawn] = 0
        else:
            return lines
    raise ValueError(f"laid_out chains {chains} and loops {loops} must fit on {rows}x{columns} boxes")


def chain_of(size, length, free, rng):
    """Lines of a chain through free boxes, which are then no longer free; None if none was found."""
    ends = [box for box in sorted(free) if len(size.border(box)) > (length == 1)]
    path = find_path(size, length, ends, free, rng, lambda path: bool(size.border(path[-1])))
    if path is None:
        return None
    free.difference_update(path)
    first = int(rng.choice(size.border(path[0])))
    last = int(rng.choice([line for line in size.border(path[-1]) if line != first]))
    return [first, *(size.between(*pair) for pair in itertools.pairwise(path)), last]


def loop_of(size, length, free, rng):
    """Lines of a loop through free boxes, which are then no longer free; None if none was found."""
    path = find_path(size, length, sorted(free), free, rng, lambda path: path[0] in size.near(path[-1]))
    if path is None:
        return None
    free.difference_update(path)
    return [size.between(*pair) for pair in zip(path, [*path[1:], path[0]], strict=True)]


def find_path(size, length, starts, free, rng, accept, most_steps=300):
    """A walk over free boxes, none twice, that ends well; in random order, giving up after some steps."""
    if not starts:
        return None
    stack = [[int(rng.choice(starts))]]
    for _ in range(most_steps):
        if not stack:
            return None
        path = stack.pop()
        if len(path) == length:
            if accept(path):
                return path
            continue
        onward = [box for box in size.near(path[-1]) if box in free and box not in path]
        stack += [[*path, onward[i]] for i in rng.permutation(len(onward))]
    return None


def random_endgames(rows, columns, num, rng, most_left=None):
    """Endgames of separate chains of 1 to 11 boxes and loops of 4 to 12, as they fit. Shape [K, L].

    Args:
        most_left: The most undrawn lines.
    """
    size, found = board(rows, columns), []
    while len(found) < num:
        lines, free = np.ones(size.num_lines, np.uint8), set(range(len(size.sides)))
        for _ in range(int(rng.integers(1, 8))):
            is_loop = rng.random() < 0.3
            length = int(2 * rng.integers(2, 7) if is_loop else 1 + 11 * rng.random() ** 2)
            before = set(free)
            undrawn = (loop_of if is_loop else chain_of)(size, length, free, rng)
            if undrawn and (most_left is None or (lines == 0).sum() + len(undrawn) <= most_left):
                lines[undrawn] = 0
            else:
                free = before
        if not lines.all():
            found.append(lines)
    return np.stack(found)


def opened(rows, columns, lines, rng):
    """Copies with one more line drawn, which gives boxes away. For loony positions. Shape [K, L]."""
    lines = lines.copy()
    draw_one(lines, lines == 0, rng)
    return lines
