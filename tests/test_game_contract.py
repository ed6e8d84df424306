"""The contract of envs/game.py, one test for all games: a new game joins by one more line in GAMES."""

import json
from dataclasses import fields

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.game import Game
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules


def kropki(width, height, **options):
    return lambda: KropkiGame(KropkiRules(width=width, height=height, **options))


GAMES = {
    "boxes-1x1": lambda: BoxesGame(BoxesRules(rows=1, columns=1)),
    "boxes-1x4": lambda: BoxesGame(BoxesRules(rows=1, columns=4)),
    "boxes-2x2": lambda: BoxesGame(BoxesRules(rows=2, columns=2)),
    "boxes-4x3": lambda: BoxesGame(BoxesRules(rows=4, columns=3)),
    "boxes-5x5": lambda: BoxesGame(BoxesRules(rows=5, columns=5)),
    "boxes-10x10": lambda: BoxesGame(BoxesRules(rows=10, columns=10)),
    "boxes-left-bottom": lambda: BoxesGame(BoxesRules(rows=3, columns=3, border="left_bottom")),
    "boxes-all": lambda: BoxesGame(BoxesRules(rows=2, columns=3, border="all")),
    "boxes-misere": lambda: BoxesGame(BoxesRules(rows=2, columns=2, scoring="misere")),
    "boxes-all-misere": lambda: BoxesGame(BoxesRules(rows=4, columns=3, border="all", scoring="misere")),
    "kropki-2x2": kropki(2, 2, start="empty"),
    "kropki-2x3": kropki(2, 3),
    "kropki-5x5": kropki(5, 5),
    "kropki-12x13": kropki(12, 13, start="four_crosses"),
    "kropki-options": kropki(
        4, 7, start="empty", holes=True, punish=True, last_safe=True, capture_empty=True, komi=-0.5
    ),
    "kropki-zone": kropki(6, 6, start="empty", opening_zone=(3, 2), stop="off", instant_win=2),
    "kropki-add-turn": kropki(6, 5, start="double_cross", add_turn=True),
    "kropki-solo": kropki(5, 6, stop="solo", solo_moves=7, komi=1.0),
    "kropki-territory": kropki(7, 7, start="random_crosses", num_crosses=3, score="territory"),
    "kropki-owner-turn": kropki(6, 6, start="empty", house_closes="owner_turn", stop="solo"),
}


@pytest.fixture(params=GAMES.values(), ids=GAMES.keys())
def game(request):
    return request.param()


@pytest.fixture
def rng():
    return np.random.default_rng(20)


def arrays(state):
    return {field.name: getattr(state, field.name) for field in fields(state)}


def assert_equal(left, right):
    for name, array in arrays(left).items():
        np.testing.assert_array_equal(array, getattr(right, name), err_msg=name)
        assert array.dtype == getattr(right, name).dtype


def finish(game, num_games, rng, random_actions):
    state = game.start(num_games)
    while not state.finished.all():
        state = game.step(state, random_actions(game, state, rng))
    return state


def ordinary_actions(game, state):
    """One action for each game that does not end it by itself, as far as any can."""
    return game.plain_actions(state).argmax(axis=1)


def image_of(game, state, symmetry):
    """The batch of new games seen in a mirror: what stands or is drawn on their boards moves along."""
    image, chosen = state.copy(), np.full(len(state), symmetry)
    if game.name == "boxes":
        image.lines = game.symmetries.apply_to_actions(state.lines, chosen)
        return image
    image.cells = game.symmetries.apply_to_owners(state.cells, chosen)
    image.start_dots = game.symmetries.apply_to_owners(state.start_dots, chosen)
    return image


def test_sizes_hang_together(game):
    C, H, W = game.observation_shape
    assert len(game.policy_slots) == game.num_actions
    assert len(np.unique(game.policy_slots)) == game.num_actions
    assert game.policy_slots.min() >= 0
    assert game.policy_slots.max() < game.num_policy_slots
    assert game.symmetries.actions.shape == (len(game.symmetries), game.num_actions)
    assert game.symmetries.features.shape == (len(game.symmetries), C * 8 * H * W)
    assert game.symmetries.points.shape == (len(game.symmetries), H * W)
    assert game.encoding_version >= 1
    assert game.max_margin >= 1
    assert game.margin_scale > 0
    neighbour = game.neighbour()
    assert type(neighbour) is type(game)
    assert neighbour.size != game.size
    assert game.name in type(game.rules).__name__.lower()


def test_what_environments_show_is_the_observation_and_the_legal_actions(
    game, rng, random_states, random_actions
):
    """R123: against the plain definition in the base class, at any phase of a game."""
    state = random_states(game, 60, rng)
    state[:3] = finish(game, 3, rng, random_actions)
    shown, plain = game.view(state), Game.view(game, state)
    for got, want in zip(shown[:3], plain[:3], strict=True):
        np.testing.assert_array_equal(got, want)
        assert got.dtype == want.dtype
    least, greatest = game.globals_range
    assert least.dtype == greatest.dtype == np.float32
    assert (shown.globals >= least).all()
    assert (shown.globals <= greatest).all()
    over = state.finished
    assert over.any()
    np.testing.assert_array_equal(shown.phase == len(game.phases) - 1, over)
    np.testing.assert_array_equal(shown.decided[over], plain.decided[over])
    np.testing.assert_array_equal(game.phase(state), shown.phase)
    np.testing.assert_array_equal(game.decided(state), shown.decided)
    again = game.view(state)
    assert not any(np.shares_memory(one, two) for one, two in zip(shown, again, strict=True))


def test_a_replay_is_its_steps(game, rng, random_actions):
    for _ in range(5):
        state, actions = game.start(1), []
        while not state.finished[0]:
            actions.append(int(random_actions(game, state, rng)[0]))
            state = game.step(state, actions[-1:])
        fast, slow = game.replay(game.start(1), actions), Game.replay(game, game.start(1), actions)
        assert_equal(fast.state, state)
        assert_equal(slow.state, state)
        np.testing.assert_array_equal(fast.scores, slow.scores)
        np.testing.assert_array_equal(fast.movers, slow.movers)
        assert fast.illegal is slow.illegal is None
        for wrong in (actions[0], -1, game.num_actions, 10**12):
            cut = [*actions[:-1], wrong, actions[-1]]
            fast, slow = game.replay(game.start(1), cut), Game.replay(game, game.start(1), cut)
            assert fast.illegal == slow.illegal
            if wrong != actions[0]:
                assert fast.illegal == len(actions) - 1
            assert_equal(fast.state, slow.state)
            np.testing.assert_array_equal(fast.scores, slow.scores)
    with pytest.raises(ValueError, match="state must be a batch of one game, got 2"):
        game.replay(game.start(2), [0])
    with pytest.raises(ValueError, match="actions must be whole numbers"):
        game.replay(game.start(1), [0.5])
    with pytest.raises(ValueError, match="movers must be"):
        game.replay(game.start(1), [0], np.array([3]))


def test_a_new_batch(game):
    state = game.start(3)
    assert len(state) == 3
    assert state.to_move.tolist() == [0, 0, 0]
    assert not state.finished.any()
    assert not state.score.any()
    assert game.legal(state).any(axis=1).all()
    assert game.outcome(state).tolist() == [0, 0, 0]
    none = game.start(0)
    assert len(none) == 0
    for verb in (game.legal, game.plain_actions, game.opening_actions, game.winning_stop, game.outcome):
        assert len(verb(none)) == 0
    assert len(game.step(none, np.empty(0, np.int32))) == 0
    assert_equal(game.start(2), game.start(2))
    assert len(game.start(2, np.random.default_rng(1))) == 2


def test_what_openings_and_random_players_choose_from(game, rng, random_states, random_actions):
    """Only legal actions, and some of them in every unfinished game."""
    for state in (random_states(game, 30, rng), finish(game, 5, rng, random_actions)):
        legal, going = game.legal(state), ~state.finished
        for chosen in (game.opening_actions(state), game.plain_actions(state)):
            assert (chosen.dtype, chosen.shape) == (np.bool_, legal.shape)
            assert not (chosen & ~legal).any()
            np.testing.assert_array_equal(chosen.any(axis=1), going)


def test_the_start_of_a_record_is_plain(game):
    described = game.describe_start(game.start(2), 1)
    assert json.loads(json.dumps(described)) == described


def test_shapes_and_types(game, rng, random_states):
    B, (C, H, W) = 5, game.observation_shape
    state = random_states(game, B, rng)
    seen = game.observe(state)
    expected = {
        "to_move": (state.to_move, np.int8, (B,)),
        "finished": (state.finished, np.bool_, (B,)),
        "score": (state.score, np.int16, (B, 2)),
        "legal": (game.legal(state), np.bool_, (B, game.num_actions)),
        "points": (seen.points, np.uint8, (B, C, H, W)),
        "globals": (seen.globals, np.float32, (B, game.num_globals)),
        "owners": (game.owners(state), np.int8, (B, H, W)),
        "margin": (game.margin(state), np.float32, (B,)),
        "outcome": (game.outcome(state), np.int8, (B,)),
    }
    for name, (array, dtype, shape) in expected.items():
        assert (array.dtype, array.shape) == (dtype, shape), name
    assert (seen.points[:, 0] & 0x80).all(), "every point of the board carries bit 7"
    assert np.isfinite(seen.globals).all()
    assert np.isin(game.owners(state), (-1, 0, 1)).all()


def test_a_step_leaves_the_old_batch_alone(game, rng, random_states, random_actions):
    """P05 in another form: an old state is still what it was, so taking a move back is keeping it."""
    state = random_states(game, 20, rng)
    kept = state.copy()
    after = game.step(state, random_actions(game, state, rng))
    assert_equal(state, kept)
    for name, array in arrays(after).items():
        assert not np.shares_memory(array, getattr(state, name)), name


@pytest.mark.parametrize("index", [slice(None), slice(1, 3), np.array([2, 0, 2]), np.arange(5) % 2 == 0])
def test_gathering_shares_no_memory(game, rng, random_states, index):
    state = random_states(game, 5, rng)
    part = state[index]
    assert len(part) == len(state.to_move[index])
    for name, array in arrays(part).items():
        np.testing.assert_array_equal(array, getattr(state, name)[index])
        assert not np.shares_memory(array, getattr(state, name)), name
        assert array.flags.c_contiguous


def test_scattering_puts_games_back(game, rng, random_states):
    state, other = random_states(game, 6, rng), random_states(game, 2, rng)
    target = state.copy()
    target[np.array([4, 1])] = other
    assert_equal(target[np.array([4, 1])], other)
    assert_equal(target[np.array([0, 2, 3, 5])], state[np.array([0, 2, 3, 5])])
    other.to_move[:] = 7
    assert not (target.to_move == 7).any()


def test_games_do_not_touch_each_other(game, rng, random_states, random_actions):
    """The same game alone and in a batch: same step, same observation."""
    state = random_states(game, 8, rng)
    actions = random_actions(game, state, rng)
    after, seen = game.step(state, actions), game.observe(state)
    for index in range(8):
        alone = state[index : index + 1]
        assert_equal(game.step(alone, actions[index : index + 1]), after[index : index + 1])
        assert (game.observe(alone).points[0] == seen.points[index]).all()
        assert (game.observe(alone).globals[0] == seen.globals[index]).all()


def test_a_replay_gives_the_same_states(game, random_actions):
    """R132: nothing is left to chance."""
    runs = []
    for _ in range(2):
        rng, state, states = np.random.default_rng(5), game.start(4), []
        while not state.finished.all():
            state = game.step(state, random_actions(game, state, rng))
            states.append(state)
        runs.append(states)
    for left, right in zip(*runs, strict=True):
        assert_equal(left, right)


def test_symmetries_commute_with_everything(game, rng, random_states, random_actions):
    """P08: symmetry(mask(s)) = mask(symmetry(s)), and the same for step, observation, owners, score."""
    tables = game.symmetries
    for symmetry in range(len(tables)):
        state, chosen = game.start(12), np.full(12, symmetry)
        image = image_of(game, state, symmetry)
        while not state.finished.all():
            legal, seen = game.legal(state), game.observe(state)
            np.testing.assert_array_equal(tables.apply_to_actions(legal, chosen), game.legal(image))
            np.testing.assert_array_equal(
                tables.apply_to_points(seen.points, chosen), game.observe(image).points
            )
            np.testing.assert_array_equal(seen.globals, game.observe(image).globals)
            np.testing.assert_array_equal(
                tables.apply_to_owners(game.owners(state), chosen), game.owners(image)
            )
            np.testing.assert_array_equal(state.score, image.score)
            np.testing.assert_array_equal(state.to_move, image.to_move)
            actions = random_actions(game, state, rng)
            state = game.step(state, actions)
            image = game.step(image, np.where(actions < 0, -1, tables.actions[symmetry][actions]))
        np.testing.assert_array_equal(game.outcome(state), game.outcome(image))


def test_illegal_actions_are_refused(game, rng, random_states, random_actions):
    """R053, R054, R059: one line that names game, action and reason; nothing is changed."""
    state = game.start(3)
    state = game.step(state, ordinary_actions(game, state))
    good = random_actions(game, state, rng)
    used = int(np.flatnonzero(~game.legal(state)[1])[0])
    for wrong in (used, game.num_actions, game.num_actions + 10_000, -1, -2, -99):
        actions = good.astype(np.int64)
        actions[1] = wrong
        kept = state.copy()
        with pytest.raises(ValueError, match=f"^illegal action {wrong} in game 1: [^\\n]+$"):
            game.step(state, actions)
        assert_equal(state, kept)


@pytest.mark.parametrize("actions", [[0], [[0, 1]], [0.0, 1.0], ["a", "b"], [True, False]])
def test_actions_of_another_form_are_refused(game, actions):
    with pytest.raises(ValueError, match=r"^action must be whole numbers of shape \(2,\), got [^\n]+$"):
        game.step(game.start(2), actions)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int64, np.uint64, list])
def test_any_whole_numbers_are_actions(game, dtype):
    chosen = np.flatnonzero(game.plain_actions(game.start(1))[0])[:2]
    if chosen[-1] > np.iinfo(np.int8).max and dtype in (np.int8, np.uint8):
        pytest.skip("no action of this board is so small")
    after = game.step(game.start(2), chosen.tolist() if dtype is list else chosen.astype(dtype))
    assert not game.legal(after)[[0, 1], chosen].any()


def test_a_finished_game_only_takes_no_action(game, rng, random_actions):
    """P13: no legal action is left, -1 is required and changes nothing."""
    state = finish(game, 4, rng, random_actions)
    assert not game.legal(state).any()
    assert_equal(game.step(state, [-1] * 4), state)
    for wrong in (0, game.num_actions - 1, -2, game.num_actions):
        with pytest.raises(ValueError, match=f"^illegal action {wrong} in game 2: "):
            game.step(state, [-1, -1, wrong, -1])
    assert np.isfinite(game.observe(state).globals).all()


def test_everything_is_seen_by_the_player_to_move(game, rng, random_states, random_actions):
    """P01, P03: turning the mover round negates margin, outcome and owners, in finished games too."""
    sign = -1 if getattr(game.rules, "scoring", None) == "misere" else 1
    for state in (random_states(game, 30, rng), finish(game, 30, rng, random_actions)):
        turned = state.copy()
        turned.to_move = 1 - turned.to_move
        np.testing.assert_array_equal(game.margin(turned), -game.margin(state))
        np.testing.assert_array_equal(game.outcome(turned), -game.outcome(state))
        np.testing.assert_array_equal(game.owners(turned), -game.owners(state))
        rows = np.arange(len(state))
        mine, other = state.score[rows, state.to_move], state.score[rows, 1 - state.to_move]
        komi = getattr(game.rules, "komi", 0) * np.where(state.to_move == 0, -1, 1)
        np.testing.assert_array_equal(game.margin(state), sign * (mine - other) + komi)
        won = np.where(state.finished, np.sign(sign * (mine - other) + komi), 0)
        np.testing.assert_array_equal(game.outcome(state), won)
        assert (np.abs(mine - other) <= game.max_margin).all()
