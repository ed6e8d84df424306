"""Games by name, from plain values: the one place that knows which games there are."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from enum import StrEnum
from typing import Any

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.game import Game
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules

_GAMES: dict[str, tuple[type[Any], type[Any]]] = {
    "boxes": (BoxesRules, BoxesGame),
    "kropki": (KropkiRules, KropkiGame),
}


def game_names() -> list[str]:
    """The names of all games."""
    return sorted(_GAMES)


def make_game(name: str, rules: Mapping[str, Any]) -> Game[Any]:
    """The game `name` under `rules`, fields that are absent keeping their defaults.

    Raises:
        ValueError: No such game, no such rule, or a value that the rules refuse.
    """
    if name not in _GAMES:
        raise ValueError(f"game must be one of {', '.join(game_names())}, got {name}")
    rules_class, game_class = _GAMES[name]
    known = [field.name for field in fields(rules_class)]
    for key in rules:
        if key not in known:
            raise ValueError(f"{rules_class.__name__} must have the fields {', '.join(known)}, got {key}")
    game: Game[Any] = game_class(rules_class(**rules))
    return game


def describe_game(game: Game[Any]) -> dict[str, Any]:
    """Game, rules and encoding version as plain values, equal to what a JSON file gives back."""
    rules = {name: _plain(value) for name, value in asdict(game.rules).items()}
    return {"game": game.name, "rules": rules, "encoding_version": game.encoding_version}


def _plain(value: Any) -> Any:
    """Enums as their texts, pairs as lists."""
    if isinstance(value, StrEnum):
        return value.value
    return list(value) if isinstance(value, tuple) else value
