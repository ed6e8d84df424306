"""Weights as a mapping from name to array: names made canonical, and checked before anything is loaded."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

ValueT = TypeVar("ValueT")

# What torch.compile and DistributedDataParallel put before the names of the module they wrap.
_WRAPPERS = ("_orig_mod.", "module.")
# The side policies of `dotzero.models.network`.
_TRAINING_ONLY = ("side_out.", "side_extra_out.")


def canonical_names(state: Mapping[str, ValueT]) -> dict[str, ValueT]:
    """The same weights under the names they have in a network that is neither compiled nor wrapped.

    Raises:
        ValueError: Two weights would get the same name.
    """
    result: dict[str, ValueT] = {}
    for name, value in state.items():
        plain = name
        while plain.startswith(_WRAPPERS):
            plain = plain.partition(".")[2]
        if plain in result:
            raise ValueError(f"weight {plain} is given twice, the second time as {name}")
        result[plain] = value
    return result


def evaluation_weights(state: Mapping[str, ValueT]) -> dict[str, ValueT]:
    """The weights that evaluation needs, under canonical names: all but those of heads only training uses."""
    return {
        name: value for name, value in canonical_names(state).items() if not name.startswith(_TRAINING_ONLY)
    }


def check_weights(expected: Mapping[str, Sequence[int]], state: Mapping[str, Any], what: str) -> None:
    """Refuse weights that do not fit exactly.

    Args:
        expected: Shape of every weight.
        state: Weights, anything with a `shape`, under canonical names.
        what: Names their source in the message, e.g. "checkpoint a.safetensors".

    Raises:
        ValueError: A weight is missing, unknown or has another shape.
    """
    missing = sorted(expected.keys() - state.keys())
    if missing:
        raise ValueError(f"{what} lacks weight {missing[0]}{_and_more(missing)}")
    unknown = sorted(state.keys() - expected.keys())
    if unknown:
        raise ValueError(f"{what} has unknown weight {unknown[0]}{_and_more(unknown)}")
    for name, shape in expected.items():
        if tuple(state[name].shape) != tuple(shape):
            raise ValueError(
                f"{what} has weight {name} of shape {tuple(state[name].shape)}, expected {tuple(shape)}"
            )


def _and_more(names: Sequence[str]) -> str:
    return f" and {len(names) - 1} more" if len(names) > 1 else ""


def load_into(network: nn.Module, state: Mapping[str, Any], what: str = "the new state") -> None:
    """Overwrite all weights of a network in place, or none.

    Args:
        network: Keeps its device, its memory layout and its number type.
        state: Tensors or arrays by name; names of a compiled network are understood.
        what: Names their source in messages.

    Raises:
        ValueError: The weights do not fit exactly.
    """
    weights = canonical_names(state)
    own: dict[str, Tensor] = canonical_names(network.state_dict())
    check_weights({name: tuple(value.shape) for name, value in own.items()}, weights, what)
    with torch.no_grad():
        for name, value in own.items():
            value.copy_(torch.as_tensor(weights[name]))
