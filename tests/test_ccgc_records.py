"""JSON of the Chinese computer games championship: a game as published, file names, mistakes."""

import io
import json

import numpy as np
import pytest
from record_generators import boxes_record

from dotzero.envs.boxes import BoxesRules
from dotzero.envs.game_records import Record, RecordError
from dotzero.envs.records import ccgc_file_name, read_records, replay, write_record

GAME = {
    "R": "Alpha",
    "B": "Beta",
    "winner": "R",
    "RScore": 1,
    "BScore": 0,
    "Date": "2022-08-06",
    "Event": "2022 CCGC",
    "game": [
        {"piece": "r(a6,h)"},
        {"piece": "b(a5,v)", "annotation": "third side?"},
        {"piece": "r(a5,h)"},
        {"piece": "b(c1,v)"},
        {"piece": "r(b5,v)"},
        {"piece": "r(d4,h)"},
    ],
}


def read(data):
    (record,) = read_records(io.StringIO(data if isinstance(data, str) else json.dumps(data)))
    return record


def test_a_record_of_the_championship():
    record = read(GAME)
    assert record.rules == BoxesRules(rows=5, columns=5)
    assert record.moves == (0, 30, 5, 56, 31, 13)
    assert record.movers == (0, 1, 0, 1, 0, 0)
    assert record.players == ("Alpha", "Beta")
    assert record.headers == {"date": "2022-08-06", "event": "2022 CCGC"}
    assert record.comments == {2: "third side?"}
    assert (record.score, record.result) == ((1, 0), 1)
    assert replay(record).agrees is True
    assert json.loads(write_record(record, "ccgc")) == GAME


def test_it_may_stand_over_several_lines_or_in_an_array():
    for text in (json.dumps(GAME, indent=2), json.dumps([GAME, GAME], indent=1), json.dumps([GAME])):
        assert {record.moves for record in read_records(io.StringIO(text))} == {read(GAME).moves}


def test_file_names_tell_players_and_winner(tmp_path):
    record = read(GAME)
    assert ccgc_file_name(record) == "DB：Alpha vs Beta：先手胜.txt"
    lost = read(GAME | {"winner": "B", "R": "a/b:c", "B": ""})
    assert ccgc_file_name(lost) == "DB：a_b_c vs ：后手胜.txt"
    with pytest.raises(RecordError, match="must tell the winner, got no result"):
        ccgc_file_name(Record(rules=record.rules, moves=(), movers=()))
    path = tmp_path / ccgc_file_name(lost)
    path.write_text(json.dumps(GAME), encoding="utf-8")
    (found,) = read_records(path)
    assert found.notes == ("the file's name says 后手胜, the record that player 1 won",)
    path = tmp_path / ccgc_file_name(record)
    path.write_text(json.dumps(GAME), encoding="utf-8")
    assert next(read_records(path)).notes == ()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"winner": "X"}, "winner must be R or B, got 'X'"),
        ({"RScore": 26}, "RScore must be from 0 to 25, got 26"),
        ({"RScore": True}, "RScore must be from 0 to 25, got True"),
        ({"R": 1}, "R must be a text, got 1"),
        ({"Extra": 1}, "a CCGC record must have no field 'Extra'"),
        ({"game": [{"piece": "r(f6,h)"}]}, "line 1, piece 1: a line must lie on the board, got 'r(f6,h)'"),
        ({"game": [{"piece": "r(a6,v)"}]}, "a line must lie on the board, got 'r(a6,v)'"),
        ({"game": [{"piece": "r(a7,h)"}]}, "a piece must be such as r(a6,h)"),
        ({"game": [{"piece": "x(a6,h)"}]}, "a piece must be such as r(a6,h)"),
        ({"game": [{"piece": "r(a6,h)", "time": 1}]}, "a piece must be such as r(a6,h)"),
        ({"game": ["r(a6,h)"]}, "a piece must be such as r(a6,h)"),
        ({"game": [7]}, "a piece must be such as r(a6,h)"),
    ],
)
def test_what_is_wrong_is_named(change, reason):
    with pytest.raises(RecordError) as caught:
        read(GAME | change)
    assert reason in str(caught.value)


def test_the_wrong_player_is_noticed_by_the_replay():
    wrong = GAME | {"game": [{"piece": "b(a6,h)"}]}
    with pytest.raises(RecordError, match=r"move 1 \(A5T\): must be made by player 1, got player 2"):
        replay(read(wrong))


def test_other_boards_are_refused():
    record = boxes_record(np.random.default_rng(1), usual=True, size=(4, 5))
    with pytest.raises(RecordError, match="must be of 5x5 boxes under the usual rules"):
        write_record(record, "ccgc")
