"""Saved games and statistics in one SQLite file of the user, shared by terminal and web page.

The one idea: after every move one transaction stores the whole game, and the transaction that stores its last
move also counts it and takes it out of the unfinished ones. So a process that is killed loses nothing, and
nothing is counted twice (R114, R117, R151).

    with Saves(data_folder()) as saves:
        saves.put(session)                       # after every move, a computer's too
        for saved in saves.unfinished(): ...     # CONTINUE; the newest first
        session = saves.load(saved.id)
        saves.tally(Table.of(session.settings))

Games of one person against a player are counted, each under game, board, rules and player (`Table`); who
began stands in each of them. Nothing is counted of an unfinished game, of two people or of two players. A
game that another screen has gone on with is not overwritten: `put` refuses it.

A file that is damaged is moved aside, and `notice` says so; one of a newer version is refused. In a file that
can be read a row may be wrong all the same: it is passed over and stays where it is, `damaged` names it. A
`Saves` may be used from any thread, one call at a time, and by several processes at once.
"""

import itertools
import json
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import platformdirs

from dotzero.envs.records import write_record
from dotzero.play import session_files
from dotzero.play.game_settings import GameSettings
from dotzero.play.saved_rows import (
    Damaged,
    FinishedGame,
    SavedGame,
    counted_result,
    finished_game,
    saved_game,
)
from dotzero.play.sessions import GameSession
from dotzero.play.tallies import Table, Tally, tally_of
from dotzero.play.timers import Now

__all__ = [
    "DamagedError",
    "ElsewhereError",
    "FinishedGame",
    "SavedGame",
    "Saves",
    "StoreError",
    "data_folder",
]

FILE_NAME = "play.sqlite"
ENVIRONMENT = "DOTZERO_DATA"
"""Names another folder for the file."""
VERSION = 1
"""Of the tables; `user_version` of the file."""
_APPLICATION = 0x646F747A
"""`application_id` of the file: "dotz"."""
_SUFFIXES = ("", "-wal", "-shm")
_BUSY = 5.0
"""Seconds to wait for another process that writes."""
_SCHEMA = """
CREATE TABLE unfinished (
    id TEXT PRIMARY KEY, profile TEXT NOT NULL, game TEXT NOT NULL, board TEXT NOT NULL, player TEXT,
    num_moves INTEGER NOT NULL, one INTEGER NOT NULL, two INTEGER NOT NULL, revision INTEGER NOT NULL,
    changed REAL NOT NULL, session TEXT NOT NULL
);
CREATE INDEX unfinished_of ON unfinished (profile, changed);
CREATE TABLE finished (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, profile TEXT NOT NULL,
    game TEXT NOT NULL, board TEXT NOT NULL, rules TEXT NOT NULL, player TEXT, seat INTEGER,
    outcome INTEGER, reason TEXT NOT NULL, own INTEGER NOT NULL, other INTEGER NOT NULL,
    num_moves INTEGER NOT NULL, num_undone INTEGER NOT NULL, ended REAL NOT NULL, record TEXT NOT NULL
);
CREATE INDEX finished_of ON finished (profile, game, board, rules, player, number);
"""


class DamagedError(ValueError):
    """What was stored of a game cannot be read."""


class ElsewhereError(ValueError):
    """A game was gone on with elsewhere."""


class StoreError(OSError):
    """The file cannot be read or written."""


def data_folder(given: str | Path | None = None) -> Path:
    """Where a user's games are: the folder given, else that of DOTZERO_DATA, else the system's own place."""
    named = given if given is not None else os.environ.get(ENVIRONMENT) or None
    return Path(named) if named is not None else platformdirs.user_data_path("dotzero", appauthor=False)


class Saves:
    """The file, open."""

    def __init__(self, folder: Path, clock: Now = time.time) -> None:
        """Open the file, or make it with its folder.

        Args:
            folder: Where it lies.
            clock: Reads the time of day, in seconds since 1970.

        Raises:
            ValueError: The file belongs to a newer dotzero or to another program.
            OSError: The folder cannot be made, or the file cannot be read or written.
        """
        self.path = folder / FILE_NAME
        self.aside: Path | None = None
        """Where a damaged file was moved to; None: there was none."""
        self._clock, self._lock = clock, threading.Lock()
        self._known: weakref.WeakKeyDictionary[GameSession, int] = weakref.WeakKeyDictionary()
        """Of every open game the revision that is stored, as far as this object knows."""
        folder.mkdir(parents=True, exist_ok=True)
        self._database = self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def notice(self) -> str | None:
        """What has to be told to the user, in English: a damaged file was moved aside, and where to."""
        if self.aside is None:
            return None
        return f"{self.path} was damaged and has been kept as {self.aside.name}; a new one was begun"

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def put(self, session: GameSession, profile: str = "") -> None:
        """Store a game as it is now: an unfinished one to go on with, a finished one for good.

        Args:
            session: The game; if it has been stored as finished, nothing happens.
            profile: Whose it is, where several people share a file.

        Raises:
            ElsewhereError: It was gone on with elsewhere; nothing is changed.
            StoreError: The file cannot be written.
        """
        with self._transaction() as database:
            self._require_newest(database, session)
            revision = 0 if session.finished else self._known.get(session, 0) + 1
            if session.finished:
                database.execute("DELETE FROM unfinished WHERE id = ?", (session.id,))
                self._finish(database, session, profile)
            else:
                self._store(database, session, profile, revision)
        if revision:
            self._known[session] = revision
        else:
            self._known.pop(session, None)

    def unfinished(self, profile: str = "", most: int = 20) -> list[SavedGame]:
        """The unfinished games, newest first; damaged rows are left out."""
        games = (game for _, game in self._unfinished(profile) if game is not None)
        return list(itertools.islice(games, most))

    def damaged(self, profile: str = "") -> Damaged:
        """The rows that the lists and tables leave out. What was stored of a game is seen when it is read."""
        unfinished = tuple(str(id) for id, game in self._unfinished(profile) if game is None)
        finished = tuple(number for number, counted in self._results(profile) if counted is None)
        return Damaged(unfinished, finished)

    def peek(self, id: str, profile: str = "") -> GameSettings:
        """What an unfinished game is played by and by whom; it goes on where it is.

        Raises:
            ValueError: As `load`.
        """
        with self._transaction() as database:
            return _session(_row(database, id, profile)[0], time.monotonic).settings

    def load(self, id: str, profile: str = "", now: Now = time.monotonic) -> GameSession:
        """An unfinished game, paused. From now on this is the place where it goes on.

        Raises:
            ValueError: There is no such game.
            DamagedError: What was stored of it cannot be read.
        """
        with self._transaction() as database:
            text, revision = _row(database, id, profile)
            session = _session(text, now)
            database.execute("UPDATE unfinished SET revision = ? WHERE id = ?", (revision + 1, id))
        self._known[session] = revision + 1
        return session

    def drop(self, id: str, profile: str = "") -> None:
        """Forget an unfinished game; one that is not there is no mistake."""
        with self._transaction() as database:
            database.execute("DELETE FROM unfinished WHERE id = ? AND profile = ?", (id, profile))

    def tally(self, table: Table, profile: str = "") -> Tally:
        """Wins, losses, draws and streaks of one table (R116); of none, all zero."""
        with self._transaction() as database:
            rows = database.execute(
                "SELECT outcome FROM finished WHERE profile = ? AND game = ? AND board = ? AND rules = ? "
                "AND player = ? AND outcome IN (-1, 0, 1) ORDER BY number",
                (profile, *table),
            ).fetchall()
        return tally_of(outcome for (outcome,) in rows)

    def tallies(self, profile: str = "") -> dict[Table, Tally]:
        """All tables with a game in them (R153); damaged rows are not counted."""
        outcomes: dict[Table, list[int]] = {}
        for _, counted in self._results(profile):
            if counted is not None:
                outcomes.setdefault(counted[0], []).append(counted[1])
        return {table: tally_of(outcomes[table]) for table in sorted(outcomes)}

    def finished(self, profile: str = "") -> list[FinishedGame]:
        """All finished games, in the order in which they ended; damaged rows are left out."""
        with self._transaction() as database:
            rows = database.execute(
                "SELECT id, game, board, rules, player, seat, outcome, reason, own, other, num_moves, ended, "
                "record FROM finished WHERE profile = ? ORDER BY number",
                (profile,),
            ).fetchall()
        return [game for game in map(finished_game, rows) if game is not None]

    def _unfinished(self, profile: str) -> list[tuple[Any, SavedGame | None]]:
        """Ids and games, newest first; None for a damaged row."""
        with self._transaction() as database:
            rows = database.execute(
                "SELECT id, game, board, player, num_moves, one, two, changed FROM unfinished "
                "WHERE profile = ? ORDER BY changed DESC, rowid DESC",
                (profile,),
            ).fetchall()
        return [(row[0], saved_game(row)) for row in rows]

    def _results(self, profile: str) -> list[tuple[int, tuple[Table, int] | None]]:
        """Numbers and results of the games against players, in their order; None for a damaged row."""
        with self._transaction() as database:
            rows = database.execute(
                "SELECT number, game, board, rules, player, outcome FROM finished "
                "WHERE profile = ? AND player IS NOT NULL ORDER BY number",
                (profile,),
            ).fetchall()
        return [(number, counted_result(row)) for number, *row in rows]

    def _store(self, database: sqlite3.Connection, session: GameSession, profile: str, revision: int) -> None:
        settings, (one, two) = session.settings, session.score
        row = (session.id, profile, settings.game.name, settings.board, settings.opponent)
        data = json.dumps(session_files.to_json(session), ensure_ascii=False)
        database.execute(
            "INSERT OR REPLACE INTO unfinished VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*row, session.num_moves, one, two, revision, self._clock(), data),
        )

    def _finish(self, database: sqlite3.Connection, session: GameSession, profile: str) -> None:
        settings, result = session.settings, session.result
        assert result is not None
        person, (own, other) = settings.person, result.score
        outcome = None
        if person is not None:
            outcome = 0 if result.winner is None else 1 if result.winner == person else -1
            own, other = result.score[person], result.score[1 - person]
        table = (settings.game.name, settings.board, settings.rules_key, settings.opponent)
        counts = (session.num_moves, session.num_undone, self._clock())
        database.execute(
            "INSERT OR IGNORE INTO finished (id, profile, game, board, rules, player, seat, outcome, reason, "
            "own, other, num_moves, num_undone, ended, record) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(session.id, profile, *table, person, outcome, result.reason.value, own, other),
                *(*counts, write_record(session_files.to_record(session), "jsonl")),
            ),
        )

    def _require_newest(self, database: sqlite3.Connection, session: GameSession) -> None:
        """Refuse to store over what another screen has stored since."""
        row = database.execute("SELECT revision FROM unfinished WHERE id = ?", (session.id,)).fetchone()
        if (None if row is None else row[0]) != self._known.get(session):
            raise ElsewhereError(f"game must be gone on with where it was opened last, got {session.id}")

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise OSError(f"{self.path}: {error}") from error
        self.aside = self._set_aside()
        return self._connect()

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, _BUSY, check_same_thread=False, isolation_level=None)
        try:
            self._prepare(database)
        except BaseException:
            database.close()
            raise
        return database

    def _prepare(self, database: sqlite3.Connection) -> None:
        """Check that the file is whole and ours, and make the tables of a new one."""
        problems = database.execute("PRAGMA quick_check(1)").fetchone()
        if problems != ("ok",):
            raise sqlite3.DatabaseError(f"malformed: {problems}")
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute("BEGIN IMMEDIATE")
        version = database.execute("PRAGMA user_version").fetchone()[0]
        owner = database.execute("PRAGMA application_id").fetchone()[0]
        empty = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if empty and owner == 0:
            for statement in _SCHEMA.split(";"):
                database.execute(statement)
            database.execute(f"PRAGMA application_id={_APPLICATION}")
            database.execute(f"PRAGMA user_version={VERSION}")
        elif owner != _APPLICATION:
            raise ValueError(f"data file must be dotzero's own, got another program's: {self.path}")
        elif version > VERSION:
            raise ValueError(f"data file must have version {VERSION} at most, got {version}: {self.path}")
        else:
            _require_tables(database)
        database.execute("COMMIT")

    def _set_aside(self) -> Path:
        """Give the damaged file, with what belongs to it, a name that nothing has."""
        number = 1
        while (aside := self.path.with_name(f"{FILE_NAME}.damaged-{number}")).exists():
            number += 1
        for suffix in _SUFFIXES:
            part = self.path.with_name(FILE_NAME + suffix)
            if part.exists():
                part.rename(aside.with_name(aside.name + suffix))
        return aside

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of a block, or nothing of it."""
        with self._lock:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                yield self._database
                self._database.execute("COMMIT")
            except BaseException as error:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise StoreError(f"{self.path}: {error}") from error
                raise


def _require_tables(database: sqlite3.Connection) -> None:
    """Take a file of ours without all of its tables for damaged."""
    found = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    missing = sorted({"unfinished", "finished"} - found)
    if missing:
        raise sqlite3.DatabaseError(f"malformed: no table {missing[0]}")


def _row(database: sqlite3.Connection, id: str, profile: str) -> tuple[str, int]:
    """Text and revision of an unfinished game."""
    row: tuple[str, int] | None = database.execute(
        "SELECT session, revision FROM unfinished WHERE id = ? AND profile = ?", (id, profile)
    ).fetchone()
    if row is None:
        raise ValueError(f"saved game must be one of the list, got {id!r:.80}")
    return row


def _session(text: str, now: Now) -> GameSession:
    try:
        return session_files.from_json(json.loads(text), now)
    except json.JSONDecodeError as error:
        reason = f"saved game must be JSON, wrong at place {error.pos + 1}: {error.msg}"
    except (ValueError, TypeError, RecursionError) as error:
        reason = str(error)
    raise DamagedError(reason)


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether it is the file's content that is wrong, and not, say, a right that lacks or a full disk."""
    return "malformed" in str(error) or "not a database" in str(error)
