"""A review as text: a line a move, certain values told from estimates, a summary of both sides."""

import numpy as np
from recorded import boxes_record, kropki_record

from dotzero.envs.game_records import notation_of
from dotzero.play.game_positions import game_positions
from dotzero.play.game_review import review
from dotzero.play.game_review_text import review_table, scale_text, sides_text
from dotzero.play.game_values import GameValuer, GameValues


def classic():
    positions = game_positions(boxes_record())
    return review(positions, GameValuer().values(positions))


def names_of(found):
    notation = notation_of(found.positions.record.rules)
    return [notation.name(action) for action in range(found.positions.game.num_actions)]


def test_moves_with_their_costs():
    """F12: one line a move, its class in words."""
    found = classic()
    rows = review_table(found, names_of(found), range(4, 8)).splitlines()
    assert rows == [
        " move  player       value    win   best           loss  class       score",
        "    4  2 A2L          =-2    =0%   B2T B1T +3        2  inaccuracy    0-0",
        "    5  1 B1R           =4  =100%   B1L               6  BLUNDER       0-0",
        "    6  2 B2T           =2  =100%   A1L               4  BLUNDER       0-0",
        "    7  1 A1T           =2  =100%   it, 3 more                         0-0",
    ]
    assert "only move" in review_table(found, names_of(found), [12])


def test_estimates_are_marked_and_missed_captures_told():
    record = kropki_record("cb cc bc aa dc bb ff")
    positions = game_positions(record)
    nan = np.full(8, np.nan)
    unknown = GameValues(
        margin=nan, win=nan, exact=np.zeros(8, bool), best=[()] * 8, certain_win=np.zeros(8, bool)
    )
    found = review(positions, unknown)
    rows = review_table(found, names_of(found), [7]).splitlines()
    assert rows[1] == "    7  1 ff                                             left 1        0-0"
    guess = GameValues(
        margin=np.array([0, 0.26] + [0.0] * 6), win=np.full(8, 0.618), exact=np.zeros(8, bool),
        best=[()] * 8, certain_win=np.zeros(8, bool),
    )  # fmt: skip
    row = review_table(review(positions, guess), names_of(found), [2]).splitlines()[1]
    assert row.split() == ["2", "2", "cc", "~-0.3", "~38%", "0-0"]


def test_both_sides_in_a_line_each():
    assert sides_text(classic()).splitlines() == [
        "player 1    7 moves, 6 rated: accuracy 83.3%, lost 6 points; 0 inaccuracies, 0 mistakes, 1 blunder",
        "player 2    5 moves, all rated: accuracy 74.2%, lost 6 points; 1 inaccuracy, 0 mistakes, 1 blunder",
        "key moves   5, 6",
    ]


def test_the_scale_is_stated():
    """The thresholds and the formula stand below every table."""
    text = " ".join(scale_text().split())
    assert "A mistake costs 10% of the chance to win or 4 points of the final margin" in text
    assert "mean of 100 * 2^-m" in text
    assert "left n: another move would have taken n points at once." in text
    assert "no accuracy is told where less than 50% of a side's choices are" in text


def test_few_rated_moves_are_told_as_such():
    """A STOP that wins is the only certain move of the game: no accuracy of 100%, no loss of 0 points."""
    positions = game_positions(kropki_record("ba bb ab fa ca fb ac fc cb fd bc fe stop"))
    found = review(positions, GameValuer().values(positions))
    assert sides_text(found).splitlines() == [
        "player 1    7 moves, 1 rated: too few for an accuracy; 0 inaccuracies, 0 mistakes, 0 blunders",
        "player 2    6 moves, none rated",
        "key moves   none",
    ]
    row = review_table(found, names_of(found), [13]).splitlines()[1]
    assert row.split() == ["13", "1", "stop", "=100%", "1-0"]
