"""Turned evaluation: the network reads the image of a position, and the search gets answers for its own."""

import numpy as np
import pytest
import torch

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules, Start
from dotzero.models.encoding import known_encoding
from dotzero.models.network import Network, NetworkConfig
from dotzero.models.torch_evaluator import TorchEvaluator
from dotzero.play.arena import ArenaConfig, play_match
from dotzero.play.zero import ZeroConfig, ZeroPlayer
from dotzero.scripts.export import export_network
from dotzero.search.turned import TurnedEvaluator

GAMES = [
    BoxesGame(BoxesRules(rows=3, columns=3)),
    BoxesGame(BoxesRules(rows=2, columns=4)),
    KropkiGame(KropkiRules(width=6, height=6, start=Start.EMPTY)),
    KropkiGame(KropkiRules(width=7, height=4, start=Start.EMPTY)),
]


def network(game, seed=1):
    """A network with random weights, so that nothing about it is symmetric."""
    made = Network(
        NetworkConfig(num_blocks=1, num_channels=16, num_pooled_channels=8, pooling_every=1),
        known_encoding(game.name, game.max_margin),
        torch.Generator().manual_seed(seed),
    )
    with torch.no_grad():
        for parameter in made.parameters():
            parameter += 0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(seed))
    return made


def play(game, state, actions):
    """Play the same actions in every game of the batch."""
    for action in actions:
        state = game.step(state, np.broadcast_to(action, (len(state),)).astype(np.int32))
    return state


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}{game.observation_shape}")
def test_it_says_of_a_position_what_the_network_says_of_its_image(game):
    """The image is played, with the images of the actions, so the test knows no table of features."""
    random = np.random.default_rng(5)
    actions = random.permutation(game.num_actions - 1)[:5]
    own = play(game, game.start(3), actions)
    with TorchEvaluator(network(game)) as evaluator:
        for symmetry in range(len(game.symmetries)):
            table = game.symmetries.actions[symmetry]
            image = game.observe(play(game, game.start(3), table[actions]))
            expected = evaluator.evaluate(image.points, image.globals)
            turned = TurnedEvaluator(evaluator, game, symmetry)
            seen = game.observe(own)
            buffer = turned.allocate(5, game.observation_shape, game.num_globals)
            buffer.points[:3], buffer.globals[:3] = seen.points, seen.globals
            got = turned.finish(turned.start(buffer, 3))
            np.testing.assert_array_equal(
                got.policy[:, game.policy_slots], expected.policy[:, game.policy_slots[table]]
            )
            np.testing.assert_array_equal(got.value, expected.value)
            np.testing.assert_array_equal(got.margin, expected.margin)
            np.testing.assert_array_equal(buffer.points[:3], seen.points)  # the core's own stays as it was


@pytest.mark.parametrize("simulations", [0, 8])
def test_equal_players_play_different_games(tmp_path, simulations):
    """Forty games of a network against itself, each opening played twice, without a temperature."""
    game = GAMES[0]
    about = {"game": "boxes", "rules": {"rows": 3, "columns": 3}, "encoding_version": 2, "training": {}}
    export_network(network(game), about, tmp_path / "net")
    found = {}
    for turned in (True, False):
        config = ZeroConfig(simulations=simulations, turned=turned, exact_lines=6, root_lines=6)
        one, two = (ZeroPlayer(tmp_path / "net", game, config, name) for name in ("one", "two"))
        found[turned] = play_match(game, one, two, ArenaConfig(games=40, opening_plies=4))
        one.close()
        two.close()
    assert found[False].distinct_games == 20
    assert found[False].score == 0.5
    assert found[True].distinct_games >= 38
    low, high = found[True].estimate.interval
    assert low <= 0 <= high  # of the difference in Elo
