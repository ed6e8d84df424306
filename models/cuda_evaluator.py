"""Evaluation with torch on a CUDA device.

Observations go over from pinned memory, answers come back into pinned memory, and an event marks the end of
each evaluation, so that `finish` waits for its own ticket only. Everything is queued on one stream of the
evaluator's own: several groups of games are in flight, and memory that evaluations share is used by one after
the other.

A small network spends more time on starting its hundred kernels than on computing, so a whole evaluation is
recorded as a CUDA graph and replayed as one piece (https://developer.nvidia.com/blog/cuda-graphs/). A graph
reads and writes fixed memory of a fixed size: batches are padded up to the next of a few sizes, and new
weights are copied into the place of the old ones.

Shape letters: C bytes a point, H x W points, G globals, B rows of a padded batch.
"""

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from dotzero.models.evaluator import Evaluation, Evaluator, InputBuffer, Ticket
from dotzero.models.network import Network, Prediction
from dotzero.models.weights import load_into

SMALLEST_BATCH = 16
"""Rows of the smallest padded batch; fewer would not be faster."""
NUM_WARM_UPS = 2
"""Evaluations before one is recorded, in which libraries take their memory and choose their algorithms."""

Answers = tuple[Tensor, Tensor, Tensor]
"""Policy, value and margin of a batch."""


def padded_batch(num_rows: int) -> int:
    """The next of the sizes 16, 24, 32, 48, 64, 96, ...: at most half as many rows again from 16 on.

    Args:
        num_rows: At least 1.
    """
    size = SMALLEST_BATCH
    while size < num_rows:
        if size * 3 // 2 >= num_rows:
            return size * 3 // 2
        size *= 2
    return size


def evaluation_copy(network: Network, device: torch.device, bfloat16: bool) -> Network:
    """A copy of the network for evaluation only: training goes on with the original unseen.

    Args:
        network: On any device.
        device: Where the copy lies.
        bfloat16: Keep the weights of all layers in bfloat16, for use under autocast, which would otherwise
            convert them in every evaluation.
    """
    twin = copy.deepcopy(network)
    twin.to(device).eval().requires_grad_(False)
    if device.type == "cuda":  # on the CPU the blocked kernels gain nothing from it
        twin.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    if bfloat16:
        for layer in twin.modules():
            if isinstance(layer, nn.Conv1d | nn.Conv2d | nn.Linear):
                layer.to(torch.bfloat16)
    return twin


@dataclass(slots=True)
class _PinnedBuffer(InputBuffer):
    """Arrays that are views of pinned tensors."""

    pinned_points: Tensor
    pinned_globals: Tensor


@dataclass(slots=True)
class _CudaTicket(Ticket):
    """Answers on their way into pinned memory; `done` is recorded behind them."""

    done: torch.cuda.Event
    answers: Answers

    def result(self) -> Evaluation:
        self.done.synchronize()
        policy, value, margin = self.answers
        return Evaluation(policy.numpy(), value.numpy(), margin.numpy())


@dataclass(slots=True)
class _Program:
    """A recorded evaluation: fill the inputs, replay, read the answers, all on the same stream."""

    points: Tensor
    """uint8 [B, C, H, W]"""
    globals: Tensor
    """float32 [B, G]"""
    answers: Answers
    """B rows each."""
    replay: Callable[[], None]


def _pinned(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Memory that the device copies from and to while the processor does something else."""
    return torch.empty(shape, dtype=dtype, pin_memory=True)


def _record(
    run: Callable[[], Answers], stream: torch.cuda.Stream, pool: Any
) -> tuple[Answers, Callable[[], None]]:
    """Record what `run` queues; returns where its answers will lie and what repeats it.

    `pool` is memory that all recordings of one evaluator share. That is safe because they are replayed on one
    stream, where the answers of each are copied away before the next one begins.
    """
    graph = torch.cuda.CUDAGraph()
    # The learner may use the device from another thread meanwhile.
    with torch.cuda.graph(graph, pool=pool, stream=stream, capture_error_mode="thread_local"):
        answers = run()
    return answers, graph.replay


@contextmanager
def _exact_float32() -> Iterator[None]:
    """Convolutions in true float32: by default the device may round their inputs to 10 bits (TF32)."""
    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        yield


class CudaEvaluator(Evaluator):
    """Evaluates on one CUDA device; `start` only queues."""

    def __init__(self, network: Network, device: torch.device, bfloat16: bool, cuda_graphs: bool) -> None:
        """Copy the network to the device.

        Args:
            network: Later changes of it are not seen before `load_weights`.
            device: A CUDA device.
            bfloat16: Compute the layers in bfloat16 instead of float32.
            cuda_graphs: Record evaluations and replay them.

        Raises:
            ValueError: There is no such device.
        """
        if device.type != "cuda" or not torch.cuda.is_available():
            raise ValueError(f"device must be cpu or a CUDA device of this machine, got {device}")
        self._device = device
        self._bfloat16 = bfloat16
        self._cuda_graphs = cuda_graphs
        self._network = evaluation_copy(network, device, bfloat16)
        self._programs: dict[tuple[int, ...], _Program] = {}
        self._pool: Any = torch.cuda.graph_pool_handle() if cuda_graphs else None
        self._stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        # The copy above was queued on the default stream.
        self._stream.wait_stream(torch.cuda.default_stream(device))

    def allocate(
        self, capacity: int, observation_shape: tuple[int, int, int], num_globals: int
    ) -> InputBuffer:
        """See `Evaluator.allocate`; the arrays lie in pinned memory."""
        points = _pinned((capacity, *observation_shape), torch.uint8).zero_()
        globals_ = _pinned((capacity, num_globals), torch.float32).zero_()
        return _PinnedBuffer(points.numpy(), globals_.numpy(), points, globals_)

    def start(self, buffer: InputBuffer, num_rows: int) -> Ticket:
        """See `Evaluator.start`; the buffer must be one that `allocate` gave."""
        if not isinstance(buffer, _PinnedBuffer):
            raise ValueError("buffer must be one that this evaluator's allocate() gave on CUDA")
        points, globals_ = buffer.pinned_points[:num_rows], buffer.pinned_globals[:num_rows]
        with torch.inference_mode(), torch.cuda.device(self._device), torch.cuda.stream(self._stream):
            answers = (
                self._replayed(points, globals_) if self._cuda_graphs else self._computed(points, globals_)
            )
            pinned = [
                _pinned(tuple(part.shape), torch.float32).copy_(part, non_blocking=True) for part in answers
            ]
            done = torch.cuda.Event()  # type: ignore[no-untyped-call]
            done.record(self._stream)
        return _CudaTicket(done, (pinned[0], pinned[1], pinned[2]))

    def _replayed(self, points: Tensor, globals: Tensor) -> Answers:
        """Answers of a padded batch, without those of the padding. The next replay overwrites them."""
        num_rows = len(points)
        key = (padded_batch(num_rows), *points.shape[1:], globals.shape[1])
        program = self._programs.get(key)
        if program is None:
            program = self._programs[key] = self._recorded(key)
        program.points[:num_rows].copy_(points, non_blocking=True)
        program.globals[:num_rows].copy_(globals, non_blocking=True)
        program.replay()
        policy, value, margin = program.answers
        return policy[:num_rows], value[:num_rows], margin[:num_rows]

    def _recorded(self, key: tuple[int, ...]) -> _Program:
        """A program for batches of one size: rows, bytes a point, height, width, globals."""
        points = torch.zeros(key[:4], dtype=torch.uint8, device=self._device)
        globals_ = torch.zeros((key[0], key[4]), device=self._device)
        for _ in range(NUM_WARM_UPS):
            self._predict(points, globals_)
        self._stream.synchronize()
        answers, replay = _record(lambda: self._predict(points, globals_), self._stream, self._pool)
        return _Program(points, globals_, answers, replay)

    def _computed(self, points: Tensor, globals: Tensor) -> Answers:
        """Answers without a recording, kernel by kernel."""
        return self._predict(
            points.to(self._device, non_blocking=True), globals.to(self._device, non_blocking=True)
        )

    def _predict(self, points: Tensor, globals: Tensor) -> Answers:
        """Queue one evaluation; all tensors on the device."""
        if self._bfloat16:
            with torch.autocast(self._device.type, dtype=torch.bfloat16):
                prediction = self._network.predict(points, globals, full_board=True)
        else:
            with _exact_float32():
                prediction = self._network.predict(points, globals, full_board=True)
        return _answers(prediction)

    def load_weights(self, state: Mapping[str, Any]) -> None:
        """See `Evaluator.load_weights`; recordings stay valid, as the weights keep their places."""
        # Queued behind the started evaluations on the same stream, so none sees half of the new weights.
        with torch.cuda.device(self._device), torch.cuda.stream(self._stream):
            # Weights that were computed on the caller's stream must be there before they are copied.
            self._stream.wait_stream(torch.cuda.default_stream(self._device))
            load_into(self._network, state)
        self._stream.synchronize()

    def close(self) -> None:
        """See `Evaluator.close`."""
        self._stream.synchronize()
        self._programs.clear()


def _answers(prediction: Prediction) -> Answers:
    return prediction.policy.float(), prediction.value.float(), prediction.margin.float()
