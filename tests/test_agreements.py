"""When a computer agrees to end a game (R035)."""

import pytest
from played_sessions import CAPTURE, EXAMPLE, boxes, kropki, play

from dotzero.play.agreements import Terms, accepts, lead


def test_a_computer_accepts_what_it_wins_by_and_not_what_it_loses_by():
    """Nothing is certain yet on a large board; player 2 holds a dot."""
    session = kropki(20, 20)
    play(session, CAPTURE)
    assert session.score == (0, 1)
    assert lead(session.game, session.state, 1) == 1
    for seat, terms, accepted in (
        (1, Terms.SCORE, True),
        (0, Terms.SCORE, False),
        (1, Terms.DRAW, False),
        (0, Terms.DRAW, True),
    ):
        assert accepts(session.game, session.state, seat, terms) is accepted


def test_a_level_score_is_accepted_only_near_the_end():
    session = kropki(6, 6, rules={"stop": "off"})
    assert not accepts(session.game, session.state, 1, Terms.SCORE)
    # Rows of two: nothing is ever shut in.
    order = [(x, y) for y in range(6) for x in range(6)]
    for number, (x, y) in enumerate(order):
        if 36 - number <= 9:
            assert accepts(session.game, session.state, 1, Terms.SCORE)
            assert accepts(session.game, session.state, 1, Terms.DRAW)
            return
        session.move(y * 6 + x)
    pytest.fail("the board must fill up")


def test_where_the_solver_knows_the_end_only_the_true_result_counts():
    """R071, R072: after the sacrifice A1T player 1 wins 3:1 at a score of 0:0."""
    session = boxes()
    play(session, EXAMPLE[:7])
    assert session.score == (0, 0)
    assert not accepts(session.game, session.state, 0, Terms.SCORE)
    assert not accepts(session.game, session.state, 0, Terms.DRAW)
    assert accepts(session.game, session.state, 1, Terms.DRAW)


def test_a_komi_counts():
    session = kropki(20, 20, rules={"komi": 0.5})
    assert lead(session.game, session.state, 1) == 0.5
    assert accepts(session.game, session.state, 1, Terms.SCORE)
    assert not accepts(session.game, session.state, 0, Terms.SCORE)
