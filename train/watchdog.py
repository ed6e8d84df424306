"""Batches that broke the learner, kept for a look in the morning.

The one idea: a batch with a non-finite loss is written whole, with the symmetries under which it was learned,
so that the step that failed can be repeated. What a run takes of memory and disk: `dotzero.train.footprint`.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dotzero.models.files import read_tensors, write_tensors
from dotzero.train.positions import Positions

_ENTRY = "dotzero-batch"
"""Tells a dumped batch from shards and checkpoints."""


class BadBatch(NamedTuple):
    """A dumped batch as it was given to the learner.

    Attributes:
        positions: The batch.
        symmetry: The symmetry under which each position was learned. Shape [N].
        board: Index of their board.
        step: The optimiser step that failed; the last good one is the one before.
        reason: What was wrong, in one line.
    """

    positions: Positions
    symmetry: NDArray[np.integer]
    board: int
    step: int
    reason: str


def dump_batch(
    folder: Path, step: int, board: int, positions: Positions, symmetry: NDArray[np.integer], reason: str
) -> Path:
    """Write a batch that broke the learner into `bad-batch-<step>.safetensors`, whole or not at all.

    Args:
        folder: The run's folder; it must exist.
        step: The optimiser step that failed.
        board: Index of the batch's board.
        positions: The batch, N positions.
        symmetry: Under which each was learned. Shape [N].
        reason: What was wrong.

    Returns:
        The file; a batch of the same step that an earlier try left is replaced.

    Raises:
        OSError: It could not be written; no temporary file is left.
    """
    path = folder / f"bad-batch-{step}.safetensors"
    tensors: dict[str, NDArray[Any]] = {**positions.arrays(), "symmetry": np.asarray(symmetry)}
    about = {"step": step, "board": board, "reason": " ".join(reason.split())}
    write_tensors(path, tensors, about, entry=_ENTRY)
    return path


def read_batch(path: Path) -> BadBatch:
    """Load what `dump_batch` has written.

    Raises:
        ValueError: The file is missing, damaged or of another kind.
    """
    tensors, about = read_tensors(path, "batch", entry=_ENTRY)
    arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
    symmetry = arrays.pop("symmetry")
    return BadBatch(Positions.from_arrays(arrays), symmetry, about["board"], about["step"], about["reason"])
