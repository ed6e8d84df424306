"""Evaluators: what turns observations into policy, value and margin for the search.

Evaluation is split in two, so that one Python thread keeps several groups of games busy: `start` begins with
one group's positions while the core walks the trees of the next, `finish` waits for the answer. The core
writes its observations straight into the buffer that `allocate` gave.

All positions of one evaluation lie on boards that fill their lattice: one evaluation, one size, no padding.

Shape letters: n positions, C bytes a point, H x W points, G global inputs, P policy slots.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray


class Evaluation(NamedTuple):
    """Answers for a batch, from the side of the player to move.

    Attributes:
        policy: Raw logits, illegal moves not masked. float32 [n, P]
        value: P(win) - P(loss). float32 [n]
        margin: Expected FINAL margin in points: so far plus to come. float32 [n]
    """

    policy: NDArray[np.float32]
    value: NDArray[np.float32]
    margin: NDArray[np.float32]


@dataclass(slots=True)
class InputBuffer:
    """Room for the observations of up to `capacity` positions."""

    points: NDArray[np.uint8]
    """[capacity, C, H, W]"""
    globals: NDArray[np.float32]
    """[capacity, G]"""


class Ticket(ABC):
    """One started evaluation; give it to `finish` of the evaluator it came from."""

    @abstractmethod
    def result(self) -> Evaluation:
        """Wait for the answer; `Evaluator.finish` calls it."""


class Evaluator(ABC):
    """A network, or what stands in for one, ready to evaluate batches. Use it in a `with` statement."""

    def allocate(
        self, capacity: int, observation_shape: tuple[int, int, int], num_globals: int
    ) -> InputBuffer:
        """A buffer for the observations of up to `capacity` positions of one size.

        Args:
            capacity: Largest number of positions in one evaluation.
            observation_shape: (C, H, W).
            num_globals: G.
        """
        return InputBuffer(
            np.zeros((capacity, *observation_shape), np.uint8), np.zeros((capacity, num_globals), np.float32)
        )

    @abstractmethod
    def start(self, buffer: InputBuffer, num_rows: int) -> Ticket:
        """Begin to evaluate the first rows; the buffer must stay unchanged until `finish`.

        Args:
            buffer: From `allocate`, filled.
            num_rows: At least 1.
        """

    def finish(self, ticket: Ticket) -> Evaluation:
        """Wait for one started evaluation; tickets may be finished in any order."""
        return ticket.result()

    def evaluate(self, points: NDArray[np.uint8], globals: NDArray[np.float32]) -> Evaluation:
        """Evaluate a batch and wait for it.

        Args:
            points: [n, C, H, W]
            globals: [n, G]
        """
        buffer = self.allocate(
            len(points), (points.shape[1], points.shape[2], points.shape[3]), globals.shape[1]
        )
        buffer.points[:] = points
        buffer.globals[:] = globals
        return self.finish(self.start(buffer, len(points)))

    @abstractmethod
    def load_weights(self, state: Mapping[str, Any]) -> None:
        """Put new weights into the network, after the evaluations that have been started.

        Args:
            state: Tensors or arrays by name, as of `Network.state_dict`.

        Raises:
            ValueError: A name or shape does not fit; the old weights stay.
        """

    @property
    def parity(self) -> dict[str, float]:
        """How far the answers are from the network's own, by measure; empty where nothing is lost."""
        return {}

    def calibrate(self, positions: Sequence[Any]) -> None:
        """Name the positions that are evaluated of late, for evaluators that fit themselves to such.

        They count from the next `load_weights` on and replace those of the last call. Does nothing here.

        Args:
            positions: Of every size of board; `CalibrationPositions` of `dotzero.models.int8`.
        """
        return None

    def close(self) -> None:
        """Free threads and memory; the evaluator is unusable afterwards."""
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


@dataclass(slots=True)
class _Done(Ticket):
    """An evaluation that needs no waiting."""

    evaluation: Evaluation

    def result(self) -> Evaluation:
        return self.evaluation


class UniformEvaluator(Evaluator):
    """Answers 0 to everything and costs nothing: for tests, and to measure the search by itself."""

    def __init__(self, num_policy_slots: int) -> None:
        """Make one for a game whose policy has `num_policy_slots` slots."""
        self._num_policy_slots = num_policy_slots
        self._zeros = Evaluation(*self._rows(0))

    def _rows(self, num_rows: int) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        policy = np.zeros((num_rows, self._num_policy_slots), np.float32)
        return policy, np.zeros(num_rows, np.float32), np.zeros(num_rows, np.float32)

    def start(self, buffer: InputBuffer, num_rows: int) -> Ticket:
        """See `Evaluator.start`; the rows of all answers share memory."""
        if num_rows > len(self._zeros.value):
            self._zeros = Evaluation(*self._rows(num_rows))
        policy, value, margin = self._zeros
        return _Done(Evaluation(policy[:num_rows], value[:num_rows], margin[:num_rows]))

    def load_weights(self, state: Mapping[str, Any]) -> None:
        """Takes any weights: it has none."""
        return None


@dataclass(slots=True)
class _Pending(Ticket):
    """An evaluation in the hands of a worker thread."""

    future: "Future[Evaluation]"

    def result(self) -> Evaluation:
        return self.future.result()


class ThreadedEvaluator(Evaluator):
    """An evaluator on the CPU: each started evaluation runs whole in one of its worker threads.

    More workers evaluate more groups at once; one evaluation never uses more than one core. Worker threads
    keep no core busy while they wait.
    """

    def __init__(self, num_workers: int) -> None:
        """Start the worker threads."""
        if num_workers < 1:
            raise ValueError(f"num_workers must be at least 1, got {num_workers}")
        self._pool = ThreadPoolExecutor(num_workers, thread_name_prefix="evaluator")
        self._started: set[Future[Evaluation]] = set()

    @abstractmethod
    def _evaluate(self, points: NDArray[np.uint8], globals: NDArray[np.float32]) -> Evaluation:
        """Evaluate a batch in the calling thread; called by several threads at once."""

    def start(self, buffer: InputBuffer, num_rows: int) -> Ticket:
        """See `Evaluator.start`."""
        future = self._pool.submit(self._evaluate, buffer.points[:num_rows], buffer.globals[:num_rows])
        self._started.add(future)
        future.add_done_callback(self._started.discard)
        return _Pending(future)

    def _wait_for_started(self) -> None:
        """Let every started evaluation end, so that none sees half of the new weights."""
        wait(list(self._started))

    def close(self) -> None:
        """See `Evaluator.close`; evaluations that have not begun are dropped."""
        self._pool.shutdown(wait=True, cancel_futures=True)
