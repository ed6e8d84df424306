"""Round robin between several players: all their matches, ratings, a table, and files that survive a stop.

In an output folder every finished match has its own file, so that the same command goes on where it stopped
and a player can be added later:

    pairs/FIRST--SECOND.json   one match with all its games
    games.jsonl                one record a game, of all matches
    results.json               what `arena output=json` prints

A file is written under a temporary name and then renamed, so it is either whole or absent.
"""

import dataclasses
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.table import Table

from dotzero.envs.game import Game
from dotzero.envs.registry import describe_game, unusual_rules
from dotzero.play.arena import ArenaConfig, GameRecord, MatchResult, num_distinct, play_match
from dotzero.play.players import Player
from dotzero.play.ratings import Estimate, ratings

MatchProgress = Callable[[str, str, int, int], None]
"""Called with the names of the match's players and its numbers of finished and of all games."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
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
    """Elo difference to the last player."""
    interval: tuple[float, float]
    """95% interval of it; the last player is the anchor and has none but 0."""
    mean_margin: float
    """Mean final margin, in points of the game, komi included."""
    as_first: float
    """Share of the points in the games it began."""
    as_second: float
    """Share of the points in the games it did not begin."""
    forfeits: int
    """Games lost by an illegal move or by time; players of this package have none."""
    horizon: int | None
    """`Player.horizon`."""
    elo_bounded: bool
    """True if this player or the last one has 0% or 100%: the true difference may be beyond any bound."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Tournament:
    """A finished round robin."""

    game: str
    """Name of the game."""
    rules: dict[str, Any]
    """Its rules."""
    standings: tuple[Standing, ...]
    """Players in the order given."""
    matches: tuple[MatchResult, ...]
    """Every pairing once, in the order of the players."""

    def to_json(self) -> dict[str, Any]:
        """The object that `arena output=json` prints."""
        return {
            "game": self.game,
            "rules": self.rules,
            "games": sum(len(match.records) for match in self.matches),
            "distinct_games": num_distinct(record for match in self.matches for record in match.records),
            "players": [_standing_json(standing) for standing in self.standings],
            "pairs": [_pair_json(match) for match in self.matches],
        }

    def table(self) -> Table:
        """The standings for a terminal."""
        title = f"{self.game} {rules_text(self.game, self.rules)}"
        table = Table(title=title, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
        table.add_column("player", min_width=10, overflow="fold")
        columns = ["score", "won", "drawn", "lost", "Elo", "95% interval", "margin", "first", "second"]
        shows_horizon = any(row.horizon is not None for row in self.standings)
        for column in columns + ["solver from"] * shows_horizon:
            table.add_column(column, justify="right", no_wrap=True)
        for row in self.standings:
            table.add_row(
                row.name,
                f"{row.score:.1%}",
                *(str(count) for count in (row.wins, row.draws, row.losses)),
                *_elo_text(row),
                f"{row.mean_margin:+.2f}",
                f"{row.as_first:.0%}",
                f"{row.as_second:.0%}",
                *(["" if row.horizon is None else f"{row.horizon} lines"] * shows_horizon),
            )
        return table


def play_round_robin(
    game: Game[Any],
    players: Sequence[Player],
    config: ArenaConfig,
    folder: Path | None = None,
    progress: MatchProgress | None = None,
) -> Tournament:
    """Every player against every other.

    Args:
        game: Rules and board.
        players: Two or more, with different names; the last one is the anchor of the ratings.
        config: How each match is played; all matches share their openings.
        folder: Where results go, and where finished matches are found again; nothing is written without it.
        progress: Told how far the current match is.

    Raises:
        ValueError: Too few players, equal names, or the folder holds matches of other settings.
        OSError: The folder cannot be written.
    """
    names = [player.name for player in players]
    if len(names) < 2:
        raise ValueError(f"players must be two or more, got {len(names)}")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"players must have different names, got {name!r} {names.count(name)} times")
    if folder is not None:
        (folder / "pairs").mkdir(parents=True, exist_ok=True)
    matches = [_match(game, *pair, config, folder, progress) for pair in itertools.combinations(players, 2)]
    tournament = Tournament(
        game=game.name,
        rules=describe_game(game)["rules"],
        standings=_standings(names, [player.horizon for player in players], matches),
        matches=tuple(matches),
    )
    if folder is not None:
        records = [_record_json(tournament, record) for match in matches for record in match.records]
        _write_text(folder / "games.jsonl", "".join(json.dumps(record) + "\n" for record in records))
        _write_text(folder / "results.json", json.dumps(tournament.to_json(), indent=1) + "\n")
    return tournament


def _write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    from dotzero.models.files import write_text  # brings torch along, which a match without files can spare

    write_text(path, text)


def _match(
    game: Game[Any],
    first: Player,
    second: Player,
    config: ArenaConfig,
    folder: Path | None,
    progress: MatchProgress | None,
) -> MatchResult:
    """Play a match, or read it if the folder has it already."""
    settings = {
        "game": game.name,
        "rules": describe_game(game)["rules"],
        "players": [first.identity, second.identity],
        **dataclasses.asdict(config),
    }
    path = None if folder is None else folder / "pairs" / _file_name(first.name, second.name)

    def tell(finished: int, games: int) -> None:
        if progress is not None:
            progress(first.name, second.name, finished, games)

    if path is not None and path.exists():
        stored = _read_match(path, settings)
        tell(config.games, config.games)
        return stored
    match = play_match(game, first, second, config, tell)
    if path is not None:
        _write_text(path, json.dumps({"settings": settings, "match": dataclasses.asdict(match)}) + "\n")
    return match


def _file_name(first: str, second: str) -> str:
    """A safe file name; names that had to be changed carry a digest, so that two never fall together."""
    parts = []
    for name in (first, second):
        safe = re.sub(r"[^A-Za-z0-9._=@-]", "_", name)[-60:]
        parts.append(safe if safe == name else f"{safe}-{hashlib.sha256(name.encode()).hexdigest()[:8]}")
    return "--".join(parts) + ".json"


def _read_match(path: Path, settings: dict[str, Any]) -> MatchResult:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        stored = content["settings"]
        match = content["match"]
        records = tuple(_tuples(GameRecord, record) for record in match.pop("records"))
        match = MatchResult(estimate=_tuples(Estimate, match.pop("estimate")), records=records, **match)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"match file must be one written by the arena, got {path}: {error!r}") from error
    for name, value in settings.items():
        if stored.get(name) != value:
            there = f"{name} {stored.get(name)!r} in {path}"
            raise ValueError(f"arena folder must be new or of the same settings, got {there}, now {value!r}")
    return match


def _tuples(kind: type[Any], values: dict[str, Any]) -> Any:
    """Make a dataclass whose sequences are tuples from its JSON."""
    return kind(
        **{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    )


def _standings(
    names: list[str], horizons: list[int | None], matches: list[MatchResult]
) -> tuple[Standing, ...]:
    number = {name: index for index, name in enumerate(names)}
    pairings = [(number[match.first], number[match.second], match.estimate) for match in matches]
    elo, interval = ratings(len(names), pairings)
    # Of every player its matches, and whether it is the first player of each.
    seen = [
        [(match, match.first == name) for match in matches if name in (match.first, match.second)]
        for name in names
    ]
    scores = [_mean(match.score if first else 1 - match.score for match, first in sides) for sides in seen]
    return tuple(
        Standing(
            name=name,
            score=scores[index],
            wins=sum(match.wins if first else match.losses for match, first in seen[index]),
            draws=sum(match.draws for match, _ in seen[index]),
            losses=sum(match.losses if first else match.wins for match, first in seen[index]),
            elo=float(elo[index]),
            interval=(float(interval[index, 0]), float(interval[index, 1])),
            mean_margin=_mean(
                match.mean_margin if first else -match.mean_margin for match, first in seen[index]
            ),
            as_first=_mean(match.as_first if first else 1 - match.as_second for match, first in seen[index]),
            as_second=_mean(match.as_second if first else 1 - match.as_first for match, first in seen[index]),
            forfeits=0,
            horizon=horizons[index],
            elo_bounded=index < len(names) - 1 and not (0 < scores[index] < 1 and 0 < scores[-1] < 1),
        )
        for index, name in enumerate(names)
    )


def _elo_text(row: Standing) -> tuple[str, str]:
    """Elo and interval; of a bounded figure only the side that the games can tell."""
    low, high = row.interval
    if low == high:
        return "0", "anchor"
    if not row.elo_bounded:
        return f"{row.elo:+.0f}", f"{low:+.0f} .. {high:+.0f}"
    return (f"> {low:+.0f}", "") if row.elo > 0 else (f"< {high:+.0f}", "")


def _mean(values: Any) -> float:
    return float(np.mean(list(values)))


def _pair_json(match: MatchResult) -> dict[str, Any]:
    return {
        "players": [match.first, match.second],
        "games": len(match.records),
        "distinct_games": match.distinct_games,
        "wins": match.wins,
        "draws": match.draws,
        "losses": match.losses,
        "score": match.score,
        "elo": match.estimate.elo,
        "interval": list(match.estimate.interval),
        "elo_bounded": match.estimate.bounded,
        "mean_margin": match.mean_margin,
        "as_first": match.as_first,
        "as_second": match.as_second,
    }


def _standing_json(standing: Standing) -> dict[str, Any]:
    """Without a horizon where there is none."""
    row = dataclasses.asdict(standing)
    return {name: value for name, value in row.items() if name != "horizon" or value is not None}


def _record_json(tournament: Tournament, record: GameRecord) -> dict[str, Any]:
    own = dataclasses.asdict(record)
    return {"game": tournament.game, "rules": tournament.rules, **own.pop("start"), **own}


def rules_text(game: str, rules: dict[str, Any]) -> str:
    """The rules in a line: the two sides of the board, which come first, and whatever is not as usual."""
    shown = {**dict(itertools.islice(rules.items(), 2)), **unusual_rules(game, rules)}
    return " ".join(f"{name}={value}" for name, value in shown.items())
