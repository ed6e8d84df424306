"""What all connections of a server share: who can be played against."""

from pathlib import Path

import pytest

from dotzero.envs.registry import make_game
from dotzero.play.game_settings import GameSettings
from dotzero.play.levels import LEVELS
from dotzero.play.players import make_player
from dotzero.play.seats import Language
from dotzero.play.web.site import Site, SiteConfig

NETWORK = str(Path(__file__).parent.parent / "checkpoints" / "boxes_3x3")


@pytest.fixture
def site(tmp_path):
    made = Site(tmp_path, SiteConfig(checkpoints=(NETWORK,)))
    yield made
    made.close()


def settings(game, rules, player):
    return GameSettings.from_json({"game": game, "rules": rules, "seats": [{"player": player}, {}]})


def test_every_level_that_plays_a_board_is_offered_with_its_name(site):
    """R091, R104: five levels, and the networks of the command line."""
    offer = site.offer(make_game("boxes", {"rows": 3, "columns": 3}), Language.RU)
    assert [item["label"] for item in offer] == [
        *("Лёгкий", "Средний", "Сложный", "Безумный", "Нейросеть", "Нейросеть boxes_3x3")
    ]
    kropki = site.players_of(make_game("kropki", {"width": 10, "height": 10}))
    assert kropki[: len(LEVELS["kropki"])] == list(LEVELS["kropki"])


@pytest.mark.parametrize(
    ("game", "rules"),
    [
        ("boxes", {"rows": 3, "columns": 3, "scoring": "misere"}),
        ("boxes", {"rows": 9, "columns": 9}),
        ("boxes", {"rows": 2, "columns": 3, "border": "all"}),
        ("kropki", {"width": 8, "height": 8}),
    ],
)
def test_whoever_is_offered_can_be_made(site, game, rules):
    made = make_game(game, rules)
    for player in site.players_of(made):
        if "zero" not in player:
            make_player(player, made).close()


@pytest.mark.parametrize(
    ("player", "fits"),
    [
        ("easy", True),
        (f"zero:{NETWORK}", True),
        ("zero:/somewhere", False),
        ("engine:sh", False),
        ("easy@miss=1", False),
    ],
)
def test_only_what_is_offered_can_be_chosen(site, player, fits):
    made = settings("boxes", {"rows": 3, "columns": 3}, player)
    if fits:
        site.check(made)
    else:
        with pytest.raises(ValueError, match=r"^seat.player must be one of easy, "):
            site.check(made)


@pytest.mark.parametrize(
    ("player", "fits"),
    [
        ("easy@miss=0.3", True),
        ("zero@simulations=16", True),
        ("engine:sh", False),
        ("zero:/tmp@simulations=1", False),
    ],
)
def test_a_saved_game_may_have_options_but_nobody_else(site, player, fits):
    """Of the terminal; a program that it was played against is not begun from a page."""
    made = settings("boxes", {"rows": 3, "columns": 3}, player)
    if fits:
        site.check(made, with_options=True)
    else:
        with pytest.raises(ValueError, match=r"^seat.player must be one of easy, "):
            site.check(made, with_options=True)


def test_a_network_is_not_offered_for_another_aim(site):
    misere = make_game("boxes", {"rows": 3, "columns": 3, "scoring": "misere"})
    assert site.players_of(misere) == []


def test_a_checkpoint_that_is_none_is_refused_at_the_start(tmp_path):
    with pytest.raises(ValueError, match="nowhere"):
        Site(tmp_path, SiteConfig(checkpoints=("nowhere",)))
