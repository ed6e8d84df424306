"""Levels easy and medium of Kropki, and what all its levels share.

A level is a rule that picks candidate moves in a position; which of them it plays is uniformly random.

Easy, by two chances drawn anew in every position: it overlooks the captures on offer, and it puts a dot where
it can be taken at once. It moves near the last dots, and neither saves what is threatened nor plans anything.

Medium, by three rules, one ply deep: K1 it takes the most dots that it can; K2 else, where the enemy could
take dots, it plays where the fewest are left to take; K3 else it plays near the last dots, in no house, where
its dot cannot be taken, and there best where both colours meet: to cut, or to link.

No level but the strongest says STOP. Shape letters as in `envs/kropki.py`: B games, A actions, N points.
"""

from abc import abstractmethod
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import Game, State
from dotzero.envs.kropki import KropkiGame, KropkiState
from dotzero.envs.kropki_position import HOUSE
from dotzero.play.players import Player, PlayerSpec, cast_lots, pick
from dotzero.search.playouts import risks

REACH = 2
"""King's steps from the last dots within which easy and medium move while nothing calls them elsewhere."""
_MISS, _BLUNDER = 1, 2  # purposes of luck


class KropkiLevel(Player):
    """A rule for candidate moves."""

    def __init__(self, name: str | None = None) -> None:
        self.name = type(self).name if name is None else name

    @classmethod
    def refusal(cls, game: Game[Any]) -> str | None:
        """Kropki, by any rules and on any board."""
        return None if isinstance(game, KropkiGame) else f"kropki, got {game.name}"

    def choose(self, game: Game[Any], state: State, seeds: NDArray[np.uint64]) -> NDArray[np.int32]:
        """One of the candidates."""
        if reason := self.refusal(game):
            raise ValueError(f"player {type(self).name} must play {reason}")
        assert isinstance(game, KropkiGame)
        assert isinstance(state, KropkiState)
        return pick(self.candidates(game, state, seeds), cast_lots(game, state, seeds))

    @abstractmethod
    def candidates(
        self, game: KropkiGame, state: KropkiState, seeds: NDArray[np.uint64]
    ) -> NDArray[np.bool_]:
        """The moves that the level may play, none in finished games. Bool, shape [B, A]."""


@dataclass(kw_only=True, slots=True)
class EasyConfig:
    """How careless level easy is."""

    miss: float = 0.25
    """Chance to overlook the captures on offer."""
    blunder: float = 0.2
    """Chance to put a dot where it can be taken at once."""

    def __post_init__(self) -> None:
        for item in fields(self):
            chance = getattr(self, item.name)
            if not 0 <= chance <= 1:
                raise ValueError(f"easy: {item.name} must be in 0..1, got {chance:g}")


class KropkiEasy(KropkiLevel):
    """Takes something on offer, else moves near the last dots, unless it overlooks or blunders."""

    name = "easy"

    def __init__(self, config: EasyConfig | None = None, name: str | None = None) -> None:
        super().__init__(name)
        self._config = EasyConfig() if config is None else config

    @classmethod
    def from_spec(cls, spec: PlayerSpec) -> "KropkiEasy":
        """With the options `miss` and `blunder`."""
        return cls(spec.settings(EasyConfig), spec.text)

    @property
    def identity(self) -> str:
        """Name and settings."""
        return f"{self.name} {self._config}"

    def candidates(
        self, game: KropkiGame, state: KropkiState, seeds: NDArray[np.uint64]
    ) -> NDArray[np.bool_]:
        """The captures; else points near the last dots where its dot is safe, or those where it is not."""
        points = _points(game, state)
        takes = points & (game.gains(state) > 0)
        exposed = risks(game, state).exposed
        quiet = first_of(near_last(state) & points & ~takes, points & ~takes)
        overlooks = _chances(game, state, seeds, _MISS) < self._config.miss
        blunders = _chances(game, state, seeds, _BLUNDER) < self._config.blunder
        careless = first_of(quiet & exposed, quiet)
        careful = first_of(quiet & ~exposed, points & ~takes & ~exposed, quiet)
        moves = np.where(blunders[:, None], careless, careful)
        taking = takes.any(axis=1) & ~(overlooks & moves.any(axis=1))
        return _with_stop(np.where(taking[:, None], takes, moves))


class KropkiMedium(KropkiLevel):
    """Takes the most, saves the most, else makes a sensible move near the last dots."""

    name = "medium"

    def candidates(
        self, game: KropkiGame, state: KropkiState, seeds: NDArray[np.uint64]
    ) -> NDArray[np.bool_]:
        """The points by the rules K1 to K3."""
        points = _points(game, state)
        gains = np.where(points, game.gains(state), 0)
        risk = risks(game, state)
        takes = points & (gains == gains.max(axis=1, keepdims=True)) & (gains > 0)
        threats = game.gains(state, 1 - state.to_move).max(axis=1, keepdims=True)
        least = np.where(points, risk.lost, np.iinfo(np.int16).max).min(axis=1, keepdims=True)
        saves = points & (risk.lost == least) & (least < threats)
        return _with_stop(first_of(takes, saves, *_sensible_moves(game, state, points, risk.exposed)))


def _sensible_moves(
    game: KropkiGame, state: KropkiState, points: NDArray[np.bool_], exposed: NDArray[np.bool_]
) -> list[NDArray[np.bool_]]:
    """Rule K3: sets of points, better ones first. All arrays [B, N]."""
    outside = (state.cells & HOUSE == 0).reshape(points.shape)
    safe = points & ~exposed & outside
    near = safe & near_last(state)
    around = game.opening_actions(state)[:, : game.stop] & safe
    return [near & _meeting(state), near, around, safe, points & ~exposed, points]


def first_of(*choices: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """In every row the first of the sets that is not empty. All [B, N]."""
    found = choices[0].copy()
    for choice in choices[1:]:
        empty = ~found.any(axis=1)
        found[empty] = choice[empty]
    return found


def near_last(state: KropkiState) -> NDArray[np.bool_]:
    """The points within 2 king's steps of the last three dots. Shape [B, N]."""
    height, width = state.cells.shape[1:]
    rows, columns = np.divmod(state.last.astype(np.int64), width)
    known = (state.last >= 0) & (rows < height)  # not STOP
    near_row = abs(np.arange(height) - rows[..., None]) <= REACH
    near_column = abs(np.arange(width) - columns[..., None]) <= REACH
    near = near_row[..., :, None] & near_column[..., None, :] & known[..., None, None]
    return np.asarray(near.any(axis=1).reshape(len(state), height * width))


def _meeting(state: KropkiState) -> NDArray[np.bool_]:
    """The points that have live dots of both colours beside them, diagonals included. Shape [B, N]."""
    height, width = state.cells.shape[1:]
    wide = np.pad(state.cells & 3, [(0, 0), (1, 1), (1, 1)])
    beside = np.zeros_like(state.cells)
    for y in range(3):
        for x in range(3):
            beside |= wide[:, y : y + height, x : x + width]
    return np.asarray((beside == 3).reshape(len(state), height * width))


def _points(game: KropkiGame, state: KropkiState) -> NDArray[np.bool_]:
    """Where a dot can be put. Shape [B, N]."""
    return game.plain_actions(state)[:, : game.stop]


def _with_stop(points: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Points as actions: no STOP. [B, N] to [B, A]."""
    return np.pad(points, [(0, 0), (0, 1)])


def _chances(
    game: KropkiGame, state: KropkiState, seeds: NDArray[np.uint64], purpose: int
) -> NDArray[np.float64]:
    """Random numbers from 0 to 1 by seed, position and purpose. Shape [B]."""
    lots = cast_lots(game, state, seeds, purpose)[:, 0]
    return (lots >> np.uint64(11)).astype(np.float64) * 2.0**-53
