"""A program as a player: `engine:COMMAND`, which speaks dotzero's protocol of lines or that of the CCGC.

The one idea: the program is told the whole game before every move, so it may be ended and started again at
any time. Whatever goes wrong with it (it ends, falls silent, answers with nonsense or an illegal move) costs
it the game in progress, with the reason in the record; it is started anew for the next one.

    engine:dotzero engine@level=hard              the protocol of `play/engine.py`
    engine:./mine --fast@protocol=ccgc,seconds=2  that of `play/ccgc.py`, with at most 2 seconds a move
"""

import contextlib
import json
import queue
import shlex
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import NO_ACTION, Game, State
from dotzero.envs.registry import describe_game
from dotzero.play.engine_positions import Board, board_of
from dotzero.play.external_ccgc import CcgcTalk
from dotzero.play.players import LONGEST, ForfeitError, Player, PlayerSpec
from dotzero.search.checks import require_finite

_MOST_BYTES = 1 << 20
"""The longest answer that is read."""
_SHOWN = 80
"""Characters of an answer that an error quotes."""
_PATIENCE = 1.0
"""Seconds more than its own that a program has for a move, for starting and for talking."""
_LAST_WORDS = 1.0
"""Seconds that a program has to end by itself."""


class Protocol(Enum):
    """What a program speaks."""

    JSON = "json"
    """One JSON object a line, see `play/engine.py`."""
    CCGC = "ccgc"
    """See `play/ccgc.py`; Dots and Boxes only."""


@dataclass(kw_only=True, slots=True)
class ExternalConfig:
    """How a program is asked."""

    protocol: Protocol = Protocol.JSON
    """What it speaks."""
    level: str = ""
    """JSON: the level that is asked to move; empty: it is left to the program."""
    seconds: float = 0.0
    """Most seconds of a move, told to the program where the protocol can say it; 0: `patience` alone."""
    patience: float = 60.0
    """Seconds after which a program without a limit of its own has lost."""

    def __post_init__(self) -> None:
        require_finite(self)
        if not 0 <= self.seconds <= LONGEST:
            raise ValueError(f"engine: seconds must be in 0..{LONGEST:.0f}, got {self.seconds}")
        if not 0 < self.patience <= LONGEST:
            limits = f"above 0 and at most {LONGEST:.0f}"
            raise ValueError(f"engine: patience must be {limits}, got {self.patience}")
        if self.level and self.protocol is Protocol.CCGC:
            raise ValueError(f"engine: level must be left out with protocol=ccgc, got {self.level}")

    @property
    def limit(self) -> float:
        """Seconds after which a move has not come."""
        return self.seconds + _PATIENCE if self.seconds else self.patience


class Process:
    """A program that is talked to in lines; it is started when the first line is sent."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: queue.Queue[bytes | None] = queue.Queue()

    def send(self, line: str) -> None:
        """Send a line.

        Raises:
            ForfeitError: The program cannot be started, or has ended.
        """
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise ForfeitError(f"the program has ended with code {self._process.poll()}") from None

    def receive(self, deadline: float) -> str:
        """The next line that it says.

        Args:
            deadline: By `time.monotonic`.

        Raises:
            ForfeitError: None comes in time, it is too long or no text, or the program has ended.
        """
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise ForfeitError("no answer in time") from None
        if line is None:
            code = None if self._process is None else self._process.wait()
            raise ForfeitError(f"the program has ended with code {code}")
        if len(line) >= _MOST_BYTES:
            raise ForfeitError(f"an answer of more than {_MOST_BYTES} bytes")
        try:
            return line.decode().strip()
        except UnicodeDecodeError:
            raise ForfeitError("an answer that is no UTF-8") from None

    def close(self) -> None:
        """End the program: by the end of its input, else by force."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended, and what it was not told does not matter any more
            process.stdin.close()
        try:
            process.wait(_LAST_WORDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _start(self) -> None:
        try:
            process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise ForfeitError(f"the program cannot be started: {error.strerror}") from None
        self._process, self._lines = process, queue.Queue()
        assert process.stdout is not None
        reader = threading.Thread(target=_read, args=(process.stdout, self._lines), daemon=True)
        reader.start()


def _read(stream: IO[bytes], lines: "queue.Queue[bytes | None]") -> None:
    """Pass on the lines of a program until it ends; the last word is None."""
    with stream:
        while line := stream.readline(_MOST_BYTES):
            lines.put(line)
    lines.put(None)


class ExternalPlayer(Player):
    """A program that plays one game after another."""

    follows_games = True

    def __init__(
        self, command: Sequence[str], game: Game[Any], config: ExternalConfig, name: str = "engine"
    ) -> None:
        """Prepare; the program starts with its first move.

        Args:
            command: Program and arguments.
            game: What it is to play.
            config: How it is asked.
            name: Shown in tables.

        Raises:
            ValueError: The protocol has no words for the game.
        """
        self.name = name
        self._config = config
        self._process = Process(command)
        self._game = game
        self._rules = {key: value for key, value in describe_game(game)["rules"].items() if value is not None}
        self._board: Board[Any] = board_of(game)
        self._ccgc = CcgcTalk(game) if config.protocol is Protocol.CCGC else None

    @property
    def whole_games(self) -> bool:
        """The CCGC's protocol begins with an empty board, and black moves at once."""
        return self._ccgc is not None

    def begin_game(self) -> None:
        """The next move opens a new game."""
        if self._ccgc is not None:
            self._ccgc.begin()

    def choose(self, game: Game[Any], state: State, seeds: NDArray[np.uint64]) -> NDArray[np.int32]:
        """A move in every game, each told as a position without the moves before it."""
        actions = np.full(len(state), NO_ACTION, np.int32)
        for row in np.flatnonzero(~state.finished).tolist():
            self.begin_game()
            actions[row] = self.follow(game, state[[row]], [], state[[row]], seeds[row])
        return actions

    def follow(
        self, game: Game[Any], start: State, actions: Sequence[int], state: State, seed: np.uint64
    ) -> int:
        """Ask the program; after a forfeit it is ended."""
        deadline = time.monotonic() + self._config.limit
        try:
            if self._ccgc is not None:
                action = self._ccgc.move(self._process, start, actions, deadline)
            else:
                action = self._ask(start, actions, state, seed, deadline)
            if not 0 <= action < game.num_actions or not game.legal(state)[0, action]:
                raise ForfeitError(f"an illegal move, {self._board.names[action]}")
        except ForfeitError:
            self._process.close()
            raise
        return action

    def _ask(
        self, start: State, actions: Sequence[int], state: State, seed: np.uint64, deadline: float
    ) -> int:
        """Its answer by the protocol of JSON lines."""
        request: dict[str, Any] = {
            "id": len(actions),
            "query": "move",
            "game": self._game.name,
            "rules": self._rules,
            "moves": [self._board.names[action] for action in actions],
            "seed": int(seed),
        }
        if not self._begins_like_all(start):
            request["position"] = self._board.position_of(start)
        if self._config.level:
            request["level"] = self._config.level
        if self._config.seconds:
            request["budget"] = {"seconds": self._config.seconds}
        self._process.send(json.dumps(request))
        while True:
            line = self._process.receive(deadline)
            answer = _read_answer(line)
            if answer.get("id") == request["id"]:  # another one is left from a game that was broken off
                return self._read_move(answer, line)

    def _begins_like_all(self, start: State) -> bool:
        """Whether the program knows the start from the rules."""
        if self._game.draws_start:
            return False
        own = self._game.observe(self._game.start(1)).points
        return bool((own == self._game.observe(start).points).all())

    def _read_move(self, answer: dict[str, Any], line: str) -> int:
        if "error" in answer:
            raise ForfeitError(f"it says: {str(answer['error'])[:_SHOWN]}")
        move = answer.get("move")
        if not isinstance(move, str):
            raise ForfeitError(f"an answer without a move: {line[:_SHOWN]}")
        try:
            return int(self._board.parse(move))
        except ValueError as error:
            raise ForfeitError(f"an answer that is no move: {error}") from None

    def close(self) -> None:
        """End the program."""
        self._process.close()


def _read_answer(line: str) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        raise ForfeitError(f"an answer that is no JSON: {line[:_SHOWN]}") from None
    if not isinstance(answer, dict):
        raise ForfeitError(f"an answer that is no JSON object: {line[:_SHOWN]}")
    return answer


def make_external(spec: PlayerSpec, game: Game[Any]) -> ExternalPlayer:
    """The player of a specification `engine:COMMAND@...`.

    Raises:
        ValueError: There is no command, it is not quoted right, or an option is refused.
    """
    from dotzero.play.options import read_settings

    if spec.path is None:
        raise ValueError(f"player engine must name a command as engine:COMMAND, got {spec.text!r}")
    try:
        command = shlex.split(spec.path)
    except ValueError as error:
        raise ValueError(f"player engine must have a command that a shell could read: {error}") from None
    if not command:
        raise ValueError(f"player engine must name a command as engine:COMMAND, got {spec.text!r}")
    return ExternalPlayer(command, game, read_settings(ExternalConfig, "engine", spec.options), spec.text)
