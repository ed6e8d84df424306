"""The search of Kropki by playouts, which the levels hard and insane look ahead with."""

import os
import re
import signal
import threading
import time

import numpy as np
import pytest
from drawn_kropki import drawn
from kropki_positions import LADDER, RULES, crowded, kropki, seeds

from dotzero import _core
from dotzero.envs.kropki_position import HOUSE
from dotzero.envs.kropki_rules import core_options
from dotzero.search.playouts import PlayoutConfig, PlayoutSearch, chases

CONFIG = PlayoutConfig(chase_nodes=100)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_searches_by_all_rules(rules):
    """Legal moves only, never STOP, visits as many as playouts or fewer, nothing in finished games."""
    game, rng = kropki(7, 6, **rules), np.random.default_rng(3)
    state = crowded(game, 60, rng)
    found = PlayoutSearch(game, CONFIG).run(state, seeds(60), 130)
    assert (found.visits.dtype, found.visits.shape) == (np.int32, (60, game.num_actions))
    assert ((found.visits > 0) <= game.plain_actions(state)).all()
    assert ((found.visits.sum(axis=1) > 0) == ~state.finished).all()
    assert (found.visits.sum(axis=1) <= 130).all()
    assert (abs(found.values) <= 1).all()
    assert 0 < state.finished.sum() < 60


def test_a_search_depends_on_position_seed_and_settings_only():
    """Whatever is beside it in the batch, whatever was searched before, whatever the number of threads."""
    game, rng = kropki(), np.random.default_rng(4)
    state, luck = crowded(game, 24, rng), rng.integers(2**63, size=24).astype(np.uint64)
    search = PlayoutSearch(game, CONFIG)
    found = search.run(state, luck, 200)
    order = rng.permutation(24)
    again = search.run(state[order], luck[order], 200)
    threads = PlayoutSearch(game, PlayoutConfig(chase_nodes=100, num_threads=3)).run(state, luck, 200)
    alone = [PlayoutSearch(game, CONFIG).run(state[i : i + 1], luck[i : i + 1], 200) for i in range(0, 24, 5)]
    for part in ("visits", "values"):
        expected = getattr(found, part)
        assert (getattr(again, part) == expected[order]).all()
        assert (getattr(threads, part) == expected).all()
        assert (np.concatenate([getattr(one, part) for one in alone]) == expected[::5]).all()
    others = search.run(state, luck + np.uint64(1), 200)
    assert (others.visits != found.visits).any(axis=1).sum() > 12


def swapped(game, state):
    """The same positions with the colours, and with them the player to move, exchanged."""
    cells = (state.cells & 0x55) << 1 | (state.cells & 0xAA) >> 1
    other = game.with_komi(game.position(cells, 1 - state.to_move), -state.komi)
    other.last[:], other.num_moves[:] = state.last, state.num_moves
    return other


@pytest.mark.parametrize("rules", [{}, {"komi": 1.5, "stop": "off"}, {"add_turn": True}], ids=str)
def test_both_colours_are_searched_alike(rules):
    """P01, P02, P11: every sign is right, in the tree and in what is learned from later moves."""
    game, rng = kropki(**rules), np.random.default_rng(6)
    state = crowded(game, 30, rng)
    state = state[~state.finished]
    search = PlayoutSearch(game, PlayoutConfig(chase_nodes=100, result_weight=0.5))
    one, other = (search.run(given, seeds(len(state)), 300) for given in (state, swapped(game, state)))
    assert (one.visits == other.visits).all()
    assert (one.values == other.values).all()
    assert one.values.min() < 0 < one.values.max()


def test_houses_are_left_alone():
    """Of either player, as long as there are other moves."""
    rows = [
        ". . . . . . . . .",
        ". X X . . . O . .",
        "X . . X . O . O .",
        ". X X . . . O . .",
        ". . . . . . . . .",
    ]
    game, state = drawn(rows)
    visits = PlayoutSearch(game, PlayoutConfig()).run(state, seeds(1), 500).visits
    inside = np.flatnonzero(state.cells[0] & HOUSE)
    assert len(inside) == 3
    assert visits[0, inside].sum() == 0


@pytest.mark.parametrize("to_move", [0, 1])
def test_a_stop_that_would_win_ends_the_game(to_move):
    """A dot in the enemy's house is lost. With STOP that decides; without, it costs the enemy one in turn."""
    rows = ["X X X O O O", "X . X O . O", "X X X O O O"]
    for stop, value in (("grounding", -0.9), ("off", 0)):
        game, state = drawn(rows, to_move, stop=stop)
        values = PlayoutSearch(game, PlayoutConfig()).run(state, seeds(1), 200).values[0]
        own, other = (7, 10) if to_move == 0 else (10, 7)
        assert values[own] == 0
        assert values[other] == pytest.approx(value, abs=0.02)


def spoiling_moves(game, state, nodes):
    """True for the moves after which the enemy has no chase any more. Shape [N]."""
    moves = np.flatnonzero(game.plain_actions(state)[0])
    left = [chases(game, game.step(state, [move]), nodes).max() for move in moves]
    spoils = np.zeros(game.stop, np.bool_)
    spoils[moves] = np.array(left) == 0
    return spoils


@pytest.mark.parametrize("to_move", [0, 1])
def test_chases_are_tried_first(to_move):
    """With few playouts those that work, or what spoils the enemy's, are tried much more often than else."""
    game, state = drawn(LADDER, to_move)
    told = chases(game, state, 300)[0] > 0 if to_move == 0 else spoiling_moves(game, state, 300)
    assert 0 < told.sum() < 20
    searches = [PlayoutSearch(game, PlayoutConfig(chase_nodes=nodes)) for nodes in (0, 300)]
    without, with_them = (one.run(state, seeds(1), 60).visits[0, : game.stop][told].sum() for one in searches)
    assert with_them > 1.3 * without


def test_a_time_ends_searches_early():
    game = kropki(20, 20)
    search, begun = PlayoutSearch(game, PlayoutConfig()), time.monotonic()
    visits = search.run(game.start(2), seeds(2), 10**6, max_seconds=0.2).visits.sum(axis=1)
    assert time.monotonic() - begun < 30
    assert (visits >= 64).all()
    assert (visits < 10**6).all()


def test_a_time_that_is_over_leaves_no_chases():
    """They are paid from the same time; a least number of playouts is made whatever the time."""
    game, state = drawn(LADDER)
    with_chases, without = (PlayoutSearch(game, PlayoutConfig(chase_nodes=nodes)) for nodes in (10_000, 0))
    found = with_chases.run(state, seeds(1), 10**6, max_seconds=1e-9)
    assert (found.visits == without.run(state, seeds(1), 64).visits).all()
    assert (found.visits != with_chases.run(state, seeds(1), 64).visits).any()


def test_the_opening_zone_binds_and_an_empty_board_begins_in_the_middle():
    for zone in (None, [2, 2]):
        game = kropki(15, 12, start="empty", opening_zone=zone)
        visits = PlayoutSearch(game, PlayoutConfig()).run(game.start(1), seeds(1), 100).visits
        tried = np.argwhere(visits[0, : game.stop].reshape(12, 15))
        assert abs(tried - (6, 7)).max() <= 2
        assert zone is None or len(tried) <= 4


def test_a_single_move_is_not_searched():
    game, state = drawn(["X O X", "O X .", "X O X"], stop="off")
    visits = PlayoutSearch(game, PlayoutConfig()).run(state, seeds(1), 1000).visits
    assert visits.sum() == visits[0, 5] == 1


@pytest.mark.parametrize("num_threads", [1, 2])
def test_a_signal_ends_a_search(num_threads):
    """It would take minutes; the same search serves on afterwards, as if nothing had happened."""

    class SignalledError(Exception):
        pass

    def interrupt(*_):
        raise SignalledError

    game = kropki(39, 32)
    search, state = PlayoutSearch(game, PlayoutConfig(num_threads=num_threads)), game.start(3)
    begun = time.monotonic()
    before = signal.signal(signal.SIGUSR1, interrupt)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1))
    timer.start()
    try:
        with pytest.raises(SignalledError):
            search.run(state, seeds(3), 10**6)
        assert time.monotonic() - begun < 60
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, before)
    fresh = PlayoutSearch(game, PlayoutConfig()).run(state, seeds(3), 64)
    assert (search.run(state, seeds(3), 64).visits == fresh.visits).all()


# ---- mistakes ----


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"radius": 0}, "PlayoutConfig.radius must be in 1..10, got 0"),
        ({"moves": 0}, "PlayoutConfig.moves must be at least 1, got 0"),
        ({"length": 1.5}, "PlayoutConfig.length must be in 0..1, got 1.5"),
        ({"exploration": -1.0}, "PlayoutConfig.exploration must be at least 0, got -1.0"),
        ({"amaf_visits": float("nan")}, "PlayoutConfig.amaf_visits must be a finite number, got nan"),
        ({"margin_scale": 0.0}, "PlayoutConfig.margin_scale must be above 0, got 0.0"),
        ({"result_weight": 2.0}, "PlayoutConfig.result_weight must be in 0..1, got 2.0"),
        ({"chase_nodes": -1}, "PlayoutConfig.chase_nodes must be in 0..10000, got -1"),
        ({"num_threads": 0}, "PlayoutConfig.num_threads must be in 1..256, got 0"),
    ],
)
def test_wrong_settings_are_one_line(settings, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        PlayoutConfig(**settings)


def test_wrong_calls_are_refused():
    game = kropki()
    search, state = PlayoutSearch(game, PlayoutConfig()), game.start(2)
    with pytest.raises(ValueError, match=r"^playouts must be in 1\.\.1000000, got 0$"):
        search.run(state, seeds(2), 0)
    with pytest.raises(ValueError, match=r"^seeds must be uint64, got int64$"):
        search.run(state, np.zeros(2, np.int64), 10)
    with pytest.raises(ValueError, match=r"^seeds must have shape \(2,\), got \(3,\)$"):
        search.run(state, seeds(3), 10)
    core = _core.Kropki(core_options(game.rules))
    for options in ({"depth": 3}, {"moves": 0}, {"margin_scale": 0.0}):
        with pytest.raises(ValueError, match=r"depth|moves|margin_scale"):
            _core.KropkiPlayouts(core, options, 1)
    with pytest.raises(ValueError, match="at least one thread"):
        _core.KropkiPlayouts(core, {}, 0)
