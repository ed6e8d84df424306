"""What the search asks of a network, as structural types: `search` knows no network and imports none.

`dotzero.models` has the implementations. Shape letters: n rows of a batch, C bytes a point, H x W points, G
globals, P policy slots; see `dotzero.envs.game`.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class InputBuffer(Protocol):
    """Memory that the core fills with observations and the evaluator reads."""

    @property
    def points(self) -> NDArray[np.uint8]:
        """Shape [capacity, C, H, W]."""

    @property
    def globals(self) -> NDArray[np.float32]:
        """Shape [capacity, G]."""


class Evaluation(Protocol):
    """A network's judgement of n positions, seen by the player to move in each."""

    @property
    def policy(self) -> NDArray[np.float32]:
        """Logits, one a policy slot, not masked. Shape [n, P]."""

    @property
    def value(self) -> NDArray[np.float32]:
        """Probability of winning minus probability of losing. Shape [n]."""

    @property
    def margin(self) -> NDArray[np.float32]:
        """Expected final score margin, in points. Shape [n]."""


class Evaluator(Protocol):
    """Evaluates batches, several of them at a time where the machine allows it."""

    def allocate(
        self, capacity: int, observation_shape: tuple[int, int, int], num_globals: int
    ) -> InputBuffer:
        """A buffer for up to `capacity` rows, in memory that suits the device."""

    def start(self, buffer: Any, num_rows: int) -> Any:
        """Begin evaluating the first rows; the buffer must not change until `finish`. Returns a ticket."""

    def finish(self, ticket: Any) -> Evaluation:
        """Wait for a started evaluation."""
