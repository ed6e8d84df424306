"""What the page shows of a position besides the position: hints, analysis, the course of the game.

The one idea: it is the analysis of the engine protocol (`play/engine_analysis.py`), so the page says what
every other tool says. A network adds where it would play (heat), and what it expected during the whole game.
Values that are calculated are marked as exact, all others are estimates.

These calls take up to some seconds; the server makes them one at a time in a thread of their own, as what
they share is not made for several.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame, BoxesState
from dotzero.envs.game import Game, State, join_states
from dotzero.play.adjudication import Adjudicator
from dotzero.play.agreements import lead
from dotzero.play.engine_analysis import Analyst
from dotzero.play.engine_positions import board_of
from dotzero.play.hints import hint_player, network_for
from dotzero.play.players import Budget, RandomPlayer
from dotzero.play.session_moves import Result
from dotzero.play.web.refusals import RefusedError
from dotzero.play.web.workers import Workers
from dotzero.search.endgame import has_solver
from dotzero.search.interrupts import check

if TYPE_CHECKING:
    from dotzero.play.zero import ZeroPlayer

ANALYSIS_SECONDS = 1.5
"""Of one analysis."""
_TRIED_LINES = 38
"""Undrawn lines from which an analysis is first tried without the network."""
_MOST_POINTS, _LEAST_POSITIONS, _CHUNK = 60_000, 16, 32
"""Points, and at least how many positions, that the network is asked for the course of a game; at once."""
_LEAST_HEAT = 0.005
"""The least share of the network's policy that is told."""


class Insights:
    """Analyses for all connections; `analyse` and `graph` are called by one thread at a time."""

    def __init__(self, workers: Workers, checkpoints: Sequence[str] = ()) -> None:
        """Keep nothing yet.

        Args:
            workers: Whose players are asked.
            checkpoints: Folders of networks beside the released ones.
        """
        self._workers, self._checkpoints = workers, tuple(checkpoints)
        self._analyst = Analyst()

    def network(self, game: Game[Any]) -> str | None:
        """The network that explains a game: the released one, else the first of the folders that plays it."""
        return network_for(game, self._checkpoints)

    def hint_player(self, game: Game[Any]) -> str:
        """Who gives hints: the network, else the strongest level.

        Raises:
            RefusedError: Nobody plays these rules.
        """
        player = hint_player(game, self._checkpoints)
        if player == RandomPlayer.name:
            raise RefusedError("a hint must come from a level, and none plays these rules", "no_hints")
        return player

    def analyse(self, game: Game[Any], state: State, result: Result | None = None) -> dict[str, Any]:
        """All that is known of a position, as `Analyst` tells it, and where the network would play.

        Adds `network`, whether one was asked, and `heat`: shares of its policy by the names of moves.

        Args:
            game: The game.
            state: One position.
            result: How the game ended in it; only that is told then.
        """
        board = board_of(game)
        if result is not None:
            return self._analyst.analyse(board, state, None, None, 0, result) | {"network": False}
        spec = self.network(game)
        limit, data = Budget(seconds=ANALYSIS_SECONDS), None
        if spec is None or _may_be_exact(game, state):
            own = limit if isinstance(game, BoxesGame) else None
            data = self._analyst.analyse(board, state, None, own, 0)
        if spec is None:
            assert data is not None
            return data | {"network": False}
        with self._workers.player(spec, game) as player:
            zero = _network(player)
            if data is None or not data["exact"]:
                data = self._analyst.analyse(board, state, zero.within(limit), limit, 0)
            return data | {"network": True, "heat": _heat(game, state, zero, board.names)}

    def graph(self, game: Game[Any], states: Sequence[State]) -> dict[str, Any]:
        """The course of a game, seen by seat 0.

        Returns:
            `margin`: final lead that is expected in every position, points so far where nothing is expected;
            `win`: probability of winning, a draw one half, or null without a network; `exact`: whether that
            is calculated. What a network expects is the mean of a position and the next one: networks
            overrate having the move, which made the course go up and down with every turn.
        """
        leads = [lead(game, state, 0) for state in states]
        data: dict[str, Any] = {"margin": leads, "win": None, "exact": [False] * len(states)}
        spec = self.network(game)
        if spec is not None:
            with self._workers.player(spec, game) as player:
                data |= _expected(game, states, _network(player))
        if has_solver(game):
            _put_exact(game, states, data)
        for number, state in enumerate(states):
            if state.finished[0]:
                _put(data, number, leads[number])
        return data

    def close(self) -> None:
        """Free solvers."""
        self._analyst.close()


def _may_be_exact(game: Game[Any], state: State) -> bool:
    """Whether the solver is likely to know the value in the time of one analysis."""
    if not has_solver(game) or not isinstance(state, BoxesState):
        return False
    return int((state.lines[0] == 0).sum()) <= _TRIED_LINES


def _network(player: Any) -> "ZeroPlayer":
    from dotzero.play.zero import ZeroPlayer

    assert isinstance(player, ZeroPlayer)
    return player


def _heat(game: Game[Any], state: State, zero: "ZeroPlayer", names: Sequence[str]) -> dict[str, float]:
    """Shares of the network's policy by the names of moves, the small ones left out."""
    if state.finished[0]:
        return {}
    from dotzero.play.network_analysis import raw_policy  # loads torch

    shares = raw_policy(game, state, zero.evaluate(game, state).policy)[0]
    tellable = np.flatnonzero(shares >= _LEAST_HEAT).tolist()
    return {names[action]: round(float(shares[action]), 4) for action in tellable}


def _expected(game: Game[Any], states: Sequence[State], zero: "ZeroPlayer") -> dict[str, Any]:
    """What the network expects in all positions, for seat 0.

    Of a long game on a large board it is asked in some of them, and the rest lie between.
    """
    last = len(states) - 1
    most = max(_LEAST_POSITIONS, _MOST_POINTS // math.prod(game.observation_shape[1:]))
    picked = np.unique(np.linspace(0, last, min(len(states), most)).round().astype(int))
    asked = np.unique(np.minimum(np.concatenate([picked, picked + 1]), last))
    parts = np.array_split(asked, -(-len(asked) // _CHUNK))
    found = np.concatenate([_asked(game, states, zero, part) for part in parts])
    # Of each and the next one; of the last one and the one before it.
    places = np.searchsorted(asked, np.minimum(picked, max(0, last - 1)))
    means = (found[places] + found[np.minimum(places + 1, len(asked) - 1)]) / 2
    win, margin = (np.interp(np.arange(last + 1), picked, column) for column in means.T)
    return {"win": [round(float(p), 4) for p in win], "margin": [round(float(m), 2) for m in margin]}


def _asked(
    game: Game[Any], states: Sequence[State], zero: "ZeroPlayer", numbers: NDArray[np.integer]
) -> NDArray[np.float64]:
    """Chance to win and final margin of seat 0 in some positions. Shape [n, 2].

    Raises:
        InterruptedSearchError: Nobody waits any more.
    """
    check()
    batch = join_states([states[number] for number in numbers.tolist()])
    found = zero.evaluate(game, batch)
    sign = np.where(batch.to_move == 0, 1.0, -1.0)
    return np.stack([(1 + sign * np.clip(found.value, -1, 1)) / 2, sign * found.margin], axis=1)


def _put_exact(game: BoxesGame, states: Sequence[State], data: dict[str, Any]) -> None:
    """Put calculated ends in the place of estimates, near the end of a game of Dots and Boxes."""
    found = Adjudicator(game, decided=False, exact=True).verdicts(join_states(states))
    for number in np.flatnonzero(found.known).tolist():
        _put(data, number, float(found.margin[number]))


def _put(data: dict[str, Any], number: int, margin: float) -> None:
    data["margin"][number], data["exact"][number] = margin, True
    if data["win"] is not None:
        data["win"][number] = 0.5 if margin == 0 else 1.0 if margin > 0 else 0.0
