"""Replay: shards on disk, the window and its growth, sampling."""

import math

import numpy as np
import pytest

from dotzero.train.positions import Positions
from dotzero.train.replay import Replay, ReplayConfig

DESCRIPTION = {"game": "boxes", "rules": {"rows": 1, "columns": 1}, "encoding_version": 2}


def positions(number, mark=0):
    return Positions(
        points=np.full((number, 1, 2, 2), mark, np.uint8),
        globals=np.zeros((number, 9), np.float32),
        legal=np.ones((number, 1), np.uint8),
        policy=np.full((number, 4), 0.25, np.float16),
        outcome=np.zeros(number, np.int8),
        margin=np.arange(number, dtype=np.float32),
        owners=np.zeros((number, 2, 2), np.int8),
        reply=np.full(number, -1, np.int16),
        result_share=np.ones(number, np.float32),
        searched_value=np.zeros(number, np.float32),
        searched_margin=np.zeros(number, np.float32),
        weight=np.ones(number, np.float32),
    )


def filled(folder, sizes, **config):
    replay = Replay(folder, ReplayConfig(**config), [DESCRIPTION])
    for index, size in enumerate(sizes):
        name = f"{index:06d}.safetensors"
        replay.write(name, [positions(size, index)])
        replay.add(name, [positions(size, index)])
    return replay


def test_window_grows_slower_than_the_data():
    config = ReplayConfig(window_start=1000, window_exponent=0.5)
    assert config.window_size(10) == 10
    assert config.window_size(1000) == 1000
    assert config.window_size(4000) == 1000 * (1 + (2 - 1) / 0.5)
    assert config.window_size(1_000_000) < 1_000_000 / 10
    assert ReplayConfig(window_start=1000, window_exponent=1.0).window_size(5000) == 5000


def test_window_drops_the_oldest_and_prune_deletes_their_files(tmp_path):
    replay = filled(tmp_path, [100] * 10, window_start=100, window_exponent=0.01)
    assert replay.total == 1000
    limit = replay.config.window_size(1000)
    assert limit <= len(replay) < limit + 100
    assert replay.manifest[-1] == "000009.safetensors"
    assert len(list(tmp_path.glob("*.safetensors"))) == 10
    replay.prune()
    assert sorted(path.name for path in tmp_path.glob("*.safetensors")) == replay.manifest


def test_sampling_is_uniform_over_the_window(tmp_path):
    replay = filled(tmp_path, [10, 30, 60], window_start=1000)
    board, sample = replay.sample(20_000, np.random.default_rng(0))
    assert board == 0
    share = np.bincount(sample.points[:, 0, 0, 0]) / 20_000
    np.testing.assert_allclose(share, [0.1, 0.3, 0.6], atol=0.02)
    number = sample.points[:, 0, 0, 0] * 100 + sample.margin.astype(int)
    assert len(np.unique(number)) == 100
    # Not sorted by shard: a learner that takes the first rows must see all of them.
    assert set(sample.points[:50, 0, 0, 0]) == {0, 1, 2}


def test_loads_what_the_manifest_names(tmp_path):
    replay = filled(tmp_path, [5, 6, 7], window_start=1000)
    again = Replay(tmp_path, replay.config, [DESCRIPTION])
    again.load(replay.manifest[1:], 18)
    assert (len(again), again.total) == (13, 18)
    (_, one), (_, two) = (r.sample(9, np.random.default_rng(1)) for r in (again, again))
    assert one.margin.tolist() == two.margin.tolist()


def test_steps_follow_the_reuse():
    config = ReplayConfig(reuse=4.0)
    replay = Replay.__new__(Replay)
    replay.config = config
    assert replay.config.num_steps(1000, 100) == 40
    assert replay.config.num_steps(1, 1000) == 1


def test_settings_must_be_finite():
    for field in ("reuse", "window_exponent"):
        for value in (math.inf, math.nan):
            message = rf"^ReplayConfig\.{field} must be a finite number, got {value}$"
            with pytest.raises(ValueError, match=message):
                ReplayConfig(**{field: value})


def test_missing_damaged_and_foreign_shards_are_named(tmp_path):
    replay = filled(tmp_path, [5], window_start=10)
    again = Replay(tmp_path, replay.config, [DESCRIPTION])
    with pytest.raises(ValueError, match=r"has 0 with 0 positions: .*absent\.safetensors is missing"):
        again.load(["absent.safetensors"], 5)
    path = tmp_path / "000000.safetensors"
    content = path.read_bytes()
    path.write_bytes(content[:-7])
    with pytest.raises(ValueError, match=r"shard .*000000\.safetensors is damaged"):
        again.load(["000000.safetensors"], 5)
    path.write_bytes(content[:-7] + bytes([content[-7] ^ 4]) + content[-6:])
    with pytest.raises(ValueError, match=r"shard .*000000\.safetensors is damaged: the checksum"):
        again.load(["000000.safetensors"], 5)
    path.write_bytes(content)
    other = Replay(tmp_path, replay.config, [{**DESCRIPTION, "encoding_version": 1}])
    with pytest.raises(ValueError, match="must hold positions of"):
        other.load(["000000.safetensors"], 5)
    with pytest.raises(ValueError, match="at least one position"):
        again.sample(3, np.random.default_rng(0))


OTHER = {**DESCRIPTION, "rules": {"rows": 1, "columns": 2}}


def two_boards(folder, sizes):
    """Shards of two boards; the position's margin tells its number, its points the board."""
    replay = Replay(folder, ReplayConfig(window_start=10_000), [DESCRIPTION, OTHER])
    for index, own in enumerate(sizes):
        name = f"{index:06d}.safetensors"
        replay.write(name, [positions(size, board) for board, size in enumerate(own)])
        replay.add(name, replay.read(name))
    return replay


def test_a_batch_is_of_one_board_and_all_positions_are_equally_likely(tmp_path):
    replay = two_boards(tmp_path, [(10, 40), (0, 30), (20, 0)])
    assert (len(replay), replay.total) == (100, 100)
    random, boards = np.random.default_rng(0), []
    for _ in range(2000):
        board, sample = replay.sample(3, random)
        assert (sample.points[:, 0, 0, 0] == board).all()
        boards.append(board)
    assert np.mean(boards) == pytest.approx(0.7, abs=0.03)
    _, sample = replay.sample(5000, random)
    assert len(np.unique(sample.margin)) == (40 if sample.points[0, 0, 0, 0] else 20)


def test_shards_of_other_boards_are_refused(tmp_path):
    replay = two_boards(tmp_path, [(3, 0)])
    for descriptions in ([DESCRIPTION], [OTHER, DESCRIPTION], [DESCRIPTION, OTHER, OTHER]):
        with pytest.raises(ValueError, match="must hold positions of"):
            Replay(tmp_path, replay.config, descriptions).read("000000.safetensors")
    again = Replay(tmp_path, replay.config, [DESCRIPTION, OTHER])
    again.load(replay.manifest, 3)
    assert len(again) == 3


def test_weights_decide_how_often_a_position_is_drawn(tmp_path):
    replay = Replay(tmp_path, ReplayConfig(window_start=1000), [DESCRIPTION])
    for index, weights in enumerate(([1.0, 3.0], [0.0, 4.0])):
        shard = positions(2, index)
        shard.weight[:] = weights
        replay.write(f"{index}.safetensors", [shard])
        replay.add(f"{index}.safetensors", [shard])
    _, drawn = replay.sample(40_000, np.random.default_rng(0))
    place = drawn.points[:, 0, 0, 0].astype(int) * 2 + drawn.margin.astype(int)
    share = np.bincount(place, minlength=4) / 40_000
    assert share == pytest.approx([1 / 8, 3 / 8, 0, 4 / 8], abs=0.01)
    again = Replay(tmp_path, ReplayConfig(window_start=1000), [DESCRIPTION])
    again.load(replay.manifest, 4)
    np.testing.assert_array_equal(
        again.sample(50, np.random.default_rng(1))[1].margin,
        replay.sample(50, np.random.default_rng(1))[1].margin,
    )


def test_missing_shards_are_named_with_what_is_left(tmp_path):
    replay = filled(tmp_path, [5, 6, 7], window_start=1000)
    (tmp_path / replay.manifest[1]).unlink()
    again = Replay(tmp_path, ReplayConfig(), [DESCRIPTION])
    with pytest.raises(
        ValueError,
        match=r"^replay must have the 3 shards .*of 18 .*has 2 with 12 positions: .*000001.* is missing$",
    ):
        again.load(replay.manifest, 18)
