"""Whoever makes moves: the common face of levels and networks, and how a command names them.

The one idea: a player's luck is a function of the game's seed and of the position, not of a generator that
runs along. So the same seed, position and player give the same move, whatever was asked before, however
games are batched, and after a move was taken back.

A specification names a player: `random`, a level of the game (`play/levels.py`), `zero` or `zero:DIR`, a
network, or `engine:COMMAND`, a program; with options after an `@` as in `easy@miss=0.3` or
`zero:DIR@simulations=64`.

Shape letters as in `envs/game.py`.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import NO_ACTION, Game, State
from dotzero.play.options import read_settings
from dotzero.search.checks import MAX_SIMULATIONS
from dotzero.search.splitmix import STEP, mix

S = TypeVar("S")

LONGEST = 10.0**7
"""Seconds of the largest budget: four months."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """What one move may cost, in one of two ways."""

    simulations: int | None = None
    """Simulations of a tree search. The same budget gives the same move every time."""
    seconds: float | None = None
    """Time. How far a search comes in it depends on the machine, and with it the move."""

    def __post_init__(self) -> None:
        simulations, seconds = self.simulations, self.seconds
        if (simulations is None) == (seconds is None):
            raise ValueError("budget must have either simulations or seconds")
        whole = isinstance(simulations, int) and not isinstance(simulations, bool)
        if simulations is not None and not (whole and 1 <= simulations <= MAX_SIMULATIONS):
            raise ValueError(
                f"budget.simulations must be a whole number in 1..{MAX_SIMULATIONS}, got {simulations!r}"
            )
        number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
        if seconds is not None and not (number and math.isfinite(seconds) and 0 < seconds <= LONGEST):
            raise ValueError(
                f"budget.seconds must be a number above 0 and at most {LONGEST:.0f}, got {seconds!r}"
            )

    @property
    def kind(self) -> str:
        """The field that is given."""
        return "seconds" if self.simulations is None else "simulations"


class ForfeitError(Exception):
    """A player has lost its game without a move; the message says why."""


class Player(ABC):
    """Chooses moves for batches of games. A player that holds a network frees it in `close`."""

    name: str
    """Shown in tables and records."""
    budgets: ClassVar[tuple[str, ...]] = ()
    """The fields of `Budget` that it can use."""
    thinks_long: ClassVar[bool] = False
    """Whether a move takes so long that whole matches against it want hours on large boards."""
    follows_games: bool = False
    """Whether it is asked by `follow`, one game after another: a program of its own, or one with a clock."""

    @property
    def identity(self) -> str:
        """What the player's moves depend on besides seed and position; a network adds which one it is."""
        return self.name

    @classmethod
    def from_spec(cls, spec: "PlayerSpec") -> "Player":
        """The player of a specification; one without settings takes no options.

        Raises:
            ValueError: It does not take this path or option.
        """
        if spec.path is not None or spec.options:
            raise ValueError(f"player {spec.kind} takes no path and no options, got {spec.text!r}")
        return cls()

    @classmethod
    def refusal(cls, game: Game[Any]) -> str | None:
        """What the player must play instead, such as `boxes, got kropki`; None if it plays this game."""
        return None

    @property
    def horizon(self) -> int | None:
        """Undrawn lines of Dots and Boxes from which it asks the solver; None where it does not.

        It decides matches between good players, so tables of results say it.
        """
        return None

    @abstractmethod
    def choose(self, game: Game[Any], state: State, seeds: NDArray[np.uint64]) -> NDArray[np.int32]:
        """One legal action for every game of the batch, `NO_ACTION` for the finished ones.

        Args:
            game: Rules and board.
            state: The positions; the player to move is the one asked. B games.
            seeds: One number a game, the same during the whole of it. uint64, shape [B].

        Returns:
            int32, shape [B]. The same for a game whatever other games are in the batch.

        Raises:
            ValueError: The player does not play this game.
        """

    @property
    def whole_games(self) -> bool:
        """Whether it can only be told games from their start, without an opening."""
        return False

    def begin_game(self) -> None:
        """A new game begins in which it is asked by `follow`."""
        return None

    def follow(
        self, game: Game[Any], start: State, actions: Sequence[int], state: State, seed: np.uint64
    ) -> int:
        """Its action in one game that it is told whole.

        Args:
            game: Rules and board.
            start: Where the game began, a batch of one.
            actions: All of both players since.
            state: Where that has led, a batch of one; the player to move is the one asked.
            seed: The game's luck.

        Raises:
            ForfeitError: It has lost the game by not answering with a move.
        """
        return int(self.choose(game, state, np.array([seed], np.uint64))[0])

    def within(self, budget: Budget) -> "Player":
        """The same player with so much for every move.

        It shares all that this one holds, so it is not closed, nor asked any more once this one is closed.

        Raises:
            ValueError: The player cannot use such a budget.
        """
        usable = f"be {' or '.join(self.budgets)}" if self.budgets else "be left out"
        raise ValueError(f"budget must {usable} with player {self.name}, got {budget.kind}")

    def close(self) -> None:
        """Free what the player holds; it is not asked again."""
        return None


class RandomPlayer(Player):
    """Every legal action with the same probability, but none that only ends the game."""

    name = "random"

    def choose(self, game: Game[Any], state: State, seeds: NDArray[np.uint64]) -> NDArray[np.int32]:
        """A uniformly random plain action."""
        return pick(game.plain_actions(state), cast_lots(game, state, seeds))


def cast_lots(
    game: Game[Any], state: State, seeds: NDArray[np.uint64], purpose: int = 0
) -> NDArray[np.uint64]:
    """Independent random numbers that depend on seed, position, action and purpose only.

    A position is what `observe` shows of it: a multilinear hash of its bytes (Carter and Wegman 1979 give the
    family), then splitmix64 (see `core/random.hpp`) for every action. Returns uint64, shape [B, A].
    """
    if seeds.shape != (len(state),) or seeds.dtype != np.uint64:
        raise ValueError(f"seeds must be uint64 of shape ({len(state)},), got {seeds.dtype} {seeds.shape}")
    points = game.observe(state).points.reshape(len(state), int(np.prod(game.observation_shape)))
    weights = mix(np.arange(1, points.shape[1] + 1, dtype=np.uint64)) | np.uint64(1)
    position = mix((points.astype(np.uint64) * weights).sum(axis=1, dtype=np.uint64))
    own = np.uint64(purpose * int(STEP) % 2**64)  # as a NumPy scalar the product would warn that it overflows
    game_luck = mix(mix(seeds + own) ^ position)
    return mix(game_luck[:, None] + np.arange(1, game.num_actions + 1, dtype=np.uint64) * STEP)


def pick(candidates: NDArray[np.bool_], lots: NDArray[np.uint64]) -> NDArray[np.int32]:
    """The candidate with the highest lot in every row, `NO_ACTION` where there is none. Both [B, A]."""
    best = np.where(candidates, lots >> np.uint64(1), np.uint64(0)).argmax(axis=1)
    return np.where(candidates.any(axis=1), best, NO_ACTION).astype(np.int32)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlayerSpec:
    """A player as named on the command line, taken apart."""

    kind: str
    """`random`, a level, or `zero`."""
    path: str | None = None
    """What follows the colon: the folder of a checkpoint."""
    options: dict[str, str] = field(default_factory=dict)
    """What follows the @, as texts."""
    text: str
    """The specification as it was given."""

    def settings(self, kind: type[S]) -> S:
        """The settings of a player that takes options and no path.

        Raises:
            ValueError: There is a path, or `read_settings` refuses an option.
        """
        if self.path is not None:
            raise ValueError(f"player {self.kind} takes no path, got {self.text!r}")
        return read_settings(kind, self.kind, self.options)

    @classmethod
    def parse(cls, text: str) -> "PlayerSpec":
        """Take a specification `KIND[:PATH][@KEY=VALUE,...]` apart.

        Raises:
            ValueError: A part is missing or given twice.
        """
        head, at, tail = text.strip().rpartition("@")
        if not at or "=" not in tail:  # an @ may also belong to the path
            head, tail = text.strip(), ""
        kind, colon, path = head.partition(":")
        if not kind or (colon and not path):
            raise ValueError(f"player must be KIND or KIND:PATH, with options @KEY=VALUE,..., got {text!r}")
        options: dict[str, str] = {}
        for option in tail.split(",") if tail else ():
            key, equals, value = (part.strip() for part in option.partition("="))
            if not key or not equals or not value or key in options:
                raise ValueError(f"player options must be KEY=VALUE, each once, got {option!r} in {text!r}")
            options[key] = value
        return cls(kind=kind, path=path or None, options=options, text=text.strip())


def spec_text(kind: str, path: str | None, options: Mapping[str, str]) -> str:
    """The specification that `PlayerSpec.parse` takes apart so."""
    head = kind if path is None else f"{kind}:{path}"
    chosen = ",".join(f"{key}={value}" for key, value in options.items())
    return f"{head}@{chosen}" if chosen else head


def make_player(text: str, game: Game[Any]) -> Player:
    """The player that a specification names, for this game.

    Raises:
        ValueError: There is no such player of this game, it does not play these rules, or it does not take
            this path or option.
    """
    from dotzero.play.levels import nameable_players  # the levels build on this module

    spec = PlayerSpec.parse(text)
    if spec.kind == "zero":
        return _make_zero(spec, game)
    if spec.kind == "engine":
        return _make_engine(spec, game)
    kinds = nameable_players(game.name)
    if spec.kind not in kinds:
        known = ", ".join([*kinds, "zero", "zero:DIR", "engine:COMMAND"])
        raise ValueError(f"player of {game.name} must be one of {known}, got {text!r}")
    kind = kinds[spec.kind]
    if reason := kind.refusal(game):
        raise ValueError(f"player {spec.kind} must play {reason}")
    return kind.from_spec(spec)


def _make_engine(spec: PlayerSpec, game: Game[Any]) -> Player:
    from dotzero.play.external import make_external  # builds on this module

    return make_external(spec, game)


def _make_zero(spec: PlayerSpec, game: Game[Any]) -> Player:
    from dotzero.play.zero import make_zero  # loads torch, which the other players do without

    return make_zero(spec, game)
