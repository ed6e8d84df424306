"""Board symmetries as permutations, the same code for every game.

A game describes its board once, as index tables; applying a symmetry is then a gather. Squares have eight
symmetries, rectangles four: a quarter turn would change the board's shape. The identity is number 0.

Shape letters as in `game.py`; N observations in a batch.
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

ScalarT = TypeVar("ScalarT", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Symmetries:
    """All symmetries of one board. Each table is indexed by the symmetry first.

    Applying symmetry s moves the thing at index i to index `table[s, i]`.
    """

    actions: NDArray[np.int32]
    """Image of every action. Shape [S, A]."""
    features: NDArray[np.int32]
    """Image of every bit feature, counted as ((byte * H + row) * W + column) * 8 + bit. Shape [S, F]."""
    points: NDArray[np.int32]
    """Image of every lattice point, as the thing the point carries for `owners`. Shape [S, H * W]."""

    def __len__(self) -> int:
        return len(self.actions)

    def apply_to_actions(self, values: NDArray[ScalarT], symmetry: NDArray[np.integer]) -> NDArray[ScalarT]:
        """Permute one value an action (a policy, a mask). `values` [N, A], `symmetry` [N]."""
        return _scatter(values, self.actions[symmetry])

    def apply_to_points(self, points: NDArray[np.uint8], symmetry: NDArray[np.integer]) -> NDArray[np.uint8]:
        """Permute the bits of raw observations. `points` [N, C, H, W] uint8, `symmetry` [N]."""
        bits = np.unpackbits(points.reshape(len(points), -1), axis=1, bitorder="little")
        moved = _scatter(bits, self.features[symmetry])
        return np.packbits(moved, axis=1, bitorder="little").reshape(points.shape)

    def least_images(self, points: NDArray[np.uint8]) -> list[bytes]:
        """Of all images of each observation the least one: equal for those that a symmetry makes equal.

        `points` [N, C, H, W] uint8.
        """
        every = (self.apply_to_points(points, np.full(len(points), index)) for index in range(len(self)))
        images = [[image.tobytes() for image in moved] for moved in every]
        return [min(same) for same in zip(*images, strict=True)]

    def apply_to_owners(self, owners: NDArray[ScalarT], symmetry: NDArray[np.integer]) -> NDArray[ScalarT]:
        """Permute one value a lattice point. `owners` [N, H, W], `symmetry` [N]."""
        return _scatter(owners.reshape(len(owners), -1), self.points[symmetry]).reshape(owners.shape)


def _scatter(values: NDArray[ScalarT], target: NDArray[np.int32]) -> NDArray[ScalarT]:
    """values[n, i] goes to column target[n, i]. Both [N, K]."""
    moved = np.empty_like(values)
    np.put_along_axis(moved, target, values, axis=1)
    return moved
