"""The files of runs and checkpoints: whole or not there (`dotzero/whole_files.py`), checked when read.

Tensors are kept as safetensors, which cannot run code when loaded.
"""

import json
import os
import shutil
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.torch
import torch
from numpy.typing import NDArray
from torch import Tensor

from dotzero.whole_files import sync_folder, write_atomically

_ENTRY = "dotzero"
"""Name of the one entry in the metadata of a file of tensors."""


def remove_leftovers(folder: Path) -> None:
    """Delete the temporary files that killed processes left; for the one process that owns the folder."""
    for path in folder.glob(".*.tmp"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def replace_folder(new: Path, folder: Path) -> None:
    """Put a finished folder in the place of another, which survives if that fails.

    Raises:
        OSError: A rename failed; `folder` is what it was.
    """
    old = folder.with_name(f".{folder.name}.old")
    if old.exists():  # an earlier replacement was killed half-way
        if folder.exists():
            shutil.rmtree(old)
        else:
            os.rename(old, folder)
    if folder.exists():
        os.rename(folder, old)
    try:
        os.rename(new, folder)
    except OSError:
        if old.exists():
            os.rename(old, folder)
        raise
    sync_folder(folder.parent)
    shutil.rmtree(old, ignore_errors=True)


def write_tensors(
    path: Path | str,
    tensors: Mapping[str, Tensor | NDArray[Any]],
    description: Mapping[str, Any] | None = None,
    entry: str = _ENTRY,
) -> None:
    """Save tensors or arrays as safetensors with a checksum, atomically; equal content makes equal files.

    Args:
        path: The file; its folder must exist.
        tensors: By name, on any device.
        description: What else the file says, anything that JSON can hold.
        entry: Tells kinds of files apart. All metadata is in this one entry, as safetensors writes several
            in no fixed order.

    Raises:
        OSError: As of `write_atomically`.
    """
    plain = {name: _plain(tensor) for name, tensor in tensors.items()}
    header = {"checksum": checksum(plain), "description": dict(description or {})}
    content = safetensors.torch.save(plain, {entry: json.dumps(header)})
    write_atomically(path, lambda file: file.write(content))


def read_tensors(
    path: Path | str, kind: str, entry: str = _ENTRY
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Load the tensors and the description of a file of `write_tensors`.

    Args:
        path: The file.
        kind: What it is called in messages, e.g. "checkpoint".
        entry: As it was written.

    Raises:
        ValueError: The file is missing, damaged or of another kind; one line names it and the reason.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"{kind} {path} is not a file" if path.exists() else f"{kind} {path} does not exist")
    try:
        with safetensors.safe_open(path, "pt") as file:
            metadata: dict[str, str] = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (not a mapping)
    except safetensors.SafetensorError as error:
        raise ValueError(f"{kind} {path} is damaged: {one_line(error)}") from error
    except OSError as error:
        raise ValueError(f"{kind} {path} cannot be read: {error.strerror or one_line(error)}") from error
    if entry not in metadata:
        raise ValueError(f"{kind} {path} was not written by dotzero, or by an older version")
    try:
        header = json.loads(metadata[entry])
        description, expected = dict(header["description"]), header["checksum"]
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{kind} {path} is damaged: its description is not readable") from error
    if checksum(tensors) != expected:
        raise ValueError(f"{kind} {path} is damaged: the checksum does not match")
    return tensors, description


def checksum(tensors: Mapping[str, Tensor]) -> int:
    """CRC-32 of names, types, shapes and bytes, in the order of the names: safetensors has none itself."""
    result = 0
    for name in sorted(tensors):
        tensor = _plain(tensors[name])
        result = zlib.crc32(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode(), result)
        if tensor.numel():  # through bytes, as NumPy knows fewer types than torch
            result = zlib.crc32(tensor.reshape(-1).view(torch.uint8).numpy().tobytes(), result)
    return result


def _plain(tensor: Tensor | NDArray[Any]) -> Tensor:
    """The tensor on the CPU in the ordinary memory layout."""
    if isinstance(tensor, np.ndarray):
        tensor = torch.from_numpy(np.ascontiguousarray(tensor).reshape(tensor.shape))
    return tensor.detach().cpu().contiguous()


def one_line(error: Exception) -> str:
    """The message of an error without line breaks."""
    return " ".join(str(error).split())
