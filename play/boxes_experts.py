"""Levels hard and insane of Dots and Boxes: they calculate, with the exact solver.

Hard takes boxes and draws random safe lines like medium, but once no safe line is left it draws a line of
best value: it opens the right chain or loop at the right time, and declines the last boxes of one exactly
where being ahead in the rest is worth more.

Insane begins to calculate earlier. Where the position is small enough it knows the value and errs no more;
with 19 undrawn lines that is certain, with more a limit of positions ends the attempt. Before that it tries
each safe line, and each sacrifice of one or two boxes, by random safe play with an exact end: that tells who
will have to open the first long chain. The long chain rule is not asked besides: added to the means of the
rollouts as 0.4 boxes or as 1.5 it won 47 and 53 of 100 games against insane without it.

With boxes on offer let T be their number, q the price of a double deal (`double_deal_options`) and v the
value of the rest: taking all is worth T + v and leaving q of them T - 2q - v. So v, exact or tried, decides.

Shape letters as in `envs/boxes.py`: B games, L lines; K positions without boxes on offer.
"""

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame, BoxesRules, BoxesState
from dotzero.envs.game import Game
from dotzero.play.boxes_levels import BoxesLevel, careful_lines
from dotzero.play.players import PlayerSpec, cast_lots
from dotzero.search.chains import double_deal_options
from dotzero.search.endgame import MAX_DOTS, Solver, fits
from dotzero.search.gifts import are_safe, most_sides, take_all

CERTAIN_LINES = 19
"""Insane knows the value of every position with so few undrawn lines, whatever its settings."""
_ROLLOUTS = 1  # a purpose of luck


class BoxesExpert(BoxesLevel):
    """A level with a solver for each board that it meets, made when it is first needed."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._solvers: dict[BoxesRules, Solver] = {}

    @classmethod
    def refusal(cls, game: Game[Any]) -> str | None:
        """What all levels refuse, and boards that are too large for the solver."""
        reason = super().refusal(game)
        if reason is None and isinstance(game, BoxesGame) and not fits(game.rules):
            rows, columns = game.size
            return f"on at most {MAX_DOTS} dots, got {rows}x{columns} boxes with {(rows + 1) * (columns + 1)}"
        return reason

    def close(self) -> None:
        """Free the solvers."""
        self._solvers.clear()

    def solver(self, game: BoxesGame) -> Solver:
        """The solver for a board."""
        if game.rules not in self._solvers:
            self._solvers[game.rules] = Solver(game)
        return self._solvers[game.rules]


class BoxesHard(BoxesExpert):
    """Takes boxes and draws safe lines; plays without an error once no safe line is left."""

    name = "hard"

    def candidates(self, game: BoxesGame, state: BoxesState, seeds: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """The lines that take a box, else the safe ones; all best ones where no line is safe."""
        candidates = careful_lines(game, state)
        loony = ~_has_safe_line(game.rules, state.lines) & ~state.finished
        if loony.any():
            candidates[loony] = self.solver(game).best_lines(state.lines[loony]).best
        return candidates


@dataclass(kw_only=True, slots=True)
class InsaneConfig:
    """How much level insane calculates."""

    exact_lines: int = 42
    """Most undrawn lines of a position whose value it tries to find out."""
    nodes: int = 1_000_000
    """Positions that such an attempt may search; no limit at 19 undrawn lines or without a safe line."""
    rollouts: int = 2000
    """Games played out to choose a line where no value is known."""

    def __post_init__(self) -> None:
        for item, least, most in zip(fields(self), (0, 1, 1), (255, 10**10, 10**7), strict=True):
            value = getattr(self, item.name)
            if not least <= value <= most:
                raise ValueError(f"insane: {item.name} must be in {least}..{most}, got {value}")


class _Verdict(NamedTuple):
    """What is known or believed of K positions without boxes on offer."""

    lines: NDArray[np.bool_]
    """The best lines. Shape [K, L]."""
    value: NDArray[np.float64]
    """Value to come for the player to move. Shape [K]."""


class BoxesInsane(BoxesExpert):
    """Plays by the exact value where it can be had, else by games played out to an exact end."""

    name = "insane"

    def __init__(self, config: InsaneConfig | None = None, name: str | None = None) -> None:
        super().__init__(name)
        self._config = InsaneConfig() if config is None else config

    @classmethod
    def from_spec(cls, spec: PlayerSpec) -> "BoxesInsane":
        """With the options `exact_lines`, `nodes` and `rollouts`."""
        return cls(spec.settings(InsaneConfig), spec.text)

    @property
    def identity(self) -> str:
        """Name and settings."""
        return f"{self.name} {self._config}"

    @property
    def horizon(self) -> int:
        """As in its settings, as far as its nodes go."""
        return max(self._config.exact_lines, CERTAIN_LINES)

    def candidates(self, game: BoxesGame, state: BoxesState, seeds: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """The best lines; with boxes on offer those that begin to take all, or to double-deal."""
        rest = state.copy()
        rest.lines = take_all(game.rules, state.lines)
        verdict = self._judge(game, rest, seeds)
        candidates = verdict.lines
        offered = np.flatnonzero((rest.lines != state.lines).any(axis=1))
        candidates[offered] = most_sides(game.rules, state.lines[offered]) == 3
        for index in offered:
            deals = double_deal_options(game.rules, state.lines[index])
            if deals and verdict.value[index] < -len(deals[0].left):
                candidates[index] = False
                candidates[index, [deal.lines[0] for deal in deals]] = True
        return candidates

    def _judge(self, game: BoxesGame, state: BoxesState, seeds: NDArray[np.uint64]) -> _Verdict:
        """The exact verdict where it can be had, else that of rollouts. Nothing is on offer. [K]."""
        lines = state.lines
        verdict = _Verdict(np.zeros(lines.shape, np.bool_), np.zeros(len(lines)))
        num_undrawn = (lines == 0).sum(axis=1)
        certain = (num_undrawn <= CERTAIN_LINES) | ~_has_safe_line(game.rules, lines)
        tried = ~certain & (num_undrawn <= self._config.exact_lines)
        unknown = ~certain & ~tried
        for asked, max_nodes in ((certain, None), (tried, self._config.nodes)):
            rows = np.flatnonzero(asked)
            if len(rows):
                found = self.solver(game).best_lines(lines[rows], max_nodes=max_nodes)
                verdict.lines[rows], verdict.value[rows] = found.best, found.value
                unknown[rows[~found.exact]] = True
        rows = np.flatnonzero(unknown)
        if len(rows):
            luck = cast_lots(game, state[rows], seeds[rows], _ROLLOUTS)[:, 0].copy()
            means, visits = self.solver(game).rollouts(lines[rows], self._config.rollouts, luck)
            # Those that were dropped early have few visits and a mean that may be luck.
            kept = np.where(visits == visits.max(axis=1, keepdims=True), means, -np.inf)
            verdict.value[rows] = kept.max(axis=1)
            verdict.lines[rows] = kept == kept.max(axis=1, keepdims=True)
        return verdict


def _has_safe_line(rules: BoxesRules, lines: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Whether a line gives no box its third side. `lines` [B, L]; shape [B]."""
    return np.asarray(are_safe(most_sides(rules, lines)).any(axis=1))
