"""The choice of what evaluates a network, and where."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import torch

from dotzero.cores import num_cores
from dotzero.models.evaluator import Evaluator
from dotzero.models.export import Sample, check_parity, onnx_bytes
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


def make_evaluator(network: Network, config: BackendConfig, samples: Sequence[Sample] = ()) -> Evaluator:
    """An evaluator of the network as it is now; `load_weights` gives it later weights.

    Args:
        network: Copied.
        config: The choice.
        samples: Positions on which an exported model is compared with the network before it is used.

    Raises:
        ValueError: The device does not exist or a package is missing.
        RuntimeError: The exported model does not give the network's answers.
    """
    if config.kind is Backend.ONNX:
        model = onnx_bytes(network)
        check_parity(network, model, samples)
        return OnnxEvaluator(model, config.num_workers or num_cores())
    on_cpu = torch.device(config.device).type == "cpu"
    num_workers = config.num_workers or (num_cores() if on_cpu else 1)
    return TorchEvaluator(network, config.device, num_workers, config.bfloat16)
