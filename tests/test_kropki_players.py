"""Players of Kropki: greedy takes what it can, keeps near the dots, and never says STOP."""

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.play.arena import ArenaConfig, play_match
from dotzero.play.players import RandomPlayer, make_player

GAME = KropkiGame(KropkiRules(width=9, height=8))


def seeds(count, start=0):
    return np.arange(start, start + count, dtype=np.uint64)


def board(text, game=GAME):
    """A start position from a drawing."""
    rows = [line.split() for line in text.strip().splitlines()]
    return game.start_from(np.array([[".XO".index(mark) for mark in row] for row in rows], np.uint8)[None])


# X takes one dot by a dot in the top row and two by one of the two gaps at the bottom right.
OFFERS = board(
    """
    . . . . . . . . .
    . X O X . . . . .
    . X . X . X X . .
    . . X . X O O X .
    . . . . X . . X .
    . . . . . X . . .
    . . . . . . . . .
    . . O . . . . . .
    """
)


def test_r103_greedy_takes_the_largest_capture():
    points = {(x, y): y * 9 + x for y in range(8) for x in range(9)}
    gains = GAME.gains(OFFERS)[0]
    assert {action: int(gains[action]) for action in np.flatnonzero(gains)} == {
        points[2, 0]: 1,
        points[6, 4]: 2,
        points[6, 5]: 2,
    }
    greedy = make_player("greedy", GAME)
    chosen = {int(greedy.choose(GAME, OFFERS, seeds(1, start))[0]) for start in range(60)}
    assert chosen == {points[6, 4], points[6, 5]}


def test_greedy_moves_near_dots_where_nothing_is_on_offer():
    game = KropkiGame(KropkiRules(width=20, height=20))
    greedy, state = make_player("greedy", game), game.start(500)
    chosen = greedy.choose(game, state, seeds(500))
    near = game.opening_actions(state[:1])[0]
    assert near[chosen].all()
    assert set(chosen.tolist()) == set(np.flatnonzero(near).tolist())
    assert game.stop not in chosen


@pytest.mark.parametrize("name", ["greedy", "random"])
def test_moves_are_legal_never_stop_and_depend_on_seed_and_position(name, random_states):
    """P13; the same seed and position give the same move in any batch."""
    state = random_states(GAME, 200, np.random.default_rng(3))
    player, luck = make_player(name, GAME), seeds(200, 5)
    actions = player.choose(GAME, state, luck)
    assert ((actions == -1) == state.finished).all()
    going = np.flatnonzero(~state.finished)
    assert 0 < len(going) < 200
    assert GAME.legal(state)[going, actions[going]].all()
    assert (actions != GAME.stop).all()
    order = np.random.default_rng(0).permutation(200)
    assert (player.choose(GAME, state[order], luck[order]) == actions[order]).all()


def test_greedy_beats_random():
    game = KropkiGame(KropkiRules(width=8, height=8, start="random_crosses", num_crosses=2))
    match = play_match(game, make_player("greedy", game), RandomPlayer(), ArenaConfig(games=100))
    assert match.score > 0.8
    assert match.mean_margin > 1


def test_players_belong_to_their_games():
    boxes = BoxesGame(BoxesRules(rows=2, columns=2))
    with pytest.raises(ValueError, match=r"^player of boxes must be one of random, easy, .*, got 'greedy'$"):
        make_player("greedy", boxes)
    with pytest.raises(
        ValueError,
        match=r"^player of kropki must be one of random, greedy, easy, medium, .*, got 'strong'$",
    ):
        make_player("strong", GAME)
    with pytest.raises(ValueError, match=r"^player greedy must play kropki, got boxes$"):
        make_player("greedy", GAME).choose(boxes, boxes.start(1), seeds(1))
