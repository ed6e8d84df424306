"""The games and positions that the engine is asked about, and how it describes them.

The one idea: a `Board` is a game with the names of its moves, made once and kept, and everything that a
request says of a position is read by it: a position first, then the moves from there on.

A position says less than the moves that led to it. In Dots and Boxes it does not tell who owns which box; in
Kropki neither the moves made, nor who stopped, nor the komi of the game beside that of the rules.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from dotzero.envs.boxes import BoxesGame, BoxesState, Scoring, box_lines
from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.envs.game import Game, State
from dotzero.envs.kropki import KropkiGame, KropkiState
from dotzero.envs.kropki_notation import CELLS, SIGNS, KropkiNotation
from dotzero.envs.kropki_rules import LETTERS, point_name
from dotzero.envs.registry import make_game
from dotzero.envs.replayed_records import refusal
from dotzero.play.engine_requests import shown

G = TypeVar("G", bound=Game[Any])


class Board(ABC, Generic[G]):
    """A game, the names of its moves, and its positions as JSON."""

    fields: tuple[str, ...]
    """What a position must have."""

    def __init__(self, game: G, names: Sequence[str]) -> None:
        self.game = game
        self.names = tuple(names)
        """The written name of every action. A texts."""
        self._start: State = game.start(1)

    @abstractmethod
    def parse(self, name: str) -> int:
        """The action that a name means; ValueError if it means none."""

    @abstractmethod
    def read_position(self, position: Mapping[str, Any]) -> Any:
        """The state, a batch of one game, of a position that has exactly its `fields`.

        Raises:
            ValueError: A field is wrong, in one line that names it.
        """

    @abstractmethod
    def position_of(self, state: Any) -> dict[str, Any]:
        """The position of a batch of one game, as `read_position` takes it."""

    def read(self, position: Mapping[str, Any] | None, moves: Sequence[str]) -> State:
        """The state, a batch of one game, after moves from a position, or from the start of a game.

        Raises:
            ValueError: The position or a move is wrong, in one line that names the field and the move.
        """
        state = self._start if position is None else self._read(position)
        actions = [self._parse(name, number) for number, name in enumerate(moves, 1)]
        played = self.game.replay(state, np.array(actions, np.int32))
        if played.illegal is None:
            after: State = played.state
            return after
        where = f"got {shown(moves[played.illegal])} as move {played.illegal + 1}"
        if played.state.finished[0]:
            raise ValueError(f"moves must end with the game, {where} after its end")
        reason = refusal(self.game, played.state, actions[played.illegal])
        raise ValueError(f"moves must be legal, {where}: {reason}")

    def describe(self, state: State) -> dict[str, Any]:
        """A batch of one game as plain values; players are 1 and 2."""
        finished, outcome = bool(state.finished[0]), int(self.game.outcome(state)[0])
        mover = int(state.to_move[0])
        winner = mover if outcome > 0 else 1 - mover
        return {
            "to_move": mover + 1,
            "score": state.score[0].tolist(),
            "legal": [self.names[action] for action in np.flatnonzero(self.game.legal(state)[0]).tolist()],
            "finished": finished,
            "result": None if not finished else winner + 1 if outcome else 0,
            "phase": self.game.phases[int(self.game.phase(state)[0])],
            "position": self.position_of(state),
        }

    def _parse(self, name: str, number: int) -> int:
        try:
            return self.parse(name)
        except ValueError as error:
            raise ValueError(f"moves, move {number}: {error}") from None

    def _read(self, position: Mapping[str, Any]) -> State:
        for name in position:
            if name not in self.fields:
                raise ValueError(f"position must have the fields {', '.join(self.fields)}, got {shown(name)}")
        for name in self.fields:
            if name not in position:
                raise ValueError(f"position.{name} must be given with a position of {self.game.name}")
        if not _is_whole(position["to_move"]) or position["to_move"] not in (1, 2):
            raise ValueError(f"position.to_move must be 1 or 2, got {shown(position['to_move'])}")
        state: State = self.read_position(position)
        return state


class BoxesBoard(Board[BoxesGame]):
    """Positions of Dots and Boxes: lines, score and who moves."""

    fields = ("lines", "score", "to_move")

    def __init__(self, game: BoxesGame) -> None:
        self.notation = BoxesNotation(game.rules)
        super().__init__(game, [self.notation.name(action) for action in range(game.num_actions)])

    def parse(self, name: str) -> int:
        """The line of a name such as `A1R`."""
        return self.notation.parse(name)

    def read_position(self, position: Mapping[str, Any]) -> BoxesState:
        """A set of lines, and the boxes of both players, which have to be as many as are complete."""
        text, rules = position["lines"], self.game.rules
        if not isinstance(text, str):
            raise ValueError(f"position.lines must be a text of 0 and 1, got {shown(text)}")
        try:
            lines = self.notation.parse_dbn(text)
        except ValueError as error:
            raise ValueError(f"position.lines: {error}") from None
        lacking = np.flatnonzero(lines < rules.start_lines()).tolist()
        if lacking:
            raise ValueError(
                f"position.lines must hold the border of rules.border={rules.border}, "
                f"lacks {self.names[lacking[0]]}"
            )
        num_complete = int(lines[box_lines(rules)].all(axis=1).sum())
        score = _read_score(position["score"], num_complete)
        lead = score[0] - score[1]
        state = self.game.position(lines[None], -lead if rules.scoring is Scoring.MISERE else lead)
        state.to_move[:] = position["to_move"] - 1
        return state

    def position_of(self, state: BoxesState) -> dict[str, Any]:
        """Lines, score and player to move."""
        return {
            "lines": self.notation.dbn(state.lines[0]),
            "score": state.score[0].tolist(),
            "to_move": int(state.to_move[0]) + 1,
        }


class KropkiBoard(Board[KropkiGame]):
    """Positions of Kropki: the signs of all points, row by row, and who moves."""

    fields = ("rows", "to_move")

    def __init__(self, game: KropkiGame) -> None:
        notation = KropkiNotation(game.rules)
        self.parse_name = notation.parse
        super().__init__(game, [notation.name(action) for action in range(game.num_actions)])

    def parse(self, name: str) -> int:
        """The point of two letters, or STOP."""
        return self.parse_name(name)

    def read_position(self, position: Mapping[str, Any]) -> KropkiState:
        """A row of signs for every row of points, as `KropkiNotation.board` writes them."""
        rows, rules = position["rows"], self.game.rules
        if not isinstance(rows, list) or len(rows) != rules.height:
            got = shown(rows) if not isinstance(rows, list) else str(len(rows))
            raise ValueError(f"position.rows must be a list of {rules.height} rows, got {got}")
        cells = [self._read_row(row, y) for y, row in enumerate(rows)]
        try:
            return self.game.position(np.array([cells], np.uint8), position["to_move"] - 1)
        except ValueError as error:
            raise ValueError(f"position.rows: {str(error).removesuffix(' in position 0')}") from None

    def position_of(self, state: KropkiState) -> dict[str, Any]:
        """All points and the player to move."""
        rows = [" ".join(SIGNS[cell] for cell in row) for row in state.cells[0].tolist()]
        return {"rows": rows, "to_move": int(state.to_move[0]) + 1}

    def _read_row(self, row: Any, y: int) -> list[int]:
        width = self.game.rules.width
        signs = row.split() if isinstance(row, str) else []
        if len(signs) != width:
            rule = f"must have {width} signs with blanks between"
            raise ValueError(f"position.rows {rule}, got {shown(row)} as row {LETTERS[y]}")
        for x, sign in enumerate(signs):
            if sign not in CELLS:
                rule = f"must be made of the signs {' '.join(CELLS)}"
                raise ValueError(f"position.rows {rule}, got {shown(sign)} at {point_name(x, y)}")
        return [CELLS[sign] for sign in signs]


def make_board(game: str, rules: Mapping[str, Any]) -> Board[Any]:
    """The board of a game by name.

    Raises:
        ValueError: There is no such game or rule, or the rules are refused.
    """
    return board_of(make_game(game, rules))


def board_of(game: Game[Any]) -> Board[Any]:
    """The board of a game."""
    if isinstance(game, BoxesGame):
        return BoxesBoard(game)
    assert isinstance(game, KropkiGame)
    return KropkiBoard(game)


def _read_score(value: Any, num_complete: int) -> tuple[int, int]:
    fit = isinstance(value, list) and len(value) == 2 and all(_is_whole(part) and part >= 0 for part in value)
    if not fit or sum(value) != num_complete:
        raise ValueError(
            f"position.score must be the boxes of player 1 and 2, {num_complete} together, got {shown(value)}"
        )
    return value[0], value[1]


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
