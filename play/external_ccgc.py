"""The other end of the CCGC's protocol (`play/ccgc.py`): talking to an engine of Dots and Boxes.

The engine is told whole turns and answers with whole turns, while a game goes line by line. So what it has
answered beyond the line that was asked for is kept for the moves that follow.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dotzero.envs.boxes import Border, BoxesGame, Scoring
from dotzero.envs.game import Game, State
from dotzero.play.ccgc import line_name
from dotzero.play.players import ForfeitError

if TYPE_CHECKING:
    from dotzero.play.external import Process

_SHOWN = 80


class CcgcTalk:
    """One conversation, over as many games as there are."""

    def __init__(self, game: Game[Any]) -> None:
        """Prepare.

        Raises:
            ValueError: The protocol has no words for the game.
        """
        if not isinstance(game, BoxesGame):
            raise ValueError(f"engine: protocol must be json for {game.name}, got ccgc")
        if game.rules.border is not Border.NONE or game.rules.scoring is not Scoring.NORMAL:
            raise ValueError("engine: protocol must be json for rules with a border or misere, got ccgc")
        self._game = game
        self._names = [line_name(game, line) for line in range(game.num_actions)]
        self._lines = {name: line for line, name in enumerate(self._names)}
        self._told = 0  # actions of the game that the engine knows or has made itself
        self._begun = False
        self._turn: list[int] = []  # what it has answered and not been asked for yet

    def begin(self) -> None:
        """A new game begins."""
        self._told, self._begun, self._turn = 0, False, []

    def move(self, process: "Process", start: State, actions: Sequence[int], deadline: float) -> int:
        """The engine's next line in a game.

        Args:
            process: The engine.
            start: Where the game began; an empty board.
            actions: All of it since.
            deadline: As of `Process.receive`.

        Raises:
            ForfeitError: It has none, or the game did not begin with an empty board.
        """
        if not self._turn:
            self._tell(process, start, actions)
            self._turn = self._read(process, deadline)
            self._told = len(actions) + len(self._turn)
        return self._turn.pop(0)

    def _tell(self, process: "Process", start: State, actions: Sequence[int]) -> None:
        """Tell the engine the turns that it does not know; a game begins with who it is."""
        turns = self._turns(start, actions)
        if not self._begun:
            if self._game.start(1).lines.tobytes() != start.lines.tobytes():  # type: ignore[attr-defined]
                raise ForfeitError("the protocol of the CCGC tells games from an empty board only")
            mover = len(turns) % 2  # turns change hands
            self._begun = True
            process.send(f"new {('black', 'white')[mover]}")
        unknown = [line for turn in turns for line in turn][self._told :]
        if unknown:
            process.send(f"move {len(unknown)} {''.join(self._names[line] for line in unknown)}")

    def _turns(self, start: State, actions: Sequence[int]) -> list[list[int]]:
        """The actions, turn by turn."""
        turns: list[list[int]] = []
        state: Any = start
        last = -1
        for action in actions:
            if state.to_move[0] != last:
                turns.append([])
            last = int(state.to_move[0])
            turns[-1].append(action)
            state = self._game.step(state, [action])
        return turns

    def _read(self, process: "Process", deadline: float) -> list[int]:
        """The lines of its next turn."""
        while True:
            words = process.receive(deadline).split()
            match words:
                case ["move", number, letters] if number.isdigit() and 3 * int(number) == len(letters) > 0:
                    names = [letters[place : place + 3] for place in range(0, len(letters), 3)]
                    unknown = [name for name in names if name not in self._lines]
                    if unknown:
                        raise ForfeitError(f"an answer that is no move: {unknown[0]}")
                    return [self._lines[name] for name in names]
                case ["move" | "error", *_]:
                    raise ForfeitError(f"it says: {' '.join(words)[:_SHOWN]}")
            # Whatever else it says, its name for one, is no answer.
