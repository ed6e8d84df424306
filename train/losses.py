"""The losses of a batch of positions.

All under the position's own player to move: cross-entropy of the policy over legal actions, of win, draw and
loss, and of the margin to come (one bin a point); binary cross-entropy of the owner of every point that is
still open and that somebody holds in the end. With side policies: cross-entropy of the search's policy made
flatter, which teaches moves that the policy itself all but drops, and of the opponent's reply (both from
Wu, "Accelerating self-play learning in Go", 2019, and its later methods). Shape letters as in
`dotzero.envs.game`; N positions of a batch, M margin bins.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from dotzero.models.network import MASKED_LOGIT

SOFT_TEMPERATURE = 4.0
"""The soft policy's target is the search's policy to the power of one over this."""


def policy_loss(logits: Tensor, legal: Tensor, target: Tensor) -> Tensor:
    """Mean cross-entropy of the policy over legal actions. All [N, A]."""
    log_policy = logits.masked_fill(~legal, -1e9).log_softmax(dim=1)
    return -(target * log_policy.masked_fill(~legal, 0.0)).sum(dim=1).mean()


def soft_policy_loss(logits: Tensor, legal: Tensor, target: Tensor) -> Tensor:
    """The same against the target made flatter. All [N, A]."""
    soft = target ** (1.0 / SOFT_TEMPERATURE)
    return policy_loss(logits, legal, soft / soft.sum(dim=1, keepdim=True).clamp(min=1e-12))


def reply_loss(logits: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy of the opponent's next move, of which nobody knows yet whether it will be legal. [N, A].

    The mean over the positions that have a reply: the others' targets are all zero.
    """
    counted = target.sum().clamp(min=1.0)
    return -(target * logits.log_softmax(dim=1)).sum() / counted


class Searched(NamedTuple):
    """What searches add to the target that the game's end gives: value or margin, already weighted."""

    share: Tensor
    """What the end counts. Shape [N]."""
    rest: Tensor
    """What the searches say, within 1 - share. Shape [N]."""


def value_loss(logits: Tensor, outcome: Tensor, searched: Searched | None = None) -> Tensor:
    """Mean cross-entropy of win, draw and loss.

    Args:
        logits: Shape [N, 3].
        outcome: +1, 0 or -1, of the game's end. Shape [N].
        searched: Searches with a share in the target, counted as won or lost; None: the end alone.
    """
    ended = 1 - outcome.long()
    if searched is None:
        return functional.cross_entropy(logits, ended)
    share, rest = searched
    target = functional.one_hot(ended, 3) * share[:, None]
    target[:, 0] += (1 - share + rest) / 2
    target[:, 2] += (1 - share - rest) / 2
    return functional.cross_entropy(logits, target)


def margin_loss(
    logits: Tensor, margin: Tensor, max_margin: int, step: int, searched: Searched | None = None
) -> Tensor:
    """Mean cross-entropy of the margin to come.

    Args:
        logits: Shape [N, M].
        margin: Of the game's end, in points. Shape [N].
        max_margin: The largest margin that has a bin.
        step: Points between two possible margins.
        searched: Searches with a share in the target, which two bins then share; None: the end alone.
    """
    ended = margin.round().clamp(-max_margin, max_margin)
    if searched is None:
        return functional.cross_entropy(logits, ended.long() + max_margin)
    away = (searched.share * margin + searched.rest - ended) / step
    below = torch.floor(away)
    lower = (ended + step * below).clamp(-max_margin, max_margin)
    upper = (lower + step).clamp(-max_margin, max_margin)
    places = torch.stack((lower, upper), dim=1).long() + max_margin
    shares = torch.stack((1 - (away - below), away - below), dim=1)
    # A search may be a little beyond what is possible: such a bin takes no share.
    shares = torch.where(logits.gather(1, places) > MASKED_LOGIT / 2, shares, 0.0)
    shares = shares / shares.sum(dim=1, keepdim=True).clamp(min=1e-6)
    return -(logits.log_softmax(dim=1).gather(1, places) * shares).sum(dim=1).mean()


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
