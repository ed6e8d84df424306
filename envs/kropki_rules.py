"""The rules of Kropki as one frozen dataclass: the default is the rule set of the leading servers.

Two players place dots of their own on the points of a grid. Whoever closes a chain of own dots, linked in 8
directions, round enemy dots captures them and all points inside; more captured dots win. What each option
changes stands with its field. Combinations that make no sense are refused.

Not built yet, and so no fields: closing as the mover's choice (`must_surround=no`), dots on closed points
(`enter_closed`) and longer links (`links=2`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.kropki_starts import Start, fits, fixed_dots, random_dots

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Columns from the left and rows from the top, as SGF names them."""
MIN_SIDE = 2
MAX_SIDE = len(LETTERS)
MAX_COUNT = MAX_SIDE**2
"""Largest `solo_moves` and `instant_win`: the points of the largest board."""
DEFAULT_CROSSES = 4


class HouseCloses(StrEnum):
    """When a house (an empty area shut in by a player) captures an enemy dot that entered it."""

    AT_ONCE = "at_once"
    """With the entering move itself, unless that move captures."""
    OWNER_TURN = "owner_turn"
    """With its owner's next move, wherever that is; never where the owner has no next move."""


class StopRule(StrEnum):
    """What STOP, said instead of a move, does."""

    GROUNDING = "grounding"
    """The game ends, and all dots of the stopper that are not linked to the edge go to the opponent."""
    SOLO = "solo"
    """The opponent goes on alone, for `solo_moves` at most or until it says STOP too."""
    OFF = "off"
    """There is no STOP."""


class ScoreRule(StrEnum):
    """What a point of the score is."""

    DOTS = "dots"
    """An enemy dot that the player holds."""
    TERRITORY = "territory"
    """A point that the player holds, empty or with an enemy dot: the game of capture, «захват»."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KropkiRules:
    """Board, start position and options; texts and lists, as files hold them, become enums and pairs."""

    width: int = 39
    """Columns of points, 2 to 52."""
    height: int = 32
    """Rows of points, 2 to 52."""
    start: Start = Start.CROSS
    """The dots that stand on the board at the start."""
    num_crosses: int = DEFAULT_CROSSES
    """How many crosses `start=random_crosses` places."""
    start_seed: int = 0
    """Decides the random crosses where no generator is given."""
    opening_zone: tuple[int, int] | None = None
    """Columns and rows of a window in the middle that the first move of each player must lie in."""
    house_closes: HouseCloses = HouseCloses.AT_ONCE
    """When an entered house captures."""
    add_turn: bool = False
    """Whether a move that captures a dot gives the mover another one."""
    stop: StopRule = StopRule.GROUNDING
    """What STOP does."""
    solo_moves: int | None = None
    """With `stop=solo`: most moves the opponent makes alone; none: no limit."""
    holes: bool = False
    """Whether an older house stays playable inside a larger new enclosure; else it is closed with it."""
    punish: bool = False
    """Whether own dots inside an own enclosure count for the opponent."""
    last_safe: bool = False
    """Whether a dot on the last playable point is safe from the house it enters."""
    capture_empty: bool = False
    """Whether shutting in a region without enemy dots closes it too."""
    score: ScoreRule = ScoreRule.DOTS
    """What is counted."""
    instant_win: int | None = None
    """The first lead of so many points, komi aside, ends the game; none: no such end."""
    komi: float = 0.0
    """Points added to player 2's score for the result, in halves."""

    @classmethod
    def preset(cls, name: str, **changes: Any) -> "KropkiRules":
        """A named set of rules, with changes by field.

        Args:
            name: `official`: the default set of the servers. `house`: the pencil-and-paper game, 20x20, a
                capture gives another move, the end by agreement. `tournament`: 39x32 from an empty board,
                the first moves in the middle 15x8. `territory`: points instead of dots are counted.
                `polish` is refused as long as closing cannot be left to the mover, which is its heart.
            changes: Fields that differ from the set.

        Raises:
            ValueError: No such set, no such field, or a combination that is refused.
        """
        if name not in PRESETS:
            awaited = " (polish awaits must_surround=no)" if name == "polish" else ""
            known = ", ".join(PRESETS)
            raise ValueError(f"KropkiRules.preset must be one of {known}{awaited}, got {name!r}")
        names = [field.name for field in fields(cls)]
        for key in changes:
            if key not in names:
                raise ValueError(f"KropkiRules must have the fields {', '.join(names)}, got {key}")
        return cls(**{**PRESETS[name], **changes})

    def __post_init__(self) -> None:
        for name, least, most in (
            ("width", MIN_SIDE, MAX_SIDE),
            ("height", MIN_SIDE, MAX_SIDE),
            ("num_crosses", 1, None),
            ("start_seed", 0, None),
        ):
            self._require_whole(name, least, most)
        for name in ("solo_moves", "instant_win"):
            if getattr(self, name) is not None:
                self._require_whole(name, 1, MAX_COUNT)
        self._convert("start", Start)
        self._convert("house_closes", HouseCloses)
        self._convert("stop", StopRule)
        self._convert("score", ScoreRule)
        for name in ("add_turn", "holes", "punish", "last_safe", "capture_empty"):
            self._require(name, isinstance(getattr(self, name), bool), "must be true or false")
        self._check_zone()
        self._check_komi()
        self._check_combinations()

    @property
    def num_points(self) -> int:
        """Points of the board, which is also the number of the action STOP."""
        return self.width * self.height

    def start_dots(self, random: np.random.Generator | None = None) -> NDArray[np.uint8]:
        """The start position: 0 none, 1 or 2 a dot of player 1 or 2. Shape [H, W].

        Args:
            random: Draws random crosses; without one `start_seed` decides.
        """
        if self.start is not Start.RANDOM_CROSSES:
            return fixed_dots(self.start, self.width, self.height)
        random = np.random.default_rng(self.start_seed) if random is None else random
        return random_dots(self.width, self.height, self.num_crosses, random)

    def zone(self) -> NDArray[np.bool_]:
        """True where the first move of each player may lie. Shape [H, W]."""
        inside = np.ones((self.height, self.width), np.bool_)
        if self.opening_zone is not None:
            columns, rows = self.opening_zone
            left, top = (self.width - columns) // 2, (self.height - rows) // 2
            inside[:] = False
            inside[top : top + rows, left : left + columns] = True
        return inside

    def _require(self, name: str, fit: bool, rule: str) -> None:
        if not fit:
            raise ValueError(f"KropkiRules.{name} {rule}, got {_text(getattr(self, name))}")

    def _require_whole(self, name: str, least: int, most: int | None) -> None:
        value = getattr(self, name)
        fit = _is_whole(value) and value >= least and (most is None or value <= most)
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        self._require(name, fit, f"must be a whole number {bounds}")

    def _convert(self, name: str, kind: type[StrEnum]) -> None:
        value = getattr(self, name)
        if value is False:
            value = "off"  # YAML reads a bare `off` so
        names = [member.value for member in kind]
        self._require(name, value in names, f"must be one of {', '.join(names)}")
        object.__setattr__(self, name, kind(value))

    def _check_zone(self) -> None:
        if self.opening_zone is None:
            return
        given = self.opening_zone
        pair = isinstance(given, (tuple, list)) and len(given) == 2 and all(map(_is_whole, given))
        self._require("opening_zone", pair, "must be two whole numbers, columns and rows")
        columns, rows = given
        self._require("opening_zone", columns * rows >= 2 and rows >= 1, "must have at least two points")
        fit = columns <= self.width and rows <= self.height
        self._require("opening_zone", fit, f"must fit the board of {self.width}x{self.height}")
        object.__setattr__(self, "opening_zone", (columns, rows))

    def _check_komi(self) -> None:
        value = self.komi
        fit = _is_whole(value) or (isinstance(value, float) and value % 0.5 == 0)
        self._require("komi", fit, "must be a multiple of 0.5")
        self._require("komi", abs(value) <= self.num_points, f"must be within {self.num_points} points")
        object.__setattr__(self, "komi", float(value))

    def _check_combinations(self) -> None:
        random = self.start is Start.RANDOM_CROSSES
        fit = fits(self.start, self.width, self.height, self.num_crosses)
        board = f"on the board of {self.width}x{self.height}"
        room = f"must leave its crosses apart and a point free {board}"
        self._require("num_crosses" if random else "start", fit, room)
        only = "must be left alone unless start is random_crosses"
        self._require("num_crosses", random or self.num_crosses == DEFAULT_CROSSES, only)
        self._require("start_seed", random or self.start_seed == 0, only)
        fit = self.start is Start.EMPTY or self.opening_zone is None
        self._require("opening_zone", fit, "must be none unless start is empty")
        fit = self.stop is StopRule.SOLO or self.solo_moves is None
        self._require("solo_moves", fit, "must be none unless stop is solo")
        if self.instant_win is not None:
            fit = self.instant_win > abs(self.komi)
            self._require("instant_win", fit, f"must be above the komi of {self.komi:g}")


_STOP_RULES = (StopRule.OFF, StopRule.GROUNDING, StopRule.SOLO)  # in the core's order

PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "official": {},
        "house": {"width": 20, "height": 20, "add_turn": True, "stop": StopRule.OFF},
        "tournament": {"start": Start.EMPTY, "opening_zone": (15, 8)},
        "territory": {"score": ScoreRule.TERRITORY},
    }
)
"""What each named set of rules changes of the defaults."""


def core_options(rules: KropkiRules) -> dict[str, Any]:
    """The rules as the core names them; what only the start needs is left out."""
    zone = rules.opening_zone or (0, 0)
    return {
        "width": rules.width,
        "height": rules.height,
        "zone_width": zone[0],
        "zone_height": zone[1],
        "owner_turn": rules.house_closes is HouseCloses.OWNER_TURN,
        "add_turn": rules.add_turn,
        "stop": _STOP_RULES.index(rules.stop),
        "solo_moves": -1 if rules.solo_moves is None else rules.solo_moves,
        "holes": rules.holes,
        "punish": rules.punish,
        "last_safe": rules.last_safe,
        "capture_empty": rules.capture_empty,
        "territory": rules.score is ScoreRule.TERRITORY,
        "instant_win": rules.instant_win or 0,
    }


def point_name(x: int, y: int) -> str:
    """The two letters of a point: its column, then its row from the top."""
    return LETTERS[x] + LETTERS[y]


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _text(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else f"{value}"
