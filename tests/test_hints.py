"""Who gives hints: a network that comes along, else the strongest level."""

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.play import released
from dotzero.play.hints import hint_player
from dotzero.play.levels import strongest_level
from dotzero.play.players import make_player


def test_the_released_network_or_the_strongest_level(monkeypatch):
    game = BoxesGame(BoxesRules(rows=3, columns=3))
    assert hint_player(game) == "zero"
    monkeypatch.setattr(released, "has_released", lambda game: False)
    assert hint_player(game) == "insane"
    dots = KropkiGame(KropkiRules(width=6, height=6))
    assert hint_player(dots) == strongest_level(dots)
    make_player(hint_player(dots), dots).close()
