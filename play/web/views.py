"""A game as the page sees it: plain values that leave nothing to be worked out by rules.

The one idea: the page draws and asks, it never decides. What may be played, who owns what, what a chain looks
like and who is to move is said here, by the engine that plays.

Seats are 0 and 1, boards go row by row from the top left, and a string with one character for each line, box
or point is used where a list would be long.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from dotzero.envs.boxes import BoxesGame, BoxesState
from dotzero.envs.game import State
from dotzero.envs.kropki import KropkiGame, KropkiState
from dotzero.envs.kropki_position import HELD, LIVE, PLACED
from dotzero.play.enclosures import standing
from dotzero.play.game_settings import rules_of_key
from dotzero.play.kropki_analysis import grounded_points
from dotzero.play.seats import Language, seat_colours, seat_marks, seat_names
from dotzero.play.session_moves import Move
from dotzero.play.sessions import GameSession
from dotzero.play.web.names import shown_seats


def describe(session: GameSession, language: Language, told: Callable[[str], str] = str) -> dict[str, Any]:
    """What stays the same during a game: board, rules, names, sides, time control.

    Args:
        session: The game.
        language: Of the names.
        told: How the specification of a player is told.
    """
    game, settings = session.game, session.settings
    seats, shown = settings.seats, shown_seats(settings.seats, language)
    players = [None if seat.player is None else told(seat.player) for seat in seats]
    chosen = [seat.to_json() | {"player": player} for seat, player in zip(seats, players, strict=True)]
    sides = zip(
        players, seat_names(shown, language), seat_marks(shown, language), seat_colours(seats), strict=True
    )
    data: dict[str, Any] = {
        "id": session.id,
        "game": game.name,
        "board": settings.board,
        "unusual": rules_of_key(settings.rules_key),
        "settings": settings.to_json() | {"seats": chosen},
        "names": [session.notation.name(action) for action in range(game.num_actions)],
        "seats": [
            {"name": name, "mark": mark, "colour": colour.value, "player": player}
            for player, name, mark, colour in sides
        ],
        "person": settings.person,
        "clock": None if settings.clock is None else settings.clock.to_json(),
    }
    if isinstance(game, KropkiGame):
        rules = game.rules
        zone = rules.zone().ravel() if rules.opening_zone is not None else np.zeros(0, np.bool_)
        stop = {"width": rules.width, "height": rules.height, "stop": rules.stop.value}
        return data | stop | {"zone": _digits(zone)}
    assert isinstance(game, BoxesGame)
    return data | {"rows": game.rules.rows, "columns": game.rules.columns}


def view(session: GameSession, at: int | None = None) -> dict[str, Any]:
    """A position and, where it is the newest one, what can be done in it.

    Args:
        session: The game.
        at: After so many moves; None: now.
    """
    number = session.num_moves if at is None else at
    state, game = session.state_at(number), session.game
    moves = session.moves[:number]
    data: dict[str, Any] = {
        "at": number,
        "num_moves": session.num_moves,
        "mover": int(state.to_move[0]),
        "score": state.score[0].tolist(),
        "phase": game.phases[int(game.phase(state)[0])],
        "decided": int(game.decided(state)[0]),
        "finished": session.finished,
        "last": None if not moves else moves[-1].action,
        "legal": "",
    }
    data |= _kropki(game, state, moves) if isinstance(game, KropkiGame) else _boxes(state, moves)
    if number == session.num_moves:
        data |= _now(session)
    return data


def move_view(move: Move) -> dict[str, Any]:
    """One move, as it is announced."""
    return {
        "action": move.action,
        "name": move.name,
        "seat": move.seat,
        "gained": list(move.gained),
        "again": move.again,
    }


def _now(session: GameSession) -> dict[str, Any]:
    """What can be done, what runs, and how it ended."""
    result, offer, clocks = session.result, session.offer, session.seconds_left
    waits = not session.finished and not session.paused
    seat = session.settings.seats[session.mover]
    legal = session.game.legal(session.state)[0] if not session.finished else np.zeros(0, np.bool_)
    taken_back = any(session.settings.seats[move.seat].is_person for move in session.moves)
    return {
        "legal": _digits(legal),
        "paused": session.paused,
        "persons_turn": waits and seat.is_person,
        "moves": [[move.seat, move.name] for move in session.moves],
        "again": bool(session.moves) and session.moves[-1].again and not session.finished,
        "clocks": None if clocks is None else [round(left, 2) for left in clocks],
        "solo": None if session.solo_seconds_left is None else round(session.solo_seconds_left, 2),
        "in_solo": session.in_solo_phase,
        "can_undo": not session.finished and taken_back,
        "can_stop": session.can_stop,
        "ungrounded": [session.num_ungrounded(0), session.num_ungrounded(1)],
        "offer": None if offer is None else {"seat": offer[0], "terms": offer[1].value},
        "result": None
        if result is None
        else {"winner": result.winner, "reason": result.reason.value, "score": list(result.score)},
    }


def _boxes(state: State, moves: list[Move]) -> dict[str, Any]:
    """Lines, who drew them ("." for those of the border), and owners of boxes ("." for none)."""
    assert isinstance(state, BoxesState)
    drawn = [str(int(line)) for line in state.lines[0].tolist()]
    by = ["."] * len(drawn)
    for move in moves:
        by[move.action] = str(move.seat)
    owners = "".join("." if owner < 0 else str(owner) for owner in state.owner[0].tolist())
    return {"lines": "".join(drawn), "by": "".join(by), "owners": owners}


def _kropki(game: KropkiGame, state: State, moves: list[Move]) -> dict[str, Any]:
    """Dots, who holds closed points, enclosures that stand in the order in which they were closed.

    `dots`: 0 and 1 live dots of the seats, 2 and 3 dead ones, "." none. `held`: who holds a closed point.
    `grounded`: 1 for points of either seat that are linked to the edge. `left`: points that are left to play.
    """
    assert isinstance(state, KropkiState)
    cells = state.cells[0]
    dots = np.full(cells.shape, ".", "<U1")
    for seat in (0, 1):
        placed = cells & PLACED == 4 << seat
        dots[placed] = str(seat + 2)
        dots[placed & (cells & LIVE != 0)] = str(seat)
    held = np.where(cells & HELD == 0, ".", np.where(cells & HELD == 0x10, "0", "1"))
    chains = [
        {"seat": capture.player, "chain": list(capture.chain), "dots": capture.dots, "at": number}
        for number, capture in standing(state, moves)
    ]
    free = int((cells & (LIVE | PLACED | HELD) == 0).sum())
    return {
        "dots": "".join(dots.ravel()),
        "held": "".join(held.ravel()),
        "grounded": _digits(grounded_points(game, state).ravel()),
        "chains": chains,
        "free": free,
    }


def _digits(flags: Any) -> str:
    return "".join("1" if flag else "0" for flag in flags.tolist())
