"""The one form of a record: what is filled in, what is refused."""

import pytest

from dotzero.envs.boxes import BoxesRules
from dotzero.envs.game_records import Ending, Record, RecordError, shown
from dotzero.envs.kropki_rules import KropkiRules

SMALL = KropkiRules(width=8, height=6, start="empty")


def test_the_start_is_that_of_the_rules_or_given():
    assert Record(rules=BoxesRules(), moves=(), movers=()).start == ((), ())
    cross = KropkiRules(width=8, height=6)
    record = Record(rules=cross, moves=(), movers=())
    assert record.start == ((19, 28), (20, 27))
    assert Record(rules=SMALL, moves=(), movers=(), start=record.start) == record
    other = Record(rules=SMALL, moves=(), movers=(), start=((3, 1), (2,)))
    assert (other.rules, other.start) == (SMALL, ((1, 3), (2,)))
    random = KropkiRules(width=8, height=6, start="random_crosses", num_crosses=1)
    assert Record(rules=random, moves=(), movers=(), start=((0,), ())).rules == random


def test_either_player_may_begin():
    game, state = Record(rules=SMALL, moves=(0,), movers=(1,)).new_game()
    assert state.to_move.tolist() == [1]
    assert game.start(1).to_move.tolist() == [0]


def test_moves_are_named_from_one():
    assert Record(rules=SMALL, moves=(0, 48), movers=(0, 1)).move_name(1) == "move 2 (stop)"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"moves": (0,)}, "movers must be as many as moves, got 0"),
        ({"moves": (-1,), "movers": (0,)}, "moves must be from 0 to 48, got (-1,)"),
        ({"moves": (49,), "movers": (0,)}, "moves must be from 0 to 48, got (49,)"),
        ({"moves": (0,), "movers": (2,)}, "movers must be 0 or 1, got (2,)"),
        ({"start": ((48,), ())}, "start must be different points of the board, got ((48,), ())"),
        ({"start": ((1, 1), ())}, "start must be different points of the board"),
        ({"shown": (48,)}, "shown must be points of the board, got (48,)"),
        ({"result": 3}, "result must be 0, 1 or 2, got 3"),
        ({"reason": Ending.TIME}, "result must be known where a game ended by time, got None"),
        ({"comments": {1: "x"}}, "comments and clocks must stand at a move, got 1"),
        ({"clocks": {-1: 0.5}}, "comments and clocks must stand at a move"),
        ({"headers": {"a": "\udcff"}}, "texts must be Unicode without lone surrogates"),
    ],
)
def test_a_record_that_cannot_be_is_refused(fields, reason):
    with pytest.raises(ValueError, match="must") as caught:
        Record(**{"rules": SMALL, "moves": (), "movers": ()} | fields)
    assert str(caught.value).startswith(f"Record.{reason}")
    with pytest.raises(RecordError) as told:
        Record.checked(7, **{"rules": SMALL, "moves": (), "movers": ()} | fields)
    assert str(told.value).startswith(f"line 7: Record.{reason}")


def test_boxes_have_no_start_dots():
    with pytest.raises(ValueError, match=r"Record.start must be left out in boxes"):
        Record(rules=BoxesRules(), moves=(), movers=(), start=((1,), ()))
    with pytest.raises(ValueError, match=r"Record.shown must be left out in boxes"):
        Record(rules=BoxesRules(), moves=(), movers=(), shown=(1,))


def test_errors_are_one_short_line():
    error = RecordError("a\nb " + "x" * 1000, line=3, where="move 2")
    assert str(error).startswith("line 3, move 2: a b xxx")
    assert len(str(error)) < 250
    assert (error.line, error.where) == (3, "move 2")
    assert shown("x" * 10**7) == "'" + "x" * 36 + "..."
