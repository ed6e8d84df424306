"""Looking ahead in Kropki without a network: the risks of single moves, and tree search by playouts.

Both run in the core (`core/kropki_tactics.hpp`, `core/kropki_playout_search.hpp`) and go by the rules of the
game, options included. A search depends on position, seed and settings only: not on the batch, not on the
number of threads, and not on the clock unless it is given a time.

Shape letters as in `envs/kropki.py`: B games, A actions, N points.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dotzero import _core
from dotzero.envs.kropki import KropkiGame, KropkiState, core_arrays
from dotzero.envs.kropki_rules import core_options
from dotzero.search.checks import MAX_SIMULATIONS, require_finite

MAX_RADIUS = 10
"""The most king's steps from a dot within which moves are looked at."""
MAX_CHASE_NODES = 10**4
"""The most attacks that may be looked at for one chase."""
MAX_THREADS = 256
"""The most threads of a search."""


class Risks(NamedTuple):
    """What the enemy could take after a dot of the player to move on each point; 0 where none can be put."""

    lost: NDArray[np.int16]
    """Dots that it takes at once, as of a house that the dot enters, and the most that one dot of its own
    takes next. Shape [B, N]."""
    exposed: NDArray[np.bool_]
    """Whether the new dot would be among them. Shape [B, N]."""


def risks(game: KropkiGame, state: KropkiState) -> Risks:
    """The risks of all moves, by one look ahead. Visitors that wait in a house for its owner do not count."""
    return Risks(*_core.kropki_risks(_core.Kropki(core_options(game.rules)), *core_arrays(state)))


def chases(game: KropkiGame, state: KropkiState, max_nodes: int) -> NDArray[np.int16]:
    """What the player to move nets by force, if it begins on each point, in points. Shape [B, N].

    A forced chase (a ladder) threatens a capture with every move until one cannot be answered; a capture at
    once counts as the shortest. The number is the least that any defence, or none, leaves to the attacker; 0:
    nothing was found by so many attacks. It is certain but for the rules `house_closes=owner_turn` and
    `capture_empty`, where other moves may save the defender, and `punish` and `territory`, which count more
    than captured dots.

    Raises:
        ValueError: More attacks than may be looked at, or fewer than none.
    """
    if not 0 <= max_nodes <= MAX_CHASE_NODES:
        raise ValueError(f"max_nodes must be in 0..{MAX_CHASE_NODES}, got {max_nodes}")
    core = _core.Kropki(core_options(game.rules))
    return _core.kropki_chases(core, max_nodes, *core_arrays(state))


@dataclass(kw_only=True, slots=True)
class PlayoutConfig:
    """Parameters of a search by playouts."""

    radius: int = 2
    """King's steps from the nearest dot within which moves are looked at."""
    moves: int = 40
    """Moves that a position of the tree looks at: those that promise most at first sight."""
    length: float = 0.35
    """Dots of a playout, as a share of the board's points."""
    exploration: float = 1.2
    """How much visits count against values where a simulation finds its way."""
    amaf_visits: float = 300.0
    """Visits of a move at which what came of it whenever it was played counts half."""
    margin_scale: float = 6.0
    """Points of change in the margin that are worth 0.76 of the most there is."""
    result_weight: float = 0.1
    """Share of winning, komi included, in a position's value, next to the change of the margin."""
    chase_nodes: int = 0
    """Attacks that may be looked at for each forced chase that could begin at the root; 0: none are."""
    num_threads: int = 1
    """Threads, each with a game of the batch."""

    def __post_init__(self) -> None:
        require_finite(self)
        for name, least, most in (
            ("radius", 1, MAX_RADIUS),
            ("moves", 1, None),
            ("length", 0, 1),
            ("result_weight", 0, 1),
            ("exploration", 0, None),
            ("amaf_visits", 0, None),
            ("chase_nodes", 0, MAX_CHASE_NODES),
            ("num_threads", 1, MAX_THREADS),
        ):
            value = getattr(self, name)
            if value < least or (most is not None and value > most):
                limits = f"at least {least}" if most is None else f"in {least}..{most}"
                raise ValueError(f"PlayoutConfig.{name} must be {limits}, got {value}")
        if self.margin_scale <= 0:
            raise ValueError(f"PlayoutConfig.margin_scale must be above 0, got {self.margin_scale}")


class Playouts(NamedTuple):
    """What a search found out; zeros in finished games."""

    visits: NDArray[np.int32]
    """How often each action was tried; the most visited is the best. Shape [B, A]."""
    values: NDArray[np.float32]
    """Mean value of each, -1 to 1: the margin won from now on, not the result. Shape [B, A]."""


class PlayoutSearch:
    """Search by playouts, for all positions of one game."""

    def __init__(self, game: KropkiGame, config: PlayoutConfig) -> None:
        """Make the search; its trees last for one call."""
        options = {
            "radius": config.radius,
            "moves": config.moves,
            "length": config.length,
            "exploration": config.exploration,
            "amaf_visits": config.amaf_visits,
            "margin_scale": config.margin_scale,
            "result_weight": config.result_weight,
            "chase_nodes": config.chase_nodes,
        }
        self._num_threads = config.num_threads
        core = _core.Kropki(core_options(game.rules))
        self._core = _core.KropkiPlayouts(core, options, config.num_threads)

    def run(
        self,
        state: KropkiState,
        seeds: NDArray[np.uint64],
        playouts: int,
        max_seconds: float | None = None,
    ) -> Playouts:
        """Search every unfinished position. STOP is not among the moves that are tried.

        Args:
            state: The positions.
            seeds: Luck of each. uint64, shape [B].
            playouts: Games played out for each, fewer where more could not change the most visited move.
            max_seconds: Time for all of them together, which may end searches early; none: no limit.

        Raises:
            ValueError: Seeds of another shape, or a number out of its range.
        """
        if not 1 <= playouts <= MAX_SIMULATIONS:
            raise ValueError(f"playouts must be in 1..{MAX_SIMULATIONS}, got {playouts}")
        luck = np.ascontiguousarray(seeds)
        if luck.dtype != np.uint64:
            raise ValueError(f"seeds must be uint64, got {luck.dtype}")
        rounds = max(1, math.ceil(len(state) / self._num_threads))  # games that a thread searches in turn
        seconds = None if max_seconds is None else max_seconds / rounds
        return Playouts(*self._core.run(luck, playouts, seconds, *core_arrays(state)))
