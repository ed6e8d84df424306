"""Levels easy and medium of Dots and Boxes: their rules, each by an independent look at the position."""

import time

import numpy as np
import pytest
from boxes_generators import board
from boxes_looks import Look, boxes, choose, draw_all, mixed_positions, positions

from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.play.arena import ArenaConfig, play_match
from dotzero.play.boxes_levels import BoxesEasy, BoxesMedium, EasyConfig
from dotzero.play.players import Player, make_player
from dotzero.search.gifts import count_sides, line_boxes, most_sides

SIZES = [(1, 5), (2, 2), (3, 3), (3, 4), (5, 5)]

# ---- easy ----


def careless_rates(config, rng):
    """How often easy overlooks an offer, and how often it gives a box away without need, with both counts.

    Only positions where it can do either are asked.
    """
    game = boxes(5, 5)
    lines = mixed_positions(5, 5, 16000, rng)
    least, actions = board(5, 5).least_degrees(lines), choose(BoxesEasy(config), game, lines, rng)
    chosen = least[np.arange(len(lines)), np.maximum(actions, 0)]
    takes, gives, safe = [(least == degree).any(axis=1) for degree in (1, 2, 3)]
    safe |= (least == 4).any(axis=1)
    offered = takes & (gives | safe)
    # Where it overlooks the offer, it may still be careful: of both kinds of positions slips are counted.
    quiet = ~takes & gives & safe
    return (chosen[offered] != 1).mean(), (chosen[quiet] == 2).mean(), offered.sum(), quiet.sum()


def test_r092_easy_misses_boxes_and_slips_now_and_then():
    """Over 2,000 positions of each kind the rates are within the band and near the settings."""
    miss, slip, num_offered, num_quiet = careless_rates(None, np.random.default_rng(1))
    assert min(num_offered, num_quiet) > 2000
    assert 0.1 < miss < 0.5
    assert 0.1 < slip < 0.5
    assert (miss, slip) == (pytest.approx(0.25, abs=0.04), pytest.approx(0.2, abs=0.04))


@pytest.mark.parametrize(("miss", "blunder"), [(0.0, 0.0), (1.0, 1.0), (0.4, 0.05)])
def test_easy_follows_its_settings(miss, blunder):
    rates = careless_rates(EasyConfig(miss=miss, blunder=blunder), np.random.default_rng(2))
    assert rates[0] == pytest.approx(miss, abs=0.04 * (miss % 1 > 0))
    assert rates[1] == pytest.approx(blunder, abs=0.04 * (blunder % 1 > 0))


def test_easy_overlooks_an_offer_for_a_line_that_takes_nothing():
    """What is left when every line takes a box is taken."""
    rng = np.random.default_rng(3)
    lines = mixed_positions(3, 4, 6000, rng)
    least = board(3, 4).least_degrees(lines)
    actions = choose(BoxesEasy(EasyConfig(miss=1.0)), boxes(3, 4), lines, rng)
    going = (least > 0).any(axis=1)
    assert ((actions == -1) == ~going).all()
    chosen = least[np.arange(len(lines)), actions][going]
    quiet = (least[going] >= 2).any(axis=1)
    assert (chosen[quiet] > 1).all()
    assert (chosen[~quiet] == 1).all()
    assert 0 < quiet.sum() < len(quiet)


def test_easy_slips_as_often_where_it_overlooks_an_offer():
    """Its two chances are two throws of luck."""
    rng = np.random.default_rng(4)
    lines = mixed_positions(3, 4, 6000, rng)
    least = board(3, 4).least_degrees(lines)
    actions = choose(BoxesEasy(EasyConfig(miss=0.4, blunder=0.4)), boxes(3, 4), lines, rng)
    chosen = least[np.arange(len(lines)), actions]
    both = (least == 1).any(axis=1) & (least == 2).any(axis=1) & (least >= 3).any(axis=1)
    overlooked = chosen[both & (chosen != 1)]
    assert len(overlooked) > 100
    assert (overlooked == 2).mean() == pytest.approx(0.4, abs=0.15)


def test_easy_plans_no_chains():
    """R092: where no line is safe it draws any, whatever that gives away."""
    game, lines = boxes(2, 4), draw_all(boxes(2, 4), "A2T B2T C2T D2T A1T B1T C1T D1T A1B B1B C1B D1B").lines
    actions = BoxesEasy().choose(
        game, positions(game, np.tile(lines, (400, 1))), np.arange(400, dtype=np.uint64)
    )
    counts = np.bincount(actions)[np.flatnonzero(lines[0] == 0)]
    assert len(counts) == (lines == 0).sum()
    assert counts.min() > 15


def test_easy_loses_to_medium():
    match = play_match(boxes(5, 5), BoxesEasy(), BoxesMedium(), ArenaConfig(games=200))
    assert match.score <= 0.05


# ---- medium ----


@pytest.mark.parametrize("num", [200, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_medium_takes_what_is_offered_else_stays_safe_else_gives_the_fewest(rows, columns, num):
    """M1 to M3 (R078, R093, R094, R095) by full recount: 1,000 positions in all, in the slow test 10,000."""
    rng = np.random.default_rng([rows, columns, 2])
    lines = mixed_positions(rows, columns, num, rng)
    actions = choose(BoxesMedium(), boxes(rows, columns), lines, rng)
    met = {"offered": 0, "safe": 0, "loony": 0}
    for drawn, action in zip(lines, actions, strict=True):
        look = Look(rows, columns, drawn)
        if offered := look.offered():
            assert action in offered
            met["offered"] += 1
        elif safe := look.safe():
            assert action in safe
            met["safe"] += 1
        elif look.free():
            assert action in look.cheapest()
            met["loony"] += 1
        else:
            assert action == -1
    assert min(met.values()) > num / 20


def test_a_pair_is_opened_in_the_middle():
    """M3: hard-hearted, although both ends give two boxes as well."""
    game = boxes(2, 2)  # the upper row is a pair with open ends, the lower row too
    state = draw_all(game, "A2T B2T A1T B1T A1B B1B")
    notation = BoxesNotation(game.rules)
    for seed in range(40):
        action = BoxesMedium().choose(game, state, np.array([seed], np.uint64))[0]
        assert notation.name(action) in ("B2L", "B1L")


def test_takes_chains_whole():
    """M4 (R096): while a box is on offer every line takes one, so nothing is left of what it can take."""
    game, rng = boxes(4, 4), np.random.default_rng(4)
    lines = mixed_positions(4, 4, 600, rng)
    state = positions(game, lines[(board(4, 4).least_degrees(lines) == 1).any(axis=1)])
    assert len(state) > 100
    mover, seeds = state.to_move.copy(), rng.integers(2**63, size=len(state)).astype(np.uint64)
    while len(offered := np.flatnonzero((board(4, 4).least_degrees(state.lines) == 1).any(axis=1))):
        before = state.score.sum(axis=1)
        state[offered] = game.step(state[offered], BoxesMedium().choose(game, state[offered], seeds[offered]))
        assert (state.score.sum(axis=1)[offered] > before[offered]).all()
        assert (state.to_move == mover).all()


def test_a_double_deal_beats_it():
    """M4 (R096): two chains of four; it opens one, is left two boxes, takes them and must open the other."""
    game, notation = boxes(2, 4), BoxesNotation(boxes(2, 4).rules)
    for seed in range(20):
        luck = np.array([seed], np.uint64)
        state = draw_all(game, "A2T B2T C2T D2T A1T B1T C1T D1T A1B B1B C1B D1B")
        medium = int(state.to_move[0])
        while not state.finished[0]:
            player = BoxesMedium() if state.to_move[0] == medium else DoubleDealer()
            state = game.step(state, player.choose(game, state, luck))
        assert state.score[0, medium] == 2, notation.board(state)


class DoubleDealer(Player):
    """Medium, but it leaves the last two boxes of an opened chain while much is left to win."""

    name = "double dealer"

    def choose(self, game, state, seeds):
        actions = BoxesMedium().choose(game, state, seeds)
        for index in np.flatnonzero(~state.finished):
            offered = np.flatnonzero(most_sides(game.rules, state.lines[index : index + 1])[0] == 3)
            if len(offered):
                actions[index] = self.take(game.rules, state.lines[index : index + 1], offered)
        return actions

    def take(self, rules, lines, offered):
        """Short ends first, so that the last two boxes hang together; those it leaves, if that pays."""
        runs = {int(line): self.run(rules, lines, line) for line in offered}
        line = min(runs, key=runs.get)
        most, sides = most_sides(rules, lines)[0], count_sides(rules, lines)[0]
        rest = rules.num_boxes - (sides == 4).sum() - 2
        if sum(runs.values()) != 2 or len(runs) > 1 or rest < 3 or ((most == 0) | (most == 1)).any():
            return line
        other = [box for box in line_boxes(rules)[line] if sides[box] == 2]
        ends = [
            end
            for end in np.flatnonzero(most >= 0)
            if end != line and other and other[0] in line_boxes(rules)[end]
        ]
        return ends[0] if ends else line

    def run(self, rules, lines, line):
        """Boxes taken one after another by following this offered line only."""
        lines, taken = lines.copy(), 0
        before = set(np.flatnonzero(count_sides(rules, lines)[0] == 3))
        while line is not None:
            sides = count_sides(rules, lines)[0]
            taken += int((sides[line_boxes(rules)[line]] == 3).sum())
            lines[0, line] = 1
            fresh = [box for box in np.flatnonzero(count_sides(rules, lines)[0] == 3) if box not in before]
            offered = np.flatnonzero(most_sides(rules, lines)[0] == 3)
            line = next((end for end in offered if fresh and fresh[0] in line_boxes(rules)[end]), None)
        return taken


@pytest.mark.parametrize(("size", "least"), [(3, 0.5), pytest.param(5, 0.6, marks=pytest.mark.slow)])
def test_a_double_dealer_wins_matches_against_it(size, least):
    """R096: the weakness is real in whole games."""
    match = play_match(boxes(size, size), DoubleDealer(), BoxesMedium(), ArenaConfig(games=100, seed=1))
    assert match.score > least


def test_beats_random_play():
    """The ladder is monotone at its foot."""
    game = boxes(3, 3)
    match = play_match(game, BoxesMedium(), make_player("random", game), ArenaConfig(games=200))
    assert match.score > 0.97


def test_is_quick_enough():
    """200 games on 5x5 boxes in a few seconds (about 0.7 s here)."""
    begun = time.monotonic()
    play_match(boxes(5, 5), BoxesMedium(), BoxesMedium(), ArenaConfig(games=200))
    assert time.monotonic() - begun < 10
