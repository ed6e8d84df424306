"""Numbers with their nouns, in English and Russian: 1 move, 2 moves; 1 ход, 2 хода, 5 ходов.

The one idea: one table of phrases, each in all forms that a language has, `#` standing for the number.
English has two (one; any other number), Russian three (1, 21, 31...; 2 to 4, 22 to 24...; all others), as the
CLDR lists them. What only English tools say needs no row: `counted` makes it.
"""

from dotzero.play.seats import Language

PHRASES = {
    "moves": (("# move", "# moves"), ("# ход", "# хода", "# ходов")),
    "moves made": (("# move made", "# moves made"), ("сделан # ход", "сделано # хода", "сделано # ходов")),
    "moves left": (("# move left", "# moves left"), ("остался # ход", "осталось # хода", "осталось # ходов")),
    "lines drawn": (
        ("# line drawn", "# lines drawn"),
        ("проведена # линия", "проведены # линии", "проведено # линий"),
    ),
    "boxes": (("# box", "# boxes"), ("# квадрат", "# квадрата", "# квадратов")),
    "points left": (
        ("# point left", "# points left"),
        ("остался # пункт", "осталось # пункта", "осталось # пунктов"),
    ),
    "points ahead": (("# point", "# points"), ("# очко", "# очка", "# очков")),
    "captured": (
        ("# dot captured", "# dots captured"),
        ("окружена # точка", "окружены # точки", "окружено # точек"),
    ),
    "loose": (
        ("# of your dots is not grounded", "# of your dots are not grounded"),
        ("не заземлена # ваша точка", "не заземлены # ваши точки", "не заземлено # ваших точек"),
    ),
    "goes": (("it goes", "they go"), ("она достанется", "они достанутся", "они достанутся")),
    "held": (
        ("# of the dots that you hold is not grounded", "# of the dots that you hold are not grounded"),
        ("не заземлена # точка", "не заземлены # точки", "не заземлено # точек"),
    ),
    "frees": (("it is free", "they are free"), ("она освободится", "они освободятся", "они освободятся")),
    "wins": (("# won", "# won"), ("# победа", "# победы", "# побед")),
    "losses": (("# lost", "# lost"), ("# поражение", "# поражения", "# поражений")),
    "draws": (("# drawn", "# drawn"), ("# ничья", "# ничьи", "# ничьих")),
    "crosses": (("# cross", "# crosses"), ("# крест", "# креста", "# крестов")),
    "moves alone": (
        ("at most # move alone", "at most # moves alone"),
        (
            "без соперника не больше # хода",
            "без соперника не больше # ходов",
            "без соперника не больше # ходов",
        ),
    ),
    "instant win": (
        ("a lead of # point ends the game", "a lead of # points ends the game"),
        (
            "перевес в # очко завершает игру",
            "перевес в # очка завершает игру",
            "перевес в # очков завершает игру",
        ),
    ),
    "komi": (("komi #", "komi #"), ("коми #", "коми #", "коми #")),
    "damaged results": (
        (
            "# result in the data file is damaged and not counted",
            "# results in the data file are damaged and not counted",
        ),
        (
            "# результат в файле данных повреждён и не учтён",
            "# результата в файле данных повреждены и не учтены",
            "# результатов в файле данных повреждены и не учтены",
        ),
    ),
}
"""Every phrase in the forms of both languages, in the order of `Language`."""


def phrase(key: str, number: float, language: Language) -> str:
    """A phrase of `PHRASES` in the form that a number asks for, the number in it.

    Args:
        key: Which one.
        number: From 0 on; a fraction is read as a part of one in Russian, 1,5 очка.
        language: Whose form.
    """
    forms = PHRASES[key][list(Language).index(language)]
    return forms[_form(number, language)].replace("#", number_text(number, language))


def number_text(number: float, language: Language) -> str:
    """A number as a language writes it: a half is 0.5 or 0,5."""
    return decimal_sign(f"{number:g}", language)


def decimal_sign(shown: str, language: Language) -> str:
    """A number as Python writes it, with the decimal sign of a language."""
    return shown.replace(".", ",") if language is Language.RU else shown


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number and its noun in English: 1 box, 2 boxes; `many` is `one` with an s where it is left out."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _form(number: float, language: Language) -> int:
    """The place of the form in its row."""
    if language is Language.EN:
        return int(number != 1)
    if number != int(number):
        return 1
    last, ten = int(number) % 10, int(number) % 100 // 10 == 1
    return 2 if ten or last == 0 or last >= 5 else 0 if last == 1 else 1
