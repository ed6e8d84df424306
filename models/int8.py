"""A copy of an exported model whose trunk computes in 8-bit integers, for processors.

Only the 3x3 convolutions of the residual blocks are quantised: there the time goes. The residual stream
between them, the stem and the heads stay in float32, so an error does not grow from block to block. Weights
get a scale for each output channel and 7 bits, because two products of 8 bits overflow the 16-bit sums of
processors without integer dot products. Activations get one range for each tensor, the smallest and the
largest number seen on sample positions; cutting off rare numbers breaks the positions that matter. Scheme
(scales, zero points, biases in 32 bits): Jacob et al. 2018, https://arxiv.org/abs/1712.05877.

Whoever uses it checks it: `check_int8` compares the answers with the original's.

Shape letters: n positions, C bytes a point, H x W points, G globals, P policy slots; K input and O output
channels of a convolution.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dotzero.models.onnx_evaluator import open_session, require_package
from dotzero.models.parity import answer_differences

LARGEST_WEIGHT = 64
"""Quantised weights lie in -64..64."""
MAX_POLICY_KL = 0.02
"""Largest accepted mean divergence of the policy over legal moves, in nats."""
MAX_BEST_MOVE_LOSS = 0.01
"""Largest accepted mean probability, by the network's own policy, that other best moves give away."""
MAX_POINTS = 32_768
"""About as many points of boards are judged to find the ranges: half a second for small networks. A few
positions do not do: on a quarter of them single outliers decided."""
ROWS_AT_A_TIME = 64
"""Positions in one evaluation; all activations of these are in memory together."""
SMALLEST_RANGE = 1e-6
"""Range of a tensor that is always 0, as those of a new network are."""

_OUTPUTS = ("policy", "value", "margin")


class Int8Error(ValueError):
    """A quantised network answers too differently."""

    def __init__(self, message: str, parity: Mapping[str, float]) -> None:
        super().__init__(message)
        self.parity = dict(parity)
        """How differently, as of `check_int8`."""


class CalibrationPositions(NamedTuple):
    """Positions of one size of board, on which ranges are found and answers compared.

    Attributes:
        points: uint8 [n, C, H, W]
        globals: float32 [n, G]
        legal: True for the slots of the policy that are legal moves, at least one a position. bool [n, P]
    """

    points: NDArray[np.uint8]
    globals: NDArray[np.float32]
    legal: NDArray[np.bool_]

    def rows(self, index: slice | NDArray[np.integer]) -> "CalibrationPositions":
        """Some of the positions."""
        return CalibrationPositions(self.points[index], self.globals[index], self.legal[index])

    @property
    def inputs(self) -> dict[str, NDArray[Any]]:
        """What the exported model takes."""
        return {"points": self.points, "globals": self.globals}


Ranges = Mapping[str, tuple[float, float]]
"""Smallest and largest number of each quantised tensor, by its name in the model."""


def quantised_model(
    model: bytes, positions: Sequence[CalibrationPositions]
) -> tuple[bytes, dict[str, float]]:
    """Quantise an exported model and compare it with the original; equal arguments give equal results.

    Half of the positions give the ranges, the other half the comparison.

    Args:
        model: From `onnx_bytes`.
        positions: At least one; evenly spaced ones of them are used where they are many.

    Returns:
        The quantised model and how far its answers are from the original's, as of `check_int8`.

    Raises:
        ValueError: There are no positions.
        Int8Error: The quantised model answers too differently.
    """
    if not any(len(part.points) for part in positions):
        raise ValueError("positions must be at least one for int8, got none")
    chosen = _thinned(positions)
    fitted = [part.rows(slice(0, None, 2)) for part in chosen]
    checked = [part.rows(slice(1, None, 2) if len(part.points) > 1 else slice(None)) for part in chosen]
    quantised = quantise(model, find_ranges(model, fitted))
    return quantised, check_int8(model, quantised, checked)


def _thinned(positions: Sequence[CalibrationPositions]) -> list[CalibrationPositions]:
    """Evenly spaced positions of every part, together about `MAX_POINTS` points."""
    parts = [part for part in positions if len(part.points)]
    share = MAX_POINTS / len(parts)
    chosen = []
    for part in parts:
        size, most = len(part.points), max(2, int(share / np.prod(part.points.shape[2:])))
        chosen.append(part if size <= most else part.rows(np.linspace(0, size - 1, most).astype(np.int64)))
    return chosen


def find_ranges(model: bytes, positions: Sequence[CalibrationPositions]) -> Ranges:
    """Smallest and largest number of every tensor that `quantise` quantises.

    Args:
        model: The original.
        positions: At least one.

    Raises:
        ValueError: The network's numbers are not finite.
    """
    onnx = require_package("onnx")
    proto = onnx.load_from_string(model)
    names = sorted(_quantised_tensors(_find_trunk(proto.graph)))
    for name in names:
        proto.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
    session = open_session(proto.SerializeToString())
    lowest, highest = np.zeros(len(names)), np.zeros(len(names))
    for batch in _batches(positions):
        for index, values in enumerate(session.run(names, batch.inputs)):
            lowest[index] = np.minimum(lowest[index], values.min())  # keeps NaN, unlike min()
            highest[index] = np.maximum(highest[index], values.max())
    if not np.isfinite([lowest, highest]).all():
        raise ValueError("weights must give finite numbers for int8, got others")
    pairs = zip(lowest.tolist(), highest.tolist(), strict=True)
    return dict(zip(names, pairs, strict=True))


def _batches(positions: Sequence[CalibrationPositions]) -> list[CalibrationPositions]:
    return [
        part.rows(slice(start, start + ROWS_AT_A_TIME))
        for part in positions
        for start in range(0, len(part.points), ROWS_AT_A_TIME)
    ]


class _Convolution(NamedTuple):
    """A 3x3 convolution of the trunk and the tensor behind it, after its ReLU if that alone reads it."""

    node: Any
    result: str


def _find_trunk(graph: Any) -> list[_Convolution]:
    """The convolutions to quantise, in their order."""
    shapes = {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}
    readers: dict[str, list[Any]] = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    trunk = []
    for node in graph.node:
        if node.op_type != "Conv" or not node.input[1].startswith("blocks."):
            continue
        if shapes[node.input[1]][2:] == (3, 3):
            behind = readers[node.output[0]]
            alone = len(behind) == 1 and behind[0].op_type == "Relu"
            trunk.append(_Convolution(node, behind[0].output[0] if alone else node.output[0]))
    return trunk


def _quantised_tensors(trunk: Sequence[_Convolution]) -> set[str]:
    return {item.node.input[0] for item in trunk} | {item.result for item in trunk}


def quantise(model: bytes, ranges: Ranges) -> bytes:
    """The model with a quantised trunk.

    Args:
        model: The original.
        ranges: From `find_ranges`.
    """
    onnx = require_package("onnx")
    proto = onnx.load_from_string(model)
    graph = proto.graph
    trunk = _find_trunk(graph)
    writer = _Writer(onnx, graph)
    scales = {name: writer.add_range(name, *ranges[name]) for name in sorted(_quantised_tensors(trunk))}
    convolutions = {item.node.name for item in trunk}
    results = {item.result for item in trunk}
    for item in trunk:
        writer.quantise_weights(item.node, scales[item.node.input[0]])
    nodes = []
    for node in graph.node:
        for index, name in enumerate(node.input):
            # Of the residual stream only the convolutions read the quantised copy.
            if name in results or (name in scales and node.name in convolutions):
                node.input[index] = f"{name}/restored"
        nodes += [node, *(part for name in node.output if name in scales for part in writer.rounding(name))]
    writer.replace_nodes(nodes)
    onnx.checker.check_model(proto)
    return bytes(proto.SerializeToString())


class _Writer:
    """Adds to a graph what quantising needs; onnxruntime melts it into integer convolutions."""

    def __init__(self, onnx: Any, graph: Any) -> None:
        self._onnx = onnx
        self._graph = graph
        self._weights = {tensor.name: tensor for tensor in graph.initializer}
        self._first: list[Any] = []

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        self._graph.initializer.append(self._onnx.numpy_helper.from_array(value, name))
        return name

    def add_range(self, name: str, lowest: float, highest: float) -> np.float32:
        """Constants that map `lowest`..`highest`, 0 included, to 0..255; returns the scale."""
        scale = np.float32(max(highest - lowest, SMALLEST_RANGE) / 255)
        zero = np.uint8(np.clip(np.rint(-lowest / scale), 0, 255))
        self._constant(f"{name}/scale", np.asarray(scale))
        self._constant(f"{name}/zero", np.asarray(zero))
        return scale

    def rounding(self, name: str) -> list[Any]:
        """The nodes that round a tensor to 8 bits and restore it."""
        make, constants = self._onnx.helper.make_node, [f"{name}/scale", f"{name}/zero"]
        return [
            make("QuantizeLinear", [name, *constants], [f"{name}/rounded"]),
            make("DequantizeLinear", [f"{name}/rounded", *constants], [f"{name}/restored"]),
        ]

    def quantise_weights(self, node: Any, input_scale: np.float32) -> None:
        """Give a convolution quantised weights and biases; a bias counts in products of both scales."""
        weight_name, bias_name = node.input[1], node.input[2]
        weight = self._onnx.numpy_helper.to_array(self._weights[weight_name])  # [O, K, 3, 3]
        bias = self._onnx.numpy_helper.to_array(self._weights[bias_name])  # [O]
        largest = np.abs(weight).max(axis=(1, 2, 3))
        scales = (np.where(largest > 0, largest, 1) / LARGEST_WEIGHT).astype(np.float32)
        rounded = np.rint(weight / scales[:, None, None, None]).astype(np.int8)
        products = (scales * input_scale).astype(np.float32)
        limit = 2.0**31 - 1024  # the largest numbers of 32 bits that float64 and float32 agree on
        biases = np.clip(np.rint(bias.astype(np.float64) / products), -limit, limit).astype(np.int32)
        node.input[1] = self._restored(weight_name, rounded, scales)
        node.input[2] = self._restored(bias_name, biases, products)

    def _restored(self, name: str, rounded: NDArray[Any], scales: NDArray[np.float32]) -> str:
        """Constants in integers, and the node that restores them channel by channel."""
        inputs = [self._constant(f"{name}/rounded", rounded), self._constant(f"{name}/scale", scales)]
        inputs.append(self._constant(f"{name}/zero", np.zeros(len(scales), rounded.dtype)))
        self._first.append(
            self._onnx.helper.make_node("DequantizeLinear", inputs, [f"{name}/restored"], axis=0)
        )
        return f"{name}/restored"

    def replace_nodes(self, nodes: Sequence[Any]) -> None:
        """Make these the graph's nodes and drop the constants that none of them reads."""
        nodes = [*self._first, *nodes]
        read = {name for node in nodes for name in node.input}
        kept = [tensor for tensor in self._graph.initializer if tensor.name in read]
        del self._graph.node[:]
        self._graph.node.extend(nodes)
        del self._graph.initializer[:]
        self._graph.initializer.extend(kept)


def check_int8(model: bytes, quantised: bytes, positions: Sequence[CalibrationPositions]) -> dict[str, float]:
    """Compare the answers of a quantised model with those of the original.

    Args:
        model: The original.
        quantised: From `quantise`.
        positions: At least one.

    Returns:
        Means over the positions, as of `answer_differences`.

    Raises:
        Int8Error: The policies differ too much.
    """
    sessions = open_session(model), open_session(quantised)
    parts = []
    for batch in _batches(positions):
        answers = [session.run(list(_OUTPUTS), batch.inputs) for session in sessions]
        parts.append(answer_differences(answers[0], answers[1], batch.legal))
    means = {name: float(np.concatenate([part[name] for part in parts]).mean()) for name in parts[0]}
    for name, most in (("policy_kl", MAX_POLICY_KL), ("best_move_loss", MAX_BEST_MOVE_LOSS)):
        if not means[name] <= most:  # written so that NaN fails too
            message = f"int8 must answer as the network does: {name} at most {most}, got {means[name]:.3g}"
            raise Int8Error(message, means)
    return means
