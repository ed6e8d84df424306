"""The learner: optimiser steps on the losses of `dotzero.train.losses`, and the weight average that plays.

Shape letters as in `dotzero.envs.game`; N positions of a batch.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dotzero.envs.game import Game
from dotzero.models.network import Network
from dotzero.search.checks import require_at_most, require_finite
from dotzero.train.losses import (
    Searched,
    margin_loss,
    open_points,
    owner_loss,
    policy_loss,
    reply_loss,
    soft_policy_loss,
    value_loss,
)
from dotzero.train.optimisers import OptimiserKind, make_optimisers, optimiser_of, state_keys
from dotzero.train.positions import Positions, unpack_legal

MAX_BATCH = 1_000_000
"""Largest batch that is accepted, in positions."""


_AT_LEAST_0 = (
    "warmup_steps", "weight_decay", "value_weight", "margin_weight", "owner_weight", "soft_policy_weight",
    "reply_weight",
)  # fmt: skip


@dataclass(kw_only=True, slots=True)
class LearnerConfig:
    """Optimiser, schedule and weights of the losses."""

    batch_size: int = 256
    """Positions a step."""
    optimiser: OptimiserKind = OptimiserKind.ADAMW
    """What moves the weights."""
    learning_rate: float = 2e-3
    """Peak learning rate of AdamW."""
    muon_learning_rate: float = 0.02
    """Peak learning rate of Muon."""
    warmup_steps: int = 200
    """Steps over which the rate rises from 0."""
    final_decay: float = 0.3
    """Last share of the run over which the rate falls linearly to a hundredth of its peak."""
    weight_decay: float = 1e-4
    """Decoupled weight decay, on matrices and kernels only."""
    gradient_clip: float = 1.0
    """Largest norm of a step's gradient."""
    average_decay: float = 0.98
    """Decay a step of the weight average; the average grows from the plain mean of the first steps."""
    value_weight: float = 1.0
    """Weight of the win, draw and loss cross-entropy."""
    margin_weight: float = 0.25
    """Weight of the margin's cross-entropy."""
    owner_weight: float = 0.25
    """Weight of the owners' mean binary cross-entropy."""
    soft_policy_weight: float = 0.0
    """Weight of the soft policy's cross-entropy; with `network.side_policies`."""
    reply_weight: float = 0.0
    """Weight of the cross-entropy of the opponent's reply; with `network.side_policies`."""
    bfloat16: bool = False
    """Compute the convolutions in bfloat16: up to half as fast again where the processor or GPU has it."""
    num_threads: int = 1
    """Threads of torch on the CPU while learning; more can pay for large networks on an idle machine only."""

    def __post_init__(self) -> None:
        require_finite(self)
        require_at_most(self, MAX_BATCH, "batch_size")
        for name in ("batch_size", "num_threads"):
            self._require(getattr(self, name) >= 1, f"{name} must be at least 1", getattr(self, name))
        for name in ("learning_rate", "muon_learning_rate", "gradient_clip"):
            self._require(getattr(self, name) > 0, f"{name} must be above 0", getattr(self, name))
        for name in _AT_LEAST_0:
            self._require(getattr(self, name) >= 0, f"{name} must be at least 0", getattr(self, name))
        for name in ("final_decay", "average_decay"):
            self._require(
                0 <= getattr(self, name) < 1, f"{name} must be in 0..1 without 1", getattr(self, name)
            )

    @property
    def needs_side_policies(self) -> bool:
        """Whether a loss is of policies that only a network with `side_policies` has."""
        return self.soft_policy_weight > 0 or self.reply_weight > 0

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
        if config.needs_side_policies != network.config.side_policies:
            rule = "not both be 0 with" if network.config.side_policies else "be 0 without"
            raise ValueError(
                f"LearnerConfig.soft_policy_weight and reply_weight must {rule} network.side_policies, "
                f"got {config.soft_policy_weight} and {config.reply_weight}"
            )
        self.config = config
        self.device = device
        # Channels last is the faster layout for training, on CPUs (a quarter measured) as on GPUs.
        self.network = network.to(device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average = copy.deepcopy(self.network)
        self.step = 0
        self._games = list(games)
        self._slots = [torch.from_numpy(game.policy_slots.astype(np.int64)).to(device) for game in games]
        self.optimisers = make_optimisers(network, config)

    def schedule(self, progress: float) -> float:
        """Share of the peak rates `progress` (0..1) into the run: warm-up by steps, then 1, then decay."""
        warm = min(1.0, (self.step + 1) / max(1, self.config.warmup_steps))
        left = (1.0 - progress) / self.config.final_decay if self.config.final_decay > 0 else 1.0
        return warm * min(1.0, max(0.01, left))

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
        self.network.zero_grad(set_to_none=True)
        torch.autograd.backward(losses["loss"])
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.config.gradient_clip)
        if not torch.isfinite(norm) or not torch.isfinite(losses["loss"]):
            rates = ", ".join(f"learner.{name}" for name in self._rate_names)
            raise NonFiniteLossError(
                f"loss and gradient must be finite, got {losses['loss'].item()} and {float(norm)} at step "
                f"{self.step + 1}: try lower rates ({rates})"
            )
        share = self.schedule(progress)
        for optimiser in self.optimisers:
            for group in optimiser.param_groups:
                group["lr"] = share * group["peak"]
            optimiser.step()
        self.step += 1
        self._update_average()
        report = {name: float(loss.detach()) for name, loss in losses.items()}
        peaks = {name: getattr(self.config, name) for name in self._rate_names}
        return report | {
            "gradient_norm": float(norm),
            **{name: share * peak for name, peak in peaks.items()},
        }

    @property
    def _rate_names(self) -> list[str]:
        """The settings that say how far a step goes."""
        muon = self.config.optimiser is OptimiserKind.MUON
        return ["learning_rate", *(["muon_learning_rate"] if muon else [])]

    def losses(
        self, positions: Positions, symmetry: NDArray[np.integer], board: int = 0
    ) -> dict[str, Tensor]:
        """All losses of a batch of one board, "loss" being their weighted sum."""
        game, c, encoding = self._games[board], self.config, self.network.encoding
        symmetries, slots = game.symmetries, self._slots[board]
        legal = self._actions(unpack_legal(positions.legal, game.num_actions), symmetry, board)
        policy = self._actions(positions.policy.astype(np.float32), symmetry, board)
        owners = symmetries.apply_to_owners(positions.owners, symmetry).astype(np.float32)
        points = self._tensor(symmetries.apply_to_points(positions.points, symmetry))
        with torch.autocast(self.device.type, torch.bfloat16, enabled=c.bfloat16):
            output = self.network(
                points, self._tensor(positions.globals), full_board=True, side=c.needs_side_policies
            )
        value, margin = self._searched(positions)
        margins = (self._tensor(positions.margin), encoding.max_margin, encoding.margin_step)
        losses = {
            "policy": policy_loss(output.policy[:, slots], legal, policy),
            "value": value_loss(output.value_logits, self._tensor(positions.outcome), value),
            "margin": margin_loss(output.margin_logits, *margins, margin),
            "owner": owner_loss(output.owner, self._tensor(owners), open_points(points, encoding.open_bit)),
        }
        if output.side is not None:
            replies = self._actions(_one_hot(positions.reply, game.num_actions), symmetry, board)
            losses["soft_policy"] = soft_policy_loss(output.side[:, 0, slots], legal, policy)
            losses["reply"] = reply_loss(output.side[:, 1, slots], replies)
        # The sum begins as it always has, so that runs without the later losses stay the same to the bit.
        losses["loss"] = losses["policy"] + (
            c.value_weight * losses["value"] + c.margin_weight * losses["margin"]
        )
        for name in ("owner", "soft_policy", "reply"):
            if name in losses:
                losses["loss"] = losses["loss"] + getattr(c, f"{name}_weight") * losses[name]
        return losses

    def _searched(self, positions: Positions) -> tuple[Searched | None, Searched | None]:
        """What searches add to the targets of value and margin, if anything."""
        if (positions.result_share == 1).all():
            return None, None
        share = self._tensor(positions.result_share)
        value, margin = self._tensor(positions.searched_value), self._tensor(positions.searched_margin)
        return Searched(share, value), Searched(share, margin)

    def _actions(self, values: NDArray[Any], symmetry: NDArray[np.integer], board: int) -> Tensor:
        """Numbers of actions under the positions' symmetries. [N, A]."""
        return self._tensor(self._games[board].symmetries.apply_to_actions(values, symmetry))

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
            for key, value in optimiser_of(parameter, self.optimisers).state[parameter].items():
                tensors[f"optimiser.{name}.{key}"] = value
        return tensors

    def load_tensors(self, tensors: Mapping[str, Tensor], step: int) -> None:
        """Go on from what `tensors` gave after `step` steps."""
        self.network.load_state_dict(_part(tensors, "network."))
        self.average.load_state_dict(_part(tensors, "average."))
        self.step = step
        for name, parameter in self.network.named_parameters():
            state = _part(tensors, f"optimiser.{name}.")
            optimiser = optimiser_of(parameter, self.optimisers)
            if step > 0 and sorted(state) != state_keys(optimiser):
                raise ValueError(
                    f"the saved optimiser must have {', '.join(state_keys(optimiser))} of {name}, "
                    f"got {', '.join(sorted(state)) or 'nothing'}"
                )
            device = {"step": torch.device("cpu")}
            optimiser.state[parameter] = {
                key: value.to(device.get(key, self.device)).clone() for key, value in state.items()
            }


def _one_hot(actions: NDArray[np.int16], num_actions: int) -> NDArray[np.float32]:
    """1 for each action that is one; -1 has none. Shape [N, A]."""
    rows = np.zeros((len(actions), num_actions), np.float32)
    some = np.flatnonzero(actions >= 0)
    rows[some, actions[some]] = 1.0
    return rows


def _part(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name[len(prefix) :]: value for name, value in tensors.items() if name.startswith(prefix)}
