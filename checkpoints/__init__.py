"""Released networks, one folder each: model.safetensors, model.onnx and card.json."""
