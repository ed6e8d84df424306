"""Chains of a game beside those of a record."""

import numpy as np
import pytest

from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.kropki_sgf_chains import WrittenChain, chain_warnings, enclosures

RULES = {"width": 6, "height": 6, "start": "empty"}
RING = ((8, 14, 13, 0, 15, 6, 20), (0, 1, 0, 1, 0, 1, 0))
"""The last move takes a dot."""
EMPTY = ((8, 5, 13, 0, 15, 6, 20), (0, 1, 0, 1, 0, 1, 0))
"""The last move shuts in an empty point."""
CHAIN = (8, 13, 20, 15)


def closed(game, moves, movers):
    state = game.start(1)
    scores = game.replay(state, np.array(moves), np.array(movers, np.int8)).scores
    return enclosures(game, state, moves, movers, scores)


def test_enclosures_are_found_at_their_moves():
    game = KropkiGame(KropkiRules(**RULES))
    (found,) = closed(game, *RING)
    assert (found.after, set(found.capture.chain), found.capture.player) == (7, set(CHAIN), 0)
    assert closed(game, *EMPTY) == []


def test_empty_enclosures_change_no_score_and_are_found_all_the_same():
    game = KropkiGame(KropkiRules(**RULES, capture_empty=True))
    (found,) = closed(game, *EMPTY)
    assert (found.after, found.capture.dots) == (7, 0)


def test_a_written_chain_fits_from_the_closing_move_to_the_owners_next():
    game = KropkiGame(KropkiRules(**RULES))
    moves, movers = (*RING[0], 30, 31, 32, 33), (*RING[1], 1, 0, 1, 0)
    found = closed(game, moves, movers)
    for after in range(1, len(moves) + 1):
        written = [WrittenChain(after, CHAIN[::-1])]
        warnings = chain_warnings(game, game.start(1), moves, movers, written, found)
        assert (warnings == []) == (7 <= after <= 9)
        assert len(warnings) in (0, 2)


def test_many_differences_are_cut_short():
    game = KropkiGame(KropkiRules(**RULES))
    written = [WrittenChain(1, tuple(range(12)))] * 50
    warnings = chain_warnings(game, game.start(1), (0,), (0,), written, [])
    assert len(warnings) == 21
    assert warnings[0] == (
        "move 1: the rules close no chain aa ba ca da ea fa ab bb ..., which the record has"
    )
    assert warnings[-1] == "30 more differences of chains"


@pytest.mark.parametrize(
    ("points", "agrees"),
    [
        ((8, 13, 20, 15), True),
        ((8, 7, 13, 20, 15), True),  # over a dot that the chain could do without
        ((8, 9, 15, 20, 13), False),  # over a point without a dot
        ((8, 2, 7, 13, 20, 15), False),  # over a dot of the enemy
        ((8, 13, 20), False),  # not closed
        ((8, 20, 13, 15), True),  # the points are the same
        ((8, 13, 20, 15, 15), True),
    ],
)
def test_chains_agree_that_shut_in_the_same_points(points, agrees):
    """As in the first example of eidokropki.reaktywni.pl, whose chain has a point too many."""
    game = KropkiGame(KropkiRules(**RULES))
    moves, movers = (7, 2, *RING[0]), (0, 1, *RING[1])
    written = [WrittenChain(len(moves), points)]
    warnings = chain_warnings(game, game.start(1), moves, movers, written, closed(game, moves, movers))
    assert len(warnings) == (0 if agrees else 2)


def test_a_chain_over_start_dots():
    game = KropkiGame(KropkiRules(**RULES))
    dots = np.zeros((1, 6, 6), int)
    dots.flat[7] = 1
    start, (moves, movers) = game.start_from(dots), RING
    scores = game.replay(start, np.array(moves), np.array(movers, np.int8)).scores
    written = [WrittenChain(7, (8, 7, 13, 20, 15))]
    assert not chain_warnings(
        game, start, moves, movers, written, enclosures(game, start, moves, movers, scores)
    )
