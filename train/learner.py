"""The learner: losses, one optimiser step at a time, and the weight average that plays.

Losses, all under the position's own player to move: cross-entropy of the policy over legal actions, of win,
draw and loss, and of the margin to come (one bin a point); binary cross-entropy of the owner of every point
that is still open and that somebody holds in the end. Shape letters as in `dotzero.envs.game`; N positions of
a batch, M margin bins.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from dotzero.envs.game import Game
from dotzero.models.network import Network
from dotzero.search.checks import require_at_most, require_finite
from dotzero.train.positions import Positions, unpack_legal

MAX_BATCH = 1_000_000
"""Largest batch that is accepted, in positions."""


@dataclass(kw_only=True, slots=True)
class LearnerConfig:
    """Optimiser, schedule and weights of the losses."""

    batch_size: int = 256
    """Positions a step."""
    learning_rate: float = 2e-3
    """Peak learning rate of AdamW."""
    warmup_steps: int = 200
    """Steps over which the rate rises from 0."""
    final_decay: float = 0.3
    """Last share of the run over which the rate falls linearly to a hundredth of its peak."""
    weight_decay: float = 1e-4
    """Decoupled weight decay of AdamW, on matrices and kernels only."""
    gradient_clip: float = 1.0
    """Largest norm of a step's gradient."""
    average_decay: float = 0.998
    """Decay a step of the weight average; the average grows from the plain mean of the first steps."""
    value_weight: float = 1.0
    """Weight of the win, draw and loss cross-entropy."""
    margin_weight: float = 0.25
    """Weight of the margin's cross-entropy."""
    owner_weight: float = 0.25
    """Weight of the owners' mean binary cross-entropy."""
    num_threads: int = 1
    """Threads of torch on the CPU while learning; more can pay for large networks on an idle machine only."""

    def __post_init__(self) -> None:
        require_finite(self)
        require_at_most(self, MAX_BATCH, "batch_size")
        for name in ("batch_size", "num_threads"):
            self._require(getattr(self, name) >= 1, f"{name} must be at least 1", getattr(self, name))
        for name in ("learning_rate", "gradient_clip"):
            self._require(getattr(self, name) > 0, f"{name} must be above 0", getattr(self, name))
        for name in ("warmup_steps", "weight_decay", "value_weight", "margin_weight", "owner_weight"):
            self._require(getattr(self, name) >= 0, f"{name} must be at least 0", getattr(self, name))
        for name in ("final_decay", "average_decay"):
            self._require(
                0 <= getattr(self, name) < 1, f"{name} must be in 0..1 without 1", getattr(self, name)
            )

    @staticmethod
    def _require(fits: bool, rule: str, value: object) -> None:
        if not fits:
            raise ValueError(f"LearnerConfig.{rule}, got {value}")


class NonFiniteLossError(ValueError):
    """A loss or gradient was not finite; the weights are as before the step."""


class Learner:
    """A network in training, its optimiser and its weight average."""

    def __init__(
        self,
        games: Sequence[Game[Any]],
        network: Network,
        config: LearnerConfig,
        device: torch.device,
    ) -> None:
        """Start at step 0.

        Args:
            games: The boards that are learned from; all share the network.
            network: Moved to the device and trained in place.
            config: Optimiser and losses.
            device: Where.
        """
        self.config = config
        self.device = device
        # Channels last is the faster layout for training, on CPUs (a quarter measured) as on GPUs.
        self.network = network.to(device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average = copy.deepcopy(self.network)
        self.step = 0
        self._games = list(games)
        self._slots = [torch.from_numpy(game.policy_slots.astype(np.int64)).to(device) for game in games]
        plain = [p for p in network.parameters() if p.ndim < 2]
        decayed = [p for p in network.parameters() if p.ndim >= 2]
        self.optimiser = torch.optim.AdamW(
            [
                {"params": decayed, "weight_decay": config.weight_decay},
                {"params": plain, "weight_decay": 0.0},
            ],
            lr=config.learning_rate,
            betas=(0.9, 0.99),
        )

    def learning_rate(self, progress: float) -> float:
        """The rate of the next step, `progress` (0..1) into the run: warm-up, then constant, then decay."""
        warm = min(1.0, (self.step + 1) / max(1, self.config.warmup_steps))
        left = (1.0 - progress) / self.config.final_decay if self.config.final_decay > 0 else 1.0
        return self.config.learning_rate * warm * min(1.0, max(0.01, left))

    def train_batch(
        self, positions: Positions, symmetry: NDArray[np.integer], progress: float, board: int = 0
    ) -> dict[str, float]:
        """One optimiser step.

        Args:
            positions: The batch, all of one board.
            symmetry: The symmetry under which each position is learned. Shape [N].
            progress: How far the run has come, 0..1, for the schedule.
            board: Index of their board.

        Returns:
            The losses, the gradient's norm before clipping, and the rate.

        Raises:
            NonFiniteLossError: Nothing was changed.
        """
        self.network.train()
        losses = self.losses(positions, symmetry, board)
        self.optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(losses["loss"])
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.config.gradient_clip)
        if not torch.isfinite(norm) or not torch.isfinite(losses["loss"]):
            raise NonFiniteLossError(
                f"loss and gradient must be finite, got {losses['loss'].item()} and {float(norm)} at step "
                f"{self.step + 1}: try a lower learner.learning_rate"
            )
        rate = self.learning_rate(progress)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.step()
        self.step += 1
        self._update_average()
        report = {name: float(loss.detach()) for name, loss in losses.items()}
        return report | {"gradient_norm": float(norm), "learning_rate": rate}

    def losses(
        self, positions: Positions, symmetry: NDArray[np.integer], board: int = 0
    ) -> dict[str, Tensor]:
        """All losses of a batch of one board, "loss" being their weighted sum."""
        symmetries = self._games[board].symmetries
        legal = unpack_legal(positions.legal, self._games[board].num_actions)
        points = self._tensor(symmetries.apply_to_points(positions.points, symmetry))
        output = self.network(points, self._tensor(positions.globals), full_board=True)
        losses = {
            "policy": policy_loss(
                output.policy[:, self._slots[board]],
                self._tensor(symmetries.apply_to_actions(legal, symmetry)),
                self._tensor(symmetries.apply_to_actions(positions.policy.astype(np.float32), symmetry)),
            ),
            "value": functional.cross_entropy(
                output.value_logits, self._tensor(1 - positions.outcome.astype(np.int64))
            ),
            "margin": margin_loss(
                output.margin_logits, self._tensor(positions.margin), self.network.encoding.max_margin
            ),
            "owner": owner_loss(
                output.owner,
                self._tensor(symmetries.apply_to_owners(positions.owners, symmetry).astype(np.float32)),
                open_points(points, self.network.encoding.open_bit),
            ),
        }
        c = self.config
        weighted = c.value_weight * losses["value"] + c.margin_weight * losses["margin"]
        losses["loss"] = losses["policy"] + weighted + c.owner_weight * losses["owner"]
        return losses

    def _tensor(self, array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device, non_blocking=True)

    @torch.no_grad()
    def _update_average(self) -> None:
        """An exponential average that starts as the plain mean: it does not remember the first weights."""
        keep = min(self.config.average_decay, self.step / (self.step + 1) if self.step > 1 else 0.0)
        pairs = zip(self.average.parameters(), self.network.parameters(), strict=True)
        for average, current in pairs:
            average.lerp_(current, 1.0 - keep)

    def tensors(self) -> dict[str, Tensor]:
        """Weights, average and optimiser state by name, for saving."""
        tensors = {f"network.{name}": value for name, value in self.network.state_dict().items()}
        tensors |= {f"average.{name}": value for name, value in self.average.state_dict().items()}
        for name, parameter in self.network.named_parameters():
            for key, value in self.optimiser.state[parameter].items():
                tensors[f"optimiser.{name}.{key}"] = value
        return tensors

    def load_tensors(self, tensors: Mapping[str, Tensor], step: int) -> None:
        """Go on from what `tensors` gave after `step` steps."""
        self.network.load_state_dict(_part(tensors, "network."))
        self.average.load_state_dict(_part(tensors, "average."))
        self.step = step
        for name, parameter in self.network.named_parameters():
            state = _part(tensors, f"optimiser.{name}.")
            if step > 0 and sorted(state) != ["exp_avg", "exp_avg_sq", "step"]:
                raise ValueError(f"the saved optimiser must have three tensors of {name}, got {len(state)}")
            device = {"step": torch.device("cpu")}
            self.optimiser.state[parameter] = {
                key: value.to(device.get(key, self.device)).clone() for key, value in state.items()
            }


def _part(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name[len(prefix) :]: value for name, value in tensors.items() if name.startswith(prefix)}


def policy_loss(logits: Tensor, legal: Tensor, target: Tensor) -> Tensor:
    """Mean cross-entropy of the policy over legal actions. All [N, A]."""
    log_policy = logits.masked_fill(~legal, -1e9).log_softmax(dim=1)
    return -(target * log_policy.masked_fill(~legal, 0.0)).sum(dim=1).mean()


def margin_loss(logits: Tensor, margin: Tensor, max_margin: int) -> Tensor:
    """Mean cross-entropy of the margin to come. Logits [N, M], margin [N] in points."""
    target = margin.round().clamp(-max_margin, max_margin).long() + max_margin
    return functional.cross_entropy(logits, target)


def owner_loss(logits: Tensor, owners: Tensor, counted: Tensor) -> Tensor:
    """Binary cross-entropy of the owner, averaged over the points that count and have one. All [N, H, W]."""
    counted = counted * (owners != 0)
    loss = functional.binary_cross_entropy_with_logits(logits, (owners > 0).float(), reduction="none")
    return (loss * counted).sum() / counted.sum().clamp(min=1.0)


def open_points(points: Tensor, open_bit: int | None) -> Tensor:
    """1.0 where a point's owner is still to be decided, by its bit; everywhere without one. [N, H, W]."""
    if open_bit is None:
        return torch.ones_like(points[:, 0], dtype=torch.float32)
    byte, bit = divmod(open_bit, 8)
    return ((points[:, byte] >> bit) & 1).float()
