"""Every rule and option of Kropki on small drawn boards whose right values were worked out by hand."""

from itertools import pairwise

import numpy as np
import pytest
from drawn_kropki import drawn, legal_names, play, rows_of

from dotzero.envs.kropki_position import PLACED

CROSS = [". . . . .", ". . X . .", ". X O . .", ". . X . .", ". . . . ."]
"""X captures at dc."""
HOUSE = [". . X . .", ". X ' X .", ". . X . .", ". . . . ."]
"""The house at cb belongs to X."""
LAST_POINT = ["O X O", "X ' X", "O X O"]
LARGE = [". X X X X X .", "X . . . . . X", "X . O . X . X", "X . . . . . X", ". X X . X X ."]
"""X closes 15 points at de: a dot of each player and 13 empty ones."""


def scores(rows, moves, to_move=0, **rules):
    game, state = drawn(rows, to_move, **rules)
    return play(game, state, moves).score[0].tolist()


def test_the_last_dot_of_a_ring_captures():
    """R016, R017, R022, R031, R039: the chain in walking order; the other player is next."""
    game, state = drawn(CROSS)
    action = 2 * 5 + 3
    assert game.gains(state)[0, action] == 1
    [capture] = game.captures(state, action)
    assert (capture.player, capture.interior, capture.dots) == (0, (12,), 1)
    assert sorted(capture.chain) == [7, 11, 13, 17]
    points = [divmod(point, 5) for point in (*capture.chain, capture.chain[0])]
    assert all(max(abs(y - v), abs(x - u)) == 1 for (y, x), (v, u) in pairwise(points))
    state = play(game, state, "dc")
    assert state.score[0].tolist() == [1, 0]
    assert state.to_move[0] == 1
    assert rows_of(game, state) == [". . . . .", ". . X . .", ". X o X .", ". . X . .", ". . . . ."]


def test_a_gap_in_the_ring_is_none():
    """R016: links reach one step."""
    assert scores(CROSS, "ec") == [0, 0]


def test_another_move_after_a_capture():
    """R013, R134: only with add_turn, and only where a dot was captured."""
    for add_turn, mover in ((False, 1), (True, 0)):
        game, state = drawn(CROSS, add_turn=add_turn)
        assert play(game, state, "dc").to_move[0] == mover
        assert play(game, state, "aa").to_move[0] == 1
    game, state = drawn([row.replace("O", ".") for row in CROSS], add_turn=True, capture_empty=True)
    assert play(game, state, "dc").to_move[0] == 1  # it closed a point, but took no dot


@pytest.mark.parametrize("add_turn", [False, True])
def test_r164_every_move_places_one_dot(add_turn):
    """R164: a further move after a capture is a move of its own, to be chosen after the capture is seen."""
    game, state = drawn(CROSS, add_turn=add_turn)
    for move in ("dc", "aa", "ba"):
        after = play(game, state, move)
        assert ((after.cells & PLACED) != 0).sum() == ((state.cells & PLACED) != 0).sum() + 1
        assert after.num_moves[0] == state.num_moves[0] + 1
        state = after


def test_an_empty_area_is_a_house_or_closed():
    """R015, R019: no score; playable for both, unless capture_empty closes it."""
    rows = [row.replace("O", ".") for row in CROSS]
    for capture_empty, sign in ((False, "'"), (True, "1")):
        game, state = drawn(rows, capture_empty=capture_empty)
        state = play(game, state, "dc")
        assert rows_of(game, state)[2] == f". X {sign} X ."
        assert state.score[0].tolist() == [0, 0]
        assert ("cc" in legal_names(game, state)) is not capture_empty
    assert scores(rows, "dc", capture_empty=True, score="territory") == [1, 0]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({}, [1, 0]),
        ({"punish": True}, [1, 1]),
        ({"score": "territory"}, [14, 0]),
        ({"score": "territory", "punish": True}, [14, 1]),
    ],
)
def test_all_inside_a_ring_is_closed(rules, expected):
    """R014, R018, R020, R041, R128: for both players; own dots inside cost something with punish only."""
    game, state = drawn(LARGE, **rules)
    state = play(game, state, "de")
    assert state.score[0].tolist() == expected
    assert rows_of(game, state)[1:4] == ["X 1 1 1 1 1 X", "X 1 o 1 # 1 X", "X 1 1 1 1 1 X"]
    assert legal_names(game, state) == {"aa", "ga", "ae", "ge", "stop"}
    assert (game.position(state.cells).score == state.score).all()


def test_entering_a_house_at_once():
    """R021, R022, R131: legal, taken at once, and the owner moves next, anywhere."""
    game, state = drawn(HOUSE, 1)
    assert "cb" in legal_names(game, state)
    state = play(game, state, "cb")
    assert state.score[0].tolist() == [1, 0]
    assert state.to_move[0] == 0
    assert rows_of(game, state)[1] == ". X o X ."
    assert scores(HOUSE, "cb") == [0, 0]  # in the own house: a plain dot


def test_entering_a_house_that_closes_in_its_owners_turn():
    """R021: the dot waits for the owner's next move, wherever that is; it counts as that move's capture."""
    game, state = drawn(HOUSE, 1, house_closes="owner_turn", add_turn=True)
    state = play(game, state, "cb")
    assert rows_of(game, state)[1] == ". X Q X ."
    assert state.score[0].tolist() == [0, 0]
    [capture] = game.captures(state, 19)
    assert (capture.player, capture.interior, capture.dots) == (0, (7,), 1)
    state = play(game, state, "ed")
    assert state.score[0].tolist() == [1, 0]
    assert state.to_move[0] == 0
    assert rows_of(game, state)[1] == ". X o X ."


def test_a_house_never_closes_for_one_who_stopped():
    """R139: the solo player may walk through the stopper's houses; at_once they close all the same."""
    for house_closes, expected in (("owner_turn", [0, 0]), ("at_once", [1, 0])):
        game, state = drawn(HOUSE, 0, stop="solo", house_closes=house_closes)
        state = play(game, state, "stop cb ed")
        assert state.score[0].tolist() == expected


@pytest.mark.parametrize(
    ("rules", "expected"),
    [({}, [1, 0]), ({"last_safe": True}, [0, 0]), ({"house_closes": "owner_turn"}, [0, 0])],
)
def test_the_last_dot_in_a_house(rules, expected):
    """R021, R034: taken at once, safe with last_safe, and no turn of the owner is left for owner_turn."""
    game, state = drawn(LAST_POINT, 1, **rules)
    state = play(game, state, "bb")
    assert state.score[0].tolist() == expected
    assert state.finished[0]
    assert not game.legal(state).any()


def test_the_movers_ring_comes_first():
    """R021: a dot inside a house that completes a ring of its own captures and is not taken."""
    rows = [". . . O . .", ". . X O . .", ". X ' X O .", ". . X O . .", ". . . O . ."]
    game, state = drawn(rows, 1)
    state = play(game, state, "cc")
    assert state.score[0].tolist() == [0, 1]
    assert rows_of(game, state)[2] == ". X O x O ."


def test_captured_dots_are_in_no_ring():
    """R023, R027: the dot at bb is captured, so the ring round cb stays open."""
    assert scores([". X O .", "X o X .", ". X O ."], "db", 1) == [1, 0]


def test_the_edge_is_safe():
    """R024, R025: a region that reaches the edge is open, and so is what hangs on it in 4 directions."""
    assert scores(["X O X", ". . ."], "bb") == [0, 0]
    assert scores([". X O X .", ". X O X .", ". . . . .", ". . . . ."], "cc") == [0, 0]


def test_a_diagonal_link_can_be_cut():
    """R026: a diagonal link to the edge does not ground, and is cut by both its corners."""
    cut = [". . X O .", ". X O . .", ". . X . .", ". . . . ."]
    game, state = drawn(cut)
    assert game.ungrounded(state)[0].tolist() == [2, 1]
    assert play(game, state, "db").score[0].tolist() == [1, 0]
    held = [". . X O .", ". X O O .", ". . X X .", ". . . . ."]
    game, state = drawn(held)
    assert game.ungrounded(state)[0].tolist() == [3, 0]
    assert play(game, state, "eb").score[0].tolist() == [0, 0]


def test_retaking_frees():
    """R028, R032, R136: the prisoner inside a retaken ring counts no more, and stays dead."""
    rows = [". . O . .", ". O X O .", "O X o X O", ". O X O .", ". . . . ."]
    game, state = drawn(rows, 1)
    assert state.score[0].tolist() == [1, 0]
    state = play(game, state, "ce")
    assert state.score[0].tolist() == [0, 4]
    assert rows_of(game, state) == [". . O . .", ". O x O .", "O x @ x O", ". O x O .", ". . O . ."]


def test_several_rings_by_one_dot():
    """R029, R032: each is judged by itself, the smallest first; the shared dot is in both."""
    game, state = drawn([". X . X X .", "X O . . O X", ". X . X X ."])
    captures = game.captures(state, 8)
    assert [(one.dots, len(one.interior)) for one in captures] == [(1, 1), (1, 2)]
    state = play(game, state, "cb")
    assert rows_of(game, state)[1] == "X o X 1 o X"
    assert state.score[0].tolist() == [2, 0]


def test_the_smallest_area_is_taken():
    """R030, R162: only the part round the entering dot; the house beside it stays."""
    rows = [". . X . .", ". X ' X .", ". X X X .", "X ' ' ' X", ". X X X ."]
    game, state = drawn(rows, 1)
    state = play(game, state, "cd")
    assert rows_of(game, state) == [". . X . .", ". X ' X .", ". X X X .", "X 1 o 1 X", ". X X X ."]


@pytest.mark.parametrize(("holes", "playable"), [(False, False), (True, True)])
def test_holes_between_rings(holes, playable):
    """P16: a larger ring closes the older house inside it, or leaves it playable."""
    rows = [
        ". . X X X . .",
        ". X . . . X .",
        "X . . X . . X",
        "X . X ' X . X",
        "X . . X . . X",
        ". X . O . X .",
        ". . X X . . .",
    ]
    game, state = drawn(rows, holes=holes)
    state = play(game, state, "eg")
    assert state.score[0].tolist() == [1, 0]
    assert ("dd" in legal_names(game, state)) is playable
    assert "cc" not in legal_names(game, state)
    if playable:
        assert play(game, state, "dd").score[0].tolist() == [2, 0]


def test_the_first_lead_wins_at_once():
    """R049: komi aside."""
    game, state = drawn(CROSS, instant_win=1, komi=0.5)
    state = play(game, state, "dc")
    assert state.finished[0]
    assert game.outcome(state)[0] == -1  # seen by the player who would be next
    game, state = drawn(CROSS, instant_win=2)
    assert not play(game, state, "dc").finished[0]


def test_the_opening_zone_binds_the_first_move_of_each():
    """R008, R138: move one and two in the window, the third anywhere; STOP is free."""
    game, state = drawn([". . . . . ."] * 5, opening_zone=(2, 1))
    window = {"cc", "dc"}
    assert legal_names(game, state) == window | {"stop"}
    state = play(game, state, "cc")
    assert legal_names(game, state) == {"dc", "stop"}
    with pytest.raises(
        ValueError, match=r"^illegal action 0 in game 0: the first move of each player must lie"
    ):
        game.step(state, [0])
    assert len(legal_names(game, play(game, state, "dc"))) == 29


def test_grounding_at_stop():
    """R036, R037, R140: all dots that are not linked to the edge are lost, and captives inside are freed."""
    game, state = drawn([". . . . .", ". . X . .", ". X o X .", ". . X . .", ". . . . ."])
    assert game.ungrounded(state)[0].tolist() == [5, 0]  # the captive would be freed
    assert game.stop_margins(state)[0].tolist() == [-4, -1]
    assert game.decided(state)[0] == -1
    stopped = play(game, state, "stop")
    assert stopped.score[0].tolist() == [0, 4]
    assert stopped.finished[0]
    assert stopped.stopped[0] == 0
    assert rows_of(game, stopped)[1:3] == [". . x . .", ". x @ x ."]
    linked = drawn([". . X . .", ". . X . .", ". X o X .", ". . X . .", ". . . . ."])[1]
    assert game.ungrounded(linked)[0].tolist() == [0, 0]
    assert game.stop_margins(linked)[0].tolist() == [1, -1]
    assert game.decided(linked)[0] == 0


def test_decided_counts_komi_and_needs_grounding():
    """Rule 10: a side that would still win after stopping at once; komi may turn it."""
    rows = [". . X . .", ". . X . .", ". X o X .", ". . X . .", ". . . . ."]
    for komi, winner in ((0.5, 0), (1.0, -1), (1.5, 1), (-3.0, 0)):
        game, state = drawn(rows, komi=komi)
        assert game.decided(state)[0] == winner
    for stop in ("solo", "off"):
        game, state = drawn(rows, stop=stop)
        assert game.decided(state)[0] == -1
    game, state = drawn(rows)
    assert game.decided(play(game, state, "stop"))[0] == 0  # it has won
    game, state = drawn(rows, komi=1)
    assert game.decided(play(game, state, "stop"))[0] == -1  # drawn


def test_a_solo_phase():
    """R036, R130, R139: after STOP the other player goes on alone, for so many moves."""
    game, state = drawn(CROSS, 1, stop="solo", solo_moves=3)
    state = play(game, state, "stop")
    assert (state.to_move[0], state.stopped[0], state.solo_left[0]) == (0, 1, 3)
    state = play(game, state, "aa dc")
    assert (state.to_move[0], state.solo_left[0], state.finished[0]) == (0, 1, False)
    assert state.score[0].tolist() == [1, 0]
    state = play(game, state, "ab")
    assert state.finished[0]
    early = play(*drawn(CROSS, 1, stop="solo"), "stop aa stop")
    assert early.finished[0]
    assert early.score[0].tolist() == [0, 0]
    assert early.stopped[0] == 1


def test_a_solo_phase_without_limit_fills_the_board():
    """R034, R140: the same ring as with grounding is lost only if the opponent takes it."""
    game, state = drawn([". . .", ". X .", ". . ."], stop="solo")
    state = play(game, state, "stop ba ab cb")
    assert state.solo_left[0] == -1
    state = play(game, state, "bc")
    assert state.score[0].tolist() == [0, 1]
    assert rows_of(game, play(game, state, "aa ca ac cc"))[1] == "O x O"
    assert play(game, state, "aa ca ac cc").finished[0]


def test_no_stop():
    """R012, R141: no pass ever, no STOP with stop=off."""
    game, state = drawn(CROSS, stop="off")
    assert not game.legal(state)[0, game.stop]
    with pytest.raises(ValueError, match=r"^illegal action 25 in game 0: STOP is off$"):
        game.step(state, [25])
    with pytest.raises(ValueError, match=r"there is no pass$"):
        game.step(state, [-1])


@pytest.mark.parametrize(("komi", "outcomes"), [(0, [0, 0]), (0.5, [-1, 1]), (-0.5, [1, -1])])
def test_komi_breaks_draws(komi, outcomes):
    """R039, R045: equal scores are a draw; half a point for player 2 is none."""
    game, state = drawn(["X O", "O ."], komi=komi)
    state = play(game, state, "bb")
    state = state[np.array([0, 0])]
    state.to_move[:] = 0, 1
    assert state.score.tolist() == [[0, 0], [0, 0]]
    assert game.outcome(state).tolist() == outcomes
