"""Search by playouts in place of a network's, with the face of `search.mcts.Search` that self-play uses.

The one idea: a network that knows nothing learns little from its own games, while playouts play a fair game
of Kropki from the start. Games of the search that level hard plays with are a beginning to learn from, as
the solver's are in Dots and Boxes. The policy is the share of visits, or STOP alone where that surely wins.

What it thinks of a position is the margin to come, not the chance to win, and comes from playouts: no target.
So value and margin are left to the game's end.

n games of one call; A actions.
"""

from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import NO_ACTION, Game, State
from dotzero.envs.kropki import KropkiGame, KropkiState
from dotzero.search.interrupts import check
from dotzero.search.mcts import SearchResult, StageSeconds
from dotzero.search.playouts import MAX_THREADS, PlayoutConfig, PlayoutSearch
from dotzero.search.splitmix import STEP, mix
from dotzero.search.winning_stops import winning_stops


class PlayoutTeacher:
    """A group of games of Kropki on one board, searched by playouts."""

    num_evaluations = 0
    """No network is asked."""
    num_cache_hits = 0

    def __init__(
        self,
        game: KropkiGame,
        num_games: int,
        playouts: int,
        seeds: NDArray[np.uint64],
        num_threads: int = 1,
    ) -> None:
        """Make the group.

        Args:
            game: The board.
            num_games: Games of the group.
            playouts: Games played out for each move.
            seeds: Start of the games' generators. Shape [num_games].
            num_threads: At most so many are used; they change nothing but the time.
        """
        self._game = game
        self._playouts = playouts
        self._search = PlayoutSearch(game, PlayoutConfig(num_threads=min(num_threads, MAX_THREADS)))
        self._begun: list[tuple[NDArray[np.int32], KropkiState]] = []
        self._visits = np.zeros((num_games, game.num_actions), np.int32)
        self._values = np.zeros((num_games, game.num_actions), np.float32)
        self._seconds = 0.0
        self.generators = seeds

    @property
    def num_games(self) -> int:
        """The number of games in the group."""
        return len(self._visits)

    @property
    def seconds(self) -> StageSeconds:
        """Time spent so far, all of it in trees."""
        return StageSeconds(self._seconds, 0.0, 0.0)

    @property
    def generators(self) -> NDArray[np.uint64]:
        """The state of every game's generator, for resuming. Shape [num_games]."""
        return self._generators.copy()

    @generators.setter
    def generators(self, states: NDArray[np.uint64]) -> None:
        if states.shape != (self.num_games,) or states.dtype != np.uint64:
            raise ValueError(f"generators must be {self.num_games} uint64, got {states.dtype} {states.shape}")
        self._generators = states.copy()

    def clear_cache(self) -> None:
        """Nothing is kept from one search to the next."""

    def begin(
        self,
        slots: NDArray[np.int32],
        state: State,
        num_simulations: NDArray[np.int32] | None = None,
        noise: bool = False,
    ) -> None:
        """Take `state` [n] for the games `slots` [n], to be searched by `submit`.

        Args:
            slots: Which games of the group.
            state: Their positions; finished ones have nothing to search.
            num_simulations: Not looked at: every position has the same number of playouts.
            noise: Not looked at: playouts are noise enough.
        """
        assert isinstance(state, KropkiState)
        self._begun.append((slots.copy(), state[np.arange(len(state))]))

    def submit(self) -> bool:
        """Search all that was begun; False, since nothing is left to evaluate.

        Raises:
            InterruptedSearchError: The result is not wanted any more.
        """
        start = perf_counter()
        begun, self._begun = self._begun, []
        for slots, state in begun:
            check()
            self._search_all(slots, state)
        self._seconds += perf_counter() - start
        return False

    def _search_all(self, slots: NDArray[np.int32], state: KropkiState) -> None:
        self._visits[slots], self._values[slots] = 0, 0.0
        stops = winning_stops(self._game, state)
        self._visits[slots[stops], self._game.stop] = 1
        self._values[slots[stops], self._game.stop] = 1.0
        rows = np.flatnonzero(~stops & ~state.finished)
        if len(rows):
            found = self._search.run(state[rows], self._draw(slots[rows]), self._playouts)
            self._visits[slots[rows]], self._values[slots[rows]] = found

    def collect(self) -> None:
        """Never called: `submit` leaves nothing to wait for."""
        raise RuntimeError("a search by playouts has no evaluation to collect")

    def abandon(self) -> None:
        """Give up what was begun."""
        self._begun = []

    def results(self, slots: NDArray[np.int32]) -> SearchResult:
        """What was found; surprise and the network's value are NaN, and nothing is certain. `slots` [n]."""
        visits, values = self._visits[slots], self._values[slots]
        policy = (visits / np.maximum(visits.sum(axis=1, keepdims=True), 1)).astype(np.float32)
        number = len(slots)
        return SearchResult(
            visits=visits,
            values=values,
            policy=policy,
            root_value=(policy * values).sum(axis=1),
            raw_value=np.full(number, np.nan, np.float32),
            surprise=np.full(number, np.nan, np.float32),
            lower=np.full(number, -1, np.float32),
            upper=np.full(number, 1, np.float32),
        )

    def estimates(self, slots: NDArray[np.int32]) -> NDArray[np.float32]:
        """NaN: its values are no targets. `slots` [n]; shape [n, 2]."""
        return np.full((len(slots), 2), np.nan, np.float32)

    def choose(
        self, slots: NDArray[np.int32], temperature: NDArray[np.float32] | float = 0.0
    ) -> NDArray[np.int32]:
        """The actions to play, `NO_ACTION` in finished games.

        Args:
            slots: Which games of the group. Shape [n].
            temperature: 0 plays one of the most visited; above, one is drawn from the visits to the power of
                1 / temperature. Shape [n] or one number.
        """
        visits = self._visits[slots].astype(np.float64)
        most = visits.max(axis=1, keepdims=True)
        warmth = np.broadcast_to(np.asarray(temperature, np.float64), slots.shape)[:, None]
        drawn = (visits / np.maximum(most, 1)) ** (1 / np.where(warmth > 0, warmth, 1.0))
        ends = np.where(warmth > 0, drawn, (visits == most) & (most > 0)).cumsum(axis=1)
        # 32 bits, so that no product is rounded up to the very end.
        lot = (self._draw(slots) >> np.uint64(32)).astype(np.float64) * 2.0**-32
        actions = (ends <= (lot * ends[:, -1])[:, None]).sum(axis=1)
        return np.where(most[:, 0] > 0, actions, NO_ACTION).astype(np.int32)

    def _draw(self, slots: NDArray[np.int32]) -> NDArray[np.uint64]:
        """The next number of each game's generator. [n] -> [n]."""
        numbers = mix(self._generators[slots])
        self._generators[slots] += STEP
        return numbers


def require_teachable(game: Game[Any], name: str, value: int) -> None:
    """Refuse a setting `name` above 0 in games without this search, as a ValueError."""
    if value > 0 and not isinstance(game, KropkiGame):
        raise ValueError(f"{name} must be 0 in {game.name}: no search by playouts there, got {value}")
