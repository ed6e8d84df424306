"""The networks that come with dotzero, and which of them plays a board."""

import importlib.resources
import math
from pathlib import Path
from typing import Any

from dotzero.checkpoints import RELEASED
from dotzero.envs.game import Game
from dotzero.models.export import Card, load_card


def released_networks() -> dict[Path, Card]:
    """The cards of all released networks by their folders."""
    folder = Path(str(importlib.resources.files("dotzero.checkpoints")))
    return {folder / name: load_card(folder / name) for name in RELEASED}


def released_network(game: Game[Any]) -> Path:
    """The folder of the network that plays a board: of its game, and trained on the size nearest to it.

    Raises:
        ValueError: None plays this game.
    """
    areas = {
        path: [math.prod(size) for size in card.sizes]
        for path, card in released_networks().items()
        if card.encoding.game == game.name
    }
    if not areas:
        raise ValueError(f"player zero must name a checkpoint as zero:DIR, none comes along for {game.name}")
    own = math.prod(game.size)
    return min(areas, key=lambda path: min(abs(math.log(area / own)) for area in areas[path]))
