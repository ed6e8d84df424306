"""Muon: momentum whose direction is made orthogonal, for the kernels and matrices of a network.

The one idea: a step along the momentum moves a few directions of a matrix far and most hardly at all. With
all its singular values set to about 1 every direction moves alike (Jordan et al., "Muon: an optimizer for
hidden layers in neural networks", 2024). The values are brought near 1 by five steps of a Newton-Schulz
iteration, with the coefficients given there. A kernel counts as the matrix of output channels by the rest.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of the iteration's quintic: steep at 0, so that small singular values grow quickly."""
_NUM_STEPS = 5


def orthogonal(matrix: Tensor) -> Tensor:
    """A matrix with the same singular vectors and all singular values near 1 (0.7 to 1.2). Shape as given."""
    a, b, c = _COEFFICIENTS
    tall = matrix.shape[0] > matrix.shape[1]
    x: Tensor = matrix.T if tall else matrix
    x = x / (x.norm() + 1e-7)
    for _ in range(_NUM_STEPS):
        square = x @ x.T
        x = a * x + (b * square + c * square @ square) @ x
    return x.T if tall else x


class Muon(Optimizer):
    """For parameters of two or more axes."""

    def __init__(
        self, parameters: Iterable[Tensor], lr: float, momentum: float = 0.95, weight_decay: float = 0.0
    ) -> None:
        """Take the parameters.

        Args:
            parameters: Of two or more axes each.
            lr: Size of a step: every direction of a square matrix moves by about so much.
            momentum: Share of the old momentum in the new one; Nesterov's look ahead is added.
            weight_decay: Decoupled, times `lr`.
        """
        super().__init__(parameters, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """One step on the gradients as they are."""
        assert closure is None, "gradients are worked out by the caller"
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._move(parameter, parameter.grad, group)

    def _move(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        state = self.state[parameter]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(parameter)
        keep = group["momentum"]
        momentum = state["momentum"].lerp_(gradient, 1 - keep)
        ahead = gradient.lerp(momentum, keep).reshape(len(parameter), -1)
        # Tall matrices move further, so that the outputs of every layer change alike.
        size = max(1.0, ahead.shape[0] / ahead.shape[1]) ** 0.5
        parameter.mul_(1 - group["lr"] * group["weight_decay"])
        parameter.add_(orthogonal(ahead).reshape(parameter.shape), alpha=-group["lr"] * size)
