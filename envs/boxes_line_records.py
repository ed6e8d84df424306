"""Lines of Dots and Boxes as the various programs spell them, and the size of the board that they need.

    text         A1R        a box, rows from the bottom, and its side; see `boxes_notation.py`
    dots         a1-b1      the two dots of a line, rows from the bottom; also a1b1
    open_spiel   P1(h,0,0)  the player; h or v, row from the top, column
    hrc          h 0 0      the same without the player; also h:0:0
    lines        01100...   all lines drawn so far, one string a position

What has rows from the bottom needs the height of the board. Where a record does not give the size, that of a
complete game follows from its lines: no smaller board has them all, and no larger one is full.
"""

import functools
import re
from typing import NamedTuple

from dotzero.envs.boxes import BoxesRules, LinePlace, line_at, line_place
from dotzero.envs.game_records import RecordError, notation_of, shown

SPELLINGS = ("text", "dots", "open_spiel", "hrc", "lines")
TOKEN = re.compile(
    r"""(?P<space>[\s,;/]++)
    | (?P<comment>\{(?:[^}\\\n]|\\[^\n])*+\})
    | (?P<number>[0-9]{1,4})\.++
    | (?P<open_spiel>P([12])\(([hv]),([0-9]{1,3}),([0-9]{1,3})\))
    | (?P<dots>([A-Za-z])([0-9]{1,3})-?([A-Za-z])([0-9]{1,3})(?![0-9A-Za-z]))
    | (?P<text>([A-Za-z])([0-9]{1,3})([TBLRtblr])(?![0-9A-Za-z-]))
    | (?P<hrc>([hv])(?:[ ]+|:)([0-9]{1,3})(?:[ ]+|:)([0-9]{1,3})(?![0-9A-Za-z]))
    | (?P<lines>[01]{4,255}(?![0-9.-]))
    | (?P<score>[0-9]{1,3}-[0-9]{1,3}(?![0-9A-Za-z-]))
    | (?P<end>\*)""",
    re.VERBOSE | re.ASCII,
)
"""One token of a record: a line in any spelling, the number of a turn, a comment, the score or * at the end.
Groups are named by their kind."""


class Spelled(NamedTuple):
    """A line as it is spelled.

    Attributes:
        across: Whether it runs from left to right.
        row: Of its dots, or of the boxes beside it, from 0.
        column: From 0 at the left.
        from_bottom: Whether rows are counted from the bottom.
        player: 0 or 1, where that is said.
        text: What stands in the record.
    """

    across: bool
    row: int
    column: int
    from_bottom: bool
    player: int | None
    text: str

    @property
    def least_size(self) -> tuple[int, int]:
        """Rows and columns of boxes that a board with this line has at least."""
        return (self.row, self.column + 1) if self.across else (self.row + 1, self.column)


@functools.lru_cache(maxsize=4096)
def spelled(text: str, kind: str) -> Spelled:
    """The line that a token of any kind of spelling but `lines` means; those seen lately are kept.

    Raises:
        ValueError: There can be no such line.
    """
    if kind in ("open_spiel", "hrc"):
        player = int(text[1]) - 1 if kind == "open_spiel" else None
        direction, row, column = re.findall(r"[hv]|[0-9]+", text if player is None else text[2:])
        return Spelled(direction == "h", int(row), int(column), False, player, text)
    if kind == "dots":
        dots = re.findall(r"[A-Za-z][0-9]+", text)
        (x, y), (u, v) = ((_column(dot[0]), int(dot[1:]) - 1) for dot in dots)
        if abs(x - u) + abs(y - v) != 1 or min(y, v) < 0:
            raise ValueError(f"a line must join two dots side by side, got {text}")
        return Spelled(y == v, min(y, v), min(x, u), True, None, text)
    column, row, side = _column(text[0]), int(text[1:-1]), text[-1].upper()
    if row < 1:
        raise ValueError(f"a box must be in a row from 1 on, got {text}")
    if side in "TB":
        return Spelled(True, row - (side == "B"), column, True, None, text)
    return Spelled(False, row - 1, column + (side == "R"), True, None, text)


def action_of(line: Spelled, rules: BoxesRules) -> int:
    """The number of a line.

    Raises:
        ValueError: It is not on the board.
    """
    row = line.row
    if line.from_bottom:
        row = rules.rows - row if line.across else rules.rows - 1 - row
    action = line_at(rules, LinePlace(line.across, row, line.column))
    if action is None:
        size = f"{rules.rows}x{rules.columns}"
        raise ValueError(f"a line must be on the board of {size} boxes, got {line.text}")
    return action


def spell(action: int, player: int, spelling: str, rules: BoxesRules) -> str:
    """A line in one of the spellings but `lines`."""
    if spelling == "text":
        return notation_of(rules).name(action)
    across, row, column = line_place(rules, action)
    if spelling == "open_spiel":
        return f"P{player + 1}({'h' if across else 'v'},{row},{column})"
    if spelling == "hrc":
        return f"{'h' if across else 'v'} {row} {column}"
    x, y = _letter(column), rules.rows - row + 1  # of the dot at the left or at the top
    return f"{x}{y}-{_letter(column + 1)}{y}" if across else f"{x}{y - 1}-{x}{y}"


def size_of(lines: list[Spelled]) -> tuple[int, int]:
    """The size of the board of a complete game, in boxes.

    Raises:
        ValueError: The game is not complete, so that the board may be larger.
    """
    sizes = [line.least_size for line in lines] or [(0, 0)]
    rows, columns = (max(size[axis] for size in sizes) for axis in (0, 1))
    num_lines = (rows + 1) * columns + rows * (columns + 1)
    if min(rows, columns) < 1 or len(lines) != num_lines:
        raise ValueError(
            f'the size must be given, as in [Size "5x5"], got {len(lines)} lines of no whole game'
        )
    return rows, columns


def actions_of_positions(texts: list[str], rules: BoxesRules) -> list[int]:
    """The lines that are drawn between strings that show one position after another.

    The first may show the empty board, or the first line.

    Raises:
        RecordError: A string does not show one line more than the one before.
    """
    drawn, actions = "0" * rules.num_lines, []
    for number, text in enumerate(texts, 1):
        if len(text) != rules.num_lines:
            size = f"{rules.rows}x{rules.columns}"
            reason = f"must have {rules.num_lines} places on {size} boxes, got {len(text)}"
            raise RecordError(reason, where=f"line string {number}")
        new = [place for place, (a, b) in enumerate(zip(drawn, text, strict=True)) if a != b]
        if number > 1 or new:
            if len(new) != 1 or text[new[0]] == "0":
                reason = f"must show one line more than the one before, got {shown(text)}"
                raise RecordError(reason, where=f"line string {number}")
            actions.append(new[0])
        drawn = text
    return actions


def _column(letter: str) -> int:
    return ord(letter.lower()) - ord("a")


def _letter(column: int) -> str:
    if column >= 26:
        raise ValueError(f"a dot must be in a column from a to z, got column {column + 1}")
    return chr(ord("a") + column)
