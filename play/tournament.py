"""Tournaments: which matches are played, in how many processes, and files that survive a stop.

In an output folder every match has its own file, which holds the chunks of it that are played, so that the
same command goes on where it stopped and a player can be added later:

    pairs/FIRST--SECOND.json   what has been played of one match
    games.jsonl                one record a game, of all matches
    results.json               what `arena output=json` prints

A file is written under a temporary name and then renamed, so it is either whole or absent.
"""

import dataclasses
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from dotzero.envs.game import Game
from dotzero.envs.game_records import Ending
from dotzero.envs.registry import describe_game, unusual_rules
from dotzero.mistakes import needed_for
from dotzero.play.arena import ArenaConfig, Match
from dotzero.play.match_result import PLAYED, GameRecord, MatchResult, num_distinct, pair_scores
from dotzero.play.match_sheet import MatchSheet
from dotzero.play.players import Player
from dotzero.play.sprt import Sprt, count_pairs
from dotzero.play.standings import (
    Standing,
    cross_table,
    forfeit_lines,
    standings,
    standings_table,
    without_a_game,
)
from dotzero.whole_files import write_text

MatchProgress = Callable[[str, str, int, int], None]
"""Called with the names of the match's players and its numbers of finished and of all games."""
PlayChunks = Callable[[Sequence[tuple[int, int, tuple[int, int]]]], Any]
"""Plays chunks, each given by two players' numbers and its pairs; yields index and games of each."""


class Mode(Enum):
    """Who meets whom."""

    ROUND_ROBIN = "round_robin"
    """Every player every other."""
    GAUNTLET = "gauntlet"
    """The first player every other."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What is played beside how."""

    mode: Mode = Mode.ROUND_ROBIN
    """Who meets whom."""
    anchor: str | None = None
    """The player whose Elo is 0; None: the last one."""
    sprt: Sprt | None = None
    """The question that ends a match of two players early."""

    def pairings(self, num_players: int) -> list[tuple[int, int]]:
        """Numbers of the players of all matches."""
        if self.mode is Mode.GAUNTLET:
            return [(0, other) for other in range(1, num_players)]
        return list(itertools.combinations(range(num_players), 2))

    def check(self, names: Sequence[str]) -> None:
        """Refuse players that do not fit.

        Raises:
            ValueError: They are too few, have equal names, or there is no such anchor.
        """
        if len(names) < 2:
            raise ValueError(f"players must be two or more, got {len(names)}")
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"players must have different names, got {name!r} {names.count(name)} times")
        if self.anchor is not None and self.anchor not in names:
            raise ValueError(f"anchor must be one of the players {', '.join(names)}, got {self.anchor}")
        if self.sprt is not None and len(names) != 2:
            raise ValueError(f"sprt must have two players, got {len(names)}")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Tournament:
    """A finished tournament."""

    game: str
    """Name of the game."""
    rules: dict[str, Any]
    """Its rules."""
    plan: Plan
    """What was played."""
    standings: tuple[Standing, ...]
    """Players in the order given."""
    matches: tuple[MatchResult, ...]
    """Every pairing once, in the order of the players."""

    def to_json(self) -> dict[str, Any]:
        """The object that `arena output=json` prints."""
        test = {} if self.plan.sprt is None else {"sprt": _test_json(self.plan.sprt, self.matches[0])}
        return {
            "game": self.game,
            "rules": self.rules,
            "games": sum(len(match.records) for match in self.matches),
            "distinct_games": num_distinct(record for match in self.matches for record in match.records),
            "players": [standing.to_json() for standing in self.standings],
            "pairs": [_pair_json(match) for match in self.matches],
            **test,
        }

    def table(self) -> RenderableType:
        """The standings for a terminal."""
        return standings_table(f"{self.game} {rules_text(self.game, self.rules)}", self.standings)

    def tables(self) -> list[RenderableType]:
        """All that is shown of it."""
        shown: list[RenderableType] = [self.table()]
        if len(self.standings) > 2:
            shown.append(cross_table([standing.name for standing in self.standings], self.matches))
        if self.plan.sprt is not None:
            shown.append(_test_text(_test_json(self.plan.sprt, self.matches[0])))
        return shown + forfeit_lines(self.standings)

    @property
    def failure(self) -> str | None:
        """In one line why it measures nothing of a player; None: every player has ended a game."""
        return without_a_game(self.standings, self.matches)


def play_round_robin(
    game: Game[Any],
    players: Sequence[Player],
    config: ArenaConfig,
    folder: Path | None = None,
    progress: MatchProgress | None = None,
) -> Tournament:
    """Every player against every other, in this process; see `play_tournament`."""
    return play_tournament(game, players, config, Plan(), folder=folder, progress=progress)


def play_tournament(
    game: Game[Any],
    players: Sequence[Player],
    config: ArenaConfig,
    plan: Plan,
    *,
    folder: Path | None = None,
    progress: MatchProgress | None = None,
    play_chunks: PlayChunks | None = None,
) -> Tournament:
    """Play all matches of a plan.

    Args:
        game: Rules and board.
        players: Two or more, with different names.
        config: How each match is played; all matches share their openings.
        plan: Who meets whom.
        folder: Where results go, and where what was played is found again; nothing is written without it.
        progress: Told how far each match is.
        play_chunks: Who plays, by the numbers of the players; None: these players here.

    Raises:
        ValueError: The players do not fit, or the folder holds matches of other settings.
        OSError: The folder cannot be written.
    """
    names = [player.name for player in players]
    plan.check(names)
    if folder is not None:
        with needed_for("out", "a folder that can be written", folder):
            (folder / "pairs").mkdir(parents=True, exist_ok=True)
    sheets = [
        MatchSheet(game, (players[one], players[two]), (one, two), config, folder, plan.sprt)
        for one, two in plan.pairings(len(names))
    ]
    _play_sheets(sheets, play_chunks or _Here(game, players, config), progress)
    anchor = len(names) - 1 if plan.anchor is None else names.index(plan.anchor)
    matches = [sheet.result() for sheet in sheets]
    tournament = Tournament(
        game=game.name,
        rules=describe_game(game)["rules"],
        plan=plan,
        standings=standings(names, [player.horizon for player in players], matches, anchor),
        matches=tuple(matches),
    )
    if folder is not None:
        records = [_record_json(tournament, record) for match in matches for record in match.records]
        write_text(folder / "games.jsonl", "".join(json.dumps(record) + "\n" for record in records))
        write_text(folder / "results.json", json.dumps(tournament.to_json(), indent=1) + "\n")
    return tournament


class _Here:
    """Plays chunks in this process, one after another."""

    def __init__(self, game: Game[Any], players: Sequence[Player], config: ArenaConfig) -> None:
        self._game, self._players, self._config = game, players, config
        self._matches: dict[tuple[int, int], Match] = {}

    def __call__(self, chunks: Sequence[tuple[int, int, tuple[int, int]]]) -> Any:
        for index, (first, second, pairs) in enumerate(chunks):
            if (first, second) not in self._matches:
                match = Match(self._game, self._players[first], self._players[second], self._config)
                self._matches[first, second] = match
            yield index, self._matches[first, second].play(*pairs)


def _play_sheets(sheets: Sequence[MatchSheet], play: PlayChunks, progress: MatchProgress | None) -> None:
    """Have all chunks played that are left, and keep what comes."""

    def tell(sheet: MatchSheet) -> None:
        if progress is not None:
            progress(*sheet.names, sheet.num_played, sheet.num_games)

    for sheet in sheets:
        tell(sheet)
    left = [(sheet, index) for sheet in sheets for index in sheet.left]
    results = play([(*sheet.numbers, sheet.bounds[index]) for sheet, index in left])
    for place, records in results:
        sheet, index = left[place]
        sheet.add(index, records)
        tell(sheet)
        if sheet.decided:
            results.close()
            return


def _pair_json(match: MatchResult) -> dict[str, Any]:
    return {
        "players": [match.first, match.second],
        "games": len(match.records),
        "distinct_games": match.distinct_games,
        "wins": match.wins,
        "draws": match.draws,
        "losses": match.losses,
        "forfeits": list(match.forfeits),
        "score": match.score,
        "pairs_by_score": count_pairs(pair_scores(match.records)).tolist(),
        "elo": match.estimate.elo,
        "interval": list(match.estimate.known_interval),
        "elo_bounded": match.estimate.bounded,
        "mean_margin": match.mean_margin,
        "as_first": match.as_first,
        "as_second": match.as_second,
    }


def _test_json(sprt: Sprt, match: MatchResult) -> dict[str, Any]:
    """The test and its answer."""
    scores = pair_scores(match.records)
    decision = sprt.decision(scores)
    return {
        **dataclasses.asdict(sprt),
        "model": "logistic Elo, five outcomes of a pair",
        "llr": sprt.ratio(scores),
        "bounds": list(sprt.bounds),
        "accepted": None if decision is None else ("elo0", "elo1")[decision],
    }


def _test_text(test: Mapping[str, Any]) -> str:
    answer = "no answer yet" if test["accepted"] is None else f"{test[test['accepted']]:g} Elo accepted"
    low, high = test["bounds"]
    return (
        f"SPRT {test['elo0']:g} against {test['elo1']:g} Elo: {answer}, "
        f"LLR {test['llr']:+.2f} in {low:.2f} .. {high:.2f}"
    )


def _record_json(tournament: Tournament, record: GameRecord) -> dict[str, Any]:
    """A game as a record that `dotzero.envs.records` reads; how it was broken off is a header."""
    own = record.to_json()
    start, ending, _ = own.pop("start"), own.pop("ending"), own.pop("margin")
    broken: dict[str, Any] = {}
    if ending != PLAYED:
        reason = Ending.FORFEIT if record.forfeited else Ending.AGREEMENT
        broken = {"reason": reason.value, "headers": {"ending": ending}}
    return {"game": tournament.game, "rules": tournament.rules, **start, **own, **broken}


def rules_text(game: str, rules: dict[str, Any]) -> str:
    """The rules in a line: the two sides of the board, which come first, and whatever is not as usual."""
    shown = {**dict(itertools.islice(rules.items(), 2)), **unusual_rules(game, rules)}
    return " ".join(f"{name}={value}" for name, value in shown.items())
