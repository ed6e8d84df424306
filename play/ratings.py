"""Strength from results: Elo differences with honest intervals, from pairs of games.

The two games of an opening, played with colours swapped, are not independent; the pairs are. So the sampling
unit is the pair, whose score is 0, 1/4, 1/2, 3/4 or 1. For n pairs with mean m:

    design effect  D = (sum (p_i - m)^2 / (m (1 - m)) + 1) / n, and 1 if m is 0 or 1   (Kish 1965)
    interval       {p : |m - p| <= z sqrt(D p (1 - p) / n)}, z = 1.96                  (Wilson 1927)
    Elo            d(p) = 400 log10(p / (1 - p))                                       (Elo 1978)

D compares the variance of pairs with that of single win-or-lose games; the added 1 stands for one pair of
that largest variance, so that few or equal pairs do not look certain. A score of 0% or 100% has no finite
Elo: it counts as if 1/8 of a pair (half of the smallest step) had gone the other way, and is marked bounded.
Its interval holds the truth on one side only; `Estimate.known_interval` says which.

Several players: maximum likelihood of Bradley and Terry (1952) on the scores of all matches, one of the
players at 0; intervals by the sandwich estimate with the design effects of the matches.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Z = 1.959964
"""Two-sided 95% point of the normal distribution."""
_ELO = 400.0 / math.log(10.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """The result of one pairing, seen by its first player."""

    num_pairs: int
    """Pairs of games played."""
    score: float
    """Share of the points, 0 to 1."""
    design_effect: float
    """Variance of a pair's score over that of one win-or-lose game."""
    elo: float
    """Elo difference; positive where the first player is stronger."""
    interval: tuple[float, float]
    """95% interval of the Elo difference."""
    bounded: bool
    """True for a score of 0% or 100%: the true difference may be beyond any bound."""

    @property
    def known_interval(self) -> tuple[float | None, float | None]:
        """The interval without the end that a score of 0% or 100% leaves open: None there."""
        low, high = self.interval
        return None if self.score == 0 else low, None if self.score == 1 else high


def estimate(pair_scores: Sequence[float]) -> Estimate:
    """Score, Elo difference and 95% interval from the scores of pairs, each 0 to 1.

    Raises:
        ValueError: There is no pair, or a score is outside 0..1.
    """
    scores = np.asarray(pair_scores, np.float64)
    if scores.ndim != 1 or not len(scores) or scores.min() < 0 or scores.max() > 1:
        raise ValueError(f"pair_scores must be one or more numbers from 0 to 1, got {pair_scores!r}")
    n, m = len(scores), float(scores.mean())
    spread = m * (1 - m)
    design = (float(((scores - m) ** 2).sum()) / spread + 1) / n if spread > 0 else 1.0
    size = n / design
    centre = (m + Z * Z / (2 * size)) / (1 + Z * Z / size)
    half = Z * math.sqrt(spread / size + Z * Z / (4 * size * size)) / (1 + Z * Z / size)
    low, high = (elo(_bound(end, n)) if spread == 0 else elo(end) for end in (centre - half, centre + half))
    return Estimate(
        num_pairs=n,
        score=m,
        design_effect=design,
        elo=elo(_bound(m, n)),
        interval=(low, high),
        bounded=spread == 0,
    )


def elo(score: float) -> float:
    """The Elo difference at which a player expects this share of the points, 0 < score < 1."""
    return _ELO * math.log(score / (1 - score))


def _bound(score: float, num_pairs: int) -> float:
    limit = 0.125 / num_pairs
    return min(max(score, limit), 1 - limit)


def ratings(
    num_players: int, pairings: Sequence[tuple[int, int, Estimate]], anchor: int = -1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Elo of every player relative to one of them, from matches that connect them all.

    Args:
        num_players: K.
        pairings: First player, second player and the estimate of their match.
        anchor: The player at 0; negative numbers count from the last one.

    Returns:
        elo: float64, shape [K]; the anchor's is 0.
        interval: 95% interval, low and high. float64, shape [K, 2].
    """
    first, second = (np.array([pairing[side] for pairing in pairings]) for side in (0, 1))
    n = np.array([pairing[2].num_pairs for pairing in pairings], np.float64)
    design = np.array([pairing[2].design_effect for pairing in pairings])
    scores = np.array([_bound(pairing[2].score, pairing[2].num_pairs) for pairing in pairings])
    against = np.zeros((len(pairings), num_players))  # row k: +1 at the first player, -1 at the second
    against[np.arange(len(pairings)), first] = 1
    against[np.arange(len(pairings)), second] = -1
    others = np.arange(num_players) != anchor % num_players
    against = against[:, others]  # the anchor stays at 0
    strength = np.zeros(num_players - 1)
    for _ in range(100):  # Newton; the likelihood is concave and the scores are inside (0, 1)
        expected = 1 / (1 + np.exp(-against @ strength))
        information = against.T @ ((n * expected * (1 - expected))[:, None] * against)
        step = np.linalg.solve(information, against.T @ (n * (scores - expected)))
        strength += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-9:
            break
    noise = against.T @ ((n * design * scores * (1 - scores))[:, None] * against)
    bread = np.linalg.inv(information)
    error = np.sqrt(np.diag(bread @ noise @ bread))
    values, width = np.zeros(num_players), np.zeros(num_players)
    values[others], width[others] = strength * _ELO, error * _ELO * Z
    interval = np.stack([values - width, values + width], axis=1)
    if num_players == 2:  # one match: its own, unsymmetrical interval
        low, high = pairings[0][2].interval
        interval[others] = (low, high) if others[pairings[0][0]] else (-high, -low)
    return values, interval
