"""Our own records: what the arena writes, what may be left out, and what is wrong."""

import io
import json

import numpy as np
import pytest
from record_generators import boxes_record, kropki_record

from dotzero.envs.game_records import Ending, Record, RecordError
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.records import read_records, replay, write_record
from dotzero.envs.registry import make_game
from dotzero.play.arena import Adjudication, ArenaConfig
from dotzero.play.players import make_player
from dotzero.play.tournament import play_round_robin

BOXES = {"game": "boxes", "rules": {"rows": 2, "columns": 2}, "moves": ["A2T", "b1b"], "movers": [1, 2]}
KROPKI = {
    "game": "kropki",
    "rules": {"width": 6, "height": 5, "start": "empty"},
    "start": [["aa"], ["bb"]],
    "komi": 1.5,
    "moves": ["cb", "stop"],
    "movers": [1, 2],
}


def read(data):
    (record,) = read_records(io.StringIO(data if isinstance(data, str) else json.dumps(data)))
    return record


@pytest.mark.parametrize(
    ("game", "rules"),
    [
        ("boxes", {"rows": 3, "columns": 2}),
        ("boxes", {"rows": 2, "columns": 2, "border": "left_bottom"}),
        ("kropki", {"width": 7, "height": 6, "komi": 0.5}),
        ("kropki", {"width": 9, "height": 8, "start": "random_crosses", "num_crosses": 2}),
    ],
)
def test_games_of_the_arena_agree_with_their_replay(tmp_path, game, rules):
    """Openings, start dots and komi included."""
    made = make_game(game, rules)
    players = [make_player("random", made), make_player("medium" if game == "boxes" else "greedy", made)]
    play_round_robin(made, players, ArenaConfig(games=10, opening_plies=2), tmp_path)
    records = list(read_records(tmp_path / "games.jsonl"))
    written = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert len(records) == len(written) == 10
    for record, data in zip(records, written, strict=True):
        verdict = replay(record)
        assert verdict.agrees is True
        assert verdict.result == data["result"]
        assert record.headers["opening"] == str(data["opening"])
        assert read(write_record(record, "jsonl")) == record


@pytest.mark.parametrize("adjudication", [Adjudication.DECIDED, Adjudication.EXACT])
def test_games_that_the_arena_broke_off_say_how(tmp_path, adjudication):
    made = make_game("boxes", {"rows": 4, "columns": 4})
    players = [make_player(name, made) for name in ("random", "medium")]
    play_round_robin(made, players, ArenaConfig(games=6, adjudication=adjudication), tmp_path)
    records = list(read_records(tmp_path / "games.jsonl"))
    broken = [record for record in records if record.headers.get("ending") == "adjudicated"]
    assert len(broken) > 2
    for record in broken:
        assert record.reason is Ending.AGREEMENT
        assert record.result is not None
        if adjudication is Adjudication.DECIDED:
            assert replay(record).agrees is True


def test_all_fields_survive():
    """Equal in every field, not only written alike."""
    rng = np.random.default_rng(4)
    for number in range(200):
        record = (boxes_record if number % 2 else kropki_record)(rng)
        text = write_record(record, "jsonl")
        assert text.count("\n") == 1
        assert read(text) == record


def test_what_may_be_left_out():
    assert read(BOXES) == read({**BOXES, "rules": BOXES["rules"] | {"border": "none"}})
    del (short := dict(BOXES))["movers"]
    assert read(short).movers == (0, 1)
    bare = read({"game": "kropki", "moves": []})
    assert bare == Record(rules=KropkiRules(), moves=(), movers=())
    assert len(bare.start[0]) == 2


def test_start_and_komi_are_those_of_the_game():
    record = read(KROPKI)
    assert record.rules.komi == 1.5
    assert record.start == ((0,), (7,))
    verdict = replay(record)
    assert (verdict.score, verdict.lead, verdict.reason) == ((1, 0), -0.5, Ending.STOP)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"game": "chess"}, "line 1: game must be one of boxes, kropki, got chess"),
        ({"game": 7}, "game must be a name, got 7"),
        ({"rules": [2, 2]}, "rules must be an object, got [2, 2]"),
        ({"rules": {"rows": "2"}}, "BoxesRules.rows must be a whole number of at least 1, got '2'"),
        ({"rules": {"size": 2}}, "BoxesRules must have the fields rows, columns, border, scoring, got size"),
        ({"rules": {"rows": 10**400}}, "BoxesRules"),
        ({"moves": "A1T"}, "moves must be a list of names, got 'A1T'"),
        ({"moves": [0, 1]}, "moves must be a list of names, got 0"),
        ({"moves": ["A2T", "Z9R"]}, "moves 2: line must be in a column from A to B, got 'Z9R'"),
        ({"moves": ["A2T", "A0T"]}, "moves 2: line must be in a row from 1 to 2, got 'A0T'"),
        ({"moves": ["A2T", "-1"]}, "moves 2: line must be a column, a row and T, B, L or R"),
        ({"movers": [1]}, "Record.movers must be as many as moves, got 1"),
        ({"movers": [1, 3]}, "Record.movers must be 0 or 1"),
        ({"movers": [1, True]}, "movers must be a list of 1 and 2, got True"),
        ({"movers": [1, 1.0]}, "movers must be a list of 1 and 2, got 1.0"),
        ({"score": [1]}, "score must be two whole numbers, got [1]"),
        ({"score": [1, "2"]}, "score must be two whole numbers, got '2'"),
        ({"result": 3}, "Record.result must be 0, 1 or 2, got 3"),
        ({"result": 1.0}, "result must be 0, 1 or 2, got 1.0"),
        ({"reason": "rain"}, "reason must be one of full_board, stop"),
        ({"reason": "resign"}, "Record.result must be known where a game ended by resign, got None"),
        ({"players": ["A"]}, "players must be two names, got ['A']"),
        ({"players": ["A", "\ud800"]}, "Record.texts must be Unicode without lone surrogates"),
        ({"comments": {"3": "x"}}, "Record.comments and clocks must stand at a move, got 3"),
        ({"comments": {"-1": "x"}}, "comments and clocks must be keyed by a number of moves, got '-1'"),
        ({"comments": {"01": "x"}}, "comments and clocks must be keyed by a number of moves, got '01'"),
        ({"clocks": {"1": "x"}}, "clocks must be an object of the right values, got 'x'"),
        ({"clocks": {"1": 1e300}}, "clocks must be a number, got 1e+300"),
        ({"margin": 10**400}, "margin must be a number, got 1000"),
        ({"komi": 1}, "komi must be left out in boxes"),
        ({"start": [["aa"], []]}, "start 1: line must be a column"),
        ({"start": [["A1T"], []]}, "Record.start must be left out in boxes"),
        ({"colour": "red"}, "line 1: a record must have no field 'colour'"),
    ],
)
def test_what_is_wrong_is_named(change, reason):
    with pytest.raises(RecordError) as caught:
        read(BOXES | change)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"start": [["aa"], ["aa"]]}, "Record.start must be different points of the board"),
        ({"start": [["aa"], ["stop"]]}, "Record.start must be different points of the board"),
        ({"start": [["aa"]]}, "start must be two lists of points"),
        ({"rules": {"width": 6, "height": 6}}, "must be the dots of KropkiRules.start=cross"),
        ({"komi": 0.3}, "KropkiRules.komi must be a multiple of 0.5, got 0.3"),
        ({"komi": "1"}, "KropkiRules.komi must be a multiple of 0.5, got '1'"),
        ({"moves": ["cb", "ZZ"]}, "moves 2: move must be in a column from a to f, got 'ZZ'"),
        ({"shown": ["stop"]}, "Record.shown must be points of the board"),
        ({"moves": ["cb", "bb"]}, "move 2 (bb): this point is occupied"),
    ],
)
def test_what_is_wrong_in_kropki_is_named(change, reason):
    with pytest.raises(RecordError) as caught:
        replay(read(KROPKI | change))
    assert reason in str(caught.value)


def test_a_record_must_have_its_fields():
    for name in ("game", "moves"):
        short = {key: value for key, value in BOXES.items() if key != name}
        with pytest.raises(RecordError, match=f"a record must have the field {name}"):
            read(short)
