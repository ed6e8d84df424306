"""Dots and Boxes: rules, observation and symmetries of R x C boxes, as batches.

A move draws one missing line between two neighbouring dots. Whoever draws the fourth side of a box owns it
and moves again; the game ends when all lines are drawn, and more boxes win. Sizes are in boxes, rows by
columns.

Lines are numbered row by row, horizontals first: h(r, c) = r * C + c for r = 0 (top) .. R, then verticals
v(r, c) = (R + 1) * C + r * (C + 1) + c. An action is the number of a line.

The observation has one byte for each dot of the (R + 1) x (C + 1) lattice; bit by bit:

    0  the line to the right is drawn        4  the box below right is open (fewer than four sides)
    1  the line below is drawn               5  that box has three sides: it can be taken
    2  a line to the right exists            6  that box has two sides: a third gives it away
    3  a line below exists                   7  the dot is on the board

Who owns a finished box is not observed: what is still to come depends on the set of lines alone, and the
margin so far is in the globals. These are, for the player to move, with parities as +1 even, -1 odd:

    0  margin so far / boxes                 4  parity of dots
    1  margin so far / 10                    5  undrawn lines / lines
    2  parity of undrawn lines               6  open boxes / boxes
    3  parity of open boxes                  7  parity of the margin so far

Shape letters as in `game.py`; L lines, N boxes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero import _core
from dotzero.envs.game import NO_ACTION, Game, Observation, State, one_action_each
from dotzero.envs.symmetry import Symmetries

MAX_LINES = 255
MAX_COLUMNS = 26  # columns are named by a letter


@dataclass(frozen=True, kw_only=True, slots=True)
class BoxesRules:
    """The size of the board, in boxes."""

    rows: int = 5
    """Rows of boxes, at least 1."""
    columns: int = 5
    """Columns of boxes, 1 to 26; the board has at most 255 lines (10x10 has 220)."""

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

    @property
    def num_lines(self) -> int:
        """L: the number of lines, which is the length of every game."""
        return (self.rows + 1) * self.columns + self.rows * (self.columns + 1)

    @property
    def num_boxes(self) -> int:
        """N: the number of boxes."""
        return self.rows * self.columns


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
    encoding_version = 1

    def __init__(self, rules: BoxesRules) -> None:
        self._rules = rules
        self._core = _core.Boxes(rules.rows, rules.columns)
        self.num_actions = rules.num_lines
        self.num_policy_slots = self._core.num_policy_slots
        self.policy_slots = self._core.policy_slots()
        self.observation_shape = (1, rules.rows + 1, rules.columns + 1)
        self.num_globals = self._core.num_globals
        self.max_margin = rules.num_boxes
        self.margin_scale = float(rules.num_boxes)
        self.symmetries = boxes_symmetries(rules)

    @property
    def rules(self) -> BoxesRules:
        """The size of the board."""
        return self._rules

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of boxes."""
        return self.rules.rows, self.rules.columns

    def neighbour(self) -> "BoxesGame":
        """A board with one row more, or one less where there can be no more."""
        try:
            return BoxesGame(replace(self.rules, rows=self.rules.rows + 1))
        except ValueError:
            return BoxesGame(replace(self.rules, rows=self.rules.rows - 1))

    def start(self, num_games: int, random: np.random.Generator | None = None) -> BoxesState:
        """Empty boards, player 0 to move; nothing is left to chance."""
        return BoxesState(
            to_move=np.zeros(num_games, np.int8),
            finished=np.zeros(num_games, np.bool_),
            score=np.zeros((num_games, 2), np.int16),
            lines=np.zeros((num_games, self.rules.num_lines), np.uint8),
            owner=np.full((num_games, self.rules.num_boxes), -1, np.int8),
        )

    def position(self, lines: NDArray[np.integer], margin: int = 0) -> BoxesState:
        """Positions given by their line sets alone, player 0 to move.

        The complete boxes are shared out so that player 0 leads by `margin` (who really closed them is not
        known from a set of lines; what is still to come does not depend on it).

        Args:
            lines: 0 or 1 for each line. Shape [B, L].
            margin: Boxes of player 0 minus boxes of player 1 so far.
        """
        lines = np.asarray(lines)
        if lines.ndim != 2 or lines.shape[1] != self.rules.num_lines or not np.isin(lines, (0, 1)).all():
            raise ValueError(
                f"lines must be 0 or 1 and have shape (games, {self.rules.num_lines}), got {lines.shape}"
            )
        state = self.start(len(lines))
        for game, drawn in enumerate(lines):
            state.lines[game] = drawn
            complete = np.flatnonzero(drawn[box_lines(self.rules)].all(axis=1))
            ahead, odd = divmod(len(complete) + margin, 2)
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
        """One byte a dot and eight globals; see the module's docstring."""
        return Observation(*self._core.observe(state.lines, state.owner, state.to_move))

    def owners(self, state: BoxesState) -> NDArray[np.int8]:
        """Owners of boxes at their top left dots, seen by the player to move."""
        owned = np.zeros((len(state), *self.observation_shape[1:]), np.int8)
        mine = np.where(state.owner == state.to_move[:, None], 1, -1)
        seen = np.where(state.owner < 0, 0, mine)
        owned[:, :-1, :-1] = seen.reshape(len(state), self.rules.rows, self.rules.columns)
        return owned

    def new_search(self, num_games: int, options: dict[str, Any], num_threads: int) -> _core.BoxesSearch:
        """The core's search over `num_games` games of this size."""
        return _core.BoxesSearch(self._core, num_games, options, num_threads)

    def load_roots(self, core_search: _core.BoxesSearch, slots: NDArray[np.int32], state: BoxesState) -> None:
        """Make `state` the roots of the games `slots`."""
        core_search.set_roots(slots, state.lines, state.owner, state.to_move)

    def play_random_games(self, num_games: int, seed: int) -> int:
        """Sum of player 0's final margins over uniformly random games, at the core's full speed."""
        return self._core.play_random_games(num_games, seed)

    def _why_illegal(self, state: BoxesState, game: int, action: int) -> str:
        if action == NO_ACTION:
            reason = "the game is not finished and there is no pass"
        elif not 0 <= action < self.num_actions:
            reason = f"lines are 0..{self.num_actions - 1}"
        else:
            reason = "this line is drawn already"
        return f"illegal action {action} in game {game}: {reason}"


def box_lines(rules: BoxesRules) -> NDArray[np.int32]:
    """The four lines of every box: top, bottom, left, right. Shape [N, 4]."""
    rows, columns = np.divmod(np.arange(rules.num_boxes), rules.columns)
    top = rows * rules.columns + columns
    left = (rules.rows + 1) * rules.columns + rows * (rules.columns + 1) + columns
    return np.stack([top, top + rules.columns, left, left + 1], axis=1).astype(np.int32)


def boxes_symmetries(rules: BoxesRules) -> Symmetries:
    """The board's symmetries: four of a rectangle, eight of a square.

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
