"""Logs of games: the targets of a game played by hand, games of several lengths, saving."""

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.game import join_states
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.train.game_log import (
    GameLog,
    add_policies,
    finished_positions,
    log_arrays,
    logs_from_arrays,
)
from dotzero.train.positions import unpack_legal


def played_by_hand():
    """All positions of one game on 1x2, and its end; each policy is the move that was made."""
    game = BoxesGame(BoxesRules(rows=1, columns=2))
    log = GameLog(game.start(1))
    for line in [0, 2, 4, 5, 1, 3, 6]:
        add_policies([log], np.array([0]), np.eye(7, dtype=np.float32)[[line]])
        log.add(line)
    return finished_positions(game, [log])


def test_p03_targets_of_a_game_played_by_hand():
    """1x2 boxes, lines 0..6: top, top, bottom, bottom, left, middle, right.

    Player 0 draws 0, player 1 draws 2, player 0 draws 4, player 1 draws 5 and closes the left box, moves
    again and draws 1, player 0 draws 3, player 1 closes the right box with 6: 0:2.
    """
    positions, end = played_by_hand()
    assert end.score.tolist() == [[0, 2]]
    movers = [0, 1, 0, 1, 1, 0, 1]
    assert positions.outcome.tolist() == [-1 if mover == 0 else 1 for mover in movers]
    # Margin to come: two boxes until line 5 is drawn, one after it.
    to_come = [2, 2, 2, 2, 1, 1, 1]
    assert positions.margin.tolist() == [
        -boxes if mover == 0 else boxes for boxes, mover in zip(to_come, movers, strict=True)
    ]
    assert positions.owners[0].tolist() == [[-1, -1, 0], [0, 0, 0]]
    assert positions.owners[1].tolist() == [[1, 1, 0], [0, 0, 0]]
    assert positions.policy.argmax(axis=1).tolist() == [0, 2, 4, 5, 1, 3, 6]
    assert unpack_legal(positions.legal, 7)[3].tolist() == [False, True, False, True, False, True, True]


@pytest.fixture
def played(random_actions):
    """Logs of random games from random openings, every third position recorded; and what was seen then."""
    game, rng = BoxesGame(BoxesRules(rows=2, columns=3)), np.random.default_rng(5)
    logs, seen = [], []
    for number in range(6):
        state = game.start(1)
        for _ in range(number):
            state = game.step(state, random_actions(game, state, rng))
        log = GameLog(state)
        own = []
        while not state.finished[0]:
            if rng.random() < 0.3:
                policy = rng.random((1, game.num_actions)).astype(np.float32) * game.legal(state)
                add_policies([log], np.array([0]), policy)
                own.append(
                    (game.observe(state), game.legal(state)[0], policy[0], game.margin(state)[0], state)
                )
            log.add(int(random_actions(game, state, rng)[0]))
            state = game.step(state, log.actions[-1:])
        logs.append(log)
        seen += [(*item, state) for item in own]
    return game, logs, seen


def test_positions_are_what_was_seen_when_they_were_recorded(played):
    game, logs, seen = played
    positions, end = finished_positions(game, logs)
    assert len(positions) == len(seen) > 10
    legal = unpack_legal(positions.legal, game.num_actions)
    for row, (observation, could, policy, margin, state, final) in enumerate(seen):
        assert (positions.points[row] == observation.points[0]).all()
        assert (positions.globals[row] == observation.globals[0]).all()
        assert (legal[row] == could).all()
        assert (positions.policy[row] == policy.astype(np.float16)).all()
        sign = 1 if state.to_move[0] == final.to_move[0] else -1
        assert positions.outcome[row] == sign * game.outcome(final)[0]
        assert positions.margin[row] == sign * game.margin(final)[0] - margin
        assert (positions.owners[row] == sign * game.owners(final)[0]).all()
    assert end.finished.all()


def test_unfinished_logs_are_a_mistake_of_the_program():
    game = BoxesGame(BoxesRules(rows=1, columns=1))
    with pytest.raises(AssertionError, match="played to its end"):
        finished_positions(game, [GameLog(game.start(1), [0, 1])])


@pytest.mark.parametrize("count", [6, 1, 0])
def test_logs_come_back_from_their_arrays(played, count):
    """Also without a single recorded position, and with games that have not begun."""
    game, logs, _ = played
    logs = [*logs[:count], GameLog(game.start(1))]
    again = logs_from_arrays(log_arrays(logs, game.num_actions), game.start(len(logs)))
    assert [log.actions for log in again] == [log.actions for log in logs]
    start, before = (join_states([log.start for log in some]) for some in (again, logs))
    assert (start.lines == before.lines).all()
    assert (start.to_move == before.to_move).all()
    for one, two in zip(again, logs, strict=True):
        assert [item.ply for item in one.searched] == [item.ply for item in two.searched]
        for a, b in zip(one.searched, two.searched, strict=True):
            assert a.support.tobytes() == b.support.tobytes()
            assert a.shares.tobytes() == b.shares.tobytes()


def test_what_has_no_share_takes_no_room(played):
    """A policy on a large board that names three actions is kept as three shares."""
    game = BoxesGame(BoxesRules(rows=10, columns=10))
    log, policy = GameLog(game.start(1)), np.zeros((1, game.num_actions), np.float32)
    policy[0, [3, 77, 219]] = 0.5, 0.25, 0.25
    add_policies([log], np.array([0]), policy)
    (item,) = log.searched
    assert item.shares.tolist() == [0.5, 0.25, 0.25]
    assert item.support.nbytes + item.shares.nbytes < 40


@pytest.mark.parametrize(
    "rules",
    [
        {"width": 5, "height": 5, "komi": 0.5},
        {"width": 6, "height": 5, "start": "random_crosses", "num_crosses": 2, "add_turn": True},
        {"width": 5, "height": 4, "stop": "solo", "solo_moves": 4, "house_closes": "owner_turn"},
    ],
)
def test_targets_of_kropki_are_those_of_the_game_replayed(rules, random_actions):
    """P03 where turns do not alternate, komi counts and STOP hands dots over."""
    game, rng = KropkiGame(KropkiRules(**rules)), np.random.default_rng(3)
    logs, seen = [], []
    for _ in range(12):
        state = game.start(1, rng)
        log, own = GameLog(state), []
        while not state.finished[0]:
            policy = rng.random((1, game.num_actions)).astype(np.float32) * game.legal(state)
            add_policies([log], np.array([0]), policy)
            own.append((state, policy[0].astype(np.float16)))
            action = (
                random_actions(game, state, rng)
                if rng.random() < 0.9
                else game.plain_actions(state).argmax(axis=1)
            )
            log.add(int(action[0]))
            state = game.step(state, action)
        logs.append(log)
        seen += [(before, policy, state) for before, policy in own]
    positions, _ = finished_positions(game, logs)
    assert len(positions) == len(seen) > 50
    for row, (before, policy, end) in enumerate(seen):
        mover = int(before.to_move[0])
        ahead = [float(s.score[0, mover] - s.score[0, 1 - mover]) for s in (before, end)]
        komi = float(end.komi[0]) * (1 if mover == 1 else -1)
        assert positions.outcome[row] == np.sign(ahead[1] + komi)
        assert positions.margin[row] == ahead[1] - ahead[0]
        mine, theirs = (end.cells[0] & (0x11 << player) != 0 for player in (mover, 1 - mover))
        np.testing.assert_array_equal(positions.owners[row], mine.astype(int) - theirs)
        np.testing.assert_array_equal(positions.points[row], game.observe(before).points[0])
        np.testing.assert_array_equal(positions.globals[row], game.observe(before).globals[0])
        np.testing.assert_array_equal(
            unpack_legal(positions.legal[[row]], game.num_actions), game.legal(before)
        )
        np.testing.assert_array_equal(positions.policy[row], policy)


def test_replies_are_the_opponents_next_moves_whoever_moves_in_between():
    """The game played by hand above: player 1 moves twice, with 5 and 1, before player 0 answers with 3."""
    positions, _ = played_by_hand()
    assert positions.reply.tolist() == [2, 4, 5, 3, 3, 6, -1]


def test_later_searches_share_the_targets_as_td_lambda_says(played):
    """Against the sum written out: each search counts 1 - keep of what those before it have left."""
    game, logs, _ = played
    rng, keep = np.random.default_rng(8), 0.7
    for log in logs:
        searched = rng.random(len(log.actions)) < 0.8
        log.estimates = [
            (float(rng.uniform(-1, 1)), float(rng.uniform(-6, 6))) if here else (np.nan, np.nan)
            for here in searched
        ]
    positions, _ = finished_positions(game, logs, keep)
    plain, _ = finished_positions(game, logs)
    row = 0
    for log in logs:
        state, movers, so_far = log.start, [], []
        for action in log.actions:
            movers.append(int(state.to_move[0]))
            so_far.append(float(game.margin(state)[0]))
            state = game.step(state, [action])
        for item in log.searched:
            left, value, margin = 1.0, 0.0, 0.0
            for ply in range(item.ply, len(log.actions)):
                estimate = np.array(log.estimates[ply]) * (1 if movers[ply] == movers[item.ply] else -1)
                if np.isnan(log.estimates[item.ply]).any():
                    break  # without a search of its own it is the result's alone
                if not np.isnan(estimate).any():
                    value, margin = np.array([value, margin]) + left * (1 - keep) * estimate
                    left *= keep
            assert positions.result_share[row] == pytest.approx(left, rel=1e-5)
            assert positions.searched_value[row] == pytest.approx(value, abs=1e-5)
            # Margins are to come: those of the searches less what was there already.
            to_come = margin - (1 - left) * so_far[item.ply]
            assert positions.searched_margin[row] == pytest.approx(to_come, abs=1e-4)
            row += 1
    assert row == len(positions) > 10
    assert (plain.result_share == 1).all()
    assert not plain.searched_value.any()
    np.testing.assert_array_equal(plain.margin, positions.margin)


def test_estimates_and_surprise_come_back_from_their_arrays(played):
    game, logs, _ = played
    logs[0].estimates = [(0.25 * ply, float("nan")) for ply in range(len(logs[0].actions))]
    logs[0].searched[0] = logs[0].searched[0]._replace(surprise=0.5)
    again = logs_from_arrays(log_arrays(logs, game.num_actions), game.start(len(logs)))
    np.testing.assert_array_equal(again[0].estimates, logs[0].estimates)
    assert again[0].searched[0].surprise == 0.5
