"""The protocol of the Chinese computer games championship (CCGC) for Dots and Boxes, as an engine speaks it.

The platform of the championship (SAU Game Platform, Shenyang Aerospace University) starts an engine and talks
to it in lines of at most 255 bytes; its document of the protocol is the source of what follows.

    name?                      answered by `name dotzero-insane`, whatever the level is
    new black | new white      a game begins; black moves first, and an engine that is black moves at once
    move <n> <3n letters>      a whole turn, n lines in the order drawn. The platform tells the other's turn,
                               the engine answers with its own in the same form
    error                      the last turn of the engine was wrong: it chooses another one by other luck
    end [black | white]        the game is over, and who won
    quit                       the engine ends

A line has three letters from A on: `A` horizontal, then its row of dots from the top, then its column; or `B`
vertical, then its column of dots from the left, then its row. On 5x5 boxes `AAA` is the top left line and
`BAE` the bottom left one.

The document leaves some points open. They are read like this:

- A turn goes on while its lines take boxes. It ends with a line that takes none, or with the game; a turn
  that is told otherwise is wrong as a whole.
- A turn that ends the game has no answer; what follows is `end`.
- Whatever is wrong with a line is answered by `error` and the reason. A platform passes over it, as it is no
  word of an engine, and for an engine at the other end it means what it says. The game stays as it was.
- `error` may have a reason. After the eighth about one turn the engine is silent, as it is where it has made
  none: two programs that find each other wrong must come to an end.
- `new` begins a new game at any time. Each game of a run has luck of its own, which the seed decides.
- Boards of another size follow the same rule, as far as letters and the length of a line allow.
"""

from typing import BinaryIO, TextIO

import numpy as np

from dotzero.envs.boxes import Border, BoxesGame, BoxesState, Scoring, line_place
from dotzero.play.engine_lines import read_lines
from dotzero.play.players import Player, PlayerSpec
from dotzero.search.mcts import game_seeds

MOST_BYTES = 255
"""The longest line of the protocol."""
_MOST_DOTS = 26  # a letter each
_MOST_ERRORS = 8
"""Other turns that are tried in place of one."""


class Ccgc:
    """One engine: its board, its player and the game in progress."""

    def __init__(self, game: BoxesGame, player: Player, seed: int = 0) -> None:
        """Wait for a game.

        Args:
            game: Board and rules, the plain ones.
            player: Who plays.
            seed: Decides the luck of all games.

        Raises:
            ValueError: The protocol has no words for the rules.
        """
        rules = game.rules
        if rules.border is not Border.NONE or rules.scoring is not Scoring.NORMAL:
            raise ValueError("rules must have border=none and scoring=normal in the protocol of the CCGC")
        if max(rules.rows, rules.columns) + 1 > _MOST_DOTS:
            size = f"{rules.rows}x{rules.columns}"
            raise ValueError(f"size must have at most {_MOST_DOTS} dots a side in the protocol, got {size}")
        self.game, self.player, self.seed = game, player, seed
        self.names = [line_name(game, line) for line in range(game.num_actions)]
        self._lines = {name: line for line, name in enumerate(self.names)}
        self._num_games = self._num_errors = 0
        self._state: BoxesState | None = None
        self._before: BoxesState | None = None
        """The position that the engine's last turn began in, if it has made one."""
        self.ended = False
        """Whether the engine has been told to quit."""

    def answer(self, line: bytes) -> str | None:
        """The answer to one line, None where it has none."""
        try:
            words = line.decode("ascii").split()
        except UnicodeDecodeError:
            return "error a line must be ASCII"
        try:
            return self._answer(words)
        except _RefusedError as error:
            return f"error {error}"

    def _answer(self, words: list[str]) -> str | None:
        match words:
            case ["name?"]:
                return f"name dotzero-{PlayerSpec.parse(self.player.name).kind}"
            case ["new", ("black" | "white") as side]:
                return self._new(side)
            case ["move", number, letters]:
                return self._move(number, letters)
            case ["error", *_]:
                return self._try_again()
            case ["end"] | ["end", "black" | "white"]:
                self._state = self._before = None
                return None
            case ["quit"]:
                self.ended = True
                return None
        raise _RefusedError("a line must be name?, new SIDE, move N LINES, error, end or quit")

    def _new(self, side: str) -> str | None:
        self._state, self._before = self.game.start(1), None
        self._num_games, self._num_errors = self._num_games + 1, 0
        return self._turn() if side == "black" else None

    def _move(self, number: str, letters: str) -> str | None:
        if self._state is None:
            raise _RefusedError("move must follow new")
        if self._state.finished[0]:
            raise _RefusedError("move must not follow the end of the game")
        if not (number.isdigit() and len(number) < 4 and 3 * int(number) == len(letters) > 0):
            raise _RefusedError(
                f"move must have 3 letters for each of its lines, got {number!r} and {letters!r}"
            )
        self._state, self._before = self._played(self._state, letters), None
        self._num_errors = 0
        return None if self._state.finished[0] else self._turn()

    def _played(self, state: BoxesState, letters: str) -> BoxesState:
        """The position after a whole turn of the player to move."""
        mover, names = state.to_move[0], [letters[i : i + 3] for i in range(0, len(letters), 3)]
        for name in names:
            if name not in self._lines:
                raise _RefusedError(f"a line must be one of the board, got {name!r}")
            if state.finished[0]:
                raise _RefusedError(f"a turn must end with the game, goes on with {name}")
            if state.to_move[0] != mover:
                raise _RefusedError(f"a turn must end with a line that takes no box, goes on with {name}")
            if not self.game.legal(state)[0, self._lines[name]]:
                raise _RefusedError(f"a line must not be drawn twice, got {name}")
            state = self.game.step(state, [self._lines[name]])
        if state.to_move[0] == mover and not state.finished[0]:
            raise _RefusedError(f"a turn must go on after a line that takes a box, ends with {names[-1]}")
        return state

    def _try_again(self) -> str | None:
        if self._before is None or self._num_errors == _MOST_ERRORS:
            return None
        self._state = self._before
        self._num_errors += 1
        return self._turn()

    def _turn(self) -> str:
        """Make a whole turn and tell it."""
        assert self._state is not None
        state = self._before = self._state
        luck = game_seeds(np.random.SeedSequence((self.seed, self._num_games, self._num_errors)), 1)
        mover, names = state.to_move[0], []
        while state.to_move[0] == mover and not state.finished[0]:
            action = int(self.player.choose(self.game, state, luck)[0])
            names.append(self.names[action])
            state = self.game.step(state, [action])
        self._state = state
        return f"move {len(names)} {''.join(names)}"


class _RefusedError(Exception):
    """A line of the other side that the protocol does not allow."""


def line_name(game: BoxesGame, line: int) -> str:
    """The three letters of a line."""
    across, row, column = line_place(game.rules, line)
    first, second = (row, column) if across else (column, row)
    return ("A" if across else "B") + chr(ord("A") + first) + chr(ord("A") + second)


def serve_ccgc(stdin: BinaryIO, stdout: TextIO, engine: Ccgc) -> None:
    """Answer the lines of a stream until it ends or says quit."""
    # A turn on a large board needs more than the platform's 255 bytes; what is longer is no turn of any.
    most = max(MOST_BYTES, 3 * engine.game.num_actions + len("move 255 "))
    for line in read_lines(stdin, most):
        answer = f"error a line must have at most {most} bytes" if line is None else engine.answer(line)
        if answer is not None:
            stdout.write(answer + "\n")
            stdout.flush()
        if engine.ended:
            return
