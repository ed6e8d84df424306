"""The sheet of one match: which chunks of it are played, kept on disk where there is a folder.

Each finished chunk is written at once, the whole sheet under a temporary name that is then renamed.
"""

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dotzero.envs.game import Game
from dotzero.envs.registry import describe_game, plain_value
from dotzero.play.arena import ArenaConfig
from dotzero.play.chunks import chunk_bounds
from dotzero.play.match_result import GameRecord, MatchResult, pair_scores, summary
from dotzero.play.players import Player
from dotzero.play.sprt import Sprt
from dotzero.whole_files import write_text


class MatchSheet:
    """What has been played of one match, on disk too where there is a folder."""

    def __init__(
        self,
        game: Game[Any],
        players: tuple[Player, Player],
        numbers: tuple[int, int],
        config: ArenaConfig,
        folder: Path | None,
        sprt: Sprt | None,
    ) -> None:
        self.numbers = numbers
        self.names = (players[0].name, players[1].name)
        self.bounds = chunk_bounds(config.num_pairs)
        self._sprt = sprt
        self._settings = {
            "game": game.name,
            "rules": describe_game(game)["rules"],
            "players": [player.identity for player in players],
            **{name: plain_value(value) for name, value in dataclasses.asdict(config).items()},
        }
        self._path = None if folder is None else folder / "pairs" / _file_name(*self.names)
        self._chunks: dict[int, list[GameRecord]] = {}
        if self._path is not None and self._path.exists():
            self._chunks = _read_chunks(self._path, self._settings, self.bounds)

    @property
    def left(self) -> list[int]:
        """Numbers of the chunks that are still to be played."""
        if self.decided:
            return []
        return [index for index in range(len(self.bounds)) if index not in self._chunks]

    @property
    def num_games(self) -> int:
        """Games of the whole match."""
        return 2 * self.bounds[-1][1]

    @property
    def num_played(self) -> int:
        """Of which so many are played."""
        return sum(map(len, self._chunks.values()))

    @property
    def decided(self) -> bool:
        """Whether the test has its answer."""
        return self._sprt is not None and self._sprt.decision(pair_scores(self._in_order())) is not None

    def add(self, index: int, records: list[GameRecord]) -> None:
        """Keep the games of a chunk."""
        self._chunks[index] = records
        if self._path is None:
            return
        chunks = {
            str(number): [record.to_json() for record in self._chunks[number]]
            for number in sorted(self._chunks)
        }
        write_text(self._path, json.dumps({"settings": self._settings, "chunks": chunks}) + "\n")

    def result(self) -> MatchResult:
        """The match; with a test up to the chunk that answered it."""
        return summary(*self.names, self._in_order())

    def _in_order(self) -> list[GameRecord]:
        """The games of all chunks up to the first one missing, or to the one that answered the test."""
        records: list[GameRecord] = []
        for index in range(len(self.bounds)):
            if index not in self._chunks:
                break
            records += self._chunks[index]
            if self._sprt is not None and self._sprt.decision(pair_scores(records)) is not None:
                break
        return records


def _file_name(first: str, second: str) -> str:
    """A safe file name; names that had to be changed carry a digest, so that two never fall together."""
    parts = []
    for name in (first, second):
        safe = re.sub(r"[^A-Za-z0-9._=@-]", "_", name)[-60:]
        parts.append(safe if safe == name else f"{safe}-{hashlib.sha256(name.encode()).hexdigest()[:8]}")
    return "--".join(parts) + ".json"


def _read_chunks(
    path: Path, settings: Mapping[str, Any], bounds: Sequence[tuple[int, int]]
) -> dict[int, list[GameRecord]]:
    """The chunks of a match file.

    Raises:
        ValueError: It is damaged, or of other settings.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        stored = content["settings"]
        chunks = {
            int(number): [_tuples(GameRecord, record) for record in records]
            for number, records in content["chunks"].items()
        }
        different = [name for name, value in settings.items() if stored.get(name) != value]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"match file must be one written by the arena, got {path}: {error!r}") from error
    if different:
        name = different[0]
        there = f"{name} {stored.get(name)!r} in {path}, now {settings[name]!r}"
        raise ValueError(f"arena folder must be new or of the same settings, got {there}")
    sizes = {index: 2 * (last - first) for index, (first, last) in enumerate(bounds)}
    if any(len(records) != sizes.get(index) for index, records in chunks.items()):
        raise ValueError(f"match file must be one written by the arena, got {path}: a chunk is not whole")
    return chunks


def _tuples(kind: type[Any], values: dict[str, Any]) -> Any:
    """Make a dataclass whose sequences are tuples from its JSON."""
    return kind(
        **{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    )
