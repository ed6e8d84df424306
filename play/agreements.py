"""Ending a game by agreement (R035): what is offered, and when a computer accepts.

A computer is never worse off by agreeing. What the offer gives it (a win, a draw) is compared with what best
play would give it, where that is certain: near the end of Dots and Boxes by the solver and from a majority
on, in Kropki where the player to move would win by a STOP. Where nothing is certain it accepts what it wins
by, and a draw while it is behind, or once three quarters of the moves are made and the score is level.
"""

from enum import StrEnum
from typing import Any

import numpy as np

from dotzero.envs.game import Game, State
from dotzero.envs.kropki import KropkiGame
from dotzero.play.adjudication import Adjudicator
from dotzero.search.endgame import has_solver

_OPEN_SHARE = 0.25
"""Share of the moves of a new board that may be left where a computer accepts a draw at a level score."""


class Terms(StrEnum):
    """What is offered."""

    SCORE = "score"
    """The score as it stands, komi included."""
    DRAW = "draw"
    """A draw, whatever the score."""


def lead(game: Game[Any], state: State, seat: int) -> float:
    """What a seat is ahead by now as the rules count, with komi. `state` is a batch of one."""
    ahead = float(game.margin(state)[0])
    return ahead if int(state.to_move[0]) == seat else 0.0 - ahead


def accepts(game: Game[Any], state: State, seat: int, terms: Terms) -> bool:
    """Whether a computer accepts an offer.

    Args:
        game: Rules and board.
        state: An unfinished position, a batch of one.
        seat: Where the computer sits.
        terms: What is offered to it.
    """
    ahead = lead(game, state, seat)
    offered = 0 if terms is Terms.DRAW else int(np.sign(ahead))
    certain = _certain(game, state, seat)
    if certain is not None:
        return offered >= certain
    left = int(game.plain_actions(state)[0].sum()) / int(game.plain_actions(game.start(1))[0].sum())
    return offered > 0 or (offered == 0 and (ahead < 0 or (ahead == 0 and left <= _OPEN_SHARE)))


def _certain(game: Game[Any], state: State, seat: int) -> int | None:
    """What a seat gets by best play: 1, 0 or -1; None where that is not known."""
    judge = Adjudicator(game, decided=True, exact=has_solver(game))
    verdict = judge.verdicts(state)
    winner = int(verdict.winner[0])
    if winner < 0 or (isinstance(game, KropkiGame) and winner != int(state.to_move[0])):
        return None  # whoever would win by a STOP needs the move for it
    return 0 if winner == 2 else 1 if winner == seat else -1
