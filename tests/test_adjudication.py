"""Ending games early changes no winner where play is perfect, and never says what is not certain."""

import numpy as np
import pytest
from slow_boxes import SlowSolver

from dotzero.envs.boxes import BoxesGame, BoxesRules, box_lines
from dotzero.envs.game import join_states
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.play.adjudication import EXACT_LINES, Adjudicator
from dotzero.play.arena import Adjudication, ArenaConfig, play_match
from dotzero.play.players import RandomPlayer, make_player

GAME = BoxesGame(BoxesRules(rows=3, columns=3))


def test_nothing_is_ended_unasked():
    match = play_match(GAME, RandomPlayer(), RandomPlayer(), ArenaConfig(games=20))
    assert {record.ending for record in match.records} == {"played"}
    state = GAME.position(1 - np.eye(1, GAME.num_actions, dtype=int), 8)
    assert not Adjudicator(GAME, decided=False, exact=False).verdicts(state).known.any()


def test_decided_games_keep_their_winners():
    """The same games, ended early: the same winner in each, fewer moves, the margin so far."""
    players = (make_player("medium", GAME), RandomPlayer())
    whole = play_match(GAME, *players, ArenaConfig(games=60))
    early = play_match(GAME, *players, ArenaConfig(games=60, adjudication=Adjudication.DECIDED))
    assert [one.result for one in whole.records] == [two.result for two in early.records]
    num_early = 0
    for one, two in zip(whole.records, early.records, strict=True):
        assert one.moves[: len(two.moves)] == two.moves
        if two.ending == "adjudicated":
            num_early += 1
            assert two.margin == two.score[0] - two.score[1]
            left = 9 - sum(two.score)
            assert abs(two.margin) > left
    assert num_early > 30
    assert early.score == whole.score


def test_exact_verdicts_are_a_slow_solvers():
    rng = np.random.default_rng(3)
    lines = (rng.random((40, GAME.num_actions)) < 0.6).astype(np.uint8)
    lines = lines[(lines == 0).sum(axis=1) > 0]
    num_complete = lines[:, box_lines(GAME.rules)].all(axis=2).sum(axis=1)
    state = join_states(
        [GAME.position(row[None], int(odd)) for row, odd in zip(lines, num_complete % 2, strict=True)]
    )
    state.to_move[:] = rng.integers(0, 2, len(lines))
    found = Adjudicator(GAME, decided=True, exact=True).verdicts(state)
    assert found.known.all()
    for row, drawn in enumerate(lines):
        side = 1 if state.to_move[row] == 0 else -1
        to_come = SlowSolver(3, 3, drawn.astype(bool)).value()
        margin = int(state.score[row, 0]) - int(state.score[row, 1]) + side * to_come
        assert found.margin[row] == margin
        assert found.winner[row] == (0 if margin > 0 else 1 if margin < 0 else 2)


def test_exact_adjudication_ends_games_where_the_solver_reaches():
    large = BoxesGame(BoxesRules(rows=4, columns=4))
    config = ArenaConfig(games=4, adjudication=Adjudication.EXACT)
    match = play_match(large, RandomPlayer(), RandomPlayer(), config)
    assert {record.ending for record in match.records} == {"adjudicated"}
    assert {len(record.moves) for record in match.records} == {large.num_actions - EXACT_LINES}
    with pytest.raises(ValueError, match=r"^ArenaConfig\.adjudication must not be exact here: no solver"):
        play_match(KropkiGame(KropkiRules(width=5, height=5)), RandomPlayer(), RandomPlayer(), config)
