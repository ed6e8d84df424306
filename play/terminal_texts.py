"""What the terminal says, in English and Russian, and the words that it understands.

The one idea: one table, a pair of texts for every key, so that no text can be missing in one language. The
status texts of Dots and Boxes are those of the game's description (R109).
"""

import string
from typing import Any

from dotzero.play.plurals import PHRASES, decimal_sign, number_text, phrase
from dotzero.play.seats import Language

TEXTS = {
    "boxes": ("Dots and Boxes", "Точки и квадраты"),
    "kropki": ("Kropki (Dots)", "Точки (Kropki)"),
    "welcome boxes": (
        "{game}, {size} boxes ({dots} dots). Type a line, for example {example}; help, undo, hint, resign, "
        "save or quit.",
        "{game}, поле {size} ({dots} точек). Наберите линию, например {example}, или слово: помощь, отмена, "
        "подсказка, сдаюсь, сохранить, выход.",
    ),
    "welcome kropki": (
        "{game}, {size} points. Type a point, for example {example}; stop, help, undo, hint, resign, offer, "
        "save or quit.",
        "{game}, поле {size}. Наберите пункт, например {example}, или слово: стоп, помощь, отмена, "
        "подсказка, сдаюсь, предложить, сохранить, выход.",
    ),
    "continued": ("The game goes on after {moves:moves}.", "Игра продолжается, {moves:moves made}."),
    "misere": ("Misere: {goal}.", "Поддавки: {goal}."),
    "more": ("more boxes win", "побеждает тот, у кого квадратов больше"),
    "fewer": ("fewer boxes win", "побеждает тот, у кого квадратов меньше"),
    "rules": ("Rules: {rules}.", "Правила: {rules}."),
    "no_level": (
        "No level plays by these rules: the moves of the computer are random, and there are no hints.",
        "По этим правилам уровни не играют: ходы компьютера случайны, подсказок нет.",
    ),
    "legend": (
        "X is {first}, O is {second}; x and o: captured dots; 1 and 2: closed points.\n"
        "# and @: dots lost in an enclosure of their own side; ' \" *: free points in a house of X, of O, of "
        "both.",
        "X — {first}, O — {second}; x и o — окружённые точки; 1 и 2 — закрытые пункты.\n"
        "# и @ — точки, пропавшие в своём же окружении; ' \" * — свободные пункты в доме X, O, обоих.",
    ),
    "legend houses": (
        "Y and Q: dots in a house that closes with its owner's next move.",
        "Y и Q — точки в доме, который закроется следующим ходом хозяина.",
    ),
    "score": ("{first} ({one}) {a} : {b} {second} ({two})", "{first} ({one}) {a} : {b} {second} ({two})"),
    "komi": ("komi {komi:g} for {who}", "коми {komi:g}: {who}"),
    "turn": ("{who} to move", "ходит {who}"),
    "your_turn": ("your move", "ваш ход"),
    "left_points": ("{points:points left}", "{points:points left}"),
    "clock": ("clock {one} : {two}", "часы {one} : {two}"),
    "solo": (
        "alone now: {who}, {seconds} left; stop ends the game",
        "ходы в одиночку: {who}, осталось {seconds}; стоп завершит игру",
    ),
    "solo_moves": ("{moves:moves left}", "{moves:moves left}"),
    "prompt boxes": ("Line: ", "Линия: "),
    "prompt kropki": ("Point: ", "Пункт: "),
    "prompt seat": ("{who}: ", "{who}: "),
    "again boxes": ("BOX! MOVE AGAIN", "КВАДРАТ! ХОДИТЕ ЕЩЁ"),
    "again kropki": ("CAPTURE! MOVE AGAIN", "ОКРУЖЕНИЕ! ХОДИТЕ ЕЩЁ"),
    "moved": ("{who}: {move}", "{who}: {move}"),
    "takes": ("{who}: {move}, takes {boxes:boxes}", "{who}: {move}, берёт {boxes:boxes}"),
    "captures": ("{who}: {dots:captured}, chain {chain}", "{who}: {dots:captured}, цепочка {chain}"),
    "closes": ("{who}: an area is closed, chain {chain}", "{who}: закрыта область, цепочка {chain}"),
    "no_safe": (
        "No safe line is left: from now on every line gives boxes away or takes some.",
        "Безопасных линий больше нет: теперь любая линия или отдаёт квадраты, или берёт.",
    ),
    "majority": ("{who}: more than half of the boxes.", "{who}: больше половины квадратов."),
    "bad boxes": ("{error}", "нет такой линии: {text!r}; пример: {example}"),
    "bad kropki": ("{error}", "нет такого пункта: {text!r}; пример: {example}"),
    "illegal boxes": (
        "{move} is drawn already; choose another line",
        "линия {move} уже проведена; выберите другую",
    ),
    "occupied": ("{move} is occupied; choose another point", "пункт {move} занят; выберите другой"),
    "closed": (
        "{move} is closed: it lies inside an enclosure; choose another point",
        "пункт {move} закрыт: он внутри окружения; выберите другой",
    ),
    "zone": (
        "{move} is outside the opening zone of {zone} in the middle",
        "пункт {move} вне зоны первых ходов ({zone} в центре поля)",
    ),
    "no_stop": ("there is no STOP in this game", "в этой игре нет СТОП"),
    "stop_loses": (
        "{dots:loose}: by STOP {dots:goes} to {who}.",
        "Внимание: {dots:loose}; после СТОП {dots:goes} сопернику ({who}).",
    ),
    "stop_frees": (
        "{dots:held}: by STOP {dots:frees} again.",
        "Из окружённых вами {dots:held}; после СТОП {dots:frees}.",
    ),
    "stop_solo_frees": ("{dots:held}.", "Из окружённых вами {dots:held}."),
    "stop_safe": (
        "All your dots are grounded; STOP ends the game with the score as it is.",
        "Все ваши точки заземлены; СТОП завершит игру с этим счётом.",
    ),
    "stop_solo": (
        "After STOP {who} places dots alone, for {seconds} at most; {dots:loose}.",
        "После СТОП точки ставит только соперник ({who}), не дольше {seconds}; {dots:loose}.",
    ),
    "stop_alone": ("STOP ends the game now.", "СТОП завершит игру."),
    "stop_sure": ("Stop? [y/N] ", "Остановиться? [д/Н] "),
    "resign_sure": ("Resign? [y/N] ", "Сдаться? [д/Н] "),
    "kept_on": ("The game goes on.", "Игра продолжается."),
    "offered": (
        "{who} offers to end the game with the score as it is. Accept? [y/N] ",
        "{who} предлагает закончить игру с этим счётом. Согласиться? [д/Н] ",
    ),
    "offered_draw": (
        "{who} offers a draw. Accept? [y/N] ",
        "{who} предлагает ничью. Согласиться? [д/Н] ",
    ),
    "declined": ("{who} declines.", "{who} отказывается."),
    "accepted": ("{who} accepts.", "{who} соглашается."),
    "hint": ("Hint by {who}: {move}", "Подсказка ({who}): {move}"),
    "no_hint": (
        "no level plays by these rules, so there is no hint",
        "подсказки нет: по этим правилам уровни не играют",
    ),
    "nothing": ("there is no move of yours to take back", "вам пока нечего брать назад"),
    "undone": ("taken back: {moves}", "взято назад: {moves}"),
    "paused": (
        "Paused, the clocks stand. Press Enter to go on. ",
        "Пауза, часы стоят. Чтобы продолжить, нажмите Enter. ",
    ),
    "stored": (
        "Saved; it is after every move. dotzero play --continue goes on with it.",
        "Сохранено, как и после каждого хода. Продолжить: dotzero play --continue.",
    ),
    "nothing_yet": (
        "There is nothing to save yet: no move has been made.",
        "Сохранять пока нечего: не сделано ни одного хода.",
    ),
    "not_kept": ("This game is not kept (--no-save).", "Эта игра не сохраняется (--no-save)."),
    "written": ("The game is written to {path}.", "Партия записана в файл {path}."),
    "not_written": ("not written: {reason}", "не записано: {reason}"),
    "bad_ending": (
        "the name of the file must end in one of {endings}, got {name}",
        "имя файла должно оканчиваться на одно из: {endings}, а не {name}",
    ),
    "bad_name": (
        "the name of the file must be text that can be printed, got {name}",
        "в имени файла должны быть только печатные знаки, а не {name}",
    ),
    "file_exists": (
        "there is a file {name} already; choose another name",
        "файл {name} уже есть; выберите другое имя",
    ),
    "no_folder": ("there is no such folder", "нет такой папки"),
    "is_folder": ("that is a folder", "это папка"),
    "no_right": ("nothing may be written there", "туда нельзя писать"),
    "disk_full": ("there is no room left on the disk", "на диске нет места"),
    "long_name": ("the name is too long", "имя слишком длинное"),
    "bad file": ("{error}", "ошибка записи"),
    "left": ("The game is left unfinished.", "Игра не окончена."),
    "go_on": ("dotzero play --continue goes on with it.", "Продолжить: dotzero play --continue."),
    "interrupted": ("Interrupted.", "Прервано."),
    "elsewhere": (
        "The game has been gone on with elsewhere; it goes on there.",
        "Эту игру продолжили в другом месте; она идёт там.",
    ),
    "not_stored": (
        "The game cannot be stored: {reason}. It ends here with what was stored last.",
        "Игру не удалось сохранить: {reason}. Осталось то, что сохранено раньше.",
    ),
    "damaged_file": (
        "{path} was damaged and has been kept as {aside}; a new file was begun",
        "файл {path} повреждён и отложен под именем {aside}; начат новый",
    ),
    "damaged_game": (
        "A saved game is damaged and passed over: {game}",
        "Сохранённая игра повреждена и пропущена: {game}",
    ),
    "damaged_results": ("{number:damaged results}: no. {rows}", "{number:damaged results}: № {rows}"),
    "unfinished": ("Unfinished games:", "Неоконченные игры:"),
    "saved": (
        "{game} {board}, {opponent}, {moves:moves}, {one}:{two}, {when}",
        "{game} {board}, {opponent}, {moves:moves}, {one}:{two}, {when}",
    ),
    "two_people": ("two people", "вдвоём"),
    "against": ("against {who}", "соперник: {who}"),
    "which": (
        "CONTINUE: type a number; Enter begins a new game, q leaves: ",
        "ПРОДОЛЖИТЬ: наберите номер; Enter — новая игра, q — выход: ",
    ),
    "help boxes": (
        "A line is a side of a box: column letter, row number from the bottom, and T top, B bottom, L left\n"
        "or R right. A1R is the right side of the bottom left box; B1L is the same line. Capitals or not.\n"
        "Whoever draws the fourth side of a box owns it and moves again; {goal}. The last line is double.",
        "Линия — сторона квадрата: буква столбца, номер ряда снизу и сторона: T верхняя, B нижняя,\n"
        "L левая, R правая. A1R — правая сторона левого нижнего квадрата, B1L — та же линия. Большие буквы\n"
        "или маленькие, всё равно. Кто проводит четвёртую сторону квадрата, берёт его и ходит ещё;\n"
        "{goal}. Последняя линия — двойная.",
    ),
    "help kropki": (
        "A point is two letters: its column, then its row from the top; capitals are columns and rows from\n"
        "27 on. Your dots link in eight directions; a closed chain of them round enemy dots captures these\n"
        "and closes all points inside. More captured dots win. A dot on the edge cannot be captured, nor\n"
        "can one that is linked to the edge (up, down, left, right): it is grounded. stop ends your play:\n"
        "dots that are not grounded are lost then.",
        "Пункт — две буквы: столбец и ряд сверху; большие буквы — столбцы и ряды с 27-го. Точки связаны\n"
        "по восьми направлениям; замкнутая цепочка ваших точек окружает точки соперника внутри и закрывает\n"
        "там все пункты. Побеждает тот, кто окружает больше точек. Точку на краю окружить нельзя, как и\n"
        "связанную с краем (вверх, вниз, влево или вправо): она заземлена. стоп завершает вашу игру:\n"
        "незаземлённые точки тогда пропадают.",
    ),
    "help": (
        "undo takes back your last turn, hint shows a good move, offer ends the game by agreement with the\n"
        "score as it is, draw offers a draw, resign gives up, pause stops the clocks, board shows the board\n"
        "again, statistics your results, save FILE writes the game to a file ({endings}), quit leaves;\n"
        "the game is saved after every move.",
        "отмена — взять назад свой последний ход, подсказка — хороший ход, предложить — закончить с этим\n"
        "счётом, ничья — предложить ничью, сдаюсь — сдаться, пауза — остановить часы, поле — показать поле\n"
        "ещё раз, статистика — ваши результаты, сохранить ФАЙЛ — записать партию ({endings}),\n"
        "выход — выйти; игра сохраняется после каждого хода.",
    ),
    "win": ("{who} won {a}:{b}.", "Победа: {who}, {a}:{b}."),
    "you_win": ("You won {a}:{b}.", "Вы выиграли {a}:{b}."),
    "you_lose": ("You lost {a}:{b}.", "Вы проиграли {a}:{b}."),
    "draw": ("A draw, {a}:{b}.", "Ничья, {a}:{b}."),
    "by resign": ("{who} resigned.", "{who} сдаётся."),
    "by own resign": ("You resigned.", "Вы сдались."),
    "by time": ("On time.", "Время вышло."),
    "by agreement": ("By agreement.", "По соглашению."),
    "by stop": ("{who} said STOP.", "Игру завершил СТОП ({who})."),
    "by instant_win": (
        "The lead of {points:points ahead} ends the game.",
        "Перевес в {points:points ahead} завершает игру.",
    ),
    "summary boxes": (
        "Board {size} boxes, {lines:lines drawn}; {who} began.",
        "Поле {size}, {lines:lines drawn}; первый ход: {who}.",
    ),
    "summary kropki": (
        "Board {size} points, {lines:moves made}; {who} began.",
        "Поле {size}, {lines:moves made}; первый ход: {who}.",
    ),
    "tally": (
        "Against {who} on {board}: {wins:wins}, {losses:losses}, {draws:draws}; win rate {rate}, "
        "streak {streak}, best streak {best}.",
        "Соперник {who}, поле {board}: {wins:wins}, {losses:losses}, {draws:draws}; доля побед {rate}, "
        "серия побед {streak}, лучшая {best}.",
    ),
    "short boxes": ("boxes", "квадраты"),
    "short kropki": ("kropki", "точки"),
    "wins": ("won", "побед"),
    "losses": ("lost", "пораж."),
    "draws": ("drawn", "ничьих"),
    "win rate": ("rate", "доля"),
    "streak": ("streak", "серия"),
    "best streak": ("best", "лучшая"),
    "board name": ("board", "поле"),
    "rules name": ("rules", "правила"),
    "opponent name": ("against", "соперник"),
    "no_tally": ("No finished games against a level yet.", "Оконченных игр с компьютером пока нет."),
}
"""Every text in English and in Russian."""

COMMANDS = {
    "help": ("help", "h", "?", "помощь", "справка"),
    "undo": ("undo", "u", "отмена", "отменить", "назад"),
    "hint": ("hint", "подсказка"),
    "stop": ("stop", "стоп"),
    "resign": ("resign", "сдаюсь", "сдаться"),
    "offer": ("offer", "предложить", "предложение"),
    "draw": ("draw", "ничья"),
    "pause": ("pause", "пауза"),
    "board": ("board", "поле", "доска"),
    "statistics": ("statistics", "stats", "статистика"),
    "save": ("save", "сохранить"),
    "quit": ("quit", "q", "exit", "выход", "выйти"),
}
"""What can be typed instead of a move; in any case."""
YES = ("y", "yes", "д", "да")


class _Filled(string.Formatter):
    """Fills gaps; `{dots:captured}` is a phrase of `plurals.py` in the form for so many dots."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        """A value as its gap wants it."""
        if format_spec in PHRASES:
            return phrase(format_spec, value, self._language)
        return (
            number_text(value, self._language)
            if format_spec == "g"
            else super().format_field(value, format_spec)
        )


_FILLED = {language: _Filled(language) for language in Language}


def text(key: str, language: Language, **values: object) -> str:
    """A text in a language, its gaps filled."""
    return _FILLED[language].format(TEXTS[key][list(Language).index(language)], **values)


def command(typed: str) -> tuple[str | None, str]:
    """The command that a line means, or None, and what stands behind its first word."""
    word, _, rest = typed.strip().partition(" ")
    found = next((name for name, words in COMMANDS.items() if word.lower() in words), None)
    return found, rest.strip()


def duration(seconds: float, language: Language) -> str:
    """A time as clocks show it: `3:05`, and tenths below ten seconds, `0.9` or in Russian `0,9`."""
    if seconds < 10:
        return decimal_sign(f"{int(seconds * 10) / 10:.1f}", language)
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
