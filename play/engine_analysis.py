"""What the engine knows of a position, for its query `analyze`.

The one idea: what is said is certain unless a network is named. Dots and Boxes has exact values as far as the
solver comes in the time given, and structure that needs no search (`analysis.py`). Kropki has what the rules
tell (`kropki_analysis.py`): who could capture what now, how a STOP would end. Level `zero` adds its estimates
where nothing exact is known (`network_analysis.py`): `value` and `moves` are the network's expectation of
what is still to come right after a move, `win`, `best` and `pv` come from its search. Besides there are

    margin      the final one that is expected: what the player to move leads by so far, and `value`
    candidates  the moves that the search tried, best first: visits, prior, value, win, pv
    policy      probabilities of moves by the network alone
    raw         win and final margin by the network alone
    owners      row by row, the probability that the player to move will own each box or point

The probability `win` counts a draw as one half.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from dotzero.cores import num_cores
from dotzero.envs.boxes import BoxesRules, BoxesState, Scoring
from dotzero.envs.game import State
from dotzero.envs.kropki import KropkiState
from dotzero.play.analysis import Analysis, analyse_position, analysis_so_far, final_score
from dotzero.play.engine_players import Kept
from dotzero.play.engine_positions import Board, BoxesBoard, KropkiBoard
from dotzero.play.finished_analysis import finished_to_json, result_of
from dotzero.play.kropki_analysis import kropki_facts
from dotzero.play.players import Budget
from dotzero.play.session_moves import Result
from dotzero.play.values import MOST_MISERE_LINES, ValuesConfig
from dotzero.search.endgame import Solver, SolverConfig, fits

if TYPE_CHECKING:
    from dotzero.play.zero import ZeroPlayer

_MOST_SOLVERS = 2


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
        result: Result | None = None,
    ) -> dict[str, Any]:
        """All that is known of a batch of one game, as plain values.

        Args:
            board: The game.
            state: One position.
            zero: Whose estimates are asked for too, within the budget already.
            budget: Time for the solver; simulations only with a network.
            seed: The luck of the network's search, which decides between equals.
            result: How the game ended in this position, where the rules do not tell; only that is told then.

        Raises:
            ValueError: There is nothing that could use the budget.
        """
        if isinstance(board, BoxesBoard):
            assert isinstance(state, BoxesState)
            data = self._boxes(board, state, zero, budget, result)
        else:
            assert isinstance(board, KropkiBoard)
            assert isinstance(state, KropkiState)
            if zero is None and budget is not None:
                raise ValueError("budget must be left out: kropki is searched only with a level zero:DIR")
            data = kropki_facts(board.game, state, result).to_json(board.names)
        if zero is not None and not data["exact"] and not state.finished[0]:
            from dotzero.play.network_analysis import estimate  # with what made the network

            seconds = None if budget is None else budget.seconds
            found = estimate(board.game, state, zero, seed, seconds, with_owners=True)
            certain = {"win": data["win"]} if "win" in data else {}
            data |= found.to_json(board.names) | certain
        return data

    def close(self) -> None:
        """Free the solvers."""
        self._solvers.clear()

    def _boxes(
        self,
        board: BoxesBoard,
        state: BoxesState,
        zero: "ZeroPlayer | None",
        budget: Budget | None,
        result: Result | None,
    ) -> dict[str, Any]:
        if zero is None and budget is not None and budget.seconds is None:
            raise ValueError("budget must be seconds without a level zero:DIR, got simulations")
        result = result or result_of(board.game, state)
        if result is not None:
            return finished_to_json(result, int(state.to_move[0])) | {"final": list(result.score)}
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
