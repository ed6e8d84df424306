"""Checkpoints: the weights of a network and all that is needed to build it again, in one safe file."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dotzero.models.encoding import EncodingSpec, known_encoding, known_games
from dotzero.models.files import read_tensors, write_tensors
from dotzero.models.network import Network, NetworkConfig
from dotzero.models.weights import canonical_names, check_weights, load_into
from dotzero.version import __version__

_HEADER = "dotzero_checkpoint"
"""The entry of the file's metadata that makes it a checkpoint."""


@dataclass(kw_only=True, slots=True)
class CheckpointMeta:
    """What a checkpoint says about its weights."""

    network: NetworkConfig
    """Size of the network."""
    encoding: EncodingSpec
    """The game, and what the network reads and writes."""
    about: dict[str, Any] = field(default_factory=dict)
    """Rules, summary of the training and whatever else JSON can hold."""
    dotzero_version: str = __version__
    """Version of the program that saved it."""

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], what: str) -> "CheckpointMeta":
        """The reverse of `dataclasses.asdict`.

        Args:
            values: The fields as plain values.
            what: Names their source in the message.

        Raises:
            ValueError: A field is missing, unknown or out of range.
        """
        try:
            return cls(
                network=NetworkConfig(**values["network"]),
                encoding=EncodingSpec(**values["encoding"]),
                about=dict(values["about"]),
                dotzero_version=str(values["dotzero_version"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{what} does not fit this version of dotzero, {__version__}: {error}"
            ) from error


def save_checkpoint(path: Path | str, network: Network, about: Mapping[str, Any]) -> None:
    """Save a network atomically; names of a compiled network are made plain (P14).

    Args:
        path: The file; its folder must exist.
        network: On any device, compiled or not.
        about: Rules, summary of the training and whatever else JSON can hold.

    Raises:
        ValueError: `about` names another game or encoding version than the network's.
        OSError: The file could not be written; what was there before is unchanged.
    """
    encoding = network.encoding
    for name in ("game", "encoding_version"):
        if about.get(name, getattr(encoding, name)) != getattr(encoding, name):
            raise ValueError(f"about.{name} must be {getattr(encoding, name)}, got {about[name]}")
    weights = canonical_names(network.state_dict())
    blank = Network(network.config, encoding).state_dict()
    check_weights({name: tuple(value.shape) for name, value in blank.items()}, weights, f"checkpoint {path}")
    meta = CheckpointMeta(network=network.config, encoding=encoding, about=dict(about))
    write_tensors(path, weights, asdict(meta), _HEADER)


def load_checkpoint(path: Path | str, expected: EncodingSpec | None = None) -> tuple[Network, CheckpointMeta]:
    """Build the network of a checkpoint, on the CPU.

    Args:
        path: The file.
        expected: The encoding it must have; of the two `max_margin`, the network gets the larger. None: any
            encoding that this version of dotzero reads.

    Raises:
        ValueError: The file is missing, damaged, not a checkpoint, made for another game or encoding version,
            or its weights do not fit; one line names it and the reason.
    """
    what = f"checkpoint {path}"
    weights, description = read_tensors(path, "checkpoint", _HEADER)
    try:
        raw_encoding = dict(description["encoding"])
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{what} is damaged: its description is not readable") from error
    # The version comes before the fields: another version may well have other fields.
    _check_version(raw_encoding, expected, what)
    meta = CheckpointMeta.from_dict(description, what)
    network = Network(meta.network, meta.encoding)
    if expected is not None:
        expected.check_readable(meta.encoding, what)
        network.set_max_margin(max(meta.encoding.max_margin, expected.max_margin))
    load_into(network, weights, what)
    return network.eval(), meta


def _check_version(raw: Mapping[str, Any], expected: EncodingSpec | None, what: str) -> None:
    """Refuse another game or encoding version from the raw description alone."""
    game, version = raw.get("game"), raw.get("encoding_version")
    if expected is None:
        if game not in known_games():
            return
        expected = known_encoding(str(game), max_margin=1)
    if game != expected.game:
        raise ValueError(f"{what} was made for {game}, not for {expected.game}")
    if version != expected.encoding_version:
        raise ValueError(
            f"{what} was made for encoding version {version} of {game}, "
            f"this dotzero reads version {expected.encoding_version}"
        )
