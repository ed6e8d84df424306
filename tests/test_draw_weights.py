"""Weights of positions: surprise, and repeats under symmetries."""

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.train.draw_weights import MOST_SURPRISE, draw_weights, num_repeats
from dotzero.train.game_log import empty_positions

GAME = BoxesGame(BoxesRules(rows=2, columns=2))


def positions_of(line_sets):
    """Positions of games with these lines drawn, nobody owning anything."""
    state = GAME.start(len(line_sets))
    for row, lines in enumerate(line_sets):
        state.lines[row, lines] = 1
    positions = empty_positions(GAME, len(line_sets))
    positions.points[:], positions.globals[:] = GAME.observe(state)
    return positions


def test_images_of_one_position_are_repeats():
    corner = [0, 6]  # the top and the left line of the top left box
    images = []
    for index in range(len(GAME.symmetries)):
        lines = np.zeros((1, GAME.num_actions), np.uint8)
        lines[0, corner] = 1
        images.append(np.flatnonzero(GAME.symmetries.apply_to_actions(lines, np.array([index]))[0]))
    assert len({tuple(image) for image in images}) == 4
    positions = positions_of([*images, [0, 1], [2]])
    assert num_repeats(positions, GAME.symmetries).tolist() == [8] * 8 + [1, 1]
    weight = draw_weights(positions, np.zeros(10, np.float32), GAME.symmetries, 0.0, 1.0)
    assert weight == pytest.approx(np.array([1 / 8] * 8 + [1, 1]) * 10 / 3)
    weight = draw_weights(positions, np.zeros(10, np.float32), GAME.symmetries, 0.0, 0.5)
    assert weight[0] / weight[9] == pytest.approx(8**-0.5)


def test_positions_that_differ_in_their_globals_are_no_repeats():
    positions = positions_of([[0], [0]])
    positions.globals[1, 0] += 0.5
    assert num_repeats(positions, GAME.symmetries).tolist() == [1, 1]


def test_surprise_gets_its_share_and_no_more():
    positions = positions_of([[0], [1, 2], [3, 4, 5], [7]])
    surprise = np.array([0.0, 1.0, 3.0, 0.0], np.float32)
    weight = draw_weights(positions, surprise, GAME.symmetries, 0.5, 0.0)
    assert weight == pytest.approx([0.5, 1.0, 2.0, 0.5])
    many = positions_of([[0]] * 100)
    surprise = np.zeros(100, np.float32)
    surprise[0] = 50.0
    weight = draw_weights(many, surprise, GAME.symmetries, 0.5, 0.0)
    assert weight.mean() == pytest.approx(1.0)
    surprise[1:] = 0.1
    weight = draw_weights(many, surprise, GAME.symmetries, 1.0, 0.0)
    assert weight[0] / weight[1] == pytest.approx(MOST_SURPRISE / (0.1 / surprise.mean()), rel=1e-4)


def test_positions_that_were_not_searched_keep_their_weight():
    positions = positions_of([[0], [1, 2], [3, 4, 5], [7]])
    surprise = np.array([0.0, np.nan, 3.0, np.nan], np.float32)
    weight = draw_weights(positions, surprise, GAME.symmetries, 0.5, 0.0)
    assert weight == pytest.approx([0.5, 1.0, 1.5, 1.0])
    nothing = np.full(4, np.nan, np.float32)
    assert draw_weights(positions, nothing, GAME.symmetries, 0.5, 0.0).tolist() == [1, 1, 1, 1]


def test_nothing_surprising_and_nothing_at_all():
    positions = positions_of([[0], [1]])
    assert draw_weights(positions, np.zeros(2, np.float32), GAME.symmetries, 0.5, 0.0).tolist() == [1, 1]
    none = draw_weights(empty_positions(GAME, 0), np.zeros(0, np.float32), GAME.symmetries, 0.5, 1.0)
    assert none.shape == (0,)
