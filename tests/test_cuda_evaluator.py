"""The CUDA evaluator.

Most of it is tested on the processor, with a stand-in for streams, events and graphs that does everything at
once and, like a graph, repeats an evaluation on fixed memory only.
"""

import contextlib

import numpy as np
import pytest
import torch
from random_networks import BOXES, KROPKI_LIKE, random_batch, random_network

from dotzero.models import cuda_evaluator
from dotzero.models.cuda_evaluator import CudaEvaluator, evaluation_copy, padded_batch
from dotzero.models.evaluator import UniformEvaluator

torch.set_num_threads(1)

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no CUDA device")


def test_padded_batches():
    assert [padded_batch(n) for n in (1, 16, 17, 24, 25, 32, 33, 48, 49, 64, 65, 96, 97, 128, 129, 1000)] == [
        16, 16, 24, 24, 32, 32, 48, 48, 64, 64, 96, 96, 128, 128, 192, 1024
    ]  # fmt: skip
    for n in range(1, 3000):
        size = padded_batch(n)
        assert size >= n
        assert size <= max(16, n * 1.5)
        assert padded_batch(size) == size


class FakeStream:
    """A queue whose work is done when it is queued."""

    def __init__(self, device=None):
        self.num_waits = 0

    def wait_stream(self, other):
        self.num_waits += 1

    def synchronize(self):
        pass


class FakeEvent:
    def __init__(self):
        self.recorded = False

    def record(self, stream):
        self.recorded = True

    def synchronize(self):
        assert self.recorded


class Recordings:
    """Stands in for CUDA graphs: a replay writes new answers over the old ones."""

    def __init__(self):
        self.num_records = self.num_replays = 0

    def record(self, run, stream, pool):
        self.num_records += 1
        answers = run()

        def replay():
            self.num_replays += 1
            for old, new in zip(answers, run(), strict=True):
                old.copy_(new)

        for part in answers:
            part.fill_(np.nan)  # recording computes nothing
        return answers, replay


@pytest.fixture
def recordings(monkeypatch):
    made = Recordings()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "Stream", FakeStream)
    monkeypatch.setattr(torch.cuda, "Event", FakeEvent)
    monkeypatch.setattr(torch.cuda, "default_stream", lambda device: FakeStream())
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: "pool")
    monkeypatch.setattr(torch.cuda, "stream", lambda stream: contextlib.nullcontext())
    monkeypatch.setattr(torch.cuda, "device", lambda device: contextlib.nullcontext())
    monkeypatch.setattr(cuda_evaluator, "_pinned", lambda shape, dtype: torch.empty(shape, dtype=dtype))
    monkeypatch.setattr(cuda_evaluator, "_record", made.record)
    return made


def make(network, monkeypatch, bfloat16=False, cuda_graphs=True):
    """A CUDA evaluator whose device is the processor."""
    cpu = torch.device("cpu")
    copy_to_cpu = lambda network, device, bfloat16: evaluation_copy(network, cpu, bfloat16)  # noqa: E731
    monkeypatch.setattr(cuda_evaluator, "evaluation_copy", copy_to_cpu)
    evaluator = CudaEvaluator(network, torch.device("cuda"), bfloat16, cuda_graphs)
    evaluator._device = cpu
    return evaluator


def started(evaluator, encoding, num_rows, height, width, seed, capacity=64):
    points, globals_ = random_batch(encoding, num_rows, height, width, seed)
    buffer = evaluator.allocate(capacity, tuple(points.shape[1:]), globals_.shape[1])
    buffer.points[:num_rows], buffer.globals[:num_rows] = points.numpy(), globals_.numpy()
    return evaluator.start(buffer, num_rows)


def assert_right(evaluation, network, encoding, num_rows, height, width, seed, tolerance=1e-5):
    expected = network.predict(*random_batch(encoding, num_rows, height, width, seed))
    for answer, tensor in zip(evaluation, expected[:3], strict=True):
        assert answer.dtype == np.float32
        assert answer.shape == tuple(tensor.shape)
        np.testing.assert_allclose(answer, tensor.numpy(), rtol=1e-4, atol=tolerance)


@pytest.mark.parametrize("cuda_graphs", [True, False])
@pytest.mark.parametrize("encoding", [BOXES, KROPKI_LIKE], ids=["boxes", "kropki"])
def test_answers_are_the_networks(encoding, cuda_graphs, recordings, monkeypatch):
    """Of every size, in any order, without the padding, and kept while later ones overwrite the memory."""
    network = random_network(encoding)
    jobs = [(5, 4, 4), (30, 4, 4), (1, 3, 6), (8, 4, 4), (16, 3, 6), (17, 4, 4)]
    with make(network, monkeypatch, cuda_graphs=cuda_graphs) as evaluator:
        tickets = [started(evaluator, encoding, *job, seed=index) for index, job in enumerate(jobs)]
        for index in (3, 0, 5, 4, 2, 1):
            evaluation = evaluator.finish(tickets[index])
            assert_right(evaluation, network, encoding, *jobs[index], seed=index)
    assert recordings.num_replays == (len(jobs) if cuda_graphs else 0)


def test_one_recording_for_each_shape_and_padded_batch(recordings, monkeypatch):
    with make(random_network(BOXES), monkeypatch) as evaluator:
        for num_rows in (1, 16, 7, 17, 24, 33):
            evaluator.finish(started(evaluator, BOXES, num_rows, 4, 4, seed=0))
        assert recordings.num_records == 3  # 16, 24 and 48 rows
        evaluator.finish(started(evaluator, BOXES, 5, 3, 4, seed=0))
        assert recordings.num_records == 4
    assert recordings.num_replays == 7


@pytest.mark.parametrize("bfloat16", [False, True])
def test_new_weights_reach_old_recordings(bfloat16, recordings, monkeypatch):
    tolerance = 0.05 if bfloat16 else 1e-5
    with make(random_network(BOXES), monkeypatch, bfloat16=bfloat16) as evaluator:
        before = evaluator.finish(started(evaluator, BOXES, 6, 4, 4, seed=2))
        other = random_network(BOXES, seed=5)
        evaluator.load_weights({f"_orig_mod.{name}": value for name, value in other.state_dict().items()})
        after = evaluator.finish(started(evaluator, BOXES, 6, 4, 4, seed=2))
        assert recordings.num_records == 1
        assert not np.allclose(before.policy, after.policy, atol=0.01)
        np.testing.assert_allclose(
            after.policy, other.predict(*random_batch(BOXES, 6, 4, 4, 2)).policy, atol=tolerance
        )
        assert evaluator._stream.num_waits == 2  # for the copy of the network, and for the new weights


def test_weights_that_do_not_fit_change_nothing(recordings, monkeypatch):
    network = random_network(BOXES)
    with make(network, monkeypatch) as evaluator:
        broken = {name: value for name, value in network.state_dict().items() if name != "stem.bias"}
        with pytest.raises(ValueError, match=r"^the new state lacks weight stem.bias$"):
            evaluator.load_weights({name: value + 1 for name, value in broken.items()})
        assert_right(
            evaluator.finish(started(evaluator, BOXES, 3, 4, 4, seed=1)), network, BOXES, 3, 4, 4, seed=1
        )


def test_a_foreign_buffer_is_refused(recordings, monkeypatch):
    with make(random_network(BOXES), monkeypatch) as evaluator:
        foreign = UniformEvaluator(1).allocate(2, (1, 4, 4), 9)
        with pytest.raises(ValueError, match="buffer must be one that this evaluator's"):
            evaluator.start(foreign, 2)


def test_weights_in_bfloat16_give_the_answers_of_autocast():
    """They save the conversion in every evaluation and change nothing else."""
    network = random_network(BOXES)
    points, globals_ = random_batch(BOXES, 9, 4, 5)
    answers = []
    for bfloat16 in (True, False):
        twin = evaluation_copy(network, torch.device("cpu"), bfloat16)
        with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
            answers.append(twin.predict(points, globals_, full_board=True))
    for kept, converted in zip(*answers, strict=True):
        torch.testing.assert_close(kept, converted, rtol=0, atol=0)
    assert twin.stem.weight.dtype == torch.float32
    assert network.stem.weight.dtype == torch.float32
    assert (answers[0].policy - network.predict(points, globals_).policy).abs().max() > 1e-5


@needs_cuda
@pytest.mark.parametrize("bfloat16", [False, True])
@pytest.mark.parametrize("cuda_graphs", [False, True])
def test_cuda_gives_the_answers_of_the_processor(bfloat16, cuda_graphs):
    network = random_network(BOXES)
    with CudaEvaluator(network, torch.device("cuda"), bfloat16, cuda_graphs) as evaluator:
        jobs = [(5, 4, 4), (64, 4, 4), (1, 3, 6), (30, 4, 4), (5, 4, 4)]
        tickets = [started(evaluator, BOXES, *job, seed=index) for index, job in enumerate(jobs)]
        for index in (3, 0, 4, 2, 1):
            evaluation = evaluator.finish(tickets[index])
            assert_right(
                evaluation, network, BOXES, *jobs[index], seed=index, tolerance=0.1 if bfloat16 else 1e-5
            )


@needs_cuda
@pytest.mark.parametrize("bfloat16", [False, True])
def test_graphs_change_no_answer(bfloat16):
    """Compared at sizes that need no padding, where the libraries choose the same algorithms."""
    network, device = random_network(BOXES), torch.device("cuda")
    points, globals_ = (part.numpy() for part in random_batch(BOXES, 64, 6, 6))
    with (
        CudaEvaluator(network, device, bfloat16, True) as graphs,
        CudaEvaluator(network, device, bfloat16, False) as plain,
    ):
        for seed in (0, 5):
            for evaluator in (graphs, plain):
                evaluator.load_weights(random_network(BOXES, seed=seed).state_dict())
            for first, second in zip(
                graphs.evaluate(points, globals_), plain.evaluate(points, globals_), strict=True
            ):
                np.testing.assert_allclose(first, second, atol=0.02 if bfloat16 else 1e-5)
