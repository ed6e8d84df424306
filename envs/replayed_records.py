"""What a record comes to when its moves are played again under its rules.

The rules decide whether the moves are possible, what each scores and how the game ends; the record decides
what they cannot know, a resignation or the end of a player's time. Where both speak, they are compared.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import Game, Replayed
from dotzero.envs.game_records import BY_THE_RULES, Ending, Record, RecordError, with_mover
from dotzero.envs.kropki import KropkiGame, KropkiState
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.kropki_sgf_chains import chain_warnings, enclosures


class Verdict(NamedTuple):
    """What a record comes to under its rules.

    Attributes:
        state: The game after the last move, a batch of one.
        scores: Points of both players after every move, without komi. int16, shape [n, 2].
        score: Points at the end.
        lead: What player 1 is ahead by at the end as the rules count, with komi.
        result: Who won, as in a record; of a game that the rules do not end, what the record says.
        reason: Why it was over.
        contradiction: Where the moves say something else than the record: what, in one line; else None.
        warnings: What the rules would not have, but does not keep the game from being played.
        agrees: Whether the moves and the record agree; None: the record does not say how the game ended, or
            only names a winner whom the count does not.
    """

    state: Any
    scores: NDArray[np.int16]
    score: tuple[int, int]
    lead: float
    result: int | None
    reason: Ending
    contradiction: str | None
    warnings: tuple[str, ...]
    agrees: bool | None


def replay(record: Record) -> Verdict:
    """Play a record's moves under its rules, and compare what it says with what comes out.

    In Boxes the rules say who moves; in Kropki a move out of turn, as some records have it, is a warning.

    Raises:
        RecordError: A move is not possible; the message names line, move and reason.
    """
    game, state = record.new_game()
    played, warnings = _play(record, game, state)
    final, scores = played.state, played.scores
    one, two = final.score[0].tolist()
    ahead = float(game.margin(final)[0])
    lead = ahead if final.to_move[0] == 0 else 0.0 - ahead
    reason = _ending(record, final)
    by_rules = reason in BY_THE_RULES
    result = _winner(lead) if by_rules else record.result
    if record.chains and isinstance(game, KropkiGame):
        closed = enclosures(game, state, record.moves, record.movers, scores)
        warnings += chain_warnings(game, state, record.moves, record.movers, record.chains, closed)
    told = (record.result, record.score, record.margin, record.reason)
    contradiction = _contradiction(record, (one, two), lead, reason)
    # A winner against the count, and nothing that says why: the moves can neither show nor deny it.
    only_winner = told == (record.result, None, None, None) and not by_rules
    unknown = only_winner and record.result in (1, 2) and record.result != _winner(lead)
    agrees = None if set(told) == {None} or unknown else contradiction is None
    return Verdict(final, scores, (one, two), lead, result, reason, contradiction, tuple(warnings), agrees)


def completed(record: Record, verdict: Verdict | None = None) -> Record:
    """The record with the score, and of a finished game the result and the reason, that its moves lead to.

    Args:
        record: What it says otherwise of these is replaced.
        verdict: That of `replay`, if it is there already.

    Raises:
        RecordError: As `replay`.
    """
    verdict = replay(record) if verdict is None else verdict
    known: dict[str, Any] = {"score": verdict.score}
    if verdict.reason in BY_THE_RULES:
        known |= {"result": verdict.result, "margin": abs(verdict.lead), "reason": verdict.reason}
    return replace(record, **known)


def in_turn(line: int | None, **fields: Any) -> Record:
    """A record of a file that does not say who made the moves: they are in turn.

    Raises:
        RecordError: A field is wrong, or a move is not possible.
    """
    record = Record.checked(line, movers=(0,) * len(fields["moves"]), **fields)
    game, state = record.new_game()
    played = game.replay(state, np.array(record.moves, np.int32))
    if played.illegal is not None:
        reason = _why_illegal(game, played.state, record.moves[played.illegal])
        raise RecordError(reason, line=line, where=record.move_name(played.illegal))
    return replace(record, movers=tuple(played.movers.tolist()))


def _play(record: Record, game: Game[Any], state: Any) -> tuple[Replayed[Any], list[str]]:
    moves, movers = np.array(record.moves, np.int32), np.array(record.movers, np.int8)
    played = game.replay(state, moves)
    known = len(moves) if played.illegal is None else played.illegal
    strange = np.flatnonzero(played.movers[:known] != movers[:known])
    if len(strange) == 0 and played.illegal is None:
        return played, []
    warnings = []
    if len(strange) or movers[known] != played.state.to_move[0]:
        index = int(strange[0]) if len(strange) else known
        if not isinstance(game, KropkiGame):
            due = 2 - record.movers[index]
            reason = f"must be made by player {due}, got player {record.movers[index] + 1}"
            raise RecordError(reason, line=record.line, where=record.move_name(index))
        warnings = [f"{record.move_name(index)} and maybe later ones are out of turn"]
        played = game.replay(state, moves, movers)
    if played.illegal is not None:
        before = with_mover(played.state, record.movers[played.illegal])
        reason = _why_illegal(game, before, record.moves[played.illegal])
        raise RecordError(reason, line=record.line, where=record.move_name(played.illegal))
    return played, warnings


def _why_illegal(game: Game[Any], state: Any, action: int) -> str:
    return "the game is finished" if state.finished[0] else refusal(game, state, action)


def refusal(game: Game[Any], state: Any, action: int) -> str:
    """Why an action is not legal in a batch of one, as the rules say it."""
    try:
        game.step(state, [action])
    except ValueError as error:
        return str(error).partition(": ")[2]
    raise AssertionError("a move that is not legal must be refused")


def ended_by(rules: Any, final: Any) -> Ending:
    """Why a game that the rules have ended is over; `final` is a batch of one."""
    if isinstance(final, KropkiState):
        assert isinstance(rules, KropkiRules)
        if final.stopped[0] >= 0:
            return Ending.STOP
        one, two = final.score[0].tolist()
        if rules.instant_win is not None and abs(one - two) >= rules.instant_win:
            return Ending.INSTANT_WIN
    return Ending.FULL_BOARD


def _ending(record: Record, final: Any) -> Ending:
    if final.finished[0]:
        return ended_by(record.rules, final)
    if record.reason is not None and record.reason not in BY_THE_RULES:
        return record.reason
    return Ending.UNFINISHED if record.result is None else Ending.AGREEMENT


def _winner(lead: float) -> int:
    return 1 if lead > 0 else 2 if lead < 0 else 0


def _contradiction(record: Record, score: tuple[int, int], lead: float, reason: Ending) -> str | None:
    """What the record says otherwise than the moves; a resignation, say, is beyond the moves."""
    if record.score is not None and record.score != score:
        return f"the moves lead to {score[0]}-{score[1]}, the record says {record.score[0]}-{record.score[1]}"
    over = reason in BY_THE_RULES
    if record.reason is not None and record.reason in BY_THE_RULES and record.reason is not reason:
        return f"the moves lead to the end by {reason}, the record says {record.reason}"
    if over and record.result not in (None, _winner(lead)):
        return f"the moves lead to {result_text(_winner(lead))}, the record says {result_text(record.result)}"
    judged = over or reason in (Ending.AGREEMENT, Ending.UNFINISHED)
    ahead = {1: lead, 2: 0.0 - lead}.get(record.result or 0, abs(lead))
    if judged and record.margin is not None and record.margin != ahead:
        return f"the moves lead to a margin of {ahead:g}, the record says {record.margin:g}"
    return None


def result_text(result: int | None) -> str:
    """A result in words."""
    if result is None:
        return "no result"
    return f"a win of player {result}" if result else "a draw"
