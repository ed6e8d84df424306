"""Who gives hints: the released network for the board, else one of one's own, else the strongest level."""

from collections.abc import Sequence
from typing import Any

from dotzero.envs.game import Game
from dotzero.play.levels import strongest_level


def network_for(game: Game[Any], folders: Sequence[str] = ()) -> str | None:
    """The network for a game: the released one, else the first of the folders that plays it; None without.

    Raises:
        ValueError: There is no checkpoint in a folder.
    """
    from dotzero.models.export import load_card
    from dotzero.play.released import has_released, plays  # loads torch

    if has_released(game):
        return "zero"
    return next((f"zero:{path}" for path in folders if plays(load_card(path), game)), None)


def hint_player(game: Game[Any], folders: Sequence[str] = ()) -> str:
    """The specification of the player who is asked."""
    return network_for(game, folders) or strongest_level(game)
