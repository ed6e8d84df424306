"""The screen that a game is shown on: what it can show, what is said, what is typed.

The one idea: everything written goes through one console and everything typed through one reader, so that a
pipe, a terminal that can do nothing and one with colours are told apart here and nowhere else.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

from rich.console import Console
from rich.text import Text

from dotzero.play.saved_rows import SavedGame
from dotzero.play.saves import DamagedError, Saves
from dotzero.play.seats import Language
from dotzero.play.terminal_board import Look
from dotzero.play.terminal_input import LineReader
from dotzero.play.terminal_results import saved_line, saved_text
from dotzero.play.terminal_texts import YES, command, text
from dotzero.printable import printable

_ECHOED = 200
"""Characters of a line from a pipe that are echoed; a longer one is no move and no word."""


class LeftError(Exception):
    """The person leaves, or the input has ended."""


@dataclass(kw_only=True, slots=True)
class Screen:
    """Where a game is shown and typed."""

    reader: LineReader
    console: Console
    look: Look
    language: Language

    @classmethod
    def on(cls, stdin: TextIO, stdout: TextIO, language: Language, ascii_only: bool = False) -> "Screen":
        """The screen of two streams, with what they can show.

        Raises:
            ValueError: The output cannot show the language.
        """
        encoding = getattr(stdout, "encoding", None) or "utf-8"
        if not _can_show(encoding, text("your_turn", language)):
            raise ValueError(f"language must be one that the terminal can show ({encoding}), got {language}")
        console = Console(file=stdout, highlight=False, markup=False, emoji=False, soft_wrap=True)
        plain = ascii_only or not console.is_terminal or console.is_dumb_terminal
        unicode = not plain and _can_show(encoding, "\u2500\u2501\u2502\u2503\u2022")
        rows = console.height if console.is_terminal else 0  # a board of a pipe can be read back
        look = Look(unicode=unicode, columns=console.width, rows=rows)
        return cls(reader=LineReader(stdin), console=console, look=look, language=language)

    def say(self, key: str, **values: object) -> None:
        """Write a text as a line of its own."""
        self.write(text(key, self.language, **values))

    def write(self, line: str | Text) -> None:
        """Write a line."""
        self.console.print(line)
        self.console.file.flush()

    def ask(self, question: str, seconds: float | None = None) -> str:
        """What is typed as an answer.

        Raises:
            LeftError: The input has ended.
            TimeoutError: The time is over.
        """
        self.console.print(question, end="")
        self.console.file.flush()
        typed = self.reader.read(seconds)
        if not self.reader.is_terminal:  # from a pipe: let the log show what was read
            self.write(printable(typed or "", _ECHOED))
        if typed is None:
            raise LeftError
        return typed

    def agrees(self, question: str) -> bool:
        """Whether a question is answered with yes."""
        return self.ask(question).strip().lower() in YES


def choose_saved(screen: Screen, saves: Saves, most: int = 9) -> str | None:
    """Offer the unfinished games, newest first (R114). Returns the id of one; None for a new one.

    Raises:
        LeftError: The person leaves, or the input has ended.
    """
    listed = saves.unfinished(most=most)
    if not listed:
        return None
    screen.say("unfinished")
    for number, saved in enumerate(listed, 1):
        screen.write(saved_line(number, saved, screen.language))
    while True:
        typed = screen.ask(text("which", screen.language)).strip()
        if not typed:
            return None
        if command(typed)[0] == "quit":
            raise LeftError
        if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(listed):
            saved = listed[int(typed) - 1]
            if is_whole(saves, saved):
                return saved.id
            screen.say("damaged_game", game=saved_text(saved, screen.language))


def is_whole(saves: Saves, saved: SavedGame) -> bool:
    """Whether a listed game can be gone on with, as far as what was stored of it says."""
    try:
        saves.peek(saved.id)
    except DamagedError:
        return False
    return True


def _can_show(encoding: str, sample: str) -> bool:
    with suppress(UnicodeEncodeError, LookupError):
        sample.encode(encoding)
        return True
    return False
