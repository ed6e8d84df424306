"""The AI levels that need no network.

Dots and Boxes, medium, by its four rules: M1 it takes every box on offer; M2 while a safe line is left (one
that gives no box its third side) it draws a safe one; M3 when it must give, it gives the fewest boxes, and
two as a pair opened in the middle (hard-hearted), which cannot be double-dealt; M4 so it always takes a
chain whole, and a double deal beats it. What remains open is uniformly random.

Shape letters as in `envs/boxes.py`; K positions looked at.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame, BoxesRules, BoxesState, box_lines
from dotzero.envs.game import Game, State
from dotzero.play.kropki_players import KropkiGreedy
from dotzero.play.players import Player, RandomPlayer, cast_lots, pick


class BoxesMedium(Player):
    """Greedy with care: takes every box, gives none without need, else the fewest."""

    name = "medium"

    def choose(self, game: Game[Any], state: State, seeds: NDArray[np.uint64]) -> NDArray[np.int32]:
        """A line by the rules M1 to M3."""
        if not isinstance(game, BoxesGame) or not isinstance(state, BoxesState):
            raise ValueError(f"player medium must play boxes, got {game.name}")
        most = most_sides(game.rules, state.lines)
        candidates = most == 3
        careful = ~candidates.any(axis=1)
        candidates[careful] = (most[careful] >= 0) & (most[careful] <= 1)
        giving = ~candidates.any(axis=1) & ~state.finished
        candidates[giving] = cheapest_gifts(game.rules, state.lines[giving])
        return pick(candidates, cast_lots(game, state, seeds))


LEVELS: dict[str, dict[str, type[Player]]] = {
    "boxes": {"medium": BoxesMedium},
    "kropki": {"greedy": KropkiGreedy},
}
"""The levels of every game by their identifiers, weakest first."""


def strongest_level(game: str) -> str:
    """The strongest player of a game that needs no network."""
    return [RandomPlayer.name, *LEVELS.get(game, {})][-1]


def line_boxes(rules: BoxesRules) -> NDArray[np.int32]:
    """The two boxes beside every line; N stands for "outside the board". Shape [L, 2]."""
    beside = np.full((rules.num_lines, 2), rules.num_boxes, np.int32)
    for box, (top, bottom, left, right) in enumerate(box_lines(rules)):
        beside[[bottom, right], 0] = box  # the box is above, or to the left
        beside[[top, left], 1] = box
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


def take_all(rules: BoxesRules, lines: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The lines after one player took every box on offer, and those then on offer, to the last. [K, L]."""
    lines = lines.copy()
    rows = np.arange(len(lines))
    while len(rows):
        takes = most_sides(rules, lines[rows]) == 3
        lines[rows] |= takes
        rows = rows[takes.any(axis=1)]
    return lines


def cheapest_gifts(rules: BoxesRules, lines: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """The undrawn lines after which the opponent can take the fewest boxes at once. `lines` [K, L]; [K, L].

    Where that is two boxes, only lines between the two stand, if there are any: they leave no double deal.
    """
    row, line = np.nonzero(lines == 0)
    after = lines[row].copy()
    after[np.arange(len(row)), line] = 1
    given = np.full(lines.shape, rules.num_boxes + 1, np.int16)
    complete = (count_sides(rules, take_all(rules, after)) == 4).sum(axis=1)
    given[row, line] = complete - (count_sides(rules, lines) == 4).sum(axis=1)[row]
    fewest = given.min(axis=1, keepdims=True)
    cheapest: NDArray[np.bool_] = given == fewest
    sides = count_sides(rules, lines)
    above, below = line_boxes(rules).T
    middle = cheapest & (fewest == 2) & (sides[:, above] == 2) & (sides[:, below] == 2)
    cheapest[middle.any(axis=1)] = False
    cheapest |= middle
    return cheapest
