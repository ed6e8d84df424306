"""What every position of a game is worth: exact where it can be calculated, else by a network, else unknown.

The one idea: one table for the whole game, seen by player 0, so that what a move cost is the difference of
two rows. Exact values of Dots and Boxes are found from the end: the positions there are easy, and the first
one that its limit ends has only harder ones before it, which are not tried. What is left is given to the
network's search in batches, and all games of a batch of games share networks and solvers.

Misere has no solver; from 24 undrawn lines on a table of all sets of lines has its values.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame, BoxesRules, Scoring
from dotzero.envs.kropki import KropkiGame
from dotzero.play.engine_players import Kept, Players
from dotzero.play.game_positions import GamePositions
from dotzero.play.players import Budget, PlayerSpec
from dotzero.play.values import MOST_MISERE_LINES, worth_by_table
from dotzero.search.endgame import Solver, SolverConfig, fits, set_values

if TYPE_CHECKING:
    from dotzero.play.zero import ZeroPlayer

MAX_NODES = 2_000_000
"""Positions that the solver may search for one position of a game where nothing else is said: a second."""
_MOST_SOLVERS = 2
_MOST_AT_ONCE = 64
"""Positions in one batch of searches."""
_MOST_EDGES = 2 * 10**7
"""Simulations times actions times positions of a batch: a few hundred megabytes."""
Progress = Callable[[int, int], None]
"""Told how many positions of how many have been looked at."""


@dataclass(kw_only=True, slots=True)
class GameValuesConfig:
    """How the positions of games are valued."""

    level: str | None = None
    """The network for what cannot be calculated: `zero` or `zero:DIR` with options; None: there is none."""
    budget: Budget | None = None
    """What its search may use for one position; None: as its options say."""
    max_nodes: int | None = MAX_NODES
    """Positions that the solver may search for one position of a game; None: no limit."""
    max_seconds: float | None = None
    """Its time for one; None: no limit."""
    solver: SolverConfig = field(default_factory=SolverConfig)
    """Memory and threads."""
    seed: int = 0
    """The luck of the network's search."""

    def __post_init__(self) -> None:
        if self.level is not None and PlayerSpec.parse(self.level).kind != "zero":
            raise ValueError(
                f"GameValuesConfig.level must be zero or zero:DIR, the one that values positions, "
                f"got {self.level}"
            )


@dataclass(kw_only=True, slots=True)
class GameValues:
    """What is known of the n + 1 positions of a game; NaN where it is not."""

    margin: NDArray[np.float64]
    """The final margin, seen by player 0, in points and with any komi. Shape [n + 1]."""
    win: NDArray[np.float64]
    """The chance that player 0 wins, a draw counting one half. Shape [n + 1]."""
    exact: NDArray[np.bool_]
    """Whether `margin` is certain. Shape [n + 1]."""
    best: list[tuple[int, ...]]
    """The best moves: all of them where exact, else the network's choice; empty where unknown. n + 1."""
    certain_win: NDArray[np.bool_]
    """Whether `win` is certain. Shape [n + 1]."""


class GameValuer:
    """Values games one after the other; what it holds is freed by `close`."""

    def __init__(self, config: GameValuesConfig | None = None) -> None:
        self._config = config or GameValuesConfig()
        self._players = Players()
        self._solvers: Kept[BoxesRules, Solver] = Kept(_MOST_SOLVERS)

    def values(self, positions: GamePositions, tell: Progress | None = None) -> GameValues:
        """Value all positions of a game.

        Raises:
            ValueError: No network plays this board, or it cannot be read.
        """
        found = _known_at_once(positions)
        game = positions.game
        if isinstance(game, BoxesGame):
            if game.rules.scoring is Scoring.MISERE:
                _fill_from_table(positions, game, found)
            elif fits(game.rules):
                self._solve(positions, game, found, tell)
        if self._config.level is not None:
            self._ask_network(positions, found, tell)
        return found

    def close(self) -> None:
        """Free networks and solvers."""
        self._players.close()
        self._solvers.clear()

    def _solve(
        self, positions: GamePositions, game: BoxesGame, found: GameValues, tell: Progress | None
    ) -> None:
        """Exact values from the end on, as far as the limits allow."""
        solver = self._solvers.get(game.rules, lambda: Solver(game, self._config.solver))
        nodes, seconds = self._config.max_nodes, self._config.max_seconds
        lines, leads, sign = positions.states.lines, positions.leads, _signs(positions)
        total = len(found.best)
        for number in reversed(range(total)):
            if not found.exact[number]:
                answer = solver.best_lines(lines[number : number + 1], max_nodes=nodes, max_seconds=seconds)
                if not answer.exact[0]:
                    return
                margin = float(leads[number] + sign[number] * answer.value[0])
                _note_exact(found, number, margin, np.flatnonzero(answer.best[0]).tolist())
            if tell is not None:
                tell(total - number, total)

    def _ask_network(self, positions: GamePositions, found: GameValues, tell: Progress | None) -> None:
        """Estimates of the positions that are not known."""
        assert self._config.level is not None
        player: Any = self._players.get(self._config.level, positions.game)
        zero: ZeroPlayer = player
        rows, total = np.flatnonzero(~found.exact), len(found.best)
        budget = self._config.budget
        if budget is not None and budget.simulations is not None:
            zero = zero.within(budget)
        most = _MOST_EDGES // (positions.game.num_actions * zero.num_simulations)
        size, done = max(1, min(_MOST_AT_ONCE, most)), total - len(rows)
        for begin in range(0, len(rows), size):
            some = rows[begin : begin + size]
            if budget is not None and budget.seconds is not None:
                zero = player.within(Budget(seconds=budget.seconds * len(some)))
            self._estimate(positions, found, some, zero)
            if tell is not None:
                tell(done + begin + len(some), total)

    def _estimate(
        self, positions: GamePositions, found: GameValues, rows: NDArray[np.intp], zero: "ZeroPlayer"
    ) -> None:
        state, slots = positions.states[rows], np.arange(len(rows), dtype=np.int32)
        search = zero.search(positions.game, state, np.full(len(rows), self._config.seed, np.uint64))
        chances = search.estimates(slots)
        sign = _signs(positions)[rows]
        found.margin[rows] = sign * chances[:, 1]
        known = found.certain_win[rows]
        found.win[rows] = np.where(known, found.win[rows], (1 + sign * chances[:, 0]) / 2)
        for row, action in zip(rows.tolist(), search.choose(slots).tolist(), strict=True):
            found.best[row] = (action,)


def _signs(positions: GamePositions) -> NDArray[np.float64]:
    """+1 where player 0 is to move, else -1. Shape [n + 1]."""
    return np.where(positions.states.to_move == 0, 1.0, -1.0)


def _known_at_once(positions: GamePositions) -> GameValues:
    """Finished positions; in Kropki also who wins by stopping at once."""
    total, leads = len(positions) + 1, positions.leads.astype(np.float64)
    over = np.asarray(positions.states.finished).copy()
    win = np.where(over, (1 + np.sign(leads)) / 2, np.nan)
    certain = over.copy()
    if isinstance(positions.game, KropkiGame):
        mover = positions.states.to_move
        stops = ~over & (positions.game.decided(positions.states) == mover)
        win[stops], certain = 1.0 - mover[stops], certain | stops
    margin = np.where(over, leads, np.nan)
    return GameValues(margin=margin, win=win, exact=over, best=[()] * total, certain_win=certain)


def _note_exact(found: GameValues, number: int, margin: float, best: list[int]) -> None:
    found.margin[number], found.exact[number] = margin, True
    found.win[number], found.certain_win[number] = (1 + float(np.sign(margin))) / 2, True
    found.best[number] = tuple(best)


def _fill_from_table(positions: GamePositions, game: BoxesGame, found: GameValues) -> None:
    """Misere: everything from the first position on that has few enough undrawn lines."""
    states, leads, sign = positions.states, positions.leads, _signs(positions)
    few = np.flatnonzero((states.lines == 0).sum(axis=1) <= MOST_MISERE_LINES)
    few = few[~found.exact[few]]
    if not len(few):
        return
    first = int(few[0])
    undrawn = np.flatnonzero(states.lines[first] == 0)
    table = set_values(game, states.lines[first])
    for number in few.tolist():
        choices, _, worth = worth_by_table(game, states[[number]], undrawn, table)
        margin = float(leads[number] + sign[number] * worth.max())
        _note_exact(found, number, margin, choices[worth == worth.max()].tolist())
