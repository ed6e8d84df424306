"""A bad batch comes back as it was, or not at all."""

import os

import numpy as np
import pytest
import torch

from dotzero.configs.compose import compose
from dotzero.configs.schema import TrainJob, plain
from dotzero.models.files import read_tensors
from dotzero.train.loop import Training
from dotzero.train.positions import Positions
from dotzero.train.run_folder import RunFolder
from dotzero.train.watchdog import dump_batch, read_batch


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A game and positions of it, as self-play makes them."""
    words = ["preset=smoke", "rules.rows=1", "rules.columns=2", "selfplay.random_opening_plies=2"]
    config = compose(TrainJob, words).training()
    torch.set_num_threads(1)
    with RunFolder(tmp_path_factory.mktemp("run")) as folder:
        training = Training(config, plain(config), folder)
        boards = training.selfplay.play(30)[0]
        training.close()
    return boards[0]


def test_a_dumped_batch_comes_back_to_the_bit(tmp_path, played):
    positions = played[np.arange(8)]
    positions.margin[3] = np.nan
    symmetry = np.array([0, 1, 2, 3, 0, 1, 2, 3])
    path = dump_batch(tmp_path, 12, 1, positions, symmetry, "loss must be finite,\ngot nan")
    assert path == tmp_path / "bad-batch-12.safetensors"
    batch = read_batch(path)
    assert (batch.step, batch.board, batch.reason) == (12, 1, "loss must be finite, got nan")
    assert np.array_equal(batch.symmetry, symmetry)
    for name, array in positions.arrays().items():
        assert batch.positions.arrays()[name].dtype == array.dtype
        assert batch.positions.arrays()[name].tobytes() == array.tobytes(), name


def test_a_dump_is_whole_or_absent(tmp_path, played, monkeypatch):
    positions, symmetry = played[np.arange(4)], np.zeros(4, np.int64)
    path = dump_batch(tmp_path, 1, 0, positions, symmetry, "first")
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        dump_batch(tmp_path, 1, 0, positions, symmetry, "second")
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    path.write_bytes(before[:-5])
    with pytest.raises(ValueError, match=r"batch .*bad-batch-1\.safetensors is damaged"):
        read_batch(path)


def test_a_bad_batch_is_no_shard(tmp_path, played):
    """A file of another kind is refused by name."""
    path = dump_batch(tmp_path, 1, 0, played[np.arange(2)], np.zeros(2, np.int64), "x")
    with pytest.raises(ValueError, match=r"shard .* was not written by dotzero"):
        read_tensors(path, "shard")
    assert isinstance(read_batch(path).positions, Positions)
