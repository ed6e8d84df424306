"""What a network thinks, as pictures: colour where it is sure, none where it is not, and only on moves."""

import numpy as np
import pytest
import torch

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.drawing import PLAYERS, draw
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.registry import make_game
from dotzero.models.encoding import known_encoding
from dotzero.models.network import Network, NetworkConfig, Prediction
from dotzero.train.board_images import board_images, fixed_positions

TWO = BoxesGame(BoxesRules(rows=1, columns=2))


class Decided(Network):
    """A network that says what it was told: logits of the policy slots and chances of the owners."""

    def __init__(self, game, policy=None, owner=0.5):
        config = NetworkConfig(num_blocks=1, num_channels=16, pooling_every=0)
        super().__init__(config, known_encoding(game.name, game.max_margin))
        self.told = torch.zeros(game.num_policy_slots)
        for action, logit in (policy or {}).items():
            self.told[game.policy_slots[action]] = logit
        self.owner = owner

    def predict(self, points, globals, full_board=False):
        n, _, height, width = points.shape
        owner = torch.full((n, height, width), self.owner)
        return Prediction(self.told.expand(n, -1), torch.zeros(n), torch.zeros(n), owner)


def changed(picture, board):
    return (picture != board).any(axis=2)


def test_names_and_sizes():
    game = make_game("boxes", {"rows": 2, "columns": 3})
    state = fixed_positions(game, 3)
    images = board_images(game, Decided(game), state, "2x3")
    assert list(images) == ["2x3/board", "2x3/policy", "2x3/owner"]
    one = draw(game, state)
    for picture in images.values():
        assert picture.dtype == np.uint8
        assert picture.shape == (one.shape[0], 3 * one.shape[1], 3)
    assert np.array_equal(images["2x3/board"][:, : one.shape[1]], one)


def test_a_sure_policy_colours_one_line_and_no_illegal_one():
    """Line 0 is the top of the left box; an illegal line, however liked, gets nothing."""
    state = TWO.step(TWO.start(1), [1])
    images = board_images(TWO, Decided(TWO, {0: 30.0, 1: 90.0}), state, "x")
    where = np.argwhere(changed(images["x/policy"], images["x/board"]))
    height, width = images["x/board"].shape[:2]
    assert len(where) > 100
    assert where[:, 0].max() < height / 2
    assert where[:, 1].max() < width / 2
    green = images["x/policy"][tuple(where[len(where) // 2])].astype(int)
    assert green[1] > green[0] + 50


def test_owners_have_the_colour_of_the_player_not_of_the_mover():
    state = TWO.step(TWO.start(1), [1])
    assert state.to_move[0] == 1
    for chance, player in ((0.99, 1), (0.01, 0)):
        picture = board_images(TWO, Decided(TWO, owner=chance), state, "x")
        where = np.argwhere(changed(picture["x/owner"], picture["x/board"]))
        seen = picture["x/owner"][tuple(where[0])].astype(int)
        distance = [np.abs(seen - np.array(colour)).sum() for colour in PLAYERS]
        assert np.argmin(distance) == player
    unsure = board_images(TWO, Decided(TWO, owner=0.5), state, "x")
    assert np.array_equal(unsure["x/owner"], unsure["x/board"])


def test_a_complete_box_has_its_owner_already():
    lines = np.zeros((1, 7), np.uint8)
    lines[0, [0, 2, 4, 5]] = 1  # the left box
    state = TWO.position(lines, 1)
    picture = board_images(TWO, Decided(TWO, owner=0.99), state, "x")
    where = np.argwhere(changed(picture["x/owner"], picture["x/board"]))
    assert where[:, 1].min() > picture["x/board"].shape[1] / 2


def test_a_finished_game_is_drawn_without_anything_over_it():
    state = TWO.position(np.ones((1, 7), np.uint8), 0)
    assert state.finished.all()
    images = board_images(TWO, Decided(TWO, {0: 9.0}, owner=0.99), state, "x")
    for name in ("policy", "owner"):
        assert np.array_equal(images[f"x/{name}"], images["x/board"])


def test_stop_is_a_square_in_the_corner():
    game = make_game("kropki", {"width": 5, "height": 4})
    assert isinstance(game, KropkiGame)
    images = board_images(game, Decided(game, {game.stop: 30.0}), game.start(1), "x")
    where = np.argwhere(changed(images["x/policy"], images["x/board"]))
    height, width = images["x/board"].shape[:2]
    assert where[:, 0].min() > 0.8 * height
    assert where[:, 1].min() > 0.8 * width


def test_a_real_network_on_a_large_board_makes_small_pictures():
    game = make_game("kropki", {"width": 39, "height": 32})
    config = NetworkConfig(num_blocks=1, num_channels=16, num_pooled_channels=8, pooling_every=0)
    network = Network(config, known_encoding("kropki", game.max_margin), torch.Generator().manual_seed(1))
    images = board_images(game, network, fixed_positions(game), "x")
    assert max(picture.shape[1] for picture in images.values()) <= 2000


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("boxes", {"rows": 1, "columns": 1}),
        ("boxes", {"rows": 3, "columns": 3, "border": "all"}),
        ("kropki", {"width": 6, "height": 5, "start": "random_crosses", "num_crosses": 1}),
    ],
)
def test_fixed_positions_are_fixed_and_go_on(name, rules):
    game = make_game(name, rules)
    one, two = fixed_positions(game, 5), fixed_positions(game, 5)
    assert np.array_equal(game.observe(one).points, game.observe(two).points)
    assert not one.finished.any()
    left = game.legal(one).sum(axis=1)
    assert (np.diff(left) <= 0).all()
    assert left[0] > left[-1]
