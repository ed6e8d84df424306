"""What is known of a position of Dots and Boxes without calculating it out: chains, loops, double deals.

The one idea: look at the boxes as points joined by undrawn lines. The degree of a box is the number of its
undrawn sides. Boxes of degree 2 form corridors, which are chains (with two ends) or loops (closed rings); at
a joint, a box of degree 3 or 4, corridors meet. A box of degree 1 is on offer. What can be taken in one turn
is the same in whatever order it is taken, and each of its connected regions is a tree.

Terms and the long chain rule are those of Berlekamp, "The Dots and Boxes Game" (2000).

Shape letters as in `envs/boxes.py`: L lines, N boxes. Lines and boxes are named by their numbers; `lines`
arrays are 1 where a line is drawn.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesRules, Scoring
from dotzero.search.gifts import line_boxes, num_takable

LONG = 3
"""Boxes of the shortest long chain: whoever opens it leaves the other the choice of a double deal."""


class Phase(Enum):
    """How far a game has gone. It changes from safe to loony once, and never back."""

    SAFE = "safe"
    """There is a line that gives no box its third side."""
    LOONY = "loony"
    """Every line gives a box its third side, or takes one."""
    FINISHED = "finished"
    """All lines are drawn."""


class HandoutKind(Enum):
    """What a line hands to the opponent by opening a chain or a loop that nobody opened before."""

    SINGLE = "single"
    """A chain of one box. It has to be taken whole."""
    HARD_HEARTED = "hard-hearted"
    """A chain of two by the line between its boxes. It has to be taken whole."""
    HALF_HEARTED = "half-hearted"
    """A chain of two by a line at an end: the opponent may leave the two as a pair, a double deal."""
    LONG = "long"
    """A chain of three or more: the opponent may leave a pair."""
    LOOP = "loop"
    """A loop: the opponent may leave two pairs."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A corridor with two ends."""

    boxes: tuple[int, ...]
    """From one end to the other; where one end only is on offer, from that end."""
    lines: tuple[int, ...]
    """All undrawn lines of the boxes in the same order. An end on offer has none, every other end has one."""

    @property
    def opened(self) -> bool:
        """Whether a box of it is on offer."""
        return len(self.lines) <= len(self.boxes)

    @property
    def is_long(self) -> bool:
        """Whether it has three boxes or more. One with both ends on offer is an opened loop rather."""
        return len(self.boxes) >= LONG and len(self.lines) >= len(self.boxes)


@dataclass(frozen=True, slots=True)
class Loop:
    """A closed ring of corridor boxes that meets no joint."""

    boxes: tuple[int, ...]
    """In the order of the ring, from the box with the smallest number."""
    lines: tuple[int, ...]
    """Line i joins box i to the next one."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A connected region that the player to move can take in one turn."""

    boxes: tuple[int, ...]
    """In an order in which they can be taken; joints that fall with their corridors are among them."""
    lines: tuple[int, ...]
    """To be drawn in this order; every one takes a box."""
    price: int
    """Boxes that a double deal on it leaves: 2 or 4, 0 where it has to be taken whole."""

    @property
    def closed(self) -> bool:
        """Whether its last line takes two boxes; else that line leads out of the region."""
        return len(self.lines) < len(self.boxes)


@dataclass(frozen=True, slots=True)
class DoubleDeal:
    """A way to decline the last boxes on offer, so that the opponent must move once they are taken."""

    lines: tuple[int, ...]
    """To be drawn in this order: all but the last take boxes, the last takes none and ends the turn."""
    left: tuple[int, ...]
    """The boxes left on offer, in pairs: two boxes that one line takes both."""


@dataclass(frozen=True, slots=True)
class Structure:
    """A position taken apart. Chains and loops are sorted by size, then by box; all else by number."""

    phase: Phase
    safe_lines: tuple[int, ...]
    """Lines that give no box its third side."""
    offered: tuple[int, ...]
    """Boxes that the next line can take: those of degree 1."""
    offers: tuple[Offer, ...]
    """All that can be taken in one turn, region by region."""
    chains: tuple[Chain, ...]
    """Also those with boxes on offer, one for each corridor as it stands."""
    loops: tuple[Loop, ...]
    joints: tuple[int, ...]
    """Boxes of degree 3 or 4."""
    num_long_chains: int
    """Of opened ones it counts one at most, since a double deal is possible on the last of them only."""
    favours: int | None
    """The `favoured_player` if the whole game has this number. Chains that were played out are not counted:
    once a long chain has been opened, the number before that is the one that tells."""

    def opening(self, line: int) -> HandoutKind | None:
        """What kind of handout a line is.

        None if it opens nothing: it is safe, takes a box, is drawn, or its corridor has boxes on offer.
        """
        if any(line in loop.lines for loop in self.loops):
            return HandoutKind.LOOP
        for chain in self.chains:
            if not chain.opened and line in chain.lines:
                if len(chain.boxes) == 1:
                    return HandoutKind.SINGLE
                if len(chain.boxes) == 2:
                    middle = line == chain.lines[1]
                    return HandoutKind.HARD_HEARTED if middle else HandoutKind.HALF_HEARTED
                return HandoutKind.LONG
        return None


def analyse(rules: BoxesRules, lines: NDArray[np.uint8]) -> Structure:
    """Take one position apart. `lines` [L].

    Raises:
        ValueError: `lines` is not one position of these rules.
    """
    graph = _Graph(rules, lines)
    chains, loops = _corridors(graph)
    safe = tuple(
        line for line in graph.undrawn if all(graph.degree(box) not in (1, 2) for box in graph.beside[line])
    )
    phase = Phase.SAFE if safe else Phase.LOONY if graph.undrawn else Phase.FINISHED
    long = [chain.opened for chain in chains if chain.is_long]
    num_long = long.count(False) + any(long)
    return Structure(
        phase=phase,
        safe_lines=safe,
        offered=tuple(box for box in range(rules.num_boxes) if graph.degree(box) == 1),
        offers=tuple(tree.offer() for tree in _trees(graph)),
        chains=chains,
        loops=loops,
        joints=tuple(box for box in range(rules.num_boxes) if graph.degree(box) > 2),
        num_long_chains=num_long,
        favours=favoured_player(rules, num_long),
    )


def favoured_player(rules: BoxesRules, num_long_chains: int) -> int | None:
    """The long chain rule: who has the last turn if every long chain but the last ends in a double deal.

    Lines that take nothing end a turn. They are as many as the lines to draw, minus the boxes, plus the lines
    that take two boxes at once; one turn more ends the game. Lines minus boxes are dots minus one on an empty
    board, so the first player wants dots and long chains both odd or both even; none at all is even.

    Returns:
        0 for the player who moved first, 1 for the other; None in misere, which the rule is not about.
    """
    if rules.scoring is Scoring.MISERE:
        return None
    dots = rules.num_lines - int(rules.start_lines().sum()) - rules.num_boxes + 1
    return (dots + num_long_chains) % 2


def double_deal_options(rules: BoxesRules, lines: NDArray[np.uint8]) -> tuple[DoubleDeal, ...]:
    """The ways to decline what is on offer, at the lowest price, after taking all else on offer. [L].

    In normal scoring let v be the value of the rest when all T boxes on offer are gone. To take them is worth
    T + v. To leave q of them, which the opponent takes before it must move in the rest, is worth T - 2q - v.
    A lower price is never worse and nothing else needs looking at, so the position is worth T - q + |v + q|.

    A region with an exit, of two boxes or more, leaves a pair there (q = 2). A closed region leaves two pairs
    (q = 4) on both sides of a line, if it has one with two boxes or more to each side.

    Returns:
        One for every line that can come last and, at an exit, every box that can be left beside it; all at
        one price. Empty where nothing is on offer or all must be taken whole.

    Raises:
        ValueError: `lines` is not one position of these rules.
    """
    trees = _trees(_Graph(rules, lines))
    price = min((tree.price for tree in trees if tree.price), default=0)
    options = []
    for tree in trees:
        if price and tree.price == price:
            others = [line for other in trees if other is not tree for line, _ in other.prune()]
            for last, left in tree.partings():
                before = [line for line, _ in tree.prune(left)]
                options.append(DoubleDeal((*others, *before, last), left))
    return tuple(options)


def handout(rules: BoxesRules, lines: NDArray[np.uint8], line: int) -> int:
    """Boxes that can be taken in one turn after `line`, without those that it takes itself. `lines` [L].

    Raises:
        ValueError: `lines` is not one position of these rules, or the line is drawn or does not exist.
    """
    if line not in _Graph(rules, lines).undrawn:
        raise ValueError(f"handout line must be the number of an undrawn line, got {line}")
    after = np.array(lines, np.uint8)[None]
    after[0, line] = 1
    return int(num_takable(rules, after)[0])


class _Graph:
    """Boxes joined by undrawn lines. The outside is box N, of degree 0."""

    def __init__(self, rules: BoxesRules, lines: NDArray[np.uint8]) -> None:
        lines = np.asarray(lines)
        if lines.shape != (rules.num_lines,) or not np.isin(lines, (0, 1)).all():
            raise ValueError(f"lines must be 0 or 1 and have shape ({rules.num_lines},), got {lines.shape}")
        self.beside: list[list[int]] = line_boxes(rules).tolist()
        self.undrawn: list[int] = np.flatnonzero(lines == 0).tolist()
        self.sides: list[list[int]] = [[] for _ in range(rules.num_boxes + 1)]
        """The undrawn lines of every box."""
        for line in self.undrawn:
            for box in self.beside[line]:
                if box < rules.num_boxes:
                    self.sides[box].append(line)

    def degree(self, box: int) -> int:
        return len(self.sides[box])

    def across(self, box: int, line: int) -> int:
        """The box on the other side of a line."""
        one, other = self.beside[line]
        return other if one == box else one

    def walk(self, box: int, arrived: int | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The corridor from a box that was entered by `arrived`: its boxes, and the lines after that one."""
        boxes, lines = [box], list[int]()
        while onward := [line for line in self.sides[box] if line != arrived]:
            arrived = onward[0]
            lines.append(arrived)
            box = self.across(box, arrived)
            if self.degree(box) not in (1, 2) or box == boxes[0]:
                break
            boxes.append(box)
        return tuple(boxes), tuple(lines)


def _corridors(graph: _Graph) -> tuple[tuple[Chain, ...], tuple[Loop, ...]]:
    """All chains and loops."""
    narrow = [box for box in range(len(graph.sides)) if graph.degree(box) in (1, 2)]
    narrow.sort(key=graph.degree)  # a chain begins at its end on offer, where it has one
    chains, loops, seen = [], [], set[int]()
    for box in narrow:
        ends = [line for line in graph.sides[box] if graph.degree(graph.across(box, line)) not in (1, 2)]
        if box not in seen and (ends or graph.degree(box) == 1):
            first = tuple(ends[:1]) if graph.degree(box) == 2 else ()
            boxes, lines = graph.walk(box, first[0] if first else None)
            chains.append(Chain(boxes, first + lines))
            seen.update(boxes)
    for box in narrow:
        if box not in seen:  # neither an end nor reached from one
            loops.append(Loop(*graph.walk(box, None)))
            seen.update(loops[-1].boxes)
    chains.sort(key=lambda chain: (len(chain.boxes), chain.boxes))
    loops.sort(key=lambda loop: (len(loop.boxes), loop.boxes))
    return tuple(chains), tuple(loops)


class _Tree:
    """A connected region that one player can take in one turn."""

    def __init__(self, graph: _Graph, boxes: list[int]) -> None:
        self.graph = graph
        self.sides = {box: graph.sides[box] for box in boxes}
        self.price = 0
        for _, left in self.partings():
            self.price = len(left)

    def offer(self) -> Offer:
        taken = self.prune()
        boxes = tuple(box for _, fallen in taken for box in fallen)
        return Offer(boxes, tuple(line for line, _ in taken), self.price)

    def neighbours(self, box: int) -> list[int]:
        """The boxes of the region that an undrawn line joins to this one."""
        near = [self.graph.across(box, line) for line in self.sides[box]]
        return [other for other in near if other in self.sides]

    def partings(self) -> list[tuple[int, tuple[int, ...]]]:
        """The ways to leave pairs: the line that is drawn last, and the boxes left.

        With an exit: the line there, leaving the box before it and one that only that box joins to the exit.
        Closed: a line with two boxes to each side.
        """
        for box, sides in self.sides.items():
            for line in sides:
                if self.graph.across(box, line) not in self.sides:  # a tree that can be taken has one at most
                    return [(line, (other, box)) for other in self.neighbours(box)]
        found: list[tuple[int, tuple[int, ...]]] = []
        for box, sides in self.sides.items():
            for line in sides:
                other = self.graph.across(box, line)
                before = [near for near in self.neighbours(box) if near != other]
                behind = [near for near in self.neighbours(other) if near != box]
                if box < other and before and behind:
                    found.append((line, (before[0], box, other, behind[0])))
        return found

    def prune(self, keep: tuple[int, ...] = ()) -> list[tuple[int, list[int]]]:
        """Lines in an order that takes all boxes but `keep`, each with the boxes that it takes."""
        left = {box: set(sides) for box, sides in self.sides.items()}
        drawn = []
        ready = [box for box, sides in left.items() if len(sides) == 1]
        while ready:
            box = ready.pop()
            if box in keep or not left[box]:
                continue
            line = left[box].pop()
            drawn.append((line, [box]))
            other = self.graph.across(box, line)
            if other in left:
                left[other].discard(line)
                if not left[other]:
                    drawn[-1][1].append(other)
                elif len(left[other]) == 1:
                    ready.append(other)
        return drawn


def _trees(graph: _Graph) -> list[_Tree]:
    """The regions on offer, by the smallest number of their boxes."""
    degrees = [graph.degree(box) for box in range(len(graph.sides))]
    ready, taken = [box for box, degree in enumerate(degrees) if degree == 1], set[int]()
    while ready:
        box = ready.pop()
        taken.add(box)
        for line in graph.sides[box]:  # all but one of them lead to boxes that are taken already
            other = graph.across(box, line)
            if other not in taken and degrees[other]:
                degrees[other] -= 1
                if degrees[other] == 1:
                    ready.append(other)
    trees = []
    while taken:
        region = [min(taken)]
        taken.discard(region[0])
        for box in region:  # grows while it is walked
            near = sorted({graph.across(box, line) for line in graph.sides[box]} & taken)
            region += near
            taken.difference_update(near)
        trees.append(_Tree(graph, region))
    return trees
