"""Dots and Boxes: rules, observation and symmetries of R x C boxes, as batches.

A move draws one missing line between two neighbouring dots. Whoever draws the fourth side of a box owns it
and moves again; the game ends when all lines are drawn, and more boxes win (fewer in misere). Some lines may
be drawn before the game begins (Berlekamp, "The Dots and Boxes Game", 2000, has names for these boards).
Sizes are in boxes, rows by columns.

Lines are numbered row by row, horizontals first: h(r, c) = r * C + c for r = 0 (top) .. R, then verticals
v(r, c) = (R + 1) * C + r * (C + 1) + c. An action is the number of a line.

The observation has one byte for each dot of the (R + 1) x (C + 1) lattice; bit by bit:

    0  the line to the right is drawn        4  the box below right is open (fewer than four sides)
    1  the line below is drawn               5  that box has three sides: it can be taken
    2  a line to the right exists            6  that box has two sides: a third gives it away
    3  a line below exists                   7  the dot is on the board

Who owns a finished box is not observed: what is still to come depends on the set of lines alone, and the
margin so far is in the globals. These are, for the player to move, with parities as +1 even, -1 odd:

    0  margin so far / boxes                 5  undrawn lines / lines
    1  margin so far / 10                    6  open boxes / boxes
    2  parity of undrawn lines               7  parity of the margin so far
    3  parity of open boxes                  8  misere (1) or normal (0)
    4  parity of dots

The margin is what the player to move leads by under the rules: own boxes minus the opponent's, and the
reverse in misere. Lines that were drawn before the game are observed like all others.

Shape letters as in `game.py`; L lines, N boxes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dotzero import _core
from dotzero.envs.game import NO_ACTION, Game, Observation, Replayed, State, View, one_action_each, one_game
from dotzero.envs.symmetry import Symmetries

MAX_LINES = 255
MAX_COLUMNS = 26  # columns are named by a letter


class Border(StrEnum):
    """The lines that are drawn before the game begins; nobody drew them, and they close no box."""

    NONE = "none"
    """An empty board, Berlekamp's American one."""
    LEFT_BOTTOM = "left_bottom"
    """The left and the bottom edge, the Icelandic board."""
    ALL = "all"
    """The whole edge, the Swedish board."""


class Scoring(StrEnum):
    """Who wins."""

    NORMAL = "normal"
    """Whoever owns more boxes."""
    MISERE = "misere"
    """Whoever owns fewer boxes. The score still counts boxes, the margin is the opponent's minus own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BoxesRules:
    """The size of the board, in boxes, its first lines and what is played for."""

    rows: int = 5
    """Rows of boxes, at least 1."""
    columns: int = 5
    """Columns of boxes, 1 to 26; the board has at most 255 lines (10x10 has 220)."""
    border: Border = Border.NONE
    """The lines drawn before the game begins."""
    scoring: Scoring = Scoring.NORMAL
    """Whether more or fewer boxes win."""

    def __post_init__(self) -> None:
        for name in ("rows", "columns"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"BoxesRules.{name} must be a whole number of at least 1, got {value!r}")
        if self.columns > MAX_COLUMNS:
            raise ValueError(f"BoxesRules.columns must be at most {MAX_COLUMNS}, got {self.columns}")
        if self.num_lines > MAX_LINES:
            raise ValueError(
                f"BoxesRules.rows and columns must make at most {MAX_LINES} lines, "
                f"got {self.rows}x{self.columns} with {self.num_lines}"
            )
        self._convert("border", Border)
        self._convert("scoring", Scoring)
        # Only the box of 1x1 has nothing but edges of the board for sides; elsewhere lines are left to draw.
        if self.border is Border.ALL and self.num_boxes == 1:
            raise ValueError("BoxesRules.border must leave a line to draw on the board of 1x1, got 'all'")

    def _convert(self, name: str, kind: type[StrEnum]) -> None:
        value = getattr(self, name)
        names = [member.value for member in kind]
        if value not in names:
            raise ValueError(f"BoxesRules.{name} must be one of {', '.join(names)}, got {value!r}")
        object.__setattr__(self, name, kind(value))

    @property
    def num_lines(self) -> int:
        """L: the number of lines of the board, of which a border leaves fewer to draw."""
        return (self.rows + 1) * self.columns + self.rows * (self.columns + 1)

    @property
    def num_boxes(self) -> int:
        """N: the number of boxes."""
        return self.rows * self.columns

    def start_lines(self) -> NDArray[np.uint8]:
        """1 for the lines that are drawn before the game begins. Shape [L]."""
        R, C = self.rows, self.columns
        lines = np.zeros(self.num_lines, np.uint8)
        across, down = lines[: (R + 1) * C].reshape(R + 1, C), lines[(R + 1) * C :].reshape(R, C + 1)
        if self.border is not Border.NONE:
            across[-1], down[:, 0] = 1, 1
        if self.border is Border.ALL:
            across[0], down[:, -1] = 1, 1
        return lines


@dataclass(slots=True)
class BoxesState(State):
    """A batch of games of Dots and Boxes on one size of board."""

    lines: NDArray[np.uint8]
    """1 where a line is drawn. Shape [B, L]."""
    owner: NDArray[np.int8]
    """The player who closed each box, row by row from the top left; -1 while it is open. Shape [B, N]."""


class BoxesGame(Game[BoxesState]):
    """Dots and Boxes on `rules.rows` x `rules.columns` boxes."""

    name = "boxes"
    encoding_version = 2
    phases = ("safe", "loony", "finished")

    def __init__(self, rules: BoxesRules) -> None:
        self._rules = rules
        self._core = _core.Boxes(rules.rows, rules.columns, rules.scoring is Scoring.MISERE)
        self.num_actions = rules.num_lines
        self.num_policy_slots = self._core.num_policy_slots
        self.policy_slots = self._core.policy_slots()
        self.observation_shape = (1, rules.rows + 1, rules.columns + 1)
        self.num_globals = self._core.num_globals
        self.max_margin = rules.num_boxes
        self.margin_scale = float(rules.num_boxes)
        high = np.ceil([1, rules.num_boxes / 10, 1, 1, 1, 1, 1, 1, 1]).astype(np.float32)
        self.globals_range = (high * np.array([-1, -1, -1, -1, -1, 0, 0, -1, 0], np.float32), high)
        self.symmetries = boxes_symmetries(rules)

    @property
    def rules(self) -> BoxesRules:
        """Board and options."""
        return self._rules

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of boxes."""
        return self.rules.rows, self.rules.columns

    def neighbour(self) -> "BoxesGame":
        """The same options on a board with one row more, or one less where there can be no more."""
        try:
            return BoxesGame(replace(self.rules, rows=self.rules.rows + 1))
        except ValueError:
            return BoxesGame(replace(self.rules, rows=self.rules.rows - 1))

    def start(self, num_games: int, random: np.random.Generator | None = None) -> BoxesState:
        """Boards with nothing but their border, player 0 to move; nothing is left to chance."""
        return BoxesState(
            to_move=np.zeros(num_games, np.int8),
            finished=np.zeros(num_games, np.bool_),
            score=np.zeros((num_games, 2), np.int16),
            lines=np.tile(self.rules.start_lines(), (num_games, 1)),
            owner=np.full((num_games, self.rules.num_boxes), -1, np.int8),
        )

    def position(self, lines: NDArray[np.integer], margin: int = 0) -> BoxesState:
        """Positions given by their line sets alone, player 0 to move.

        The complete boxes are shared out so that player 0 leads by `margin` (who really closed them is not
        known from a set of lines; what is still to come does not depend on it).

        Args:
            lines: 0 or 1 for each line, with the border that the rules draw. Shape [B, L].
            margin: What player 0 leads by so far, as `margin` says it: its boxes minus those of player 1, in
                misere the reverse.

        Raises:
            ValueError: Lines have another form or lack a part of the border, or the margin does not fit them.
        """
        lines = np.asarray(lines)
        if lines.ndim != 2 or lines.shape[1] != self.rules.num_lines or not np.isin(lines, (0, 1)).all():
            raise ValueError(
                f"lines must be 0 or 1 and have shape (games, {self.rules.num_lines}), got {lines.shape}"
            )
        state = self.start(len(lines))
        lacking = np.flatnonzero((lines < state.lines).any(axis=0))
        if len(lacking):
            border = f"the border of BoxesRules.border={self.rules.border}"
            raise ValueError(f"lines must hold {border}, got none at {lacking.tolist()}")
        more = -margin if self.rules.scoring is Scoring.MISERE else margin
        for game, drawn in enumerate(lines):
            state.lines[game] = drawn
            complete = np.flatnonzero(drawn[box_lines(self.rules)].all(axis=1))
            ahead, odd = divmod(len(complete) + more, 2)
            if odd or not 0 <= ahead <= len(complete):
                raise ValueError(f"margin must fit {len(complete)} complete boxes, got {margin}")
            state.owner[game, complete[:ahead]] = 0
            state.owner[game, complete[ahead:]] = 1
            state.score[game] = ahead, len(complete) - ahead
            state.finished[game] = drawn.all()
        return state

    def step(self, state: BoxesState, action: Sequence[int] | NDArray[np.integer]) -> BoxesState:
        """Draw one line in every unfinished game."""
        actions = one_action_each(action, state)
        after = state.copy()
        given = np.clip(actions, -2, self.num_actions).astype(np.int32)
        illegal = self._core.step(
            after.lines, after.owner, after.to_move, after.finished.view(np.uint8), after.score, given
        )
        if illegal >= 0:
            raise ValueError(self._why_illegal(state, illegal, int(actions[illegal])))
        return after

    def legal(self, state: BoxesState) -> NDArray[np.bool_]:
        """True for the lines that are not drawn."""
        return np.asarray(state.lines == 0)

    def observe(self, state: BoxesState) -> Observation:
        """One byte a dot and nine globals; see the module's docstring."""
        return Observation(*self._core.observe(state.lines, state.owner, state.to_move))

    def view(self, state: BoxesState) -> View:
        """Eight planes, nine globals, the undrawn lines; `safe` while a line gives nothing away."""
        return View(*self._core.view(state.lines, state.owner, state.to_move))

    def replay(
        self,
        state: BoxesState,
        actions: Sequence[int] | NDArray[np.integer],
        movers: NDArray[np.int8] | None = None,
    ) -> Replayed[BoxesState]:
        """Draw a sequence of lines in one game; nobody moves out of turn."""
        given = one_game(state, actions, self.num_actions)
        if movers is not None:
            raise ValueError(f"movers must be left out: in {self.name} the moves tell who moves")
        after = state.copy()
        scores, found, illegal = self._core.replay(
            after.lines, after.owner, after.to_move, after.finished.view(np.uint8), after.score, given
        )
        return Replayed(after, scores, found, None if illegal < 0 else illegal)

    def owners(self, state: BoxesState) -> NDArray[np.int8]:
        """Owners of boxes at their top left dots, seen by the player to move."""
        owned = np.zeros((len(state), *self.observation_shape[1:]), np.int8)
        seen = (state.owner >= 0) * np.where(state.owner == state.to_move[:, None], 1, -1)
        owned[:, :-1, :-1] = seen.reshape(len(state), self.rules.rows, self.rules.columns)
        return owned

    def margin(self, state: BoxesState) -> NDArray[np.float32]:
        """Boxes of the player to move minus the opponent's so far, in misere the reverse. Shape [B]."""
        more = super().margin(state)
        return -more if self.rules.scoring is Scoring.MISERE else more

    def new_search(self, num_games: int, options: dict[str, Any], num_threads: int) -> _core.BoxesSearch:
        """The core's search over `num_games` games of this size, with an exact end if the options say so."""
        common = dict(options)
        exact = common.pop("exact_lines"), common.pop("exact_table_mib") << 20
        essential = common.pop("essential_lines"), common.pop("essential_root")
        # Images of a position, for the evaluation cache, must be positions of this game: the border stays.
        border, moves = self.rules.start_lines(), self.symmetries.actions
        own = *exact, *essential, np.ascontiguousarray(moves[(border[moves] == border).all(axis=1)])
        return _core.BoxesSearch(self._core, num_games, common, num_threads, *own)

    def load_roots(self, core_search: _core.BoxesSearch, slots: NDArray[np.int32], state: BoxesState) -> None:
        """Make `state` the roots of the games `slots`."""
        core_search.set_roots(slots, state.lines, state.owner, state.to_move)

    def play_random_games(self, num_games: int, seed: int) -> int:
        """Sum of player 0's final margins over uniformly random games, at the core's full speed."""
        state = self.start(1)
        return self._core.play_random_games(state.lines, state.owner, state.to_move, num_games, seed)

    def _why_illegal(self, state: BoxesState, game: int, action: int) -> str:
        if action == NO_ACTION:
            reason = "the game is not finished and there is no pass"
        elif not 0 <= action < self.num_actions:
            reason = f"lines are 0..{self.num_actions - 1}"
        else:
            reason = "this line is drawn already"
        return f"illegal action {action} in game {game}: {reason}"


class LinePlace(NamedTuple):
    """Where a line lies.

    Attributes:
        across: Whether it runs from left to right; else downwards.
        row: Of its upper or only dots, from the top.
        column: Of its left or only dots.
    """

    across: bool
    row: int
    column: int


def line_place(rules: BoxesRules, line: int) -> LinePlace:
    """The place of a line, which must be one of the board."""
    num_across = (rules.rows + 1) * rules.columns
    if line < num_across:
        return LinePlace(True, *divmod(line, rules.columns))
    return LinePlace(False, *divmod(line - num_across, rules.columns + 1))


def line_at(rules: BoxesRules, place: LinePlace) -> int | None:
    """The number of the line at a place; None where the board has none."""
    R, C = rules.rows, rules.columns
    height, width = (R + 1, C) if place.across else (R, C + 1)
    if not (0 <= place.row < height and 0 <= place.column < width):
        return None
    return place.row * width + place.column + (0 if place.across else (R + 1) * C)


def box_lines(rules: BoxesRules) -> NDArray[np.int32]:
    """The four lines of every box: top, bottom, left, right. Shape [N, 4]."""
    rows, columns = np.divmod(np.arange(rules.num_boxes), rules.columns)
    top = rows * rules.columns + columns
    left = (rules.rows + 1) * rules.columns + rows * (rules.columns + 1) + columns
    return np.stack([top, top + rules.columns, left, left + 1], axis=1).astype(np.int32)


def boxes_symmetries(rules: BoxesRules) -> Symmetries:
    """The board's symmetries: four of a rectangle, eight of a square.

    They are those of the empty board whatever the border: the lines drawn first are observed, so the image of
    a position shows them where they then lie, and from there on the rules are the same on all sides. An image
    need not be a position that the same start leads to.

    Worked out on the doubled grid, where dots have even coordinates, lines one odd and boxes two odd ones.
    """
    height, width = 2 * rules.rows, 2 * rules.columns
    moves: list[Callable[[int, int], tuple[int, int]]] = [
        lambda y, x: (y, x),
        lambda y, x: (y, width - x),
        lambda y, x: (height - y, x),
        lambda y, x: (height - y, width - x),
    ]
    if rules.rows == rules.columns:
        moves += [
            lambda y, x: (x, y),
            lambda y, x: (width - x, y),
            lambda y, x: (x, height - y),
            lambda y, x: (width - x, height - y),
        ]
    tables = [_symmetry_tables(rules, move) for move in moves]
    actions, features, points = (np.array(table, np.int32) for table in zip(*tables, strict=True))
    return Symmetries(actions=actions, features=features, points=points)


def _symmetry_tables(
    rules: BoxesRules, move: Callable[[int, int], tuple[int, int]]
) -> tuple[list[int], list[int], list[int]]:
    """Images of lines, bit features and owner points under one motion of the doubled grid."""
    R, C, W = rules.rows, rules.columns, rules.columns + 1

    def line_at(y: int, x: int) -> int:
        return y // 2 * C + x // 2 if y % 2 == 0 else (R + 1) * C + y // 2 * W + x // 2

    def feature_at(y: int, x: int, bit: int) -> int:
        return (y // 2 * W + x // 2) * 8 + bit

    lines = list(range(rules.num_lines))
    features = list(range((R + 1) * W * 8))
    points = list(range((R + 1) * W))
    for y in range(2 * R + 1):
        for x in range(2 * C + 1):
            v, u = move(y, x)
            if y % 2 != x % 2:
                lines[line_at(y, x)] = line_at(v, u)
                for bit in (0, 2):  # "is drawn" and "exists", to the right (x odd) or below (y odd)
                    features[feature_at(y, x, bit + y % 2)] = feature_at(v, u, bit + v % 2)
            elif y % 2 == 1:
                points[y // 2 * W + x // 2] = v // 2 * W + u // 2
                for bit in (4, 5, 6):
                    features[feature_at(y, x, bit)] = feature_at(v, u, bit)
            else:
                features[feature_at(y, x, 7)] = feature_at(v, u, 7)
    return lines, features, points  # what does not exist (a line off the border) stays in its place, always 0
