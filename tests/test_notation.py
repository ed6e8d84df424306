"""Every game has its notation, and the one contract of all notations."""

import numpy as np
import pytest

from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.envs.kropki_notation import KropkiNotation
from dotzero.envs.notation import notation_for
from dotzero.envs.registry import make_game

GAMES = {
    "boxes": ("boxes", {"rows": 3, "columns": 4}, BoxesNotation),
    "kropki": ("kropki", {"width": 7, "height": 5}, KropkiNotation),
}


@pytest.mark.parametrize(("name", "rules", "kind"), GAMES.values(), ids=GAMES.keys())
def test_names_of_actions_read_back(name, rules, kind):
    game = make_game(name, rules)
    notation = notation_for(game)
    assert type(notation) is kind
    names = [notation.name(action) for action in range(game.num_actions)]
    assert len(set(names)) == game.num_actions
    assert [notation.parse(f" {name} ") for name in names] == list(range(game.num_actions))
    for wrong in (-1, game.num_actions):
        with pytest.raises(
            ValueError, match=rf"must be a number from 0 to {game.num_actions - 1}, got {wrong}$"
        ):
            notation.name(wrong)


@pytest.mark.parametrize(("name", "rules", "kind"), GAMES.values(), ids=GAMES.keys())
def test_boards_have_labels_and_fit_any_terminal(name, rules, kind, random_states):
    """R146: plain characters, labelled; no line ends in a space."""
    game = make_game(name, rules)
    state = random_states(game, 5, np.random.default_rng(1))
    for index in range(5):
        text = notation_for(game).board(state, index)
        assert text.isascii()
        assert all(row == row.rstrip() for row in text.split("\n"))
        assert text.split()[:2] in (["A", "B"], ["a", "b"])


def test_a_game_without_notation_is_refused():
    class Other:
        name = "chess"

    with pytest.raises(ValueError, match=r"\(boxes, kropki\), got 'chess'$"):
        notation_for(Other())
