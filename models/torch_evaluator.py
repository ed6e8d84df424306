"""Evaluation with torch, on the CPU or on a CUDA device.

CPU: call `torch.set_num_threads(1)` once in the process that owns the evaluator. The library does not do it
behind its owner's back, and without it each worker would start as many threads as there are cores.

CUDA: observations go over from pinned memory on the evaluator's own stream, answers come back into pinned
memory, and an event marks the end of each evaluation, so that `finish` waits for its own ticket only.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dotzero.models.evaluator import Evaluation, Evaluator, InputBuffer, ThreadedEvaluator, Ticket
from dotzero.models.network import Network, Prediction
from dotzero.models.weights import load_into


def _inference_copy(network: Network, device: torch.device) -> Network:
    """A copy of the network for evaluation only: training goes on with the original unseen."""
    twin = copy.deepcopy(network)
    twin.to(device).eval().requires_grad_(False)
    if device.type == "cuda":  # on the CPU the blocked kernels gain nothing from it
        twin.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return twin


class _CpuEvaluator(ThreadedEvaluator):
    """One evaluation a worker thread."""

    def __init__(self, network: Network, num_workers: int) -> None:
        super().__init__(num_workers)
        self._network = _inference_copy(network, torch.device("cpu"))

    def _evaluate(self, points: NDArray[np.uint8], globals: NDArray[np.float32]) -> Evaluation:
        with torch.inference_mode():
            prediction = self._network.predict(torch.from_numpy(points), torch.from_numpy(globals), True)
        return Evaluation(prediction.policy.numpy(), prediction.value.numpy(), prediction.margin.numpy())

    def load_weights(self, state: Mapping[str, Any]) -> None:
        self._wait_for_started()
        load_into(self._network, state)


@dataclass(slots=True)
class _PinnedBuffer(InputBuffer):
    """Arrays that are views of pinned tensors."""

    pinned_points: Tensor
    pinned_globals: Tensor


@dataclass(slots=True)
class _CudaTicket(Ticket):
    """Answers on their way into pinned memory; `done` is recorded behind them."""

    done: torch.cuda.Event
    answers: tuple[Tensor, Tensor, Tensor]

    def result(self) -> Evaluation:
        self.done.synchronize()
        policy, value, margin = self.answers
        return Evaluation(policy.numpy(), value.numpy(), margin.numpy())


class _CudaEvaluator(Evaluator):
    """`start` only queues the work on a stream of its own."""

    def __init__(self, network: Network, device: torch.device, bfloat16: bool) -> None:
        if device.type != "cuda" or not torch.cuda.is_available():
            raise ValueError(f"device must be cpu or a CUDA device of this machine, got {device}")
        self._device = device
        self._bfloat16 = bfloat16
        self._network = _inference_copy(network, device)
        self._stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        # The copy above was queued on the default stream.
        self._stream.wait_stream(torch.cuda.default_stream(device))

    def allocate(
        self, capacity: int, observation_shape: tuple[int, int, int], num_globals: int
    ) -> InputBuffer:
        points = torch.zeros((capacity, *observation_shape), dtype=torch.uint8).pin_memory()
        globals_ = torch.zeros((capacity, num_globals)).pin_memory()
        return _PinnedBuffer(points.numpy(), globals_.numpy(), points, globals_)

    def start(self, buffer: InputBuffer, num_rows: int) -> Ticket:
        if not isinstance(buffer, _PinnedBuffer):
            raise ValueError("buffer must be one that this evaluator's allocate() gave on CUDA")
        with torch.inference_mode(), torch.cuda.stream(self._stream):
            points = buffer.pinned_points[:num_rows].to(self._device, non_blocking=True)
            globals_ = buffer.pinned_globals[:num_rows].to(self._device, non_blocking=True)
            prediction = self._predict(points, globals_)
            answers = tuple(
                torch.empty(part.shape, dtype=torch.float32, pin_memory=True).copy_(part, non_blocking=True)
                for part in (prediction.policy, prediction.value, prediction.margin)
            )
            done = torch.cuda.Event()  # type: ignore[no-untyped-call]
            done.record(self._stream)
        return _CudaTicket(done, (answers[0], answers[1], answers[2]))

    def _predict(self, points: Tensor, globals: Tensor) -> Prediction:
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=self._bfloat16):
            return self._network.predict(points, globals, full_board=True)

    def load_weights(self, state: Mapping[str, Any]) -> None:
        # Queued behind the started evaluations on the same stream, so none sees half of the new weights.
        with torch.cuda.stream(self._stream):
            # Weights that were computed on the caller's stream must be there before they are copied.
            self._stream.wait_stream(torch.cuda.default_stream(self._device))
            load_into(self._network, state)
        self._stream.synchronize()


class TorchEvaluator(Evaluator):
    """Evaluates with torch on the device that is asked for. It keeps its own copy of the network."""

    def __init__(
        self,
        network: Network,
        device: torch.device | str = "cpu",
        num_workers: int = 1,
        bfloat16: bool = False,
    ) -> None:
        """Copy the network to the device.

        Args:
            network: Later changes of it are not seen before `load_weights`.
            device: "cpu", "cuda", "cuda:0" and so on.
            num_workers: Evaluations at once, on the CPU; must be 1 on CUDA, where it would have no effect.
            bfloat16: Compute the convolutions in bfloat16, on CUDA: faster, with logits good to two or three
                digits. Must be off on the CPU.

        Raises:
            ValueError: The device does not exist, or an option would have no effect on it.
        """
        self._lane: Evaluator
        if torch.device(device).type == "cpu":
            if bfloat16:
                raise ValueError("bfloat16 must be off on the device cpu, got on")
            self._lane = _CpuEvaluator(network, num_workers)
        else:
            if num_workers != 1:
                raise ValueError(f"num_workers must be 1 on the device {device}, got {num_workers}")
            self._lane = _CudaEvaluator(network, torch.device(device), bfloat16)

    def allocate(
        self, capacity: int, observation_shape: tuple[int, int, int], num_globals: int
    ) -> InputBuffer:
        """See `Evaluator.allocate`; on CUDA the arrays lie in pinned memory."""
        return self._lane.allocate(capacity, observation_shape, num_globals)

    def start(self, buffer: InputBuffer, num_rows: int) -> Ticket:
        """See `Evaluator.start`; on CUDA the buffer must be one that `allocate` gave."""
        return self._lane.start(buffer, num_rows)

    def load_weights(self, state: Mapping[str, Any]) -> None:
        """See `Evaluator.load_weights`."""
        self._lane.load_weights(state)

    def close(self) -> None:
        """See `Evaluator.close`."""
        self._lane.close()
