"""The judge: how often a network draws a best line of Dots and Boxes, and what its lines cost.

The one idea: the solver knows the value of every line, so a network is judged on single positions, by its raw
policy and after searches, long before a match would tell two networks apart. The positions are the same for
every network: drawn once from a seed, with equally many of every number of undrawn lines (as far as the game
has that many), from games between careless and careful play. Symmetric copies count once, and positions in
which all lines are equally good are left out: nothing could go wrong there.

What a line costs is counted in points of margin, two for each box that changes hands.

Shape letters as in `dotzero.envs.boxes`; n positions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame, BoxesState
from dotzero.envs.game import join_states
from dotzero.envs.registry import size_text
from dotzero.search.checks import MAX_SIMULATIONS, require_finite
from dotzero.search.endgame import Solver, SolverConfig, has_solver
from dotzero.search.evaluation import Evaluator
from dotzero.search.mcts import Search, run
from dotzero.search.search_config import InteriorRule, RootRule, SearchConfig
from dotzero.train.half_careful import half_careful_lines

PHASES = ("opening", "middle", "end")
"""Thirds of the lines that a game draws, from its start."""
_CHUNK = 256
"""Positions that are evaluated or searched side by side."""
_CANDIDATES = 6
"""Games that are played for each wanted position of one number of lines."""
_SEED = 20_260
"""Of all positions, so that networks of different runs are judged alike."""


def _judged_search() -> SearchConfig:
    """Lines are judged by margin alone, so the search looks for nothing else."""
    return SearchConfig(
        root=RootRule.GUMBEL,
        interior=InteriorRule.GUMBEL,
        num_considered=8,
        margin_weight=1.0,
        essential_lines=True,
    )


@dataclass(kw_only=True, slots=True)
class JudgedConfig:
    """What the judge asks."""

    positions_per_stage: int = 60
    """Positions of every number of undrawn lines."""
    lines: int = 28
    """Positions with at most so many undrawn lines are judged."""
    search: SearchConfig = field(default_factory=_judged_search)
    """The search, but for its simulations. It does without the solver: what the network knows is judged."""

    def __post_init__(self) -> None:
        require_finite(self)
        for name, least in (("positions_per_stage", 1), ("lines", 2)):
            if getattr(self, name) < least:
                raise ValueError(
                    f"{type(self).__name__}.{name} must be at least {least}, got {getattr(self, name)}"
                )


@dataclass(kw_only=True, slots=True)
class JudgeConfig(JudgedConfig):
    """What the judge asks during training, and how often."""

    every: int = 10
    """Iterations between two judgements, where there is a solver, and between two pictures; 0: none."""
    simulations: list[int] = field(default_factory=lambda: [0, 64])
    """Budgets; 0 is the raw policy."""

    def __post_init__(self) -> None:
        JudgedConfig.__post_init__(self)  # `super()` knows no class with slots
        if self.every < 0:
            raise ValueError(f"JudgeConfig.every must be at least 0, got {self.every}")
        require_budgets(self.simulations, "JudgeConfig.simulations")


def require_budgets(budgets: Sequence[int], name: str) -> None:
    """Refuse numbers of simulations that no search has."""
    for number in budgets:
        if not 0 <= number <= MAX_SIMULATIONS:
            raise ValueError(f"{name} must be in 0..{MAX_SIMULATIONS}, got {number}")


class Verdict(NamedTuple):
    """What one budget did on some of the positions."""

    num_positions: int
    """How many."""
    optimal: float
    """Share of them in which the line was a best one."""
    lost: float
    """Mean cost of the lines, in points of margin."""


class Judge:
    """A fixed set of positions of one board with the values of all their lines."""

    def __init__(self, game: BoxesGame, lines: int, positions_per_stage: int) -> None:
        """Draw the positions and solve them; takes seconds on large boards.

        Args:
            game: Their board; see `has_solver`.
            lines: The largest number of undrawn lines.
            positions_per_stage: How many of each number.
        """
        self.game = game
        random = np.random.default_rng(_SEED)
        solver = Solver(game, SolverConfig(table_mib=64))
        self.state = _draw(game, solver, lines, positions_per_stage, random)
        values = solver.line_values(self.state.lines)
        assert values.exact.all(), "without limits the solver answers exactly"
        self._undrawn = self.state.lines == 0
        worth = np.where(self._undrawn, values.lower, np.iinfo(np.int16).min).astype(np.int64)
        self.cost: NDArray[np.int64] = worth.max(axis=1, keepdims=True) - worth
        """Margin lost by every undrawn line, in points; without meaning for drawn ones. Shape [n, L]."""

    def __len__(self) -> int:
        return len(self.state)

    @property
    def stages(self) -> NDArray[np.int64]:
        """Undrawn lines of each position. Shape [n]."""
        return np.asarray(self._undrawn.sum(axis=1), np.int64)

    @property
    def by_chance(self) -> Verdict:
        """What a uniformly random line comes to."""
        number = self._undrawn.sum(axis=1)
        optimal = ((self.cost == 0) & self._undrawn).sum(axis=1) / number
        lost = np.where(self._undrawn, self.cost, 0).sum(axis=1) / number
        return Verdict(len(self), float(optimal.mean()), float(lost.mean()))

    def phases(self) -> NDArray[np.int64]:
        """Index into `PHASES` of each position. Shape [n]."""
        total = int((self.game.start(1).lines == 0).sum())
        return np.minimum(3 * (total - self.stages) // total, 2)

    def choose(self, evaluator: Evaluator, config: SearchConfig | None) -> NDArray[np.int32]:
        """The evaluator's lines: after a search, or of highest policy where `config` is None. Shape [n]."""
        parts = [np.arange(first, min(first + _CHUNK, len(self))) for first in range(0, len(self), _CHUNK)]
        if config is None:
            return np.concatenate([self._raw(evaluator, part) for part in parts])
        # Two in turn, each with half of a chunk: one's trees are walked while the other's leaves are judged.
        seeds = np.zeros(-(-_CHUNK // 2), np.uint64)
        pair = [Search(self.game, len(seeds), config, evaluator, seeds) for _ in range(2)]
        return np.concatenate([self._searched(pair, part) for part in parts])

    def _raw(self, evaluator: Evaluator, rows: NDArray[np.intp]) -> NDArray[np.int32]:
        state = self.state[rows]
        buffer = evaluator.allocate(len(rows), self.game.observation_shape, self.game.num_globals)
        buffer.points[:], buffer.globals[:] = self.game.observe(state)
        logits = evaluator.finish(evaluator.start(buffer, len(rows))).policy[:, self.game.policy_slots]
        return np.asarray(np.where(self.game.legal(state), logits, -np.inf).argmax(axis=1), np.int32)

    def _searched(self, pair: Sequence[Search], rows: NDArray[np.intp]) -> NDArray[np.int32]:
        halves = np.array_split(rows, 2)
        slots = [np.arange(len(half), dtype=np.int32) for half in halves]
        for search, half, own in zip(pair, halves, slots, strict=True):
            search.begin(own, self.state[half])
        run(pair)
        return np.concatenate([search.choose(own) for search, own in zip(pair, slots, strict=True)])

    def verdict(self, actions: NDArray[np.integer], where: NDArray[np.bool_] | None = None) -> Verdict:
        """Judge one line for each position, of which only those `where` count. Shapes [n]."""
        cost = self.cost[np.arange(len(self)), actions]
        cost = cost if where is None else cost[where]
        if len(cost) == 0:
            return Verdict(0, float("nan"), float("nan"))
        return Verdict(len(cost), float((cost == 0).mean()), float(cost.mean()))


def _draw(
    game: BoxesGame, solver: Solver, lines: int, wanted: int, random: np.random.Generator
) -> BoxesState:
    """At most `wanted` positions of every number of undrawn lines up to `lines`, most lines first."""
    state = game.start(_CANDIDATES * wanted)
    care = random.random(len(state))
    found: list[BoxesState] = []
    while not state.finished.all():
        if 2 <= int((state.lines[0] == 0).sum()) <= lines:
            found.append(_with_a_choice(game, solver, state, wanted))
        state = game.step(state, half_careful_lines(game, state, care, random))
    return join_states([state[:0], *found])


def _with_a_choice(game: BoxesGame, solver: Solver, state: BoxesState, wanted: int) -> BoxesState:
    """The first `wanted` games that differ from each other and in which some lines are worse than others."""
    images = game.symmetries.least_images(game.observe(state).points)
    first = np.sort(np.unique(np.array(images, object), return_index=True)[1])
    chosen = state[first[: 2 * wanted]]
    best = solver.best_lines(chosen.lines).best
    with_choice = (best != (chosen.lines == 0)).any(axis=1)
    return chosen[np.flatnonzero(with_choice)[:wanted]]


def judge_network(
    judge: Judge, evaluator: Evaluator, search: SearchConfig, budgets: Sequence[int]
) -> dict[str, Verdict]:
    """Verdicts by name: "raw" or the number of simulations, and each of these with "/" and a phase."""
    verdicts: dict[str, Verdict] = {}
    phases = judge.phases()
    for number in budgets:
        actions = judge.choose(evaluator, replace(search, num_simulations=number) if number else None)
        name = str(number) if number else "raw"
        verdicts[name] = judge.verdict(actions)
        for index, phase in enumerate(PHASES):
            where = phases == index
            if where.any():
                verdicts[f"{name}/{phase}"] = judge.verdict(actions, where)
    return verdicts


def judged_boards(games: Sequence[Any], config: JudgeConfig) -> dict[str, Judge]:
    """A judge for the first board of every size that has a solver, by its size, such as "3x3"."""
    judges: dict[str, Judge] = {}
    for game in games:
        name = size_text(game)
        if config.every > 0 and has_solver(game) and name not in judges:
            judges[name] = Judge(game, config.lines, config.positions_per_stage)
    return {name: judge for name, judge in judges.items() if len(judge)}  # on 1x1 there is nothing to choose


def flat(board: str, verdicts: Mapping[str, Verdict]) -> dict[str, float]:
    """Verdicts as numbers by name, for metrics."""
    return {
        f"judge/{board}/{name}/{what}": value
        for name, verdict in verdicts.items()
        for what, value in (("optimal", verdict.optimal), ("lost", verdict.lost))
    }
