"""Players: luck that belongs to seed and position, and specifications of players."""

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.play.players import PlayerSpec, RandomPlayer, cast_lots, make_player, pick

GAME = BoxesGame(BoxesRules(rows=3, columns=3))


def seeds(count, start=0):
    return np.arange(start, start + count, dtype=np.uint64)


@pytest.fixture(params=["random", "medium"])
def player(request):
    return make_player(request.param, GAME)


@pytest.fixture
def state(random_states):
    return random_states(GAME, 300, np.random.default_rng(11))


def test_moves_are_legal_and_finished_games_get_none(player, state):
    """P13: always a legal action; -1 exactly for the finished games."""
    actions = player.choose(GAME, state, seeds(300))
    assert (actions.dtype, actions.shape) == (np.int32, (300,))
    assert ((actions == -1) == state.finished).all()
    going = np.flatnonzero(~state.finished)
    assert 0 < len(going) < 300
    assert GAME.legal(state)[going, actions[going]].all()


def test_a_move_depends_on_seed_and_position_only(player, state):
    """Same seed, position and level, same move: alone, in any batch, asked again or after other questions."""
    luck = seeds(300, 5)
    actions = player.choose(GAME, state, luck)
    order = np.random.default_rng(0).permutation(300)
    assert (player.choose(GAME, state[order], luck[order]) == actions[order]).all()
    for index in range(0, 300, 29):
        assert player.choose(GAME, state[index : index + 1], luck[index : index + 1])[0] == actions[index]
    assert (player.choose(GAME, state, luck) == actions).all()


def test_seeds_differ(player):
    """P09: other seeds, other games."""
    chosen = player.choose(GAME, GAME.start(400), seeds(400))
    assert len(np.unique(chosen)) == GAME.num_actions
    counts = np.bincount(player.choose(GAME, GAME.start(24_000), seeds(24_000)), minlength=24)
    assert ((counts - 1000.0) ** 2 / 1000).sum() < 60  # chi-squared of 23 degrees: 60 has probability 4e-5


def test_no_seed_repeats_a_move_order():
    """The same seed meets fresh luck in every position of a game."""
    state, ranks = GAME.start(200), []
    player = RandomPlayer()
    while not state.finished.all():
        actions = player.choose(GAME, state, seeds(200))
        before = np.cumsum(GAME.legal(state), axis=1)
        ranks.append((before[np.arange(200), actions] - 1) / before[:, -1])
        state = GAME.step(state, actions)
    flow = np.array(ranks[:20])
    correlation = np.corrcoef(flow[:-1].ravel(), flow[1:].ravel())[0, 1]
    assert abs(correlation) < 0.06


def test_lots_differ_by_purpose_and_check_their_seeds():
    state = GAME.start(2)
    assert (cast_lots(GAME, state, seeds(2)) != cast_lots(GAME, state, seeds(2), purpose=1)).all()
    with pytest.raises(ValueError, match=r"seeds must be uint64 of shape \(2,\), got int64 \(2,\)"):
        cast_lots(GAME, state, np.zeros(2, np.int64))


def test_pick_takes_the_highest_lot_among_candidates():
    lots = np.array([[5, 9, 7], [5, 9, 7], [5, 9, 7]], np.uint64) << np.uint64(8)
    candidates = np.array([[True, False, True], [True, True, True], [False, False, False]])
    assert pick(candidates, lots).tolist() == [2, 1, -1]


def test_specifications_are_taken_apart():
    spec = PlayerSpec.parse("zero:runs/a@b/net@simulations=64, temperature=0.5")
    assert (spec.kind, spec.path) == ("zero", "runs/a@b/net")
    assert spec.options == {"simulations": "64", "temperature": "0.5"}
    assert PlayerSpec.parse("zero:a@b") == PlayerSpec(kind="zero", path="a@b", text="zero:a@b")
    assert PlayerSpec.parse("random").path is None
    assert PlayerSpec.parse("zero:C:/nets").path == "C:/nets"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "player must be KIND or KIND:PATH"),
        (":x", "player must be KIND or KIND:PATH"),
        ("zero:", "player must be KIND or KIND:PATH"),
        ("zero:x@a=1,a=2", "player options must be KEY=VALUE, each once, got 'a=2'"),
        ("zero:x@a=", "player options must be KEY=VALUE, each once, got 'a='"),
        ("zero:x@a=1,b", "player options must be KEY=VALUE, each once, got 'b'"),
        (
            "champion",
            "one of random, easy, medium, hard, insane, zero, zero:DIR, engine:COMMAND, got 'champion'",
        ),
        ("medium@speed=3", "player medium takes no path and no options, got 'medium@speed=3'"),
        ("random:x", "player random takes no path and no options, got 'random:x'"),
    ],
)
def test_wrong_specifications_are_refused(text, message):
    with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
        make_player(text, GAME)
    assert message in str(error.value)
