"""The engine protocol: one JSON object a line in, one a line out, in order.

A request asks one question about a position, which it gives in full: the engine keeps nothing of it, so that
requests can come in any order and of any games. What is slow to make (boards, networks, solvers) it keeps.

    {"id": 7, "query": "move", "game": "boxes", "rules": {"rows": 3, "columns": 3}, "moves": ["A1R", "B2T"],
     "level": "insane", "seed": 1}
    {"id": 7, "move": "B2L", "state": {"to_move": 2, "score": [0, 0], ...}, "seconds": 0.015}

    id        anything; stands in the answer, null where there is none
    query     state, move, analyze or levels
    game      boxes or kropki; may be left out with levels
    rules     what differs from the game's own: fields of `BoxesRules` or `KropkiRules`
    position  where the moves begin, instead of the start of a game. Boxes: {"lines": 0 or 1 for every line in
              the order of `envs/boxes.py`, "score": boxes of player 1 and 2, "to_move"}. Kropki: {"rows": a
              text for every row of points, with the signs of `envs/kropki_notation.py` and blanks between,
              "to_move"}
    moves     names of moves from there on: "A1R", or two letters such as "ce", or "stop"
    level     who makes the move, as everywhere in dotzero: "easy@miss=0.3", "zero:DIR@simulations=200". To
              analyze, zero adds its estimates; other levels have none to add
    seed      0 (if there is none) to 2^64 - 1. The same request has the same move in its answer every time
    budget    {"simulations": n} or {"seconds": s} of one answer, for levels that can use it (`levels` tells)
              and for the solver of analyze, which otherwise ends after 10 seconds. An answer within a time
              depends on how fast the machine is. Misere is valued from a table, in a second or two whatever
              the budget

Players are 1 and 2; a field that does not apply is absent. Answers, besides `id`:

    state     to_move, score, legal, finished, result (null, 0 a draw, 1 or 2 who won), phase, position. The
              score is that of the board; a komi counts in the result only
    move      move, state (after it), seconds
    analyze   value (boxes or dots still to come for the player to move, less the other's), exact (whether
              that is certain), best, moves (what they are worth), win (its probability), pv, phase, and what
              `play/analysis.py` or, for Kropki, `play/kropki_analysis.py` tell besides; with zero also
              what `play/engine_analysis.py` lists. Of a finished game also result and reason
    levels    games: for each its levels with labels, how they play, options and budgets
    error     one line, instead of all this

A line that is wrong in any way has one answer with `error`, and the engine goes on: also where it is the
engine that is wrong, which then says "internal error" and shows the traceback on standard error.
"""

import json
import sys
import time
import traceback
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

import numpy as np

from dotzero.envs.registry import game_names
from dotzero.mistakes import is_users_mistake
from dotzero.play.engine_analysis import Analyst
from dotzero.play.engine_lines import MOST_BYTES, read_lines
from dotzero.play.engine_players import Kept, Players, describe_levels
from dotzero.play.engine_positions import Board, make_board
from dotzero.play.engine_requests import Query, Request, read_line, read_request
from dotzero.play.players import PlayerSpec

if TYPE_CHECKING:
    from dotzero.play.zero import ZeroPlayer

_MOST_BOARDS = 8
_LONGEST_ERROR = 500
"""Characters of an error; what a request quotes at length is cut."""


class Engine:
    """Answers requests. It is closed at the end."""

    def __init__(self) -> None:
        self._boards: Kept[tuple[str, str], Board[Any]] = Kept(_MOST_BOARDS)
        self._players = Players()
        self._analyst = Analyst()

    def answer(self, line: bytes) -> str:
        """The answer to one line, as one line of JSON in ASCII; it raises nothing but interruptions."""
        given = read_line(line)
        try:
            if given.fault is not None:
                raise ValueError(given.fault)
            return _written({"id": given.id} | self._answer(read_request(given.fields)))
        except Exception as error:  # noqa: BLE001 one faulty request must not end the game of another
            return _written({"id": given.id, "error": self._explain(error)})

    def close(self) -> None:
        """Free players and solvers."""
        self._players.close()
        self._analyst.close()

    def _answer(self, request: Request) -> dict[str, Any]:
        if request.query is Query.LEVELS:
            return self._levels(request)
        assert request.game is not None
        board = self._board(request.game, request.rules)
        state = board.read(request.position, request.moves)
        if request.query is Query.STATE:
            return board.describe(state)
        if request.query is Query.MOVE:
            return self._move(board, state, request)
        zero = self._network(board, request)
        return self._analyst.analyse(board, state, zero, request.budget, request.seed)

    def _board(self, game: str, rules: Any) -> Board[Any]:
        key = game, json.dumps(rules, sort_keys=True)
        return self._boards.get(key, lambda: make_board(game, rules))

    def _move(self, board: Board[Any], state: Any, request: Request) -> dict[str, Any]:
        assert request.level is not None
        player = self._players.get(request.level, board.game)
        if request.budget is not None:
            player = player.within(request.budget)
        if state.finished[0]:
            raise ValueError("moves must leave the game unfinished for a move, got its end")
        begun = time.monotonic()
        action = int(player.choose(board.game, state, np.array([request.seed], np.uint64))[0])
        seconds = time.monotonic() - begun
        after = board.describe(board.game.step(state, [action]))
        return {"move": board.names[action], "state": after, "seconds": round(seconds, 6)}

    def _network(self, board: Board[Any], request: Request) -> "ZeroPlayer | None":
        """The level whose estimates are asked for; None where no network is named."""
        if request.level is None:
            return None
        player = self._players.get(request.level, board.game)
        if PlayerSpec.parse(request.level).kind != "zero":
            return None
        from dotzero.play.zero import ZeroPlayer  # it is loaded already: it made the player

        assert isinstance(player, ZeroPlayer)
        return player if request.budget is None else player.within(request.budget)

    def _levels(self, request: Request) -> dict[str, Any]:
        if request.game is None and request.rules:
            raise ValueError("game must be given with rules")
        names = game_names() if request.game is None else [request.game]
        boards = [self._board(name, request.rules) for name in names]
        return {"games": {board.game.name: describe_levels(board.game) for board in boards}}

    def _explain(self, error: Exception) -> str:
        """What an answer says of an error; after one of the program everything kept is made anew."""
        if isinstance(error, ValueError) and is_users_mistake(error):
            text = str(error)
        elif isinstance(error, OSError):
            text = f"{error.strerror or error}" + (f": {error.filename}" if error.filename else "")
        else:
            traceback.print_exception(error, file=sys.stderr)
            self.close()
            text = f"internal error {type(error).__name__}: {error}"
        text = " ".join(text.split())
        return text if len(text) <= _LONGEST_ERROR else f"{text[: _LONGEST_ERROR - 4]} ..."


def serve(stdin: BinaryIO, stdout: TextIO) -> None:
    """Answer the lines of a stream until it ends."""
    engine = Engine()
    try:
        for line in read_lines(stdin):
            if line is None:
                answer = _written({"id": None, "error": f"line must have at most {MOST_BYTES} bytes"})
            else:
                answer = engine.answer(line)
            stdout.write(answer + "\n")
            stdout.flush()
    finally:
        engine.close()


def _written(answer: dict[str, Any]) -> str:
    return json.dumps(answer, allow_nan=False)
