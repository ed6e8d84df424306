"""Dots and Boxes as text: names of lines, sets of lines, boards.

A box is a column letter and a row number, rows counted from the BOTTOM as on a chessboard; a
line is a box and a side, T B L R: `A1R`. An inner line is a side of two boxes and so has two names (`A1T` is
`A2B`, `A2R` is `B2L`); both are read, in capitals or not. Written are T for horizontal lines except the
bottom edge (B), and L for vertical lines except the right edge (R). A set of lines is also a string of 0 and
1 in the order of the line numbers (`dbn`); it tells neither who owns a box nor who moves.

A board of 2x3 boxes, player 1 owning A1. Dots are `+`; `===` or `#` marks the last line drawn:

        A   B   C
      +---+   +---+
    2 |           |
      +---+   +   +
    1 | 1 #
      +---+   +   +

Shape letters as in `boxes.py`.
"""

import re

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesRules, BoxesState, box_lines
from dotzero.envs.notation import Notation


class BoxesNotation(Notation[BoxesState]):
    """Names of lines, line strings and text boards of Dots and Boxes on one size."""

    _LINE = re.compile(r"([A-Za-z])(0|[1-9][0-9]{0,3})([TBLRtblr])", re.ASCII)
    _SIDES = "TBLR"  # the order of `box_lines`

    def __init__(self, rules: BoxesRules) -> None:
        self.rules = rules
        self._lines = box_lines(rules)
        aliases: list[list[str]] = [[] for _ in range(rules.num_lines)]
        for side in "TLBR":  # a line gets the name with T or L first where it has one: the one to write
            for box, lines in enumerate(self._lines):
                aliases[lines[self._SIDES.index(side)]].append(self.box_name(box) + side)
        self._aliases = [tuple(names) for names in aliases]

    def box_name(self, box: int) -> str:
        """Column letter and row number, row 1 at the bottom."""
        row, column = divmod(box, self.rules.columns)
        return f"{chr(ord('A') + column)}{self.rules.rows - row}"

    def names(self, action: int) -> tuple[str, ...]:
        """All names of a line, the written one first."""
        if not 0 <= action < self.rules.num_lines:
            raise ValueError(f"line must be a number from 0 to {self.rules.num_lines - 1}, got {action}")
        return self._aliases[action]

    def name(self, action: int) -> str:
        """The written name of a line."""
        return self.names(action)[0]

    def parse(self, text: str) -> int:
        """The number of the line that a name such as `A1R` or `b1l` means."""
        match = self._LINE.fullmatch(text.strip())
        if match is None:
            given = text.strip()
            raise ValueError(f"line must be a column, a row and T, B, L or R, as in A1R, got {given!r}")
        column, row = ord(match[1].upper()) - ord("A"), int(match[2])
        if column >= self.rules.columns:
            last = chr(ord("A") + self.rules.columns - 1)
            raise ValueError(f"line must be in a column from A to {last}, got {match[0]!r}")
        if not 1 <= row <= self.rules.rows:
            raise ValueError(f"line must be in a row from 1 to {self.rules.rows}, got {match[0]!r}")
        box = (self.rules.rows - row) * self.rules.columns + column
        return int(self._lines[box, self._SIDES.index(match[3].upper())])

    def dbn(self, lines: NDArray[np.integer]) -> str:
        """One set of lines [L] as a string of 0 and 1 in line order."""
        lines = np.asarray(lines)
        if lines.shape != (self.rules.num_lines,):
            raise ValueError(f"lines must have shape ({self.rules.num_lines},), got {lines.shape}")
        return "".join("1" if drawn else "0" for drawn in lines)

    def parse_dbn(self, text: str) -> NDArray[np.uint8]:
        """The set of lines that a string of 0 and 1 means. Shape [L]."""
        text = text.strip()
        wrong = re.search("[^01]", text)
        if wrong:
            raise ValueError(f"dbn must hold 0 and 1 only, got {wrong[0]!r} at place {wrong.start() + 1}")
        if len(text) != self.rules.num_lines:
            size = f"{self.rules.rows}x{self.rules.columns}"
            raise ValueError(f"dbn of {size} boxes must have {self.rules.num_lines} places, got {len(text)}")
        return np.array([int(digit) for digit in text], np.uint8)

    def board(self, state: BoxesState, index: int = 0, last: int | None = None) -> str:
        """One game of a batch as text; owners are 1 and 2, the line `last` is drawn double."""
        lines, owner = state.lines[index], state.owner[index]
        R, C = self.rules.rows, self.rules.columns
        margin = len(str(R)) + 1
        rows = [" " * margin + "".join(f"  {chr(ord('A') + c)} " for c in range(C))]
        for r in range(R + 1):
            drawn = [_mark(lines, r * C + c, last, "---", "===") for c in range(C)]
            rows.append(" " * margin + "+" + "".join(text + "+" for text in drawn))
            if r == R:
                break
            text = str(R - r).rjust(margin - 1) + " "
            for c in range(C + 1):
                text += _mark(lines, (R + 1) * C + r * (C + 1) + c, last, "|", "#")
                if c < C:
                    text += f" {'12'[owner[r * C + c]] if owner[r * C + c] >= 0 else ' '} "
            rows.append(text)
        return "\n".join(row.rstrip() for row in rows)

    def parse_board(self, text: str) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
        """Read a text board back.

        Returns:
            lines: 1 where a line is drawn. uint8, shape [L].
            owner: Player 0 or 1 of each box, -1 while it is open. int8, shape [N].

        Raises:
            ValueError: A row, a label or a mark is wrong, or owners do not go with the lines.
        """
        R, C = self.rules.rows, self.rules.columns
        rows = [row.rstrip() for row in text.strip("\n").splitlines()]
        if len(rows) != 2 * R + 2:
            raise ValueError(
                f"board must have {2 * R + 2} rows of text with its column letters, got {len(rows)}"
            )
        margin = len(str(R)) + 1
        lines, owner = np.zeros(self.rules.num_lines, np.uint8), np.full(self.rules.num_boxes, -1, np.int8)
        labels = " " * margin + "".join(f"  {chr(ord('A') + c)} " for c in range(C))
        if rows[0] != labels.rstrip():
            raise ValueError(f"board must begin with the columns {labels.strip()!r}, got {rows[0].strip()!r}")
        for r in range(2 * R + 1):
            label = str(R - r // 2).rjust(margin - 1) + " " if r % 2 else " " * margin
            row = rows[r + 1].ljust(margin + 4 * C + 1)
            if not row.startswith(label) or len(row) > margin + 4 * C + 1:
                raise ValueError(
                    f"board row {r + 1} must have label {label.strip()!r} and {C} boxes, got {row!r}"
                )
            marks = row[margin:]
            if r % 2:
                self._read_verticals(marks, r // 2, lines, owner)
            else:
                self._read_horizontals(marks, r // 2, lines)
        self._check_owners(lines, owner)
        return lines, owner

    def _read_horizontals(self, marks: str, r: int, lines: NDArray[np.uint8]) -> None:
        C = self.rules.columns
        for c in range(C + 1):
            if marks[4 * c] != "+":
                raise ValueError(f"board row {2 * r + 1} must have its dots as +, got {marks[4 * c]!r}")
            if c < C:
                mark = marks[4 * c + 1 : 4 * c + 4]
                if mark not in ("---", "===", "   "):
                    raise ValueError(f"board line {self.name(r * C + c)} must be --- or ===, got {mark!r}")
                lines[r * C + c] = mark != "   "

    def _read_verticals(self, marks: str, r: int, lines: NDArray[np.uint8], owner: NDArray[np.int8]) -> None:
        C = self.rules.columns
        for c in range(C + 1):
            line = (self.rules.rows + 1) * C + r * (C + 1) + c
            if marks[4 * c] not in "|# ":
                raise ValueError(f"board line {self.name(line)} must be | or #, got {marks[4 * c]!r}")
            lines[line] = marks[4 * c] != " "
            if c < C:
                mark = marks[4 * c + 1 : 4 * c + 4]
                if mark not in ("   ", " 1 ", " 2 "):
                    raise ValueError(f"board box {self.box_name(r * C + c)} must hold 1 or 2, got {mark!r}")
                owner[r * C + c] = -1 if mark == "   " else int(mark) - 1

    def _check_owners(self, lines: NDArray[np.uint8], owner: NDArray[np.int8]) -> None:
        complete = lines[self._lines].sum(axis=1) == 4
        for box in np.flatnonzero(complete != (owner >= 0)):
            rule = (
                "must hold its owner 1 or 2, got none" if complete[box] else "must have no owner while open"
            )
            raise ValueError(f"board box {self.box_name(int(box))} {rule}")


def _mark(lines: NDArray[np.uint8], line: int, last: int | None, drawn: str, marked: str) -> str:
    if not lines[line]:
        return " " * len(drawn)
    return marked if line == last else drawn
