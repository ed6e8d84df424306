"""Faults of records that a review found, one by one, each with what is right."""

import io
import itertools

import pytest

from dotzero.__main__ import main
from dotzero.envs.game_records import Ending, Record
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.records import RecordError, read_records, replay, write_record

EMPTY = KropkiRules(width=8, height=8, start="empty")


def read(text):
    return list(read_records(io.StringIO(text)))


def test_without_keep_going_the_first_damaged_record_ends_an_endless_stream(capsys, monkeypatch):
    """Nothing behind it is read: the memory of a long file of damaged records stays small."""

    class Endless(io.RawIOBase):
        def __init__(self):
            self.left = 200

        def readable(self):
            return True

        def readinto(self, buffer):
            assert self.left, "it went on reading"
            self.left -= 1
            line = b'{"game": "boxes", "rules": {}, "moves": 3}\n'
            buffer[: len(line)] = line
            return len(line)

    class Stdin:
        buffer = io.BufferedReader(Endless(), 64)

    monkeypatch.setattr("sys.stdin", Stdin())
    assert main(["replay", "-"]) == 2
    assert capsys.readouterr().err.startswith("error: -, line 1")


def test_a_game_of_ours_is_read_as_it_was_written():
    """No STOP is guessed from moves in a row, no start from crosses of first moves."""
    doubled = Record(rules=EMPTY, moves=(0, 1, 2, 3, 4), movers=(0, 1, 1, 0, 0))
    crosses = [27, 28, 36, 35, 30, 29, 37, 38]
    cross = Record(
        rules=EMPTY, moves=tuple(crosses), movers=tuple(itertools.islice(itertools.cycle((0, 1)), 8))
    )
    for record in (doubled, cross):
        (back,) = read(write_record(record, "sgf"))
        assert (back.moves, back.movers, back.start) == (record.moves, record.movers, record.start)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"score": (0, -1)}, "score must be two numbers in 0..64"),
        ({"score": (65, 0)}, "score must be two numbers in 0..64"),
        ({"shown": (3,)}, "shown must follow a STOP"),
        ({"result": 0, "reason": Ending.RESIGN}, "result must be 1 or 2 where a game ended by resign"),
        ({"result": 1, "reason": Ending.UNFINISHED}, "result must be none in an unfinished game"),
    ],
)
def test_records_that_cannot_be(fields, message):
    with pytest.raises(ValueError, match=message):
        Record(rules=EMPTY, moves=(0,), movers=(0,), **fields)


def test_a_win_of_the_side_that_is_behind_does_not_agree():
    """Player 2 holds a dot; the record gives the game to player 1 and does not say why."""
    text = "(;GM[40]SZ[8]RE[{}]AB[bb]AW[ab][ba];B[hh];W[cb];B[hg];W[bc];B[hf])"
    for result, agrees in (("B+", None), ("W+", True), ("B+R", True), ("0", True)):
        verdict = replay(read(text.format(result))[0])
        assert (tuple(verdict.score), verdict.agrees) == ((0, 1), agrees), result


def test_rectangles_of_start_dots():
    (record,) = read("(;GM[40]SZ[8]AB[aa:ba]AW[ab:bb])")
    assert record.start == ((0, 1), (8, 9))
    with pytest.raises(RecordError, match="AB must name rectangles by their upper left and lower right"):
        read("(;GM[40]SZ[8]AB[bb:aa])")
    with pytest.raises(RecordError, match="AB must name different points of the board"):
        read(f"(;GM[40]SZ[52]AB{'[aa:ZZ]' * 1000})")
