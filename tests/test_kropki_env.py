"""Batches of Kropki as Python sees them: starts, komi, positions, openings, captures, errors."""

import itertools
import json

import numpy as np
import pytest
from drawn_kropki import drawn, legal_names, play, rows_of

from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_notation import KropkiNotation
from dotzero.envs.kropki_position import reaches_edge
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.registry import describe_game, make_game


def kropki(width=8, height=6, **rules):
    return KropkiGame(KropkiRules(width=width, height=height, **rules))


def test_the_board_of_the_tournament():
    """R003, R004, R005, R133: 39 columns, 32 rows, 1248 points; player 1, index 0, moves first."""
    game = make_game("kropki", {"start": "empty"})
    state = game.start(1)
    assert game.size == (32, 39)
    assert (game.num_actions, game.stop) == (1249, 1248)
    assert game.plain_actions(state).sum() == 1248
    assert game.max_margin == 1248
    assert game.margin_scale == pytest.approx(1248**0.5)
    assert state.to_move[0] == 0
    for width, height in ((15, 15), (40, 40), (52, 2), (2, 52)):
        assert kropki(width, height, start="single").size == (height, width)


def test_a_game_of_kropki_as_plain_values():
    """What files hold gives an equal game, and equals what JSON gives back."""
    game = kropki(start="empty", opening_zone=(3, 2), house_closes="owner_turn", komi=2)
    described = describe_game(game)
    assert json.loads(json.dumps(described)) == described
    assert make_game(described["game"], described["rules"]).rules == game.rules
    assert described["rules"]["opening_zone"] == [3, 2]
    with pytest.raises(ValueError, match=r"^KropkiRules must have the fields width, .*, komi, got links$"):
        make_game("kropki", {"links": 2})


def test_new_games_carry_their_start():
    """R007, R009, R010: the start dots are on the board and in the record, but are no moves."""
    game = kropki(komi=0.5)
    state = game.start(2)
    assert rows_of(game, state)[2:4] == [". . . X O . . .", ". . . O X . . ."]
    assert state.num_moves.tolist() == [0, 0]
    assert state.last.tolist() == [[-1, -1, -1]] * 2
    assert state.komi.tolist() == [0.5, 0.5]
    assert game.describe_start(state, 1) == {"start": [["dc", "ed"], ["ec", "dd"]], "komi": 0.5}
    assert game.margin(state).tolist() == [-0.5, -0.5]


def test_random_starts_are_drawn_for_each_game():
    """R010: the same generator gives the same games; without one all are the rules' own."""
    game = kropki(12, 12, start="random_crosses", start_seed=3)
    alike, drawn_games = game.start(4), game.start(4, np.random.default_rng(1))
    assert (alike.cells == alike.cells[0]).all()
    assert (game.start(4, np.random.default_rng(1)).cells == drawn_games.cells).all()
    assert len({cells.tobytes() for cells in drawn_games.cells}) == 4
    assert ((drawn_games.cells == 5).sum(axis=(1, 2)) == 8).all()
    assert len(game.start(0, np.random.default_rng(1))) == 0


def test_a_recorded_start_begins_the_same_game():
    """R010: names of start dots and komi are enough, whatever drew them."""
    game = kropki(12, 9, start="random_crosses")
    state = game.start(3, np.random.default_rng(5))
    names, dots = KropkiNotation(game.rules), np.zeros((3, 9, 12), np.uint8)
    for index, player in itertools.product(range(3), (1, 2)):
        for name in game.describe_start(state, index)["start"][player - 1]:
            dots[index].flat[names.parse(name)] = player
    again = game.start_from(dots)
    for field in ("cells", "start_dots", "num_moves", "finished", "score", "to_move", "komi"):
        assert (getattr(again, field) == getattr(state, field)).all(), field


@pytest.mark.parametrize("wrong", [np.zeros((1, 8, 6), int), np.full((1, 6, 8), 3), np.zeros((6, 8), int)])
def test_impossible_start_dots_are_refused(wrong):
    with pytest.raises(
        ValueError, match=r"^start dots must be 0, 1 or 2 and have shape \(games, 6, 8\), got "
    ):
        kropki().start_from(wrong)


def test_komi_of_each_game():
    """R045: seen by the player to move, kept by later moves; the old batch keeps its own."""
    game = kropki(5, 4)
    state = game.start(3)
    changed = game.with_komi(state, np.array([0.5, 0, -2]))
    assert state.komi.tolist() == [0, 0, 0]
    assert game.margin(changed).tolist() == [-0.5, 0, 2]
    after = game.step(changed, [0, 0, 0])
    assert game.margin(after).tolist() == [0.5, 0, -2]
    assert after.komi.dtype == np.float32


@pytest.mark.parametrize(
    ("komi", "message"),
    [
        ([0.25, 0], "KropkiRules.komi must be a multiple of 0.5, got 0.25"),
        ([0, 21], "KropkiRules.komi must be within 20 points, got 21.0"),
        ([0, 2.0], "KropkiRules.instant_win must be above the komi of 2, got 2"),
        ([0.5], r"komi must have shape \(2,\), got \(1,\)"),
    ],
)
def test_impossible_komi_is_refused(komi, message):
    game = kropki(5, 4, instant_win=2)
    with pytest.raises(ValueError, match=f"^{message}$"):
        game.with_komi(game.start(2), np.array(komi))


def test_openings_stay_near_the_dots():
    """Two king's steps from any dot, dead ones too, and never STOP; anywhere on an empty board."""
    game, state = drawn(["X . . . . . .", ". . . . . . .", ". . . . . . .", ". . . . . . ."])
    names = KropkiNotation(game.rules)
    opening = {names.name(action) for action in np.flatnonzero(game.opening_actions(state)[0])}
    assert opening == {column + row for column in "abc" for row in "abc"} - {"aa"}
    start = game.start(1)
    assert game.opening_actions(start)[0].tolist() == [True] * 28 + [False]
    zone = KropkiGame(KropkiRules(width=9, height=3, start="empty", opening_zone=(9, 1)))
    moved = zone.step(zone.start(1), [9])
    assert np.flatnonzero(zone.opening_actions(moved)[0]).tolist() == [10, 11]
    far = KropkiGame(KropkiRules(width=9, height=3, start="empty", opening_zone=(2, 1)))
    assert far.opening_actions(far.start(1)).sum() == 2


def test_reasons_of_illegality():
    """R001, R012, R014: one line each that says what is wrong."""
    game, state = drawn(["X . X X .", ". X 1 o X", ". . X X ."])
    for action, reason in (
        (0, "this point is occupied"),
        (7, "this point is closed"),
        (8, "this point is closed"),
        (16, "points are 0..14 and STOP is 15"),
        (-1, "the game is not finished and there is no pass"),
        (-7, "points are 0..14 and STOP is 15"),
    ):
        with pytest.raises(ValueError) as error:  # noqa: PT011
            game.step(state, [action])
        assert str(error.value) == f"illegal action {action} in game 0: {reason}"
    with pytest.raises(ValueError, match=r"^illegal action 1 in game 0: the game is finished$"):
        game.step(play(game, state, "stop"), [1])


def test_dots_are_never_moved_or_removed():
    """R001, R002, R012, R128: players alternate; every dot stays visible; points run out one by one."""
    game = kropki(7, 7, stop="off", start="empty")
    state, rng, mover = game.start(20), np.random.default_rng(2), 0
    while not state.finished.all():
        going = np.flatnonzero(~state.finished)
        assert (state.to_move[going] == mover).all()
        legal = game.legal(state)
        lots = np.where(legal, rng.random(legal.shape), -1)
        after = game.step(state, np.where(state.finished, -1, lots.argmax(axis=1)))
        kept = state.cells & 0x0C
        assert ((after.cells & kept) == kept).all()
        playable = (after.cells & 0x3F == 0).sum(axis=(1, 2))
        assert (game.legal(after).sum(axis=1) == playable).all()
        closed_empty = (after.cells & 0x3F != 0) & (after.cells & 0x0F == 0)
        dots = (after.cells & 0x0C != 0).sum(axis=(1, 2))
        assert (playable + dots + closed_empty.sum(axis=(1, 2)) == 49).all()
        state, mover = after, 1 - mover
    assert state.score.any()


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"punish": True, "score": "territory", "holes": True},
        {"house_closes": "owner_turn", "stop": "solo"},
        {"capture_empty": True, "add_turn": True, "punish": True},
    ],
    ids=str,
)
def test_positions_are_their_cells(rules, random_states):
    """Scores, houses and the end follow from the cells, in every position of random games."""
    game = kropki(7, 6, **rules)
    state = random_states(game, 60, np.random.default_rng(3))
    state = state[state.stopped < 0]
    again = game.position(state.cells & 0x3F, state.to_move)
    for field in ("cells", "score", "finished", "to_move"):
        np.testing.assert_array_equal(getattr(again, field), getattr(state, field), err_msg=field)
    dots = (state.cells & 0x0C != 0).sum(axis=(1, 2))
    np.testing.assert_array_equal(again.num_moves, dots)
    assert (again.stopped == -1).all()


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (0x0C, "must carry one dot at most, got 12 at bc"),
        (0x14, None),
        (0x30, "must be held by one player at most, got 48 at bc"),
        (0x01, "must carry every live dot as a placed one, got 1 at bc"),
        (0x09, "must carry every live dot as a placed one, got 9 at bc"),
        (0x15, "must not be closed under live dots, got 21 at bc"),
        (0x04, "must be closed under dead dots, got 4 at bc"),
        (256, "must be bytes, got 256 at bc"),
        (-1, "must be bytes, got -1 at bc"),
    ],
)
def test_points_that_cannot_be_are_refused(cell, message):
    game = kropki(4, 5)
    cells = np.zeros((2, 5, 4), np.int64)
    cells[1, 2, 1] = cell
    if message is None:
        assert game.position(cells).score.tolist() == [[0, 0], [0, 0]]
        return
    with pytest.raises(ValueError) as error:  # noqa: PT011
        game.position(cells)
    assert str(error.value) == f"cells {message} in position 1"


def test_boards_that_cannot_be_are_refused():
    """Closed points on the edge, dots that should be gone, wrong shapes and movers."""
    with pytest.raises(
        ValueError, match=r"^cells must not be closed on the edge, got 16 at ba in position 0$"
    ):
        drawn([". 1 .", ". . ."])
    ring = [". X .", "X O X", ". X ."]
    gone = r"^cells must hold no live dot inside an enemy enclosure, got 10 at bb in position 0$"
    with pytest.raises(ValueError, match=gone):
        drawn(ring)
    game, state = drawn(ring, house_closes="owner_turn")
    assert rows_of(game, state)[1] == "X Q X"
    full = ["O X O", "X O X", "O X O"]
    assert drawn(full, last_safe=True)[1].finished[0]
    with pytest.raises(ValueError, match=gone):
        drawn(full)
    with pytest.raises(
        ValueError, match=r"^cells must be bytes of shape \(games, 6, 8\), got uint8 \(6, 8\)$"
    ):
        kropki().position(np.zeros((6, 8), np.uint8))
    with pytest.raises(ValueError, match=r"^to_move must be 0 or 1, got 2$"):
        kropki().position(np.zeros((1, 6, 8), np.uint8), 2)


def test_reaching_the_edge_goes_in_four_directions():
    free = np.array([[0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]], bool)[None]
    assert reaches_edge(free)[0].tolist() == [[0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]


def test_gains_for_either_player():
    """One-move captures of both colours; an entered house is none."""
    game, state = drawn([". X . O .", "X O . X O", ". X . O .", ". . . . ."])
    assert np.flatnonzero(game.gains(state)[0]).tolist() == [7]
    assert game.gains(state)[0, 7] == 1
    assert (game.gains(state, 1) == game.gains(state, np.array([1]))).all()
    assert np.flatnonzero(game.gains(state, 1)[0]).tolist() == [7]
    assert legal_names(game, state) >= {"cb", "stop"}


def test_captures_of_a_wrong_move_are_refused():
    game, state = drawn(["X .", ". ."])
    with pytest.raises(ValueError, match=r"^illegal action 0 in game 0: this point is occupied$"):
        game.captures(state, 0)
    assert game.captures(state, 1) == []
    assert game.captures(state, game.stop) == []


def test_random_games_of_the_core():
    """Totals are whole games, the same for the same seed, with or without grounding kept."""
    game = kropki(6, 6)
    totals = game.play_random_games(300, 5)
    assert totals == game.play_random_games(300, 5, keep_grounding=True)
    assert totals != game.play_random_games(300, 6)
    assert 300 * 18 < totals.placements <= 300 * 36
    assert totals.captured > 300
    assert sum(totals.wins) < 300


@pytest.mark.parametrize(
    ("size", "rules", "neighbour"),
    [
        ((8, 6), {}, (7, 8)),
        ((39, 52), {}, (51, 39)),
        ((6, 52), {"start": "empty", "opening_zone": (3, 52)}, (52, 7)),
    ],
)
def test_neighbours_differ_in_one_side(size, rules, neighbour):
    """The same rules where they fit."""
    assert kropki(*size, **rules).neighbour().size == neighbour


def test_stop_is_never_the_only_move(random_actions):
    """A game whose last point is taken is over: nobody is forced to hand dots over."""
    rng = np.random.default_rng(7)
    for rules in ({}, {"stop": "solo", "solo_moves": 3}, {"house_closes": "owner_turn", "last_safe": True}):
        game = kropki(4, 5, **rules)
        state = game.start(50)
        while not state.finished.all():
            assert game.plain_actions(state)[~state.finished].any(axis=1).all()
            moves = game.plain_actions(state) * rng.random((50, game.num_actions))
            state = game.step(state, np.where(state.finished, -1, moves.argmax(axis=1)))


def test_arrays_in_any_order_are_positions():
    game = kropki(5, 5, start="empty")
    board = np.zeros((2, 5, 5), np.uint8)
    board[:, 1, 3] = 5
    for cells in (
        np.asfortranarray(board),
        board.astype(np.int64),
        board.transpose(0, 2, 1).copy().transpose(0, 2, 1),
    ):
        np.testing.assert_array_equal(game.position(cells).cells, board)
    with pytest.raises(
        ValueError, match=r"^cells must be bytes of shape \(games, 5, 5\), got float64 \(2, 5, 5\)$"
    ):
        game.position(board.astype(float))


def test_questions_about_what_is_not_there():
    game = kropki(5, 5)
    state = game.start(2)
    with pytest.raises(ValueError, match=r"^index must be in 0\.\.1, got 2$"):
        game.captures(state, 0, index=2)
    with pytest.raises(ValueError, match=r"^player must be 0 or 1, got 300$"):
        game.gains(state, 300)
