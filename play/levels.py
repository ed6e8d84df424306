"""The AI levels that need no network: which there are of every game, and what they are called.

`random` stands below them and `zero`, a network, above; both play every game.
"""

from typing import Any

from dotzero.envs.game import Game
from dotzero.play.boxes_experts import BoxesHard, BoxesInsane
from dotzero.play.boxes_levels import BoxesEasy, BoxesMedium
from dotzero.play.kropki_players import KropkiGreedy
from dotzero.play.players import Player, RandomPlayer

LEVELS: dict[str, dict[str, type[Player]]] = {
    "boxes": {level.name: level for level in (BoxesEasy, BoxesMedium, BoxesHard, BoxesInsane)},
    "kropki": {"greedy": KropkiGreedy},
}
"""The levels of every game by their identifiers, weakest first."""

LABELS = {
    "easy": {"en": "Easy", "ru": "Лёгкий"},
    "medium": {"en": "Medium", "ru": "Средний"},
    "hard": {"en": "Hard", "ru": "Сложный"},
    "insane": {"en": "Insane", "ru": "Безумный"},
    "zero": {"en": "Neural network", "ru": "Нейросеть"},
}
"""What the levels are called in every language."""


def strongest_level(game: Game[Any]) -> str:
    """The strongest player without a network that plays this game by its rules and on its board."""
    able = [name for name, level in LEVELS.get(game.name, {}).items() if level.refusal(game) is None]
    return [RandomPlayer.name, *able][-1]
