"""Rules of a game in the words of the screen's language, where they differ from the usual ones.

The one idea: rules are kept and counted by their names and values, `start=empty stop=solo`, as flags and
files have them; this is what a person reads instead. What has no words here, as a rule of a newer version, is
shown as it is.
"""

import re

from dotzero.play.game_settings import rules_of_key
from dotzero.play.plurals import phrase
from dotzero.play.seats import Language

_WORDS = {
    "own_start=True": ("own start position", "своя начальная позиция"),
    "border=left_bottom": ("left and bottom edge drawn", "левый и нижний край проведены"),
    "border=all": ("the whole edge drawn", "весь край проведён"),
    "scoring=misere": ("misere: fewer boxes win", "поддавки: побеждает тот, у кого квадратов меньше"),
    "start=empty": ("empty board at the start", "пустое поле в начале"),
    "start=single": ("one dot at the start", "одна точка в начале"),
    "start=cross": ("one cross at the start", "крест в начале"),
    "start=double_cross": ("double cross at the start", "двойной крест в начале"),
    "start=four_crosses": ("four crosses at the start", "четыре креста в начале"),
    "start=random_crosses": ("random crosses at the start", "случайные кресты в начале"),
    "house_closes=owner_turn": (
        "an entered house captures with its owner's next move",
        "дом окружает вошедшую точку следующим ходом хозяина",
    ),
    "add_turn=True": ("a capture gives another move", "за окружение — ещё ход"),
    "stop=solo": ("after STOP the opponent goes on alone", "после СТОП соперник ходит в одиночку"),
    "stop=off": ("no STOP", "без СТОП"),
    "holes=True": ("older houses inside stay open", "прежние дома внутри остаются открытыми"),
    "punish=True": (
        "own dots inside an own enclosure count for the opponent",
        "свои точки внутри своего окружения идут сопернику",
    ),
    "last_safe=True": (
        "a dot on the last free point is safe",
        "точка на последнем свободном пункте в безопасности",
    ),
    "capture_empty=True": ("empty areas are closed too", "пустые области тоже закрываются"),
    "score=territory": ("captured points are counted", "считаются захваченные пункты"),
}
"""Rules with a value of a list."""
_NUMBERED = {
    "num_crosses": "crosses",
    "solo_moves": "moves alone",
    "instant_win": "instant win",
    "komi": "komi",
}
"""Rules with a number, and their phrases in `plurals.py`."""
_ZONE = ("first moves in the middle {zone}", "первые ходы — в центре {zone}")


def rules_words(key: str, language: Language) -> str:
    """Rules in words, separated by commas.

    Args:
        key: As `GameSettings.rules_key` writes them; `usual` is left to the caller.
        language: In which words.
    """
    return ", ".join(_words(name, value, language) for name, value in rules_of_key(key).items()) or key


def _words(name: str, value: str, language: Language) -> str:
    place, rule = list(Language).index(language), f"{name}={value}"
    if rule in _WORDS:
        return _WORDS[rule][place]
    if name in _NUMBERED and re.fullmatch(r"-?\d+(\.\d+)?", value):
        return phrase(_NUMBERED[name], float(value), language)
    if name == "opening_zone":
        return _ZONE[place].format(zone="×".join(re.findall(r"\d+", value)))
    return rule
