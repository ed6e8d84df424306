"""Exact play in Dots and Boxes: values, best lines and best continuations of any position.

The solver (`core/solver.hpp`) takes every board of at most 64 dots, 7x7 boxes among them. The one idea: what
is still to come depends on the undrawn lines alone, so a position is its set of lines; who owns what is added
by whoever asks. Values are boxes still to come for the player to move less the other's, under best play.

How far it reaches on 5x5: microseconds at 30 undrawn lines, milliseconds at 36, about a second at 40. A
question may have a limit. One that is ended by it tells bounds, never a wrong value; a limit by nodes gives
the same answer every time, a limit by time does not.

Shape letters as in `envs/boxes.py`: L lines; K positions; n undrawn lines.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from dotzero import _core
from dotzero.envs.boxes import BoxesGame, BoxesRules, Scoring
from dotzero.envs.game import Game

MAX_DOTS = 64
"""The largest board of the solver, in dots: 7x7 boxes, or 31x1."""
MAX_SET_LINES = 28
"""The most undrawn lines of `set_values`: a table of 256 MiB."""
MAX_TABLE_MIB = (1 << 18) - 1
"""The largest table: its buckets of 64 bytes are numbered with 32 bits."""
_MAX_THREADS = 256


@dataclass(kw_only=True, slots=True)
class SolverConfig:
    """What a solver may use of the machine."""

    table_mib: int = 64
    """Memory of the table of positions, in MiB; taken when it is first needed. A search much longer than
    the table (65,536 positions a MiB) slows down many times. With `max_nodes` each thread has its own."""
    num_threads: int = 1
    """Threads: for the positions of a batch, or all for one position."""

    def __post_init__(self) -> None:
        for name, most in (("table_mib", MAX_TABLE_MIB), ("num_threads", _MAX_THREADS)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
                raise ValueError(f"SolverConfig.{name} must be a whole number in 1..{most}, got {value!r}")


class Solution(NamedTuple):
    """Values of K positions."""

    lower: NDArray[np.int16]
    """The value is at least this. Shape [K]."""
    upper: NDArray[np.int16]
    """And at most this. Shape [K]."""
    num_nodes: NDArray[np.int64]
    """Positions searched. Shape [K]."""

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Where the value is known. Shape [K]."""
        return np.asarray(self.lower == self.upper)


class LineValues(NamedTuple):
    """Values of all undrawn lines of K positions, for the player who draws them; 0 for drawn ones."""

    lower: NDArray[np.int16]
    """Shape [K, L]."""
    upper: NDArray[np.int16]
    """Shape [K, L]."""
    num_nodes: NDArray[np.int64]
    """Positions searched. Shape [K]."""

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Where all lines are known. Shape [K]."""
        return np.asarray((self.lower == self.upper).all(axis=1))


class BestLines(NamedTuple):
    """The lines of best value of K positions."""

    best: NDArray[np.bool_]
    """All False where a limit came before they were known, and in a finished position. Shape [K, L]."""
    value: NDArray[np.int16]
    """Value of the position, 0 where not exact. Shape [K]."""
    num_nodes: NDArray[np.int64]
    """Positions searched. Shape [K]."""
    exact: NDArray[np.bool_]
    """Whether value and lines are known. Shape [K]."""


class Rollouts(NamedTuple):
    """What random play came to after the candidate lines of K positions."""

    value: NDArray[np.float32]
    """Mean value of each candidate for the player to move, 0 for other lines. Shape [K, L]."""
    visits: NDArray[np.int32]
    """Rollouts of each candidate, 0 for other lines. Shape [K, L]."""


class Solver:
    """Exact play on one board. What it learns of positions it keeps for later questions."""

    def __init__(self, game: BoxesGame, config: SolverConfig | None = None) -> None:
        """Make a solver; memory is taken with the first question.

        Raises:
            ValueError: The board has more than 64 dots, or scoring is misere.
        """
        require_fits(game.rules, "exact play")
        config = config or SolverConfig()
        self._rules = game.rules
        self._core = _core.ExactPlay(
            game.rules.rows, game.rules.columns, config.table_mib << 20, config.num_threads
        )

    def forget(self) -> None:
        """Empty the table, as after a restart. Values do not depend on it, times do."""
        self._core.forget()

    def solve(
        self, lines: NDArray[np.uint8], *, max_nodes: int | None = None, max_seconds: float | None = None
    ) -> Solution:
        """Values of positions.

        Args:
            lines: 1 where a line is drawn. Shape [K, L].
            max_nodes: Limit of positions searched for each. Each is then searched by one thread from an empty
                table, so that the answer does not hang on earlier questions.
            max_seconds: Limit of time for all together.

        Raises:
            ValueError: Lines have another form, or a limit is negative or no number.
        """
        return Solution(*self._core.solve(self._checked(lines), *_limits(max_nodes, max_seconds)))

    def line_values(
        self, lines: NDArray[np.uint8], *, max_nodes: int | None = None, max_seconds: float | None = None
    ) -> LineValues:
        """The value of drawing every undrawn line. Arguments as for `solve`; a limit holds for all lines."""
        return LineValues(*self._core.line_values(self._checked(lines), *_limits(max_nodes, max_seconds)))

    def best_lines(
        self, lines: NDArray[np.uint8], *, max_nodes: int | None = None, max_seconds: float | None = None
    ) -> BestLines:
        """All lines that keep the value, with less work than `line_values`. Arguments as for `solve`."""
        return BestLines(*self._core.best_lines(self._checked(lines), *_limits(max_nodes, max_seconds)))

    def principal_variation(self, line_set: NDArray[np.uint8]) -> list[int]:
        """One best line after the other to the end of the game: each the first by number. `line_set` [L]."""
        lines = self._checked(np.asarray(line_set)[None]).copy()
        drawn: list[int] = []
        while not lines.all():
            drawn.append(int(self.best_lines(lines).best[0].argmax()))
            lines[0, drawn[-1]] = 1
        return drawn

    def rollouts(
        self,
        lines: NDArray[np.uint8],
        num_rollouts: int,
        seeds: NDArray[np.uint64],
        *,
        exact_lines: int = 30,
    ) -> Rollouts:
        """Try the safe lines, and sacrifices of one or two boxes, by random safe play with an exact end.

        Args:
            lines: Positions without boxes on offer. Shape [K, L].
            num_rollouts: About so many in all for each, the more of them the better a candidate.
            seeds: Luck of each position. Shape [K].
            exact_lines: A rollout ends in exact play when so few lines are undrawn, fewer where that costs
                much, or no line is safe.

        Raises:
            ValueError: A position has boxes on offer, or a number is too small.
        """
        if not (1 <= num_rollouts < 1 << 31 and 0 <= exact_lines < 1 << 31):
            raise ValueError(
                f"rollouts need num_rollouts of at least 1 and exact_lines of at least 0, both below 2^31, "
                f"got {num_rollouts} and {exact_lines}"
            )
        luck = np.ascontiguousarray(seeds)
        if luck.dtype != np.uint64:
            raise ValueError(f"seeds must be uint64, got {luck.dtype}")
        return Rollouts(*self._core.rollouts(self._checked(lines), num_rollouts, luck, exact_lines))

    def _checked(self, lines: NDArray[np.uint8]) -> NDArray[np.uint8]:
        array = np.ascontiguousarray(lines)
        num_lines = self._rules.num_lines
        if array.ndim != 2 or array.shape[1] != num_lines:
            raise ValueError(f"lines must have shape (positions, {num_lines}), got {array.shape}")
        return _zeros_and_ones(array)


def _zeros_and_ones(lines: NDArray[Any]) -> NDArray[np.uint8]:
    if lines.dtype.kind not in "bui" or (lines.size and not 0 <= lines.min() <= lines.max() <= 1):
        raise ValueError(
            f"lines must be whole numbers 0 or 1, got {lines.dtype} with {np.unique(lines)[-3:]}"
        )
    return lines.astype(np.uint8, copy=False)


def _limits(max_nodes: int | None, max_seconds: float | None) -> tuple[int | None, float | None]:
    whole = isinstance(max_nodes, (int, np.integer)) and not isinstance(max_nodes, bool)
    if max_nodes is not None and not (whole and 0 <= max_nodes < 1 << 63):
        raise ValueError(f"max_nodes must be a whole number of at least 0, got {max_nodes!r}")
    number = isinstance(max_seconds, (int, float, np.number)) and not isinstance(max_seconds, bool)
    if max_seconds is not None and not (number and max_seconds >= 0):
        raise ValueError(f"max_seconds must be a number of at least 0, got {max_seconds!r}")
    return max_nodes, max_seconds


def fits(rules: BoxesRules) -> bool:
    """Whether the solver plays by these rules on this board."""
    return (rules.rows + 1) * (rules.columns + 1) <= MAX_DOTS and rules.scoring is Scoring.NORMAL


def has_solver(game: Game[Any]) -> TypeGuard[BoxesGame]:
    """Whether there is exact play for this game on its board."""
    return isinstance(game, BoxesGame) and fits(game.rules)


def require_fits(rules: BoxesRules, who: str) -> None:
    """Refuse rules that the solver does not play.

    Raises:
        ValueError: The board has more than 64 dots, or scoring is misere; the message begins with `who`.
    """
    if rules.scoring is not Scoring.NORMAL:
        raise ValueError(f"{who} must have scoring=normal, got {rules.scoring.value}")
    if not fits(rules):
        size = f"{rules.rows}x{rules.columns}"
        dots = (rules.rows + 1) * (rules.columns + 1)
        raise ValueError(f"{who} must have a board of at most {MAX_DOTS} dots, got {size} boxes with {dots}")


def set_values(game: BoxesGame, line_set: NDArray[np.uint8]) -> NDArray[np.int8]:
    """The values of all sets of lines that can follow from one, by filling a table from the end.

    From the rules alone, without chain theory: slow, certain, and good for both scorings. The last value is
    that of the position itself.

    Args:
        game: The rules.
        line_set: 1 where a line is drawn, at most 28 undrawn. Shape [L].

    Returns:
        int8, shape [2**n]: entry s has the undrawn lines whose bits are set in s, bit i being the i-th in
        the order of line numbers. In misere the value is the other's boxes to come less one's own.

    Raises:
        ValueError: More than 28 lines are undrawn.
    """
    lines = np.ascontiguousarray(line_set)
    if lines.shape != (game.rules.num_lines,):
        raise ValueError(f"lines must have shape ({game.rules.num_lines},), got {lines.shape}")
    lines = _zeros_and_ones(lines)
    num_undrawn = int((lines == 0).sum())
    if num_undrawn > MAX_SET_LINES:
        raise ValueError(
            f"a table of all sets must have at most {MAX_SET_LINES} undrawn lines, got {num_undrawn}"
        )
    misere = game.rules.scoring is Scoring.MISERE
    return _core.set_values(_core.Boxes(game.rules.rows, game.rules.columns), lines, misere)
