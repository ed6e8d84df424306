"""Who plays for the engine: players that are kept between requests, and the levels as it lists them.

The one idea: what is slow to make (a network, a solver's table) is made at the first request that needs it,
and the few that were asked for last are kept. A move depends on seed and position only, so it does not show
whether a player is new.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import fields
from enum import Enum
from typing import Any, Generic, TypeVar, get_args, get_type_hints

from dotzero.envs.game import Game
from dotzero.play.levels import LEVELS, PLAYER_LABELS
from dotzero.play.players import Player, PlayerSpec, RandomPlayer, make_player

K = TypeVar("K")
V = TypeVar("V")

MOST_PLAYERS = 4
"""Players kept at a time; one with a solver may hold 64 MiB."""


class Kept(Generic[K, V]):
    """The things that were asked for last, by what they were made from."""

    def __init__(self, most: int, free: Callable[[V], None] = lambda thing: None) -> None:
        """Keep nothing yet.

        Args:
            most: Things kept at a time.
            free: Called with every thing that is given up.
        """
        self._most, self._free = most, free
        self._things: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The thing of a key, made if it is not there; the one not asked for longest makes room."""
        if key not in self._things:
            self._things[key] = make()
            if len(self._things) > self._most:
                self._free(self._things.popitem(last=False)[1])
        self._things.move_to_end(key)
        return self._things[key]

    def clear(self) -> None:
        """Give everything up."""
        while self._things:
            self._free(self._things.popitem()[1])


class Players:
    """The players of all games, by specification."""

    def __init__(self) -> None:
        self._kept: Kept[tuple[str, str, Any], Player] = Kept(MOST_PLAYERS, lambda player: player.close())

    def get(self, level: str, game: Game[Any]) -> Player:
        """The player that a specification names, for a game.

        Raises:
            ValueError: As `make_player`; or it names a program: a request starts none.
        """
        if PlayerSpec.parse(level).kind == "engine":
            raise ValueError(f"level must be a player of dotzero's own, got {level!r}")
        return self._kept.get((level, game.name, game.rules), lambda: make_player(level, game))

    def close(self) -> None:
        """Free all players; they are made again when they are asked for."""
        self._kept.clear()


def describe_levels(game: Game[Any]) -> list[dict[str, Any]]:
    """The levels that play a game by its rules, weakest first: names, play, options, budgets.

    An option is told with its kind, its default and, where its values are listed, these. `zero` is
    the released network for the board; without one it is named `zero:DIR`, DIR being the folder of a network.
    """
    kinds: dict[str, type[Player]] = {RandomPlayer.name: RandomPlayer, **LEVELS.get(game.name, {})}
    levels = {name: kind for name, kind in kinds.items() if kind.refusal(game) is None}
    return [*(_describe(name, kind) for name, kind in levels.items()), _describe_zero(game)]


def _describe_zero(game: Game[Any]) -> dict[str, Any]:
    from dotzero.play.released import has_released  # with what they load, which the other levels do without
    from dotzero.play.zero import SOLVER_OPTIONS, ZeroPlayer
    from dotzero.search.endgame import has_solver

    own = "zero" if has_released(game) else "zero:DIR"
    row = {**_describe("zero", ZeroPlayer), "level": own}
    if not has_solver(game):
        row["options"] = {
            name: option for name, option in row["options"].items() if name not in SOLVER_OPTIONS
        }
    return row


def _describe(name: str, kind: type[Player]) -> dict[str, Any]:
    return {
        "level": name,
        "label": PLAYER_LABELS[name],
        "plays": (kind.__doc__ or "").partition("\n")[0],
        "options": _options(kind),
        "budgets": list(kind.budgets),
    }


def _options(kind: type[Player]) -> dict[str, Any]:
    """The settings that a player takes after the @: the fields of the `config` that its constructor takes."""
    config = get_type_hints(kind.__init__).get("config")
    settings = next(
        (part for part in (config, *get_args(config)) if hasattr(part, "__dataclass_fields__")), None
    )
    if settings is None:
        return {}
    hints = get_type_hints(settings)
    return {item.name: _option(hints[item.name], item.default) for item in fields(settings)}


def _option(kind: Any, default: Any) -> dict[str, Any]:
    if issubclass(kind, Enum):
        return {"kind": "choice", "default": default.value, "values": [member.value for member in kind]}
    if kind is bool:
        return {"kind": "choice", "default": str(default).lower(), "values": ["true", "false"]}
    return {"kind": {int: "whole number", float: "number", str: "text"}[kind], "default": default}
