"""Kropki as text: names of moves, boards.

A point is named as in SGF by two letters, its column and its row from the top: a to z are 1 to 26, A to Z
are 27 to 52. STOP is `stop`, in capitals or not.

A board shows every point by one sign, the players by different ones, so that no colour is needed:

    .      free                                         X O    live dots of player 1, 2
    ' "    free, in a house of player 1, 2              x o    dots that the enemy captured
    *      free, in houses of both                      # @    dots lost inside an own enclosure
    1 2    closed and empty, held by player 1, 2        Y Q    dots in a house that closes in its owner's turn

Player 1 has just captured a dot and closed the point above it; brackets mark the last move:

       a b c d e
    a  . . X . .
    b  . X 1 X .
    c  . X o X .
    d  . .(X). O

Shape letters as in `kropki.py`.
"""

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.kropki import KropkiState
from dotzero.envs.kropki_rules import LETTERS, KropkiRules, point_name
from dotzero.envs.notation import Notation

STOP_NAME = "stop"
SIGNS = {
    0x00: ".", 0x40: "'", 0x80: '"', 0xC0: "*",
    0x10: "1", 0x20: "2",
    0x05: "X", 0x24: "x", 0x14: "#", 0x85: "Y",
    0x0A: "O", 0x18: "o", 0x28: "@", 0x4A: "Q",
}  # fmt: skip
"""The sign of every cell that there can be; the bits stand in `kropki_position.py`."""
CELLS = {sign: cell for cell, sign in SIGNS.items()}
"""The cell of every sign."""
_MARGIN = 2  # a row's label and a space; every sign has a place for a mark before and after it


class KropkiNotation(Notation[KropkiState]):
    """Names of points and text boards of Kropki on one size."""

    def __init__(self, rules: KropkiRules) -> None:
        self.rules = rules

    def name(self, action: int) -> str:
        """Two letters, or `stop`."""
        if not 0 <= action <= self.rules.num_points:
            raise ValueError(f"move must be a number from 0 to {self.rules.num_points}, got {action}")
        if action == self.rules.num_points:
            return STOP_NAME
        return point_name(action % self.rules.width, action // self.rules.width)

    def parse(self, text: str) -> int:
        """The action that two letters, or `stop`, mean."""
        given = text.strip()
        if given.lower() == STOP_NAME:
            return self.rules.num_points
        if len(given) != 2 or given[0] not in LETTERS or given[1] not in LETTERS:
            raise ValueError(
                f"move must be the letters of a column and a row, as in ce, or stop, got {given!r}"
            )
        x, y = LETTERS.index(given[0]), LETTERS.index(given[1])
        for place, count, what in ((x, self.rules.width, "column"), (y, self.rules.height, "row")):
            if place >= count:
                raise ValueError(f"move must be in a {what} from a to {LETTERS[count - 1]}, got {given!r}")
        return y * self.rules.width + x

    def board(self, state: KropkiState, index: int = 0, last: int | None = None) -> str:
        """One game of a batch as text; brackets round the point `last`, if it is one."""
        rows = [self._labels()]
        for y, cells in enumerate(state.cells[index].tolist()):
            marks = [" "] * (self.rules.width + 1)
            if last is not None and last // self.rules.width == y:
                marks[last % self.rules.width : last % self.rules.width + 2] = "()"
            signs = [SIGNS[cell] for cell in cells]
            text = "".join(mark + sign for mark, sign in zip(marks, signs, strict=False)) + marks[-1]
            rows.append(f"{LETTERS[y]} {text}")
        return "\n".join(row.rstrip() for row in rows)

    def parse_board(self, text: str) -> NDArray[np.uint8]:
        """Read a text board back.

        Returns:
            What each point holds, as in `KropkiState.cells`. `KropkiGame.position` checks that it can be.
            uint8, shape [H, W].

        Raises:
            ValueError: A row, a label or a sign is wrong.
        """
        W, H = self.rules.width, self.rules.height
        rows = [row.rstrip() for row in text.strip("\n").splitlines()]
        if len(rows) != H + 1:
            raise ValueError(f"board must have {H + 1} rows of text with its column letters, got {len(rows)}")
        if rows[0] != self._labels():
            columns = self._labels().strip()
            raise ValueError(f"board must begin with the columns {columns!r}, got {rows[0].strip()!r}")
        cells = np.zeros((H, W), np.uint8)
        for y, row in enumerate(rows[1:]):
            label, marks = row[:_MARGIN].rstrip(), row[_MARGIN:].ljust(2 * W + 1)
            if label != LETTERS[y] or len(marks) > 2 * W + 1 or set(marks[::2]) - set(" ()"):
                raise ValueError(f"board row {LETTERS[y]} must have its label and {W} signs, got {row!r}")
            for x, sign in enumerate(marks[1::2]):
                if sign not in CELLS:
                    signs = "".join(CELLS)
                    raise ValueError(f"board point {point_name(x, y)} must be one of {signs}, got {sign!r}")
                cells[y, x] = CELLS[sign]
        return cells

    def _labels(self) -> str:
        return " " * (_MARGIN + 1) + " ".join(LETTERS[: self.rules.width])
