"""How far the answers of one evaluator are from those of another, in the terms that matter in play.

Shape letters: n positions, P policy slots.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def answer_differences(
    reference: Sequence[NDArray[np.float32]],
    answers: Sequence[NDArray[np.float32]],
    legal: NDArray[np.bool_],
) -> dict[str, NDArray[np.floating[Any]]]:
    """Compare policy, value and margin position by position.

    Args:
        reference: Logits [n, P], value [n] and margin [n] that are right.
        answers: The same from elsewhere.
        legal: The slots that are legal moves, at least one a position. [n, P]

    Returns:
        Of each position: `policy_kl` in nats over the legal moves; `best_move`, 1 if it is the same;
        `best_move_loss`, the probability by the right policy that another best move gives away; `value` and
        `margin`, the absolute differences. [n] each.
    """
    log_p, log_q = (_log_policy(part[0], legal) for part in (reference, answers))
    policy = np.exp(log_p)
    rows, best = np.arange(len(policy)), log_q.argmax(axis=1)
    return {
        "policy_kl": (policy * (log_p - log_q)).sum(axis=1),
        "best_move": (log_p.argmax(axis=1) == best).astype(np.float64),
        "best_move_loss": policy.max(axis=1) - policy[rows, best],
        "value": np.abs(reference[1] - answers[1]),
        "margin": np.abs(reference[2] - answers[2]),
    }


def _log_policy(logits: NDArray[np.float32], legal: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Logarithms of the policy over the legal moves, far below 0 elsewhere. [n, P]."""
    masked = np.where(legal, logits.astype(np.float64), -1e9)
    shifted: NDArray[np.float64] = masked - masked.max(axis=1, keepdims=True)
    shifted -= np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return shifted
