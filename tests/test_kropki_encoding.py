"""What a network sees of Kropki: every bit and number worked out again from the board, and networks on it."""

import numpy as np
import pytest
import torch
from random_networks import SMALL, random_network

from dotzero import _core
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_position import reaches_edge
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.models import Network, known_encoding

torch.set_num_threads(1)

VARIANTS = {
    "cross": {"width": 6, "height": 6},
    "rectangle": {"width": 9, "height": 5, "start": "random_crosses", "num_crosses": 2, "komi": 1.5},
    "zone": {"width": 7, "height": 8, "start": "empty", "opening_zone": (3, 2), "stop": "off"},
    "solo": {"width": 6, "height": 7, "stop": "solo", "solo_moves": 9, "house_closes": "owner_turn"},
    "territory": {
        "width": 6, "height": 6, "score": "territory", "punish": True, "capture_empty": True,
        "add_turn": True, "holes": True, "last_safe": True, "instant_win": 9,
    },
}  # fmt: skip


@pytest.fixture(params=VARIANTS.values(), ids=VARIANTS.keys())
def game(request):
    return KropkiGame(KropkiRules(**request.param))


@pytest.fixture
def state(game, random_states):
    state = random_states(game, 60, np.random.default_rng(7))
    komi = np.random.default_rng(8).integers(-3, 4, 60) / 2
    return game.with_komi(state, komi)


def planes(game, state):
    """Bits by byte and bit: [3][8] arrays of bool [B, H, W]."""
    points = game.observe(state).points
    return [[(points[:, byte] >> bit & 1).astype(bool) for bit in range(8)] for byte in range(3)]


def mine_and_theirs(state, bits):
    """Where one of `bits` of the player to move is set (of the opponent: one place higher, or lower)."""
    first, second = ((state.cells & bits << player) != 0 for player in (0, 1))
    is_first = (state.to_move == 0)[:, None, None]
    return np.where(is_first, first, second), np.where(is_first, second, first)


def test_the_table_is_the_cores():
    """Bytes, globals and slots of the core are those that networks are built for; 60 points of margin do."""
    for width, height in ((2, 3), (8, 5), (39, 32)):
        game = KropkiGame(KropkiRules(width=width, height=height))
        encoding = known_encoding("kropki", game.max_margin)
        assert encoding.encoding_version == game.encoding_version
        assert encoding.num_point_bytes == game.observation_shape[0]
        assert encoding.num_globals == game.num_globals
        assert encoding.num_policy_slots(height, width) == game.num_policy_slots == width * height + 1
        assert encoding.max_margin == min(60, width * height)
        assert (encoding.margin_global, encoding.margin_scale) == (0, 10.0)
        assert (encoding.open_bit, encoding.margin_step) == (None, 1)
    assert known_encoding("boxes", 100).max_margin == 100


def test_byte_0_is_what_lies_on_the_points(game, state):
    seen = planes(game, state)[0]
    dead = state.cells & 0x30 != 0
    live, held, placed = (mine_and_theirs(state, bits) for bits in (0x01, 0x10, 0x04))
    expected = [*live, *held, placed[0] & dead, placed[1] & dead, state.cells & 0x3F == 0]
    for bit, wanted in enumerate(expected):
        np.testing.assert_array_equal(seen[bit], wanted, err_msg=f"bit {bit}")
    assert seen[7].all()


def test_byte_1_is_houses_ground_and_tactics(game, state):
    """Grounded: linked in 4 directions through own points to the edge."""
    seen = planes(game, state)[1]
    for bit, owned in enumerate(mine_and_theirs(state, 0x40)):
        np.testing.assert_array_equal(seen[bit], owned, err_msg=f"bit {bit}")
    for bit, owned in enumerate(mine_and_theirs(state, 0x11)):
        np.testing.assert_array_equal(seen[2 + bit], reaches_edge(owned), err_msg=f"bit {2 + bit}")
    for bit, player in ((4, state.to_move), (5, 1 - state.to_move)):
        gains = game.gains(state, player).reshape(state.cells.shape)
        np.testing.assert_array_equal(seen[bit], gains > 0, err_msg=f"bit {bit}")
        np.testing.assert_array_equal(planes(game, state)[2][bit - 1], gains >= 3)


def test_byte_2_is_the_past_and_the_law(game, state):
    seen = planes(game, state)[2]
    for bit in range(3):
        marked = np.arange(game.stop) == state.last[:, bit, None]
        np.testing.assert_array_equal(seen[bit].reshape(len(state), -1), marked, err_msg=f"bit {bit}")
    legal = game.legal(state)[:, : game.stop]
    np.testing.assert_array_equal(seen[5].reshape(len(state), -1), legal)
    assert not seen[6].any()
    assert not seen[7].any()


def test_one_move_captures_are_those_of_the_moves(game, state):
    """Gains and prey of both colours against what each move really takes; entered houses are no gain."""
    num_captures = 0
    for index in np.flatnonzero(~state.finished)[:30]:
        for player in (0, 1):
            alone = state[[index]]
            alone.to_move[:] = player
            alone.num_moves[:] = 9  # no opening zone
            gains, prey = game.gains(alone)[0], np.zeros(game.stop, bool)
            for action in np.flatnonzero(game.plain_actions(alone)[0]):
                captures = [one for one in game.captures(alone, action) if action in one.chain]
                assert gains[action] == sum(one.dots for one in captures if one.player == player)
                num_captures += len(captures)
                for one in captures:
                    inside = np.array(one.interior)
                    is_enemy = alone.cells[0].ravel()[inside] & (8 >> player) != 0
                    fresh = alone.cells[0].ravel()[inside] & (16 << player) == 0
                    prey[inside[is_enemy & fresh]] = True
            seen = planes(game, alone)[1]
            np.testing.assert_array_equal(seen[7][0].ravel(), prey)
            alone.to_move[:] = 1 - player
            np.testing.assert_array_equal(planes(game, alone)[1][6][0].ravel(), prey)
    assert num_captures > 5


def test_globals(game, state):
    """Every number of the docstring of envs/kropki.py."""
    rules, rows = game.rules, np.arange(len(state))
    margin, side = game.margin(state), np.sqrt(game.stop)
    playable = (state.cells & 0x3F == 0).sum(axis=(1, 2))
    grounds = (rules.stop == "grounding") & ~state.finished
    stop = game.stop_margins(state)
    expected = [
        margin / 10,
        margin / side,
        np.where(state.to_move == 1, state.komi, -state.komi) / 10,
        np.where(grounds, stop[rows, state.to_move] / 10, 0),
        np.where(grounds, stop[rows, 1 - state.to_move] / 10, 0),
        playable / game.stop,
        1 - 2 * (playable % 2),
        (state.num_moves < 2) & (rules.opening_zone is not None),
        grounds,
        rules.stop == "solo",
        state.stopped >= 0,
        np.maximum(state.solo_left, 0) / game.stop,
        rules.add_turn,
        rules.house_closes == "owner_turn",
        rules.holes,
        rules.punish,
        rules.last_safe,
        rules.capture_empty,
        rules.score == "territory",
        1 / rules.instant_win if rules.instant_win else 0,
        side / 10,
    ]
    numbers = game.observe(state).globals
    for index, wanted in enumerate(expected):
        np.testing.assert_allclose(numbers[:, index], wanted, rtol=0, atol=1e-5, err_msg=f"number {index}")


def observed(width, height, num_games, random_states):
    game = KropkiGame(KropkiRules(width=width, height=height))
    seen = game.observe(random_states(game, num_games, np.random.default_rng(2)))
    return game, (seen.points, seen.globals)


def test_one_network_serves_all_sizes(random_states):
    """P08's rectangles too: 2x3 to the tournament's board; STOP has its slot after those of the points."""
    network = random_network(known_encoding("kropki", 1248))
    for width, height in ((2, 3), (5, 8), (39, 32)):
        game, seen = observed(width, height, 3, random_states)
        points, globals_ = (torch.from_numpy(part) for part in seen)
        output = network(points, globals_)
        assert output.policy.shape == (3, width * height + 1)
        assert output.margin_logits.shape == (3, 121)
        assert game.policy_slots[game.stop] == width * height
        padded = torch.zeros(3, 3, height + 2, width + 1, dtype=torch.uint8)
        padded[:, :, 1 : height + 1, :width] = points
        in_padding = network(padded, globals_)
        torch.testing.assert_close(in_padding.policy[:, -1], output.policy[:, -1], rtol=0, atol=1e-4)
        inner = in_padding.policy[:, :-1].view(3, height + 2, width + 1)[:, 1 : height + 1, :width]
        torch.testing.assert_close(inner.flatten(1), output.policy[:, :-1], rtol=0, atol=1e-4)


def test_stop_has_weights_of_its_own():
    """The slot after the planes is fed by the value head's extra output, not by any point."""
    network = Network(SMALL, known_encoding("kropki", 36))
    with torch.no_grad():
        network.value_out.bias[3] = 5.0
    seen = KropkiGame(KropkiRules(width=6, height=6))
    policy = network(*(torch.from_numpy(part) for part in seen.observe(seen.start(1)))).policy[0]
    assert policy[-1] == 5
    assert not policy[:-1].any()


def test_networks_can_be_exported(random_states):
    """On real positions of two sizes, one of them a rectangle."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    from dotzero.models.export import check_parity, onnx_bytes

    network = random_network(known_encoding("kropki", 64))
    samples = [observed(*size, 8, random_states)[1] for size in ((8, 8), (9, 6))]
    assert max(check_parity(network, onnx_bytes(network), samples).values()) < 1e-4


def test_the_core_refuses_arrays_of_another_kind():
    """A copy converted on the way in would be changed instead of the state."""
    game = KropkiGame(KropkiRules(width=4, height=4))
    state = game.start(2)
    core = _core.Kropki({"width": 4, "height": 4})
    with pytest.raises(TypeError, match="cells"):
        core.legal(state.cells.astype(np.int64), *([state.last] * 8))
