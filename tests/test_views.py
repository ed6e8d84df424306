"""What the page is told of a game."""

import json

import pytest
from played_sessions import CAPTURE, EXAMPLE, Time, boxes, finish, kropki, play

from dotzero.play.seats import Language
from dotzero.play.timers import TimeControl
from dotzero.play.web.views import describe, move_view, view


def test_a_finished_game_of_boxes():
    """R109-R112, R115: score, owners, who drew what, last line, result."""
    session = boxes(names=("Anna", "Andrey"))
    moves = play(session, EXAMPLE)
    told = describe(session, Language.EN)
    assert [seat["mark"] for seat in told["seats"]] == ["A1", "A2"]  # R147
    assert [seat["colour"] for seat in told["seats"]] == ["blue", "red"]
    assert (told["rows"], told["columns"], told["person"]) == (2, 2, None)
    assert told["names"][session.notation.parse("A1R")] == "B1L"
    seen = view(session)
    assert seen["lines"] == "1" * 12
    assert sorted(seen["owners"]) == ["0", "0", "0", "1"]
    assert seen["by"][session.notation.parse("A1L")] == str(moves[-1].seat)
    assert seen["result"] == {"winner": 0, "reason": "full_board", "score": [3, 1]}
    assert seen["legal"] == ""
    assert not seen["can_undo"]
    assert [move_view(move)["again"] for move in moves[7:]] == [True, False, True, True, False]


def test_an_earlier_position_tells_nothing_that_can_be_done():
    session = boxes()
    play(session, EXAMPLE[:5])
    early = view(session, 2)
    assert (early["at"], early["num_moves"], early["legal"]) == (2, 5, "")
    assert early["lines"].count("1") == 2
    assert "can_undo" not in early
    assert view(session)["legal"].count("1") == 7


def test_lines_of_the_border_were_drawn_by_nobody():
    from dotzero.envs.boxes import BoxesRules
    from dotzero.play.game_settings import GameSettings
    from dotzero.play.sessions import GameSession

    session = GameSession(GameSettings(rules=BoxesRules(rows=2, columns=2, border="all")))
    seen = view(session)
    assert seen["lines"].count("1") == 8
    assert set(seen["by"]) == {"."}
    assert seen["paused"]
    assert not seen["persons_turn"]


def test_a_capture_in_kropki():
    """R002, R031, R120: the dead dot stays, the border is told point by point, the point is closed."""
    session = kropki()
    play(session, CAPTURE)
    seen, name = view(session), session.notation.parse
    assert seen["score"] == [0, 1]
    assert seen["dots"][name("cc")] == "2"
    assert seen["dots"][name("cb")] == "1"
    assert seen["dots"][name("aa")] == "0"
    assert seen["held"][name("cc")] == "1"
    assert seen["held"].count(".") == 24
    (chain,) = seen["chains"]
    assert {session.notation.name(point) for point in chain["chain"]} == {"cb", "bc", "dc", "cd"}
    assert (chain["seat"], chain["dots"], chain["at"]) == (1, 1, 8)
    assert view(session, 7)["chains"] == []
    assert seen["free"] == 25 - 8  # R143
    assert seen["legal"].count("1") == 17 + 1
    assert seen["can_stop"]
    assert seen["ungrounded"][1] == 5
    assert seen["grounded"][name("aa")] == "1"
    assert seen["grounded"][name("cb")] == "0"


def test_a_swallowed_enclosure_is_not_drawn():
    """R028: who is swallowed holds nothing; its chain stood until then and is drawn no more."""
    session = kropki(7, 7)
    play(session, ["dc", "dd", "cd", "aa", "ed", "ab", "de"])
    rest = iter(["ga", "gb", "gc", "ge", "gf", "gg", "ag", "bg"])
    for name in ("db", "ce", "cc", "ec", "bd", "ee", "fd", "df"):
        if session.mover == 0:
            play(session, [next(rest)])
        play(session, [name])
    last = session.num_moves
    assert [(chain["seat"], chain["at"]) for chain in view(session, last - 1)["chains"]] == [(0, 7)]
    assert [(chain["seat"], chain["at"]) for chain in view(session)["chains"]] == [(1, last)]


def test_the_opening_zone_is_shown():
    session = kropki(9, 9, rules={"opening_zone": (3, 3)})
    assert describe(session, Language.EN)["zone"].count("1") == 9
    assert view(session)["phase"] == "opening"
    assert view(session)["legal"].count("1") == 9 + 1


def test_clocks_and_a_solo_phase_are_told_in_seconds():
    time = Time()
    session = kropki(7, 7, rules={"stop": "solo"}, now=time, clock=TimeControl(seconds=60))
    time.pass_by(1.5)
    assert view(session)["clocks"] == [58.5, 60]
    play(session, ["dd", "aa", "stop"])
    time.pass_by(10)
    seen = view(session)
    assert seen["in_solo"]
    assert seen["solo"] == 170
    session.offer_end(0)
    assert view(session)["offer"] == {"seat": 0, "terms": "score"}


@pytest.mark.parametrize("session", [boxes(seats=("easy", "medium")), kropki(6, 6, start="cross")])
def test_everything_is_plain_at_every_move(session):
    finish(session)
    for number in range(session.num_moves + 1):
        json.dumps(view(session, number), allow_nan=False)
    json.dumps(describe(session, Language.RU), allow_nan=False)
    assert view(session)["finished"]
