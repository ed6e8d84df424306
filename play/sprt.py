"""The sequential probability ratio test: a match that ends as soon as its question is answered.

The question: is the Elo difference `elo1` rather than `elo0`? The model: a pair's score, 0, 1/4, 1/2, 3/4 or
1, has five probabilities of which only the mean is asked, and the mean belongs to the difference by the
logistic curve of Elo. Both hypotheses are given the probabilities of their mean that make the pairs seen most
likely, and the logarithm LLR of the ratio of the two likelihoods is compared with Wald's bounds:

    go on while log(beta / (1 - alpha)) < LLR < log((1 - beta) / alpha)

Sources: Wald, "Sequential tests of statistical hypotheses", 1945; the generalised test for five outcomes is
that of the test framework of Stockfish, by Van den Bergh.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""Of a pair."""
_UNSEEN = 1e-3
"""Counts in place of none, so that what was not seen yet is not held impossible."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sprt:
    """A question and how often its answer may be wrong."""

    elo0: float
    """The difference of the first hypothesis."""
    elo1: float
    """That of the second one, which is larger."""
    alpha: float = 0.05
    """Chance of deciding for `elo1` where `elo0` is true."""
    beta: float = 0.05
    """Chance of deciding for `elo0` where `elo1` is true."""

    def __post_init__(self) -> None:
        for name in ("elo0", "elo1"):
            if not -1000 <= getattr(self, name) <= 1000:
                raise ValueError(f"Sprt.{name} must be in -1000..1000, got {getattr(self, name)}")
        if self.elo0 >= self.elo1:
            raise ValueError(f"Sprt.elo1 must be above elo0 = {self.elo0}, got {self.elo1}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"Sprt.{name} must be above 0 and below 0.5, got {getattr(self, name)}")

    @property
    def bounds(self) -> tuple[float, float]:
        """At the lower one the decision is for `elo0`, at the upper one for `elo1`."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, pair_scores: Sequence[float]) -> float:
        """The logarithm of the likelihood ratio of `elo1` to `elo0`.

        Args:
            pair_scores: Of the first player, each a multiple of 1/4 from 0 to 1.
        """
        counts = count_pairs(pair_scores).astype(np.float64)
        if counts.sum() == 0:
            return 0.0
        counts = np.maximum(counts, _UNSEEN)
        shares = counts / counts.sum()
        one, zero = (_log_likely(shares, expected_score(elo)) for elo in (self.elo1, self.elo0))
        return float(counts.sum() * (shares * (one - zero)).sum())

    def decision(self, pair_scores: Sequence[float]) -> int | None:
        """0 or 1 for `elo0` or `elo1`; None where more pairs are needed."""
        low, high = self.bounds
        ratio = self.ratio(pair_scores)
        return 0 if ratio <= low else 1 if ratio >= high else None


def expected_score(elo: float) -> float:
    """The share of the points that belongs to an Elo difference."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def count_pairs(pair_scores: Sequence[float]) -> NDArray[np.int64]:
    """How many pairs scored 0, 1/4, 1/2, 3/4 and 1. Shape [5].

    Raises:
        ValueError: A score is none of these.
    """
    quarters = 4 * np.asarray(pair_scores, np.float64)
    whole = np.rint(quarters)
    if ((np.abs(quarters - whole) > 1e-6) | (whole < 0) | (whole > 4)).any():
        raise ValueError(f"pair_scores must be multiples of 1/4 from 0 to 1, got {list(pair_scores)!r}")
    return np.bincount(whole.astype(np.int64), minlength=5)


def _log_likely(shares: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Logarithms of the probabilities with this mean under which `shares` [5] are most likely.

    By Lagrange they are shares / (1 + x (score - mean)), x being the root of a falling function.
    """
    away = SCORES - mean
    low, high = -1 / away.max(), -1 / away.min()  # between them all probabilities are above 0
    for _ in range(100):
        x = (low + high) / 2
        if (shares * away / (1 + x * away)).sum() > 0:
            low = x
        else:
            high = x
    return np.asarray(np.log(shares / (1 + (low + high) / 2 * away)), np.float64)
