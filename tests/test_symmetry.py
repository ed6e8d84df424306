"""The symmetry tables as groups, and gathers by them."""

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules

SIZES = [(1, 1), (1, 3), (3, 1), (2, 2), (2, 3), (5, 5), (7, 4)]


@pytest.fixture(params=SIZES, ids=lambda size: "x".join(map(str, size)))
def game(request):
    rows, columns = request.param
    return BoxesGame(BoxesRules(rows=rows, columns=columns))


def test_squares_have_eight_and_rectangles_four(game):
    """P08: a quarter turn or a transpose would change the shape of a rectangle."""
    square = game.rules.rows == game.rules.columns
    assert len(game.symmetries) == (8 if square else 4)
    together = np.concatenate([game.symmetries.actions, game.symmetries.features], axis=1)
    assert len(np.unique(together, axis=0)) == len(game.symmetries)


@pytest.mark.parametrize("kind", ["actions", "features", "points"])
def test_each_table_is_a_group_of_permutations(game, kind):
    table = getattr(game.symmetries, kind)
    identity = np.arange(table.shape[1])
    assert (table[0] == identity).all()
    assert (np.sort(table, axis=1) == identity).all()
    rows = {tuple(row) for row in table}
    for first in table:
        for second in table:
            assert tuple(second[first]) in rows, "closed under composition"


def test_the_three_tables_are_of_the_same_motions(game):
    """Composing two symmetries gives the same third one in every table."""
    tables = game.symmetries
    together = np.concatenate(
        [
            tables.actions,
            tables.features + tables.actions.shape[1],
            tables.points + tables.actions.shape[1] + tables.features.shape[1],
        ],
        axis=1,
    )
    rows = {tuple(row) for row in together}
    assert all(tuple(second[first]) in rows for first in together for second in together)


def test_gathers_move_things_to_their_images(game):
    rng, tables = np.random.default_rng(3), game.symmetries
    chosen = np.arange(len(tables))
    values = rng.random((len(tables), game.num_actions)).astype(np.float32)
    moved = tables.apply_to_actions(values, chosen)
    assert moved.dtype == values.dtype
    for symmetry in chosen:
        for action in range(game.num_actions):
            assert moved[symmetry, tables.actions[symmetry, action]] == values[symmetry, action]
    owners = rng.integers(-1, 2, (len(tables), *game.observation_shape[1:])).astype(np.int8)
    images = tables.apply_to_owners(owners, chosen).reshape(len(tables), -1)
    for symmetry in chosen:
        assert (images[symmetry, tables.points[symmetry]] == owners[symmetry].ravel()).all()
    points = rng.integers(0, 256, (len(tables), *game.observation_shape)).astype(np.uint8)
    bits = np.unpackbits(
        tables.apply_to_points(points, chosen).reshape(len(tables), -1), axis=1, bitorder="little"
    )
    before = np.unpackbits(points.reshape(len(tables), -1), axis=1, bitorder="little")
    for symmetry in chosen:
        assert (bits[symmetry, tables.features[symmetry]] == before[symmetry]).all()


def test_a_mirror_keeps_rows_and_a_quarter_turn_swaps_them():
    """The motions are real ones: on 1x2 boxes the mirror swaps the two boxes and keeps the top at the top."""
    game = BoxesGame(BoxesRules(rows=1, columns=2))
    mirror = [1, 0, 3, 2, 6, 5, 4]
    assert mirror in game.symmetries.actions.tolist()
    square = BoxesGame(BoxesRules(rows=1, columns=1))  # top, bottom, left, right
    assert sorted(square.symmetries.actions.tolist()) == [
        [0, 1, 2, 3], [0, 1, 3, 2], [1, 0, 2, 3], [1, 0, 3, 2],
        [2, 3, 0, 1], [2, 3, 1, 0], [3, 2, 0, 1], [3, 2, 1, 0],
    ]  # fmt: skip
