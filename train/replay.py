"""Replay: immutable shard files of positions and the window of them that is learned from.

A shard is one safetensors file with the positions of all boards of a run. It is written under a temporary
name and renamed, so it is whole or absent; which shards belong to a run is said by the run's state
(`dotzero.train.run_folder`), never by what lies in the folder.

The window grows with a power of all positions ever made (Wu, "Accelerating self-play learning in Go", 2019,
appendix C): early positions are forgotten quickly, later ones stay longer.
"""

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.models.files import read_tensors, write_tensors
from dotzero.search.checks import require_finite
from dotzero.train.positions import Positions


@dataclass(kw_only=True, slots=True)
class ReplayConfig:
    """How much is remembered and how often it is learned from."""

    window_start: int = 20_000
    """Positions from which on the window grows slower than the data."""
    window_exponent: float = 0.7
    """Power of that growth, above 0; 1 forgets nothing."""
    reuse: float = 6.0
    """How many times each new position is learned from on average, over its time in the window."""

    def __post_init__(self) -> None:
        require_finite(self)
        if self.window_start < 1:
            raise ValueError(f"ReplayConfig.window_start must be at least 1, got {self.window_start}")
        if not 0 < self.window_exponent <= 1:
            raise ValueError(
                f"ReplayConfig.window_exponent must be above 0 and at most 1, got {self.window_exponent}"
            )
        if self.reuse <= 0:
            raise ValueError(f"ReplayConfig.reuse must be above 0, got {self.reuse}")

    def window_size(self, total: int) -> int:
        """Positions in the window once `total` have been made."""
        start, power = self.window_start, self.window_exponent
        if total <= start:
            return total
        return int(start * (1 + ((total / start) ** power - 1) / power))

    def num_steps(self, new_positions: int, batch_size: int) -> int:
        """Optimiser steps that `new_positions` are worth."""
        return max(1, round(new_positions * self.reuse / batch_size))


Boards = Sequence[Positions]
"""Positions of every board of a run, in the run's order of boards; some may have none."""


class Replay:
    """The window of one run, on one board or several."""

    def __init__(self, folder: Path, config: ReplayConfig, descriptions: Sequence[dict[str, Any]]) -> None:
        """Start empty.

        Args:
            folder: Where the shards lie; made if absent.
            config: Window and reuse.
            descriptions: Game, rules and encoding version of every board; written into every shard and
                checked on reading.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.config = config
        self.total = 0
        self._folder = folder
        self._descriptions = [json.dumps(description, sort_keys=True) for description in descriptions]
        self._shards: deque[tuple[str, Boards]] = deque()
        self._weighted: set[str] = set()  # shards whose positions do not all weigh 1

    def __len__(self) -> int:
        return sum(num_positions(boards) for _, boards in self._shards)

    @property
    def manifest(self) -> list[str]:
        """File names of the shards in the window, oldest first."""
        return [name for name, _ in self._shards]

    @property
    def newest(self) -> Boards:
        """The positions of the newest shard."""
        return self._shards[-1][1]

    def write(self, name: str, boards: Boards) -> None:
        """Write a shard; it is not in the window yet."""
        tensors = {
            f"{board}.{key}": array
            for board, positions in enumerate(boards)
            for key, array in positions.arrays().items()
        }
        write_tensors(self._folder / name, tensors, {"positions": self._descriptions})

    def read(self, name: str) -> list[Positions]:
        """The positions of a shard, board by board.

        Raises:
            ValueError: It is missing, damaged, or of another game or other boards.
        """
        path = self._folder / name
        tensors, metadata = read_tensors(path, "shard")
        described = metadata.get("positions")
        if described != self._descriptions:
            raise ValueError(f"shard {path} must hold positions of {self._descriptions}, holds {described}")
        arrays: list[dict[str, Any]] = [{} for _ in self._descriptions]
        for key, tensor in tensors.items():
            board, _, field = key.partition(".")
            arrays[int(board)][field] = tensor.numpy()
        return [Positions.from_arrays(own) for own in arrays]

    def add(self, name: str, boards: Boards) -> None:
        """Put a written shard into the window, from which the oldest may fall out."""
        self.total += num_positions(boards)
        self._shards.append((name, boards))
        self._note_weights(name, boards)
        self._shrink()

    def _note_weights(self, name: str, boards: Boards) -> None:
        if any((positions.weight != 1).any() for positions in boards):
            self._weighted.add(name)

    def load(self, manifest: Sequence[str], total: int) -> None:
        """Make the window what it was: the shards of `manifest`, out of `total` positions ever made.

        Raises:
            ValueError: Shards are missing or damaged.
        """
        self._require_all(manifest, total)
        self._shards = deque((name, self.read(name)) for name in manifest)
        for name, boards in self._shards:
            self._note_weights(name, boards)
        self.total = total

    def _require_all(self, manifest: Sequence[str], total: int) -> None:
        """Refuse a window with missing files, and tell how much of it is there."""
        there = [name for name in manifest if (self._folder / name).exists()]
        if len(there) == len(manifest):
            return
        missing = next(name for name in manifest if name not in there)
        have = sum(num_positions(self.read(name)) for name in there)
        raise ValueError(
            f"replay must have the {len(manifest)} shards of its window (of {total:,} positions made), has "
            f"{len(there)} with {have:,} positions: {self._folder / missing} is missing"
        )

    def prune(self, kept: Sequence[str] = ()) -> None:
        """Delete the shard files that are neither in the window nor `kept`."""
        needed = {*self.manifest, *kept}
        for path in self._folder.glob("*.safetensors"):
            if path.name not in needed:
                path.unlink()

    def sample(self, size: int, random: np.random.Generator) -> tuple[int, Positions]:
        """A board, and `size` positions of it, drawn independently and by their weights from the window.

        All positions of a batch lie on one board, since a batch has one shape. Boards are drawn in proportion
        to their positions, so that over many batches every position of the window is as likely as another.
        """
        lengths = np.array([[len(positions) for positions in boards] for _, boards in self._shards])
        if not lengths.any():
            raise ValueError("replay needs at least one position to sample from, has 0")
        board, num_boards = 0, lengths.shape[1]
        if num_boards > 1:
            ends = lengths.sum(axis=0).cumsum()
            board = int(np.searchsorted(ends, random.integers(ends[-1]), side="right"))
        lengths = lengths[:, board]
        index = np.sort(self._draw(board, size, random))
        ends = np.cumsum(lengths)
        shards = np.searchsorted(ends, index, side="right")
        parts = [
            self._shards[shard][1][board][index[shards == shard] - (ends[shard] - lengths[shard])]
            for shard in np.unique(shards)
        ]
        return board, Positions.concatenate(parts)[random.permutation(size)]

    def _draw(self, board: int, size: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Places of `size` positions among all of the board in the window. Shape [size]."""
        weights = [boards[board].weight for _, boards in self._shards]
        total = sum(map(len, weights))
        if not self._weighted:
            return np.asarray(random.integers(0, total, size), np.int64)
        ends = np.concatenate(weights).cumsum(dtype=np.float64)
        found = np.searchsorted(ends, random.random(size) * ends[-1], side="right")
        # A product may be rounded up to the very end.
        return np.asarray(np.minimum(found, total - 1), np.int64)

    def _shrink(self) -> None:
        size, limit = len(self), self.config.window_size(self.total)
        while len(self._shards) > 1 and size - num_positions(self._shards[0][1]) >= limit:
            name, boards = self._shards.popleft()
            self._weighted.discard(name)
            size -= num_positions(boards)


def num_positions(boards: Boards) -> int:
    """How many positions a shard has, over all boards."""
    return sum(len(positions) for positions in boards)
