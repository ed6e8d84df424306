"""Which optimiser moves which parameters of a network."""

from collections.abc import Sequence
from enum import Enum
from typing import Protocol

from torch import Tensor
from torch.optim import AdamW, Optimizer

from dotzero.models.network import Network
from dotzero.train.muon import Muon

_NOT_HIDDEN = (
    "stem_globals", "point_out", "value_out", "margin_out", "margin_bin", "margin_summary", "side_out",
    "side_extra_out",
)  # fmt: skip
"""Layers that read globals or give outputs: a direction there is one number, not to be moved like others."""


class OptimiserKind(Enum):
    """What moves the weights."""

    ADAMW = "adamw"
    """AdamW, all of them."""
    MUON = "muon"
    """Muon the kernels and matrices of hidden layers, AdamW the rest: learns more from every step."""


class Rates(Protocol):
    """The settings that are needed here, of `LearnerConfig`."""

    optimiser: OptimiserKind
    learning_rate: float
    muon_learning_rate: float
    weight_decay: float


def make_optimisers(network: Network, config: Rates) -> list[Optimizer]:
    """One or two optimisers that share the parameters; every group names its peak rate, "peak"."""
    hidden, decayed, plain = [], [], []
    for name, parameter in network.named_parameters():
        if parameter.ndim < 2:
            plain.append(parameter)
        elif config.optimiser is OptimiserKind.MUON and name.split(".")[-2] not in _NOT_HIDDEN:
            hidden.append(parameter)
        else:
            decayed.append(parameter)
    adam = AdamW(
        [{"params": decayed, "weight_decay": config.weight_decay}, {"params": plain, "weight_decay": 0.0}],
        lr=config.learning_rate,
        betas=(0.9, 0.99),
    )
    found: list[Optimizer] = [adam]
    if hidden:
        found.append(Muon(hidden, config.muon_learning_rate, weight_decay=config.weight_decay))
    for optimiser in found:
        for group in optimiser.param_groups:
            group["peak"] = group["lr"]
    return found


def optimiser_of(parameter: Tensor, optimisers: Sequence[Optimizer]) -> Optimizer:
    """The one that moves a parameter."""
    for optimiser in optimisers:
        for group in optimiser.param_groups:
            if any(own is parameter for own in group["params"]):
                return optimiser
    raise ValueError("every parameter must belong to an optimiser")


def state_keys(optimiser: Optimizer) -> list[str]:
    """What an optimiser keeps of each parameter, in alphabetical order."""
    return ["momentum"] if isinstance(optimiser, Muon) else ["exp_avg", "exp_avg_sq", "step"]
