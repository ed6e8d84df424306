"""R160: a session in Russian says nothing in English, whatever is typed and whatever goes wrong."""

import re

import pytest
from played_sessions import EXAMPLE, boxes, kropki
from typed_games import Cast, Scripted, typed_game

from dotzero.envs.kropki_notation import SIGNS
from dotzero.play.seats import Language
from dotzero.play.terminal_texts import text

ALWAYS = {"Kropki", "Enter", "dotzero", "play", "continue", "no", "save", "script", "txt", "jsonl", "sgf"}
"""Names, keys, words of the command and endings of files."""
COMMANDS = ["помощь", "отмена", "отмена", "статистика", "сохранить", "поле", "стоп", "нет", "пауза", ""]
MISTAKES = [
    "zz",
    "hello",
    "A99T",
    "{0}",
    "",
    "сохранить x.doc",
    "сохранить /absent/x.jsonl",
    "сохранить /tmp",
]


def english(shown, typed):
    """Latin words of two letters or more, without names of moves, boards, and what was typed."""
    known = {*ALWAYS, *re.findall("[A-Za-z]{2,}", " ".join(typed))}
    lines = [line for line in shown.splitlines() if not re.match(r"(\s*[A-Za-z] ){2}|\w? *[+|]", line)]
    words = re.findall(r"(?<![A-Za-z0-9])[A-Za-z]{2,}(?![A-Za-z0-9])", "\n".join(lines))
    return {word for word in words if word not in known and not re.fullmatch("[a-i]{2}", word)}


@pytest.mark.parametrize("ending", [["сдаюсь", "да"], ["предложить", "ничья"], ["выход"], []])
@pytest.mark.parametrize("seats", [(None, "script"), (None, None)])
def test_boxes(seats, ending):
    typed = ["A1T", "A1T", *COMMANDS, *MISTAKES, *ending]
    players = Cast(script=Scripted(" ".join(EXAMPLE)))
    assert english(typed_game(boxes(seats=seats), typed, "ru", players=players), typed) == set()


@pytest.mark.parametrize("rules", [{}, {"stop": "solo", "solo_moves": 3}, {"stop": "off", "add_turn": True}])
@pytest.mark.parametrize("seats", [(None, "script"), (None, None)])
def test_kropki(seats, rules):
    """Also closed points, the zone of the first dots and komi."""
    rules = {"opening_zone": (3, 3), "komi": 0.5, **rules}
    typed = ["aa", "cc", "cc", *COMMANDS, *MISTAKES, "cd", "стоп", "да", "стоп", "да", "сдаюсь", "да"]
    players = Cast(script=Scripted("dd bb dc bd cb db ab ae ea"))
    shown = typed_game(kropki(seats=seats, rules=rules), typed, "ru", players=players)
    assert "вне зоны первых ходов (3x3 в центре поля)" in shown
    assert english(shown, typed) == set()


def test_misere_tells_that_nobody_plays_it():
    """The levels play to have more boxes; moves of Random are no moves of a level, and no hints."""
    from dataclasses import replace

    from dotzero.play.sessions import GameSession

    usual = boxes(seats=(None, "random")).settings
    assert "No level plays" not in typed_game(GameSession(usual), ["q"])
    settings = replace(usual, rules=replace(usual.rules, scoring="misere"))
    told = "No level plays by these rules: the moves of the computer are random, and there are no hints.\n"
    shown = typed_game(GameSession(settings), ["hint", "q"])
    assert told in shown
    assert "no level plays by these rules, so there is no hint\n" in shown
    assert "Hint by" not in shown
    people = replace(settings, seats=boxes().settings.seats)
    assert "No level plays" not in typed_game(GameSession(people), ["q"])
    typed = ["подсказка", "выход"]
    assert english(typed_game(GameSession(settings), typed, "ru"), typed) == set()


@pytest.mark.parametrize("language", Language)
def test_the_legend_names_every_sign_of_the_board(language):
    """R006, R161: nothing stands on the board that the legend does not explain, but a free point."""
    shown = text("legend", language, first="A", second="B") + text("legend houses", language)
    signs = set(SIGNS.values()) - {"."}
    assert {sign for sign in signs if not re.search(rf"(?<!\w){re.escape(sign)}(?!\w)", shown)} == set()
    assert text("legend houses", language) in typed_game(
        kropki(rules={"house_closes": "owner_turn"}), ["q"], language.value
    )
