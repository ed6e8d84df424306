"""Budgets of players, and the levels as the engine lists them."""

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.registry import game_names, make_game
from dotzero.play.engine_players import Kept, Players, describe_levels
from dotzero.play.levels import LEVELS
from dotzero.play.players import Budget, PlayerSpec, make_player

SMALL = BoxesGame(BoxesRules(rows=2, columns=2))


def test_the_last_asked_for_are_kept():
    freed = []
    kept = Kept(2, freed.append)
    for key in "abacb":
        assert kept.get(key, lambda key=key: key.upper()) == key.upper()
    assert freed == ["B", "A"]
    kept.clear()
    assert sorted(freed) == ["A", "B", "B", "C"]


def test_what_cannot_be_made_is_not_kept():
    players = Players()
    for _ in range(2):
        with pytest.raises(ValueError, match=r"^easy: miss must be in 0..1, got 2$"):
            players.get("easy@miss=2", SMALL)
    assert players.get("easy", SMALL) is players.get("easy", SMALL)
    assert players.get("easy", SMALL) is not players.get("easy", BoxesGame(BoxesRules(rows=3, columns=2)))
    players.close()


def test_a_request_starts_no_program(tmp_path):
    players, touched = Players(), tmp_path / "touched"
    for text in (f"engine:touch {touched}", f" engine:touch {touched}@protocol=ccgc"):
        with pytest.raises(ValueError, match=r"^level must be a player of dotzero's own, got '"):
            players.get(text, SMALL)
    assert not touched.exists()


@pytest.mark.parametrize("name", game_names())
def test_every_option_that_is_listed_is_taken(name):
    """The defaults, written as text, make the same player; so none is made up."""
    game = make_game(name, {})
    for level in describe_levels(game):
        if level["level"] == "zero:DIR":
            continue
        options = ",".join(f"{key}={option['default']}" for key, option in level["options"].items())
        player = make_player(level["level"] + (f"@{options}" if options else ""), game)
        same = make_player(level["level"], game)
        assert player.identity.partition(" ")[2] == same.identity.partition(" ")[2]
        with pytest.raises(ValueError, match=r"an option must be one of|takes no path and no options"):
            make_player(level["level"] + "@unheard=1", game)


def test_every_level_is_listed_and_labelled():
    for name in game_names():
        listed = [level["level"] for level in describe_levels(make_game(name, {}))]
        assert listed in (["random", *LEVELS[name], zero] for zero in ("zero", "zero:DIR"))
    assert listed_for(scoring="normal")[-1] == "zero"
    assert listed_for(scoring="misere")[-1] == "zero:DIR"  # no network for it comes along


def listed_for(**rules):
    return [level["level"] for level in describe_levels(make_game("boxes", rules))]


def test_a_player_without_budgets_refuses_them():
    with pytest.raises(ValueError, match=r"^budget must be left out with player easy@miss=0.5, got seconds$"):
        make_player("easy@miss=0.5", SMALL).within(Budget(seconds=1))
    assert PlayerSpec.parse("easy").kind == "easy"


@pytest.mark.parametrize(
    "wrong", [{}, {"simulations": 1, "seconds": 1}, {"seconds": float("nan")}, {"seconds": True}]
)
def test_a_budget_is_one_number(wrong):
    with pytest.raises(ValueError, match=r"^budget"):
        Budget(**wrong)
    assert Budget(seconds=1).kind == "seconds"
    assert Budget(simulations=np.int64(3).item()).kind == "simulations"
