"""Games by name, from plain values: the one place that knows which games there are."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from enum import Enum
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


def rule_names(name: str) -> list[str]:
    """The fields of a game's rules."""
    return [field.name for field in fields(_GAMES[name][0])]


def make_game(name: str, rules: Mapping[str, Any]) -> Game[Any]:
    """The game `name` under `rules`, fields that are absent keeping their defaults.

    Raises:
        ValueError: No such game, no such rule, or a value that the rules refuse.
    """
    if name not in _GAMES:
        raise ValueError(f"game must be one of {', '.join(game_names())}, got {name}")
    rules_class, game_class = _GAMES[name]
    known = rule_names(name)
    for key in rules:
        if key not in known:
            raise ValueError(f"{rules_class.__name__} must have the fields {', '.join(known)}, got {key}")
    game: Game[Any] = game_class(rules_class(**rules))
    return game


def describe_game(game: Game[Any]) -> dict[str, Any]:
    """Game, rules and encoding version as plain values, equal to what a JSON file gives back."""
    return {
        "game": game.name,
        "rules": plain_value(asdict(game.rules)),
        "encoding_version": game.encoding_version,
    }


def size_text(game: Game[Any]) -> str:
    """The size of a board as its game writes it: rows x columns of boxes, columns x rows of points."""
    size = reversed(game.size) if game.name == "kropki" else game.size
    return "x".join(map(str, size))


def unusual_rules(game: str, rules: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a game's `rules`, as `describe_game` gives them, that are not the game's defaults."""
    usual = describe_game(make_game(game, {}))["rules"]
    return {name: value for name, value in rules.items() if value != usual[name]}


def plain_value(value: Any) -> Any:
    """A value as JSON keeps it: enums by their values, pairs as lists; also inside groups and lists."""
    if isinstance(value, dict):
        return {name: plain_value(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    return value.value if isinstance(value, Enum) else value
