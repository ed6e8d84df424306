"""The networks that come with dotzero, and which of them plays a board."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dotzero.checkpoints import RELEASED, released_folder
from dotzero.envs.game import Game
from dotzero.envs.registry import describe_game
from dotzero.models.encoding import known_encoding
from dotzero.models.export import Card, exported_folder, load_card
from dotzero.play.players import PlayerSpec, spec_text
from dotzero.search.endgame import has_solver


def released_networks() -> dict[Path, Card]:
    """The cards of all released networks by their folders."""
    folders = [released_folder(name) for name in RELEASED]
    return {folder: load_card(folder) for folder in folders}


def has_released(game: Game[Any]) -> bool:
    """Whether there is a network for a board; see `released_network`."""
    return bool(_areas(game))


def released_network(game: Game[Any]) -> Path:
    """The folder of the network that plays a board: trained on the size nearest to it, for the same aim.

    Raises:
        ValueError: None plays this game with this scoring.
    """
    areas = _areas(game)
    if not areas:
        aim = _aim(describe_game(game)["rules"])
        played = game.name if aim is None else f"{game.name} with scoring={aim}"
        raise ValueError(f"player zero must name a checkpoint as zero:DIR, none comes along for {played}")
    own = math.prod(game.size)
    return min(areas, key=lambda path: min(abs(math.log(area / own)) for area in areas[path]))


def _areas(game: Game[Any]) -> dict[Path, list[int]]:
    """Of each network for this game and its aim the areas of the boards that it was trained on."""
    return {
        path: [math.prod(size) for size in card.sizes]
        for path, card in released_networks().items()
        if plays(card, game)
    }


def plays(card: Card, game: Game[Any]) -> bool:
    """Whether a network was trained for a game and its aim, whatever the board."""
    return card.encoding.game == game.name and _aim(card.rules) == _aim(describe_game(game)["rules"])


def _aim(rules: Mapping[str, Any]) -> Any:
    """What wins, where the rules leave a choice: a network that learned the one plays to lose the other."""
    return rules.get("scoring")


def interactive_spec(text: str, game: Game[Any]) -> str:
    """The specification `zero...` of a player that somebody waits for: the same network in a second or two.

    What is not said already is chosen so. A board with larger margins than a network was exported for needs
    a new export, of ten seconds: torch evaluates it instead, a tenth of a second slower a move. In Dots and
    Boxes leaves with 30 undrawn lines take up to half a second each in odd positions: leaves are solved from
    20 on, and the root as far as 200,000 positions go. In Kropki, where nothing is solved, four times the
    usual simulations are worth the wait: half a second on 15x15, one to two on 39x32.
    """
    spec = PlayerSpec.parse(text)
    if spec.kind != "zero":
        return text
    chosen = dict(spec.options)
    path = spec.path or released_network(game)
    # A single checkpoint has neither a card nor an exported model.
    if (
        Path(path).is_file()
        or load_card(exported_folder(path, "zero:DIR")).encoding.max_margin
        < known_encoding(game.name, game.max_margin).max_margin
    ):
        chosen.setdefault("backend", "torch")
    if has_solver(game):
        chosen.setdefault("exact_lines", "20")
        chosen.setdefault("root_nodes", "200000")
    if game.name == "kropki":
        chosen.setdefault("simulations", "256")
    return spec_text("zero", spec.path, chosen)
