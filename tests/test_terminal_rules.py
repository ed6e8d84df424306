"""Rules in the words of both languages."""

import re

import pytest
from page_words import read_words

from dotzero.envs.boxes import BoxesRules
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.play.game_settings import GameSettings
from dotzero.play.seats import Language
from dotzero.play.terminal_rules import rules_words

EN, RU = Language

UNUSUAL = [
    *({"start": start} for start in ("empty", "single", "double_cross", "four_crosses", "random_crosses")),
    {"start": "random_crosses", "num_crosses": 2},
    {"start": "empty", "opening_zone": (5, 3)},
    {"house_closes": "owner_turn"},
    *({name: True} for name in ("add_turn", "holes", "punish", "last_safe", "capture_empty")),
    {"stop": "off"},
    {"stop": "solo", "solo_moves": 7},
    {"score": "territory"},
    {"instant_win": 21},
    {"komi": -0.5},
]
BOXES = [{"border": "left_bottom"}, {"border": "all"}, {"scoring": "misere"}]


def key_of(rules):
    return GameSettings(rules=rules).rules_key


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("options", UNUSUAL, ids=str)
def test_every_option_of_kropki_has_words(options, language):
    """R160: no name of a field or of a value is left, in Russian no Latin letter but STOP's own."""
    words = rules_words(key_of(KropkiRules(width=12, height=10, **options)), language)
    assert words
    assert not re.search(r"[=_\[\]]|True", words)
    if language is RU:
        assert not re.search(r"[A-Za-z]{2,}", words)


def test_no_option_is_forgotten():
    """Every field that changes the rules is among those tried above."""
    tried = {name for options in UNUSUAL for name in options}
    names = set(KropkiRules.__dataclass_fields__) - {"width", "height", "start_seed"}
    assert tried == names


def test_words_and_numbers():
    rules = KropkiRules(width=9, height=9, start="empty", opening_zone=(5, 3), komi=0.5, stop="off")
    assert rules_words(key_of(rules), EN) == (
        "komi 0.5, first moves in the middle 5×3, empty board at the start, no STOP"
    )
    assert rules_words(key_of(rules), RU) == (
        "коми 0,5, первые ходы — в центре 5×3, пустое поле в начале, без СТОП"
    )
    rules = KropkiRules(width=9, height=9, instant_win=22)
    assert rules_words(key_of(rules), RU) == "перевес в 22 очка завершает игру"
    boxes = BoxesRules(rows=2, columns=2, border="all", scoring="misere")
    assert rules_words(key_of(boxes), EN) == "the whole edge drawn, misere: fewer boxes win"
    assert rules_words(key_of(BoxesRules(rows=2, columns=2, border="left_bottom")), RU) == (
        "левый и нижний край проведены"
    )
    assert rules_words("start=empty own start", RU) == "пустое поле в начале, своя начальная позиция"


def test_the_page_says_the_same():
    """Of every rule that is on or off, or has a name for a value, but `cross`, which the page counts."""
    page = {name.removeprefix("rule_"): words for name, words in read_words().items()}
    lines = {f"{name}={value}" for options in UNUSUAL + BOXES for name, value in options.items()}
    both = [line for line in lines if line.replace("=", "_").removesuffix("_True") in page]
    assert len(both) == 17
    for line in both:
        words = tuple(rules_words(line, language) for language in Language)
        assert words == page[line.replace("=", "_").removesuffix("_True")]


def test_what_has_no_words_is_shown_as_it_is():
    """A file may come from a newer version, or have been written by hand."""
    assert rules_words("links=2 stop=off", EN) == "links=2, no STOP"
    assert rules_words("???", EN) == "???"
