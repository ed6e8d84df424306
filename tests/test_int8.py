"""The quantised trunk: what is quantised, how well, and where it is refused."""

import numpy as np
import pytest
import torch
from random_networks import BOXES, SMALL, random_batch, random_network

from dotzero.models import Network
from dotzero.models.export import onnx_bytes
from dotzero.models.int8 import (
    LARGEST_WEIGHT,
    CalibrationPositions,
    Int8Error,
    check_int8,
    find_ranges,
    quantise,
    quantised_model,
)
from dotzero.models.onnx_evaluator import open_session

torch.set_num_threads(1)
onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")


def positions(encoding, num_rows=24, height=4, width=5, seed=0):
    points, globals_ = random_batch(encoding, num_rows, height, width, seed)
    legal = np.random.default_rng(seed).random((num_rows, encoding.num_policy_slots(height, width))) < 0.5
    legal[:, 0] = True
    return CalibrationPositions(points.numpy(), globals_.numpy(), legal)


@pytest.fixture(scope="module")
def exported():
    return BOXES, onnx_bytes(random_network(BOXES))


def test_answers_are_near_the_originals(exported):
    encoding, model = exported
    parts = [positions(encoding), positions(encoding, height=3, width=3, seed=1)]
    quantised, parity = quantised_model(model, parts)
    assert set(parity) == {"policy_kl", "best_move", "best_move_loss", "value", "margin"}
    assert 0 < parity["policy_kl"] < 1e-3
    assert 0 < parity["value"] < 0.02
    assert parity["best_move"] > 0.8
    fresh = positions(encoding, height=7, width=6, seed=2)
    answers = [open_session(part).run(["policy", "value"], fresh.inputs) for part in (model, quantised)]
    np.testing.assert_allclose(answers[1][0], answers[0][0], atol=0.1)
    assert not np.array_equal(answers[1][0], answers[0][0])


def test_only_the_trunk_is_quantised(exported):
    """Every 3x3 convolution of the blocks and nothing else, and onnxruntime runs them in integers."""
    encoding, model = exported
    quantised, _ = quantised_model(model, [positions(encoding)])
    constants = {item.name: item for item in onnx.load_from_string(quantised).graph.initializer}
    rounded = {name.removesuffix("/rounded") for name in constants if name.endswith(".weight/rounded")}
    trunk = {"blocks.0.conv1", "blocks.0.conv2", "blocks.1.conv1", "blocks.1.conv_pool", "blocks.1.conv2"}
    assert rounded == {f"{name}.weight" for name in trunk}
    assert {"stem.weight", "blocks.1.spread.weight", "point_hidden.weight"} <= set(constants)
    assert not rounded & set(constants)
    largest = [
        int(np.abs(onnx.numpy_helper.to_array(constants[f"{name}/rounded"])).max()) for name in rounded
    ]
    assert largest == [LARGEST_WEIGHT] * len(trunk)


def test_integer_convolutions_are_run(exported, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    encoding, model = exported
    quantised, _ = quantised_model(model, [positions(encoding)])
    options = runtime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "optimised.onnx")
    options.log_severity_level = 3
    runtime.InferenceSession(quantised, options, providers=["CPUExecutionProvider"])
    kinds = [node.op_type for node in onnx.load(tmp_path / "optimised.onnx").graph.node]
    assert kinds.count("QLinearConv") == 5


def test_equal_arguments_give_equal_models(exported):
    encoding, model = exported
    first, second = (quantised_model(model, [positions(encoding, 200)]) for _ in range(2))
    assert first == second
    other, _ = quantised_model(model, [positions(encoding, 200, seed=3)])
    assert other != first[0]


def test_ranges_are_the_smallest_and_largest_numbers(exported):
    encoding, model = exported
    part = positions(encoding, 100)  # more than are evaluated at a time
    ranges = find_ranges(model, [part])
    proto = onnx.load_from_string(model)
    name = next(name for name, (lowest, _) in sorted(ranges.items()) if lowest < 0)
    proto.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
    (values,) = open_session(proto.SerializeToString()).run([name], part.inputs)
    assert ranges[name] == pytest.approx((values.min(), values.max()), rel=1e-5)
    assert sum(lowest == 0 for lowest, _ in ranges.values()) > 0  # behind a ReLU


def test_a_new_network_is_quantised():
    """Its last layers and their outputs are all 0."""
    model = onnx_bytes(Network(SMALL, BOXES, torch.Generator().manual_seed(0)))
    _, parity = quantised_model(model, [positions(BOXES)])
    assert parity["policy_kl"] == pytest.approx(0, abs=1e-12)
    assert parity["best_move"] == 1


def test_wrong_ranges_are_refused(exported):
    """Ranges of a hundredth cut off most of what the network computes."""
    encoding, model = exported
    part = positions(encoding)
    ranges = {name: (low / 100, high / 100) for name, (low, high) in find_ranges(model, [part]).items()}
    strong = onnx.load_from_string(model)  # a decided policy, so that its errors weigh
    for tensor in strong.graph.initializer:
        if tensor.name == "point_out.weight":
            tensor.CopyFrom(
                onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor) * 30, tensor.name)
            )
    original = strong.SerializeToString()
    check_int8(original, original, [part])
    message = r"^int8 must answer as the network does: policy_kl at most 0.02, got \d"
    with pytest.raises(Int8Error, match=message) as refused:
        check_int8(original, quantise(original, ranges), [part])
    assert refused.value.parity["policy_kl"] > 0.02


def test_without_positions_it_is_refused(exported):
    encoding, model = exported
    for parts in ([], [positions(encoding, 0)]):
        with pytest.raises(ValueError, match=r"^positions must be at least one for int8, got none$"):
            quantised_model(model, parts)


def test_one_position_is_enough(exported):
    encoding, model = exported
    _, parity = quantised_model(model, [positions(encoding, 1)])
    assert parity["policy_kl"] < 0.01


def test_illegal_moves_do_not_count(exported):
    """Two models that differ in the logits of illegal moves only are the same to the comparison."""
    encoding, model = exported
    part = positions(encoding)
    part = part._replace(legal=np.zeros_like(part.legal))
    part.legal[:, 3] = True
    other = onnx_bytes(random_network(encoding, SMALL, seed=8))
    parity = check_int8(model, other, [part])
    assert parity["policy_kl"] == 0
    assert parity["best_move"] == 1
    assert parity["value"] > 0
