"""Owner maps: the network's own head, one number a box or point, and what is settled stays settled."""

import numpy as np
import pytest
import torch
from random_networks import zero_of

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.models.checkpoint import load_checkpoint
from dotzero.models.encoding import known_encoding
from dotzero.play.owner_maps import OwnerMaps
from dotzero.play.players import make_player

BOXES = BoxesGame(BoxesRules(rows=2, columns=3))
KROPKI = KropkiGame(KropkiRules(width=7, height=5))


def maps_of(game, folder):
    spec = zero_of(folder, game)
    path = folder / f"{game.name}.safetensors"
    return OwnerMaps(path, known_encoding(game.name, game.max_margin)), path, spec


@pytest.mark.parametrize("game", [BOXES, KROPKI], ids=["boxes", "kropki"])
def test_f11_the_map_is_the_heads_answer(game, tmp_path, random_states):
    """F11: one probability a box or point, as the network gives it to the player to move."""
    maps, path, _ = maps_of(game, tmp_path)
    state = random_states(game, 6, np.random.default_rng(0))
    found = maps.of(game, state)
    assert found.shape == (6, *game.size)
    network = load_checkpoint(path)[0].eval()
    seen = game.observe(state)
    with torch.inference_mode():
        own = network.predict(torch.from_numpy(seen.points), torch.from_numpy(seen.globals)).owner.numpy()
    rows, columns = game.size
    settled = game.owners(state)[:, :rows, :columns] != 0 if game is BOXES else np.zeros(found.shape, bool)
    assert np.allclose(found[~settled], own[:, :rows, :columns][~settled], atol=1e-5)


def test_closed_boxes_are_settled(tmp_path):
    maps, _, _ = maps_of(BOXES, tmp_path)
    state = BOXES.start(1)
    state.owner[0, :2] = 0, 1
    assert maps.of(BOXES, state)[0, 0, :2].tolist() == [1.0, 0.0]
    state.to_move[:] = 1
    assert maps.of(BOXES, state)[0, 0, :2].tolist() == [0.0, 1.0]


def test_the_network_is_read_when_it_is_asked(tmp_path):
    maps, path, spec = maps_of(KROPKI, tmp_path)
    player = make_player(spec, KROPKI)
    found = player.owners(KROPKI, KROPKI.start(2))
    assert found.shape == (2, 5, 7)
    path.unlink()
    assert (player.owners(KROPKI, KROPKI.start(2)) == found).all()
    with pytest.raises(ValueError, match=r"kropki\.safetensors"):
        maps.of(KROPKI, KROPKI.start(1))
    player.close()
