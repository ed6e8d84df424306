"""Kropki in SGF as it is written: one record in full, and what the format has no word for."""

import io
from dataclasses import replace

import pytest

from dotzero.envs.boxes import BoxesRules
from dotzero.envs.game_records import Ending, Record, RecordError
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.kropki_sgf_writer import write_tree
from dotzero.envs.records import read_records, replay

RULES = KropkiRules(width=6, height=5, start="empty", komi=-0.5)
HOUSE = Record(
    rules=RULES,
    moves=(8, 5, 13, 0, 15, 6, 20, 14, 30),
    movers=(0, 1, 0, 1, 0, 1, 0, 1, 0),
    start=((29,), (24,)),
    shown=(7, 9),
    result=2,
    score=(0, 4),
    reason=Ending.STOP,
    players=("A]", "B"),
    headers={"date": "2026-11-30", "Odd name": "x", "ZZ": "y"},
    comments={0: "start", 7: "a\\"},
    clocks={1: 1.5},
)
"""Player 0 builds a house, player 1 enters it, player 0 stops, which shows two dots."""
TREE = (
    "(;FF[4]GM[40]CA[UTF-8]AP[dotzero]SZ[6:5]RU[Punish=0,Holes=0,AddTurn=0,MustSurr=1,MinArea=1,Pass=0,"
    "Stop=1,LastSafe=0,ScoreTerr=0,InstantWin=0]KM[-0.5]RE[W+3.5]PB[A\\]]PW[B]DT[2026-11-30]ZZ[y]AB[fe]AW[ae]"
    "C[start];B[cb]BL[1.5];W[fa];B[bc];W[aa];B[dc];W[ab];B[cd]C[a\\\\];W[cc];B[.cbbccddccb];B[];W[bb][db])\n"
)


def read(text):
    (record,) = read_records(io.StringIO(text))
    return record


def test_a_record_in_full():
    """The chain of the house stands by itself before the STOP of its owner; RE holds the komi."""
    assert replay(HOUSE).agrees
    assert write_tree(HOUSE) == TREE
    again = read(TREE)
    assert again == replace(
        HOUSE,
        score=None,
        reason=None,
        margin=3.5,
        headers={"date": "2026-11-30", "ZZ": "y"},
    )
    assert write_tree(again) == TREE


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"result": None, "reason": None}, ""),
        ({"result": 0, "reason": None}, "RE[0]"),
        ({"result": 1, "reason": Ending.RESIGN}, "RE[B+R]"),
        ({"result": 2, "reason": Ending.TIME}, "RE[W+T]"),
        ({"result": 2, "reason": Ending.FORFEIT}, "RE[W+F]"),
        ({"result": 1, "reason": Ending.AGREEMENT}, "RE[B+0.5]"),
        ({"result": 2, "reason": Ending.AGREEMENT}, "RE[W+]"),
        ({"result": 1, "score": (3, 0)}, "RE[B+3.5]"),
        ({"result": 1, "margin": 7}, "RE[B+7]"),
    ],
)
def test_results(fields, text):
    record = Record(rules=RULES, moves=(0,), movers=(0,), **{"score": (0, 0)} | fields)
    assert text in write_tree(record)
    assert ("RE[" in write_tree(record)) == bool(text)
    again = read(write_tree(record))
    assert again.result == record.result
    assert write_tree(again) == write_tree(record)


def test_a_chain_without_another_move_of_its_owner_stands_at_the_end():
    record = replace(HOUSE, moves=HOUSE.moves[:8], movers=HOUSE.movers[:8], shown=(), reason=None)
    assert write_tree(record).endswith(";W[cc];B[.cbbccddccb])\n")


def test_what_cannot_be_written_is_refused():
    with pytest.raises(RecordError, match="SGF must hold Kropki, got boxes"):
        write_tree(Record(rules=BoxesRules(), moves=(), movers=()))
    with pytest.raises(RecordError, match=r"move 2 \(aa\): this point is occupied"):
        write_tree(Record(rules=RULES, moves=(0, 0), movers=(0, 1)))
