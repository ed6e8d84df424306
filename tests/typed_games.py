"""Games in the terminal, driven by typed text, for its tests."""

import io

import numpy as np

from dotzero.envs.notation import notation_for
from dotzero.play.players import Player
from dotzero.play.seats import Language
from dotzero.play.terminal import Terminal
from dotzero.play.terminal_screen import Screen


class Scripted(Player):
    """Makes the first of its moves that is still possible."""

    name = "script"

    def __init__(self, moves):
        self.moves = moves.split()

    def choose(self, game, state, seeds):
        notation = notation_for(game)
        actions = [notation.parse(move) for move in self.moves]
        return np.array([next(action for action in actions if game.legal(state)[0, action])], np.int32)


class Cast:
    """Players by their specifications, in the place of those that `Terminal` makes."""

    def __init__(self, **players):
        self.players, self.asked = players, []

    def get(self, spec, game):
        self.asked.append(spec)
        return self.players[spec]

    def close(self):
        self.asked.append("closed")


def screen_of(typed, language="en", **options):
    """A screen into which lines are typed, and what it shows."""
    stdout = io.StringIO()
    lines = io.StringIO("".join(f"{line}\n" for line in typed))
    return Screen.on(lines, stdout, Language(language), **options), stdout


def typed_game(session, typed, language="en", saves=None, **options):
    """Play a session with what is typed. Returns what was shown."""
    screen, stdout = screen_of(typed, language)
    terminal = Terminal(session=session, screen=screen, saves=saves, **options)
    try:
        terminal.play()
    finally:
        terminal.close()
    return stdout.getvalue()
