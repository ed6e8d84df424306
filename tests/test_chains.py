"""The structure of a position of Dots and Boxes, on drawn boards; test_chains_random.py has random ones."""

import textwrap

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesRules
from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.search.chains import (
    HandoutKind,
    Phase,
    analyse,
    double_deal_options,
    handout,
)


class Drawn:
    """A board drawn as text, its analysis, and boxes and lines by their names."""

    def __init__(self, text):
        rows = textwrap.dedent(text).strip("\n").splitlines()
        self.rules = BoxesRules(rows=len(rows) // 2 - 1, columns=len(rows[0].split()))
        self.notation = BoxesNotation(self.rules)
        self.lines, _ = self.notation.parse_board("\n".join(rows))
        self.structure = analyse(self.rules, self.lines)

    def boxes(self, boxes):
        return " ".join(map(self.notation.box_name, boxes))

    def names(self, lines):
        return " ".join(map(self.notation.name, lines))

    def parts(self, parts):
        """Chains, loops or offers as (boxes, lines)."""
        return [(self.boxes(part.boxes), self.names(part.lines)) for part in parts]

    def deals(self):
        """Double deals as (lines, boxes left), by the boxes left."""
        options = double_deal_options(self.rules, self.lines)
        return sorted(
            ((self.names(deal.lines), self.boxes(deal.left)) for deal in options), key=lambda d: d[1]
        )

    def handout(self, name):
        line = self.notation.parse(name)
        return handout(self.rules, self.lines, line), self.structure.opening(line)


def test_chains_across_the_board():
    """R075, R076, R084: two corridors of four; with 15 dots the first player wants an odd number."""
    drawn = Drawn("""
            A   B   C   D
          +---+---+---+---+
        2
          +---+---+---+---+
        1
          +---+---+---+---+
    """)
    structure = drawn.structure
    assert drawn.parts(structure.chains) == [
        ("A2 B2 C2 D2", "A2L B2L C2L D2L D2R"),
        ("A1 B1 C1 D1", "A1L B1L C1L D1L D1R"),
    ]
    assert [(chain.is_long, chain.opened) for chain in structure.chains] == [(True, False)] * 2
    assert structure.phase is Phase.LOONY
    assert (structure.loops, structure.joints, structure.offers, structure.safe_lines) == ((), (), (), ())
    assert (structure.num_long_chains, structure.favours) == (2, 1)
    assert drawn.handout("C2L") == drawn.handout("A1L") == (4, HandoutKind.LONG)
    assert drawn.deals() == []


def test_a_loop():
    """R075, R076: a loop is no chain, so of the 9 dots the first player wants an odd number and has none."""
    drawn = Drawn("""
            A   B
          +---+---+
        2 |       |
          +   +   +
        1 |       |
          +---+---+
    """)
    structure = drawn.structure
    assert drawn.parts(structure.loops) == [("A2 A1 B1 B2", "A1T B1L B1T B2L")]
    assert (structure.chains, structure.joints, structure.phase) == ((), (), Phase.LOONY)
    assert (structure.num_long_chains, structure.favours) == (0, 1)
    assert {drawn.handout(name) for name in ("A1T", "B1L", "B1T", "B2L")} == {(4, HandoutKind.LOOP)}


def test_a_dipper():
    """A ring that hangs on a joint is a chain with both ends there; opened, it takes the handle with it."""
    drawn = Drawn("""
            A   B   C
          +---+---+---+
        2 |       | 1 |
          +   +   +---+
        1 |
          +---+---+---+
    """)
    structure = drawn.structure
    assert drawn.parts(structure.chains) == [("C1", "C1L C1R"), ("B2 A2 A1", "B1T B2L A1T B1L")]
    assert drawn.boxes(structure.joints) == "B1"
    assert [chain.is_long for chain in structure.chains] == [False, True]
    assert (structure.loops, structure.num_long_chains, structure.favours) == ((), 1, 1)
    assert drawn.handout("A1T") == drawn.handout("B1L") == (5, HandoutKind.LONG)
    assert drawn.handout("C1L") == drawn.handout("C1R") == (1, HandoutKind.SINGLE)


def test_an_opened_dipper():
    """The region on offer holds the joint; the pair is left at the end of the handle."""
    drawn = Drawn("""
            A   B   C
          +---+---+---+
        2 |       | 1 |
          +---+   +---+
        1 |
          +---+---+---+
    """)
    structure = drawn.structure
    assert (drawn.boxes(structure.offered), drawn.boxes(structure.joints)) == ("A2 A1", "B1")
    assert drawn.parts(structure.chains) == [("A1", "B1L"), ("C1", "C1L C1R"), ("A2 B2", "B2L B1T")]
    assert [chain.opened for chain in structure.chains] == [True, False, True]
    (offer,) = structure.offers
    assert (len(offer.boxes), len(offer.lines), offer.closed, offer.price) == (5, 5, False, 2)
    assert drawn.names(offer.lines).endswith(" C1L C1R")
    ((lines, left),) = drawn.deals()
    assert (sorted(lines.split()[:-1]), lines[-3:], left) == (["B1L", "B1T", "B2L"], "C1R", "B1 C1")
    assert drawn.structure.opening(drawn.notation.parse("B2L")) is None  # it takes a box


def test_two_rings_on_one_joint():
    """Both are chains with both ends at the joint, which keeps two sides when one of them is taken."""
    drawn = Drawn("""
            A   B   C
          +---+---+---+
        3 |       | 1 |
          +   +   +---+
        2 |           |
          +---+   +   +
        1 | 2 |       |
          +---+---+---+
    """)
    structure = drawn.structure
    assert drawn.parts(structure.chains) == [
        ("B3 A3 A2", "B2T B3L A2T B2L"),
        ("C2 C1 B1", "C2L C1T C1L B1T"),
    ]
    assert drawn.boxes(structure.joints) == "B2"
    assert (structure.num_long_chains, structure.favours) == (2, 0)
    assert drawn.handout("B3L") == (3, HandoutKind.LONG)


def test_short_chains_at_the_border():
    """R077, R079: a corner, and pairs with their ends on one edge or on two."""
    drawn = Drawn("""
            A   B   C   D
          +---+   +   +---+
        3 | 1 |       | 2 |
          +---+---+---+---+
        2 | 1 | 1 | 2 |
          +---+---+---+   +
        1     | 1 | 2 |   |
          +   +---+---+   +
    """)
    structure = drawn.structure
    assert drawn.parts(structure.chains) == [
        ("A1", "A1B A1L"),
        ("B3 C3", "B3T C3L C3T"),
        ("D2 D1", "D2R D1T D1B"),
    ]
    assert not any(chain.is_long for chain in structure.chains)
    assert (structure.joints, structure.num_long_chains, structure.favours) == ((), 0, 0)
    assert drawn.handout("A1B") == (1, HandoutKind.SINGLE)
    assert drawn.handout("C3L") == drawn.handout("D1T") == (2, HandoutKind.HARD_HEARTED)
    assert {drawn.handout(name) for name in ("B3T", "C3T", "D2R", "D1B")} == {(2, HandoutKind.HALF_HEARTED)}
    assert structure.opening(drawn.notation.parse("A3T")) is None  # it is drawn


def test_a_board_of_one_row():
    """An opened pair, a box that is a chain by itself, and a joint that keeps safe lines."""
    drawn = Drawn("""
            A   B   C   D   E
          +   +---+   +   +---+
        1 |       |   |       |
          +---+---+   +   +---+
    """)
    structure = drawn.structure
    assert structure.phase is Phase.SAFE
    assert drawn.names(structure.safe_lines) == "D1T D1B"
    assert drawn.parts(structure.chains) == [("C1", "C1T C1B"), ("E1", "E1L"), ("B1 A1", "B1L A1T")]
    assert [chain.opened for chain in structure.chains] == [False, True, True]
    assert drawn.parts(structure.offers) == [("B1 A1", "B1L A1T"), ("E1", "E1L")]
    assert [(offer.closed, offer.price) for offer in structure.offers] == [(False, 2), (False, 0)]
    assert drawn.boxes(structure.joints) == "D1"
    assert drawn.deals() == [("E1L A1T", "B1 A1")]
    assert drawn.handout("D1T") == (4, None)  # what is on offer stays so, and D1 falls with E1
    assert drawn.handout("B1L") == (2, None)  # it takes B1; A1 and E1 can be taken after it


def test_an_opened_chain():
    """R080: the pair stays at the end that the line which is drawn last leaves open; all else is taken."""
    drawn = Drawn("""
            A   B   C   D   E
          +---+---+---+---+---+
        1 |
          +---+---+---+---+---+
    """)
    structure = drawn.structure
    assert drawn.parts(structure.chains) == [("A1 B1 C1 D1 E1", "B1L C1L D1L E1L E1R")]
    assert drawn.parts(structure.offers) == drawn.parts(structure.chains)
    assert (structure.chains[0].opened, structure.chains[0].is_long) == (True, True)
    assert (structure.num_long_chains, structure.favours) == (1, 1)
    assert drawn.deals() == [("B1L C1L D1L E1R", "D1 E1")]


def test_a_chain_opened_in_the_middle():
    """Either half can keep the pair after the other is taken; one half counts as a long chain."""
    drawn = Drawn("""
            A   B   C   D   E   F   G
          +---+---+---+---+---+---+---+
        1             |
          +---+---+---+---+---+---+---+
    """)
    structure = drawn.structure
    assert drawn.parts(structure.chains) == [("C1 B1 A1", "C1L B1L A1L"), ("D1 E1 F1 G1", "E1L F1L G1L G1R")]
    assert [chain.is_long for chain in structure.chains] == [True, True]
    assert (structure.num_long_chains, structure.favours) == (1, 1)
    assert drawn.deals() == [
        ("E1L F1L G1L G1R C1L A1L", "B1 A1"),
        ("C1L B1L A1L E1L F1L G1R", "F1 G1"),
    ]


def test_an_opened_loop():
    """R081: two pairs are left on both sides of a line with two boxes or more to each side."""
    drawn = Drawn("""
            A   B   C
          +---+---+---+
        3 |           |
          +   +---+   +
        2 |   | 1 |   |
          +   +---+   +
        1 |       |   |
          +---+---+---+
    """)
    structure = drawn.structure
    assert drawn.parts(structure.chains) == [
        ("B1 A1 A2 A3 B3 C3 C2 C1", "B1L A1T A2T B3L C3L C2T C1T"),
    ]
    assert (structure.chains[0].opened, structure.chains[0].is_long) == (True, False)
    assert (structure.loops, structure.num_long_chains) == ((), 0)
    (offer,) = structure.offers
    assert (offer.closed, offer.price) == (True, 4)
    assert {(lines.split()[-1], *sorted(left.split())) for lines, left in drawn.deals()} == {
        ("A1T", "A1", "A2", "A3", "B1"),
        ("A2T", "A1", "A2", "A3", "B3"),
        ("B3L", "A2", "A3", "B3", "C3"),
        ("C3L", "A3", "B3", "C2", "C3"),
        ("C2T", "B3", "C1", "C2", "C3"),
    }
    assert [len(lines.split()) for lines, _ in drawn.deals()] == [5] * 5


def test_an_opened_loop_of_four():
    drawn = Drawn("""
            A   B
          +---+---+
        2 |       |
          +   +   +
        1 |   |   |
          +---+---+
    """)
    ((line, left),) = drawn.deals()
    assert (line, sorted(left.split())) == ("B2L", ["A1", "A2", "B1", "B2"])
    assert drawn.structure.offers[0].price == 4


def test_a_pair_is_cheaper_than_two():
    """Where a chain can keep a pair, an opened loop beside it is taken whole."""
    drawn = Drawn("""
            A   B   C   D
          +---+---+---+---+
        2 |       |
          +   +   +---+---+
        1 |   |   | 1 | 2 |
          +---+---+---+---+
    """)
    assert [offer.price for offer in drawn.structure.offers] == [4, 2]
    ((lines, left),) = drawn.deals()
    assert (left, lines.split()[-1], sorted(lines.split()[:-1])) == ("C2 D2", "D2R", ["A1T", "B1T", "B2L"])


def test_offers_that_must_be_taken_whole():
    """Three in a closed row, and a closed star of four: no line leaves pairs."""
    row = Drawn("""
            A   B   C
          +---+---+---+
        1 |           |
          +---+---+---+
    """)
    star = Drawn("""
            A   B   C
          +---+---+---+
        2 |           |
          +---+   +---+
        1 | 1 |   | 2 |
          +---+---+---+
    """)
    for drawn, num_boxes in ((row, 3), (star, 4)):
        (offer,) = drawn.structure.offers
        assert (len(offer.boxes), len(offer.lines), offer.closed, offer.price) == (
            num_boxes,
            num_boxes - 1,
            True,
            0,
        )
        assert drawn.deals() == []
    assert [chain.is_long for chain in row.structure.chains] == [False]
    assert star.boxes(star.structure.joints) == "B2"


def test_a_star_with_an_exit():
    """Any of its three arms can be left with the box in the middle."""
    drawn = Drawn("""
            A   B   C
          +---+   +---+
        2 |           |
          +---+   +---+
        1 | 1 |   | 2 |
          +---+---+---+
    """)
    (offer,) = drawn.structure.offers
    assert (offer.closed, offer.price) == (False, 2)
    deals = {left: lines.split() for lines, left in drawn.deals()}
    assert deals.keys() == {"A2 B2", "B1 B2", "C2 B2"}
    assert all(lines[-1] == "B2T" and len(lines) == 3 for lines in deals.values())
    assert set(deals["A2 B2"][:2]) == {"B1T", "C2L"}


def test_phases():
    """R074: safe while a line gives no third side, loony after that, then finished."""
    rules = BoxesRules(rows=2, columns=2)
    empty = analyse(rules, np.zeros(12, np.uint8))
    assert (empty.phase, empty.safe_lines, empty.joints) == (Phase.SAFE, tuple(range(12)), (0, 1, 2, 3))
    done = analyse(rules, np.ones(12, np.uint8))
    assert (done.phase, done.chains, done.loops, done.offers, done.offered) == (
        Phase.FINISHED,
        (),
        (),
        (),
        (),
    )
    assert double_deal_options(rules, np.ones(12, np.uint8)) == ()


@pytest.mark.parametrize("lines", [np.zeros(11), np.zeros((1, 12)), np.full(12, 2), np.full(12, 0.5)])
def test_what_is_no_position_is_refused(lines):
    rules = BoxesRules(rows=2, columns=2)
    for function in (analyse, double_deal_options, lambda *position: handout(*position, 0)):
        with pytest.raises(ValueError, match=r"lines must be 0 or 1 and have shape \(12,\), got"):
            function(rules, lines)


@pytest.mark.parametrize("line", [0, -1, 12])
def test_a_handout_needs_an_undrawn_line(line):
    lines = np.zeros(12, np.uint8)
    lines[0] = 1
    with pytest.raises(ValueError, match=f"handout line must be the number of an undrawn line, got {line}"):
        handout(BoxesRules(rows=2, columns=2), lines, line)
