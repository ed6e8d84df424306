"""Released networks, one folder each: model.safetensors, model.onnx and card.json.

Named one by one, so that folders which somebody exported here stay his own.
"""

from pathlib import Path

RELEASED = ("boxes_3x3", "boxes_4x4", "boxes_5x5", "kropki")
"""Their folders."""


def released_folder(name: str) -> Path:
    """The folder of a released network."""
    return Path(__file__).parent / name
