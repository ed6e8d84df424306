"""Names of points and text boards of Kropki."""

import numpy as np
import pytest

from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_notation import SIGNS, KropkiNotation
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.notation import notation_for

BOARD = """\
   a b c d e
a  . . X . .
b  . X 1 X .
c  . X o X .
d  . .(X). O"""


def notation(width, height):
    return KropkiNotation(KropkiRules(width=width, height=height))


def kropki(**rules):
    return KropkiGame(KropkiRules(**{"start": "empty", **rules}))


def play(game, moves, state=None):
    names, state = notation_for(game), game.start(1) if state is None else state
    for move in moves.split():
        state = game.step(state, [names.parse(move)])
    return state


@pytest.mark.parametrize(
    ("size", "action", "name"),
    [
        ((39, 32), 0, "aa"),
        ((39, 32), 38, "Ma"),
        ((39, 32), 1247, "MF"),
        ((39, 32), 39 * 3 + 26, "Ad"),
        ((52, 52), 2703, "ZZ"),
        ((52, 52), 2704, "stop"),
        ((5, 5), 22, "ce"),
        ((5, 5), 25, "stop"),
    ],
)
def test_a_point_is_its_column_and_its_row_from_the_top(size, action, name):
    """As in SGF: a to z are 1 to 26, A to Z are 27 to 52."""
    assert notation(*size).name(action) == name
    assert notation(*size).parse(name) == action


def test_stop_is_read_in_any_case():
    assert {notation(4, 6).parse(text) for text in ("stop", "STOP", " Stop\n")} == {24}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "move must be the letters of a column and a row, as in ce, or stop, got ''"),
        ("c", "or stop, got 'c'"),
        ("cee", "or stop, got 'cee'"),
        ("c3", "or stop, got 'c3'"),
        ("c e", "or stop, got 'c e'"),
        ("\u0441e", "or stop"),
        ("ha", "move must be in a column from a to g, got 'ha'"),
        ("Aa", "move must be in a column from a to g, got 'Aa'"),
        ("af", "move must be in a row from a to e, got 'af'"),
        ("pass", "or stop, got 'pass'"),
    ],
)
def test_what_is_no_move_is_refused_in_one_line(text, message):
    """R012 (no pass) and typing errors: what, rule and value."""
    with pytest.raises(ValueError, match=r"^move must be [^\n]+$") as error:
        notation(7, 5).parse(text)
    assert message in str(error.value)


def test_a_board_as_text():
    """R002, R006, R161: captured dots stay visible; no colour is needed; the last move is marked."""
    game = kropki(width=5, height=4)
    names = notation_for(game)
    state = game.position(
        names.parse_board(BOARD.replace("1", "'").replace("o", "O").replace("(X)", " . "))[None]
    )
    state = play(game, "cd", state)
    assert names.board(state, last=int(state.last[0, 0])) == BOARD
    assert names.board(state) == BOARD.replace("(X)", " X ")
    assert names.board(state, last=game.stop) == names.board(state)
    corners = play(game, "aa ed", game.start(1))
    assert names.board(corners, last=0).splitlines()[1] == "a (X). . . ."
    assert names.board(corners, last=19).splitlines()[4] == "d  . . . .(O)"


def test_every_sign_is_another():
    assert len(set(SIGNS.values())) == len(SIGNS)
    assert not {"(", ")", " "} & set(SIGNS.values())


@pytest.mark.parametrize(
    "rules",
    [
        {"width": 5, "height": 5},
        {"width": 9, "height": 6, "start": "random_crosses", "num_crosses": 3},
        {"width": 8, "height": 8, "house_closes": "owner_turn", "stop": "solo"},
        {"width": 8, "height": 8, "house_closes": "owner_turn", "add_turn": True, "holes": True},
        {"width": 7, "height": 7, "capture_empty": True, "score": "territory"},
        {"width": 39, "height": 32},
    ],
    ids=str,
)
def test_boards_read_back(rules, random_states):
    """R002, R006: every cell of random games survives the round trip, marked or not."""
    game = kropki(**rules)
    names, state = notation_for(game), random_states(game, 40, np.random.default_rng(4))
    seen = set()
    for index in range(len(state)):
        for last in (None, int(state.last[index, 0])):
            text = names.board(state, index, last)
            cells = names.parse_board(text)
            assert cells.dtype == np.uint8
            assert (cells == state.cells[index]).all()
        seen |= set("".join(text.split("\n")[1:])[2:])
    assert {".", "X", "O", "x", "o"} <= seen


def test_all_signs_read_back():
    signs = list(SIGNS.values())
    board = "\n".join(["   a b c d e f g", "a  " + " ".join(signs[:7]), "b  " + " ".join(signs[7:])])
    cells = notation(7, 2).parse_board(board)
    assert cells.ravel().tolist() == list(SIGNS)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("   a b c d e\n", "", "board must have 5 rows of text with its column letters, got 4"),
        ("a b c d e", "a b c d", "board must begin with the columns 'a b c d e', got 'a b c d'"),
        ("b  .", "c  .", "board row b must have its label and 5 signs, got 'c  . X 1 X .'"),
        ("X . .", "X . . .", "board row a must have its label and 5 signs"),
        (". X 1", ".-X 1", "board row b must have its label and 5 signs"),
        ("1", "3", "board point cb must be one of .'\"*12Xx#YOo@Q, got '3'"),
        (". O", ".", "board point ed must be one of .'\"*12Xx#YOo@Q, got ' '"),
    ],
)
def test_damaged_boards_are_refused(old, new, message):
    """One line: what, rule, value."""
    assert old in BOARD
    with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
        notation(5, 4).parse_board(BOARD.replace(old, new, 1))
    assert message in str(error.value)
