"""What is chosen before a game begins: rules, both sides, luck, time.

Read from and written to plain JSON, so that the terminal, the web page and the saved games mean the same.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from dotzero.envs.boxes import BoxesRules
from dotzero.envs.game import Game, State
from dotzero.envs.game_records import Points, Record, game_of, notation_of, with_mover
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.kropki_starts import Start
from dotzero.envs.registry import make_game, plain_value, size_text, unusual_rules
from dotzero.play.seats import Seat
from dotzero.play.timers import LONGEST, TimeControl, is_seconds

SOLO_SECONDS = 180.0
"""What a player who goes on alone after a STOP has: three minutes (R036)."""
MOST_SEED = 2**53 - 1
"""The largest seed: what a number in JavaScript holds exactly."""
_OWN_START = "own start"
_RULE = re.compile(r"(?P<name>\w+)=(?P<value>\[[^]]*\]|\S+)")
_SIZE_FIELDS = ("rows", "columns", "width", "height", "start_seed")


@dataclass(frozen=True, kw_only=True, slots=True)
class GameSettings:
    """A game as it was agreed on. The first seat moves first."""

    rules: BoxesRules | KropkiRules
    seats: tuple[Seat, Seat] = (Seat(), Seat())
    seed: int = 0
    """Decides the luck of the players, and where random crosses stand."""
    clock: TimeControl | None = None
    """None: no limit."""
    solo_seconds: float = SOLO_SECONDS
    """Seconds of a solo phase in Kropki."""
    start: tuple[Points, Points] | None = None
    """In Kropki the points of the dots of both seats at the start, as a record may have them; None: those
    that the rules place."""
    first: int = 0
    """The seat that moves first: in a record of Kropki it may be the second."""

    def __post_init__(self) -> None:
        if not isinstance(self.seed, int) or isinstance(self.seed, bool) or not 0 <= self.seed <= MOST_SEED:
            raise ValueError(f"seed must be a whole number in 0..{MOST_SEED}, got {self.seed!r:.60}")
        if not is_seconds(self.solo_seconds) or self.solo_seconds < 1:
            raise ValueError(f"solo_seconds must be seconds in 1..{LONGEST:g}, got {self.solo_seconds!r:.60}")
        rules = self.rules
        if isinstance(rules, KropkiRules) and rules.start is Start.RANDOM_CROSSES and rules.start_seed == 0:
            # So that rules and moves alone give the game back: 0 stands for "not drawn yet" (R010).
            object.__setattr__(self, "rules", replace(rules, start_seed=self.seed + 1))
        if self.first not in (0, 1) or isinstance(self.first, bool):
            raise ValueError(f"first must be 0 or 1, got {self.first!r:.40}")
        if isinstance(rules, BoxesRules) and (self.start is not None or self.first):
            raise ValueError("start and first must be left out in boxes")

    @property
    def game(self) -> Game[Any]:
        """The game of the rules."""
        return game_of(self.rules)

    def start_state(self) -> State:
        """The position before the first move, a batch of one.

        Raises:
            ValueError: There can be no such start dots.
        """
        if self.start is None and self.first == 0:
            made: State = self.game.start(1)
            return made
        record = Record(rules=self.rules, moves=(), movers=(), start=self.start)
        state: State = record.new_game()[1]
        return with_mover(state, self.first) if self.first else state

    @property
    def board(self) -> str:
        """The size of the board as its game writes it, as in `5x5` or `39x32`."""
        return size_text(self.game)

    @property
    def rules_key(self) -> str:
        """Which rules are played, apart from the size: `usual`, or what differs, as in `start=empty`."""
        unusual = unusual_rules(self.game.name, plain_value(asdict(self.rules)))
        told = [f"{name}={value}" for name, value in sorted(unusual.items()) if name not in _SIZE_FIELDS]
        return " ".join(told if self.start is None else [*told, _OWN_START]) or "usual"

    @property
    def person(self) -> int | None:
        """The seat of the person who plays against a player; None where two people or two players sit."""
        people = [number for number, seat in enumerate(self.seats) if seat.is_person]
        return people[0] if len(people) == 1 else None

    @property
    def opponent(self) -> str | None:
        """The player that a single person plays against."""
        return None if self.person is None else self.seats[1 - self.person].player

    @classmethod
    def from_json(cls, data: Any) -> "GameSettings":
        """Read what `to_json` has written; only `game` must be there.

        Raises:
            ValueError: A field is unknown or wrong, in one line that names it.
        """
        names = ("game", "rules", "seats", "seed", "clock", "solo_seconds", "start", "first")
        if not isinstance(data, Mapping) or not {"game"} <= set(data) <= set(names):
            raise ValueError(f"settings must have the fields {', '.join(names)}, got {data!r:.80}")
        rules, seats = data.get("rules", {}), data.get("seats", [{}, {}])
        if not isinstance(data["game"], str):
            raise ValueError(f"game must be a name, got {data['game']!r:.60}")
        if not isinstance(rules, Mapping) or not all(isinstance(name, str) for name in rules):
            raise ValueError(f"rules must be an object, got {rules!r:.60}")
        if not isinstance(seats, list | tuple) or len(seats) != 2:
            raise ValueError(f"seats must be a list of two, got {seats!r:.60}")
        more = {name: data[name] for name in ("seed", "solo_seconds", "first") if name in data}
        clock, made = data.get("clock"), make_game(data["game"], rules).rules
        return cls(
            rules=made,
            start=_read_start(made, data.get("start")),
            seats=(Seat.from_json(seats[0]), Seat.from_json(seats[1])),
            clock=None if clock is None else TimeControl.from_json(clock),
            **more,
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "game": self.game.name,
            "rules": plain_value(asdict(self.rules)),
            "seats": [seat.to_json() for seat in self.seats],
            "seed": self.seed,
            "clock": None if self.clock is None else self.clock.to_json(),
            "solo_seconds": self.solo_seconds,
            "start": self._start_names(),
            "first": self.first,
        }

    def _start_names(self) -> list[list[str]] | None:
        if self.start is None:
            return None
        names = notation_of(self.rules)
        return [[names.name(point) for point in side] for side in self.start]


def _read_start(rules: BoxesRules | KropkiRules, value: Any) -> tuple[Points, Points] | None:
    """Start dots as two lists of names."""
    if value is None:
        return None
    sides = value if isinstance(value, list | tuple) else ()
    fit = len(sides) == 2 and all(isinstance(side, list | tuple) for side in sides)
    if not fit or not all(isinstance(name, str) for side in sides for name in side):
        raise ValueError(f"start must be two lists of points, got {value!r:.60}")
    names = notation_of(rules)
    one, two = (tuple(names.parse(name) for name in side) for side in sides)
    return one, two


def rules_of_key(key: str) -> dict[str, str]:
    """Names and values of the rules that `GameSettings.rules_key` has written, in its order.

    A start of one's own is the last one, `own_start`, with the value `True`.
    """
    found = {match["name"]: match["value"] for match in _RULE.finditer(key)}
    return found | ({"own_start": "True"} if key.endswith(_OWN_START) else {})
