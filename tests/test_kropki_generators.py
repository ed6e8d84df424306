"""What the generators of Kropki games reach, counted by the referee, so that no fuzz test can go blind."""

from collections import Counter
from random import Random

import pytest
from kropki_generators import STYLES, dots, size
from referee_kropki import Referee


class Watcher(Referee):
    """A referee that counts what happens in its walks and moves."""

    def __init__(self, *size, **options):
        super().__init__(*size, **options)
        self.seen, self.retaken = Counter(), set()

    def pieces(self, walk):
        found = list(super().pieces(walk))
        self.seen["dead end cut"] += any(len(piece) == 2 for piece in found)
        self.seen["hanging loop cut"] += sum(len(piece) > 2 for piece in found) > 1
        return found

    def close_regions(self, point, player):
        near = [self.region(p, player) for p in self.near[point] if self.live[p] != player]
        shut = {frozenset(region) for region in near if self.shut_in(region)}
        inside = {region: self.ring(region, player)[1] for region in shut}
        self.seen["two regions by one dot"] += len(shut) == 2
        self.seen["three regions by one dot"] += len(shut) > 2
        nested = [(a, b) for a in shut for b in shut if a != b and a <= inside[b]]
        self.seen["one inside the other"] += bool(nested)
        self.seen["the inner one larger"] += any(len(a) >= len(b) for a, b in nested)
        super().close_regions(point, player)

    def enclose(self, region, player):
        live, held, houses = list(self.live), list(self.held), self.houses(player)
        super().enclose(region, player)
        _, chain, interior, _ = self.captures[-1]
        self.seen["capture"] += 1
        self.seen["freed dot"] += sum(self.placed[p] == player and held[p] == 1 - player for p in interior)
        retaken = {p for p in interior if held[p] == 1 - player}
        self.seen["enclosure retaken"] += bool(retaken)
        self.seen["enclosure retaken again"] += bool(retaken & self.retaken)
        self.retaken |= retaken
        self.seen["own dot swallowed"] += any(live[p] == player for p in interior)
        self.seen["house swallowed"] += bool(houses & interior - region)
        beside = {q for p in chain for q in self.near[p]}
        self.seen["pocket left outside"] += bool(self.houses(player) & beside)

    def put(self, point):
        player = self.to_move
        enemy_house, own_house = self.houses(1 - player), self.houses(player)
        super().put(point)
        gained = any(capture.player == player and capture.dots for capture in self.captures)
        self.seen["own house entered"] += point in own_house
        if point in enemy_house:
            left = {p for p in enemy_house if self.playable(p)}
            self.seen["house entered, dot takes" if gained else "house entered, dot taken"] += 1
            self.seen["house opened"] += bool(left - self.houses(1 - player))
            self.seen["other houses kept"] += gained and bool(left & self.houses(1 - player))


def watch(style, num_moves, seed, sides=None, in_turn=False):
    """Counts over games of one style, with the number of moves as "moves"."""
    rng, seen = Random(seed), Counter()
    while seen["moves"] < num_moves:
        referee = Watcher(*(sides or size(rng)))
        for point, player in dots(style, referee, rng, in_turn):
            referee.to_move = player
            referee.play(point)
            seen["moves"] += 1
        seen += referee.seen
    return seen


LEAST = {
    "into_houses": {"house entered, dot taken": 40},
    "two_runs": {"own house entered": 25},
    "rings": {"dead end cut": 5, "own dot swallowed": 3},
    "break_in": {"house entered, dot takes": 25, "house opened": 20, "other houses kept": 5},
    "onion": {"enclosure retaken": 10, "enclosure retaken again": 2, "freed dot": 25},
    "nested": {"house swallowed": 10, "own dot swallowed": 15},
    "twin": {"hanging loop cut": 12, "one inside the other": 6},
    "loops": {"pocket left outside": 30, "two regions by one dot": 15, "three regions by one dot": 1},
}
"""How often, at least, each style does what it is for in its first 2,000 moves."""


@pytest.mark.parametrize("style", LEAST)
def test_the_styles_do_what_they_are_for(style):
    seen = watch(STYLES[style], 2000, seed=1)
    assert {event: seen[event] for event, least in LEAST[style].items() if seen[event] < least} == {}


def test_boards_from_the_smallest_to_14x14():
    sizes = {size(Random(seed)) for seed in range(500)}
    assert {side for sides in sizes for side in sides} == set(range(2, 15))
    assert any(width == height for width, height in sizes)


@pytest.mark.parametrize("style", STYLES)
def test_games_in_turn_are_in_turn(style):
    """Legal moves, player after player, the same for the same seed."""
    games = []
    for _ in range(2):
        referee, game = Referee(6, 8), []
        for point, player in dots(STYLES[style], referee, Random(5), in_turn=True):
            assert player == referee.to_move
            referee.play(point)
            game.append(point)
        games.append(game)
    assert games[0] == games[1]
