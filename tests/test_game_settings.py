"""Settings of a game as plain JSON, and what statistics are kept under."""

import json

import pytest

from dotzero.envs.boxes import BoxesRules
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.play.game_settings import GameSettings
from dotzero.play.seats import Seat
from dotzero.play.sessions import GameSession
from dotzero.play.timers import TimeControl


@pytest.mark.parametrize(
    "settings",
    [
        GameSettings(rules=BoxesRules(rows=3, columns=4, border="all"), seats=(Seat(), Seat(player="easy"))),
        GameSettings(
            rules=KropkiRules(width=20, height=15, start="empty", opening_zone=(8, 6), komi=0.5, stop="solo"),
            seats=(Seat(name="Anna", mark="*"), Seat(name="Boris")),
            seed=7,
            clock=TimeControl(seconds=600, increment=5),
            solo_seconds=60.0,
        ),
    ],
)
def test_settings_are_read_and_written(settings):
    assert GameSettings.from_json(json.loads(json.dumps(settings.to_json()))) == settings


def test_only_the_game_must_be_said():
    settings = GameSettings.from_json({"game": "kropki"})
    assert settings.rules == KropkiRules()
    assert settings.solo_seconds == 180  # R036
    assert settings.person is None
    assert settings.opponent is None


def test_who_plays_against_whom():
    seats = (Seat(player="hard"), Seat())
    settings = GameSettings(rules=BoxesRules(), seats=seats)
    assert (settings.person, settings.opponent) == (1, "hard")
    both = GameSettings(rules=BoxesRules(), seats=(Seat(player="easy"), Seat(player="hard")))
    assert (both.person, both.opponent) == (None, None)


@pytest.mark.parametrize(
    ("rules", "board", "key"),
    [
        (BoxesRules(rows=3, columns=4), "3x4", "usual"),
        (BoxesRules(border="all", scoring="misere"), "5x5", "border=all scoring=misere"),
        (KropkiRules(), "39x32", "usual"),
        (KropkiRules(width=20, height=15, start="empty"), "20x15", "start=empty"),
        (
            KropkiRules(width=20, height=15, start="random_crosses", start_seed=5),
            "20x15",
            "start=random_crosses",
        ),
    ],
)
def test_board_and_rules_name_a_table_of_statistics(rules, board, key):
    """R153: the size and the seed of a start are no rules of their own."""
    settings = GameSettings(rules=rules)
    assert (settings.board, settings.rules_key) == (board, key)


def test_random_crosses_follow_from_the_seed_and_stand_in_the_rules():
    """R010: the same seed gives the same start, another one another."""
    rules = KropkiRules(width=20, height=20, start="random_crosses")
    starts = {}
    for seed in (3, 3, 4):
        session = GameSession(GameSettings(rules=rules, seed=seed))
        starts.setdefault(seed, []).append(session.state.start_dots.tobytes())
        assert session.settings.rules.start_seed == seed + 1
    assert starts[3][0] == starts[3][1] != starts[4][0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "settings must have the fields game, rules, seats"),
        ([], "settings must have the fields"),
        ({"game": "chess"}, "game must be one of boxes, kropki, got chess"),
        ({"game": 5}, "game must be a name"),
        ({"game": "boxes", "level": "easy"}, "settings must have the fields"),
        ({"game": "boxes", "rules": [3]}, "rules must be an object"),
        ({"game": "boxes", "rules": {"rows": 0}}, "BoxesRules.rows"),
        ({"game": "boxes", "rules": {"size": 3}}, "BoxesRules must have the fields"),
        ({"game": "boxes", "seats": [{}]}, "seats must be a list of two"),
        ({"game": "boxes", "seats": [{}, 5]}, "seat must have the fields"),
        ({"game": "boxes", "seed": -1}, "seed must be a whole number"),
        ({"game": "boxes", "seed": 2**53}, "seed must be a whole number"),
        ({"game": "boxes", "seed": True}, "seed must be a whole number"),
        ({"game": "boxes", "clock": 5}, "clock must have the fields"),
        ({"game": "kropki", "first": 2}, "first must be 0 or 1"),
        ({"game": "kropki", "start": [["aa"]]}, "start must be two lists of points"),
        ({"game": "kropki", "start": [["aa"], [5]]}, "start must be two lists of points"),
        ({"game": "kropki", "start": [["aa"], ["?"]]}, "move must be"),
        ({"game": "boxes", "first": 1}, "start and first must be left out in boxes"),
        ({"game": "kropki", "solo_seconds": 0}, "solo_seconds must be seconds in 1"),
        ({"game": "kropki", "solo_seconds": None}, "solo_seconds must be seconds in 1"),
    ],
)
def test_wrong_settings_are_refused_in_one_line(data, message):
    with pytest.raises(ValueError, match=f"^{message}") as error:
        GameSettings.from_json(data)
    assert "\n" not in str(error.value)
