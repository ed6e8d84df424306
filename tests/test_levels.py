"""What all levels have in common: names, options, refusals, and moves that only seed and position decide."""

import re

import numpy as np
import pytest
from boxes_looks import boxes, mixed_positions, positions
from level_moves import check_moves

from dotzero.configs.compose import compose
from dotzero.configs.schema import ArenaJob, TrainJob
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.play.arena import ArenaConfig, play_match
from dotzero.play.levels import LABELS, LEVELS, strongest_level
from dotzero.play.players import make_player

SMALL = boxes(3, 3)
QUICK = [
    "easy",
    "medium",
    "hard",
    "insane@nodes=20000,rollouts=500",
    "insane@exact_lines=30,nodes=300,rollouts=60",
]
"""All levels; the last one answers by exact play, by an attempt at it that fails, and by rollouts."""


def seeds(count, start=0):
    return np.arange(start, start + count, dtype=np.uint64)


def test_r091_levels_and_labels():
    assert list(LEVELS["boxes"]) == list(LEVELS["kropki"]) == ["easy", "medium", "hard", "insane"]
    assert [label["ru"] for label in LABELS.values()] == [
        "Лёгкий",
        "Средний",
        "Сложный",
        "Безумный",
        "Нейросеть",
    ]
    assert [label["en"] for label in LABELS.values()] == [
        "Easy",
        "Medium",
        "Hard",
        "Insane",
        "Neural network",
    ]
    assert list(LABELS) == [*LEVELS["boxes"], "zero"]


# ---- moves ----


@pytest.mark.parametrize("text", QUICK)
@pytest.mark.parametrize("size", [(3, 3), (4, 5)])
def test_a_move_is_legal_and_depends_on_seed_and_position_only(text, size):
    """P09, P10, P13: the same alone, in any batch, and by another player of the same name."""
    game, rng = boxes(*size), np.random.default_rng(1)
    lines = mixed_positions(*size, 120, rng)
    lines[::9] = 1  # finished
    check_moves(text, game, positions(game, lines), seeds(120, 5), rng)


@pytest.mark.parametrize("text", QUICK)
def test_seeds_differ(text):
    """P09: other seeds, other games; R098: hard opens differently."""
    game = boxes(4, 4)
    chosen = make_player(text, game).choose(game, game.start(30), seeds(30))
    assert len(np.unique(chosen)) > 5


@pytest.mark.parametrize("text", QUICK)
def test_plays_whole_games_on_other_boards(text):
    for rows, columns, border in ((1, 1, "none"), (1, 9, "none"), (6, 2, "all"), (3, 4, "left_bottom")):
        game = boxes(rows, columns, border=border)
        opening = ArenaConfig(games=2, opening_plies=0)
        match = play_match(game, make_player(text, game), make_player("random", game), opening)
        assert len(match.records) == 2


def test_a_closed_player_has_freed_its_solvers():
    player = make_player("hard", SMALL)
    state = positions(SMALL, mixed_positions(3, 3, 60, np.random.default_rng(2)))
    before = player.choose(SMALL, state, seeds(60)).tolist()
    assert len(player._solvers) == 1
    player.close()
    assert not player._solvers
    assert player.choose(SMALL, state, seeds(60)).tolist() == before


# ---- options ----


def test_options_are_part_of_name_and_identity():
    texts = ["easy", "easy@miss=0.3", "insane", "insane@rollouts=100", "insane@nodes=100", "medium", "hard"]
    players = [make_player(text, SMALL) for text in texts]
    assert [player.name for player in players] == texts
    assert len({player.identity for player in players}) == len(texts)
    assert players[1].identity == "easy@miss=0.3 EasyConfig(miss=0.3, blunder=0.2)"
    # A default that changes one day makes another player of the same name.
    assert "blunder=0.2" in players[0].identity
    assert "exact_lines=" in players[2].identity


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("easy@miss=2", "easy: miss must be in 0..1, got 2"),
        ("easy@blunder=-0.1", "easy: blunder must be in 0..1, got -0.1"),
        ("easy@miss=nan", "easy: miss must be in 0..1, got nan"),
        ("easy@miss=often", "easy: miss must be a number, got 'often'"),
        ("easy@rollouts=5", "easy: an option must be one of miss, blunder, got rollouts"),
        ("easy:folder", "player easy takes no path, got 'easy:folder'"),
        ("medium@miss=0", "player medium takes no path and no options, got 'medium@miss=0'"),
        ("hard@nodes=5", "player hard takes no path and no options, got 'hard@nodes=5'"),
        ("insane@rollouts=0", "insane: rollouts must be in 1..10000000, got 0"),
        ("insane@rollouts=1e3", "insane: rollouts must be a whole number, got '1e3'"),
        ("insane@nodes=0", "insane: nodes must be in 1..10000000000, got 0"),
        ("insane@exact_lines=-1", "insane: exact_lines must be in 0..255, got -1"),
        ("insane@depth=3", "insane: an option must be one of exact_lines, nodes, rollouts, got depth"),
    ],
)
def test_wrong_options_are_one_line(text, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make_player(text, SMALL)


# ---- who plays what ----


@pytest.mark.parametrize("name", LEVELS["boxes"])
def test_levels_refuse_what_they_do_not_play(name):
    misere, large = boxes(3, 3, scoring="misere"), boxes(7, 8)
    player = make_player(name, SMALL)
    for call in (lambda: make_player(name, misere), lambda: player.choose(misere, misere.start(1), seeds(1))):
        with pytest.raises(ValueError, match=f"^player {name} must play scoring=normal, got misere$"):
            call()
    kropki = KropkiGame(KropkiRules(width=5, height=5))
    with pytest.raises(ValueError, match=f"^player {name} must play boxes, got kropki$"):
        player.choose(kropki, kropki.start(1), seeds(1))
    if name in ("easy", "medium"):
        assert make_player(name, large).choose(large, large.start(1), seeds(1))[0] >= 0
        return
    message = f"^player {name} must play on at most 64 dots, got 7x8 boxes with 72$"
    for call in (lambda: make_player(name, large), lambda: player.choose(large, large.start(1), seeds(1))):
        with pytest.raises(ValueError, match=message):
            call()
    largest = boxes(7, 7)
    lines = np.ones((1, largest.num_actions), np.uint8)
    lines[0, [0, 1]] = 0
    assert make_player(name, largest).choose(largest, positions(largest, lines), seeds(1))[0] in (0, 1)


def test_the_strongest_level_plays_the_rules():
    kropki = KropkiGame(KropkiRules(width=5, height=5))
    games = [SMALL, boxes(7, 8), boxes(3, 3, scoring="misere"), kropki]
    assert [strongest_level(game) for game in games] == ["insane", "medium", "random", "insane"]
    assert [strongest_level(game, long=False) for game in games] == ["insane", "medium", "random", "hard"]
    for game in games:
        make_player(strongest_level(game), game).close()


def test_jobs_name_players_that_play_their_rules():
    """The opponent `auto` and the default players of an arena follow the board and its rules."""
    for rules, name in (([], "insane"), (["rules.rows=10"], "medium"), (["rules.scoring=misere"], "random")):
        assert compose(TrainJob, rules).opponent == name
        assert compose(ArenaJob, rules).competitors == list(dict.fromkeys([name, "random"]))
    kropki = ["game=kropki", "rules={width: 6, height: 6}"]
    assert compose(ArenaJob, kropki).competitors == ["hard", "random"]
    measured = compose(TrainJob, ["boards=[{rows: 10}]", "measure.rules.rows=2"])
    assert measured.opponent == "insane"
    assert compose(ArenaJob, ["players=[easy,hard]"]).competitors == ["easy", "hard"]
