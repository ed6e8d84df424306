"""Levels easy and medium of Kropki: their rules, each by an independent look at the position."""

import numpy as np
import pytest
from drawn_kropki import drawn
from kropki_positions import crowded, kropki, name_of, names_of, seeds

from dotzero.envs.kropki_position import HOUSE
from dotzero.play.arena import ArenaConfig, play_match
from dotzero.play.kropki_levels import EasyConfig, KropkiEasy, KropkiMedium, first_of, near_last
from dotzero.play.players import make_player
from dotzero.search.playouts import risks


def chosen_points(player, rows, to_move=0, count=40, **rules):
    """Names of all moves that a level makes in a drawn position, over so many seeds."""
    game, state = drawn(rows, to_move, **rules)
    moves = player.choose(game, state[np.zeros(count, np.intp)], seeds(count))
    return {name_of(game, move) for move in moves}


OFFERS = [
    ". . . . . . . . .",
    ". X O X . . . . .",
    ". X . X . X X . .",
    ". . X . X O O X .",
    ". . . . X . . X .",
    ". O O . . X . . .",
    "O X X O . . . . .",
    "O X . . . . . . .",
    ". O O . . . . . .",
    ". . . . . . . . .",
]
"""X takes one dot at ca, two at ge or gf; O takes three at ch or dh."""


SAVE = [
    ". . . . . . . . .",
    ". O O O . . . . .",
    "O X X X . . . O .",
    ". O O O . . O X O",
    ". . . . . . . . .",
    ". . . . . . . . .",
]
"""O takes three dots at ec and one at he."""


def test_the_drawing_is_what_it_says():
    game, state = drawn(OFFERS)
    assert names_of(game, game.gains(state)[0]) == {"ca": 1, "ge": 2, "gf": 2}
    assert names_of(game, game.gains(state, 1)[0]) == {"ch": 3, "dh": 3}


# ---- easy ----


@pytest.fixture(scope="module")
def busy():
    """Unfinished positions, half of them with captures on offer, and what easy looks at in them."""
    game = kropki(10, 9)
    state = crowded(game, 9000, np.random.default_rng(1), longest=50)
    state = state[~state.finished]
    points, exposed = game.plain_actions(state)[:, : game.stop], risks(game, state).exposed
    takes, near = points & (game.gains(state) > 0), points & near_last(state)
    offered = takes.any(axis=1) & (points & ~takes).any(axis=1)
    quiet = ~takes.any(axis=1) & (near & exposed).any(axis=1) & (near & ~exposed).any(axis=1)
    assert min(offered.sum(), quiet.sum()) > 1000
    return game, state, takes, exposed, offered, quiet


@pytest.mark.parametrize(("miss", "blunder"), [(None, None), (0.0, 0.0), (1.0, 1.0), (0.4, 0.05)])
def test_easy_misses_captures_and_blunders_as_often_as_its_settings_say(busy, miss, blunder):
    """Over 1,000 positions of each kind; blunders are counted where nothing is on offer."""
    game, state, takes, exposed, offered, quiet = busy
    config = EasyConfig() if miss is None else EasyConfig(miss=miss, blunder=blunder)
    moves, row = KropkiEasy(config).choose(game, state, seeds(len(state))), np.arange(len(state))
    missed, blundered = (~takes[row, moves])[offered].mean(), exposed[row, moves][quiet].mean()
    assert missed == pytest.approx(config.miss, abs=0.04 * (config.miss % 1 > 0))
    assert blundered == pytest.approx(config.blunder, abs=0.04 * (config.blunder % 1 > 0))


def test_easy_blunders_as_often_where_it_overlooks_captures(busy):
    """Its two chances are two throws of luck."""
    game, state, takes, exposed, _, _ = busy
    near = game.plain_actions(state)[:, : game.stop] & near_last(state) & ~takes
    both = takes.any(axis=1) & (near & exposed).any(axis=1) & (near & ~exposed).any(axis=1)
    state, takes, exposed = state[both], takes[both], exposed[both]
    moves = KropkiEasy(EasyConfig(miss=0.5, blunder=0.5)).choose(game, state, seeds(len(state)))
    row = np.arange(len(state))
    overlooked = ~takes[row, moves]
    assert overlooked.sum() > 150
    assert exposed[row, moves][overlooked].mean() == pytest.approx(0.5, abs=0.12)


def test_easy_takes_anything_on_offer():
    """Not only the most."""
    player = KropkiEasy(EasyConfig(miss=0.0, blunder=0.0))
    assert chosen_points(player, OFFERS) == {"ca", "ge", "gf"}


def test_easy_moves_near_the_last_dots():
    """Within two king's steps of one of the last three; anywhere near dots where there was none yet."""
    game, rng = kropki(20, 20, start="random_crosses", num_crosses=5), np.random.default_rng(3)
    state = game.start(200, rng)
    for _ in range(6):
        state = game.step(state, make_player("random", game).choose(game, state, seeds(200)))
    moves = KropkiEasy(EasyConfig(blunder=0.0)).choose(game, state, seeds(200))
    rows, columns = np.divmod(np.column_stack([moves, state.last]), 20)
    steps = np.maximum(abs(rows[:, 1:] - rows[:, :1]), abs(columns[:, 1:] - columns[:, :1]))
    quiet = game.gains(state).max(axis=1) == 0
    assert (steps.min(axis=1)[quiet] <= 2).all()
    assert set(steps.argmin(axis=1)[quiet].tolist()) == {0, 1, 2}
    fresh = KropkiEasy().choose(game, game.start(1), seeds(1))
    assert game.plain_actions(game.start(1))[0, fresh[0]]


def test_easy_saves_nothing():
    """O takes three dots at ec; X moves near its last dot as if it did not see it."""
    game, state = drawn(SAVE)
    state.last[:, 0] = 2 * 9 + 1  # bc
    chosen = KropkiEasy(EasyConfig(blunder=0.0)).choose(game, state[np.zeros(300, np.intp)], seeds(300))
    names = {name_of(game, move) for move in chosen}
    assert len(names) > 6
    assert "ec" not in names


# ---- medium ----


@pytest.mark.parametrize(
    "rules", [{}, {"house_closes": "owner_turn"}, {"add_turn": True}, {"score": "territory"}]
)
def test_medium_takes_the_most_else_saves_the_most_else_keeps_out_of_danger(rules):
    """K1 to K3 in 400 positions, by playing every move out."""
    game, rng = kropki(9, 8, **rules), np.random.default_rng(4)
    state = crowded(game, 400, rng)
    moves, met = KropkiMedium().choose(game, state, seeds(400)), {"takes": 0, "saves": 0, "quiet": 0}
    for index in np.flatnonzero(~state.finished):
        alone, move = state[index : index + 1], moves[index]
        gains, enemy = game.gains(alone)[0], 1 - int(alone.to_move[0])
        if gains.max() > 0:
            met["takes"] += 1
            assert gains[move] == gains.max()
            continue
        legal = np.flatnonzero(game.plain_actions(alone)[0])
        lost = risks(game, alone).lost[0]
        if game.gains(alone, enemy).max() > lost[legal].min():
            met["saves"] += 1
            assert lost[move] == lost[legal].min()
        elif "house_closes" not in rules:
            met["quiet"] += 1
            exposed = risks(game, alone).exposed[0]
            assert not exposed[move] or exposed[legal].all()
    assert (moves[state.finished] == -1).all()
    assert min(met.values()) > 5 or "house_closes" in rules


def test_medium_takes_the_largest_capture_before_it_saves():
    """K1 before K2: two dots taken, three of its own left to be taken; of equal captures either."""
    assert chosen_points(KropkiMedium(), OFFERS) == {"ge", "gf"}


def test_medium_saves_its_largest_group():
    game, state = drawn(SAVE)
    assert names_of(game, game.gains(state, 1)[0]) == {"ec": 3, "he": 1}
    assert chosen_points(KropkiMedium(), SAVE) == {"ec"}


def test_medium_saves_the_other_group_where_the_largest_cannot_be_saved():
    """O takes three by either of two dots; what can be saved is nothing, so it plays on elsewhere."""
    game, state = drawn(
        [
            ". . . . . . .",
            ". O O O . . .",
            "O X X X . O .",
            ". O O O . . .",
            ". . . . O . .",
            ". . . . . . .",
        ]
    )
    threats = names_of(game, game.gains(state, 1)[0])
    assert "ec" in threats
    moves = KropkiMedium().choose(game, state[np.zeros(20, np.intp)], seeds(20))
    lost = risks(game, state).lost[0]
    legal = np.flatnonzero(game.plain_actions(state)[0])
    assert set(lost[moves]) == {lost[legal].min()}


def test_medium_does_not_enter_houses():
    """The only other point that is not safe is left alone too: O would take a dot there."""
    rows = [
        ". . . . . .",
        ". . O . . .",
        ". O . O . X",
        ". . O . . .",
        ". . . . . .",
    ]
    game, state = drawn(rows)
    state.last[:, 0] = 2 * 6 + 1
    assert state.cells[0, 2, 2] & HOUSE
    moves = KropkiMedium().choose(game, state[np.zeros(200, np.intp)], seeds(200))
    assert name_of(game, 2 * 6 + 2) not in {name_of(game, move) for move in moves}


def test_medium_cuts_or_links_where_nothing_is_on_offer():
    """K3: beside dots of both colours, and near the last dots."""
    game = kropki(20, 20)
    state = game.start(300)
    for ply in range(4):
        state = game.step(state, make_player("medium", game).choose(game, state, seeds(300, ply)))
    moves = KropkiMedium().choose(game, state, seeds(300))
    rows, columns = np.divmod(moves, 20)
    met = 0
    for index in np.flatnonzero(game.gains(state).max(axis=1) == 0):
        y, x = rows[index], columns[index]
        around = state.cells[index, max(0, y - 1) : y + 2, max(0, x - 1) : x + 2] & 3
        met += {1, 2} <= set(around.ravel().tolist())
    assert met > 200


@pytest.mark.parametrize("player", [KropkiEasy(), KropkiMedium()])
def test_the_last_point_is_taken(player):
    assert chosen_points(player, ["X O X", "O X .", "X O X"], count=3) == {"cb"}


def test_own_houses_are_filled_before_the_enemys():
    """At the end of a game somebody must: a dot in an own house costs nothing, one in the enemy's itself."""
    rows = [
        "X X X O O O",
        "X ' X O \" O",
        "X X X O O O",
    ]
    assert chosen_points(KropkiMedium(), rows, count=10, stop="off") == {"bb"}


def test_the_first_set_that_is_not_empty_counts_row_by_row():
    sets = [[[0, 0], [1, 0]], [[0, 1], [1, 1]], [[1, 1], [1, 1]]]
    assert first_of(*(np.array(one, bool) for one in sets)).tolist() == [[False, True], [True, False]]


@pytest.mark.parametrize(("level", "below"), [("easy", "random"), ("medium", "easy"), ("medium", "greedy")])
def test_each_beats_the_one_below(level, below):
    game = kropki(15, 15, start="random_crosses", num_crosses=3)
    players = [make_player(name, game) for name in (level, below)]
    assert play_match(game, *players, ArenaConfig(games=40, seed=1)).score > 0.8
