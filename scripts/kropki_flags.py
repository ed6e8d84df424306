"""What the tools read from their flags about Kropki: the board, its rules, a position.

Rules go by their names, `--rule stop=solo`, as in configuration; a `--preset` names several at once. A
position is given as moves from the start of a game or as a text board.
"""

import argparse
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dotzero.scripts.boxes_options import read_board

if TYPE_CHECKING:
    from dotzero.envs.kropki import KropkiGame, KropkiState
    from dotzero.play.session_moves import Result

_BOXES_ONLY = {"border": "none", "scoring": "normal", "lines": None, "score": None}
"""Flags of Dots and Boxes and what they are where they are not given."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KropkiPosition:
    """One position, and the move that led to it."""

    game: "KropkiGame"
    state: "KropkiState"
    """A batch of one game."""
    last: int | None
    """None: not known, or the start."""
    result: "Result | None" = None
    """How the game ended in it; None: it goes on, or the rules tell."""


def add_rule_options(parser: argparse.ArgumentParser) -> None:
    """The rules of Kropki."""
    group = parser.add_argument_group("kropki", "with --game kropki")
    group.add_argument(
        "--preset", help="a set of rules: official, house, tournament or territory (default: official)"
    )
    group.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="one rule, as often as needed: start=empty, stop=solo, opening_zone=15x8, komi=0.5 or 0,5",
    )


def is_kropki(options: argparse.Namespace) -> bool:
    """Whether the options of `add_board_options` and `add_rule_options` are about Kropki.

    Raises:
        ValueError: Rules of one game are given with the other.
    """
    if options.game == "kropki":
        for name, usual in _BOXES_ONLY.items():
            value = getattr(options, name, usual)
            if value != usual:
                raise ValueError(f"--{name} must be left out with --game kropki, got {value}")
        return True
    for name in ("preset", "rule"):
        if getattr(options, name):
            raise ValueError(f"--{name} must go with --game kropki, got --game {options.game}")
    return False


def read_kropki(options: argparse.Namespace, size: str | None = None) -> "KropkiGame":
    """The game that the options of `add_board_options` and `add_rule_options` describe.

    Args:
        options: Of the command line.
        size: Taken where no size is given; None: that of the rules.

    Raises:
        ValueError: There is no such rule or size, in one line.
    """
    from dotzero.envs.kropki import KropkiGame
    from dotzero.envs.kropki_rules import KropkiRules
    from dotzero.envs.registry import rule_names

    rules: dict[str, Any] = {}
    for text in options.rule:
        name, equals, value = text.partition("=")
        if not equals or name not in rule_names("kropki") or name in rules:
            known = ", ".join(rule_names("kropki"))
            raise ValueError(f"--rule must be NAME=VALUE, each name once and one of {known}, got {text}")
        rules[name] = _value(value)
    text = options.size or size
    if text is not None:
        if {"width", "height"} & set(rules):
            raise ValueError(f"--rule must not set width or height where a size is given, got {text}")
        rules["width"], rules["height"] = _read_size(text)
    return KropkiGame(KropkiRules.preset(options.preset or "official", **rules))


def _value(text: str) -> Any:
    """A rule's value: a number, true or false, none, a pair such as 15x8, or a word."""
    pair = re.fullmatch(r"(\d{1,9})x(\d{1,9})", text, re.ASCII)
    if pair is not None:
        return int(pair[1]), int(pair[2])
    words = {"yes": True, "true": True, "no": False, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    number = text.replace(",", ".")  # a half is 0.5 or 0,5: the screens show both, as languages do
    if re.fullmatch(r"-?\d{1,9}(\.\d{1,9})?", number, re.ASCII):
        return float(number) if "." in number else int(number)
    return text


def _read_size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,9})x(\d{1,9})", text.lower(), re.ASCII)
    if match is None:
        raise ValueError(f"--size must be COLUMNSxROWS of points such as 15x15, got {text}")
    return int(match[1]), int(match[2])


def read_kropki_position(options: argparse.Namespace) -> KropkiPosition:
    """The position that the options describe; the start of a game if none is given.

    Raises:
        ValueError: Something is wrong, in one line that names the flag.
    """
    if options.moves is not None and options.board is not None:
        raise ValueError("--board must not be given with --moves: both say what is on the board")
    return _from_moves(options) if options.board is None else _from_board(options)


def _from_moves(options: argparse.Namespace) -> KropkiPosition:
    from dotzero.play.engine_positions import KropkiBoard

    game = read_kropki(options)
    board = KropkiBoard(game)
    words = [word for word in re.split(r"[\s,]+", options.moves or "") if word]
    try:
        state: Any = board.read(None, words)
    except ValueError as error:
        raise ValueError(f"--{error}" if str(error).startswith("moves") else str(error)) from None
    mover = int(state.to_move[0]) + 1
    if options.to_move not in (None, mover):
        raise ValueError(f"--to-move must be {mover} after these moves, got {options.to_move}")
    return KropkiPosition(game=game, state=state, last=board.parse(words[-1]) if words else None)


def _from_board(options: argparse.Namespace) -> KropkiPosition:
    from dotzero.envs.kropki_notation import KropkiNotation

    text = read_board(options.board)
    game = read_kropki(options, _size_of_board(text))
    try:
        cells = KropkiNotation(game.rules).parse_board(text)
        state = game.position(cells[None], (options.to_move or 1) - 1)
    except ValueError as error:
        reason = str(error).removesuffix(" in position 0")
        raise ValueError(f"--board {options.board}: {reason}") from None
    return KropkiPosition(game=game, state=state, last=None)


def _size_of_board(text: str) -> str | None:
    """The size that a text board seems to have, if any; whether it is one shows when it is read."""
    rows = text.strip("\n").splitlines()
    columns = len(rows[0].split()) if rows else 0
    return f"{columns}x{len(rows) - 1}" if columns and len(rows) > 1 else None
