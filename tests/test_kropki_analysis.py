"""What the rules of Kropki tell of a position: captures, grounding, STOP, who has won."""

import numpy as np
import pytest
from drawn_kropki import drawn, play
from kropki_positions import crowded, kropki

from dotzero.envs.kropki_notation import KropkiNotation
from dotzero.play.kropki_analysis import kropki_facts, loose_dots

DUEL = [". . X . .", ". X O X .", ". . . O .", ". . O X O", ". . . . ."]
"""Either side can take one dot now."""


def facts_of(rows, to_move=0, **rules):
    game, state = drawn(rows, to_move, **rules)
    return game, state, kropki_facts(game, state)


def names_of(game):
    notation = KropkiNotation(game.rules)
    return [notation.name(action) for action in range(game.num_actions)]


def test_captures_of_both_sides():
    """R135: the score, the dots, who could take what; seen by whoever is to move."""
    game, _, facts = facts_of(DUEL)
    assert (facts.score, facts.num_dots, facts.num_legal) == ((0, 0), (4, 4), 17)
    names = names_of(game)
    assert [{names[p]: n for p, n in found.items()} for found in facts.captures] == [{"cc": 1}, {"de": 1}]
    data = facts.to_json(names)
    assert (data["captures"], data["threats"]) == ({"cc": 1}, {"de": 1})
    data = facts_of(DUEL, to_move=1)[2].to_json(names)
    assert (data["captures"], data["threats"]) == ({"de": 1}, {"cc": 1})


@pytest.mark.parametrize("rules", [{}, {"holes": True}, {"house_closes": "owner_turn"}])
def test_r037_loose_dots_are_what_a_stop_costs(rules):
    """R037, R140: by a STOP the own ones go to the enemy, and the captives are free again."""
    game = kropki(8, 7, **rules)
    state, met = crowded(game, 1200, np.random.default_rng(3)), 0
    for index in range(len(state)):
        alone = state[index : index + 1]
        mover = int(alone.to_move[0])
        own, captives = loose_dots(game, alone, mover)
        assert own + captives == game.ungrounded(alone)[0, mover]
        if game.legal(alone)[0, game.stop]:
            after = game.step(alone, [game.stop])
            assert after.score[0, mover] - alone.score[0, mover] == -captives
            assert after.score[0, 1 - mover] - alone.score[0, 1 - mover] == own
            met += captives > 0
    assert met > 5


def test_r037_ungrounded_dots_are_counted():
    """R036, R037: what a STOP would cost either side, and who has won by it."""
    rows = [". X . . .", "X o X . .", ". X . . .", ". . . . .", ". . . . ."]
    _, _, facts = facts_of(rows)
    assert (facts.ungrounded, facts.stop_margins) == ((0, 0), (1.0, -1.0))
    assert facts_of(DUEL)[2].stop_margins == (-3.0, -3.0)  # three of four dots reach no edge
    assert (facts.decided, facts.win) == (0, 1.0)
    _, _, facts = facts_of(rows, to_move=1)
    assert (facts.decided, facts.win) == (0, None)  # it may still take something


def test_stop_says_nothing_where_it_does_not_ground():
    _, _, facts = facts_of(DUEL, stop="off")
    assert facts.stop_margins is None
    assert "stop_margins" not in facts.to_json(["x"] * 26)


def test_a_solo_phase():
    """R036, R130: the opponent of the one who stopped places dots alone."""
    game, state = drawn(DUEL, stop="solo", solo_moves=3)
    state = play(game, state, "stop aa")
    facts = kropki_facts(game, state)
    assert (facts.phase, facts.mover, facts.solo_left) == ("solo", 1, 2)
    assert facts.to_json(names_of(game))["solo_left"] == 2


def test_a_finished_game():
    """R039: equal is a draw, komi decides; the value of what is to come is 0."""
    for komi, win in ((0.0, 0.5), (0.5, 1.0)):
        game, state = drawn(["X .", ". O"], komi=komi, stop="off")
        state = play(game, state, "ba ab")
        facts = kropki_facts(game, state)
        assert facts.finished
        assert facts.komi == komi
        own = facts.win if facts.mover == 1 else 1 - facts.win
        assert own == win
        data = facts.to_json(names_of(game))
        assert (data["value"], data["exact"], data["moves"]) == (0, True, {})


def test_one_position_at_a_time():
    game, state = drawn(DUEL)
    with pytest.raises(ValueError, match=r"^state must be a batch of one game, got 2$"):
        kropki_facts(game, state[[0, 0]])
