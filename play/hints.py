"""Who gives hints: the released network for the board, else the strongest level that plays it."""

from typing import Any

from dotzero.envs.game import Game
from dotzero.play.levels import strongest_level


def hint_player(game: Game[Any]) -> str:
    """The specification of the player who is asked."""
    from dotzero.play.released import has_released  # loads torch

    return "zero" if has_released(game) else strongest_level(game)
