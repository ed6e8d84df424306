"""The symmetries of a board of Kropki: what a motion of the board does to actions, features and points.

Shape letters as in `kropki.py`.
"""

import numpy as np

from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.symmetry import Symmetries


def kropki_symmetries(rules: KropkiRules, num_bytes: int) -> Symmetries:
    """The motions that keep board and opening zone: at most four of a rectangle, eight of a square."""
    H, W = rules.height, rules.width
    y, x = np.divmod(np.arange(H * W), W)
    images = [(y, x), (y, W - 1 - x), (H - 1 - y, x), (H - 1 - y, W - 1 - x)]
    if H == W:
        images += [(v, u) for u, v in images]
    zone = rules.zone().ravel()
    points = np.array([v * W + u for v, u in images if (zone[v * W + u] == zone).all()], np.int32)
    num = len(points)
    stop = np.full((num, 1), H * W, np.int32)
    bits = (np.arange(num_bytes)[:, None, None] * H * W + points[:, None, :, None]) * 8 + np.arange(8)
    features = bits.reshape(num, -1).astype(np.int32)
    return Symmetries(actions=np.hstack([points, stop]), features=features, points=points)
