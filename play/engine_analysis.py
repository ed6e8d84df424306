"""What the engine knows of a position, for its query `analyze`.

The one idea: what is said is certain unless a network is named. Dots and Boxes has exact values as far as the
solver comes in the time given, and structure that needs no search (`analysis.py`). Kropki has what the rules
tell: who could capture what now, how a STOP would end. Level `zero` adds its estimates where nothing exact is
known: `value` and `moves` are the network's expectation of what is still to come right after a move, `win`,
`best` and `pv` come from its search. The probability `win` counts a draw as one half.
"""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dotzero.cores import num_cores
from dotzero.envs.boxes import BoxesRules, BoxesState, Scoring
from dotzero.envs.game import Game, State
from dotzero.envs.kropki import KropkiState
from dotzero.envs.kropki_rules import StopRule
from dotzero.play.analysis import Analysis, analyse_position, analysis_so_far, final_score
from dotzero.play.engine_players import Kept
from dotzero.play.engine_positions import Board, BoxesBoard, KropkiBoard
from dotzero.play.players import Budget
from dotzero.play.values import MOST_MISERE_LINES, ValuesConfig
from dotzero.search.endgame import Solver, SolverConfig, fits

if TYPE_CHECKING:
    from dotzero.play.zero import ZeroPlayer

_MOST_SOLVERS = 2
_MOST_VARIATION = 8
"""Moves of the longest variation by a network; each takes a search of its own."""
_SEARCH_SHARE = 0.6
"""Of a time for all: what the first search gets, the others serve the variation."""


class Analyst:
    """Analyses positions, with one solver for each of the boards that it met last."""

    def __init__(self) -> None:
        self._solvers: Kept[BoxesRules, Solver] = Kept(_MOST_SOLVERS)

    def analyse(
        self,
        board: Board[Any],
        state: State,
        zero: "ZeroPlayer | None",
        budget: Budget | None,
        seed: int,
    ) -> dict[str, Any]:
        """All that is known of a batch of one game, as plain values.

        Args:
            board: The game.
            state: One position.
            zero: Whose estimates are asked for too, within the budget already.
            budget: Time for the solver; simulations only with a network.
            seed: The luck of the network's search, which decides between equals.

        Raises:
            ValueError: There is nothing that could use the budget.
        """
        if isinstance(board, BoxesBoard):
            assert isinstance(state, BoxesState)
            data = self._boxes(board, state, zero, budget)
        else:
            assert isinstance(board, KropkiBoard)
            assert isinstance(state, KropkiState)
            if zero is None and budget is not None:
                raise ValueError("budget must be left out: kropki is searched only with a level zero:DIR")
            data = _kropki(board, state)
        if zero is not None and not data["exact"] and not state.finished[0]:
            seconds = None if budget is None else budget.seconds
            data |= _estimates(board, state, zero, seconds, seed)
        return data

    def close(self) -> None:
        """Free the solvers."""
        self._solvers.clear()

    def _boxes(
        self, board: BoxesBoard, state: BoxesState, zero: "ZeroPlayer | None", budget: Budget | None
    ) -> dict[str, Any]:
        if zero is None and budget is not None and budget.seconds is None:
            raise ValueError("budget must be seconds without a level zero:DIR, got simulations")
        found = self._values(board, state, zero, budget)
        data = found.to_json()
        values = found.values
        if values is None:
            return data
        lead = float(board.game.margin(state)[0])
        worst, best = np.sign(lead + values.lower), np.sign(lead + values.upper)
        if worst == best:
            data["win"] = float(1 + worst) / 2
        if values.exact:
            data["final"] = final_score(
                board.game.rules, state.score[0].tolist(), int(state.to_move[0]), values.lower
            )
        return data

    def _values(
        self, board: BoxesBoard, state: BoxesState, zero: "ZeroPlayer | None", budget: Budget | None
    ) -> Analysis:
        """Structure, and values where they can be had; with a network only as far as it is exact itself."""
        game, num_undrawn = board.game, int((state.lines[0] == 0).sum())
        misere = game.rules.scoring is Scoring.MISERE
        valued = num_undrawn <= MOST_MISERE_LINES if misere else fits(game.rules)
        if zero is not None and not misere:
            valued = valued and num_undrawn <= zero.certain_lines
        if not valued:
            return analysis_so_far(game, state, None)
        seconds = ValuesConfig().max_seconds if budget is None or budget.seconds is None else budget.seconds
        solver = None if misere else self._solvers.get(game.rules, lambda: _new_solver(board))
        return analyse_position(game, state, ValuesConfig(max_seconds=seconds), solver)


def _new_solver(board: BoxesBoard) -> Solver:
    return Solver(board.game, SolverConfig(num_threads=num_cores()))


def _kropki(board: KropkiBoard, state: KropkiState) -> dict[str, Any]:
    """What the rules tell: captures that are possible now, and how the game would end by a STOP."""
    game, mover = board.game, int(state.to_move[0])
    finished, decided = bool(state.finished[0]), int(game.decided(state)[0])
    data: dict[str, Any] = {"exact": finished, "phase": game.phases[int(game.phase(state)[0])]}
    if finished:
        data |= {"value": 0, "best": [], "moves": {}, "pv": []}
        data["win"] = (1 + int(game.outcome(state)[0])) / 2
        return data
    data["captures"] = _named(board, game.gains(state)[0].tolist())
    data["threats"] = _named(board, game.gains(state, 1 - mover)[0].tolist())
    data["ungrounded"] = game.ungrounded(state)[0].tolist()
    if game.rules.stop is StopRule.GROUNDING:
        data["stop_margins"] = game.stop_margins(state)[0].tolist()
    if decided >= 0:
        data["decided"] = decided + 1
    if decided == mover:
        data["win"] = 1.0
    return data


def _named(board: Board[Any], numbers: Sequence[int]) -> dict[str, int]:
    return {board.names[action]: number for action, number in enumerate(numbers) if number > 0}


def _estimates(
    board: Board[Any], state: State, zero: "ZeroPlayer", seconds: float | None, seed: int
) -> dict[str, Any]:
    """What a network and its search expect of an unfinished position."""
    begun, game, luck = time.monotonic(), board.game, np.array([seed], np.uint64)
    first = zero if seconds is None else zero.within(Budget(seconds=_SEARCH_SHARE * seconds))
    search, slot = first.search(game, state, luck), np.zeros(1, np.int32)
    found, exact = search.results(slot), first.exact_move(game, state, luck)
    best = int(search.choose(slot)[0]) if exact is None else exact
    tried = np.flatnonzero(found.visits[0])
    worth = _worth(game, state, zero, np.union1d(tried, [best]))
    data: dict[str, Any] = {
        "value": worth[best],
        "best": [board.names[best]],
        "moves": {board.names[action]: value for action, value in worth.items()},
        "visits": {board.names[action]: int(found.visits[0, action]) for action in tried.tolist()},
    }
    win = _win(game, state, zero, float(found.root_value[0]), worth[best])
    if win is not None:
        data["win"] = win
    deadline = None if seconds is None else begun + seconds
    line = _variation(game, state, zero, best, int(found.visits[0, best]), deadline, luck)
    return data | {"pv": [board.names[action] for action in line]}


def _worth(game: Game[Any], state: State, zero: "ZeroPlayer", actions: Any) -> dict[int, float]:
    """Points that the player to move expects from now on, less the other's, right after each action."""
    before = float(game.margin(state)[0])
    after = game.step(state[np.zeros(len(actions), np.intp)], actions)
    ends = np.where(after.finished, game.margin(after), zero.evaluate(game, after).margin)
    own = np.where(after.to_move == state.to_move[0], ends, -ends)
    return {int(a): round(float(end) - before, 2) for a, end in zip(actions, own, strict=True)}


def _win(game: Game[Any], state: State, zero: "ZeroPlayer", utility: float, worth: float) -> float | None:
    """The probability in the search's utility, less the margin's share; None where there is only margin."""
    weight = zero.margin_weight
    if weight == 1:
        return None
    margin = float(game.margin(state)[0]) + worth
    share = min(1.0, max(-1.0, margin / game.margin_scale))
    value = (utility - weight * share) / (1 - weight)
    return round(min(1.0, max(0.0, (1 + value) / 2)), 4)


def _variation(
    game: Game[Any],
    state: State,
    zero: "ZeroPlayer",
    best: int,
    visits: int,
    deadline: float | None,
    luck: Any,
) -> list[int]:
    """The best move and what the search expects after it, each found with the visits the one before got."""
    line, slot = [best], np.zeros(1, np.int32)
    state = game.step(state, [best])
    while len(line) < _MOST_VARIATION and visits > 1 and not state.finished[0]:
        budget = Budget(simulations=visits)
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            budget = Budget(seconds=left / 2)
        search = zero.within(budget).search(game, state, luck)
        best = int(search.choose(slot)[0])
        visits = int(search.results(slot).visits[0, best])
        line.append(best)
        state = game.step(state, [best])
    return line
