"""Numbers with their nouns: two forms in English, three in Russian."""

import pytest

from dotzero.play.plurals import PHRASES, counted, number_text, phrase
from dotzero.play.seats import Language

EN, RU = Language


@pytest.mark.parametrize(
    ("number", "english", "russian"),
    [
        (0, "0 moves", "0 ходов"),
        (1, "1 move", "1 ход"),
        (2, "2 moves", "2 хода"),
        (4, "4 moves", "4 хода"),
        (5, "5 moves", "5 ходов"),
        (11, "11 moves", "11 ходов"),
        (12, "12 moves", "12 ходов"),
        (14, "14 moves", "14 ходов"),
        (20, "20 moves", "20 ходов"),
        (21, "21 moves", "21 ход"),
        (22, "22 moves", "22 хода"),
        (101, "101 moves", "101 ход"),
        (111, "111 moves", "111 ходов"),
        (112, "112 moves", "112 ходов"),
        (122, "122 moves", "122 хода"),
    ],
)
def test_the_form_goes_with_the_number(number, english, russian):
    """R160: 21 ход, but 11 ходов."""
    assert phrase("moves", number, EN) == english
    assert phrase("moves", number, RU) == russian


def test_a_half_is_a_part_of_one():
    assert phrase("points ahead", 1.5, EN) == "1.5 points"
    assert phrase("points ahead", 1.5, RU) == "1,5 очка"
    assert phrase("points ahead", 1.0, RU) == "1 очко"
    assert number_text(-0.5, RU) == "-0,5"


@pytest.mark.parametrize("key", PHRASES)
def test_every_phrase_has_all_forms_of_both_languages(key):
    """R160: and a number stands in all forms of a language or in none."""
    english, russian = PHRASES[key]
    assert (len(english), len(russian)) == (2, 3)
    assert len({form.count("#") for form in (*english, *russian)}) == 1


def test_what_only_english_tools_say():
    assert [counted(number, "game") for number in (0, 1, 2, 1200)] == [
        "0 games", "1 game", "2 games", "1,200 games",
    ]  # fmt: skip
    assert counted(1, "inaccuracy", "inaccuracies") == "1 inaccuracy"
    assert counted(3, "box", "boxes") == "3 boxes"
