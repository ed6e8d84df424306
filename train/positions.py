"""Positions with their targets: what self-play writes, replay stores and the learner reads.

Shape letters as in `dotzero.envs.game`; N positions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class Positions:
    """Positions of one board with what the search and the end of the game said of them.

    All targets are seen by the player to move in the position itself.
    """

    points: NDArray[np.uint8]
    """Observed points. Shape [N, C, H, W]."""
    globals: NDArray[np.float32]
    """Observed globals. Shape [N, G]."""
    legal: NDArray[np.uint8]
    """Legal actions, eight a byte, lowest bit first. Shape [N, ceil(A / 8)]."""
    policy: NDArray[np.float16]
    """The search's policy. Shape [N, A]."""
    outcome: NDArray[np.int8]
    """+1 won, 0 drawn, -1 lost. Shape [N]."""
    margin: NDArray[np.float32]
    """Margin still to come, in points: the final one less that of the position. Shape [N]."""
    owners: NDArray[np.int8]
    """Who holds each point at the end: +1 the player to move, -1 the opponent, 0 nobody. Shape [N, H, W]."""
    reply: NDArray[np.int16]
    """The opponent's first move after the position; -1: none came. Shape [N]."""
    result_share: NDArray[np.float32]
    """What the game's end counts in the targets of value and margin, 0..1; searches have the rest. [N]."""
    searched_value: NDArray[np.float32]
    """Their part of the value's target: already weighted, within 1 - `result_share`. Shape [N]."""
    searched_margin: NDArray[np.float32]
    """Their part of the target of the margin to come: already weighted, in points. Shape [N]."""
    weight: NDArray[np.float32]
    """How often the position is drawn, compared with others. Shape [N]."""

    def __len__(self) -> int:
        return len(self.outcome)

    def __getitem__(self, index: Any) -> Self:
        return type(self)(*(getattr(self, field.name)[index] for field in fields(self)))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The fields by name, for saving."""
        return {field.name: np.ascontiguousarray(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The reverse of `arrays`; a missing or additional name is a ValueError."""
        names = [field.name for field in fields(cls)]
        if sorted(arrays) != sorted(names):
            raise ValueError(f"positions must have the arrays {names}, got {sorted(arrays)}")
        return cls(*(arrays[name] for name in names))

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """All positions of `parts` in their order; at least one part."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


def pack_legal(legal: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Eight actions a byte. [N, A] -> [N, ceil(A / 8)]."""
    return np.packbits(legal, axis=1, bitorder="little")


def unpack_legal(packed: NDArray[np.uint8], num_actions: int) -> NDArray[np.bool_]:
    """The reverse of `pack_legal`. [N, ceil(A / 8)] -> [N, A]."""
    return np.unpackbits(packed, axis=1, count=num_actions, bitorder="little").astype(np.bool_)
