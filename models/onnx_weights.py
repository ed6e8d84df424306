"""The weights inside an exported model, compared with those of its checkpoint."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from torch import Tensor

from dotzero.models.onnx_evaluator import require_package
from dotzero.models.weights import evaluation_weights


def read_same_model(path: Path, state: Mapping[str, Tensor]) -> bytes:
    """Read an exported model that must hold the weights of the checkpoint beside it.

    Args:
        path: The exported model.
        state: The checkpoint's weights, as of `Network.state_dict`.

    Returns:
        The content of the file.

    Raises:
        ValueError: The file is damaged or holds other weights, or onnx is not installed.
        OSError: The file cannot be read.
    """
    onnx = require_package("onnx")
    model = path.read_bytes()
    try:
        proto = onnx.load_from_string(model)
        inside = {item.name: onnx.numpy_helper.to_array(item) for item in proto.graph.initializer}
    except Exception as error:  # protobuf has errors of its own, and of other packages
        raise ValueError(f"onnx model {path} is damaged: {' '.join(str(error).split())}") from error
    for name, weight in evaluation_weights(state).items():
        if name not in inside or not np.array_equal(inside[name], weight.cpu().numpy()):
            raise ValueError(f"onnx model {path} must hold the weights of its checkpoint, differs in {name}")
    return model
