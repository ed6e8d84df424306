"""Records of Dots and Boxes as text: tags, turns, comments, all spellings, mistakes."""

import io

import pytest

from dotzero.envs.boxes import BoxesRules
from dotzero.envs.boxes_text_records import write_text
from dotzero.envs.game_records import Ending, Record, RecordError
from dotzero.envs.records import completed, read_records, replay, write_record

CLASSIC = """
[Size "2x2"]

1. A2T
2. B1B
3. A1B
4. A2L
5. B1R
6. B2T
7. A1T
8. A2R, B1T
9. B2R, A1R, A1L
3-1
"""
"""The classic example, with a turn a line."""
SPELLED = {
    "text": "1. A2T 2. B1B 3. A1B 4. A2L 5. B1R 6. B2T 7. A1T 8. A2R, B1T 9. B2R, A1R, A1L",
    "dots": "1. a3-b3 2. b1-c1 3. a1-b1 4. a2-a3 5. c1-c2 6. b3-c3 7. a2-b2 8. b2-b3, b2-c2 "
    "9. c2-c3, b1-b2, a1-a2",
    "open_spiel": "P1(h,0,0) P2(h,2,1) P1(h,2,0) P2(v,0,0) P1(v,1,2) P2(h,0,1) P1(h,1,0) P2(v,0,1) P2(h,1,1) "
    "P1(v,0,2) P1(v,1,1) P1(v,1,0)",
    "hrc": "h 0 0; h 2 1; h:2:0; v 0 0\nv 1 2; h 0 1; h 1 0; v 0 1; h 1 1; v 0 2; v 1 1; v 1 0",
    "lines": "000000000000 100000000000 100001000000 100011000000 100011100000 100011100001 110011100001 "
    "111011100001 111011110001 111111110001 111111111001 111111111011 111111111111",
}
MOVES = (0, 5, 4, 6, 11, 1, 2, 7, 3, 8, 10, 9)
MOVERS = (0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 0)


def read(text, size=None):
    """The one record of a text."""
    (record,) = read_records(io.StringIO(text), size=size)
    return record


def refused(text, size=None):
    with pytest.raises(RecordError) as caught:
        read(text, size)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_classic_example():
    record = read(CLASSIC)
    assert (record.moves, record.movers, record.score) == (MOVES, MOVERS, (3, 1))
    verdict = replay(record)
    assert (verdict.score, verdict.result, verdict.reason) == ((3, 1), 1, Ending.FULL_BOARD)
    assert verdict.agrees is True


@pytest.mark.parametrize("spelling", SPELLED)
@pytest.mark.parametrize("tags", ["", '[Size "2x2"]\n'])
def test_a_game_in_every_spelling(spelling, tags):
    """The size of a whole game follows from its lines; a string of 0 and 1 alone does not tell it."""
    size = (2, 2) if spelling == "lines" else None
    record = read(f"{tags}{SPELLED[spelling]} 3-1", size)
    assert (record.rules, record.moves, record.movers) == (BoxesRules(rows=2, columns=2), MOVES, MOVERS)
    assert replay(record).agrees is True


@pytest.mark.parametrize(
    "text",
    [
        SPELLED["text"].upper().lower(),
        SPELLED["text"].replace("A2R, B1T", "B2L, B2B").replace("A1T", "A2B"),
        SPELLED["dots"].replace("-", "").replace("b2b3", "b3b2"),
        SPELLED["dots"].upper(),
        "1. A2T B1B 2. A1B A2L 3. B1R B2T 4. A1T A2R B1T 5. B2R A1R A1L",
        "A2T\nB1B\nA1B\nA2L\nB1R\nB2T\nA1T\nA2R\nB1T\nB2R\nA1R\nA1L",
    ],
    ids=["small", "aliases", "joined", "capitals", "pairs_of_turns", "bare"],
)
def test_other_ways_to_write_the_same(text):
    assert read(text).moves == MOVES


def test_all_that_tags_and_comments_say():
    record = read(
        '[Size "1x2"]\n[Border "left_bottom"]\n[Scoring "misere"]\n[Player1 "An\\"na"]\n[Player2 "B\\\\"]\n'
        '[Result "2"]\n[Reason "time"]\n[Date "2026"]\n[EV "Cup"]\n\n{first} 1. A1T {one\\ntwo} {\\}} *\n'
    )
    rules = BoxesRules(rows=1, columns=2, border="left_bottom", scoring="misere")
    assert record == Record(
        rules=rules,
        moves=(0,),
        movers=(0,),
        players=('An"na', "B\\"),
        result=2,
        reason=Ending.TIME,
        headers={"date": "2026", "EV": "Cup"},
        comments={0: "first", 1: "one\ntwo\n}"},
    )
    assert read(write_text(record)) == record
    assert replay(record).agrees is True


def test_records_end_at_empty_lines_and_where_tags_begin():
    text = '[Size "1x1"]\n\n\nA1T A1B\nA1L A1R\n[Size "1x1"]\n[Date "x"]\nA1B *\n\n\nA1T A1B A1L A1R\n\n'
    found = list(read_records(io.StringIO(text)))
    assert [(record.line, len(record.moves)) for record in found] == [(1, 4), (6, 1), (11, 4)]


def test_rules_of_our_own_are_refused_where_a_format_has_no_word_for_them():
    record = completed(Record(rules=BoxesRules(rows=5, columns=5, scoring="misere"), moves=(0,), movers=(0,)))
    for form in ("open_spiel", "hrc", "lines", "ccgc"):
        with pytest.raises(RecordError, match=r"usual rules"):
            write_record(record, form)
    for form in ("text", "dots", "jsonl"):
        assert read(write_record(record, form)).rules == record.rules
    assert "must be left out where lines are hrc" in refused('[Size "2x2"]\n[Scoring "misere"]\nh 0 0')


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[Size "2x2"]\n1. A2T A2T', "line 1, move 2 (A2T): this line is drawn already"),
        (
            '[Size "2x2"]\n\n1. A2T\n2. C1T',
            "line 4, move 2: a line must be on the board of 2x2 boxes, got C1T",
        ),
        ('[Size "2x2"]\nA0T', "line 2, move 1: a box must be in a row from 1 on, got A0T"),
        ('[Size "2x2"]\nZ9R', "line 2, move 1: a line must be on the board of 2x2 boxes, got Z9R"),
        ('[Size "2x2"]\nA1X', "line 2, move 1: there must be a line such as A1R, got 'A1X'"),
        ('[Size "2x2"]\nP1(h,-1,0)', "move 1: there must be a line such as A1R, got 'P1(h,-1,0)'"),
        ('[Size "2x2"]\na1-c1', "line 2, move 1: a line must join two dots side by side, got a1-c1"),
        ('[Size "2x2"]\nA1T b1-b2', "line 2, move 2: all lines must be spelled alike, got 'b1-b2'"),
        ('[Size "2x2"]\n1. A1T 3. A1B', "line 1, move 2 (A1B): turn 3 must not begin here"),
        ('[Size "2x2"]\nA1T 0-0 A1B', "line 2, move 2: nothing must follow the score, got 'A1B'"),
        ('[Size "2x2"]\nP1(h,0,0) P1(h,0,1)', None),
        ('[Size "2x2"]\n000000000000 110000000000', "line 2, line string 2: must show one line more"),
        ('[Size "2x2"]\n0000', "line string 1: must have 12 places on 2x2 boxes, got 4"),
        ('[Size "0x2"]\n*', "line 1: BoxesRules.rows must be a whole number of at least 1, got 0"),
        ('[Size "2"]\n*', "line 1: Size must be ROWSxCOLUMNS in boxes, got '2'"),
        ('[Size "2x2"]\n[Size "2x2"]\n*', "line 2: the tag Size must stand once"),
        ('[Size "2x2"]\n[Game "kropki"]\n*', "line 1: Game must be boxes, got 'kropki'"),
        ('[Size "2x2"]\n[Result "3"]\n*', "line 1: Result must be 0, 1 or 2, got '3'"),
        ('[Size "2x2"]\n[Reason "rain"]\n*', "line 1: Reason must be one of full_board"),
        ('[Size "2x2"]\n[Reason\n*', "line 2: a tag must be such as"),
        ('[Size "2x2"]\n', "line 1: a record must have lines, or * at its end"),
        ("A1T A1B", 'line 1: the size must be given, as in [Size "5x5"], got 2 lines of no whole game'),
    ],
)
def test_a_damaged_record_names_line_move_and_reason(text, reason):
    if reason is None:  # players are told, so that only the replay sees the mistake
        with pytest.raises(RecordError, match=r"move 2 \(B2T\): must be made by player 2, got player 1"):
            replay(read(text))
    else:
        assert reason in refused(text)


def test_a_wrong_score_or_result_disagrees():
    assert replay(read(CLASSIC.replace("3-1", "2-2"))).contradiction == (
        "the moves lead to 3-1, the record says 2-2"
    )
    wrong = read(CLASSIC.replace('[Size "2x2"]', '[Size "2x2"]\n[Result "2"]'))
    assert replay(wrong).agrees is False
