"""Export: a released network as a folder that any program can use.

model.safetensors is a checkpoint, model.onnx takes raw positions on boards of any size in batches of any
size (inputs "points" and "globals"; outputs "policy", "value", "margin" and "owner", the last one as a
probability; every position must fill its lattice), card.json tells what it is. Nothing gets its final name
before the exported model has given the same answers as the network.
"""

import functools
import json
import logging
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from dotzero.models.checkpoint import save_checkpoint
from dotzero.models.encoding import BOARD_BIT, EncodingSpec
from dotzero.models.files import replace_folder
from dotzero.models.network import Network, NetworkConfig, Prediction
from dotzero.models.onnx_evaluator import METADATA_KEY, open_session, require_package, swap_weights
from dotzero.models.weights import evaluation_weights, load_into
from dotzero.version import __version__
from dotzero.whole_files import temporary_name, write_atomically, write_text

CHECKPOINT_NAME = "model.safetensors"
"""The weights, in an export's folder."""
ONNX_NAME = "model.onnx"
"""The exported model, in an export's folder."""
CARD_NAME = "card.json"
"""The description, in an export's folder."""
PARITY_BATCHES = (1, 2, 7)
"""Batch sizes at which the exported model is compared with the network."""
PARITY_TOLERANCE = 1e-3
"""Largest accepted difference, relative to the largest magnitude of an output or to 1."""

Sample = tuple[NDArray[np.uint8], NDArray[np.float32]]
"""Positions of one size: points [n, bytes, H, W] and globals [n, G]."""


@dataclass(kw_only=True, slots=True)
class Card:
    """What a released network is."""

    network: NetworkConfig
    """Its size."""
    encoding: EncodingSpec
    """The game, and what the network reads and writes."""
    sizes: list[list[int]]
    """Sizes of the boards it was trained on, in the game's own units."""
    rules: dict[str, Any]
    """Rules it was trained with, apart from the size."""
    training: dict[str, Any]
    """Summary of how it was trained."""
    arena: dict[str, Any] | None = None
    """What it scored, if that was measured."""
    parity: dict[str, float] = field(default_factory=dict)
    """Largest difference between the exported model and the network, by output."""
    dotzero_version: str = __version__
    """Version of the program that exported it."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, for JSON; game and encoding version stand at the top as well."""
        return {
            "game": self.encoding.game,
            "encoding_version": self.encoding.encoding_version,
            **asdict(self),
        }


def checkpoint_file(path: Path | str, field: str = "checkpoint") -> Path:
    """The checkpoint that a path names: an exported folder's, or the file itself.

    Args:
        path: As a user gave it.
        field: The setting or flag that it was given for.

    Raises:
        ValueError: It names none; where it is a run's folder, the message says what of it is meant.
    """
    path = Path(path)
    file = path / CHECKPOINT_NAME if path.is_dir() else path
    if not file.exists():
        kinds = "an exported folder or a checkpoint's file"
        raise ValueError(f"{field} must be {kinds}, got {path}{_why_no_export(path, or_file=True)}")
    return file


def exported_folder(path: Path | str, field: str) -> Path:
    """The same where the card is needed, which a single file does not have.

    Raises:
        ValueError: As of `checkpoint_file`.
    """
    path = Path(path)
    if not (path / CARD_NAME).exists():
        raise ValueError(f"{field} must be an exported folder, got {path}{_why_no_export(path)}")
    return path


def _why_no_export(path: Path, or_file: bool = False) -> str:
    """Why a path is no exported folder, as the end of a sentence, and which one near it is."""
    if not path.exists():
        return ", which does not exist"
    if not path.is_dir():
        return f", a file; dotzero export from={path} makes a folder of a checkpoint"
    if (path / "export" / CARD_NAME).exists():
        return f", a run's folder: its export is {path / 'export'}"
    saved = sorted((path / "checkpoints").glob("*.safetensors"))
    if saved and or_file:
        return f", a run's folder without an export: its newest checkpoint is {saved[-1]}"
    if saved:
        return f", a run's folder without an export: dotzero export from={saved[-1]} makes one"
    return f", a folder without {CHECKPOINT_NAME if or_file else CARD_NAME}"


def load_card(folder: Path | str) -> Card:
    """The card of an exported network.

    Raises:
        ValueError: There is none, or it is damaged; one line names the file.
    """
    path = Path(folder) / CARD_NAME
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        del values["game"], values["encoding_version"]
        values["network"] = NetworkConfig(**values["network"])
        values["encoding"] = EncodingSpec(**values["encoding"])
        return Card(**values)
    except OSError as error:
        raise ValueError(f"card {path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"card {path} is damaged: {error}") from error


def export_checkpoint(
    network: Network,
    about: Mapping[str, Any],
    folder: Path | str,
    samples: Sequence[Sample],
    *,
    sizes: Sequence[Sequence[int]],
    arena: Mapping[str, Any] | None = None,
) -> Card:
    """Write the folder of a released network, or leave what is there.

    Args:
        network: On any device.
        about: As of `save_checkpoint`; its "rules" and "training" go into the card too.
        folder: Created, or replaced if it holds an earlier export; its parent must exist.
        samples: Positions of at least two sizes, to compare the exported model with the network on.
        sizes: For the card: sizes of the boards it was trained on.
        arena: For the card: what it scored.

    Returns:
        The card that was written.

    Raises:
        ValueError: The folder holds something else, the samples have one size only, or a package is missing.
        RuntimeError: The exported model does not give the network's answers.
        OSError: The files could not be written.
    """
    folder = Path(folder)
    _check_replaceable(folder)
    if len({points.shape[2:] for points, _ in samples}) < 2:
        raise ValueError("samples must have positions of at least two sizes")
    model = onnx_bytes(network)
    card = Card(
        network=network.config,
        encoding=network.encoding,
        sizes=[list(size) for size in sizes],
        rules=dict(about.get("rules", {})),
        training=dict(about.get("training", {})),
        arena=None if arena is None else dict(arena),
        parity=check_parity(network, model, samples),
    )
    text = json.dumps(card.to_dict(), indent=2, ensure_ascii=False) + "\n"
    building = temporary_name(folder)
    try:
        building.mkdir()
        save_checkpoint(building / CHECKPOINT_NAME, network, about)
        write_atomically(building / ONNX_NAME, lambda file: file.write(model))
        write_text(building / CARD_NAME, text)
        replace_folder(building, folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return card


def _check_replaceable(folder: Path) -> None:
    """Refuse to replace anything but an earlier export, as replacing deletes."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ValueError(f"folder {folder} must be a folder, got a file")
    strangers = {path.name for path in folder.iterdir()} - {CHECKPOINT_NAME, ONNX_NAME, CARD_NAME}
    if strangers:
        raise ValueError(
            f"folder {folder} must be new or an earlier export, got {sorted(strangers)[0]} in it"
        )


def check_parity(network: Network, model: bytes, samples: Sequence[Sample]) -> dict[str, float]:
    """Compare an exported model with its network at several batch sizes.

    Args:
        network: Evaluated in its own way, with masks.
        model: The exported one.
        samples: Positions; repeated where there are fewer than the largest batch.

    Returns:
        The largest difference of each output.

    Raises:
        RuntimeError: An output differs by more than `PARITY_TOLERANCE`.
    """
    session = open_session(model)
    device = network.stem.weight.device
    worst = dict.fromkeys(Prediction._fields, 0.0)
    for points, globals_ in samples:
        for batch in PARITY_BATCHES:
            rows = np.arange(batch) % len(points)
            inputs = {"points": points[rows], "globals": globals_[rows]}
            answers = session.run(list(Prediction._fields), inputs)
            with torch.inference_mode():
                expected = network.predict(
                    torch.from_numpy(points[rows]).to(device), torch.from_numpy(globals_[rows]).to(device)
                )
            for name, answer, tensor in zip(Prediction._fields, answers, expected, strict=True):
                reference = tensor.cpu().numpy()
                difference = float(np.abs(answer - reference).max())
                # Written so that NaN fails too.
                if not difference <= PARITY_TOLERANCE * max(1.0, float(np.abs(reference).max())):
                    height, width = points.shape[2:]
                    raise RuntimeError(
                        f"the exported model differs from the network: {name} by {difference:.3g} "
                        f"at batch {batch} on {height} x {width} points"
                    )
                worst[name] = max(worst[name], difference)
    return worst


class _FullBoardPrediction(nn.Module):
    """What is exported: the prediction without masks."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, points: Tensor, globals: Tensor) -> tuple[Tensor, ...]:
        return tuple(self.network.predict(points, globals, full_board=True))


def onnx_bytes(network: Network) -> bytes:
    """The network as an ONNX model, with batch and size of the board free.

    Its initialisers have the names of the network's weights, so that `OnnxEvaluator.load_weights` can swap
    them. The first export takes a few seconds, later ones of networks of the same shape almost none.

    Raises:
        ValueError: A package is missing.
    """
    for package in ("onnx", "onnxscript"):
        require_package(package)
    weights = evaluation_weights(network.state_dict())
    shape = json.dumps([asdict(network.config), network.encoding.to_dict()])
    return swap_weights(_export_shape(shape), sorted(weights), weights)


@functools.lru_cache(maxsize=8)
def _export_shape(shape: str) -> bytes:
    """The model of any network of one shape, which is JSON of its configuration and its encoding."""
    config, encoding = json.loads(shape)
    twin = _distinct_twin(NetworkConfig(**config), EncodingSpec(**encoding))
    batch, height, width = (torch.export.Dim(name) for name in ("batch", "height", "width"))
    points = torch.full((3, twin.encoding.num_point_bytes, 4, 5), 1 << BOARD_BIT, dtype=torch.uint8)
    with _quiet_exporter():
        program = torch.onnx.export(
            _FullBoardPrediction(twin).eval(),
            (points, torch.zeros(3, twin.encoding.num_globals)),
            dynamo=True,
            verbose=False,
            input_names=["points", "globals"],
            output_names=list(Prediction._fields),
            dynamic_shapes={"points": {0: batch, 2: height, 3: width}, "globals": {0: batch}},
        )
    if program is None:
        raise RuntimeError("torch.onnx.export gave no program")
    proto = program.model_proto
    _name_weights(proto, prefix="network.")
    _pool_globally(proto)
    _describe(proto, twin)
    return bytes(proto.SerializeToString())


def _distinct_twin(config: NetworkConfig, encoding: EncodingSpec) -> Network:
    """A network whose weights all differ.

    The exporter merges equal tensors, as the zeros of a new network are, and merged ones could not be
    swapped.
    """
    twin = Network(config, encoding)
    generator = torch.Generator().manual_seed(0)
    noise = {name: torch.randn(value.shape, generator=generator) for name, value in twin.state_dict().items()}
    load_into(twin, noise)
    return twin


@contextmanager
def _quiet_exporter() -> Iterator[None]:
    """Keep the exporter's remarks on packages that are not needed here off the screen."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


def _name_weights(proto: Any, prefix: str) -> None:
    """Give the initialisers the names that the weights have in the network's `state_dict`."""
    for tensor in proto.graph.initializer:
        tensor.name = tensor.name.removeprefix(prefix)
    for node in proto.graph.node:
        for index, name in enumerate(node.input):
            node.input[index] = name.removeprefix(prefix)


def _pool_globally(proto: Any) -> None:
    """Say "global pooling" where the exporter says "reduce over height and width".

    onnxruntime then stays in the blocked layout of its convolutions.
    """
    numpy_helper = require_package("onnx.numpy_helper")
    pools = {"ReduceMean": "GlobalAveragePool", "ReduceMax": "GlobalMaxPool"}
    constants = {tensor.name: tensor for tensor in proto.graph.initializer}
    for node in proto.graph.node:
        if node.op_type not in pools or len(node.input) != 2 or node.input[1] not in constants:
            continue
        axes = sorted(int(axis) % 4 for axis in numpy_helper.to_array(constants[node.input[1]]))
        if axes == [2, 3] and all(item.i for item in node.attribute if item.name == "keepdims"):
            node.op_type = pools[node.op_type]
            del node.input[1]
            del node.attribute[:]


def _describe(proto: Any, network: Network) -> None:
    """Write encoding and names of the weights into the model; every weight must be there unchanged."""
    numpy_helper = require_package("onnx.numpy_helper")
    constants = {tensor.name: tensor for tensor in proto.graph.initializer}
    for name, value in evaluation_weights(network.state_dict()).items():
        same = name in constants and np.array_equal(
            numpy_helper.to_array(constants[name]), value.cpu().numpy()
        )
        if not same:
            raise RuntimeError(f"the exporter has changed weight {name}, so weights could not be swapped")
    entry = proto.metadata_props.add()
    entry.key = METADATA_KEY
    entry.value = json.dumps(
        {
            "dotzero_version": __version__,
            "encoding": network.encoding.to_dict(),
            "weights": sorted(evaluation_weights(network.state_dict())),
        }
    )
