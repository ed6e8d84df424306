r"""Boards for the terminal: what a person plays on, without colour as well as with it.

The one idea: signs say everything (R006, R161), colours only repeat it. A `Look` is what the terminal can
show; where that is little, the board is drawn in ASCII and as small as `envs/*_notation.py` draws it.

Boxes hold the marks of their owners (R108, R147); the last line is drawn double. In Kropki the chains of
enclosures are lines between their dots, on a small board only those along a row; brackets stand round the
last dot (R031, R110).

    a b c          a   b   c
  a . X .        a .   X   .
  b X o X             / \
  c .(X).        b X   o   X
                       \ /
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.text import Text

from dotzero.envs.boxes import BoxesGame, BoxesState
from dotzero.envs.kropki import Capture, KropkiGame, KropkiState
from dotzero.envs.kropki_notation import SIGNS
from dotzero.envs.kropki_position import HELD, PLACED
from dotzero.envs.kropki_rules import LETTERS
from dotzero.play.enclosures import standing
from dotzero.play.seats import Colour, Language, seat_colours, seat_marks
from dotzero.play.sessions import GameSession

_STYLES = {Colour.BLUE: "bold bright_blue", Colour.RED: "bold bright_red"}
_FAINT = "bright_black"
_LINKS = {(1, 0): "-", (0, 1): "|", (1, 1): "\\", (-1, 1): "/"}
"""How a link is drawn by its direction, from left to right or downwards."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """What a terminal can show."""

    unicode: bool = False
    """Whether signs beyond ASCII can be drawn."""
    columns: int = 80
    rows: int = 24


def board_text(session: GameSession, look: Look, language: Language) -> Text:
    """The board of a session as it stands."""
    if isinstance(session.game, BoxesGame):
        return _boxes(session, session.game, look, language)
    assert isinstance(session.game, KropkiGame)
    return _kropki(session, session.game, look)


def colours(session: GameSession) -> tuple[str, str]:
    """The styles of both seats."""
    one, two = seat_colours(session.settings.seats)
    return _STYLES[one], _STYLES[two]


class _Canvas:
    """Characters in rows, each with a style."""

    def __init__(self, width: int, height: int) -> None:
        self._signs = [[" "] * width for _ in range(height)]
        self._styles = [[""] * width for _ in range(height)]

    def put(self, x: int, y: int, signs: str, style: str = "") -> None:
        """Write from a place on to the right."""
        for offset, sign in enumerate(signs):
            self._signs[y][x + offset], self._styles[y][x + offset] = sign, style

    def text(self) -> Text:
        """All rows without the blanks at their ends."""
        rows = []
        for signs, styles in zip(self._signs, self._styles, strict=True):
            row, length = Text(), len("".join(signs).rstrip())
            for sign, style in zip(signs[:length], styles[:length], strict=True):
                row.append(sign, style or None)
            rows.append(row)
        return Text("\n").join(rows)


def _boxes(session: GameSession, game: BoxesGame, look: Look, language: Language) -> Text:
    state = session.state
    assert isinstance(state, BoxesState)
    R, C = game.size
    left = len(str(R)) + 1
    canvas = _Canvas(left + 4 * C + 1, 2 * R + 2)
    for c in range(C):
        canvas.put(left + 4 * c + 2, 0, chr(ord("A") + c))
    for r in range(R):
        canvas.put(0, 2 * r + 2, str(R - r).rjust(left - 1))
    dot = "\N{BULLET}" if look.unicode else "+"
    for r in range(R + 1):
        for c in range(C + 1):
            canvas.put(left + 4 * c, 2 * r + 1, dot)
    styles, marks = colours(session), seat_marks(session.settings.seats, language)
    drawn_by = {move.action: move.seat for move in session.moves}
    last = None if session.last_move is None else session.last_move.action
    across, down = ("\u2500\u2501", "\u2502\u2503") if look.unicode else ("-=", "|#")
    for line in np.flatnonzero(state.lines[0]).tolist():
        style = styles[drawn_by[line]] if line in drawn_by else ""
        if line < (R + 1) * C:
            r, c = divmod(line, C)
            canvas.put(left + 4 * c + 1, 2 * r + 1, 3 * across[line == last], style)
        else:
            r, c = divmod(line - (R + 1) * C, C + 1)
            canvas.put(left + 4 * c, 2 * r + 2, down[line == last], style)
    for box, owner in enumerate(state.owner[0].tolist()):
        if owner >= 0:
            r, c = divmod(box, C)
            canvas.put(left + 4 * c + 1, 2 * r + 2, f"{marks[owner]:^3}", styles[owner])
    return canvas.text()


def _kropki(session: GameSession, game: KropkiGame, look: Look) -> Text:
    """Wide where the terminal has the room, else two characters a point."""
    state = session.state
    assert isinstance(state, KropkiState)
    H, W = game.size
    wide = look.columns >= 4 * W + 4 and look.rows >= 2 * H + 8
    dx, dy, left = (4, 2, 3) if wide else (2, 1, 3)
    canvas = _Canvas(left + dx * W, dy * (H - 1) + 2)
    for x in range(W):
        canvas.put(left + dx * x, 0, LETTERS[x])
    for y in range(H):
        canvas.put(0, 1 + dy * y, LETTERS[y])
    styles = colours(session)
    for enclosure in standing_enclosures(session):
        for (x, y), (u, v) in _links(enclosure, W):
            _draw_link(canvas, (left + dx * x, 1 + dy * y), (u - x, v - y), wide, styles[enclosure.player])
    for y, row in enumerate(state.cells[0].tolist()):
        for x, cell in enumerate(row):
            canvas.put(left + dx * x, 1 + dy * y, SIGNS[cell], _style(cell, styles))
    last = session.last_move
    if last is not None and last.action != game.stop:
        y, x = divmod(last.action, W)
        canvas.put(left + dx * x - 1, 1 + dy * y, "(")
        canvas.put(left + dx * x + 1, 1 + dy * y, ")")
    return canvas.text()


def _style(cell: int, styles: Sequence[str]) -> str:
    """The colour of the dot, else of who holds the point."""
    for player in (0, 1):
        if cell & PLACED == 4 << player or (not cell & PLACED and cell & HELD == 16 << player):
            return styles[player]
    return _FAINT


def standing_enclosures(session: GameSession) -> list[Capture]:
    """The enclosures of which their captor still holds a point, in the order in which they were closed."""
    state = session.state
    assert isinstance(state, KropkiState)
    return [capture for _, capture in standing(state, session.moves)]


def _links(enclosure: Capture, width: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Neighbouring points of a chain, each pair from left to right or downwards."""
    chain = [(point % width, point // width) for point in enclosure.chain]
    for one, two in zip(chain, [*chain[1:], chain[0]], strict=True):
        first, second = sorted((one, two), key=lambda point: (point[1], point[0]))
        yield first, second


def _draw_link(
    canvas: _Canvas, place: tuple[int, int], step: tuple[int, int], wide: bool, style: str
) -> None:
    """Draw the link that begins at a place; a small board has room for those along a row only."""
    (x, y), sign = place, _LINKS.get(step)
    if sign is None or (not wide and step != (1, 0)):
        return
    if step == (1, 0):
        canvas.put(x + 1, y, (3 if wide else 1) * sign, style)
    else:
        canvas.put(x + 2 * step[0], y + 1, sign, style)
