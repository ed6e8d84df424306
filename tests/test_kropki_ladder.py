"""What all levels of Kropki share, and their ladder (R103): each beats the one below, quickly enough."""

import time

import numpy as np
import pytest
from kropki_positions import crowded, kropki, seeds
from level_moves import check_moves

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.play.arena import ArenaConfig, play_match
from dotzero.play.levels import LEVELS
from dotzero.play.players import make_player

QUICK = ["easy", "medium", "hard@playouts=60", "insane@playouts=60,chase_nodes=50"]
"""All levels, the experts with few playouts."""
MIXED = [
    {"start": "empty"},
    {"start": "cross"},
    {"start": "random_crosses", "num_crosses": 2},
    {"start": "random_crosses", "num_crosses": 4},
]
"""The starts that strength is measured from, in equal shares."""
STEPS = [("random", "easy"), ("easy", "medium"), ("medium", "hard"), ("hard", "insane")]


def score_of(level, below, size, games):
    """Points of a level in paired games against another from mixed starts, 0 to 1."""
    scores = []
    for start in MIXED:
        game = kropki(*size, **start)
        players = [make_player(text, game) for text in (level, below)]
        scores.append(play_match(game, *players, ArenaConfig(games=games // len(MIXED), seed=1)).score)
    return np.mean(scores)


# ---- moves ----


@pytest.mark.parametrize("text", QUICK)
@pytest.mark.parametrize(
    "rules", [{}, {"start": "empty", "opening_zone": [4, 3]}, {"stop": "off", "add_turn": True}]
)
def test_a_move_is_legal_and_depends_on_seed_and_position_only(text, rules):
    """P09, P10, P13: the same alone, in any batch, and by another player of the same name."""
    game, rng = kropki(**rules), np.random.default_rng(1)
    check_moves(text, game, crowded(game, 80, rng), seeds(80, 5), rng)


@pytest.mark.parametrize("text", QUICK)
def test_seeds_differ(text):
    """P09: other seeds, other games."""
    game = kropki(12, 12)
    assert len(np.unique(make_player(text, game).choose(game, game.start(40), seeds(40)))) > 3


@pytest.mark.parametrize("text", QUICK)
@pytest.mark.parametrize(
    "rules",
    [
        {"width": 2, "height": 2, "start": "empty"},
        {"width": 3, "height": 30, "start": "empty", "opening_zone": [1, 2]},
        {"width": 11, "height": 4, "house_closes": "owner_turn", "komi": -1.5},
        {"add_turn": True, "stop": "solo", "solo_moves": 6},
        {"capture_empty": True, "score": "territory", "holes": True},
        {"punish": True, "last_safe": True, "instant_win": 3},
    ],
    ids=str,
)
def test_plays_whole_games_by_other_rules(text, rules):
    game = kropki(**{"width": 6, "height": 5, **rules})
    opening = ArenaConfig(games=4, opening_plies=0)
    assert len(play_match(game, make_player(text, game), make_player("random", game), opening).records) == 4


@pytest.mark.parametrize("name", LEVELS["kropki"])
def test_levels_refuse_other_games(name):
    boxes = BoxesGame(BoxesRules(rows=3, columns=3))
    player = make_player(name, kropki())
    assert player.horizon is None
    with pytest.raises(ValueError, match=f"^player {name} must play kropki, got boxes$"):
        player.choose(boxes, boxes.start(1), seeds(1))


# ---- the ladder ----


@pytest.mark.parametrize(
    ("level", "below", "games"),
    [("easy", "random", 40), ("medium", "easy", 40), ("hard@playouts=100", "medium", 8)],
)
def test_every_level_beats_the_one_below(level, below, games):
    assert score_of(level, below, (15, 15), games) >= 0.75


def test_more_playouts_play_better():
    """Insane is above all more of hard."""
    assert score_of("insane@playouts=400", "hard@playouts=40", (11, 11), 8) >= 0.75


@pytest.mark.slow
@pytest.mark.parametrize(("size", "games"), [((15, 15), 40), ((20, 20), 16), ((39, 32), 4)])
@pytest.mark.parametrize(("below", "level"), STEPS)
def test_the_ladder_is_monotone(below, level, size, games):
    """R103: paired games from mixed starts, at least three of four points."""
    assert score_of(level, below, size, games) >= 0.75


@pytest.mark.slow
@pytest.mark.parametrize(("level", "limit"), [("easy", 0.2), ("medium", 0.2), ("hard", 1.0), ("insane", 3.0)])
def test_p99_of_a_move_on_20x20(level, limit):
    """Seconds, in whole games of a level against itself; processor time, since other work may run beside."""
    game, spent = kropki(20, 20, start="random_crosses", num_crosses=4), []
    player = make_player(level, game)
    for seed in range(2):
        rng = np.random.default_rng(seed)
        state, luck = game.start(1, rng), rng.integers(2**63, size=2).astype(np.uint64)
        while not state.finished[0]:
            begun = time.process_time()
            action = player.choose(game, state, luck[state.to_move])
            spent.append(time.process_time() - begun)
            state = game.step(state, action)
    assert np.percentile(spent, 99) < limit
