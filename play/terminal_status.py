"""What the terminal says beside the board: score, whose turn it is, what a move did, what a STOP costs."""

import numpy as np

from dotzero.envs.boxes import BoxesGame, BoxesState
from dotzero.envs.kropki import Capture, KropkiGame, KropkiState
from dotzero.envs.kropki_rules import StopRule
from dotzero.play.kropki_analysis import loose_dots
from dotzero.play.seats import Language, seat_marks, seat_names
from dotzero.play.session_moves import Move
from dotzero.play.sessions import GameSession
from dotzero.play.terminal_texts import duration, text

_LONGEST_CHAIN = 16
"""Points of a chain that are named; the board shows them all."""


def status_line(session: GameSession, language: Language) -> str:
    """Score, time, whose move it is (R112, R135, R143)."""
    names = seat_names(session.settings.seats, language)
    marks = seat_marks(session.settings.seats, language)
    if isinstance(session.game, KropkiGame):
        marks = ("X", "O")
    a, b = session.score
    values = {"first": names[0], "second": names[1], "one": marks[0], "two": marks[1], "a": a, "b": b}
    parts = [text("score", language, **values)]
    if isinstance(session.game, KropkiGame) and session.game.rules.komi:
        parts.append(text("komi", language, komi=session.game.rules.komi, who=names[1]))
    if session.seconds_left is not None:
        one, two = (duration(left, language) for left in session.seconds_left)
        parts.append(text("clock", language, one=one, two=two))
    if not session.finished:
        parts += _turn(session, names, language)
    return ", ".join(parts)


def _turn(session: GameSession, names: tuple[str, str], language: Language) -> list[str]:
    parts, who = [], names[session.mover]
    state = session.state
    if isinstance(session.game, KropkiGame):
        assert isinstance(state, KropkiState)
        left = int(session.game.plain_actions(state).sum())
        parts.append(text("left_points", language, points=left))
    if session.in_solo_phase:
        assert isinstance(state, KropkiState)
        left_seconds = session.solo_seconds_left
        parts.append(text("solo", language, who=who, seconds=duration(left_seconds or 0.0, language)))
        if state.solo_left[0] >= 0:
            parts.append(text("solo_moves", language, moves=int(state.solo_left[0])))
        return parts
    yours = session.settings.person == session.mover and not session.settings.seats[session.mover].name
    parts.append(text("your_turn" if yours else "turn", language, who=who))
    return parts


def move_lines(session: GameSession, move: Move, language: Language) -> list[str]:
    """What is said of the move just made: a computer's always, a person's where it did something."""
    lines, names = [], seat_names(session.settings.seats, language)
    who, person = names[move.seat], session.settings.seats[move.seat].is_person
    boxes = isinstance(session.game, BoxesGame)
    gained = move.gained[move.seat]
    if not person:
        key = "takes" if boxes and gained > 0 else "moved"
        lines.append(text(key, language, who=who, move=move.name, boxes=gained))
    lines += [_capture_line(session, capture, names, language) for capture in move.captures]
    if person and move.again and not session.in_solo_phase:
        lines.append(text(f"again {session.game.name}", language))
    return lines + _changes(session, names, language)


def _capture_line(session: GameSession, capture: Capture, names: tuple[str, str], language: Language) -> str:
    chain = " ".join(session.notation.name(point) for point in capture.chain[:_LONGEST_CHAIN])
    chain += " ..." if len(capture.chain) > _LONGEST_CHAIN else ""
    key = "captures" if capture.dots else "closes"
    return text(key, language, who=names[capture.player], dots=capture.dots, chain=chain)


def _changes(session: GameSession, names: tuple[str, str], language: Language) -> list[str]:
    """The turn from the safe phase to the other (R155), and a majority of boxes (R063); each is said once."""
    game, lines = session.game, []
    if not isinstance(game, BoxesGame) or session.finished:
        return []
    before, state = session.state_at(session.num_moves - 1), session.state
    assert isinstance(before, BoxesState)
    assert isinstance(state, BoxesState)
    was, now = (game.phases[int(game.phase(position)[0])] for position in (before, state))
    if (was, now) == ("safe", "loony"):
        lines.append(text("no_safe", language))
    half = game.rules.num_boxes / 2
    for seat in np.flatnonzero((before.score[0] <= half) & (state.score[0] > half)).tolist():
        lines.append(text("majority", language, who=names[seat]))
    return lines


def stop_warning(session: GameSession, language: Language) -> str:
    """What a STOP of the player to move would do (R036, R037)."""
    seat, game = session.mover, session.game
    assert isinstance(game, KropkiGame)
    who = seat_names(session.settings.seats, language)[1 - seat]
    if session.in_solo_phase:
        return text("stop_alone", language)
    assert isinstance(session.state, KropkiState)
    dots, captives = loose_dots(game, session.state, seat)
    if game.rules.stop is StopRule.SOLO:
        seconds = duration(session.settings.solo_seconds, language)
        told = [text("stop_solo", language, who=who, seconds=seconds, dots=dots)]
        freed = "stop_solo_frees"
    else:
        told = [text("stop_loses", language, who=who, dots=dots)] if dots else []
        if not dots and not captives:
            told = [text("stop_safe", language)]
        freed = "stop_frees"
    return " ".join([*told, *([text(freed, language, dots=captives)] if captives else [])])
