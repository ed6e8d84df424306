"""Opponents of the environments' single-agent form: whoever answers the agent's moves, in one batch.

An opponent is named like a player of the command (`random`, a level, `zero:DIR`), or is an object with the
method `choose` of `dotzero.play.players.Player`, or a function from observations to actions. All three become
one thing here, and every move of theirs is checked before it is made.

Levels stand above this layer, so that they are reached by a name of their module, as Gymnasium reaches
environments.

Shape letters as in `game.py`; n games that wait for the opponent.
"""

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import Game, State, View

PLAYERS = "dotzero.play.players:make_player"
"""Makes the player of a specification and a game."""

Observations = dict[str, NDArray[Any]]
"""`observation`, `globals` and `action_mask` of n games, as the environments show them."""


@runtime_checkable
class Chooser(Protocol):
    """What has the method `choose` of a player."""

    def choose(self, game: Game[Any], state: Any, seeds: NDArray[np.uint64]) -> NDArray[np.integer]:
        """One legal action for every game; seeds are one number a game, the same during all of it."""


Opponent = str | Chooser | Callable[[Observations], Any]
"""A player's specification, a player, or a function that gives n actions for n observations."""


def observations(view: View) -> Observations:
    """A view as the environments show it. Arrays of n games."""
    return {"observation": view.planes, "globals": view.globals, "action_mask": view.action_mask}


class OpponentMoves:
    """The checked moves of one opponent in one game."""

    def __init__(self, game: Game[Any], opponent: Opponent) -> None:
        self.game = game
        if isinstance(opponent, str):
            opponent = resolve_name(PLAYERS)(opponent, game)
        if not isinstance(opponent, Chooser) and not callable(opponent):
            raise ValueError(
                f"opponent must be a player's name, a player or a function of observations, got {opponent!r}"
            )
        self._opponent = opponent

    def choose(self, state: State, seeds: NDArray[np.uint64]) -> NDArray[np.int32]:
        """One legal action for every game, none of them finished. Shape [n].

        Raises:
            ValueError: The opponent gave something else; the message names it.
        """
        if isinstance(self._opponent, Chooser):
            given = self._opponent.choose(self.game, state, seeds)
        else:
            assert callable(self._opponent)
            given = self._opponent(observations(self.game.view(state)))
        actions = whole_numbers(given, len(state), f"opponent must give {len(state)} whole numbers")
        legal = are_legal(self.game.legal(state), actions)
        if not legal.all():
            raise ValueError(f"opponent must make legal moves, got {actions[~legal][0]}")
        return actions.astype(np.int32)

    def close(self) -> None:
        """Free what a named player holds, such as a network."""
        close = getattr(self._opponent, "close", None)
        if callable(close):
            close()


def whole_numbers(given: Any, num: int, rule: str) -> NDArray[np.integer]:
    """Actions as an array. Shape [num].

    Raises:
        ValueError: They are something else; `rule` is the first half of the message.
    """
    try:
        actions = np.asarray(given)
    except ValueError as error:
        raise ValueError(f"{rule}, got rows of different lengths") from error
    if actions.shape != (num,) or not np.issubdtype(actions.dtype, np.integer):
        raise ValueError(f"{rule}, got {actions.dtype} {actions.shape}")
    return actions


def are_legal(legal: NDArray[np.bool_], actions: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which actions exist and are legal. [n, A] and [n] -> [n]."""
    exists = (actions >= 0) & (actions < legal.shape[1])
    return np.asarray(exists & legal[np.arange(len(actions)), np.where(exists, actions, 0)])
