"""What a network reads and writes for one game: all that `models` needs to know about it.

The bytes of the planes are packed by the core. This page holds the network's side of that agreement, so that
a checkpoint can tell which agreement it was trained under; `encoding_version` changes when a bit changes.
"""

from dataclasses import asdict, dataclass
from typing import Any

BOARD_BIT = 7
"""The bit of byte 0 that is set on every point of the board; 0 means padding."""


@dataclass(kw_only=True, slots=True)
class EncodingSpec:
    """Shapes and meanings of one game's observations and policy, independent of the size of its board."""

    game: str
    """Name of the game, as in its configuration."""
    encoding_version: int
    """Version of the agreement between the core and the network, from 1."""
    num_point_bytes: int
    """Bytes a point; each gives 8 planes, bit 0 first."""
    num_globals: int
    """Numbers that describe the whole position."""
    num_policy_planes: int
    """Moves that belong to each point of the lattice (2 in Boxes: the line to the right, the line below)."""
    num_extra_actions: int = 0
    """Moves that belong to no point, after the planes in the policy (1 in Kropki: STOP)."""
    max_margin: int
    """Largest margin to come that has a bin of its own, in points. No weight depends on it."""
    margin_step: int = 1
    """2 where the margin to come always has the parity of the open points; only with `open_bit`."""
    open_bit: int | None = None
    """The plane whose set points bound the margin to come (4 in Boxes: open boxes); None: no bound."""
    margin_global: int | None = None
    """Index of the global input that holds the margin so far; None: the margin so far is always 0."""
    margin_scale: float = 1.0
    """Points of margin for a value of 1 in that global input."""

    def __post_init__(self) -> None:
        for name, least in (
            ("encoding_version", 1),
            ("num_point_bytes", 1),
            ("num_globals", 1),
            ("num_policy_planes", 1),
            ("num_extra_actions", 0),
            ("max_margin", 1),
            ("margin_step", 1),
        ):
            if getattr(self, name) < least:
                raise ValueError(f"EncodingSpec.{name} must be at least {least}, got {getattr(self, name)}")
        if self.open_bit is not None and not 0 <= self.open_bit < self.num_planes:
            raise ValueError(
                f"EncodingSpec.open_bit must be in 0..{self.num_planes - 1}, got {self.open_bit}"
            )
        if self.open_bit is None and self.margin_step != 1:
            raise ValueError(f"EncodingSpec.margin_step must be 1 without open_bit, got {self.margin_step}")
        if self.margin_global is not None and not 0 <= self.margin_global < self.num_globals:
            raise ValueError(
                f"EncodingSpec.margin_global must be in 0..{self.num_globals - 1}, got {self.margin_global}"
            )

    @property
    def num_planes(self) -> int:
        """Bit planes that the network unpacks from the bytes of a point."""
        return 8 * self.num_point_bytes

    @property
    def num_margin_bins(self) -> int:
        """Bins of the margin to come: -max_margin .. max_margin, one a point."""
        return 2 * self.max_margin + 1

    def num_policy_slots(self, height: int, width: int) -> int:
        """Length of the policy output on a lattice of height x width points."""
        return self.num_policy_planes * height * width + self.num_extra_actions

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, for JSON."""
        return asdict(self)

    def check_readable(self, other: "EncodingSpec", what: str) -> None:
        """Refuse a network made for another encoding; `max_margin` may differ, as no weight depends on it.

        Args:
            other: The encoding the network was made for; `self` is what this program writes and reads.
            what: Names the network in the message, e.g. "checkpoint runs/a/model.safetensors".

        Raises:
            ValueError: The game, the encoding version or any shape differs.
        """
        if other.game != self.game:
            raise ValueError(f"{what} was made for {other.game}, not for {self.game}")
        if other.encoding_version != self.encoding_version:
            raise ValueError(
                f"{what} was made for encoding version {other.encoding_version} of {other.game}, "
                f"this dotzero reads version {self.encoding_version}"
            )
        mine, theirs = self.to_dict(), other.to_dict()
        differing = [name for name in mine if name != "max_margin" and mine[name] != theirs[name]]
        if differing:
            name = differing[0]
            raise ValueError(
                f"{what} has {name} = {theirs[name]} of {self.game}, this dotzero has {mine[name]}"
            )


_KNOWN: dict[str, dict[str, Any]] = {
    "boxes": {
        "encoding_version": 2,
        "num_point_bytes": 1,
        "num_globals": 9,
        "num_policy_planes": 2,
        "margin_step": 2,
        "open_bit": 4,
        "margin_global": 1,
        "margin_scale": 10.0,
    },
    "kropki": {
        "encoding_version": 1,
        "num_point_bytes": 3,
        "num_globals": 21,
        "num_policy_planes": 1,
        "num_extra_actions": 1,
        "margin_global": 0,
        "margin_scale": 10.0,
    },
}

_MARGIN_BOUNDS = {"kropki": 60}
"""Largest margin to come that gets a bin, where boards allow far more than games reach."""


def known_games() -> list[str]:
    """Names of the games whose encoding this version of dotzero reads."""
    return sorted(_KNOWN)


def known_encoding(game: str, max_margin: int) -> EncodingSpec:
    """The encoding of a game that this version of dotzero reads.

    Args:
        game: Name of the game.
        max_margin: Largest margin on the largest board the network shall serve, in points; the bins of the
            margin head end earlier in games whose margins seldom come near it.

    Raises:
        ValueError: No such game.
    """
    if game not in _KNOWN:
        raise ValueError(f"game must be one of {', '.join(known_games())}, got {game}")
    bound = _MARGIN_BOUNDS.get(game, max_margin)
    return EncodingSpec(game=game, max_margin=min(max_margin, bound), **_KNOWN[game])
