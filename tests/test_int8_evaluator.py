"""The quantised evaluator: new weights, positions of late, and equal answers for equal histories."""

import numpy as np
import pytest
import torch
from random_networks import BOXES, random_network
from test_int8 import positions

from dotzero.models import int8
from dotzero.models.backend import Backend, BackendConfig, make_evaluator
from dotzero.models.export import onnx_bytes
from dotzero.models.int8_evaluator import Int8Evaluator
from dotzero.models.onnx_evaluator import OnnxEvaluator

torch.set_num_threads(1)
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")


@pytest.fixture(scope="module")
def model():
    return onnx_bytes(random_network(BOXES))


def answers(evaluator, seed=7):
    part = positions(BOXES, 6, seed=seed)
    return evaluator.evaluate(part.points, part.globals).policy


def weights(seed):
    return random_network(BOXES, seed=seed).state_dict()


def test_new_weights_are_quantised_anew(model):
    with Int8Evaluator(model, [positions(BOXES)]) as evaluator:
        before, parity = answers(evaluator), evaluator.parity
        evaluator.load_weights(weights(5))
        after = answers(evaluator)
        expected = random_network(BOXES, seed=5)
        part = positions(BOXES, 6, seed=7)
        exact = expected.predict(torch.from_numpy(part.points), torch.from_numpy(part.globals)).policy
        np.testing.assert_allclose(after, exact, atol=0.05)
        assert evaluator.parity != parity
        evaluator.load_weights(weights(0))
        np.testing.assert_array_equal(answers(evaluator), before)
        assert evaluator.parity == parity


def test_answers_depend_on_weights_and_positions_only(model):
    """What was loaded before leaves no trace: a resumed run gives the answers of one that never stopped."""
    late = [positions(BOXES, 40, seed=11)]
    with Int8Evaluator(model, [positions(BOXES)], num_workers=2) as evaluator:
        evaluator.calibrate([positions(BOXES, 40, seed=12)])
        evaluator.load_weights(weights(3))
        evaluator.calibrate(late)
        untouched = answers(evaluator)
        evaluator.load_weights(weights(4))
        went_on = answers(evaluator)
        assert not np.array_equal(untouched, went_on)
    with Int8Evaluator(model, [positions(BOXES)]) as evaluator:
        evaluator.load_weights(weights(4))
        assert not np.array_equal(answers(evaluator), went_on)  # without the late positions
        evaluator.calibrate(late)
        evaluator.load_weights(weights(4))
        np.testing.assert_array_equal(answers(evaluator), went_on)


def test_weights_that_do_not_fit_change_nothing(model):
    with Int8Evaluator(model, [positions(BOXES)]) as evaluator:
        before, parity = answers(evaluator), evaluator.parity
        broken = weights(5)
        del broken["stem.bias"]
        with pytest.raises(ValueError, match=r"^the new state lacks weight stem.bias$"):
            evaluator.load_weights(broken)
        spoiled = {name: value * np.nan for name, value in weights(5).items()}
        with pytest.raises(ValueError, match=r"^weights must give finite numbers for int8, got others$"):
            evaluator.load_weights(spoiled)
        np.testing.assert_array_equal(answers(evaluator), before)
        assert evaluator.parity == parity


def test_weights_that_int8_answers_badly_are_evaluated_as_they_are(model, monkeypatch):
    """A run is not stopped by them; the next weights are quantised again, whatever came before."""
    with Int8Evaluator(model, [positions(BOXES)]) as evaluator:
        assert evaluator.parity["used"] == 1
        quantised = answers(evaluator)
        monkeypatch.setattr(int8, "MAX_POLICY_KL", -1.0)
        evaluator.load_weights(weights(0))
        with OnnxEvaluator(model) as original:
            np.testing.assert_array_equal(answers(evaluator), answers(original))
        assert evaluator.parity["used"] == 0
        assert evaluator.parity["policy_kl"] > 0
        monkeypatch.undo()
        evaluator.load_weights(weights(0))
        assert evaluator.parity["used"] == 1
        np.testing.assert_array_equal(answers(evaluator), quantised)


def test_the_configuration_chooses_it():
    network = random_network(BOXES)
    config = BackendConfig(kind=Backend.ONNX, int8=True, num_workers=1)
    with make_evaluator(network, config, calibration=[positions(BOXES)]) as evaluator:
        assert isinstance(evaluator, Int8Evaluator)
        assert evaluator.parity["policy_kl"] < 1e-3
    with pytest.raises(ValueError, match=r"^positions must be at least one for int8, got none$"):
        make_evaluator(network, config)


def test_other_evaluators_lose_nothing():
    with make_evaluator(random_network(BOXES), BackendConfig(num_workers=1)) as evaluator:
        evaluator.calibrate([positions(BOXES)])
        assert evaluator.parity == {}
