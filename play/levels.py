"""The AI levels that need no network: which there are of every game, and what they are called.

`random` stands below them and `zero`, a network, above; both play every game. `greedy` of Kropki, which the
first networks were measured against, can be named as they can, but is no level.
"""

from typing import Any

from dotzero.envs.game import Game
from dotzero.play.boxes_experts import BoxesHard, BoxesInsane
from dotzero.play.boxes_levels import BoxesEasy, BoxesMedium
from dotzero.play.kropki_experts import KropkiHard, KropkiInsane
from dotzero.play.kropki_levels import KropkiEasy, KropkiMedium
from dotzero.play.kropki_players import KropkiGreedy
from dotzero.play.players import Player, RandomPlayer

LEVELS: dict[str, dict[str, type[Player]]] = {
    "boxes": {level.name: level for level in (BoxesEasy, BoxesMedium, BoxesHard, BoxesInsane)},
    "kropki": {level.name: level for level in (KropkiEasy, KropkiMedium, KropkiHard, KropkiInsane)},
}
"""The levels of every game by their identifiers, weakest first."""

_OTHERS: dict[str, dict[str, type[Player]]] = {"kropki": {KropkiGreedy.name: KropkiGreedy}}

LABELS = {
    "easy": {"en": "Easy", "ru": "Лёгкий"},
    "medium": {"en": "Medium", "ru": "Средний"},
    "hard": {"en": "Hard", "ru": "Сложный"},
    "insane": {"en": "Insane", "ru": "Безумный"},
    "zero": {"en": "Neural network", "ru": "Нейросеть"},
}
"""What the levels are called in every language."""
PLAYER_LABELS = {
    "random": {"en": "Random", "ru": "Случайный"},
    "greedy": {"en": "Greedy", "ru": "Жадный"},
    **LABELS,
}
"""The same with the players that are no levels."""


def nameable_players(game_name: str) -> dict[str, type[Player]]:
    """All players of a game that need no network, by the names that specifications begin with."""
    return {RandomPlayer.name: RandomPlayer, **_OTHERS.get(game_name, {}), **LEVELS.get(game_name, {})}


def strongest_level(game: Game[Any], long: bool = True) -> str:
    """The strongest player without a network that plays this game by its rules and on its board.

    With `long` false it is the strongest of those that suit matches of many games.
    """
    levels = LEVELS.get(game.name, {}).items()
    able = [name for name, level in levels if level.refusal(game) is None and (long or not level.thinks_long)]
    return [RandomPlayer.name, *able][-1]
