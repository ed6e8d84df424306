"""The symmetry tables as groups, and gathers by them."""

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules


def boxes(rows, columns):
    return lambda: BoxesGame(BoxesRules(rows=rows, columns=columns))


def kropki(width, height, **rules):
    return lambda: KropkiGame(KropkiRules(**{"start": "empty", **rules}, width=width, height=height))


GAMES = {
    f"{make.__name__}-{first}x{second}": make(first, second)
    for make, sizes in (
        (boxes, [(1, 1), (1, 3), (3, 1), (2, 2), (2, 3), (5, 5), (7, 4)]),
        (kropki, [(2, 2), (3, 3), (6, 6), (4, 7), (8, 3)]),
    )
    for first, second in sizes
}


@pytest.fixture(params=GAMES.values(), ids=GAMES.keys())
def game(request):
    return request.param()


def test_squares_have_eight_and_rectangles_four(game):
    """P08: a quarter turn or a transpose would change the shape of a rectangle."""
    square = game.size[0] == game.size[1]
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


def test_points_of_kropki_carry_their_bits_with_them():
    """All bits of all bytes move as their point does, and so does its action; STOP stays where it is."""
    game = kropki(4, 3)()
    tables, points = game.symmetries, np.arange(12)
    assert tables.actions[:, 12].tolist() == [12] * 4
    assert (tables.actions[:, :12] == tables.points).all()
    features = tables.features.reshape(4, 3, 12, 8)
    for byte in range(3):
        for bit in range(8):
            assert (features[:, byte, points, bit] == (byte * 12 + tables.points) * 8 + bit).all()
    left_right = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8]
    assert left_right in tables.points.tolist()


@pytest.mark.parametrize(
    ("size", "zone", "num_kept"),
    [
        ((6, 6), (2, 2), 8),
        ((6, 6), (4, 2), 4),
        ((6, 6), (3, 2), 2),  # one column off the middle
        ((6, 6), (3, 3), 2),  # off the middle both ways: it lies on a diagonal
        ((7, 6), (3, 3), 2),
        ((7, 6), (3, 2), 4),
        ((7, 6), (2, 3), 1),
    ],
)
def test_an_opening_zone_off_the_middle_leaves_fewer(size, zone, num_kept):
    """R008: a motion that moves the zone is no symmetry of the rules."""
    game = kropki(*size, opening_zone=zone)()
    assert len(game.symmetries) == num_kept
    inside = np.broadcast_to(game.rules.zone(), (num_kept, *game.size))
    moved = game.symmetries.apply_to_owners(inside, np.arange(num_kept))
    assert (moved == inside).all()
