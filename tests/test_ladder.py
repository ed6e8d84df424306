"""Matches of a network in training: names, scores, and that the folder it lies in decides nothing."""

import shutil

import pytest
import torch

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.models.checkpoint import save_checkpoint
from dotzero.models.encoding import known_encoding
from dotzero.models.network import Network, NetworkConfig
from dotzero.train.ladder import LadderConfig, climb

GAME = BoxesGame(BoxesRules(rows=2, columns=2))


@pytest.fixture
def checkpoint(tmp_path):
    torch.set_num_threads(1)
    size = NetworkConfig(num_blocks=2, num_channels=16, num_pooled_channels=8)
    network = Network(size, known_encoding("boxes", GAME.max_margin), torch.Generator().manual_seed(3))
    path = tmp_path / "000001.safetensors"
    save_checkpoint(path, network, {"game": "boxes", "encoding_version": network.encoding.encoding_version})
    return path


def test_scores_and_elo_by_opponent(checkpoint, tmp_path):
    config = LadderConfig(every=1, games=20, simulations=4)
    values = climb(GAME, checkpoint, ["random", "medium"], config)
    assert sorted(values) == sorted(
        f"ladder/{name}/{what}"
        for name in ("random", "medium")
        for what in ("score", "elo", "elo_low", "elo_high")
    )
    assert values["ladder/random/score"] > values["ladder/medium/score"]
    for name in ("random", "medium"):
        assert (
            values[f"ladder/{name}/elo_low"]
            < values[f"ladder/{name}/elo"]
            < values[f"ladder/{name}/elo_high"]
        )
    moved = tmp_path / "elsewhere" / "net.safetensors"
    moved.parent.mkdir()
    shutil.copy(checkpoint, moved)
    assert climb(GAME, moved, ["random", "medium"], config) == values


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"every": -1}, "every must be at least 0, got -1"),
        ({"games": 3}, "games must be even and at least 2, got 3"),
        ({"simulations": -1}, r"simulations must be in 0\.\.[0-9]+, got -1"),
    ],
)
def test_bad_settings_are_named(changes, message):
    with pytest.raises(ValueError, match=rf"^LadderConfig\.{message}$"):
        LadderConfig(**changes)
