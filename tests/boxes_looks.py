"""Positions for tests of the levels of Dots and Boxes, and an independent look at them.

Shape letters: K positions, L lines.
"""

import numpy as np
from boxes_generators import board, careful_play, loony_ends, random_sets
from referee_boxes import Referee

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.boxes_notation import BoxesNotation


def boxes(rows, columns, **rules):
    return BoxesGame(BoxesRules(rows=rows, columns=columns, **rules))


def positions(game, lines):
    """A batch of the positions with these lines; complete boxes are shared out somehow. `lines` [K, L]."""
    state = game.start(len(lines))
    odd = (board(*game.size).degrees(lines) == 0).sum(axis=1) % 2
    for margin in (0, 1):
        rows = np.flatnonzero(odd == margin)
        state[rows] = game.position(lines[rows], margin)
    return state


def choose(player, game, lines, rng):
    """The player's lines in these positions, each with luck of its own. `lines` [K, L]; shape [K]."""
    return player.choose(game, positions(game, lines), rng.integers(2**63, size=len(lines)).astype(np.uint64))


def draw_all(game, moves):
    """The position after moves from the start, as a batch of one."""
    notation, state = BoxesNotation(game.rules), game.start(1)
    for move in moves.split():
        state = game.step(state, [notation.parse(move)])
    return state


def mixed_positions(rows, columns, num, rng):
    """Random sets, nearly careful games at any point, and positions without a safe line. Shape [K, L]."""
    num_lines, found = board(rows, columns).num_lines, []
    batch = 1 + num // 40
    while sum(map(len, found)) < num:
        left = int(rng.integers(1, num_lines + 1))
        found += [
            random_sets(rows, columns, left, 2 * batch, rng),
            careful_play(rows, columns, left, batch, rng, careless=0.1),
            loony_ends(rows, columns, batch, rng, careless=0.1),
        ]
    return np.concatenate(found)[:num]


class Look:
    """What the rules of the levels need to know of a position, found with the slow referee."""

    def __init__(self, rows, columns, lines):
        self.referee = Referee(rows, columns)
        self.referee.drawn = {self.referee.segments[line] for line in np.flatnonzero(lines)}
        self.beside = [
            [box for box in self.referee.boxes() if segment in self.referee.sides(*box)]
            for segment in self.referee.segments
        ]

    def neighbours(self, line):
        return self.beside[line]

    def free(self):
        return [line for line, legal in enumerate(self.referee.legal()) if legal]

    def offered(self):
        return {line for line in self.free() if 3 in map(self.referee.num_sides, self.neighbours(line))}

    def safe(self):
        return {line for line in self.free() if max(map(self.referee.num_sides, self.neighbours(line))) < 2}

    def takable(self):
        """Boxes that can be taken one after another."""
        drawn, taken = set(self.referee.drawn), 0
        while offers := self.offered():
            move = min(offers)
            taken += sum(self.referee.num_sides(box) == 3 for box in self.neighbours(move))
            self.referee.drawn.add(self.referee.segments[move])
        self.referee.drawn = drawn
        return taken

    def handout(self, line):
        """Boxes that the opponent can take one after another once this line is drawn."""
        self.referee.drawn.add(self.referee.segments[line])
        given = self.takable()
        self.referee.drawn.remove(self.referee.segments[line])
        return given

    def cheapest(self):
        """The lines that give the fewest boxes, of two the middle ones only if there are any."""
        handouts = {line: self.handout(line) for line in self.free()}
        fewest = min(handouts.values())
        lines = {line for line, given in handouts.items() if given == fewest}
        middles = {
            line
            for line in lines
            if fewest == 2 and [self.referee.num_sides(box) for box in self.neighbours(line)] == [2, 2]
        }
        return middles or lines
