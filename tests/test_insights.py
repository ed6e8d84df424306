"""Analysis, hints and the course of a game, as the page shows them."""

import json

import pytest
from played_sessions import CAPTURE, EXAMPLE, boxes, finish, kropki, play

from dotzero.envs.registry import make_game
from dotzero.play import released
from dotzero.play.levels import strongest_level
from dotzero.play.web import insights as module
from dotzero.play.web.insights import Insights
from dotzero.play.web.workers import Workers


@pytest.fixture(scope="module")
def insights():
    workers = Workers(1)
    made = Insights(workers)
    yield made
    workers.close()
    made.close()


@pytest.fixture
def unreleased(monkeypatch):
    """As where no network comes along."""
    monkeypatch.setattr(released, "RELEASED", ())
    workers = Workers(1)
    made = Insights(workers)
    yield made
    workers.close()
    made.close()


def test_a_small_board_is_exact(insights):
    """R074, R083: the classic game after its sacrifice is worth two boxes, and says so."""
    session = boxes()
    play(session, EXAMPLE[:6])
    data = insights.analyse(session.game, session.state)
    assert data["exact"]
    assert data["value"] == 2
    assert session.notation.name(session.notation.parse("A1T")) in data["best"]
    assert data["network"]
    assert data["phase"] == "safe"
    assert data["safe_lines"] == len(data["safe"])
    json.dumps(data, allow_nan=False)


def test_the_network_tells_where_it_would_play(insights):
    session = boxes(3, 3)
    play(session, ["A1L"])
    heat = insights.analyse(session.game, session.state)["heat"]
    names = {session.notation.name(action) for action in range(24)} - {"A1L"}
    assert set(heat) <= names
    assert 0.5 < sum(heat.values()) <= 1.001


def test_kropki_without_a_network_tells_what_the_rules_tell(unreleased):
    session = kropki()
    play(session, CAPTURE[:-1])
    data = unreleased.analyse(session.game, session.state)
    assert data["captures"] == {"cd": 1}
    assert not data["network"]
    assert "heat" not in data


def test_hints_come_from_the_strongest(insights, monkeypatch):
    games = boxes(3, 3).game, kropki().game
    for game in games:
        assert insights.hint_player(game) == "zero"
    monkeypatch.setattr(released, "RELEASED", ())
    for game in games:
        assert insights.hint_player(game) == strongest_level(game)


def test_nobody_gives_hints_where_nobody_plays(insights):
    game = make_game("boxes", {"rows": 3, "columns": 3, "scoring": "misere"})
    with pytest.raises(ValueError, match=r"^a hint must come from a level, and none plays these rules$"):
        insights.hint_player(game)


def test_the_course_of_a_game_ends_exactly(insights):
    """R089: the empty board of 2x2 is worth two boxes; what the end says is what the game ended with."""
    session = boxes()
    play(session, EXAMPLE)
    states = [session.state_at(number) for number in range(session.num_moves + 1)]
    graph = insights.graph(session.game, states)
    assert graph["exact"] == [True] * 13
    assert graph["margin"][0] == 2
    assert graph["margin"][-1] == session.score[0] - session.score[1]
    assert graph["win"] == [1.0 if margin > 0 else 0.5 if margin == 0 else 0.0 for margin in graph["margin"]]


def test_a_longer_course_is_estimated_first(insights):
    session = finish(boxes(4, 4, seats=("medium", "medium")))
    states = [session.state_at(number) for number in range(session.num_moves + 1)]
    graph = insights.graph(session.game, states)
    first = graph["exact"].index(True)
    assert first == 10  # 40 lines, 30 of them left
    assert all(graph["exact"][first:])
    assert graph["margin"][-1] == session.score[0] - session.score[1]
    assert all(0 <= win <= 1 for win in graph["win"])


def test_a_long_course_asks_the_network_only_here_and_there(insights, monkeypatch):
    """16 of the 41 positions of a game on 4x4 are asked, and the curve is whole."""
    session = finish(boxes(4, 4, seats=("medium", "medium")))
    states = [session.state_at(number) for number in range(session.num_moves + 1)]
    whole = insights.graph(session.game, states)
    monkeypatch.setattr(module, "_MOST_POINTS", 16 * 25)
    thin = insights.graph(session.game, states)
    first = thin["exact"].index(True)
    assert thin["margin"][first:] == whole["margin"][first:]
    assert thin["margin"][0] == whole["margin"][0]
    assert len(thin["win"]) == 41
    assert thin["margin"][:first] != whole["margin"][:first]


def test_the_course_of_kropki_is_the_score_where_nothing_is_expected(unreleased):
    session = kropki()
    play(session, CAPTURE)
    states = [session.state_at(number) for number in range(session.num_moves + 1)]
    graph = unreleased.graph(session.game, states)
    assert graph["margin"] == [0] * 8 + [-1]
    assert graph["win"] is None


def test_a_game_that_is_over_is_not_weighed_any_more(insights):
    """R142: after a resignation that is all there is to tell; the position decides nothing any more."""
    for session in (boxes(), kropki()):
        session.resign(0)
        data = insights.analyse(session.game, session.state, session.result)
        assert (data["phase"], data["result"], data["reason"]) == ("finished", 2, "resign")
        assert not data["network"]
        assert not data["best"]
        assert data.keys().isdisjoint({"heat", "captures", "stop_margins", "openings"})
