"""Moves and positions as text.

Every game has one `Notation`: names of actions, read in every accepted spelling and written in one, and a
board that a person can read and that reads back. They stand in `boxes_notation.py` and `kropki_notation.py`.
"""

from abc import ABC, abstractmethod
from typing import Any, Generic

from dotzero.envs.game import Game, StateT


class Notation(ABC, Generic[StateT]):
    """How the moves and positions of one game on one board are written."""

    @abstractmethod
    def name(self, action: int) -> str:
        """The one written name of an action.

        Raises:
            ValueError: There is no such action.
        """

    @abstractmethod
    def parse(self, text: str) -> int:
        """The action that a name means, in any accepted spelling.

        Raises:
            ValueError: The text names no action of this board; the message is one line.
        """

    @abstractmethod
    def board(self, state: StateT, index: int = 0, last: int | None = None) -> str:
        """Game `index` of a batch drawn as text with labelled rows and columns; `last` marks an action."""


def notation_for(game: Game[Any]) -> Notation[Any]:
    """The notation of a game.

    Raises:
        ValueError: The game has none.
    """
    # Here and not above, as the notations of the games build on this file.
    from dotzero.envs.boxes import BoxesGame
    from dotzero.envs.boxes_notation import BoxesNotation
    from dotzero.envs.kropki import KropkiGame
    from dotzero.envs.kropki_notation import KropkiNotation

    if isinstance(game, BoxesGame):
        return BoxesNotation(game.rules)
    if isinstance(game, KropkiGame):
        return KropkiNotation(game.rules)
    raise ValueError(f"game must be one that has a notation (boxes, kropki), got {game.name!r}")
