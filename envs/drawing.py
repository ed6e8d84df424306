"""Boards as pictures: arrays of pixels, for videos, notebooks and pages. No window is opened.

The one idea: the two players differ in shape as well as in colour (full and hollow dots, plain and hatched
areas, initials), so that a picture can be read without colour vision and in print. The colours are the blue
and the vermillion of Okabe and Ito, "Color Universal Design" (2008).

Everything is drawn at twice its size and then made smaller, which smooths the edges. What is special to a
game stands in `boxes_drawing.py` and `kropki_drawing.py`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from dotzero.envs.game import Game, State

PAPER = (255, 255, 255)
INK = (32, 32, 32)
FAINT = (198, 198, 198)
PLAYERS = ((0, 114, 178), (213, 94, 0))
"""Colours of player 1 and 2."""
TINTS = ((186, 216, 234), (247, 213, 186))
"""The same, light: what a player has closed."""

_SCALE = 2
_LARGEST = 1000  # pixels that the longer side of a board takes at most, where its cells are not the smallest
_CELLS = (16, 48)  # pixels of a cell, at least and at most

Point = tuple[float, float]


class Canvas:
    """A picture of `columns` x `rows` cells with room for labels round it and a line of text below.

    Places are in cells from the board's top left corner, x to the right and y down; sizes in cells too.
    """

    def __init__(self, columns: float, rows: float) -> None:
        self.cell = min(max(_LARGEST / max(columns, rows), _CELLS[0]), _CELLS[1])
        self._margin = max(self.cell, 20.0)
        self._foot = 28.0
        self.columns, self.rows = columns, rows
        width = columns * self.cell + 2 * self._margin
        height = rows * self.cell + 2 * self._margin + self._foot
        # Even numbers of pixels: video encoders want them.
        self._size = (2 * round(width / 2), 2 * round(height / 2))
        self.image = Image.new("RGB", (self._size[0] * _SCALE, self._size[1] * _SCALE), PAPER)
        self._draw = ImageDraw.Draw(self.image)

    def pixels(self) -> NDArray[np.uint8]:
        """The finished picture. uint8, shape [height, width, 3]."""
        return np.asarray(self.image.resize(self._size, Image.Resampling.BOX), np.uint8).copy()

    def line(self, start: Point, end: Point, colour: Any, width: float) -> None:
        """A straight line with round ends, `width` cells wide."""
        self._draw.line([self._at(start), self._at(end)], colour, max(1, round(self._length(width))))
        for point in (start, end):
            self.dot(point, width / 2, colour)

    def dot(self, centre: Point, radius: float, colour: Any, inner: Any = None) -> None:
        """A disc of `radius` cells; with `inner` a hollow one, of that colour inside."""
        self._disc(centre, radius, colour)
        if inner is not None:
            self._disc(centre, 0.55 * radius, inner)

    def ring(self, centre: Point, radius: float, colour: Any, width: float) -> None:
        """A circle of `radius` cells."""
        self._draw.ellipse(
            self._around(centre, radius), outline=colour, width=max(1, round(self._length(width)))
        )

    def area(self, corners: Sequence[Point], colour: Any, hatch: Any = None) -> None:
        """A filled polygon; with `hatch` crossed by slanted lines of that colour, three to a cell."""
        places = [self._at(corner) for corner in corners]
        if hatch is None:
            self._draw.polygon(places, colour)
            return
        left, top = (int(min(place[axis] for place in places)) for axis in (0, 1))
        right, bottom = (int(max(place[axis] for place in places)) + 1 for axis in (0, 1))
        size = (right - left + 1, bottom - top + 1)
        mask, pattern = Image.new("1", size), Image.new("RGB", size, colour)
        ImageDraw.Draw(mask).polygon([(x - left, y - top) for x, y in places], 1)
        step, strokes = self.cell * _SCALE / 3, ImageDraw.Draw(pattern)
        first = -((left + top) % step)  # so that neighbouring areas continue each other's lines
        for shift in np.arange(first, size[0] + size[1] + step, step):
            strokes.line([(shift, 0), (shift - size[1], size[1])], hatch, _SCALE)
        self.image.paste(pattern, (left, top), mask)

    def text(self, centre: Point, text: str, colour: Any, height: float) -> None:
        """A text of `height` cells round a place."""
        font = ImageFont.load_default(max(6.0, self._length(height)))
        self._draw.text(self._at(centre), text, colour, font, anchor="mm")

    def labels(self, columns: Sequence[str], rows: Sequence[str], first: float) -> None:
        """Names of columns above and below the board, of rows on both sides; the first at `first` cells."""
        height = min(0.5, 15 / self.cell)
        out = self._margin / self.cell / 2 + 0.1
        for index, name in enumerate(columns):
            for y in (-out, self.rows + out):
                self.text((first + index, y), name, INK, height)
        for index, name in enumerate(rows):
            for x in (-out, self.columns + out):
                self.text((x, first + index), name, INK, height)

    def footer(self, game: Game[Any], state: State, index: int) -> None:
        """The score, and who moves or has won, below the board."""
        first, second = state.score[index].tolist()
        if not state.finished[index]:
            tail = f"{int(state.to_move[index]) + 1} to move"
        else:
            winner = int(game.decided(state[[index]])[0])
            tail = "draw" if winner < 0 else f"{winner + 1} won"
        y = self.rows + (self._margin + self._foot / 2) / self.cell
        self.text(
            (self.columns / 2, y),
            f"player 1   {first} : {second}   player 2      {tail}",
            INK,
            16 / self.cell,
        )

    def _disc(self, centre: Point, radius: float, colour: Any) -> None:
        self._draw.ellipse(self._around(centre, radius), colour)

    def _around(self, centre: Point, radius: float) -> tuple[float, float, float, float]:
        (x, y), r = self._at(centre), self._length(radius)
        return x - r, y - r, x + r, y + r

    def _at(self, point: Point) -> Point:
        return self._length(point[0]) + self._margin * _SCALE, self._length(point[1]) + self._margin * _SCALE

    def _length(self, cells: float) -> float:
        return cells * self.cell * _SCALE


def draw(
    game: Game[Any],
    state: State,
    index: int = 0,
    last: int | None = None,
    enclosures: Sequence[Any] = (),
    marks: tuple[str, str] = ("1", "2"),
) -> NDArray[np.uint8]:
    """Game `index` of a batch as a picture; all pictures of a game have the same size.

    Args:
        game: Rules and board.
        state: The batch.
        index: Which game of it.
        last: The last move, which is marked.
        enclosures: `Capture`s of Kropki whose chains are known; other closed points are tinted one by one.
        marks: What is written into the boxes of player 1 and 2, such as their initials.

    Returns:
        uint8, shape [height, width, 3].

    Raises:
        ValueError: The game cannot be drawn.
    """
    # Here and not above, as the pictures of the games build on this file.
    from dotzero.envs.boxes import BoxesGame, BoxesState
    from dotzero.envs.boxes_drawing import draw_boxes
    from dotzero.envs.kropki import KropkiGame, KropkiState
    from dotzero.envs.kropki_drawing import draw_kropki

    if isinstance(game, BoxesGame) and isinstance(state, BoxesState):
        return draw_boxes(game, state, index, last, marks)
    if isinstance(game, KropkiGame) and isinstance(state, KropkiState):
        return draw_kropki(game, state, index, last, enclosures)
    raise ValueError(f"game must be one that can be drawn (boxes, kropki), got {game.name!r}")
