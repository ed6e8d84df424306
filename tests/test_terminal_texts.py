"""The texts of the terminal: both languages for every key, commands, times."""

import string

import pytest

from dotzero.play.seats import Language
from dotzero.play.terminal_texts import COMMANDS, TEXTS, YES, command, duration, text


@pytest.mark.parametrize("key", TEXTS)
def test_r160_every_text_is_there_in_both_languages_with_the_same_gaps(key):
    """R160: nothing is said in one language only, and both say the same things."""
    english, russian = TEXTS[key]
    gaps = [{name for _, name, _, _ in string.Formatter().parse(part) if name} for part in (english, russian)]
    assert english
    assert russian
    # Of wrong moves and files Russian has words of its own: those of the rules and the system are English.
    assert gaps[0] == gaps[1] or key.startswith("bad ")


def test_r109_the_status_text_of_the_description():
    assert text("again boxes", Language.RU) == "КВАДРАТ! ХОДИТЕ ЕЩЁ"


def test_commands_in_both_languages_and_any_case():
    assert command("Help") == ("help", "")
    assert command(" ОТМЕНА ") == ("undo", "")
    assert command("save My Game.sgf") == ("save", "My Game.sgf")
    assert command("стоп") == ("stop", "")
    assert command("доска") == command("поле") == command("board") == ("board", "")
    assert command("Сдаться") == command("сдаюсь") == ("resign", "")
    assert command("ce") == (None, "")
    assert command("") == (None, "")


def test_no_command_is_a_move_and_none_stands_for_two():
    """Points are two letters, lines have a number in the middle."""
    words = [word for listed in COMMANDS.values() for word in listed]
    assert len(set(words)) == len(words)
    assert all(len(word) != 2 for word in words)
    assert not set(YES) & set(words)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_words_of_both_languages(name):
    assert {word.isascii() for word in COMMANDS[name]} == {True, False}


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0.0"), (9.96, "9.9"), (10, "0:10"), (185.9, "3:05"), (3600, "1:00:00"), (36125, "10:02:05")],
)
def test_times_as_clocks_show_them(seconds, shown):
    assert duration(seconds, Language.EN) == shown
    assert duration(seconds, Language.RU) == shown.replace(".", ",")  # as every other number there
