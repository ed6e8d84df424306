"""Games in progress as plain JSON, and finished or unfinished ones as records.

The one idea: moves and settings give the whole game back, so a saved game is the list of them, with what
moves cannot tell: time, an end by agreement, what was taken back. Moves are named, so that a person can read
a file.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dotzero.envs.game_records import BY_THE_RULES, Ending, Record
from dotzero.envs.replayed_records import replay as replay_record
from dotzero.play.game_settings import GameSettings
from dotzero.play.seats import Language, Seat, printable_name, seat_names
from dotzero.play.session_moves import Result, Times
from dotzero.play.sessions import GameSession
from dotzero.play.timers import Now, is_seconds

VERSION = 1
"""Of the form of a saved game."""
_FIELDS = ("version", "id", "settings", "moves", "clocks", "solo", "result", "num_undone")


def to_json(session: GameSession) -> dict[str, Any]:
    """All of a session as plain values; its clocks as they stand now."""
    times, result = session.times, session.result
    return {
        "version": VERSION,
        "id": session.id,
        "settings": session.settings.to_json(),
        "moves": [move.name for move in session.moves],
        "clocks": None if session.settings.clock is None else [_rounded(t.clocks) for t in times],
        "solo": _rounded([t.solo for t in times]) if any(t.solo is not None for t in times) else None,
        "result": None if result is None else {"winner": result.winner, "reason": result.reason.value},
        "num_undone": session.num_undone,
    }


def from_json(data: Any, now: Now = time.monotonic) -> GameSession:
    """The session that `to_json` has written, paused, so that no time passes before somebody is there.

    Raises:
        ValueError: It has another form, or its moves do not go with its rules.
    """
    if not isinstance(data, Mapping) or set(data) != set(_FIELDS):
        raise ValueError(f"saved game must have the fields {', '.join(_FIELDS)}, got {data!r:.80}")
    if data["version"] != VERSION:
        raise ValueError(f"saved game must have version {VERSION}, got {data['version']!r:.40}")
    session = GameSession(GameSettings.from_json(data["settings"]), now, _text(data, "id"))
    names = data["moves"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"saved game.moves must be a list of names, got {names!r:.60}")
    session.replay([session.notation.parse(name) for name in names], _times(session, data))
    count = data["num_undone"]
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise ValueError(f"saved game.num_undone must be a whole number from 0 on, got {count!r:.40}")
    session.num_undone = count
    if data["result"] is not None and session.result is None:
        session.result = _result(session, data["result"])
    return session


def to_record(session: GameSession, language: Language = Language.EN) -> Record:
    """A session as a record: for files, for `replay`, for other programs."""
    names, result, board = seat_names(session.settings.seats, language), session.result, session.state_at(0)
    known: dict[str, Any] = {"reason": Ending.UNFINISHED}
    if result is not None:
        winner = 0 if result.winner is None else result.winner + 1
        known = {"result": winner, "reason": result.reason}
    start = None
    if hasattr(board, "start_dots"):
        dots = board.start_dots[0].ravel().tolist()
        start = tuple(tuple(p for p, dot in enumerate(dots) if dot == player) for player in (1, 2))
    clocks = {}
    if session.settings.clock is not None:
        for number, (move, times) in enumerate(zip(session.moves, session.times[1:], strict=True), 1):
            assert times.clocks is not None
            clocks[number] = round(times.clocks[move.seat], 1)
    return Record(
        rules=session.settings.rules,
        moves=tuple(move.action for move in session.moves),
        movers=tuple(move.seat for move in session.moves),
        start=start,  # type: ignore[arg-type]
        score=session.score,
        players=names,
        clocks=clocks,
        **known,
    )


def from_record(record: Record, seats: tuple[Seat, Seat] | None = None, seed: int = 0) -> GameSession:
    """A session with the moves of a record, to look at or, where it is not over, to go on with.

    Args:
        record: Its result is taken over where the rules do not decide.
        seats: Who goes on; None: two people, by the record's names.
        seed: The luck of the players.

    Raises:
        ValueError: A move is not possible, or moves are out of turn.
    """
    verdict = replay_record(record)
    if seats is None:
        one, two = (printable_name(name) for name in record.players)
        seats = (Seat(name=one), Seat(name=two))
    made = GameSettings(rules=record.rules, seats=seats, seed=seed)
    if to_record(GameSession(made)).start != record.start or record.first:
        made = replace(made, start=record.start, first=record.first)
    session = GameSession(made)
    session.replay(record.moves)
    if [move.seat for move in session.moves] != list(record.movers):
        raise ValueError("record must have its moves in turn to be played on")
    if session.result is None and verdict.reason not in (*BY_THE_RULES, Ending.UNFINISHED):
        winner = None if not record.result else record.result - 1
        session.result = Result(winner=winner, reason=verdict.reason, score=session.score)
    return session


def _rounded(seconds: Any) -> Any:
    return None if seconds is None else [None if part is None else round(part, 3) for part in seconds]


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data[name]
    if not isinstance(value, str) or not value.isalnum() or len(value) > 64:
        raise ValueError(f"saved game.{name} must be letters and digits, got {value!r:.60}")
    return value


def _times(session: GameSession, data: Mapping[str, Any]) -> list[Times]:
    """What was left in every position; nothing where no time is kept."""
    clocks, solo, number = data["clocks"], data["solo"], len(data["moves"]) + 1
    if (clocks is None) != (session.settings.clock is None):
        raise ValueError("saved game.clocks must be there if and only if the settings have a clock")
    if clocks is None and solo is None:
        return []
    for name, value in (("clocks", clocks), ("solo", solo)):
        if value is not None and (not isinstance(value, list) or len(value) != number):
            raise ValueError(f"saved game.{name} must be a list of {number}, got {value!r:.60}")
    for pair in clocks or ():
        if not isinstance(pair, list) or len(pair) != 2 or not all(map(is_seconds, pair)):
            raise ValueError(f"saved game.clocks must be pairs of seconds, got {pair!r:.60}")
    for left in solo or ():
        if left is not None and not is_seconds(left):
            raise ValueError(f"saved game.solo must be seconds or null, got {left!r:.60}")
    pairs = [None if clocks is None else (pair[0], pair[1]) for pair in clocks or [None] * number]
    return [Times(pair, left) for pair, left in zip(pairs, solo or [None] * number, strict=True)]


def _result(session: GameSession, data: Any) -> Result:
    reasons = [reason.value for reason in Ending if reason not in BY_THE_RULES]
    if not isinstance(data, Mapping) or set(data) != {"winner", "reason"} or data["reason"] not in reasons:
        raise ValueError(f"saved game.result must have winner and reason, got {data!r:.60}")
    if data["winner"] not in (None, 0, 1) or isinstance(data["winner"], bool):
        raise ValueError(f"saved game.result.winner must be 0, 1 or null, got {data['winner']!r:.40}")
    return Result(winner=data["winner"], reason=Ending(data["reason"]), score=session.score)
