"""Replay: immutable shard files of positions and the window of them that is learned from.

A shard is one safetensors file. It is written under a temporary name and renamed, so it is whole or absent;
which shards belong to a run is said by the run's state (`dotzero.train.run_folder`), never by what lies in
the folder.

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


class Replay:
    """The window of one run on one board."""

    def __init__(self, folder: Path, config: ReplayConfig, description: dict[str, Any]) -> None:
        """Start empty.

        Args:
            folder: Where the shards lie; made if absent.
            config: Window and reuse.
            description: Game, rules and encoding version; written into every shard and checked on reading.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.config = config
        self.total = 0
        self._folder = folder
        self._description = json.dumps(description, sort_keys=True)
        self._shards: deque[tuple[str, Positions]] = deque()

    def __len__(self) -> int:
        return sum(len(positions) for _, positions in self._shards)

    @property
    def manifest(self) -> list[str]:
        """File names of the shards in the window, oldest first."""
        return [name for name, _ in self._shards]

    def write(self, name: str, positions: Positions) -> None:
        """Write a shard; it is not in the window yet."""
        write_tensors(self._folder / name, positions.arrays(), {"positions": self._description})

    def read(self, name: str) -> Positions:
        """The positions of a shard.

        Raises:
            ValueError: It is missing, damaged or of another game.
        """
        path = self._folder / name
        tensors, metadata = read_tensors(path, "shard")
        described = metadata.get("positions")
        if described != self._description:
            raise ValueError(f"shard {path} must hold positions of {self._description}, holds {described}")
        return Positions.from_arrays({name: tensor.numpy() for name, tensor in tensors.items()})

    def add(self, name: str, positions: Positions) -> None:
        """Put a written shard into the window, from which the oldest may fall out."""
        self.total += len(positions)
        self._shards.append((name, positions))
        self._shrink()

    def load(self, manifest: Sequence[str], total: int) -> None:
        """Make the window what it was: the shards of `manifest`, out of `total` positions ever made."""
        self._shards = deque((name, self.read(name)) for name in manifest)
        self.total = total

    def prune(self, kept: Sequence[str] = ()) -> None:
        """Delete the shard files that are neither in the window nor `kept`."""
        needed = {*self.manifest, *kept}
        for path in self._folder.glob("*.safetensors"):
            if path.name not in needed:
                path.unlink()

    def num_steps(self, new_positions: int, batch_size: int) -> int:
        """Optimiser steps that `new_positions` are worth."""
        return max(1, round(new_positions * self.config.reuse / batch_size))

    def sample(self, size: int, random: np.random.Generator) -> Positions:
        """`size` positions, drawn uniformly and independently from the window."""
        if not self._shards:
            raise ValueError("replay needs at least one position to sample from, has 0")
        lengths = np.array([len(positions) for _, positions in self._shards])
        index = np.sort(random.integers(0, lengths.sum(), size))
        ends = np.cumsum(lengths)
        shards = np.searchsorted(ends, index, side="right")
        parts = [
            self._shards[shard][1][index[shards == shard] - (ends[shard] - lengths[shard])]
            for shard in np.unique(shards)
        ]
        return Positions.concatenate(parts)[random.permutation(size)]

    def _shrink(self) -> None:
        size, limit = len(self), self.config.window_size(self.total)
        while len(self._shards) > 1 and size - len(self._shards[0][1]) >= limit:
            size -= len(self._shards.popleft()[1])
