"""Saved games and records of sessions give the same game back."""

import json
from dataclasses import replace

import pytest
from played_sessions import CAPTURE, EXAMPLE, Time, boxes, finish, kropki, play, same

from dotzero.envs.game_records import Ending
from dotzero.envs.records import read_records, replay, write_record
from dotzero.play.seats import Language
from dotzero.play.session_files import from_json, from_record, to_json, to_record
from dotzero.play.timers import TimeControl


def again(session, now=None):
    data = json.loads(json.dumps(to_json(session)))
    return from_json(data) if now is None else from_json(data, now)


@pytest.mark.parametrize("number", range(len(EXAMPLE) + 1))
def test_a_game_is_restored_after_every_line(number):
    """R114, R119: turn, owners, level, seed and rules."""
    session = boxes(seats=(None, None), seed=11, names=("Anna", "Boris"))
    play(session, EXAMPLE[:number])
    restored = again(session)
    assert same(restored, session)
    assert restored.paused
    assert to_json(restored) == to_json(session)


def test_a_game_against_a_level_goes_on_as_it_would_have():
    """The luck of a computer is a matter of seed and position."""
    finished = finish(boxes(3, 3, seats=("easy", "easy"), seed=4))
    half = boxes(3, 3, seats=("easy", "easy"), seed=4)
    half.replay([move.action for move in finished.moves[:10]])
    half = again(half)
    half.resume()
    assert finish(half).moves == finished.moves


def test_clocks_and_a_solo_phase_are_restored_standing():
    time = Time()
    clock = TimeControl(seconds=60, increment=2)
    session = kropki(7, 7, rules={"stop": "solo"}, now=time, clock=clock, solo_seconds=90)
    time.pass_by(5)
    play(session, ["dd", "aa", "stop"])
    time.pass_by(30)
    restored = again(session, time)
    time.pass_by(1000)
    assert restored.solo_seconds_left == 60
    assert restored.seconds_left == session.seconds_left == (59, 62)
    restored.resume()
    assert restored.seconds_to_deadline == 60
    restored.undo()
    assert restored.solo_seconds_left is None


@pytest.mark.parametrize("end", ["resign", "agree", "time"])
def test_an_end_that_moves_do_not_tell_is_kept(end):
    time = Time()
    session = boxes(now=time, clock=TimeControl(seconds=10))
    play(session, EXAMPLE[:5])
    if end == "resign":
        session.resign()
    elif end == "agree":
        session.offer_end(0)
        session.answer_offer(True)
    else:
        time.pass_by(11)
        session.check_time()
    restored = again(session)
    assert restored.result == session.result
    assert restored.finished


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "saved game must have version 1"),
        ({"more": 1}, "saved game must have the fields"),
        ({"id": "../x"}, "saved game.id"),
        ({"id": 5}, "saved game.id"),
        ({"moves": ["A1T", "A1T"]}, "moves must be legal, got A1T as move 2"),
        ({"moves": ["A1T", "Z9T"]}, "line must be in a column"),
        ({"moves": "A1T"}, "saved game.moves"),
        ({"moves": [5]}, "saved game.moves"),
        ({"clocks": [[1, 2]]}, "saved game.clocks must be there if and only if"),
        ({"solo": [1]}, "saved game.solo must be a list of 3"),
        ({"solo": ["x", None, None]}, "saved game.solo must be seconds or null"),
        ({"num_undone": -1}, "saved game.num_undone"),
        ({"settings": {"game": "chess"}}, "game must be one of"),
        ({"result": {"winner": 0}}, "saved game.result must have"),
        ({"result": {"winner": 0, "reason": "full_board"}}, "saved game.result must have"),
        ({"result": {"winner": 2, "reason": "resign"}}, "saved game.result.winner"),
    ],
)
def test_a_damaged_save_is_refused_in_one_line(change, message):
    session = boxes()
    play(session, ["A1T", "A1B"])
    data = to_json(session) | change
    with pytest.raises(ValueError, match=f"^{message}") as error:
        from_json(data)
    assert "\n" not in str(error.value)


def test_clocks_of_a_save_are_checked():
    session = boxes(clock=TimeControl(seconds=10))
    data = to_json(session)
    for clocks in (None, [], [[1]], [[1, -2]], [[1, 2], [1, 2]]):
        with pytest.raises(ValueError, match=r"^saved game.clocks"):
            from_json(data | {"clocks": clocks})


@pytest.mark.parametrize("form", ["jsonl", "text"])
def test_a_finished_game_becomes_a_record_and_comes_back(tmp_path, form):
    session = boxes(names=("Anna", "Boris"))
    play(session, EXAMPLE)
    record = to_record(session)
    assert replay(record).agrees
    (tmp_path / "game").write_text(write_record(record, form), encoding="utf-8")
    (read,) = read_records(tmp_path / "game")
    back = from_record(read)
    assert back.result == session.result
    assert [move.name for move in back.moves] == [move.name for move in session.moves]
    assert back.settings.seats[0].name == "Anna"


@pytest.mark.parametrize("form", ["jsonl", "sgf"])
@pytest.mark.parametrize("start", ["cross", "random_crosses"])
def test_a_kropki_game_becomes_a_record_and_comes_back(tmp_path, form, start):
    rules = {"num_crosses": 2} if start == "random_crosses" else {}
    session = finish(kropki(8, 8, start=start, rules=rules, seed=3))
    (tmp_path / "game").write_text(write_record(to_record(session), form), encoding="utf-8")
    (read,) = read_records(tmp_path / "game")
    assert replay(read).agrees
    assert from_record(read).result == session.result


def test_a_resigned_and_an_unfinished_game_are_told_as_such():
    session = boxes(seats=(None, "easy"), clock=TimeControl(seconds=60))
    session.replay([0, 1])
    assert to_record(session).reason is Ending.UNFINISHED
    assert set(to_record(session).clocks) == {1, 2}
    session.resume()
    session.resign(0)
    record = to_record(session, Language.RU)
    assert (record.result, record.reason) == (2, Ending.RESIGN)
    assert record.players == ("Вы", "Лёгкий")
    assert from_record(record).result == session.result


def test_a_record_out_of_turn_is_not_played_on():
    session = kropki()
    play(session, CAPTURE)
    record = to_record(session)
    other = type(record)(rules=record.rules, moves=record.moves[:2], movers=(0, 0), start=record.start)
    with pytest.raises(ValueError, match=r"^record must have its moves in turn"):
        from_record(other)


def test_a_record_may_begin_with_player_2_and_with_dots_of_its_own():
    """As servers write them: four crosses that mirror nothing, the other side first."""
    session = kropki()
    play(session, CAPTURE)
    record = to_record(session)
    second = type(record)(rules=record.rules, moves=record.moves[:2], movers=(1, 0), start=((0, 9), (24,)))
    opened = from_record(second)
    assert [move.seat for move in opened.moves] == [1, 0]
    assert opened.settings.rules_key.endswith("own start")
    restored = again(opened)
    assert same(restored, opened)
    assert to_record(restored).start == ((0, 9), (24,))
    assert restored.state_at(0).start_dots[0].sum() == 1 + 1 + 2


def test_names_of_records_may_hold_what_cannot_be_seen():
    """A joiner, a soft hyphen, a tab: the game is opened all the same, its names without them."""
    session = boxes()
    play(session, EXAMPLE[:4])
    names = ("A\u200dn\u00adna\t\u202eB.", "x" * 39 + "\u00ad yz")
    opened = from_record(replace(to_record(session), players=names))
    assert [seat.name for seat in opened.settings.seats] == ["Anna B.", "x" * 39]
    assert opened.num_moves == 4
