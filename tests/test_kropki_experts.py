"""Levels hard and insane of Kropki: positions whose right answers are known, STOP, settings and budgets."""

import re

import numpy as np
import pytest
from drawn_kropki import drawn
from kropki_positions import crowded, kropki, name_of, names_of, seeds

from dotzero.envs.kropki_position import HOUSE
from dotzero.play.kropki_experts import HardConfig, InsaneConfig, KropkiHard, KropkiInsane
from dotzero.play.players import Budget, make_player
from dotzero.search.playouts import PlayoutSearch, chases

LEVELS = {
    "hard": KropkiHard(HardConfig(playouts=1000)),
    "insane": KropkiInsane(InsaneConfig(playouts=2000)),
}
"""Insane with fewer playouts than usual, which must do here."""


def answers(level, rows, to_move=0, count=6, **rules):
    """Names of all moves of a level in a drawn position, over so many seeds."""
    game, state = drawn(rows, to_move, **rules)
    moves = LEVELS[level].choose(game, state[np.zeros(count, np.intp)], seeds(count))
    return {name_of(game, move) for move in moves}


# ---- tactics ----

TWO_OFFERS = [
    ". . . . . . . . . . .",
    ". . X . . . . . . . .",
    ". X O . . . . . . . .",
    ". . X . . . X X . . .",
    ". . . . . X O O X . .",
    ". . . . . X O O X . .",
    ". . . . . . X . . . .",
    ". . . . . . . . . . .",
    ". . . . O . . . . . .",
    ". . . O . O . . . . .",
    ". . . . . . . . . . .",
]
"""X takes one dot at dc, four at hg."""

IN_DANGER = [
    ". . . . . . . . . . .",
    ". . . . . . . . . . .",
    ". . O O O . . . . . .",
    ". O X X X . . . . . .",
    ". . O O O . . . X . .",
    ". . . . . . . X . X .",
    ". . . . . . . . . . .",
    ". . . . . . . . . . .",
]
"""O takes three dots at fd."""


@pytest.mark.parametrize("level", LEVELS)
class TestTactics:
    """What takes, saves or loses dots by one move."""

    def test_takes_the_largest_capture(self, level):
        game, state = drawn(TWO_OFFERS)
        assert names_of(game, game.gains(state)[0]) == {"dc": 1, "hg": 4}
        assert answers(level, TWO_OFFERS) == {"hg"}

    def test_saves_what_would_be_captured(self, level):
        game, state = drawn(IN_DANGER)
        assert names_of(game, game.gains(state, 1)[0]) == {"fd": 3}
        assert answers(level, IN_DANGER) == {"fd"}

    def test_captures_what_is_about_to_capture(self, level):
        """O takes three dots at fd; X takes three of that ring at fc, which also saves its own."""
        rows = [
            ". . . . . . . . .",
            ". . X X X . . . .",
            ". X O O O . . . .",
            ". O X X X . . . .",
            ". . O O O . . . .",
            ". . . . . . . . .",
            ". . . . . . X . .",
        ]
        game, state = drawn(rows)
        assert names_of(game, game.gains(state)[0]) == {"fc": 3}
        assert names_of(game, game.gains(state, 1)[0]) == {"fd": 3}
        assert answers(level, rows) == {"fc"}

    def test_does_not_enter_a_house(self, level):
        """Everything but the houses is full: X plays into its own, O too."""
        rows = ["X X X O O O", "X . X O . O", "X . X O . O", "X X X O O O"]
        state = drawn(rows, stop="off")[1]
        assert {int(cell & HOUSE) for cell in state.cells[0, 1, [1, 4]]} == {0x40, 0x80}
        assert answers(level, rows, 0, stop="off") <= {"bb", "bc"}
        assert answers(level, rows, 1, stop="off") <= {"eb", "ec"}

    def test_plays_the_last_point(self, level):
        assert answers(level, ["X O X", "O X .", "X O X"], count=2, stop="off") == {"cb"}


LADDER = [
    ". . . . . . . . . .",
    ". . . . . . . . . .",
    ". . . X . . . . . .",
    ". . X O . . . . . .",
    ". . X . . . . . . .",
    ". . X . . . . . . .",
    ". . X . . . . . . .",
    ". . X . . . . . . .",
    ". . . X . . . . . .",
    ". . . . . . . . . .",
    ". . . . . . . . . .",
]
"""X chases a dot down its wall into the dot below; O, if it is to move, must leave it now."""


def test_insane_begins_a_ladder_that_works():
    """And goes on with it against the longest resistance, until the dots are taken."""
    game, state = drawn(LADDER)
    player, luck = LEVELS["insane"], seeds(1)
    assert chases(game, state, 300).max() > 0
    for _ in range(8):
        state = game.step(state, player.choose(game, state, luck))
        if state.score[0, 0] > 0:
            break
        blocks = game.gains(state, 0)[0]
        assert blocks.max() > 0  # a threat every time
        state = game.step(state, [blocks.argmax()])
    assert state.score[0, 0] > 2


def test_insane_leaves_a_ladder_in_time():
    game, state = drawn(LADDER, 1)
    for seed in range(4):
        after = game.step(state, LEVELS["insane"].choose(game, state, seeds(1, seed)))
        assert chases(game, after, 2000).max() == 0


# ---- STOP ----


def position_with_lead(loose):
    """X ahead by three captured dots, with so many own dots that do not hang on the edge. X to move."""
    game = kropki(12, 12, start="empty")
    cells = np.zeros((1, 12, 12), np.uint8)
    cells[0, 0, 2:7] = cells[0, 1, [2, 6]] = cells[0, 2, 2:7] = 0x05  # a ring on the edge
    cells[0, 1, 3:6] = 0x18  # with three dots of O inside
    cells[0, 8, 1 : 1 + loose] = 0x05
    cells[0, 10, 2:11] = 0x0A
    return game, game.position(cells)


@pytest.mark.parametrize(("loose", "stops"), [(0, True), (2, True), (3, False), (4, False)])
def test_insane_stops_only_where_that_wins(loose, stops):
    """Three dots ahead: two may be lost by the STOP, not three."""
    game, state = position_with_lead(loose)
    assert game.stop_margins(state)[0, 0] == 3 - loose
    move = LEVELS["insane"].choose(game, state, seeds(1))
    assert (move[0] == game.stop) == stops
    if stops:
        assert game.margin(game.step(state, move))[0] == loose - 3  # seen by the other player
    assert LEVELS["hard"].choose(game, state, seeds(1))[0] != game.stop


def test_komi_decides_whether_a_stop_wins():
    game, state = position_with_lead(0)
    for komi, stops in ((2.5, True), (3.0, False), (3.5, False)):
        moves = LEVELS["insane"].choose(game, game.with_komi(state, np.array([komi])), seeds(1))
        assert (moves[0] == game.stop) == stops


@pytest.mark.parametrize("stop", ["off", "solo"])
def test_there_is_no_stop_to_win_by_in_other_rules(stop):
    other = kropki(12, 12, start="empty", stop=stop)
    state = other.position(position_with_lead(0)[1].cells)
    for player in LEVELS.values():
        assert player.choose(other, state, seeds(1))[0] != other.stop


def test_alone_in_a_solo_phase_insane_ends_what_it_has_won():
    """O has stopped. Ahead, X ends the game; with nothing won yet it plays on."""
    game = kropki(12, 12, start="empty", stop="solo", solo_moves=20)
    state = position_with_lead(0)[1]
    ahead = game.step(game.position(state.cells, 1), [game.stop])
    assert (ahead.to_move[0], LEVELS["insane"].choose(game, ahead, seeds(1))[0]) == (0, game.stop)
    fresh = game.step(game.step(game.start(1), [60]), [game.stop])
    assert fresh.to_move[0] == 0
    assert LEVELS["insane"].choose(game, fresh, seeds(1))[0] != game.stop


def test_stops_are_said_beside_searches_of_other_games():
    """A batch with games that are won, lost, finished and open; only the open ones are searched."""
    game, won = position_with_lead(0)
    state = won[np.zeros(4, np.intp)]
    state[1:2] = game.position(won.cells, 1)
    state[2:3] = game.step(won, [game.stop])
    state[3:4] = game.start(1)
    moves = LEVELS["insane"].choose(game, state, seeds(4))
    assert (moves[0], moves[2]) == (game.stop, -1)
    assert game.plain_actions(state)[[1, 3], moves[[1, 3]]].all()


# ---- settings and budgets ----


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hard@playouts=0", "hard: playouts must be in 1..1000000, got 0"),
        ("hard@playouts=1e3", "hard: playouts must be a whole number, got '1e3'"),
        ("hard@radius=11", "hard: radius must be in 1..10, got 11"),
        ("hard@chase_nodes=5", "hard: an option must be one of playouts, radius, got chase_nodes"),
        ("insane@playouts=1000001", "insane: playouts must be in 1..1000000, got 1000001"),
        ("insane@radius=0", "insane: radius must be in 1..10, got 0"),
        ("insane@chase_nodes=-1", "insane: chase_nodes must be in 0..10000, got -1"),
        ("insane@depth=3", "insane: an option must be one of playouts, radius, chase_nodes, got depth"),
        ("insane:folder", "player insane takes no path, got 'insane:folder'"),
        ("easy@miss=2", "easy: miss must be in 0..1, got 2"),
        ("easy@blunder=often", "easy: blunder must be a number, got 'often'"),
        ("easy@playouts=5", "easy: an option must be one of miss, blunder, got playouts"),
        ("medium@miss=0", "player medium takes no path and no options, got 'medium@miss=0'"),
    ],
)
def test_wrong_options_are_one_line(text, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make_player(text, kropki())


def test_options_are_part_of_name_and_identity():
    texts = ["easy", "easy@miss=0.3", "medium", "hard", "hard@radius=3", "insane", "insane@chase_nodes=0"]
    players = [make_player(text, kropki()) for text in texts]
    assert [player.name for player in players] == texts
    assert len({player.identity for player in players}) == len(texts)
    assert players[1].identity == "easy@miss=0.3 EasyConfig(miss=0.3, blunder=0.2)"
    assert players[4].identity == "hard@radius=3 HardConfig(playouts=1000, radius=3)"
    assert "chase_nodes=0" in players[6].identity
    assert "playouts=77" in players[5].within(Budget(simulations=77)).identity
    assert players[5].within(Budget(seconds=0.5)).identity.endswith(" within 0.5 seconds")


def test_the_settings_reach_the_search():
    """Wider radius, wider moves; every setting changes what is searched."""
    game = kropki(15, 15)
    moves = {}
    for text in ("hard", "hard@radius=1", "insane@playouts=1000,chase_nodes=0"):
        chosen = make_player(text, game).choose(game, game.start(40), seeds(40))
        dots = np.argwhere(game.start(1).cells[0])
        steps = abs(np.column_stack(np.divmod(chosen, 15))[:, None] - dots).max(axis=2).min(axis=1)
        moves[text] = chosen.tolist(), steps.max()
    assert moves["hard@radius=1"][1] == 1
    assert moves["hard"][1] <= 2
    assert moves["hard"][0] == moves["insane@playouts=1000,chase_nodes=0"][0]


def test_a_budget_of_simulations_is_the_setting():
    game, rng = kropki(), np.random.default_rng(5)
    state = crowded(game, 30, rng)
    level = make_player("hard", game)
    expected = make_player("hard@playouts=150", game).choose(game, state, seeds(30))
    assert (level.within(Budget(simulations=150)).choose(game, state, seeds(30)) == expected).all()
    assert (level.choose(game, state, seeds(30)) != expected).any()
    assert level.budgets == ("simulations", "seconds")


def test_a_budget_of_time_keeps_to_it(monkeypatch):
    """The search gets it, and may play out as much as there can be; an arena shares it with no other game."""
    asked = []
    run = PlayoutSearch.run
    monkeypatch.setattr(PlayoutSearch, "run", lambda *given: asked.append(given[3:]) or run(*given))
    game = kropki(20, 20)
    player = make_player("insane", game).within(Budget(seconds=0.05))
    assert game.plain_actions(game.start(1))[0, player.choose(game, game.start(1), seeds(1))[0]]
    assert asked == [(1_000_000, 0.05)]
    assert player.follows_games
    assert not make_player("insane", game).within(Budget(simulations=10)).follows_games


def test_a_closed_player_has_freed_its_searches():
    game = kropki()
    player = make_player("hard@playouts=50", game)
    moves = player.choose(game, game.start(3), seeds(3)).tolist()
    assert len(player._searches) == 1
    player.close()
    assert not player._searches
    assert player.choose(game, game.start(3), seeds(3)).tolist() == moves
