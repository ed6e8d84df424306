"""Why something was not done, for the page to say in its own language.

The one idea: a refusal has the key of one of the page's texts (`static/words.js`) and the values that it
names; the English line that every other program gets goes with it, for what no page asks. What the rules
refuse is told apart as the terminal does it, and what is wrong in settings by the field that an error names,
which stands before its " must ".
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from dotzero.envs.boxes import MAX_COLUMNS, MAX_LINES
from dotzero.envs.game_records import RecordError
from dotzero.envs.kropki_rules import MAX_SIDE, MIN_SIDE
from dotzero.mistakes import is_users_mistake
from dotzero.play.seats import LONGEST_MARK, LONGEST_NAME
from dotzero.play.session_moves import Move
from dotzero.play.sessions import GameSession
from dotzero.play.terminal_refusals import refusal

PREFIX = "refused_"
"""Of the keys of all refusals."""
_BOXES_SIZE = ("boxes_size", {"columns": MAX_COLUMNS, "lines": MAX_LINES})
_KROPKI_SIZE = ("kropki_size", {"least": MIN_SIDE, "most": MAX_SIDE})
FIELDS: Mapping[str, tuple[str, Mapping[str, object]]] = MappingProxyType(
    {
        "BoxesRules.rows": _BOXES_SIZE,
        "BoxesRules.columns": _BOXES_SIZE,
        "BoxesRules.rows and columns": _BOXES_SIZE,
        "BoxesRules.border": ("border", {}),
        "KropkiRules.width": _KROPKI_SIZE,
        "KropkiRules.height": _KROPKI_SIZE,
        "KropkiRules.start": ("start", {}),
        "KropkiRules.num_crosses": ("start", {}),
        "seat.name": ("name", {"most": LONGEST_NAME}),
        "seat.mark": ("mark", {"most": LONGEST_MARK}),
        "seat.player": ("player", {}),
        "saved game": ("saved", {}),
        "a hint": ("turn", {}),
        "an offer": ("offer", {}),
        "an answer": ("answer", {}),
        "record": ("record", {}),
    }
)
"""What a person can have done wrong, by the field that the error names: key without its prefix, values."""


class RefusedError(ValueError):
    """A mistake that the page has a text of its own for.

    Attributes:
        key: Of the text, with its prefix.
        values: What the text names.
    """

    def __init__(self, text: str, key: str, **values: object) -> None:
        super().__init__(text)
        self.key, self.values = PREFIX + key, values


class TakenError(Exception):
    """Another program goes on with the game; the page knows."""


def told(error: Exception) -> dict[str, Any]:
    """An error as the page gets it: `text`, one line in English, and `key` and `values` of a text of its own.

    The key is None where the page has none, as no page does what would bring it about.
    """
    text = " ".join(str(error).split())[:300]
    if isinstance(error, RefusedError):
        return _fields(text, error.key, error.values)
    if isinstance(error, RecordError):
        return _fields(text, *_record(error))
    if isinstance(error, OSError):
        return _fields(text, f"{PREFIX}disk", {})
    if is_of_program(error):
        kind = type(error).__name__
        return _fields(f"internal error {kind}: {text}"[:300], f"{PREFIX}internal", {"kind": kind})
    key, values = FIELDS.get(text.partition(" must ")[0], (None, {}))
    return _fields(text, None if key is None else PREFIX + key, values)


def is_of_program(error: Exception) -> bool:
    """Whether an error is one of the program, and neither a mistake nor the disk's."""
    return not isinstance(error, OSError) and not (isinstance(error, ValueError) and is_users_mistake(error))


def made_move(session: GameSession, text: str) -> Move:
    """Make the move that a text names.

    Raises:
        RefusedError: It names none, or one that is not possible now.
    """
    require_going(session, "a move")
    game = session.game
    try:
        action = session.notation.parse(text)
    except ValueError as error:
        example = session.notation.name(int(game.legal(session.state)[0].argmax()))
        raise RefusedError(str(error), f"name_{game.name}", move=text, example=example) from None
    try:
        return session.move(action)
    except ValueError as error:
        if session.finished:  # its time ran out in between
            raise RefusedError(str(error), "over") from None
        key, values = refusal(session, action)
        raise RefusedError(str(error), key.replace(" ", "_"), **values) from None


def require_unfinished(session: GameSession, what: str) -> None:
    """Refuse what can only be done before the end.

    Raises:
        RefusedError: The game is over.
    """
    if session.check_time() is not None:
        raise RefusedError(f"{what} must come before the end of the game", "over")


def require_going(session: GameSession, what: str) -> None:
    """Refuse what can only be done while a game goes on.

    Raises:
        RefusedError: The game is over, or paused.
    """
    require_unfinished(session, what)
    if session.paused:
        raise RefusedError(f"{what} must wait until the pause is over", "paused")


def _record(error: RecordError) -> tuple[str, dict[str, object]]:
    """Key and values for a record that cannot be played: which move, or about which line."""
    move = re.match(r"move (\d+)", error.where)
    if move is not None:
        return f"{PREFIX}record_move", {"number": int(move[1])}
    if error.line is not None:
        return f"{PREFIX}record_line", {"line": error.line}
    return f"{PREFIX}record", {}


def _fields(text: str, key: str | None, values: Mapping[str, object]) -> dict[str, Any]:
    return {"text": text, "key": key, "values": dict(values)}
