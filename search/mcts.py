"""Driver of the core's batched tree search: many games at once, several groups of games in flight.

While one group's leaves are with the evaluator, the next group is in its trees: one Python thread, no queues.
Groups and games do not see each other, so the same seeds give the same moves whatever the number of threads.

Shape letters as in `dotzero.envs.game`; n games of one call.
"""

from collections.abc import Sequence
from contextlib import suppress
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dotzero import _core
from dotzero.envs.game import Game, State
from dotzero.search.evaluation import Evaluator
from dotzero.search.interrupts import check
from dotzero.search.search_config import SearchConfig

_LEAST_STEP = 2.0**-22
"""Utilities that half a point tells apart by less may be equal in single precision."""


class SearchResult(NamedTuple):
    """What a search found out about n roots, seen by the player to move in each."""

    visits: NDArray[np.int32]
    """Simulations through each action. `num_simulations` in all, or fewer where the outcome under best play
    became certain before; one for each action of a solved root, 1 where the move is forced. [n, A]."""
    values: NDArray[np.float32]
    """Mean utility of each visited action, 0 where not visited. [n, A]."""
    policy: NDArray[np.float32]
    """The improved policy: Gumbel's, or the share of visits, in both without actions that are certain to be
    worse than another and, where the root's value is certain, with none but those that reach it. Equal shares
    of the best actions of a solved root. All 0 in a finished one. [n, A]."""
    root_value: NDArray[np.float32]
    """Mean utility of the root. [n]."""
    raw_value: NDArray[np.float32]
    """The evaluator's own utility of the root. [n]."""
    surprise: NDArray[np.float32]
    """KL(policy || prior) in nats, the prior being the evaluator's before any noise: what the search found
    out. 0 for roots that were not searched: finished, solved, or with a single action. [n]."""
    lower: NDArray[np.float32]
    """What the root's utility is certain to reach under best play; -1 where nothing is known. [n]."""
    upper: NDArray[np.float32]
    """What it is certain not to exceed; 1 where nothing is known. [n]."""


class StageSeconds(NamedTuple):
    """Time of one thread's calls, in seconds, by stage."""

    walk: float
    """Through the trees to new leaves."""
    wait: float
    """Starting evaluations and waiting for them."""
    expand: float
    """Hanging evaluations into the trees."""


class Search:
    """A group of games on one board, searched in lockstep."""

    def __init__(
        self,
        game: Game[Any],
        num_games: int,
        config: SearchConfig,
        evaluator: Evaluator,
        seeds: NDArray[np.uint64],
        num_threads: int = 1,
    ) -> None:
        """Make the group; `seeds` [num_games] start the games' generators."""
        self._game = game
        self._config = config
        self._evaluator = evaluator
        config.require_game(game)
        self._core: _core.SearchBase = game.new_search(num_games, config.core_options(game), num_threads)
        self._core.set_generators(seeds)
        self._buffer = evaluator.allocate(num_games, game.observation_shape, game.num_globals)
        self._ticket: Any = None
        self.num_evaluations = 0
        self._seconds = StageSeconds(0.0, 0.0, 0.0)

    @property
    def num_games(self) -> int:
        """The number of games in the group."""
        return self._core.num_games

    @property
    def num_cache_hits(self) -> int:
        """Leaves so far that the evaluator was not asked about, as it had been asked about an equal one.

        `num_evaluations` counts the others: the rows really sent.
        """
        return self._core.num_cache_hits

    @property
    def seconds(self) -> StageSeconds:
        """Time spent so far, by stage."""
        return self._seconds

    def clear_cache(self) -> None:
        """Forget all evaluations; to be called whenever the evaluator's weights have changed."""
        self._core.clear_cache()

    @property
    def generators(self) -> NDArray[np.uint64]:
        """The state of every game's generator, for resuming. Shape [num_games]."""
        return self._core.generators()

    @generators.setter
    def generators(self, states: NDArray[np.uint64]) -> None:
        self._core.set_generators(states)

    def begin(
        self,
        slots: NDArray[np.int32],
        state: State,
        num_simulations: NDArray[np.int32] | None = None,
        noise: bool = False,
    ) -> None:
        """Start searching from `state` [n] in the games `slots` [n].

        Args:
            slots: Which games of the group.
            state: Their positions. Finished ones are allowed and done at once.
            num_simulations: Budget of each, up to the configuration's (the default); with 0 the policy is the
                evaluator's own. Shape [n].
            noise: Whether to explore: Gumbel or Dirichlet noise at the root. For self-play only.
        """
        if num_simulations is None:
            num_simulations = np.full(len(slots), self._config.num_simulations, np.int32)
        self._game.load_roots(self._core, slots, state)
        self._core.begin(slots, num_simulations, noise)

    def submit(self) -> bool:
        """Walk to the next leaves and start their evaluation; False when every search has ended."""
        begun = perf_counter()
        num_rows = self._core.walk(self._buffer.points, self._buffer.globals)
        walked = perf_counter()
        self._count(walk=walked - begun)
        if num_rows == 0:
            return False
        try:
            self._ticket = self._evaluator.start(self._buffer, num_rows)
        except BaseException:
            self.abandon()
            raise
        self._count(wait=perf_counter() - walked)
        self.num_evaluations += num_rows
        return True

    def collect(self) -> None:
        """Wait for the evaluation that `submit` started and hang it into the trees."""
        ticket, self._ticket = self._ticket, None
        begun = perf_counter()
        try:
            evaluation = self._evaluator.finish(ticket)
            waited = perf_counter()
            self._core.expand(
                np.ascontiguousarray(evaluation.policy, np.float32),
                np.ascontiguousarray(evaluation.value, np.float32),
                np.ascontiguousarray(evaluation.margin, np.float32),
            )
        except BaseException:
            self.abandon()
            raise
        self._count(wait=waited - begun, expand=perf_counter() - waited)

    def _count(self, walk: float = 0.0, wait: float = 0.0, expand: float = 0.0) -> None:
        spent = self._seconds
        self._seconds = StageSeconds(spent.walk + walk, spent.wait + wait, spent.expand + expand)

    def abandon(self) -> None:
        """Give up all searches of the group, after an error; they have no results and must be begun anew."""
        ticket, self._ticket = self._ticket, None
        if ticket is not None:
            with suppress(Exception):  # the first error is the one to tell; the buffer must be free again
                self._evaluator.finish(ticket)
        self._core.abandon()

    def results(self, slots: NDArray[np.int32]) -> SearchResult:
        """What the finished searches found. `slots` [n]."""
        return SearchResult(*self._core.results(slots))

    def known_margins(self, slots: NDArray[np.int32]) -> NDArray[np.float32]:
        """Final margins under best play, where the finished searches proved them. `slots` [n].

        Proved are utilities; best play is best by utility. So NaN also stands where a utility leaves the
        margin open: with a `margin_weight` of 0 (or too small for its share to show in single precision), and
        from `margin_scale` on if the board allows larger margins.

        Returns:
            The margins in points, for the player to move, or NaN. Shape [n].
        """
        margins = self._core.known_margins(slots)
        options = self._config.core_options(self._game)
        scale = options["margin_scale"]
        if self._config.margin_weight * 0.5 / scale < _LEAST_STEP:
            return np.full_like(margins, np.nan)
        open_from = scale if scale < self._game.max_margin else np.nextafter(np.float32(scale), np.inf)
        margins[np.abs(margins) >= open_from] = np.nan
        return margins

    def estimates(self, slots: NDArray[np.int32]) -> NDArray[np.float32]:
        """Value and final margin, apart, of the roots of finished searches as their policy would play them.

        They are the means over the simulations of each visited action, weighted by the result's `policy`;
        exact where the root's value is certain, the evaluator's own where nothing was searched.

        Args:
            slots: Which games of the group. Shape [n].

        Returns:
            Probability of winning minus that of losing, and margin in points; for the player to move. [n, 2].
        """
        return self._core.estimates(slots)

    def choose(
        self, slots: NDArray[np.int32], temperature: NDArray[np.float32] | float = 0.0
    ) -> NDArray[np.int32]:
        """The actions to play, `NO_ACTION` in finished games.

        Args:
            slots: Which games of the group. Shape [n].
            temperature: 0 plays the search's best action; above, one is drawn from the search's policy to the
                power of 1 / temperature. Shape [n] or one number.
        """
        temperatures = np.broadcast_to(np.asarray(temperature, np.float32), slots.shape)
        return self._core.choose(slots, np.ascontiguousarray(temperatures))


class Stepwise(Protocol):
    """What can be run to its end together with others."""

    def submit(self) -> bool:
        """As of `Search`."""

    def collect(self) -> None:
        """As of `Search`."""

    def abandon(self) -> None:
        """As of `Search`."""


def run(searches: Sequence[Stepwise]) -> None:
    """Run begun searches to their end, each group's evaluation overlapping the others' tree work.

    If one fails, all are given up: none is left waiting for an evaluation that nobody will collect.
    """
    try:
        in_flight = [search for search in searches if search.submit()]
        while in_flight:
            check()
            going = []
            for search in in_flight:
                search.collect()
                if search.submit():
                    going.append(search)
            in_flight = going
    except BaseException:
        for search in searches:
            search.abandon()
        raise


def game_seeds(seed: np.random.SeedSequence, num_games: int) -> NDArray[np.uint64]:
    """Independent starting states for the generators of `num_games` games."""
    return seed.generate_state(num_games, np.uint64).astype(np.uint64)
