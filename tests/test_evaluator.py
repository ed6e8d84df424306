import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from random_networks import BOXES, KROPKI_LIKE, SMALL, random_batch, random_network

from dotzero.models.backend import Backend, BackendConfig, make_evaluator
from dotzero.models.evaluator import Evaluation, ThreadedEvaluator, UniformEvaluator
from dotzero.models.torch_evaluator import TorchEvaluator

torch.set_num_threads(1)

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no CUDA device")


@pytest.fixture(scope="module", params=["torch", "onnx", pytest.param("cuda", marks=needs_cuda)])
def evaluator(request):
    if request.param == "onnx":
        pytest.importorskip("onnxruntime")
    network = random_network(BOXES)
    config = {
        "torch": BackendConfig(kind=Backend.TORCH, num_workers=2),
        "onnx": BackendConfig(kind=Backend.ONNX, num_workers=2),
        "cuda": BackendConfig(device="cuda"),
    }[request.param]
    samples = [tuple(part.numpy() for part in random_batch(BOXES, 2, 4, 4))]
    with make_evaluator(network, config, samples) as made:
        yield made


def fill(evaluator, num_rows, height, width, seed, capacity=None):
    points, globals_ = random_batch(BOXES, num_rows, height, width, seed)
    buffer = evaluator.allocate(capacity or num_rows, (1, height, width), BOXES.num_globals)
    buffer.points[:num_rows] = points.numpy()
    buffer.globals[:num_rows] = globals_.numpy()
    return buffer


def assert_answers(evaluation, network, num_rows, height, width, seed):
    expected = network.predict(*random_batch(BOXES, num_rows, height, width, seed))
    for answer, tensor in zip(evaluation, expected[:3], strict=True):
        assert answer.dtype == np.float32
        np.testing.assert_allclose(answer, tensor.numpy(), rtol=1e-4, atol=1e-5)


def test_answers_are_the_networks(evaluator):
    evaluator.load_weights(random_network(BOXES).state_dict())
    for height, width in ((3, 3), (4, 6)):
        for num_rows in (1, 2, 7):
            points, globals_ = random_batch(BOXES, num_rows, height, width, seed=num_rows)
            evaluation = evaluator.evaluate(points.numpy(), globals_.numpy())
            assert_answers(evaluation, random_network(BOXES), num_rows, height, width, seed=num_rows)


def test_tickets_finish_in_any_order(evaluator):
    """Each ticket gives its own rows, of its own size, whichever is asked for first."""
    evaluator.load_weights(random_network(BOXES).state_dict())
    jobs = [(5, 4, 4), (1, 3, 6), (8, 4, 4), (3, 3, 6), (64, 6, 6), (2, 4, 4)]
    buffers = [fill(evaluator, *job, seed=index, capacity=64) for index, job in enumerate(jobs)]
    tickets = [evaluator.start(buffer, job[0]) for buffer, job in zip(buffers, jobs, strict=True)]
    for index in (3, 0, 5, 4, 2, 1):
        evaluation = evaluator.finish(tickets[index])
        assert_answers(evaluation, random_network(BOXES), *jobs[index], seed=index)


def test_answers_outlive_the_next_evaluation(evaluator):
    buffer = fill(evaluator, 4, 4, 4, seed=1)
    first = evaluator.finish(evaluator.start(buffer, 4))
    kept = first.policy.copy()
    buffer.points[:] = 255
    second = evaluator.finish(evaluator.start(buffer, 4))
    assert not np.array_equal(kept, second.policy)
    np.testing.assert_array_equal(first.policy, kept)


def test_new_weights_are_used_exactly(evaluator):
    other = random_network(BOXES, seed=5)
    evaluator.load_weights({f"_orig_mod.{name}": value for name, value in other.state_dict().items()})
    evaluation = evaluator.finish(evaluator.start(fill(evaluator, 6, 4, 4, seed=2), 6))
    assert_answers(evaluation, other, 6, 4, 4, seed=2)
    evaluator.load_weights(
        {name: value.numpy() for name, value in random_network(BOXES).state_dict().items()}
    )
    evaluation = evaluator.finish(evaluator.start(fill(evaluator, 6, 4, 4, seed=2), 6))
    assert_answers(evaluation, random_network(BOXES), 6, 4, 4, seed=2)


def broken(change):
    state = dict(random_network(BOXES, seed=9).state_dict())
    if change == "missing":
        del state["stem.bias"]
    elif change == "unknown":
        state["head.extra"] = torch.zeros(2)
    else:
        state["stem.bias"] = torch.zeros(3)
    return state


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("missing", "the new state lacks weight stem.bias"),
        ("unknown", "the new state has unknown weight head.extra"),
        ("shape", r"the new state has weight stem.bias of shape \(3,\), expected \(16,\)"),
    ],
)
def test_weights_that_do_not_fit_are_refused(evaluator, change, message):
    evaluator.load_weights(random_network(BOXES).state_dict())
    with pytest.raises(ValueError, match=f"^{message}$"):
        evaluator.load_weights(broken(change))
    evaluation = evaluator.finish(evaluator.start(fill(evaluator, 3, 4, 4, seed=2), 3))
    assert_answers(evaluation, random_network(BOXES), 3, 4, 4, seed=2)


def test_evaluator_keeps_its_own_copy():
    network = random_network(BOXES)
    with TorchEvaluator(network) as evaluator:
        network.stem.weight.zero_()
        evaluation = evaluator.finish(evaluator.start(fill(evaluator, 3, 4, 4, seed=2), 3))
    assert_answers(evaluation, random_network(BOXES), 3, 4, 4, seed=2)


def test_kropki_like_game():
    network = random_network(KROPKI_LIKE)
    points, globals_ = random_batch(KROPKI_LIKE, 3, 7, 5)
    with TorchEvaluator(network) as evaluator:
        evaluation = evaluator.evaluate(points.numpy(), globals_.numpy())
    assert evaluation.policy.shape == (3, 36)
    np.testing.assert_allclose(evaluation.margin, network.predict(points, globals_).margin, atol=1e-5)


class Slow(ThreadedEvaluator):
    """Answers when it is told to, with the weight it had when it began."""

    def __init__(self, num_workers):
        super().__init__(num_workers)
        self.go = threading.Event()
        self.weight = 1.0

    def _evaluate(self, points, globals):
        weight = self.weight
        assert self.go.wait(10)
        zeros = np.zeros(len(points), np.float32)
        return Evaluation(zeros[:, None], zeros + weight, zeros)

    def load_weights(self, state):
        self._wait_for_started()
        self.weight = state["weight"]


def test_new_weights_wait_for_what_was_started():
    with Slow(1) as evaluator:
        buffer = evaluator.allocate(1, (1, 2, 2), 1)
        ticket = evaluator.start(buffer, 1)
        threading.Timer(0.05, evaluator.go.set).start()
        evaluator.load_weights({"weight": 2.0})
        assert evaluator.finish(ticket).value[0] == 1.0
        assert evaluator.finish(evaluator.start(buffer, 1)).value[0] == 2.0


def test_an_error_in_a_worker_reaches_finish():
    with TorchEvaluator(random_network(BOXES)) as evaluator:
        buffer = evaluator.allocate(2, (3, 4, 4), 9)  # three bytes a point instead of one
        with pytest.raises(RuntimeError):
            evaluator.finish(evaluator.start(buffer, 2))


def test_uniform_evaluator():
    evaluator = UniformEvaluator(24)
    buffer = evaluator.allocate(5, (1, 3, 4), 9)
    small = evaluator.finish(evaluator.start(buffer, 2))
    large = evaluator.finish(evaluator.start(buffer, 5))
    assert small.policy.shape == (2, 24)
    assert large.policy.shape == (5, 24)
    assert large.value.shape == large.margin.shape == (5,)
    assert not any(part.any() for part in large)


class Together(ThreadedEvaluator):
    """Answers only when as many evaluations as there are workers run at the same time."""

    def __init__(self, num_workers):
        super().__init__(num_workers)
        self.barrier = threading.Barrier(num_workers, timeout=10)

    def _evaluate(self, points, globals):
        self.barrier.wait()
        zeros = np.zeros(len(points), np.float32)
        return Evaluation(zeros[:, None], zeros, zeros)

    def load_weights(self, state):
        raise NotImplementedError


def test_workers_evaluate_at_the_same_time():
    with Together(3) as evaluator:
        buffer = evaluator.allocate(1, (1, 2, 2), 1)
        tickets = [evaluator.start(buffer, 1) for _ in range(3)]
        assert all(len(evaluator.finish(ticket).value) == 1 for ticket in tickets)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted in /proc")
def test_one_thread_a_worker(evaluator):
    """With torch's own threads set to 1, evaluating starts no thread but the evaluator's workers."""
    buffers = [fill(evaluator, 64, 6, 6, seed=seed) for seed in range(4)]
    others = len(os.listdir("/proc/self/task")) - sum(
        thread.name.startswith("evaluator") for thread in threading.enumerate()
    )
    for ticket in [evaluator.start(buffer, 64) for buffer in buffers * 3]:
        evaluator.finish(ticket)
    workers = [thread for thread in threading.enumerate() if thread.name.startswith("evaluator")]
    assert len(os.listdir("/proc/self/task")) - len(workers) <= others
    assert len(workers) <= 2


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"num_workers": -1}, "BackendConfig.num_workers must be at least 0, got -1"),
        ({"device": "tpu"}, "BackendConfig.device must be cpu or cuda, got tpu"),
        ({"device": "meta"}, "BackendConfig.device must be cpu or cuda, got meta"),
        ({"device": "cuda", "kind": Backend.ONNX}, "BackendConfig.device must be cpu with onnx, got cuda"),
        ({"device": "cuda", "num_workers": 2}, "BackendConfig.num_workers must be 0 or 1 on CUDA, got 2"),
        ({"bfloat16": True}, "BackendConfig.bfloat16 must be off on the CPU, got on"),
        ({"int8": True}, "BackendConfig.int8 must be off with torch, got on"),
    ],
)
def test_wrong_settings_are_refused(values, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        BackendConfig(**values)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="device must be cpu or a CUDA device of this machine, got cuda"):
        make_evaluator(random_network(BOXES), BackendConfig(device="cuda"))


@needs_cuda
def test_bfloat16_is_near_on_cuda():
    network = random_network(BOXES)
    points, globals_ = random_batch(BOXES, 64, 4, 4)
    with TorchEvaluator(network, "cuda", bfloat16=True) as evaluator:
        evaluation = evaluator.evaluate(points.numpy(), globals_.numpy())
    np.testing.assert_allclose(evaluation.policy, network.predict(points, globals_).policy, atol=0.05)


@needs_cuda
def test_cuda_refuses_a_foreign_buffer():
    with TorchEvaluator(random_network(BOXES), "cuda") as evaluator:
        foreign = UniformEvaluator(1).allocate(2, (1, 4, 4), 9)
        with pytest.raises(ValueError, match="buffer must be one that this evaluator's"):
            evaluator.start(foreign, 2)


def run_python(text):
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout


def test_onnx_is_imported_only_when_used():
    text = (
        "import sys, dotzero.models.backend, dotzero.models.checkpoint, dotzero.models.export;"
        "print([name for name in sys.modules if name.startswith('onnx')])"
    )
    assert run_python(text).strip() == "[]"


def test_a_missing_package_gives_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxscript", None)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        make_evaluator(random_network(BOXES, SMALL), BackendConfig(kind=Backend.ONNX))
    assert str(error.value) == "onnx needs the package onnxscript: pip install 'dotzero[onnx]'"
