"""What a tournament comes to: every player's results, ratings, and tables of both."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich import box
from rich.table import Table

from dotzero.play.match_result import MatchResult
from dotzero.play.ratings import ratings
from dotzero.printable import printable

_SHOWN_REASON = 200
"""Characters of the reason of a forfeit, which may quote what a program has answered."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """One player's results over all its matches."""

    name: str
    """The player's name."""
    score: float
    """Share of the points, 0 to 1."""
    wins: int
    """Games won."""
    draws: int
    """Games drawn."""
    losses: int
    """Games lost."""
    elo: float
    """Elo difference to the anchor; where `elo_bounded` says so, only what a lost half step would make it."""
    interval: tuple[float | None, float | None]
    """95% interval of it; the anchor has none but 0. None: open, no game bounds the difference there."""
    mean_margin: float
    """Mean final margin, in points of the game, komi included."""
    as_first: float
    """Share of the points in the games it began."""
    as_second: float
    """Share of the points in the games it did not begin."""
    forfeits: int
    """Games lost by forfeit: programs that ended, fell silent or made illegal moves."""
    horizon: int | None
    """`Player.horizon`."""
    elo_bounded: bool
    """True if this player or the anchor has 0% or 100%: the true difference may be beyond any bound."""
    first_forfeit: str | None = None
    """Why the first of these games was forfeited; None: none was."""

    @property
    def num_games(self) -> int:
        """All games of the player."""
        return self.wins + self.draws + self.losses

    def to_json(self) -> dict[str, Any]:
        """Without a horizon and a reason of forfeits where there is none."""
        absent = {name for name in ("horizon", "first_forfeit") if getattr(self, name) is None}
        return {name: value for name, value in asdict(self).items() if name not in absent}


def standings(
    names: Sequence[str], horizons: Sequence[int | None], matches: Sequence[MatchResult], anchor: int
) -> tuple[Standing, ...]:
    """All players' results, in the order of their names; the player number `anchor` has Elo 0."""
    number = {name: index for index, name in enumerate(names)}
    pairings = [(number[match.first], number[match.second], match.estimate) for match in matches]
    elo, interval = ratings(len(names), pairings, anchor)
    rows = [_row(name, matches) for name in names]
    standing = []
    for index, row in enumerate(rows):
        low, high = interval[index].tolist()
        below, above = _open_ends(row["score"], rows[anchor]["score"]) if index != anchor else (False, False)
        standing.append(
            Standing(
                **row,
                elo=float(elo[index]),
                interval=(None if below else low, None if above else high),
                horizon=horizons[index],
                elo_bounded=below or above,
            )
        )
    return tuple(standing)


def _open_ends(score: float, anchor: float) -> tuple[bool, bool]:
    """Whether no game bounds a difference to the anchor below, and above.

    Who loses everything may be any weaker than the others, who wins everything any stronger.
    """
    return score == 0 or anchor == 1, score == 1 or anchor == 0


def _row(name: str, matches: Sequence[MatchResult]) -> dict[str, Any]:
    """What a player's matches add up to, each seen from its side."""
    seen = [(match, match.first == name) for match in matches if name in (match.first, match.second)]
    weights = [len(match.records) for match, _ in seen]

    def mean(values: list[float]) -> float:
        return float(np.average(values, weights=weights))

    return {
        "name": name,
        "score": mean([match.score if first else 1 - match.score for match, first in seen]),
        "wins": sum(match.wins if first else match.losses for match, first in seen),
        "draws": sum(match.draws for match, _ in seen),
        "losses": sum(match.losses if first else match.wins for match, first in seen),
        "mean_margin": mean([match.mean_margin if first else -match.mean_margin for match, first in seen]),
        "as_first": mean([match.as_first if first else 1 - match.as_second for match, first in seen]),
        "as_second": mean([match.as_second if first else 1 - match.as_first for match, first in seen]),
        "forfeits": sum(match.forfeits[0 if first else 1] for match, first in seen),
        "first_forfeit": next((why for match, _ in seen for why in match.reasons_of_forfeits(name)), None),
    }


def forfeit_lines(rows: Sequence[Standing]) -> list[str]:
    """For a terminal: a line for every player that has forfeited games, with the reason of the first one."""
    return [
        f"{row.name} forfeited {row.forfeits} of {row.num_games} games, the first one because of: "
        f"{printable(row.first_forfeit or '', _SHOWN_REASON)}"
        for row in rows
        if row.forfeits
    ]


def without_a_game(rows: Sequence[Standing], matches: Sequence[MatchResult]) -> str | None:
    """An error for the players of whom nothing was measured; None if there are none.

    They forfeit, and no game of theirs went on to its end. Games that the other one forfeited do not count:
    two programs that do not start win half of theirs so.
    """
    games = [record for match in matches for record in match.records if not record.forfeited]
    played = {name for record in games for name in record.players}
    failed = [row for row in rows if row.forfeits and row.name not in played]
    if not failed:
        return None
    names = " and ".join(row.name for row in failed)
    why = printable(failed[0].first_forfeit or "", _SHOWN_REASON)
    return f"player {names} must end a game without a forfeit, got {failed[0].forfeits} forfeits: {why}"


def standings_table(title: str, rows: Sequence[Standing]) -> Table:
    """The standings for a terminal."""
    table = Table(title=title, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    if any(row.elo_bounded for row in rows):
        table.caption = (
            "inf: where all games are won, or all lost, nothing bounds the difference on that side"
        )
    table.add_column("player", min_width=10, overflow="fold")
    columns = ["score", "won", "drawn", "lost", "Elo", "95% interval", "margin", "first", "second"]
    shows_forfeits = any(row.forfeits for row in rows)
    shows_horizon = any(row.horizon is not None for row in rows)
    for column in columns + ["forfeits"] * shows_forfeits + ["solver from"] * shows_horizon:
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            row.name,
            f"{row.score:.1%}",
            *(str(count) for count in (row.wins, row.draws, row.losses)),
            *_elo_text(row),
            f"{row.mean_margin:+.2f}",
            f"{row.as_first:.0%}",
            f"{row.as_second:.0%}",
            *([str(row.forfeits)] * shows_forfeits),
            *(["" if row.horizon is None else f"{row.horizon} lines"] * shows_horizon),
        )
    return table


def cross_table(names: Sequence[str], matches: Sequence[MatchResult]) -> Table:
    """Every player's share of the points against every other; blank where two did not meet."""
    table = Table(title="share of the points against", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("player", min_width=10, overflow="fold")
    for number in range(1, len(names) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    scores = {(match.first, match.second): match.score for match in matches}
    scores |= {(match.second, match.first): 1 - match.score for match in matches}
    for number, name in enumerate(names, 1):
        shares = (scores.get((name, other)) for other in names)
        table.add_row(f"{number} {name}", *("" if share is None else f"{share:.1%}" for share in shares))
    return table


def _elo_text(row: Standing) -> tuple[str, str]:
    """Elo and interval; an end that the games leave open is infinite, and so is then the most likely Elo."""
    low, high = row.interval
    if low == high == 0:
        return "0", "anchor"
    ends = f"{'-inf' if low is None else f'{low:+.0f}'} .. {'+inf' if high is None else f'{high:+.0f}'}"
    if low is None and high is None:
        return "?", ends
    elo = "+inf" if high is None else "-inf" if low is None else f"{row.elo:+.0f}"
    return elo, ends
