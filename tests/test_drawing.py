"""Pictures of boards: what stands where, told apart without colour, one size for all positions of a game."""

import numpy as np
import pytest
from drawn_kropki import drawn

from dotzero.envs.drawing import FAINT, INK, PAPER, PLAYERS, TINTS, Canvas, draw
from dotzero.envs.notation import notation_for
from dotzero.envs.registry import make_game


def play(game, moves):
    """The state after moves by name, the last action and all captures."""
    state, action, captures = game.start(1), None, []
    for name in moves.split():
        action = notation_for(game).parse(name)
        if game.name == "kropki":
            captures += game.captures(state, action)
        state = game.step(state, [action])
    return state, action, captures


def pixel(picture, canvas, x, y):
    """The colour at a place, in cells from the board's top left corner."""
    at = [round(value * canvas.cell + canvas._margin) for value in (y, x)]
    return tuple(picture[at[0], at[1]].tolist())


def grey(colour):
    return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]


def test_boxes_have_tints_and_lines_are_where_they_were_drawn():
    """R055, R108, R110, R146."""
    game = make_game("boxes", {"rows": 2, "columns": 3})
    state, last, _ = play(game, "A1T A1L A1B B2L A1R B2R")  # player 1 closes A1 with A1R and moves again
    assert state.score.tolist() == [[1, 0]]
    picture, canvas = draw(game, state, last=last), Canvas(3, 2)
    assert picture.dtype == np.uint8
    assert picture.ndim == 3
    assert pixel(picture, canvas, 0.15, 1.2) == TINTS[0]
    assert pixel(picture, canvas, 1.4, 1.4) == PAPER
    assert pixel(picture, canvas, 0.5, 1) == INK
    assert pixel(picture, canvas, 2.5, 2) != INK
    assert pixel(picture, canvas, 2, 0.5) not in (INK, FAINT, PAPER)  # B2R, the last line
    plain = draw(game, state)
    assert pixel(plain, canvas, 2, 0.5) == INK
    other = draw(game, state, last=last, marks=("A", "B"))
    assert (other != picture).any()


def test_players_of_kropki_differ_without_colour():
    """R006: full and hollow dots, plain and hatched areas."""
    game = make_game("kropki", {"width": 6, "height": 5, "start": "empty"})
    state, last, captures = play(game, "ba bb ab fe cb fd bc")
    assert state.score.tolist() == [[1, 0]]
    canvas, picture = Canvas(5, 4), draw(game, state, last=last, enclosures=captures)
    one, two = pixel(picture, canvas, 1, 0), pixel(picture, canvas, 5, 4)
    assert one == PLAYERS[0]
    assert two == PAPER
    assert abs(grey(one) - grey(two)) > 100
    assert pixel(picture, canvas, 5 + 0.27, 4) == PLAYERS[1]
    assert pixel(picture, canvas, 1.3, 1.3) == TINTS[0]  # inside the chain, beside the captured dot
    assert pixel(picture, canvas, 0.5, 0.5) == PLAYERS[0]  # on the chain
    assert pixel(picture, canvas, 1, 2 - 0.46) in (INK, PLAYERS[0])
    assert (draw(game, state, enclosures=captures) != picture).any()
    bare = draw(game, state)
    assert pixel(bare, canvas, 1.4, 1.4) == TINTS[0]  # its chain is not known: the point is tinted
    assert pixel(bare, canvas, 0.5, 0.5) != PLAYERS[0]


def test_an_area_of_player_2_is_hatched():
    rows = [". O .", "O x O", ". O ."]
    game, state = drawn(rows)
    colours = {tuple(colour) for colour in draw(game, state).reshape(-1, 3).tolist()}
    assert TINTS[1] in colours
    assert TINTS[0] not in colours
    patch = draw(game, state)
    cell, margin = Canvas(2, 2).cell, Canvas(2, 2)._margin
    inside = patch[round(margin + 0.62 * cell) : round(margin + 1.38 * cell), round(margin + 0.62 * cell) :][
        :, :8
    ]
    assert len(np.unique(inside.reshape(-1, 3), axis=0)) > 2  # strokes on the tint


def test_a_chain_is_drawn_only_while_its_owner_holds_a_point_inside():
    game = make_game("kropki", {"width": 6, "height": 5, "start": "empty"})
    state, _, captures = play(game, "ba bb ab fe cb fd bc")
    freed = state.copy()
    freed.cells[0, 1, 1] = 0
    assert pixel(draw(game, freed, enclosures=captures), Canvas(5, 4), 0.5, 0.5) != PLAYERS[0]


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("boxes", {"rows": 1, "columns": 1}),
        ("boxes", {"rows": 84, "columns": 1}),
        ("boxes", {"rows": 4, "columns": 26}),
        ("kropki", {"width": 2, "height": 2, "start": "empty"}),
        ("kropki", {"width": 52, "height": 52}),
        ("kropki", {}),
    ],
)
def test_all_pictures_of_a_game_have_one_even_size(name, rules, random_actions):
    """R146, and video encoders take no odd sizes."""
    game = make_game(name, rules)
    rng, state = np.random.default_rng(2), game.start(1)
    first = draw(game, state)
    assert first.shape[0] % 2 == first.shape[1] % 2 == 0
    last = int(random_actions(game, state, rng)[0])
    state = game.step(state, [last])
    second = draw(game, state, last=last)
    assert second.shape == first.shape
    assert (second != first).any()
    assert first.flags.writeable
    first[:] = 0
    assert draw(game, game.start(1)).any()


def test_the_footer_tells_score_and_turn():
    game = make_game("boxes", {"rows": 1, "columns": 2})
    pictures = {name: draw(game, play(game, name)[0]) for name in ("A1T", "A1T A1B", "A1T A1B A1L")}
    board = {name: picture[-30:] for name, picture in pictures.items()}
    assert (board["A1T"] != board["A1T A1B"]).any()  # the other player moves
    assert (board["A1T"] == board["A1T A1B A1L"]).all()
    won = draw(game, play(game, "A1T A1B A1L B1T B1B B1R A1R")[0])[-30:]
    assert not any((won == other).all() for other in board.values())
