"""An evaluator that sees the board turned: as the game is to a player who sits at another side of the table.

The one idea: the search keeps its own coordinates; only what the network reads is moved by a symmetry of
the board, and its policy is moved back. A network is not exactly symmetric, so equal players whose sides are
drawn by lot play different games, none of them worse than another (Silver et al. 2017, "Mastering the game of
Go without human knowledge", draw the symmetry of every evaluation so).

Shape letters: n rows of a batch, C bytes a point, H x W points, G globals, P policy slots.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import Game
from dotzero.search.evaluation import Evaluation, Evaluator, InputBuffer


@dataclass(slots=True)
class _Buffer:
    """What the core fills, and the network's own buffer, into which that is turned."""

    points: NDArray[np.uint8]
    globals: NDArray[np.float32]
    turned: InputBuffer


class _Evaluation(NamedTuple):
    policy: NDArray[np.float32]
    value: NDArray[np.float32]
    margin: NDArray[np.float32]


class TurnedEvaluator:
    """Another evaluator, of one game, behind a fixed symmetry of its board."""

    def __init__(self, evaluator: Evaluator, game: Game[Any], symmetry: int) -> None:
        """Look through the symmetry of this number, in 0..S-1."""
        self._evaluator = evaluator
        self._symmetries, self._symmetry = game.symmetries, symmetry
        slots = game.policy_slots
        images = game.symmetries.actions[symmetry]
        self._places = (slots, slots[images])

    def allocate(
        self, capacity: int, observation_shape: tuple[int, int, int], num_globals: int
    ) -> InputBuffer:
        """See `Evaluator.allocate`."""
        inner = self._evaluator.allocate(capacity, observation_shape, num_globals)
        return _Buffer(np.zeros_like(inner.points), inner.globals, inner)

    def start(self, buffer: Any, num_rows: int) -> Any:
        """See `Evaluator.start`."""
        which = np.full(num_rows, self._symmetry)
        buffer.turned.points[:num_rows] = self._symmetries.apply_to_points(buffer.points[:num_rows], which)
        return self._evaluator.start(buffer.turned, num_rows)

    def finish(self, ticket: Any) -> Evaluation:
        """See `Evaluator.finish`. Policy slots of no action are copied as they are."""
        found = self._evaluator.finish(ticket)
        policy = found.policy.copy()
        own, images = self._places
        policy[:, own] = found.policy[:, images]
        return _Evaluation(policy, found.value, found.margin)
