"""Evaluation with torch, on the CPU or on a CUDA device.

CPU: call `torch.set_num_threads(1)` once in the process that owns the evaluator. The library does not do it
behind its owner's back, and without it each worker would start as many threads as there are cores. CUDA: see
`dotzero.models.cuda_evaluator`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dotzero.models.cuda_evaluator import CudaEvaluator, evaluation_copy
from dotzero.models.evaluator import Evaluation, Evaluator, InputBuffer, ThreadedEvaluator, Ticket
from dotzero.models.network import Network
from dotzero.models.weights import load_into


class _CpuEvaluator(ThreadedEvaluator):
    """One evaluation a worker thread."""

    def __init__(self, network: Network, num_workers: int) -> None:
        super().__init__(num_workers)
        self._network = evaluation_copy(network, torch.device("cpu"), bfloat16=False)

    def _evaluate(self, points: NDArray[np.uint8], globals: NDArray[np.float32]) -> Evaluation:
        with torch.inference_mode():
            prediction = self._network.predict(torch.from_numpy(points), torch.from_numpy(globals), True)
        return Evaluation(prediction.policy.numpy(), prediction.value.numpy(), prediction.margin.numpy())

    def load_weights(self, state: Mapping[str, Any]) -> None:
        self._wait_for_started()
        load_into(self._network, state)


class TorchEvaluator(Evaluator):
    """Evaluates with torch on the device that is asked for. It keeps its own copy of the network."""

    def __init__(
        self,
        network: Network,
        device: torch.device | str = "cpu",
        num_workers: int = 1,
        bfloat16: bool = False,
        cuda_graphs: bool = True,
    ) -> None:
        """Copy the network to the device.

        Args:
            network: Later changes of it are not seen before `load_weights`.
            device: "cpu", "cuda", "cuda:0" and so on.
            num_workers: Evaluations at once, on the CPU; must be 1 on CUDA, where it would have no effect.
            bfloat16: Compute the convolutions in bfloat16, on CUDA: faster, with logits good to two or three
                digits. Must be off on the CPU.
            cuda_graphs: On CUDA: record evaluations and replay them, which is faster; the answers are the
                same. No effect on the CPU.

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
            self._lane = CudaEvaluator(network, torch.device(device), bfloat16, cuda_graphs)

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
