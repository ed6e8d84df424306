"""Of a game that is over, by whatever end, an analysis tells the result and nothing that could be played."""

import json

import pytest
from played_sessions import boxes, kropki, play

from dotzero.__main__ import main
from dotzero.envs.game_records import Ending
from dotzero.envs.records import write_records
from dotzero.envs.replayed_records import replay
from dotzero.play.agreements import Terms
from dotzero.play.engine_analysis import Analyst
from dotzero.play.engine_positions import board_of
from dotzero.play.finished_analysis import recorded_result, result_of, result_words
from dotzero.play.kropki_analysis import kropki_facts
from dotzero.play.session_files import to_record

LOOSE = ["cc", "cd", "bb", "dd"]
"""Dots on 5x5 that reach no edge: STOP would cost either side two."""
OPEN = {
    "captures",
    "threats",
    "ungrounded",
    "stop_margins",
    "decided",
    "safe",
    "chains",
    "openings",
    "favours",
}
"""Fields about what could still be played."""


def resigned(make, moves):
    """Who is to move gives up."""
    session = make()
    play(session, moves)
    session.resign()
    return session


def agreed(make, moves):
    session = make()
    play(session, moves)
    session.offer_end(session.mover, Terms.SCORE)
    session.answer_offer(True)
    return session


GAMES = [(kropki, LOOSE), (boxes, ["A1T", "A1L", "A1B"])]


@pytest.mark.parametrize(("make", "moves"), GAMES)
@pytest.mark.parametrize(("end", "reason"), [(resigned, "resign"), (agreed, "agreement")])
def test_the_engine_analysis_of_a_game_that_was_ended(make, moves, end, reason):
    """R035, R038, R142: `win` is seen by who would be to move, the one who resigned."""
    session = end(make, moves)
    analyst = Analyst()
    data = analyst.analyse(board_of(session.game), session.state, None, None, 0, session.result)
    result, win = (2 - session.mover, 0.0) if reason == "resign" else (0, 0.5)
    assert (data["result"], data["reason"], data["win"]) == (result, reason, win)
    assert (data["exact"], data["phase"], data["value"]) == (True, "finished", 0)
    assert (data["best"], data["moves"], data["pv"]) == ([], {}, [])
    assert not OPEN & set(data)
    going_on = analyst.analyse(board_of(session.game), session.state, None, None, 0)
    assert OPEN & set(going_on)  # the position alone does not tell that it is over
    assert "result" not in going_on
    analyst.close()


def test_the_facts_of_kropki():
    """The position of LOOSE: without the resignation a STOP is weighed, with it nothing is."""
    session = resigned(kropki, LOOSE)
    assert kropki_facts(session.game, session.state).stop_margins == (-2.0, -2.0)
    facts = kropki_facts(session.game, session.state, session.result)
    assert facts.finished
    assert (facts.phase, facts.win, facts.mover) == ("finished", 0.0, 0)


@pytest.mark.parametrize(("make", "moves"), GAMES)
def test_the_command_at_the_end_of_a_resigned_game(tmp_path, capsys, make, moves):
    """At its last position and nowhere else; the position before is analysed as ever."""
    path = tmp_path / "game.jsonl"
    session = resigned(make, moves)
    write_records(path, [to_record(session)], "jsonl")

    def shown(after, *words):
        assert main(["analyze", str(path), "--after", str(after), *words]) == 0
        return capsys.readouterr().out

    text = shown(len(moves))
    won = f"player {2 - session.mover} has won (resign)"
    assert "the game is over." in text
    assert won in text
    for word in ("to move", "if it stopped", "can capture", "legal", "best", "value", "search", "[+"):
        assert word not in text
    data = json.loads(shown(len(moves), "--json"))
    assert (data["result"], data["reason"], data["win"]) == (2 - session.mover, "resign", 0.0)
    assert not OPEN & set(data)
    assert "to move" in shown(len(moves) - 1)
    assert "result" not in json.loads(shown(len(moves) - 1, "--json"))


def test_an_unfinished_record_is_a_position_as_any(tmp_path, capsys):
    session = kropki()
    play(session, LOOSE)
    assert recorded_result(replay(to_record(session))) is None
    path = tmp_path / "game.jsonl"
    write_records(path, [to_record(session)], "jsonl")
    assert main(["analyze", str(path), "--after", "4"]) == 0
    assert "if it stopped player 1 would end -2, player 2 would end -2" in capsys.readouterr().out


def test_ends_by_the_rules():
    session = kropki()
    play(session, [*LOOSE, "stop"])
    result = result_of(session.game, session.state)
    assert result == session.result == recorded_result(replay(to_record(session)))
    assert result_words(result) == "player 2 has won (stop)"
    full = boxes(1, 1)
    play(full, ["A1T", "A1L", "A1B", "A1R"])
    assert result_of(full.game, full.state).reason is Ending.FULL_BOARD
    assert result_words(full.result) == "player 2 has won (full board)"
    assert result_of(full.game, full.state_at(3)) is None
