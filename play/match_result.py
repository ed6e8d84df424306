"""What comes of a match: records of its games, and the counts that follow from them."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from dotzero.play.ratings import Estimate, estimate

PLAYED = "played"
"""The ending of a game that came to its end by the rules."""
FORFEIT = "forfeit: "
"""What the ending of a game begins with that its loser has forfeited; the reason follows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GameRecord:
    """One game of a match. Players are 1 and 2 in the order of the seats, as in every file."""

    players: tuple[str, str]
    """Who began and who did not."""
    opening: int
    """Index of the opening; the two games of a pair share it."""
    opening_plies: int
    """How many of the moves are the opening's."""
    moves: tuple[str, ...]
    """Names of all moves."""
    movers: tuple[int, ...]
    """Player 1 or 2 of every move."""
    score: tuple[int, int]
    """Final points of player 1 and player 2, without komi; of a game that was broken off those so far."""
    margin: float
    """What player 1 led by in the end, komi included; of an exactly adjudicated game under best play."""
    result: int
    """The player who won, 0 for a draw."""
    ending: str = PLAYED
    """How it ended: "played", "adjudicated", or "forfeit: REASON" by the player who lost."""
    start: dict[str, Any] = field(default_factory=dict)
    """What the rules do not say of the start (in Kropki: dots and komi); empty in Boxes."""

    @property
    def forfeited(self) -> bool:
        """Whether the loser broke the rules, fell silent or ended."""
        return self.ending.startswith(FORFEIT)

    def to_json(self) -> dict[str, Any]:
        """Its fields, none copied: matches of thousands of games are written chunk by chunk."""
        return {item.name: getattr(self, item.name) for item in fields(self)}


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchResult:
    """A match as seen by its first player."""

    first: str
    """Name of the first player."""
    second: str
    """Name of the second player."""
    wins: int
    """Games the first player won."""
    draws: int
    """Drawn games."""
    losses: int
    """Games the first player lost."""
    as_first: float
    """The first player's share of the points in the games it began."""
    as_second: float
    """Its share in the games the opponent began."""
    mean_margin: float
    """Its mean final margin, in points of the game, komi included."""
    forfeits: tuple[int, int]
    """Games that the first and the second player lost by forfeit."""
    distinct_games: int
    """Different games, by start and moves; far below the number of games: they repeat each other."""
    estimate: Estimate
    """Score, Elo difference and interval from the pairs."""
    records: tuple[GameRecord, ...] = field(repr=False)
    """All games, opening by opening."""

    @property
    def score(self) -> float:
        """The first player's share of the points, 0 to 1."""
        return self.estimate.score

    def reasons_of_forfeits(self, name: str) -> list[str]:
        """Why one of the two players forfeited games, in their order."""
        return [
            record.ending.removeprefix(FORFEIT)
            for record in self.records
            if record.forfeited and record.players[2 - record.result] == name  # whoever did not win
        ]


def num_distinct(records: Iterable[GameRecord]) -> int:
    """How many different games there are, by start and moves."""
    return len({(json.dumps(record.start), record.moves) for record in records})


def pair_scores(records: Sequence[GameRecord]) -> list[float]:
    """The first player's share of the points in each pair; it begins the first game of each."""
    points = _points(records)
    return [(one + two) / 2 for one, two in zip(points[0::2], points[1::2], strict=True)]


def summary(first: str, second: str, records: Sequence[GameRecord]) -> MatchResult:
    """Count a match from its games: in pairs, of which the first player begins the first one."""
    points = np.array(_points(records))
    margins = np.array([record.margin for record in records])
    margins[1::2] *= -1
    forfeited = np.array([record.forfeited for record in records])
    return MatchResult(
        first=first,
        second=second,
        wins=int((points == 1).sum()),
        draws=int((points == 0.5).sum()),
        losses=int((points == 0).sum()),
        as_first=float(points[0::2].mean()),
        as_second=float(points[1::2].mean()),
        mean_margin=float(margins.mean()),
        forfeits=(int((forfeited & (points == 0)).sum()), int((forfeited & (points == 1)).sum())),
        distinct_games=num_distinct(records),
        estimate=estimate(pair_scores(records)),
        records=tuple(records),
    )


def _points(records: Sequence[GameRecord]) -> list[float]:
    """The first player's points, game by game."""
    return [
        0.5 if record.result == 0 else float(record.result == 1 + index % 2)
        for index, record in enumerate(records)
    ]
