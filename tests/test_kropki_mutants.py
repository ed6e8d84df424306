"""Wrong referees of Kropki, each with one usual mistake: the generators' games must tell them from the right.

A mistake that no game showed would be one that the comparison of engine and referee cannot find either.
"""

from random import Random

import pytest
from kropki_generators import STYLES, dots, size
from referee_kropki import Referee

MOST_MOVES = 5000


class KeepsHangingLoops(Referee):
    """The walk is not cut: loops and dead ends that hang on the ring stay outside."""

    def pieces(self, walk):
        yield walk


class LargestFirst(Referee):
    """A larger region first: a smaller one that lies inside its ring is never taken by itself."""

    def close_regions(self, point, player):
        shut = [self.region(p, player) for p in self.near[point] if self.live[p] != player]
        for region in sorted(filter(self.shut_in, shut), key=len, reverse=True):
            if any(self.free_enemy(p, player) for p in region):
                self.enclose(region, player)


class OneRegionOnly(Referee):
    """One dot closes one region and no more."""

    def enclose(self, region, player):
        if not self.captures:
            super().enclose(region, player)


class HousesNeverOpen(Referee):
    """A house keeps its mark when the enemy has broken into it."""

    def __init__(self, *args, **options):
        self.marked = [set(), set()]
        super().__init__(*args, **options)

    def houses(self, player):
        self.marked[player] |= super().houses(player)
        return {p for p in self.marked[player] if self.playable(p)}


class NeverFrees(Referee):
    """A captured dot counts for ever, also after it was freed."""

    def __init__(self, *args, **options):
        self.taken = [0, 0]
        super().__init__(*args, **options)

    def enclose(self, region, player):
        super().enclose(region, player)
        self.taken[player] += self.captures[-1].dots

    def score(self):
        return list(self.taken)


class DeadDotsLink(Referee):
    """Dots inside an enclosure still link."""

    def enclose(self, region, player):
        live = list(self.live)
        super().enclose(region, player)
        self.live = live


class TakesPockets(Referee):
    """All that is shut in beside the ring is closed too, houses on its far side included."""

    def ring(self, region, player):
        chain, inside = super().ring(region, player)
        beside = {q for p in chain for q in self.near[p] if self.live[q] != player} - inside
        regions = [self.region(p, player) for p in beside]
        return chain, inside.union(*filter(self.shut_in, regions))


class OwnerFirst(Referee):
    """The owner of a house takes what enters it even if that dot completes a ring."""

    def close_regions(self, point, player):
        if not self.shut_in(self.region(point, 1 - player)):
            super().close_regions(point, player)


class VisitorsStay(Referee):
    """Entering a house costs nothing."""

    def take_visitor(self, point, owner):
        pass


class EdgeIsWall(Referee):
    """A corner can be shut in."""

    def shut_in(self, region):
        corner = {0, self.width - 1, len(self.points) - self.width, len(self.points) - 1}
        return super().shut_in(region) or (len(region) < 3 and bool(region & corner))


class CountsAgain(Referee):
    """Dots that are held already are worth a capture again."""

    def free_enemy(self, point, player):
        return self.placed[point] == 1 - player


class InnerHousesStay(Referee):
    """Inner houses of a new ring are left playable."""

    def put(self, point):
        self.rules = self.rules | {"holes": True}
        super().put(point)


class GroundsByDiagonals(Referee):
    """A diagonal link grounds."""

    def grounded(self, player):
        owned, near = self.owned(player), self.near
        self.near = [[q for q in around if q is not None] for around in self.step]
        try:
            return self.flood((p for p in owned if self.edge[p]), owned.__contains__)
        finally:
            self.near = near


class ForgetsToJoin(Referee):
    """Rings are looked for among dots known to be joined, and a dot joins only one of the runs beside it."""

    def __init__(self, *args, **options):
        self.group = {}
        super().__init__(*args, **options)

    def close_regions(self, point, player):
        near = [self.group[p] for p in self.step[point] if p is not None and self.live[p] == player]
        self.group[point] = near[0] if near else point
        if len(near) > len(set(near)):
            super().close_regions(point, player)


MUTANTS = [mutant for mutant in Referee.__subclasses__() if mutant.__module__ == __name__]


def answers(referee):
    """Everything a comparison with the engine looks at."""
    captures = sorted((c.player, sorted(c.chain), sorted(c.interior), c.dots) for c in referee.captures)
    return referee.cells(), referee.score(), captures, referee.ungrounded()


def moves_until_different(mutant, style, most_moves):
    """How many moves of games of one style it takes to notice the mistake; None if they do not suffice."""
    rng, made = Random(3), 0
    while made < most_moves:
        sides = size(rng)
        right, wrong = Referee(*sides), mutant(*sides)
        for point, player in dots(STYLES[style], right, rng):
            right.to_move = wrong.to_move = player
            right.play(point)
            made += 1
            try:
                wrong.play(point)
            except (AssertionError, StopIteration):  # it cannot make sense of its own board
                return made
            if answers(right) != answers(wrong):
                return made
    return None


SHOWN_BY = {
    KeepsHangingLoops: "twin",
    LargestFirst: "twin",
    HousesNeverOpen: "break_in",
    OwnerFirst: "break_in",
    NeverFrees: "onion",
    CountsAgain: "nested",
    InnerHousesStay: "nested",
}
"""The style made for a mistake; the others show in a mixture of all."""


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_games_show_every_usual_mistake(mutant):
    style = SHOWN_BY.get(mutant, "mixed")
    assert moves_until_different(mutant, style, MOST_MOVES) is not None
