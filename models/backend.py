"""The choice of what evaluates a network, and where."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import torch

from dotzero.cores import num_cores
from dotzero.models.evaluator import Evaluator
from dotzero.models.export import Sample, check_parity, onnx_bytes
from dotzero.models.int8 import CalibrationPositions
from dotzero.models.int8_evaluator import Int8Evaluator
from dotzero.models.network import Network
from dotzero.models.onnx_evaluator import OnnxEvaluator
from dotzero.models.torch_evaluator import TorchEvaluator


class Backend(Enum):
    """A program that runs networks."""

    TORCH = "torch"
    """PyTorch, on the CPU or on a CUDA device."""
    ONNX = "onnx"
    """onnxruntime, on the CPU: faster there. Needs `pip install 'dotzero[onnx]'`."""


@dataclass(kw_only=True, slots=True)
class BackendConfig:
    """What evaluates the network."""

    kind: Backend = Backend.TORCH
    """The program that runs it."""
    device: str = "cpu"
    """Where: cpu, cuda, cuda:0 and so on."""
    num_workers: int = 0
    """Evaluations at once, one core each; 0: as many as there are cores (on CUDA always one at a time)."""
    bfloat16: bool = False
    """Compute convolutions in bfloat16; with torch on CUDA only."""
    cuda_graphs: bool = True
    """Replay whole evaluations as CUDA graphs, padded to the next of a few batch sizes; on CUDA only."""
    int8: bool = False
    """Compute the convolutions of the residual blocks in 8-bit integers: about twice as fast. Its policy is
    compared with the network's whenever the weights change, and where it strays the network itself answers
    until the next change; with onnx only."""

    def __post_init__(self) -> None:
        if self.num_workers < 0:
            raise ValueError(f"BackendConfig.num_workers must be at least 0, got {self.num_workers}")
        try:
            device = torch.device(self.device)
        except RuntimeError as error:
            raise ValueError(f"BackendConfig.device must be cpu or cuda, got {self.device}") from error
        if device.type not in ("cpu", "cuda"):
            raise ValueError(f"BackendConfig.device must be cpu or cuda, got {self.device}")
        if device.type == "cuda" and self.kind is Backend.ONNX:
            raise ValueError(f"BackendConfig.device must be cpu with onnx, got {self.device}")
        if device.type == "cuda" and self.num_workers > 1:
            raise ValueError(f"BackendConfig.num_workers must be 0 or 1 on CUDA, got {self.num_workers}")
        if device.type == "cpu" and self.bfloat16:
            raise ValueError("BackendConfig.bfloat16 must be off on the CPU, got on")
        if self.int8 and self.kind is not Backend.ONNX:
            raise ValueError(f"BackendConfig.int8 must be off with {self.kind.value}, got on")


def make_evaluator(
    network: Network,
    config: BackendConfig,
    samples: Sequence[Sample] = (),
    calibration: Sequence[CalibrationPositions] = (),
) -> Evaluator:
    """An evaluator of the network as it is now; `load_weights` gives it later weights.

    Args:
        network: Copied.
        config: The choice.
        samples: Positions on which an exported model is compared with the network before it is used.
        calibration: With `config.int8`: positions from all stages of games on every size of board that will
            be evaluated; some hundreds do.

    Raises:
        ValueError: The device does not exist, a package is missing, or int8 has no positions.
        RuntimeError: The exported model does not give the network's answers.
    """
    if config.kind is Backend.ONNX:
        model = onnx_bytes(network)
        check_parity(network, model, samples)
        num_workers = config.num_workers or num_cores()
        return (
            Int8Evaluator(model, calibration, num_workers)
            if config.int8
            else OnnxEvaluator(model, num_workers)
        )
    on_cpu = torch.device(config.device).type == "cpu"
    num_workers = config.num_workers or (num_cores() if on_cpu else 1)
    return TorchEvaluator(network, config.device, num_workers, config.bfloat16, config.cuda_graphs)
