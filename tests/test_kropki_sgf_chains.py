"""Chains of a game beside those of a record."""

import numpy as np

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
        warnings = chain_warnings(game, [WrittenChain(after, CHAIN[::-1])], found, movers)
        assert (warnings == []) == (7 <= after <= 9)
        assert len(warnings) in (0, 2)


def test_many_differences_are_cut_short():
    game = KropkiGame(KropkiRules(**RULES))
    warnings = chain_warnings(game, [WrittenChain(1, tuple(range(12)))] * 50, [], (0,))
    assert len(warnings) == 21
    assert warnings[0] == (
        "move 1: the rules close no chain aa ba ca da ea fa ab bb ..., which the record has"
    )
    assert warnings[-1] == "30 more differences of chains"
