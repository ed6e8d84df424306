"""Levels hard and insane of Kropki: they look ahead, by tree search with playouts.

Hard searches so many playouts a move. Insane searches many more, looks at forced chases before it begins, for
either side, and says STOP where it wins by that for certain: where it would still be ahead after all its dots
that are not linked to the edge have gone to the enemy. No other STOP is ever said.

A search starts anew with every move, so that a move depends on seed and position only.

Shape letters as in `envs/kropki.py`: B games, A actions.
"""

import copy
from abc import abstractmethod
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dotzero.cores import num_cores
from dotzero.envs.kropki import KropkiGame, KropkiState
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.play.kropki_levels import KropkiLevel
from dotzero.play.players import Budget, PlayerSpec, cast_lots
from dotzero.search.checks import MAX_SIMULATIONS
from dotzero.search.playouts import MAX_CHASE_NODES, MAX_RADIUS, PlayoutConfig, PlayoutSearch
from dotzero.search.winning_stops import winning_stops

_SEARCH = 1  # a purpose of luck


@dataclass(kw_only=True, slots=True)
class HardConfig:
    """How far level hard looks ahead."""

    playouts: int = 1000
    """Games played out for each move."""
    radius: int = 2
    """King's steps from the nearest dot within which it looks at moves."""

    def __post_init__(self) -> None:
        _require_in("hard", "playouts", self.playouts, 1, MAX_SIMULATIONS)
        _require_in("hard", "radius", self.radius, 1, MAX_RADIUS)


@dataclass(kw_only=True, slots=True)
class InsaneConfig:
    """How far level insane looks ahead."""

    playouts: int = 30_000
    """Games played out for each move."""
    radius: int = 2
    """King's steps from the nearest dot within which it looks at moves."""
    chase_nodes: int = 300
    """Attacks that it may look at for each forced chase that could begin now; 0: it looks at none."""

    def __post_init__(self) -> None:
        _require_in("insane", "playouts", self.playouts, 1, MAX_SIMULATIONS)
        _require_in("insane", "radius", self.radius, 1, MAX_RADIUS)
        _require_in("insane", "chase_nodes", self.chase_nodes, 0, MAX_CHASE_NODES)


def _require_in(level: str, name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise ValueError(f"{level}: {name} must be in {least}..{most}, got {value}")


class KropkiExpert(KropkiLevel):
    """A level with a search for each set of rules that it meets, made when it is first needed."""

    budgets = ("simulations", "seconds")
    _config: HardConfig | InsaneConfig

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._seconds: float | None = None
        self._searches: dict[KropkiRules, PlayoutSearch] = {}

    @property
    def identity(self) -> str:
        """Name, settings, and the time where it is limited."""
        limit = "" if self._seconds is None else f" within {self._seconds:g} seconds"
        return f"{self.name} {self._config}{limit}"

    def within(self, budget: Budget) -> "KropkiExpert":
        """The same player with so many playouts, or so much time, for every move or batch of moves."""
        other = copy.copy(self)
        other._config = replace(self._config, playouts=budget.simulations or MAX_SIMULATIONS)
        other._seconds = budget.seconds
        other.follows_games = budget.seconds is not None  # a move's time is not shared with other games
        return other

    def close(self) -> None:
        """Free the searches."""
        self._searches.clear()

    def candidates(
        self, game: KropkiGame, state: KropkiState, seeds: NDArray[np.uint64]
    ) -> NDArray[np.bool_]:
        """A STOP that wins, else the most visited moves of a search."""
        candidates = np.zeros((len(state), game.num_actions), np.bool_)
        stops = self.stops(game, state)
        candidates[stops, game.stop] = True
        rows = np.flatnonzero(~state.finished & ~stops)
        if len(rows):
            luck = cast_lots(game, state[rows], seeds[rows], _SEARCH)[:, 0].copy()
            if game.rules not in self._searches:
                self._searches[game.rules] = PlayoutSearch(game, self.search_config())
            search = self._searches[game.rules]
            visits = search.run(state[rows], luck, self._config.playouts, self._seconds).visits
            candidates[rows] = visits == visits.max(axis=1, keepdims=True)
        return candidates

    @abstractmethod
    def search_config(self) -> PlayoutConfig:
        """How it searches."""

    def stops(self, game: KropkiGame, state: KropkiState) -> NDArray[np.bool_]:
        """Where it says STOP. Bool, shape [B]."""
        return np.zeros(len(state), np.bool_)


class KropkiHard(KropkiExpert):
    """Searches some playouts, and plays every game to its end."""

    name = "hard"

    def __init__(self, config: HardConfig | None = None, name: str | None = None) -> None:
        super().__init__(name)
        self._config = HardConfig() if config is None else config

    @classmethod
    def from_spec(cls, spec: PlayerSpec) -> "KropkiHard":
        """With the options `playouts` and `radius`."""
        return cls(spec.settings(HardConfig), spec.text)

    def search_config(self) -> PlayoutConfig:
        """Without chases."""
        return PlayoutConfig(radius=self._config.radius, num_threads=num_cores())


class KropkiInsane(KropkiExpert):
    """Searches many playouts, sees chases, and stops a game that it has won."""

    name = "insane"
    thinks_long = True
    _config: InsaneConfig

    def __init__(self, config: InsaneConfig | None = None, name: str | None = None) -> None:
        super().__init__(name)
        self._config = InsaneConfig() if config is None else config

    @classmethod
    def from_spec(cls, spec: PlayerSpec) -> "KropkiInsane":
        """With the options `playouts`, `radius` and `chase_nodes`."""
        return cls(spec.settings(InsaneConfig), spec.text)

    def search_config(self) -> PlayoutConfig:
        """With chases."""
        config = self._config
        return PlayoutConfig(radius=config.radius, chase_nodes=config.chase_nodes, num_threads=num_cores())

    def stops(self, game: KropkiGame, state: KropkiState) -> NDArray[np.bool_]:
        """Where it wins by grounding, or alone in a solo phase by ending it."""
        return winning_stops(game, state)
