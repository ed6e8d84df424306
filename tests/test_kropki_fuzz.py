"""The engine of Kropki against the slow referee, over games of every generator and with every option.

The fast test plays tens of thousands of moves, the slow one a million. Its parts do not depend on each other:
`-k part7` runs one, and `-n auto --dist load` shares them out among processes.
"""

from random import Random

import numpy as np
import pytest
from kropki_duel import OPTIONS, Duel, play_duels
from kropki_generators import nested, playable_points, twin, twin_rings

PARTS = 40
MOVES_A_PART = 25_000


@pytest.mark.parametrize("in_turn", [False, True], ids=["out_of_turn", "in_turn"])
@pytest.mark.parametrize("option", OPTIONS)
def test_engine_and_referee_agree_under_each_option(option, in_turn):
    num_moves = {"official": 2500, "owner_turn": 1500}.get(option, 700)
    assert play_duels(11, num_moves, OPTIONS[option], in_turn) >= num_moves


def test_holes_are_kept_and_entered():
    """Houses in houses, which hardly any other game makes."""
    styles = [nested, twin] * 4
    assert play_duels(13, 1500, {"holes": True}, in_turn=False, styles=styles, sides=(9, 8)) >= 1500


def test_a_house_with_a_visitor_is_no_hole():
    """Under owner_turn an older house stays open inside a new ring only if nobody waits there."""
    one = Duel(10, 9, num_games=8, house_closes="owner_turn", holes=True, stop="off")
    wall = (34, 35, 43, 46, 54, 55)  # round the points 44 and 45
    ring = (12, 13, 14, 15, 16, 17, 21, 28, 31, 38, 41, 48, 51, 58, 61, 68, 72, 73, 74, 75, 76, 77)
    for player, points in ((0, wall + ring[:-1]), (1, (22, 44)), (0, ring[-1:])):
        for point in points:
            one.play([point] * 8, [player] * 8)
    assert one.state.score[0].tolist() == [2, 0]
    assert (one.state.cells[0].flat[[44, 45]] & 0x10).all(), "both points are closed"


def house_last(referee, rng):
    """A house of one point, then everything else, then an enemy dot on that point."""
    free, player = playable_points(referee), rng.randrange(2)
    inner = [p for p in free if not referee.edge[p]]
    house = rng.choice(inner or free)
    others = [(p, rng.randrange(2)) for p in free if p != house and p not in referee.near[house]]
    return [(p, player) for p in referee.near[house]] + others + [(house, 1 - player)]


@pytest.mark.parametrize("last_safe", [False, True])
def test_the_last_dot_of_all(last_safe):
    """Whether it is taken in an enemy house."""
    options = {"last_safe": last_safe}
    assert play_duels(14, 600, options, in_turn=False, styles=[house_last] * 12, sides=(4, 5)) >= 600


@pytest.mark.parametrize("in_turn", [False, True], ids=["out_of_turn", "in_turn"])
def test_engine_and_referee_agree_under_several_options_at_once(in_turn):
    assert play_duels(12, 2500, None, in_turn) >= 2500


@pytest.mark.parametrize("option", ["official", "owner_turn", "holes", "capture_empty"])
@pytest.mark.parametrize("visitor_inside", [False, True])
def test_a_large_region_inside_a_smaller_one(visitor_inside, option):
    """One dot shuts in both; the smaller one is judged first and takes what lies inside its ring."""
    one, rng = Duel(14, 14, num_games=8, **OPTIONS[option]), Random(1)
    while (found := twin_rings(one.referees[0], rng)) is None or len(found[1]) <= len(found[3]):
        pass
    joint, inside, loop, between, outer = found
    visitors = [min(between)] + [min(inside)] * visitor_inside
    for player, points in ((1, visitors), (0, sorted(loop | outer)), (0, [joint])):
        for point in points:
            one.play([point] * 8, [player] * 8)
    assert one.state.score[0].tolist() == [len(visitors), 0]
    capture = one.referees[0].captures
    assert [set(ring.chain) for ring in capture] == [outer | {joint}]
    assert capture[0].interior == inside | loop | between


def test_a_dot_in_an_own_house_shuts_nothing_in():
    """A visitor that waits there falls whatever its owner plays: no single dot is what takes it."""
    one = Duel(7, 7, num_games=8, house_closes="owner_turn")
    ring, wall, visitor = (9, 10, 11, 15, 19, 22, 26, 29, 33, 37, 38, 39), (17, 31), 23
    for player, points in ((0, ring + wall), (1, (visitor,))):
        for point in points:
            one.play([point] * 8, [player] * 8)
    one.check_outlook()


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS), ids=lambda part: f"part{part}")
def test_engine_and_referee_agree_over_a_million_moves(part):
    """Every fourth part with the official rules, the others with options of their own."""
    rng = np.random.default_rng([2024, part])
    options = {} if part % 4 == 0 else None
    seed = int(rng.integers(2**31))
    assert play_duels(seed, MOVES_A_PART, options, in_turn=part % 2 == 1) >= MOVES_A_PART
