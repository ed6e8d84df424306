"""Games of Kropki searched by playouts in place of a network: the search by itself, and self-play with it."""

import numpy as np
import pytest
from kropki_positions import RULES, crowded, kropki

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.models.evaluator import UniformEvaluator
from dotzero.search.interrupts import InterruptedSearchError, interruptible
from dotzero.search.mcts import run
from dotzero.search.playout_teacher import PlayoutTeacher
from dotzero.search.search_config import RootRule, SearchConfig
from dotzero.search.winning_stops import winning_stops
from dotzero.train.positions import unpack_legal
from dotzero.train.selfplay import SelfPlay, SelfPlayConfig

PLAYOUTS = 40


def slots(count):
    return np.arange(count, dtype=np.int32)


def teacher(game, count, threads=1, start=0):
    own = np.arange(start, start + count, dtype=np.uint64) * np.uint64(977)
    return PlayoutTeacher(game, count, PLAYOUTS, own, threads)


def searched(search, state, own=None):
    own = slots(len(state)) if own is None else own
    search.begin(own, state)
    run([search])
    return search.results(own)


# ---- the search by itself ----


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_policies_are_legal_shares_by_all_rules(rules):
    """STOP has all where it wins for certain, and nothing anywhere else; finished games have nothing."""
    game = kropki(7, 6, **{**rules, "komi": 0.5})
    state = crowded(game, 80, np.random.default_rng(2))
    search = teacher(game, 80)
    found = searched(search, state)
    assert (found.policy[~game.legal(state)] == 0).all()
    np.testing.assert_allclose(found.policy.sum(axis=1), ~state.finished, atol=1e-5)
    stops = winning_stops(game, state)
    np.testing.assert_array_equal(found.policy[:, game.stop], stops)
    assert (abs(found.root_value) <= 1).all()
    assert ((found.lower == -1) & (found.upper == 1)).all()
    assert np.isnan([found.surprise, found.raw_value, *search.estimates(slots(80)).T]).all()
    actions = search.choose(slots(80))
    assert (actions[state.finished] == -1).all()
    open_games = np.flatnonzero(~state.finished)
    chosen = found.visits[open_games, actions[open_games]]
    assert (chosen == found.visits[open_games].max(axis=1)).all()


def won_by_a_stop():
    """X has three captives more and one loose dot: after a STOP still two points ahead. X to move."""
    game = kropki(9, 8, start="empty")
    cells = np.zeros((1, 8, 9), np.uint8)
    cells[0, 0, 2:7] = cells[0, 1, [2, 6]] = cells[0, 2, 2:7] = 0x05
    cells[0, 1, 3:6] = 0x18
    cells[0, 5, 1] = 0x05
    cells[0, 7, 2:8] = 0x0A
    return game, game.position(cells)


def test_a_stop_that_wins_is_the_target_and_no_other_stop():
    game, won = won_by_a_stop()
    state = won[np.zeros(4, np.intp)]
    state[1:2] = game.with_komi(won, np.array([2.0], np.float32))  # a draw only
    state[2:3] = game.position(won.cells, 1)  # the other one to move
    state[3:4] = game.step(won, [game.stop])
    search = teacher(game, 4)
    found = searched(search, state)
    np.testing.assert_array_equal(found.policy[:, game.stop], [1, 0, 0, 0])
    np.testing.assert_allclose(found.policy.sum(axis=1), [1, 1, 1, 0], atol=1e-5)
    for temperature in (0.0, 1.0):
        actions = search.choose(slots(4), temperature)
        assert (actions[0], actions[3]) == (game.stop, -1)
        assert game.plain_actions(state)[[1, 2], actions[[1, 2]]].all()


def test_moves_hang_on_the_games_own_generators_only():
    """Not on threads, nor on the games beside, nor on what was searched before."""
    game = kropki()
    state = crowded(game, 12, np.random.default_rng(4), longest=30)
    one, threads, other = teacher(game, 12), teacher(game, 12, threads=3), teacher(game, 12, start=50)
    first = searched(one, state)
    np.testing.assert_array_equal(first.visits, searched(threads, state).visits)
    assert (first.visits != searched(other, state).visits).any()
    saved = one.generators
    moves = one.choose(slots(12), 1.0)
    np.testing.assert_array_equal(moves, threads.choose(slots(12), 1.0))
    again = searched(one, state)
    assert (again.visits != first.visits).any()  # luck goes on
    alone = teacher(game, 12)
    alone.generators = saved
    for slot in range(11, -1, -1):
        own = np.array([slot], np.int32)
        assert alone.choose(own, 1.0) == -1  # nothing was searched there yet
        np.testing.assert_array_equal(searched(alone, state[own], own).visits, again.visits[own])
    with pytest.raises(ValueError, match=r"^generators must be 12 uint64, got uint64 \(3,\)$"):
        alone.generators = saved[:3]


def test_a_temperature_draws_from_the_visits():
    game, count = kropki(), 3000
    state = game.start(1)[np.zeros(count, np.intp)]
    search = teacher(game, count)
    found = searched(search, state[:1], slots(1))
    search._visits[:] = found.visits
    for temperature in (1.0, 0.5):
        expected = found.policy[0] ** (1 / temperature)
        drawn = np.bincount(search.choose(slots(count), temperature), minlength=game.num_actions)
        np.testing.assert_allclose(drawn / count, expected / expected.sum(), atol=0.04)
        assert not drawn[expected == 0].any()


def test_a_search_that_nobody_wants_is_given_up():
    game = kropki()
    search = teacher(game, 3)
    search.begin(slots(3), game.start(3))
    with pytest.raises(InterruptedSearchError), interruptible(lambda: True):
        run([search])
    assert not search.submit()  # nothing is left of it
    assert not search.results(slots(3)).visits.any()


# ---- self-play ----


def self_play(games, seed=0, **changes):
    words = {"num_games": 12, "num_groups": 2, "random_opening_plies": 3, "temperature_plies": 3}
    words |= {"teacher_iterations": 1, "teacher_playouts": PLAYOUTS, "result_share": 0.8}
    config = SelfPlayConfig(**{**words, "surprise_share": 0.5, **changes})
    search = SearchConfig(root=RootRule.GUMBEL, num_simulations=6, num_considered=3)
    evaluator = UniformEvaluator(games[0].num_policy_slots)
    return SelfPlay(games, config, search, evaluator, np.random.SeedSequence(seed))


def test_positions_have_legal_policies_and_are_judged_by_the_games_end():
    game = kropki(5, 5)
    (positions,), report = self_play([game]).play(150, teaching=True)
    assert (report.teacher, report.num_evaluations) == (True, 0)
    assert len(positions) == report.num_positions >= 150
    policy = positions.policy.astype(np.float64)
    assert (policy[~unpack_legal(positions.legal, game.num_actions)] == 0).all()
    np.testing.assert_allclose(policy.sum(axis=1), 1.0, atol=5e-3)
    assert (positions.result_share == 1).all()
    assert (positions.weight == 1).all()
    assert not positions.searched_value.any()
    assert not positions.searched_margin.any()
    stops = policy[:, game.stop]
    assert set(stops.tolist()) == {0.0, 1.0}  # some games are won by it
    assert (positions.outcome[stops == 1] == 1).all()


def test_all_its_moves_are_learned_from_but_those_of_openings():
    """There are no cheap searches, so a small share of full ones leaves nothing out."""
    config = {"random_opening_plies": 0, "full_search_fraction": 0.1, "temperature_plies": 0}
    play = self_play([kropki(5, 5)], **config)
    _, report = play.play(100, teaching=True)
    assert report.num_moves >= report.num_positions >= 100
    logs = [log for group in play._groups for log in group.logs]
    assert all([item.ply for item in log.searched] == list(range(len(log.actions))) for log in logs)
    opened = self_play([kropki(5, 5)], **config, policy_opening_plies=4)
    opened.play(100, teaching=True)
    for group in opened._groups:
        for log, drawn in zip(group.logs, group.drawn, strict=True):
            assert [item.ply for item in log.searched] == list(range(drawn, len(log.actions)))


def test_the_network_goes_on_in_the_games_that_the_teacher_began():
    """The teacher's positions in them stay with the game's end; the network's share theirs with searches."""
    play = self_play([kropki(5, 5)])
    play.play(60, teaching=True)
    began = [len(log.actions) for group in play._groups for log in group.logs]
    assert sum(began) > 0
    (positions,), report = play.play(150)
    assert not report.teacher
    assert report.num_evaluations > 0
    alone = positions.result_share == 1
    assert 0 < alone.sum() <= sum(began)
    assert not positions.searched_value[alone].any()
    assert (positions.result_share[~alone] <= np.float32(0.8)).all()


def test_goes_on_to_the_bit_on_either_side_of_the_change():
    """From the state saved with the teacher at work, the teacher and the network play the same games."""
    for teaching in (True, False):
        whole = self_play([kropki(5, 5)], komi_spread=1.0)
        whole.play(60, teaching=True)
        saved = {name: array.copy() for name, array in whole.arrays().items()}
        (after,), report = whole.play(80, teaching=teaching)
        again = self_play([kropki(5, 5)], seed=9, komi_spread=1.0)
        again.load_arrays(saved)
        (resumed,), other = again.play(80, teaching=teaching)
        assert report == other
        for name, array in after.arrays().items():
            np.testing.assert_array_equal(array, resumed.arrays()[name], err_msg=name)
        for name, array in whole.arrays().items():
            np.testing.assert_array_equal(array, again.arrays()[name], err_msg=name)


def test_there_is_no_teacher_without_playouts():
    boxes = BoxesGame(BoxesRules(rows=2, columns=2))
    message = r"^SelfPlayConfig\.teacher_iterations must be 0 in boxes: no search by playouts there, got 1$"
    with pytest.raises(ValueError, match=message):
        self_play([boxes])
    with pytest.raises(ValueError, match=r"^SelfPlayConfig\.teacher_iterations must be above 0 to be taught"):
        self_play([kropki(5, 5)], teacher_iterations=0).play(10, teaching=True)
