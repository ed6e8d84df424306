"""Texts of the page for whatever the rules and the server can tell it, in both languages (R160)."""

from dataclasses import fields
from enum import Enum

import pytest
from page_words import gaps, read_words
from played_sessions import boxes, kropki

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.game_records import Ending
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import PRESETS, KropkiRules
from dotzero.play.game_settings import rules_of_key
from dotzero.play.seats import Language
from dotzero.play.web.views import describe

WORDS = read_words()
SIZES = ("rows", "columns", "width", "height", "start_seed")


@pytest.mark.parametrize("ending", Ending)
def test_every_end_has_its_words(ending):
    """R142: why a game was over is told in words, also of records."""
    assert f"how_{ending.value}" in WORDS


def test_every_phase_that_the_status_names_has_its_words():
    """R155, R138: what no text is for is told by other means (`play`, `solo`, `finished`)."""
    told = {*BoxesGame.phases, *KropkiGame.phases} - {"play", "solo", "finished"}
    assert told == {"safe", "loony", "opening"}
    assert told <= set(WORDS)
    assert all(f"{name}_note" in WORDS for name in PRESETS)


@pytest.mark.parametrize("rules", [BoxesRules(), KropkiRules()])
def test_every_rule_that_can_differ_has_its_words(rules):
    """As rules.js looks for them: by name and value, else by name with the value in it."""
    for field in fields(rules):
        usual = getattr(rules, field.name)
        if field.name in SIZES:
            continue
        if isinstance(usual, Enum):
            values = [value for value in type(usual) if value is not usual]
            assert all(f"rule_{field.name}_{value}" in WORDS for value in values), field.name
        elif isinstance(usual, bool):
            assert not any(map(gaps, WORDS[f"rule_{field.name}"])), field.name
        else:
            assert all("value" in gaps(text) for text in WORDS[f"rule_{field.name}"]), field.name
    assert "rule_own_start" in WORDS


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("usual", {}),
        ("border=all scoring=misere", {"border": "all", "scoring": "misere"}),
        ("add_turn=True opening_zone=[15, 8]", {"add_turn": "True", "opening_zone": "[15, 8]"}),
        ("komi=-0.5 own start", {"komi": "-0.5", "own_start": "True"}),
    ],
)
def test_rules_are_told_one_by_one(key, told):
    assert rules_of_key(key) == told


def test_a_game_tells_what_differs_from_the_usual_rules():
    """R045, R009: komi and the start are told, sizes stand elsewhere."""
    assert describe(boxes(3, 3), Language.RU)["unusual"] == {}
    session = kropki(9, 9, rules={"komi": 0.5, "stop": "off"})
    assert describe(session, Language.RU)["unusual"] == {"komi": "0.5", "start": "empty", "stop": "off"}
