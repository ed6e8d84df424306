"""A game in a plain terminal: a labelled board in text, moves typed in notation, two languages.

Human against a player, two humans, or two players to watch. Every line of a computer is shown on its own, so
that taking a chain can be followed. What is typed may also come from a pipe; then it is echoed. `undo` takes
back the computer's moves and the last turn of a human; states are kept, so the position is exactly what it
was.
"""

import time
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, TextIO

import numpy as np

from dotzero.envs.boxes import Scoring
from dotzero.envs.game import Game, State
from dotzero.envs.notation import notation_for
from dotzero.play.levels import LABELS
from dotzero.play.players import Player


class Language(StrEnum):
    """Languages of the terminal's texts."""

    EN = "en"
    RU = "ru"


_TEXTS = {
    "welcome": (
        "{game}, {size} boxes. Type a line, for example {example}; help, undo or quit.",
        "{game}, {size} квадратов. Наберите линию, например {example}; помощь, отмена или выход.",
    ),
    "boxes": ("Dots and Boxes", "Точки и квадраты"),
    "misere": ("Misere: {goal}.", "Поддавки: {goal}."),
    "more": ("more boxes win", "выигрывает тот, у кого квадратов больше"),
    "fewer": ("fewer boxes win", "выигрывает тот, у кого квадратов меньше"),
    "you": ("you", "вы"),
    "player": ("player {number}", "игрок {number}"),
    "score": ("{first} (1) {one} : {two} {second} (2)", "{first} (1) {one} : {two} {second} (2)"),
    "turn": ("{who} to move", "ходит {who}"),
    "your_turn": ("your move", "ваш ход"),
    "prompt": ("Line: ", "Линия: "),
    "again": ("BOX! MOVE AGAIN", "КВАДРАТ! ХОДИТЕ ЕЩЁ"),
    "computer": ("{who}: {move}", "{who}: {move}"),
    "computer_takes": ("{who}: {move}, takes {boxes}", "{who}: {move}, берёт {boxes}"),
    "bad": ("{error}", "нет такой линии: {text!r}; пример: {example}"),
    "drawn": ("{move} is drawn already; choose another line", "{move} уже проведена; выберите другую линию"),
    "nothing": ("there is no move of yours to take back", "ваших ходов, чтобы взять назад, нет"),
    "undone": ("taken back: {moves}", "взято назад: {moves}"),
    "left": ("The game is left unfinished.", "Игра осталась неоконченной."),
    "win": ("{who} won {one}:{two}.", "{who}: победа {one}:{two}."),
    "you_win": ("You won {one}:{two}.", "Вы выиграли {one}:{two}."),
    "you_lose": ("You lost {one}:{two}.", "Вы проиграли {one}:{two}."),
    "draw": ("A draw, {one}:{two}.", "Ничья, {one}:{two}."),
    "summary": (
        "Board {size} boxes, {lines} lines drawn.",
        "Поле {size} квадратов, проведено линий: {lines}.",
    ),
    "help": (
        "A line is a side of a box: column letter, row number from the bottom, and T top, B bottom, L left\n"
        "or R right. A1R is the right side of the bottom left box; B1L is the same line. Capitals or not.\n"
        "Whoever draws the fourth side of a box owns it and moves again; {goal}.\n"
        "undo takes back your last turn, quit leaves the game.",
        "Линия — сторона квадрата: буква столбца, номер ряда снизу и T верх, B низ, L левая или R правая.\n"
        "A1R — правая сторона левого нижнего квадрата; B1L — та же линия. Буквы любые: большие или малые.\n"
        "Кто провёл четвёртую сторону, берёт квадрат и ходит ещё; {goal}.\n"
        "отмена — взять назад свой последний ход, выход — закончить.",
    ),
}
_COMMANDS = {
    "help": ("help", "h", "?", "помощь"),
    "undo": ("undo", "u", "отмена"),
    "quit": ("quit", "q", "exit", "выход"),
}


def run(
    game: Game[Any],
    players: Sequence[Player | None],
    stdin: TextIO,
    stdout: TextIO,
    language: str = "en",
    seed: int = 0,
    delay: float = 0.0,
) -> State:
    """Play one game.

    Args:
        game: Rules and board.
        players: Who has the first and who the second seat; None is a human.
        stdin: Where a human's lines come from.
        stdout: Where everything is shown.
        language: `en` or `ru`.
        seed: Decides the luck of the players.
        delay: Seconds to wait before each line of a computer.

    Returns:
        The last position, as a batch of one game; not finished if the human left or the input ended.

    Raises:
        ValueError: Another number of players, an unknown language, or a game without a notation.
    """
    if len(players) != 2:
        raise ValueError(f"players must be two, got {len(players)}")
    if language not in list(Language):
        raise ValueError(f"language must be one of {', '.join(Language)}, got {language!r}")
    if not delay >= 0:
        raise ValueError(f"delay must be at least 0 seconds, got {delay}")
    return _Session(game, players, stdin, stdout, Language(language), seed, delay).play()


class _Session:
    """One game in progress: the position, and all earlier ones with the moves that led on from them."""

    def __init__(
        self,
        game: Game[Any],
        players: Sequence[Player | None],
        stdin: TextIO,
        stdout: TextIO,
        language: Language,
        seed: int,
        delay: float,
    ) -> None:
        self.game, self.players, self.stdin, self.stdout = game, players, stdin, stdout
        self.language, self.delay = language, delay
        self.notation = notation_for(game)
        self.seeds = np.random.default_rng(seed).integers(2**64, size=2, dtype=np.uint64)
        self.state: State = game.start(1)
        self.example = self.notation.name(int(game.legal(self.state)[0].argmax()))
        self.history: list[tuple[State, int]] = []
        self.last: int | None = None

    @property
    def mover(self) -> int:
        return int(self.state.to_move[0])

    @property
    def goal(self) -> str:
        """The text that says what wins."""
        return "fewer" if self.game.rules.scoring is Scoring.MISERE else "more"

    def play(self) -> State:
        """Until the game ends or the human leaves."""
        size = f"{self.game.rules.rows}x{self.game.rules.columns}"
        self.say("welcome", game=self.text(self.game.name), size=size, example=self.example)
        if self.goal == "fewer":
            self.say("misere", goal=self.text("fewer"))
        self.show()
        while not self.state.finished[0]:
            player = self.players[self.mover]
            if player is not None:
                time.sleep(self.delay)
                chosen = player.choose(self.game, self.state, self.seeds[self.mover : self.mover + 1])
                self.draw(int(chosen[0]))
                continue
            action = self.ask()
            if action is None:
                self.say("left")
                return self.state
            self.draw(action)
        self.show_result(size)
        return self.state

    def draw(self, action: int) -> None:
        """Draw a line and show what it did."""
        mover, before = self.mover, self.state
        self.state = self.game.step(before, [action])
        self.history.append((before, action))
        self.last = action
        boxes = int(self.state.score[0, mover] - before.score[0, mover])
        if self.players[mover] is not None:
            key = "computer_takes" if boxes else "computer"
            self.say(key, who=self.name(mover), move=self.notation.name(action), boxes=boxes)
        elif self.mover == mover and not self.state.finished[0]:
            self.say("again")
        self.show()

    def ask(self) -> int | None:
        """A legal line typed by the human; None when the human leaves or the input ends."""
        while True:
            self.write(self.text("prompt"))
            typed = self.stdin.readline()
            if not self.stdin.isatty():  # from a pipe: let the log show what was read
                self.write(typed.rstrip("\n") + "\n")
            word = typed.strip().lower()
            if not typed or word in _COMMANDS["quit"]:
                return None
            if word in _COMMANDS["help"]:
                self.say("help", goal=self.text(self.goal))
            elif word in _COMMANDS["undo"]:
                self.undo()
            else:
                action = self.read(typed.strip())
                if action is not None:
                    return action

    def read(self, typed: str) -> int | None:
        """The legal line that a text names; otherwise says in one line why there is none."""
        try:
            action = self.notation.parse(typed)
        except ValueError as error:
            self.say("bad", error=error, text=typed, example=self.example)
            return None
        if not self.game.legal(self.state)[0, action]:
            self.say("drawn", move=self.notation.name(action))
            return None
        return action

    def undo(self) -> None:
        """Take back the computer's moves and the last turn of a human."""
        humans = [seat for seat in (0, 1) if self.players[seat] is None]
        movers = [int(state.to_move[0]) for state, _ in self.history]
        keep = len(movers)
        while keep and movers[keep - 1] not in humans:
            keep -= 1
        if not keep:
            self.say("nothing")
            return
        turn = movers[keep - 1]
        while keep and movers[keep - 1] == turn:
            keep -= 1
        moves = " ".join(self.notation.name(action) for _, action in self.history[keep:])
        self.state = self.history[keep][0]
        del self.history[keep:]
        self.last = self.history[-1][1] if self.history else None
        self.say("undone", moves=moves)
        self.show()

    def show(self) -> None:
        """The board, the score and whose move it is."""
        self.write("\n" + self.notation.board(self.state, last=self.last) + "\n")
        one, two = self.state.score[0].tolist()
        row = self.text("score", first=self.name(0), second=self.name(1), one=one, two=two)
        if not self.state.finished[0]:
            name = self.name(self.mover)
            row += ", " + self.text("your_turn" if name == self.text("you") else "turn", who=name)
        self.write(row + "\n")

    def show_result(self, size: str) -> None:
        """Boxes of both sides, size of the board and number of lines."""
        score = self.state.score[0].tolist()
        outcome = int(self.game.outcome(self.state)[0])
        if outcome == 0:
            self.say("draw", one=score[0], two=score[1])
        else:
            winner, names = self.mover if outcome > 0 else 1 - self.mover, [self.name(0), self.name(1)]
            if self.text("you") in names:
                you = names.index(self.text("you"))
                self.say("you_win" if winner == you else "you_lose", one=score[you], two=score[1 - you])
            else:
                self.say("win", who=names[winner], one=score[winner], two=score[1 - winner])
        self.say("summary", size=size, lines=len(self.history))

    def name(self, seat: int) -> str:
        """How a seat is called: "you" if only one human plays, else by player or number."""
        player, other = self.players[seat], self.players[1 - seat]
        if player is None:
            return self.text("player", number=seat + 1) if other is None else self.text("you")
        twins = other is not None and self.label(other) == self.label(player)
        return f"{self.label(player)} {seat + 1}" if twins else self.label(player)

    def label(self, player: Player) -> str:
        """What a player is called: a level by its label, whatever its options, others by their names."""
        kind = player.name.partition("@")[0].partition(":")[0]
        return LABELS[kind][self.language] if kind in LABELS else player.name

    def text(self, key: str, **values: Any) -> str:
        """A text in the session's language."""
        return _TEXTS[key][list(Language).index(self.language)].format(**values)

    def say(self, key: str, **values: Any) -> None:
        """Write a text as a line of its own."""
        self.write(self.text(key, **values) + "\n")

    def write(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
