"""Evaluation with onnxruntime on the CPU: about half as fast again as torch, at any batch.

The packages are optional and imported only when they are used. New weights are put into the exported graph
by name, so a network is exported once and evaluated after each step of training.
"""

import importlib
import json
import queue
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.models.encoding import EncodingSpec
from dotzero.models.evaluator import Evaluation, ThreadedEvaluator
from dotzero.models.weights import check_weights, evaluation_weights

METADATA_KEY = "dotzero"
"""The entry of an exported model's metadata that holds its encoding and the names of its weights."""


def require_package(name: str) -> Any:
    """Import an optional package.

    Raises:
        ValueError: It is not installed; the message says how to install it.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ValueError(f"onnx needs the package {name}: pip install 'dotzero[onnx]'") from error


def open_session(model: bytes) -> Any:
    """An onnxruntime session that computes in the calling thread.

    Raises:
        ValueError: The model is damaged, or onnxruntime is not installed.
    """
    runtime = require_package("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ValueError(f"onnx model is damaged: {' '.join(str(error).split())}") from error


def _read_model(model: bytes | Path | str) -> bytes:
    if isinstance(model, bytes):
        return model
    try:
        return Path(model).read_bytes()
    except OSError as error:
        raise ValueError(f"onnx model {model} cannot be read: {error.strerror}") from error


def _read_description(session: Any) -> tuple[EncodingSpec, list[str]]:
    """Encoding of an exported model and names of its weights."""
    text = session.get_modelmeta().custom_metadata_map.get(METADATA_KEY)
    if text is None:
        raise ValueError("onnx model was not exported by dotzero")
    try:
        description = json.loads(text)
        return EncodingSpec(**description["encoding"]), list(description["weights"])
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"onnx model does not fit this version of dotzero: {error}") from error


class OnnxEvaluator(ThreadedEvaluator):
    """Evaluates an exported model, one evaluation a worker thread, each worker with its own session."""

    def __init__(
        self, model: bytes | Path | str, num_workers: int = 1, expected: EncodingSpec | None = None
    ) -> None:
        """Open the model.

        Args:
            model: An exported model or its file.
            num_workers: Evaluations at once.
            expected: The encoding it must have; None: any.

        Raises:
            ValueError: The model is missing, damaged, not one of dotzero's or made for another encoding, a
                package is missing, or `num_workers` is less than 1.
        """
        super().__init__(num_workers)
        self._model = _read_model(model)
        self._num_workers = num_workers
        sessions = [open_session(self._model) for _ in range(num_workers)]
        encoding, self._weight_names = _read_description(sessions[0])
        if expected is not None:
            expected.check_readable(encoding, "onnx model")
        self._set_sessions(sessions)

    def _set_sessions(self, sessions: list[Any]) -> None:
        self._sessions: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for session in sessions:
            self._sessions.put(session)

    def _evaluate(self, points: NDArray[np.uint8], globals: NDArray[np.float32]) -> Evaluation:
        session = self._sessions.get()
        try:
            outputs = session.run(["policy", "value", "margin"], {"points": points, "globals": globals})
        finally:
            self._sessions.put(session)
        return Evaluation(*outputs)

    def load_weights(self, state: Mapping[str, Any]) -> None:
        """See `Evaluator.load_weights`; takes some 10 milliseconds a worker."""
        self._use(swap_weights(self._model, self._weight_names, state))

    def _use(self, model: bytes) -> None:
        """Evaluate with this model as soon as what was started has ended."""
        executable = self._executable(model)
        sessions = [open_session(executable) for _ in range(self._num_workers)]
        self._wait_for_started()
        self._model = model
        self._set_sessions(sessions)

    def _executable(self, model: bytes) -> bytes:
        """What is run in the place of the model: here, the model."""
        return model


def swap_weights(model: bytes, names: list[str], state: Mapping[str, Any]) -> bytes:
    """The same model with other weights.

    Args:
        model: An exported model.
        names: Names of its weights; its other initialisers are constants of the graph.
        state: Tensors or arrays by name, as of `Network.state_dict`; those only training uses are left out.

    Raises:
        ValueError: A name or shape does not fit, or onnx is not installed.
    """
    onnx = require_package("onnx")
    weights = evaluation_weights(state)
    proto = onnx.load_from_string(model)
    own = {tensor.name: tensor for tensor in proto.graph.initializer if tensor.name in set(names)}
    check_weights({name: tuple(own[name].dims) for name in names}, weights, "the new state")
    for name, tensor in own.items():
        value = weights[name]
        array = value.detach().cpu().numpy() if hasattr(value, "detach") else np.asarray(value)
        tensor.CopyFrom(onnx.numpy_helper.from_array(np.ascontiguousarray(array, np.float32), name))
    return bytes(proto.SerializeToString())
