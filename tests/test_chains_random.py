"""The structure of random positions of Dots and Boxes by a slow recount, by the rules and by exact values."""

import numpy as np
import pytest
from boxes_generators import (
    careful_play,
    compact_sets,
    loony_ends,
    opened,
    random_endgames,
    random_sets,
)
from referee_boxes import Referee
from slow_boxes import SlowSolver

from dotzero.envs.boxes import BoxesRules, Scoring
from dotzero.search.chains import (
    HandoutKind,
    Phase,
    analyse,
    double_deal_options,
    favoured_player,
    handout,
)
from dotzero.search.gifts import handouts

SIZES = [(1, 7), (2, 3), (3, 3), (4, 3), (5, 5)]


def positions(rows, columns, num, seed):
    """Positions of all kinds."""
    rng = np.random.default_rng([rows, columns, seed])
    num_lines = (rows + 1) * columns + rows * (columns + 1)
    some = [
        sets(rows, columns, int(left), num // 6, rng)
        for sets in (random_sets, compact_sets)
        for left in rng.integers(1, num_lines, 2)
    ]
    some += [careful_play(rows, columns, num_lines // 2, num // 6, rng, careless=0.3)]
    ends = np.concatenate(
        [loony_ends(rows, columns, num // 3, rng), random_endgames(rows, columns, num // 6, rng)]
    )
    return np.concatenate([*some, ends, opened(rows, columns, ends, rng)])


class Recount:
    """A position looked at with the referee: degrees, corridors, what can be taken."""

    def __init__(self, rows, columns, lines):
        self.referee = Referee(rows, columns)
        self.referee.drawn = {self.referee.segments[line] for line in np.flatnonzero(lines)}
        self.boxes = self.referee.boxes()
        self.undrawn = [line for line, free in enumerate(self.referee.legal()) if free]
        self.degree = {box: 4 - self.referee.num_sides(box) for box in self.boxes}
        self.lines_of = {
            box: {line for line in self.undrawn if self.referee.segments[line] in self.referee.sides(*box)}
            for box in self.boxes
        }

    def beside(self, line):
        return [box for box in self.boxes if self.referee.segments[line] in self.referee.sides(*box)]

    def corridors(self):
        """Connected boxes of degree 1 and 2."""
        narrow, found = {box for box in self.boxes if self.degree[box] in (1, 2)}, []
        while narrow:
            region = {narrow.pop()}
            while near := {
                box for box in narrow for other in region if self.lines_of[box] & self.lines_of[other]
            }:
                region |= near
                narrow -= near
            found.append(region)
        return found

    def lines(self, region):
        return {line for box in region for line in self.lines_of[box]}

    def take(self):
        """The boxes that can be taken in one turn."""
        left, taken = {box: set(lines) for box, lines in self.lines_of.items()}, set()
        while ready := [box for box in self.boxes if len(left[box]) == 1]:
            (line,) = left[ready[-1]]
            for box in self.beside(line):
                left[box].discard(line)
                if not left[box]:
                    taken.add(box)
        return taken

    def number(self, boxes):
        return [self.boxes.index(box) for box in boxes]


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_corridors(rows, columns):
    """R075: chains and loops are the connected boxes of degree 1 and 2, in order, with all of their lines."""
    met = dict.fromkeys(["chain", "loop", "opened", "closed", "ring at a joint"], 0)
    for lines in positions(rows, columns, 150, seed=1):
        recount, structure = (
            Recount(rows, columns, lines),
            analyse(BoxesRules(rows=rows, columns=columns), lines),
        )
        regions = {frozenset(recount.number(region)): region for region in recount.corridors()}
        parts = [*structure.chains, *structure.loops]
        assert len(parts) == len(regions)
        assert {frozenset(part.boxes) for part in parts} == regions.keys()
        for part in parts:
            region = regions[frozenset(part.boxes)]
            assert len(part.boxes) == len(region)
            assert sorted(part.lines) == sorted(recount.lines(region))
            num_offered = sum(recount.degree[box] == 1 for box in region)
            is_loop = num_offered == 0 and len(part.lines) == len(part.boxes)
            assert (part in structure.loops) == is_loop
            begins = 0 if is_loop or recount.degree[recount.boxes[part.boxes[0]]] == 1 else 1
            joined = zip(part.boxes, part.boxes[1:], part.lines[begins:], strict=False)
            assert all(set(recount.number(recount.beside(line))) == {a, b} for a, b, line in joined)
            if is_loop:
                met["loop"] += 1
                ends = {part.boxes[0], part.boxes[-1]}
                assert set(recount.number(recount.beside(part.lines[-1]))) == ends
                assert part.boxes[0] == min(part.boxes)
                continue
            assert part.opened == (num_offered > 0)
            assert part.is_long == (len(region) >= 3 and num_offered < 2)
            outer = [line for line in part.lines if not set(recount.beside(line)) <= region]
            joints = [box for line in outer for box in recount.beside(line) if box not in region]
            met["ring at a joint"] += len(joints) == 2 and joints[0] == joints[1]
            met["opened" if num_offered else "chain"] += 1
            met["closed"] += num_offered == 2
        sizes = [(len(chain.boxes), chain.boxes) for chain in structure.chains]
        assert sizes == sorted(sizes)
    if rows > 2:
        assert min(met.values()) > 1, met


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_phase_safe_lines_and_counts(rows, columns):
    """R074, R076, R084: by their definitions; the phase never goes back."""
    rules = BoxesRules(rows=rows, columns=columns)
    for lines in positions(rows, columns, 60, seed=2):
        recount, structure = Recount(rows, columns, lines), analyse(rules, lines)
        safe = [
            line for line in recount.undrawn if all(recount.degree[box] > 2 for box in recount.beside(line))
        ]
        phase = Phase.SAFE if safe else Phase.LOONY if recount.undrawn else Phase.FINISHED
        assert (list(structure.safe_lines), structure.phase) == (safe, phase)
        degrees = [recount.degree[box] for box in recount.boxes]
        assert structure.offered == tuple(box for box, degree in enumerate(degrees) if degree == 1)
        assert structure.joints == tuple(box for box, degree in enumerate(degrees) if degree > 2)
        long = [chain.opened for chain in structure.chains if chain.is_long]
        assert structure.num_long_chains == long.count(False) + min(1, long.count(True))
        assert structure.favours == favoured_player(rules, structure.num_long_chains)


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_offers_are_all_that_can_be_taken(rows, columns):
    """They share no box, and drawing their lines in order takes their boxes in order and all at once."""
    rules, met = BoxesRules(rows=rows, columns=columns), set()
    for lines in positions(rows, columns, 60, seed=3):
        recount, offers = Recount(rows, columns, lines), analyse(rules, lines).offers
        boxes = [box for offer in offers for box in offer.boxes]
        assert sorted(boxes) == sorted(recount.number(recount.take()))
        for offer in offers:
            taken = []
            for line in offer.lines:
                before = set(recount.referee.owner)
                recount.referee.draw(line)
                assert recount.referee.closed[-1] > 0
                taken += recount.number(set(recount.referee.owner) - before)
            assert sorted(taken) == sorted(offer.boxes)
            assert taken[: len(offer.boxes) - 2] == list(offer.boxes)[:-2]
            assert (recount.referee.closed[-1] == 2) == offer.closed
            met.add((offer.closed, offer.price))
        assert recount.referee.mover == 0
        assert not Recount(rows, columns, drawn(recount.referee)).take()
    if rows > 2:
        assert met == {(False, 0), (False, 2), (True, 0), (True, 4)}


def drawn(referee):
    return [not free for free in referee.legal()]


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_handouts(rows, columns):
    """R095: what can be taken after every line, in batches and alone."""
    rules = BoxesRules(rows=rows, columns=columns)
    some = positions(rows, columns, 24, seed=4)
    for lines, given in zip(some, handouts(rules, some), strict=True):
        assert ((given == -1) == (lines == 1)).all()
        for line in np.flatnonzero(lines == 0):
            after = lines.copy()
            after[line] = 1
            assert given[line] == len(Recount(rows, columns, after).take())
            assert rows > 3 or given[line] == handout(rules, lines, int(line))


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_the_kinds_of_handouts_leave_what_they_say(rows, columns):
    """R079: what a line opens, by the size of its corridor, and the price of a double deal after it."""
    rules, seen = BoxesRules(rows=rows, columns=columns), set()
    rng = np.random.default_rng([rows, columns, 5])
    ends = [loony_ends(rows, columns, 40, rng), random_endgames(rows, columns, 20, rng)]
    for lines in np.concatenate(ends):
        recount, structure = Recount(rows, columns, lines), analyse(rules, lines)
        corridors = {line: region for region in recount.corridors() for line in recount.lines(region)}
        assert sorted(corridors) == recount.undrawn  # every line opens something
        for line, region in corridors.items():
            kind = structure.opening(line)
            inside = sum(box in region for box in recount.beside(line)) == 2
            if len(recount.lines(region)) == len(region):
                assert kind is HandoutKind.LOOP
            elif len(region) == 2:
                assert kind is (HandoutKind.HARD_HEARTED if inside else HandoutKind.HALF_HEARTED)
            else:
                assert kind is (HandoutKind.SINGLE if len(region) == 1 else HandoutKind.LONG)
            after = lines.copy()
            after[line] = 1
            left = {len(deal.left) for deal in double_deal_options(rules, after)}
            assert left == PRICES[kind]
            seen.add(kind)
    assert rows == 1 or len(seen) > 2
    assert rows < 5 or seen == set(HandoutKind)


PRICES = {
    HandoutKind.SINGLE: set(),
    HandoutKind.HARD_HEARTED: set(),
    HandoutKind.HALF_HEARTED: {2},
    HandoutKind.LONG: {2},
    HandoutKind.LOOP: {4},
}


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_safe_and_taking_lines_open_nothing(rows, columns):
    rules = BoxesRules(rows=rows, columns=columns)
    for lines in positions(rows, columns, 24, seed=6):
        recount, structure = Recount(rows, columns, lines), analyse(rules, lines)
        for line in recount.undrawn:
            degrees = {recount.degree[box] for box in recount.beside(line)}
            if 1 in degrees or 2 not in degrees:
                assert structure.opening(line) is None


def small_positions(rows, columns, num, rng, most_left=13):
    """Positions with boxes on offer and at most 13 undrawn lines, of all kinds."""
    num_lines = (rows + 1) * columns + rows * (columns + 1)
    some = [
        sets(rows, columns, left, num, rng)
        for sets in (random_sets, compact_sets)
        for left in range(5, min(most_left, num_lines - 1) + 1, 2)
    ]
    ends = loony_ends(rows, columns, 4 * num, rng, careless=0.1, most_left=most_left + 1)
    laid = random_endgames(rows, columns, num, rng, most_left=most_left + 1)
    some += [opened(rows, columns, ends, rng), opened(rows, columns, laid, rng)]
    return np.concatenate(some)


@pytest.mark.parametrize(("rows", "columns"), [(1, 6), (2, 3), (3, 3), (3, 4), (5, 5)])
def test_taking_all_or_a_double_deal_is_best(rows, columns):
    """R080 to R082: no other way is better where boxes are on offer; both ways are needed.

    Each option is played by the referee: all lines but the last take boxes, all others on offer are taken,
    and what is left is pairs.
    """
    rules, rng = BoxesRules(rows=rows, columns=columns), np.random.default_rng([rows, columns, 7])
    met = {"take": 0, "deal": 0, "either": 0, "four": 0}
    for lines in small_positions(rows, columns, 25, rng):
        structure = analyse(rules, lines)
        if not structure.offers:
            assert double_deal_options(rules, lines) == ()
            continue
        solver = SlowSolver(rows, columns, lines)
        taking = play(rows, columns, lines, [line for offer in structure.offers for line in offer.lines])
        take = len(taking.owner) + solver.value(drawn(taking))
        deals = [play_deal(rows, columns, lines, deal, solver) for deal in double_deal_options(rules, lines)]
        assert len(set(deals)) <= 1  # whichever pair is left
        assert solver.value() == max([take, *deals])
        if deals:
            met["take" if take > deals[0] else "deal" if take < deals[0] else "either"] += 1
            met["four"] += len(double_deal_options(rules, lines)[0].left) == 4
    assert met["take"] > 20, met
    assert columns < 4 or min(met["deal"], met["either"]) > 8, met
    assert rows == 1 or met["four"] > 0, met


def play(rows, columns, lines, moves):
    """A referee after these moves of player 0; it owns nothing but what they close."""
    referee = Referee(rows, columns)
    referee.drawn = {referee.segments[line] for line in np.flatnonzero(lines)}
    for line in moves:
        referee.draw(line)
    return referee


def play_deal(rows, columns, lines, deal, solver):
    """Value of a double deal for whoever makes it, after checking that it is one."""
    referee = play(rows, columns, lines, deal.lines)
    assert all(referee.closed[:-1])
    assert (referee.closed[-1], referee.mover) == (0, 1)
    recount = Recount(rows, columns, lines)
    after = drawn(referee)
    left = Recount(rows, columns, after)
    assert sorted(left.number(left.take())) == sorted(deal.left)
    assert sorted(recount.take() - left.take()) == sorted(referee.owner)
    pairs = [region for region in left.corridors() if region & left.take()]
    assert [(len(pair), len(left.lines(pair))) for pair in pairs] == [(2, 1)] * (len(deal.left) // 2)
    assert len(deal.left) in (2, 4)
    return len(referee.owner) - solver.value(after)


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (4, 4), (5, 5)])
def test_a_pair_is_opened_in_the_middle(rows, columns):
    """R079: by exact values a hard-hearted handout is never worse than a half-hearted one, often better."""
    rules, rng = BoxesRules(rows=rows, columns=columns), np.random.default_rng([rows, columns, 8])
    better = pairs = 0
    ends = [
        loony_ends(rows, columns, 150, rng, most_left=14),
        random_endgames(rows, columns, 30, rng, most_left=14),
    ]
    for lines in np.concatenate(ends):
        chains = [chain for chain in analyse(rules, lines).chains if len(chain.boxes) == 2]
        values = SlowSolver(rows, columns, lines).line_values() if chains else {}
        for chain in chains:
            first, middle, last = chain.lines
            assert values[middle] >= values[first] == values[last]
            better += values[middle] > values[first]
            pairs += 1
    assert better > 5, (better, pairs)


@pytest.mark.parametrize(
    ("rows", "columns", "num_long_chains", "player"),
    [(3, 3, 2, 0), (3, 3, 1, 1), (3, 3, 0, 0), (4, 4, 1, 0), (4, 4, 4, 1), (5, 5, 2, 0), (5, 5, 3, 1)]
    + [(1, 2, 0, 0), (2, 4, 1, 0)],
)
def test_the_long_chain_rule(rows, columns, num_long_chains, player):
    """R084: with an odd number of dots the first player wants an odd number of them, else an even one."""
    assert favoured_player(BoxesRules(rows=rows, columns=columns), num_long_chains) == player


@pytest.mark.parametrize("border", ["none", "left_bottom", "all"])
@pytest.mark.parametrize(("rows", "columns"), [(1, 4), (2, 3), (3, 3)])
def test_the_long_chain_rule_counts_turns(rows, columns, border):
    """R085: whoever closes the last box is favoured by one long chain more than lines took two boxes."""
    rng = np.random.default_rng([rows, columns, len(border)])
    rules, seen = BoxesRules(rows=rows, columns=columns, border=border), set()
    for _ in range(60):
        referee = Referee(rows, columns, border)
        while not referee.finished():
            referee.draw(int(rng.choice(np.flatnonzero(referee.legal()))))
        num_doubles = referee.closed.count(2)
        assert favoured_player(rules, num_doubles + 1) == referee.mover
        seen.add(referee.mover)
    assert seen == {0, 1}


def test_misere_has_no_long_chain_rule():
    rules = BoxesRules(rows=3, columns=3, scoring=Scoring.MISERE)
    assert favoured_player(rules, 1) is None
    assert analyse(rules, np.zeros(24, np.uint8)).favours is None
