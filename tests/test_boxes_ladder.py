"""The ladder of levels on 5x5 boxes: each beats the one below it, and none keeps anybody waiting."""

import time

import numpy as np
import pytest
from boxes_looks import boxes

from dotzero.play.arena import ArenaConfig, play_match
from dotzero.play.levels import LEVELS
from dotzero.play.players import make_player

QUICK_INSANE = "insane@exact_lines=36,nodes=20000,rollouts=100"


def score_of(level, below, games):
    """Points of a level in paired games against another, 0 to 1."""
    game = boxes(5, 5)
    players = [make_player(text, game) for text in (level, below)]
    return play_match(game, *players, ArenaConfig(games=games, seed=1)).score


@pytest.mark.parametrize(
    ("level", "below", "games"),
    [("easy", "random", 100), ("medium", "easy", 100), ("hard", "medium", 100), (QUICK_INSANE, "hard", 10)],
)
def test_every_level_beats_the_one_below(level, below, games):
    assert score_of(level, below, games) >= 0.7


@pytest.mark.slow
@pytest.mark.parametrize(
    ("below", "level"), [("random", "easy"), ("easy", "medium"), ("medium", "hard"), ("hard", "insane")]
)
def test_the_ladder_is_monotone(below, level):
    """200 paired games a step, at least three of four points."""
    assert score_of(level, below, 200) >= 0.75


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS["boxes"])
def test_p99_of_a_move_is_below_a_second(level):
    """I4, in whole games of a level against itself; processor time, since other work may run beside."""
    game, spent = boxes(5, 5), []
    player = make_player(level, game)
    for seed in range(10):
        state, luck = game.start(1), np.random.default_rng(seed).integers(2**63, size=2).astype(np.uint64)
        while not state.finished[0]:
            begun = time.process_time()
            action = player.choose(game, state, luck[state.to_move])
            spent.append(time.process_time() - begun)
            state = game.step(state, action)
    assert np.percentile(spent, 99) < 1
