"""The analysis of a game that is over: how it ended, and nothing of what could have been played on.

The one idea: the position does not tell that a player resigned, ran out of time or agreed on the end. Who
knows it, a session or a record, hands the result in; what is asked of the position then is that it is over.
"""

from typing import Any

from dotzero.envs.game import Game, State
from dotzero.envs.game_records import Ending
from dotzero.envs.replayed_records import Verdict
from dotzero.play.session_moves import Result, verdict


def result_of(game: Game[Any], state: State) -> Result | None:
    """How the rules have ended a game, a batch of one; None where they have not."""
    if not state.finished[0]:
        return None
    winner, reason = verdict(game, state)
    one, two = state.score[0].tolist()
    return Result(winner=winner, reason=reason, score=(one, two))


def recorded_result(found: Verdict) -> Result | None:
    """How a recorded game ended; None where it was left unfinished."""
    if found.reason is Ending.UNFINISHED:
        return None
    winner = None if not found.result else found.result - 1
    return Result(winner=winner, reason=found.reason, score=found.score)


def result_to_json(result: Result) -> dict[str, Any]:
    """`result`, 0 for a draw, else the player 1 or 2 who won, and its `reason`."""
    return {"result": 0 if result.winner is None else result.winner + 1, "reason": result.reason.value}


def win_of(result: Result, player: int) -> float:
    """The chance of winning of player 0 or 1: certain by now, and one half in a draw."""
    return 0.5 if result.winner is None else float(result.winner == player)


def finished_to_json(result: Result, mover: int) -> dict[str, Any]:
    """The fields that every analysis has, of a game in which nothing is to come.

    Args:
        result: How it ended.
        mover: Player 0 or 1 who would be to move: `win` is seen by it, as everywhere.
    """
    nothing: dict[str, Any] = {"value": 0, "best": [], "moves": {}, "pv": []}
    told = {"exact": True, "phase": "finished", **nothing, "win": win_of(result, mover)}
    return told | result_to_json(result)


def result_words(result: Result) -> str:
    """Who has won, and why the game is over: "player 2 has won (resign)"."""
    who = "a draw" if result.winner is None else f"player {result.winner + 1} has won"
    return f"{who} ({result.reason.value.replace('_', ' ')})"
