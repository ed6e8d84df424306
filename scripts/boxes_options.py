"""What the tools read from their flags about Dots and Boxes: the board, the position, the solver's limits.

A position is given in one way: as moves from the start of a game, as a set of lines, or as a text board. They
say different things of the score and of who moves; what they leave open can be given by flags of its own, and
what contradicts them is refused. Who moves follows from the lines alone where no two complete boxes are
neighbours: every line that completed no box ended a turn, and no line completed two.

The flags of one kind stand in one function here, so that they are the same in every tool.
"""

import argparse
import os
import re
import string
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from dotzero.cores import num_cores
from dotzero.mistakes import needed_for

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dotzero.envs.boxes import BoxesGame, BoxesRules, BoxesState
    from dotzero.play.session_moves import Result
    from dotzero.play.values import ValuesConfig

DEFAULT_SIZE = "3x3"
_MIB = 2**20
_MOST_NODES = 10**15
_MOST_THREADS = 256
_LONGEST = 10.0**7  # seconds: four months
_LARGEST_BOARD = 2**20  # characters of a text board


class ToolParser(argparse.ArgumentParser):
    """Reports a mistake as everything else in dotzero does: one line, no usage."""

    def __init__(self, act: str, description: str | None) -> None:
        super().__init__(
            prog=f"dotzero {act}",
            description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def error(self, message: str) -> NoReturn:
        """Refuse the words of the command line."""
        raise ValueError(f"{message} (see {self.prog} --help)")


def add_board_options(parser: argparse.ArgumentParser, kropki_size: str | None = None) -> None:
    """The game, the size of its board and the rules of Dots and Boxes.

    Args:
        parser: Gets the options.
        kropki_size: What board Kropki has where nothing is said; None: the tool knows no Kropki.
    """
    games, size = "boxes, the only game of this act", f"rows x columns of boxes (default: {DEFAULT_SIZE})"
    if kropki_size is not None:
        games = "boxes (Dots and Boxes) or kropki (default: boxes)"
        size = f"boxes: {size}; kropki: columns x rows of points (default: {kropki_size})"
    parser.add_argument("--game", default="boxes", help=games)
    parser.add_argument("--size", help=size)
    only = "" if kropki_size is None else "boxes: "
    border = f"{only}lines drawn at the start: none, left_bottom or all (default: none)"
    scoring = f"{only}normal, or misere, in which fewer boxes win (default: normal)"
    parser.add_argument("--border", default="none", help=border)
    parser.add_argument("--scoring", default="normal", help=scoring)


def read_game(options: argparse.Namespace, why_not: str, size: str | None = None) -> "BoxesGame":
    """The game of Dots and Boxes that the options of `add_board_options` describe.

    Args:
        options: Of the command line.
        why_not: Follows "--game must be boxes:" where another game is asked for, {} being its name.
        size: Taken where no size is given.

    Raises:
        ValueError: There is no such game, size or rule, in one line.
    """
    from dotzero.envs.boxes import BoxesGame
    from dotzero.envs.registry import game_names, make_game

    if options.game in game_names() and options.game != "boxes":
        raise ValueError(f"--game must be boxes: {why_not.format(options.game)}")
    rows, columns = read_size(options.size or size or DEFAULT_SIZE)
    rules = {"rows": rows, "columns": columns, "border": options.border, "scoring": options.scoring}
    game = make_game(options.game, rules)
    assert isinstance(game, BoxesGame)
    return game


def read_size(text: str) -> tuple[int, int]:
    """Rows and columns of boxes as `--size` gives them.

    Raises:
        ValueError: It has another form.
    """
    rows, cross, columns = text.lower().partition("x")
    if not cross or not all(
        number.isascii() and number.isdigit() and len(number) < 10 for number in (rows, columns)
    ):
        raise ValueError(f"--size must be ROWSxCOLUMNS such as 3x3, got {text}")
    return int(rows), int(columns)


@dataclass(frozen=True, kw_only=True, slots=True)
class Position:
    """One position, and how much of it was really given."""

    game: "BoxesGame"
    state: "BoxesState"
    """A batch of one game. A score or a player to move that is not known is some possible one."""
    score_known: bool
    mover_known: bool
    result: "Result | None" = None
    """How the game ended in it; None: it goes on, or the lines tell."""

    @property
    def rules(self) -> "BoxesRules":
        """Board and options."""
        return self.game.rules

    @property
    def lines(self) -> "NDArray[np.uint8]":
        """1 for every drawn line. Shape [L]."""
        return self.state.lines[0]

    @property
    def is_start(self) -> bool:
        """Whether nothing but the border is drawn."""
        return bool((self.lines == self.rules.start_lines()).all())

    @property
    def mover(self) -> int:
        """The player to move, 0 or 1; 0 where that is not known."""
        return int(self.state.to_move[0])

    @property
    def score(self) -> tuple[int, int]:
        """Boxes of player 0 and player 1; where that is not known, an even share."""
        first, second = self.state.score[0].tolist()
        return first, second


def add_position_options(parser: argparse.ArgumentParser, kropki: bool = False) -> None:
    """The three ways to give a position, and what they may leave open.

    Args:
        parser: Gets the options.
        kropki: Whether the tool knows Kropki, too.
    """
    moves, only, signs = "lines in the order they were drawn, as in 'A1R b2t'", "", ""
    if kropki:
        moves = "in their order: lines as in 'A1R b2t', or points as in 'cc df stop'"
        only, signs = "boxes: ", ", or the signs of Kropki"
    group = parser.add_argument_group("position", "one of these; the start of a game if none is given")
    group.add_argument("--moves", help=f"{moves}, with blanks or commas")
    order = "all horizontals row by row from the top, then verticals"
    group.add_argument("--lines", help=f"{only}0 or 1 for every line, 1 drawn: {order}")
    board = f"a text board: + --- |, owners 1 and 2{signs}; - reads it here"
    group.add_argument("--board", metavar="FILE", help=board)
    group.add_argument("--score", help="boxes of player 1 and 2 so far, as in 3-2; with --lines")
    mover = "who moves, if --lines or --board leave it open"
    group.add_argument("--to-move", type=int, choices=[1, 2], help=mover)


def read_position(options: argparse.Namespace, why_not: str) -> Position:
    """The position that the options of `add_board_options` and `add_position_options` describe.

    Args:
        options: Of the command line.
        why_not: As for `read_game`.

    Raises:
        ValueError: Something is wrong, or contradicts something else, in one line that names the flag.
    """
    given = [flag for flag in ("moves", "lines", "board") if getattr(options, flag) is not None]
    if len(given) > 1:
        raise ValueError(f"--{given[1]} must not be given with --{given[0]}: both say what is drawn")
    how = given[0] if given else "moves"
    text = read_board(options.board) if how == "board" else ""
    game = read_game(options, why_not, _size_of_board(text) if how == "board" else None)
    if how != "lines" and options.score is not None:
        raise ValueError(
            f"--score must go with --lines, the only way that leaves it open, got {options.score}"
        )
    if how == "moves":
        return _from_moves(game, options)
    return _from_lines(game, options) if how == "lines" else _from_board(game, options, text)


def _from_moves(game: "BoxesGame", options: argparse.Namespace) -> Position:
    from dotzero.envs.boxes_notation import BoxesNotation

    notation, state = BoxesNotation(game.rules), game.start(1)
    drawn = dict.fromkeys(game.rules.start_lines().nonzero()[0].tolist(), "by the border")
    for number, word in enumerate(re.split(r"[\s,]+", (options.moves or "").strip(" ,\n\t")), 1):
        if not word:
            continue
        try:
            line = notation.parse(word)
        except ValueError as error:
            raise ValueError(f"--moves, line {number}: {error}") from None
        if line in drawn:
            where = f"got {word} as line {number}, which is drawn {drawn[line]}"
            raise ValueError(f"--moves must draw no line twice, {where}")
        drawn[line] = f"as line {number}"
        state = game.step(state, [line])
    position = Position(game=game, state=state, score_known=True, mover_known=True)
    if options.to_move is not None and not state.finished[0] and options.to_move != position.mover + 1:
        raise ValueError(f"--to-move must be {position.mover + 1} after these moves, got {options.to_move}")
    return position


def _from_lines(game: "BoxesGame", options: argparse.Namespace) -> Position:
    from dotzero.envs.boxes import Scoring
    from dotzero.envs.boxes_notation import BoxesNotation

    try:
        lines = BoxesNotation(game.rules).parse_dbn(options.lines)
    except ValueError as error:
        raise ValueError(f"--lines: {error}") from None
    _check_border(game.rules, lines, "--lines")
    num_complete = len(_complete_boxes(game.rules, lines))
    score = (num_complete - num_complete // 2, num_complete // 2)
    if options.score is not None:
        score = _read_score(options.score, num_complete)
    lead = score[0] - score[1]
    state = game.position(lines[None], -lead if game.rules.scoring is Scoring.MISERE else lead)
    return _with_mover(game, state, options, score_known=options.score is not None or num_complete == 0)


def _from_board(game: "BoxesGame", options: argparse.Namespace, text: str) -> Position:
    from dotzero.envs.boxes_notation import BoxesNotation

    try:
        lines, owner = BoxesNotation(game.rules).parse_board(text)
    except ValueError as error:
        raise ValueError(f"--board {options.board}: {error}") from None
    _check_border(game.rules, lines, f"--board {options.board}")
    state = game.start(1)
    state.lines[0], state.owner[0] = lines, owner
    state.score[0] = (owner == 0).sum(), (owner == 1).sum()
    state.finished[0] = lines.all()
    return _with_mover(game, state, options, score_known=True)


def _with_mover(
    game: "BoxesGame", state: "BoxesState", options: argparse.Namespace, *, score_known: bool
) -> Position:
    """The position with its player to move: the one who must be, or who is said to be, or the first."""
    known, given = _known_mover(game.rules, state.lines[0]), options.to_move
    if known is not None and given is not None and given != known + 1 and not state.finished[0]:
        raise ValueError(
            f"--to-move must be {known + 1}, who has the turn after so many lines and boxes, got {given}"
        )
    state.to_move[0] = known if known is not None else (given or 1) - 1
    mover_known = known is not None or given is not None
    return Position(game=game, state=state, score_known=score_known, mover_known=mover_known)


def _known_mover(rules: "BoxesRules", lines: "NDArray[np.uint8]") -> int | None:
    """The player to move where the lines tell: no line can have completed two boxes. `lines` [L]."""
    from dotzero.envs.boxes import box_lines

    complete = _complete_boxes(rules, lines)
    sides = box_lines(rules)[complete].ravel().tolist()
    if len(set(sides)) < len(sides):
        return None
    drawn = int(lines.sum()) - int(rules.start_lines().sum())
    return (drawn - len(complete)) % 2


def _complete_boxes(rules: "BoxesRules", lines: "NDArray[np.uint8]") -> list[int]:
    from dotzero.envs.boxes import box_lines

    boxes: list[int] = (lines[box_lines(rules)].sum(axis=1) == 4).nonzero()[0].tolist()
    return boxes


def _check_border(rules: "BoxesRules", lines: "NDArray[np.uint8]", source: str) -> None:
    from dotzero.envs.boxes_notation import BoxesNotation

    lacking = (lines < rules.start_lines()).nonzero()[0].tolist()
    if lacking:
        names = ", ".join(BoxesNotation(rules).name(line) for line in lacking[:3])
        more = ", ..." if len(lacking) > 3 else ""
        raise ValueError(f"{source} must hold the lines of --border {rules.border}, lacks {names}{more}")


def _read_score(text: str, num_complete: int) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,3})[-:](\d{1,3})", text.strip(), re.ASCII)
    if match is None:
        raise ValueError(f"--score must be the boxes of player 1 and 2 such as 3-2, got {text!r}")
    score = int(match[1]), int(match[2])
    if sum(score) != num_complete:
        raise ValueError(f"--score must add up to the {num_complete} complete boxes, got {text}")
    return score


def read_board(path: str) -> str:
    """The text of `--board`.

    Raises:
        ValueError: It is not UTF-8, or cannot be read.
    """
    try:
        if path == "-":
            return sys.stdin.read(_LARGEST_BOARD)
        with (
            needed_for("--board", "a file that can be read", path),
            Path(path).open(encoding="utf-8") as file,
        ):
            return file.read(_LARGEST_BOARD)
    except UnicodeDecodeError:
        raise ValueError(f"--board must be text in UTF-8, got {path} with other bytes") from None


def _size_of_board(text: str) -> str | None:
    """The size that a text board seems to have, if any; whether it is one shows when it is read."""
    rows = text.strip("\n").splitlines()
    letters = rows[0].split() if rows else []
    if len(rows) < 4 or "".join(letters) != string.ascii_uppercase[: len(letters)]:
        return None
    return f"{(len(rows) - 1) // 2}x{len(letters)}"


def add_limit_options(parser: argparse.ArgumentParser, seconds: float | None) -> None:
    """What the solver may use.

    Args:
        parser: Gets the options.
        seconds: The time where none is given; None: no limit.
    """
    from dotzero.search.endgame import SolverConfig

    usual = SolverConfig()
    group = parser.add_argument_group("limits", "whatever ends the search, bounds of the value are told then")
    text = "no limit" if seconds is None else f"{seconds:g}, or no limit if --nodes is given"
    group.add_argument("--seconds", type=float, help=f"time in all (default: {text})")
    group.add_argument(
        "--nodes",
        type=int,
        help="positions looked at, for the value, for all lines and for every step of best play; without "
        "--seconds the answer is the same every time",
    )
    group.add_argument(
        "--memory",
        type=int,
        default=usual.table_mib,
        help=f"size of the table of positions in MiB (default: {usual.table_mib})",
    )
    group.add_argument("--threads", type=int, help="default: as many as there are cores; 1 with --nodes")
    parser.set_defaults(usual_seconds=seconds)


def read_limits(options: argparse.Namespace) -> "ValuesConfig":
    """The limits that the options of `add_limit_options` describe.

    Raises:
        ValueError: One is out of its range, in one line.
    """
    from dotzero.play.values import ValuesConfig
    from dotzero.search.endgame import SolverConfig

    seconds, nodes = options.seconds, options.nodes
    if seconds is not None and not 0 < seconds <= _LONGEST:
        raise ValueError(f"--seconds must be above 0 and at most {_LONGEST:.0f}, got {seconds:g}")
    if nodes is not None and not 1 <= nodes <= _MOST_NODES:
        raise ValueError(f"--nodes must be in 1..{_MOST_NODES}, got {nodes}")
    most = _memory_mib()
    if not 1 <= options.memory <= most:
        raise ValueError(f"--memory must be in 1..{most} MiB, what this machine has, got {options.memory}")
    usual_threads = num_cores() if nodes is None else 1
    threads = usual_threads if options.threads is None else options.threads
    if not 1 <= threads <= _MOST_THREADS:
        raise ValueError(f"--threads must be in 1..{_MOST_THREADS}, got {threads}")
    if nodes is not None and threads > 1:
        raise ValueError(f"--threads must be 1 with --nodes, whose answer is always the same, got {threads}")
    if seconds is None and nodes is None:
        seconds = options.usual_seconds
    solver = SolverConfig(table_mib=options.memory, num_threads=threads)
    return ValuesConfig(max_seconds=seconds, max_nodes=nodes, solver=solver)


def _memory_mib() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // _MIB
