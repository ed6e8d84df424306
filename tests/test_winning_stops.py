"""Where STOP wins for certain in Kropki; the level that says it is in test_kropki_experts.py."""

import numpy as np
import pytest
from kropki_positions import RULES, crowded, kropki

from dotzero.search.winning_stops import winning_stops


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_it_is_legal_there_and_ends_a_game_as_won(rules):
    """By all rules: STOP said there finishes the game, and the player who said it has won."""
    game = kropki(7, 6, **{**rules, "komi": 0.5})
    state = crowded(game, 200, np.random.default_rng(6))
    stops = winning_stops(game, state)
    assert stops.any() == (rules.get("stop", "grounding") == "grounding")
    rows = np.flatnonzero(stops)
    assert not state.finished[rows].any()
    assert game.legal(state)[rows, game.stop].all()
    if len(rows):
        after = game.step(state[rows], np.full(len(rows), game.stop, np.int32))
        assert after.finished.all()
        won = np.where(after.to_move == state.to_move[rows], 1, -1) * game.outcome(after)
        assert (won == 1).all()
