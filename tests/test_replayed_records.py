"""Replays: collected games, ends, contradictions, moves out of turn."""

import itertools
from dataclasses import replace

import pytest

from dotzero.envs.boxes import BoxesRules
from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.envs.game_records import Ending, Record, RecordError
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.replayed_records import completed, in_turn, replay, result_text

ONE = BoxesRules(rows=1, columns=1)
WHOLE = Record(rules=ONE, moves=(0, 1, 2, 3), movers=(0, 1, 0, 1))
SMALL = KropkiRules(width=6, height=6, start="empty")
TAKEN = Record(rules=SMALL, moves=(8, 14, 13, 0, 15, 6, 20), movers=(0, 1, 0, 1, 0, 1, 0))
"""Player 0 takes a dot with the last move."""


def test_collected_games_come_to_their_scores(load_case):
    for case in load_case("boxes_games.json"):
        rules = BoxesRules(rows=case["rows"], columns=case["cols"])
        moves = tuple(map(BoxesNotation(rules).parse, case["moves"]))
        movers = tuple(mover - 1 for mover in case["mover"])
        verdict = replay(Record(rules=rules, moves=moves, movers=movers, score=tuple(case["score"])))
        assert verdict.agrees is True
        one, two = case["score"]
        assert verdict.result == (1 if one > two else 2 if one < two else 0)
        totals = [0, *verdict.scores.sum(axis=1).tolist()]
        gained = [after - before for before, after in itertools.pairwise(totals)]
        assert gained == case["boxes"]
        assert in_turn(None, rules=rules, moves=moves).movers == movers


@pytest.mark.parametrize(
    ("fields", "reason", "result"),
    [
        ({}, Ending.FULL_BOARD, 2),
        ({"moves": (0,), "movers": (0,)}, Ending.UNFINISHED, None),
        ({"moves": (0,), "movers": (0,), "result": 2}, Ending.AGREEMENT, 2),
        ({"moves": (0,), "movers": (0,), "result": 0}, Ending.AGREEMENT, 0),
        ({"moves": (0,), "movers": (0,), "result": 1, "reason": Ending.RESIGN}, Ending.RESIGN, 1),
        ({"moves": (0,), "movers": (0,), "result": 2, "reason": Ending.TIME}, Ending.TIME, 2),
        ({"rules": replace(ONE, scoring="misere")}, Ending.FULL_BOARD, 1),
    ],
)
def test_why_a_game_was_over_and_who_won(fields, reason, result):
    """R142."""
    verdict = replay(replace(WHOLE, **fields))
    assert (verdict.reason, verdict.result) == (reason, result)
    assert verdict.contradiction is None


@pytest.mark.parametrize(
    ("record", "contradiction"),
    [
        (replace(WHOLE, score=(0, 1), result=2, reason=Ending.FULL_BOARD, margin=1), None),
        (replace(WHOLE, score=(1, 0)), "the moves lead to 0-1, the record says 1-0"),
        (replace(WHOLE, result=1), "the moves lead to a win of player 2, the record says a win of player 1"),
        (replace(WHOLE, result=0), "the moves lead to a win of player 2, the record says a draw"),
        (replace(WHOLE, margin=2), "the moves lead to a margin of 1, the record says 2"),
        (
            replace(WHOLE, reason=Ending.STOP),
            "the moves lead to the end by full_board, the record says stop",
        ),
        (
            replace(WHOLE, moves=(0,), movers=(0,), reason=Ending.FULL_BOARD),
            "the moves lead to the end by unfinished, the record says full_board",
        ),
        (
            replace(TAKEN, result=2, margin=1),
            "the moves lead to a margin of -1, the record says 1",
        ),
        (replace(TAKEN, result=2, reason=Ending.TIME), None),
    ],
)
def test_moves_and_record_are_compared(record, contradiction):
    verdict = replay(record)
    assert verdict.contradiction == contradiction
    assert verdict.agrees is (contradiction is None)


def test_without_a_recorded_end_nothing_can_agree():
    assert replay(WHOLE).agrees is None


def test_komi_and_a_lead_that_wins_at_once():
    stopped = replace(TAKEN, moves=(*TAKEN.moves, 36), movers=(*TAKEN.movers, 1))
    verdict = replay(replace(stopped, rules=replace(SMALL, komi=1.5)))
    assert (verdict.score, verdict.lead, verdict.result) == ((1, 0), -0.5, 2)
    assert verdict.reason is Ending.STOP
    verdict = replay(replace(TAKEN, rules=replace(SMALL, instant_win=1)))
    assert (verdict.reason, verdict.result) == (Ending.INSTANT_WIN, 1)


def test_moves_out_of_turn():
    """Kropki's records have them; in Boxes the rules say who moves."""
    verdict = replay(replace(TAKEN, movers=(0, 1, 0, 1, 0, 0, 0)))
    assert verdict.warnings == ("move 6 (ab) and maybe later ones are out of turn",)
    assert verdict.scores[-1].tolist() == [1, 0]
    with pytest.raises(RecordError, match=r"move 2 \(A1B\): must be made by player 2, got player 1"):
        replay(replace(WHOLE, movers=(0, 0, 1, 0)))


def test_impossible_moves_are_named():
    with pytest.raises(RecordError, match=r"^line 9, move 5 \(A1T\): the game is finished$"):
        replay(replace(WHOLE, moves=(0, 1, 2, 3, 0), movers=(0, 1, 0, 1, 1), line=9))
    with pytest.raises(RecordError, match=r"^move 2 \(A1T\): this line is drawn already$"):
        in_turn(None, rules=ONE, moves=(0, 0))


def test_what_the_moves_tell_is_filled_in():
    record = completed(replace(WHOLE, score=(1, 0), comments={1: "x"}))
    assert record == replace(
        WHOLE, score=(0, 1), result=2, margin=1, reason=Ending.FULL_BOARD, comments={1: "x"}
    )
    assert completed(TAKEN) == replace(TAKEN, score=(1, 0))


def test_results_in_words():
    assert [result_text(result) for result in (None, 0, 1)] == ["no result", "a draw", "a win of player 1"]
