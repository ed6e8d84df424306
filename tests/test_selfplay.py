"""Self-play: the targets of a game played by hand, what is recorded, and going on from a saved state."""

import math

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.models.evaluator import UniformEvaluator
from dotzero.search.mcts import RootRule, SearchConfig
from dotzero.train.positions import Positions, pack_legal, unpack_legal
from dotzero.train.selfplay import (
    SelfPlay,
    SelfPlayConfig,
    _Record,
    finished_positions,
    generator_from_array,
    generator_to_array,
)


def self_play(game, seed=0, **changes):
    config = SelfPlayConfig(**{"num_games": 12, "num_groups": 3, "random_opening_plies": 5, **changes})
    search = SearchConfig(root=RootRule.GUMBEL, num_simulations=6, num_considered=3)
    evaluator = UniformEvaluator(game.num_policy_slots)
    return SelfPlay(game, config, search, evaluator, np.random.SeedSequence(seed))


def test_p03_targets_of_a_game_played_by_hand():
    """1x2 boxes, lines 0..6: top, top, bottom, bottom, left, middle, right.

    Player 0 draws 0, player 1 draws 2, player 0 draws 4, player 1 draws 5 and closes the left box, moves
    again and draws 1, player 0 draws 3, player 1 closes the right box with 6: 0:2.
    """
    game = BoxesGame(BoxesRules(rows=1, columns=2))
    state, records = game.start(1), []
    for line in [0, 2, 4, 5, 1, 3, 6]:
        observation = game.observe(state)
        policy = np.eye(7, dtype=np.float16)[line]
        records.append(
            _Record(
                observation.points[0],
                observation.globals[0],
                pack_legal(game.legal(state))[0],
                policy,
                state.to_move[0],
                game.margin(state)[0],
            )
        )
        state = game.step(state, [line])
    assert state.score.tolist() == [[0, 2]]
    positions = finished_positions(game, state, records)
    movers = [0, 1, 0, 1, 1, 0, 1]
    assert [record.to_move for record in records] == movers
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


def test_recorded_positions_are_whole_games_with_their_search():
    game = BoxesGame(BoxesRules(rows=2, columns=3))
    positions, report = self_play(game).play(200)
    assert len(positions) == report.num_positions >= 200
    assert report.num_games >= 200 / game.num_actions
    legal = unpack_legal(positions.legal, game.num_actions)
    policy = positions.policy.astype(np.float64)
    assert (policy[~legal] == 0).all()
    np.testing.assert_allclose(policy.sum(axis=1), 1.0, atol=5e-3)
    # In every recorded position some box is open, hence something is to come, of the parity of open boxes.
    open_boxes = ((positions.points[:, 0] >> 4) & 1).sum(axis=(1, 2))
    assert (open_boxes > 0).all()
    assert (np.abs(positions.margin) <= open_boxes).all()
    assert ((positions.margin + open_boxes) % 2 == 0).all()
    # The owners' boxes and the margins tell the same result.
    so_far = np.round(positions.globals[:, 1] * 10)
    assert (positions.owners.sum(axis=(1, 2)) == so_far + positions.margin).all()
    assert (np.sign(so_far + positions.margin) == positions.outcome).all()


def test_random_openings_are_not_recorded_but_varied():
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    for plies in (0, 5):
        positions, report = self_play(game, random_opening_plies=plies).play(6000)
        drawn = np.array([[1], [2]], np.uint8)[:, :, None, None]  # a line to the right, a line below
        num_lines = ((positions.points[None, :, 0] & drawn) > 0).sum(axis=(0, 2, 3))
        # Openings of 0 to `plies` lines are equally likely: so many games have a position of 0, 1, .. lines.
        share = np.bincount(num_lines) / report.num_games
        expected = np.minimum(1.0, (1 + np.arange(12)) / (plies + 1))
        np.testing.assert_allclose(share, expected, atol=0.06 if plies else 0)
    longer, report = self_play(game, random_opening_plies=40).play(100)
    assert len(longer) >= 100  # openings as long as the game start anew instead of leaving nothing


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_settings_must_be_finite(value):
    for field in ("temperature", "full_search_fraction"):
        message = rf"^SelfPlayConfig\.{field} must be a finite number, got {value}$"
        with pytest.raises(ValueError, match=message):
            SelfPlayConfig(**{field: value})
    with pytest.raises(ValueError, match=r"^SelfPlayConfig\.cheap_simulations must be at most 1000000"):
        SelfPlayConfig(cheap_simulations=3_000_000_000)


def test_only_full_searches_are_recorded():
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    config = {"full_search_fraction": 0.25, "cheap_simulations": 2, "random_opening_plies": 0}
    positions, report = self_play(game, num_games=30, **config).play(600)
    assert 0.15 < len(positions) / (12 * report.num_games) < 0.35
    with pytest.raises(ValueError, match=r"^SelfPlayConfig\.full_search_fraction must be above 0"):
        SelfPlayConfig(full_search_fraction=0.0)


def test_goes_on_from_saved_arrays_as_if_never_stopped():
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    whole = self_play(game)
    whole.play(100)
    saved = {name: array.copy() for name, array in whole.arrays().items()}
    after, _ = whole.play(150)
    again = self_play(game, seed=99)  # the seed no longer matters
    again.load_arrays(saved)
    resumed, _ = again.play(150)
    for name, array in after.arrays().items():
        np.testing.assert_array_equal(array, resumed.arrays()[name], err_msg=name)


def test_p09_groups_and_seeds_play_different_games():
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    one, two, other = (self_play(game, seed=seed).play(200)[0] for seed in (1, 1, 2))
    assert one.points.tobytes() == two.points.tobytes()
    assert one.points.tobytes() != other.points.tobytes()
    # With no random openings and an even evaluator, only the games' own generators make a difference.
    quiet, report = self_play(game, random_opening_plies=0).play(12 * 12)
    assert len(np.unique(quiet.points.reshape(report.num_games, -1), axis=0)) > report.num_games // 2


def test_generator_state_survives_as_words():
    random = np.random.Generator(np.random.PCG64(5))
    random.integers(0, 9, 3, dtype=np.int32)  # leaves half a word behind
    twin = generator_from_array(generator_to_array(random))
    assert (
        twin.integers(0, 9, 50, dtype=np.int32).tolist() == random.integers(0, 9, 50, dtype=np.int32).tolist()
    )
    assert twin.random() == random.random()


def test_positions_round_trip_and_refuse_other_arrays():
    game = BoxesGame(BoxesRules(rows=1, columns=1))
    positions, _ = self_play(game, random_opening_plies=0).play(8)
    again = Positions.from_arrays(positions.arrays())
    assert again.points.tobytes() == positions.points.tobytes()
    with pytest.raises(ValueError, match="positions must have the arrays"):
        Positions.from_arrays({"points": positions.points})
