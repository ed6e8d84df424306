"""The positions of a recorded game: one more than moves, each what the rules make of those before."""

from dataclasses import replace

import numpy as np
import pytest
from recorded import boxes_record, kropki_record

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.game_records import RecordError
from dotzero.envs.replayed_records import in_turn
from dotzero.play.game_positions import game_positions

DUEL = "cb ea bc eb dc cc aa ab cd"
"""Player 1 puts a ring round cc and closes it with the last move."""


def test_a_game_is_a_batch_of_its_positions():
    """Each is the position after the moves before it, as stepping gives it."""
    for record in (boxes_record(), kropki_record(DUEL)):
        found = game_positions(record)
        assert len(found) == len(record.moves)
        assert len(found.states) == len(found) + 1
        game, state = record.new_game()
        for number, action in enumerate(record.moves):
            assert (game.observe(state).points == game.observe(found.states[[number]]).points).all()
            assert found.states.to_move[number] == record.movers[number]
            state = game.step(state, [action])
        assert found.states.score[-1].tolist() == state.score[0].tolist() == list(found.verdict.score)


def test_what_moves_take_and_could_have_taken(random_actions):
    """Against every move tried out, in random games of both."""
    random = np.random.default_rng(5)
    rules = BoxesRules(rows=3, columns=3)
    game, moves = BoxesGame(rules), []
    state = game.start(1)
    while not state.finished[0]:
        moves.append(int(random_actions(game, state, random)[0]))
        state = game.step(state, moves[-1:])
    record = in_turn(None, rules=rules, moves=tuple(moves))
    assert game_positions(record).most_on_offer[-1] == 0
    for found in (game_positions(record), game_positions(kropki_record(DUEL))):
        for number, (taken, most) in enumerate(zip(found.taken, found.most_on_offer[:-1], strict=True)):
            state = found.states[[number]]
            mover = int(state.to_move[0])
            plain = np.flatnonzero(found.game.plain_actions(state)[0])
            after = found.game.step(state[np.zeros(len(plain), int)], plain)
            gains = after.score[:, mover] - state.score[0, mover]
            assert most == gains.max()
            assert taken == found.states.score[number + 1, mover] - state.score[0, mover]


def test_leads_are_those_of_player_one_with_komi():
    found = game_positions(kropki_record(DUEL, komi=0.5))
    assert found.leads.tolist() == [-0.5] * 9 + [0.5]
    misere = game_positions(boxes_record(scoring="misere"))
    assert misere.leads[-1] == -2


def test_moves_out_of_turn_are_made_by_whom_the_record_says():
    """Some records of Kropki have them."""
    record = kropki_record("cb ea bc eb")
    strange = replace(record, movers=(0, 0, 0, 1))
    found = game_positions(strange)
    assert found.states.to_move[:4].tolist() == [0, 0, 0, 1]
    assert int((found.states.cells[-1] & 1).sum()) == 3
    assert "out of turn" in found.verdict.warnings[0]


def test_an_impossible_move_is_named():
    record = replace(kropki_record("cb ea"), moves=(8, 8))
    with pytest.raises(RecordError, match=r"line 1, move 2.*: this point is occupied"):
        game_positions(record)
