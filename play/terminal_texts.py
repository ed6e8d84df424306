"""What the terminal says, in English and Russian, and the words that it understands.

The one idea: one table, a pair of texts for every key, so that no text can be missing in one language. The
status texts of Dots and Boxes are those of the game's description (R109).
"""

from dotzero.play.seats import Language

TEXTS = {
    "boxes": ("Dots and Boxes", "Точки и квадраты"),
    "kropki": ("Kropki (Dots)", "Точки (кропки)"),
    "welcome boxes": (
        "{game}, {size} boxes ({dots} dots). Type a line, for example {example}; help, undo, hint, resign, "
        "save or quit.",
        "{game}, {size} квадратов ({dots} точек). Наберите линию, например {example}; помощь, отмена, "
        "подсказка, сдаюсь, сохранить или выход.",
    ),
    "welcome kropki": (
        "{game}, {size} points. Type a point, for example {example}; stop, help, undo, hint, resign, offer, "
        "save or quit.",
        "{game}, {size} пунктов. Наберите пункт, например {example}; стоп, помощь, отмена, подсказка, "
        "сдаюсь, предложить, сохранить или выход.",
    ),
    "continued": ("The game goes on after {moves} moves.", "Игра продолжается после ходов: {moves}."),
    "misere": ("Misere: {goal}.", "Поддавки: {goal}."),
    "more": ("more boxes win", "выигрывает тот, у кого квадратов больше"),
    "fewer": ("fewer boxes win", "выигрывает тот, у кого квадратов меньше"),
    "rules": ("Rules: {rules}.", "Правила: {rules}."),
    "legend": (
        "{one} and {two} are the dots of {first} and {second}; x and o captured ones; 1 and 2 closed points.",
        "{one} и {two} — точки сторон {first} и {second}; x и o — захваченные; 1 и 2 — закрытые пункты.",
    ),
    "score": ("{first} ({one}) {a} : {b} {second} ({two})", "{first} ({one}) {a} : {b} {second} ({two})"),
    "komi": ("komi {komi:g} for {who}", "коми {komi:g} за {who}"),
    "turn": ("{who} to move", "ходит {who}"),
    "your_turn": ("your move", "ваш ход"),
    "left_points": ("{points} points left", "осталось пунктов: {points}"),
    "clock": ("clock {one} : {two}", "часы {one} : {two}"),
    "solo": (
        "{who} places dots alone, {seconds} left; stop ends the game",
        "{who} ставит точки один, осталось {seconds}; стоп завершит игру",
    ),
    "solo_moves": ("{moves} moves left", "осталось ходов: {moves}"),
    "prompt boxes": ("Line: ", "Линия: "),
    "prompt kropki": ("Point: ", "Пункт: "),
    "prompt seat": ("{who}: ", "{who}: "),
    "again boxes": ("BOX! MOVE AGAIN", "КВАДРАТ! ХОДИТЕ ЕЩЁ"),
    "again kropki": ("CAPTURE! MOVE AGAIN", "ЗАХВАТ! ХОДИТЕ ЕЩЁ"),
    "moved": ("{who}: {move}", "{who}: {move}"),
    "takes": ("{who}: {move}, takes {boxes}", "{who}: {move}, берёт {boxes}"),
    "captures": (
        "{who} captures {dots} by the chain {chain}",
        "{who}: захват, точек: {dots}, цепочка {chain}",
    ),
    "closes": ("{who} closes an area by the chain {chain}", "{who}: область закрыта цепочкой {chain}"),
    "no_safe": (
        "No safe line is left: from now on every line gives boxes away or takes some.",
        "Безопасных линий не осталось: теперь каждая линия отдаёт квадраты или берёт их.",
    ),
    "majority": ("{who} has more than half of the boxes.", "{who}: больше половины квадратов."),
    "bad boxes": ("{error}", "нет такой линии: {text!r}; пример: {example}"),
    "bad kropki": ("{error}", "нет такого пункта: {text!r}; пример: {example}"),
    "illegal boxes": (
        "{move} is drawn already; choose another line",
        "{move} уже проведена; выберите другую линию",
    ),
    "occupied": ("{move} is occupied; choose another point", "{move} занят; выберите другой пункт"),
    "closed": (
        "{move} is closed: it lies inside an enclosure; choose another point",
        "{move} закрыт: он внутри захваченной области; выберите другой пункт",
    ),
    "zone": (
        "{move} is outside the opening zone of {zone} in the middle",
        "{move} вне начальной зоны {zone} в середине поля",
    ),
    "no_stop": ("there is no STOP in this game", "в этой игре нет СТОП"),
    "stop_loses": (
        "{dots} of your dots are not grounded: by STOP they go to {who}.",
        "Незаземлённых точек: {dots}; после СТОП они достанутся сопернику ({who}).",
    ),
    "stop_frees": (
        "{dots} of the dots that you hold are not grounded either: by STOP they are free again.",
        "Незаземлённых точек среди захваченных вами: {dots}; после СТОП они освободятся.",
    ),
    "stop_solo_frees": (
        "{dots} of the dots that you hold are not grounded either.",
        "Незаземлённых точек среди захваченных вами: {dots}.",
    ),
    "stop_safe": (
        "All your dots are grounded; STOP ends the game with the score as it is.",
        "Все ваши точки заземлены; СТОП завершит игру с этим счётом.",
    ),
    "stop_solo": (
        "After STOP {who} places dots alone, for {seconds} at most; {dots} of your dots are not grounded.",
        "После СТОП {who} ставит точки один, не дольше {seconds}; незаземлённых ваших точек: {dots}.",
    ),
    "stop_alone": ("STOP ends the game now.", "СТОП завершит игру."),
    "stop_sure": ("Stop? [y/N] ", "Остановиться? [д/Н] "),
    "resign_sure": ("Resign? [y/N] ", "Сдаться? [д/Н] "),
    "kept_on": ("The game goes on.", "Игра продолжается."),
    "offered": (
        "{who} offers to end the game with the score as it is. Accept? [y/N] ",
        "{who} предлагает закончить игру с этим счётом. Согласны? [д/Н] ",
    ),
    "offered_draw": (
        "{who} offers a draw. Accept? [y/N] ",
        "{who} предлагает ничью. Согласны? [д/Н] ",
    ),
    "declined": ("{who} declines.", "{who}: отказ."),
    "accepted": ("{who} accepts.", "{who}: согласие."),
    "hint": ("Hint by {who}: {move}", "Подсказка ({who}): {move}"),
    "nothing": ("there is no move of yours to take back", "ваших ходов, чтобы взять назад, нет"),
    "undone": ("taken back: {moves}", "взято назад: {moves}"),
    "paused": (
        "Paused, the clocks stand. Press Enter to go on. ",
        "Пауза, часы стоят. Нажмите Enter, чтобы продолжить. ",
    ),
    "saved": (
        "Saved; it is after every move. dotzero play --continue goes on with it.",
        "Сохранено; это делается после каждого хода. Продолжить: dotzero play --continue.",
    ),
    "not_kept": ("This game is not kept (--no-save).", "Эта партия не хранится (--no-save)."),
    "written": ("The game is written to {path}.", "Партия записана в файл {path}."),
    "not_written": ("not written: {error}", "не записано: {error}"),
    "left": ("The game is left unfinished.", "Игра осталась неоконченной."),
    "go_on": ("dotzero play --continue goes on with it.", "Продолжить: dotzero play --continue."),
    "unfinished": ("Unfinished games:", "Неоконченные игры:"),
    "unfinished_row": (
        "{number}  {game} {board}, {opponent}, {moves} moves, {one}:{two}, {when}",
        "{number}  {game} {board}, {opponent}, ходов: {moves}, {one}:{two}, {when}",
    ),
    "two_people": ("two people", "два человека"),
    "against": ("against {who}", "соперник: {who}"),
    "which": (
        "CONTINUE: type a number; Enter begins a new game, q leaves: ",
        "ПРОДОЛЖИТЬ: наберите номер; Enter — новая игра, q — выход: ",
    ),
    "help boxes": (
        "A line is a side of a box: column letter, row number from the bottom, and T top, B bottom, L left\n"
        "or R right. A1R is the right side of the bottom left box; B1L is the same line. Capitals or not.\n"
        "Whoever draws the fourth side of a box owns it and moves again; {goal}.",
        "Линия — сторона квадрата: буква столбца, номер ряда снизу и T верх, B низ, L левая или R правая.\n"
        "A1R — правая сторона левого нижнего квадрата; B1L — та же линия. Буквы любые: большие или малые.\n"
        "Кто провёл четвёртую сторону, берёт квадрат и ходит ещё; {goal}.",
    ),
    "help kropki": (
        "A point is two letters: its column, then its row from the top; capitals are columns and rows from\n"
        "27 on. Your dots link in eight directions; a closed chain of them round enemy dots captures these\n"
        "and closes all points inside. More captured dots win. A dot on the edge cannot be captured, nor\n"
        "can one that is linked to the edge (up, down, left, right): it is grounded. stop ends your play:\n"
        "dots that are not grounded are lost then.",
        "Пункт — две буквы: столбец и ряд сверху; заглавные — столбцы и ряды с 27-го. Ваши точки связаны по\n"
        "восьми направлениям; замкнутая цепочка вокруг чужих точек захватывает их и закрывает всё внутри.\n"
        "Выигрывает тот, у кого больше захваченных точек. Точку на краю захватить нельзя, как и соединённую\n"
        "с краем (вверх, вниз, влево, вправо): она заземлена. стоп завершает вашу игру: незаземлённые точки\n"
        "тогда потеряны.",
    ),
    "help": (
        "undo takes back your last turn, hint shows a good move, offer ends the game by agreement with the\n"
        "score as it is, draw offers a draw, resign gives up, pause stops the clocks, board shows the board\n"
        "again, statistics your results, save FILE writes the game to a file (.sgf, .jsonl, .txt), quit\n"
        "leaves; the game is saved after every move.",
        "отмена — взять назад свой последний ход, подсказка — хороший ход, предложить — закончить с этим\n"
        "счётом, ничья — предложить ничью, сдаюсь — сдаться, пауза — остановить часы, поле — показать поле\n"
        "снова, статистика — ваши результаты, сохранить ФАЙЛ — записать партию (.sgf, .jsonl, .txt),\n"
        "выход — закончить; игра сохраняется после каждого хода.",
    ),
    "win": ("{who} won {a}:{b}.", "{who}: победа {a}:{b}."),
    "you_win": ("You won {a}:{b}.", "Вы выиграли {a}:{b}."),
    "you_lose": ("You lost {a}:{b}.", "Вы проиграли {a}:{b}."),
    "draw": ("A draw, {a}:{b}.", "Ничья, {a}:{b}."),
    "by resign": ("By resignation.", "Соперник сдался."),
    "by own resign": ("You resigned.", "Вы сдались."),
    "by time": ("On time.", "По времени."),
    "by agreement": ("By agreement.", "По соглашению."),
    "by stop": ("{who} said STOP.", "{who}: СТОП."),
    "by instant_win": ("The lead of {points} ends the game.", "Преимущество {points} завершает игру."),
    "summary boxes": (
        "Board {size} boxes, {lines} lines drawn; {who} began.",
        "Поле {size} квадратов, проведено линий: {lines}; первый ход: {who}.",
    ),
    "summary kropki": (
        "Board {size} points, {lines} moves made; {who} began.",
        "Поле {size} пунктов, сделано ходов: {lines}; первый ход: {who}.",
    ),
    "tally": (
        "Against {who} on {board}: {wins} won, {losses} lost, {draws} drawn; win rate {rate}, "
        "streak {streak}, best streak {best}.",
        "{who}, поле {board}: побед {wins}, поражений {losses}, ничьих {draws}; доля побед {rate}, "
        "серия {streak}, лучшая серия {best}.",
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
    "no_tally": ("No finished games against a level yet.", "Законченных игр против уровней пока нет."),
}
"""Every text in English and in Russian."""

COMMANDS = {
    "help": ("help", "h", "?", "помощь"),
    "undo": ("undo", "u", "отмена"),
    "hint": ("hint", "подсказка"),
    "stop": ("stop", "стоп"),
    "resign": ("resign", "сдаюсь"),
    "offer": ("offer", "предложить"),
    "draw": ("draw", "ничья"),
    "pause": ("pause", "пауза"),
    "board": ("board", "поле"),
    "statistics": ("statistics", "stats", "статистика"),
    "save": ("save", "сохранить"),
    "quit": ("quit", "q", "exit", "выход"),
}
"""What can be typed instead of a move; in any case."""
YES = ("y", "yes", "д", "да")


def text(key: str, language: Language, **values: object) -> str:
    """A text in a language, its gaps filled."""
    return TEXTS[key][list(Language).index(language)].format(**values)


def command(typed: str) -> tuple[str | None, str]:
    """The command that a line means, or None, and what stands behind its first word."""
    word, _, rest = typed.strip().partition(" ")
    found = next((name for name, words in COMMANDS.items() if word.lower() in words), None)
    return found, rest.strip()


def duration(seconds: float) -> str:
    """A time as clocks show it: `3:05`, and tenths below ten seconds."""
    if seconds < 10:
        return f"{int(seconds * 10) / 10:.1f}"
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
