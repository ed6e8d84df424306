"""How often each position of a shard is drawn for learning, compared with the others of its shard.

Two reasons to differ from 1. Where the search moved far away from the network's policy there is more to learn
(policy surprise weighting of KataGo's self-play). And positions near the end come again and again, in
Dots and Boxes above all: drawn as often as they were met, they would crowd out openings.

Shape letters as in `dotzero.envs.game`; N positions.
"""

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.symmetry import Symmetries
from dotzero.train.positions import Positions

MOST_SURPRISE = 10.0
"""Times the mean surprise from which on a position gains no more weight."""


def draw_weights(
    positions: Positions,
    surprise: NDArray[np.float32],
    symmetries: Symmetries,
    surprise_share: float,
    repeat_power: float,
) -> NDArray[np.float32]:
    """Weights of mean 1 (none for no positions). Shape [N].

    Args:
        positions: All of one board.
        surprise: Of each, in nats; NaN: nothing was searched, and the weight is not changed. Shape [N].
        symmetries: Of the board: images of one position count as repeats.
        surprise_share: Share of all weight that is given out in proportion to the surprise.
        repeat_power: Each of k equal positions weighs k to the power of minus this; 1: they count as one.
    """
    weight = np.ones(len(positions), np.float64)
    if len(positions) == 0:
        return weight.astype(np.float32)
    searched = ~np.isnan(surprise)
    known = surprise[searched]
    if surprise_share > 0 and known.any():
        relative = np.minimum(known / known.mean(), MOST_SURPRISE)
        weight[searched] = 1 - surprise_share + surprise_share * relative / relative.mean()
    if repeat_power > 0:
        weight *= num_repeats(positions, symmetries).astype(np.float64) ** -repeat_power
    return np.asarray(weight / weight.mean(), np.float32)


def num_repeats(positions: Positions, symmetries: Symmetries) -> NDArray[np.int64]:
    """How many positions look like each one under some symmetry, itself included. Shape [N]."""
    images = symmetries.least_images(positions.points)
    whole = [image + row.tobytes() for image, row in zip(images, positions.globals, strict=True)]
    _, place, number = np.unique(np.array(whole, object), return_inverse=True, return_counts=True)
    return np.asarray(number[place], np.int64)
