"""A position of Kropki as text: signs instead of colours, one line for each fact."""

from drawn_kropki import drawn, play

from dotzero.play.kropki_analysis import kropki_facts
from dotzero.play.kropki_analysis_text import kropki_text, rows_text

DUEL = [". . X . .", ". X O X .", ". . . O .", ". . O X O", ". . . . ."]


def text_of(game, state, last=None):
    return kropki_text(game, state, kropki_facts(game, state), last)


def test_r006_a_position_without_colours():
    """R006, R161, R037: signs tell the players apart; captures, grounding and STOP in words."""
    assert text_of(*drawn(DUEL)) == EXAMPLE.strip("\n")


EXAMPLE = """
kropki 5x5, player 1 to move. X is player 1, O player 2.

   a b c d e
a  . . X . .
b  . X O X .
c  . . . O .
d  . . O X O
e  . . . . .

score         0-0
phase         play
legal         17 points
player 1      4 dots, 3 not grounded; can capture cc 1 now
player 2      4 dots, 3 not grounded; can capture de 1 now
if it stopped player 1 would end -3, player 2 would end -3
"""


def test_the_last_move_komi_and_who_has_won():
    game, state = drawn(DUEL, komi=0.5)
    state = play(game, state, "cc")
    text = text_of(game, state, last=12)
    assert "c  . .(X)O ." in text
    assert "score         1-0, komi 0.5 for player 2" in text
    rows = [". X . . .", "X o X . .", ". X . . .", ". . . . .", ". . . . ."]
    assert "decided       player 1 would win by stopping at once" in text_of(*drawn(rows))
    game, state = drawn(rows)
    state = play(game, state, "stop")
    text = text_of(game, state)
    assert "the game is over" in text
    assert "score         1-0, player 1 has won" in text
    assert "legal" not in text


def test_a_solo_phase_is_told():
    """R036."""
    game, state = drawn(DUEL, stop="solo", solo_moves=4)
    assert "solo: player 2 places dots alone, 4 moves left" in text_of(game, play(game, state, "stop"))


def test_lists_stay_within_80_columns():
    text = rows_text([("label", "word " * 40), ("other", "short")])
    assert max(map(len, text.splitlines())) <= 80
    assert text.splitlines()[-1] == "other         short"
