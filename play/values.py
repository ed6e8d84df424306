"""What a position of Dots and Boxes and each of its lines are worth, found out bit by bit.

The one idea: bounds that close in. The solver is asked again and again for a short time, and as it keeps what
it has learnt, every question goes on where the last one ended. So whoever waits can be shown how far it is,
can interrupt, and at any moment there are bounds that are true; nothing is ever estimated.

A limit by nodes is another matter: the solver then answers in one go from an empty table, the same every
time. Misere has no solver; a table of all sets of the undrawn lines takes its place.

Values are boxes to come for the player to move minus the other's (in misere the reverse) under best play.
Shape letters as in `envs/boxes.py`: L lines; n undrawn lines.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame, BoxesState, Scoring
from dotzero.search.endgame import Solver, SolverConfig, set_values

MOST_MISERE_LINES = 24
"""Undrawn lines of the largest misere position that is valued: its table has 2^24 sets and takes seconds."""
_FIRST_SLICE = 0.1
"""Seconds of the first question about a position; each question takes twice the time of the one before."""
_LONGEST_SLICE = 2.0
"""Seconds between two looks at how far the search is."""
_FIRST_LINE_SLICE = 0.02
"""Seconds that each line gets in the first round over all lines: enough for those that are easy."""
_VALUE_SHARE, _LINES_SHARE = 0.6, 0.9
"""Of the whole time: when the search for the value of the position ends at the latest, and that for lines."""


@dataclass(kw_only=True, slots=True)
class ValuesConfig:
    """What the search for values may use."""

    max_seconds: float | None = 10.0
    """Time in all; None: no limit."""
    max_nodes: int | None = None
    """Positions searched for the value, and as many again for all lines together; None: no limit."""
    solver: SolverConfig = field(default_factory=SolverConfig)
    """Memory and threads."""

    def __post_init__(self) -> None:
        if self.max_seconds is not None and not self.max_seconds > 0:
            raise ValueError(f"ValuesConfig.max_seconds must be above 0, got {self.max_seconds}")
        if self.max_nodes is not None and self.max_nodes < 1:
            raise ValueError(f"ValuesConfig.max_nodes must be at least 1, got {self.max_nodes}")


class ValueSearch:
    """One position under search. Its bounds are true at any time and are exact once they meet."""

    def __init__(
        self, game: BoxesGame, state: BoxesState, solver: Solver | None, config: ValuesConfig
    ) -> None:
        """Begin with the bounds that the number of boxes gives.

        Args:
            game: Normal scoring, and a board that the solver takes; or misere.
            state: A batch of one game.
            solver: Of this board; None in misere.
            config: Limits.

        Raises:
            ValueError: A misere position has too many undrawn lines.
        """
        self.game, self.state, self.solver, self.config = game, state, solver, config
        self.undrawn = np.flatnonzero(state.lines[0] == 0)
        num_undrawn = len(self.undrawn)
        if solver is None and num_undrawn > MOST_MISERE_LINES:
            raise ValueError(
                f"scoring=misere must have at most {MOST_MISERE_LINES} undrawn lines to be valued, "
                f"got {num_undrawn}"
            )
        self.after = game.step(state[np.zeros(num_undrawn, int)], self.undrawn) if num_undrawn else state[:0]
        self.taken = (self.after.score - state.score).sum(axis=1, dtype=np.int16)
        """Boxes that each undrawn line takes. Shape [n]."""
        num_open = game.rules.num_boxes - int(state.score.sum())
        self.lower, self.upper = -num_open, num_open
        won = -self.taken if game.rules.scoring is Scoring.MISERE else self.taken
        self.line_lower: NDArray[np.int16] = won - (num_open - self.taken)
        """Every undrawn line is worth at least this. Shape [n]."""
        self.line_upper: NDArray[np.int16] = won + (num_open - self.taken)
        """Every undrawn line is worth at most this. Shape [n]."""
        self.variation: list[int] = []
        """Best lines of both players, one after the other, as far as they are known."""
        self.num_nodes = 0
        self.begun = time.monotonic()

    @property
    def exact(self) -> bool:
        """Whether the value of the position is known."""
        return self.lower == self.upper

    @property
    def num_exact_lines(self) -> int:
        """The number of undrawn lines whose values are known."""
        return int((self.line_lower == self.line_upper).sum())

    @property
    def seconds(self) -> float:
        """Time since the search began."""
        return time.monotonic() - self.begun

    @property
    def best(self) -> tuple[int, ...] | None:
        """All lines of the best value; None where that is not known of every line."""
        if not len(self.undrawn):
            return ()
        possible = self.line_upper >= self.line_lower.max()
        if possible.sum() > 1 and (self.line_lower[possible] < self.line_upper.max()).any():
            return None
        return tuple(self.undrawn[possible].tolist())

    def run(self) -> Iterator[None]:
        """Search until everything is known or a limit is reached; yields after every question."""
        yield from self.narrow_position(_VALUE_SHARE)
        yield from self.narrow_lines(_LINES_SHARE)
        if self.exact:
            yield from self.follow_best(1.0)

    def narrow_position(self, share: float = 1.0) -> Iterator[None]:
        """Search the position itself, until this share of the time is over at the latest."""
        if self.solver is None:
            self._fill_from_table()
            yield
            return
        nodes, length = self.config.max_nodes, _FIRST_SLICE
        while not self.exact:
            seconds = self._left(share, length if nodes is None else None)
            if seconds is not None and seconds <= 0:
                return
            self._ask(self.state.lines, nodes, seconds)
            yield
            if nodes is not None:
                return
            length = min(2 * length, _LONGEST_SLICE)

    def narrow_lines(self, share: float = 1.0) -> Iterator[None]:
        """Search the lines until this share of the time is over at the latest: in rounds, easy ones first."""
        if self.solver is None:
            return  # the table has told them with the position
        if self.config.max_nodes is not None:
            found = self.solver.line_values(
                self.state.lines, max_nodes=self.config.max_nodes, max_seconds=self._left(share)
            )
            self.num_nodes += int(found.num_nodes[0])
            self._note_lines(found.lower[0, self.undrawn], found.upper[0, self.undrawn])
            yield
            return
        length = _FIRST_LINE_SLICE
        while self.num_exact_lines < len(self.undrawn):
            for i in np.flatnonzero(self.line_lower < self.line_upper).tolist():
                seconds = self._left(share, length)
                if seconds is not None and seconds <= 0:
                    return
                self._ask_line(i, seconds)
                yield
            length = min(2 * length, _LONGEST_SLICE)

    def follow_best(self, share: float = 1.0) -> Iterator[None]:
        """Extend the variation to the end of the game, or until this share of the time is over."""
        if self.solver is None:
            return
        lines, best, nodes, length = self.state.lines.copy(), self.best, self.config.max_nodes, _FIRST_SLICE
        self.variation = []
        while not lines.all():
            if best:
                self.variation.append(best[0])
                lines[0, best[0]] = 1
                best, length = None, _FIRST_SLICE
                continue
            seconds = self._left(share, length if nodes is None else None)
            if seconds is not None and seconds <= 0:
                return
            found = self.solver.best_lines(lines, max_nodes=nodes, max_seconds=seconds)
            self.num_nodes += int(found.num_nodes[0])
            best = tuple(np.flatnonzero(found.best[0]).tolist())
            yield
            if not best and nodes is not None:
                return
            length = min(2 * length, _LONGEST_SLICE)

    def _left(self, share: float, slice_seconds: float | None = None) -> float | None:
        """Seconds left of a share of the time, and of one question; None: no limit."""
        total = self.config.max_seconds
        if total is None:
            return slice_seconds
        left = max(0.0, share * total - self.seconds)
        return left if slice_seconds is None else min(left, slice_seconds)

    def _ask(self, lines: NDArray[np.uint8], nodes: int | None, seconds: float | None) -> None:
        assert self.solver is not None
        found = self.solver.solve(lines, max_nodes=nodes, max_seconds=seconds)
        self.num_nodes += int(found.num_nodes[0])
        self.lower, self.upper = max(self.lower, int(found.lower[0])), min(self.upper, int(found.upper[0]))

    def _ask_line(self, i: int, seconds: float | None) -> None:
        assert self.solver is not None
        found = self.solver.solve(self.after.lines[i : i + 1], max_seconds=seconds)
        self.num_nodes += int(found.num_nodes[0])
        lower, upper = self.line_lower.copy(), self.line_upper.copy()
        if self.taken[i]:
            lower[i], upper[i] = self.taken[i] + found.lower[0], self.taken[i] + found.upper[0]
        else:
            lower[i], upper[i] = -found.upper[0], -found.lower[0]
        self._note_lines(lower, upper)

    def _note_lines(self, lower: NDArray[np.int16], upper: NDArray[np.int16]) -> None:
        """Take in bounds of all lines, each [n]; the position is worth what its best line is."""
        if not len(lower):
            return
        self.line_lower = np.maximum(self.line_lower, lower)
        self.line_upper = np.minimum(self.line_upper, upper)
        self.lower = max(self.lower, int(self.line_lower.max()))
        self.upper = min(self.upper, int(self.line_upper.max()))
        self.line_upper = np.minimum(self.line_upper, np.int16(self.upper))

    def _fill_from_table(self) -> None:
        """Everything from the values of all sets of lines."""
        table = set_values(self.game, self.state.lines[0])
        self.num_nodes = len(table)
        state, worth_first = self.state, self.line_lower
        while not state.finished[0]:
            choices, after, worth = worth_by_table(self.game, state, self.undrawn, table)
            if not self.variation:
                worth_first = worth
            best = int(worth.argmax())
            self.variation.append(int(choices[best]))
            state = after[[best]]
        self.lower = self.upper = int(table[-1])
        self.line_lower = self.line_upper = worth_first


def worth_by_table(
    game: BoxesGame, state: BoxesState, undrawn: NDArray[np.integer], table: NDArray[np.int8]
) -> tuple[NDArray[np.intp], BoxesState, NDArray[np.int16]]:
    """What each line is worth by the values of all sets of the lines `undrawn`, as of `set_values`.

    Args:
        game: The board.
        state: A batch of one, reached by lines of `undrawn` alone.
        undrawn: The lines that the table's sets are of.
        table: Values of all sets.

    Returns:
        The undrawn lines of `state`, the states after them, and their worth for the player to move. Each [n].
    """
    choices = np.flatnonzero(state.lines[0] == 0)
    after = game.step(state[np.zeros(len(choices), int)], choices)
    rest = table[(after.lines[:, undrawn] == 0) @ (1 << np.arange(len(undrawn)))].astype(np.int16)
    taken = (after.score - state.score).sum(axis=1, dtype=np.int16)
    won = -taken if game.rules.scoring is Scoring.MISERE else taken
    return choices, after, np.where(taken > 0, won + rest, -rest)
