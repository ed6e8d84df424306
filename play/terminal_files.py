"""A game written to a file that a person names in the terminal, and why it could not be, in its language.

The one idea: the system says in English why it refuses a file, so its reasons that a person can do something
about have texts of their own here.
"""

import errno
from pathlib import Path

from dotzero.envs.records import write_records
from dotzero.play.seats import Language
from dotzero.play.session_files import to_record
from dotzero.play.sessions import GameSession
from dotzero.play.terminal_texts import text
from dotzero.printable import printable

_LONGEST_NAME = 200
"""Characters of a name that is refused."""
_LONGEST_PATH = 1000
"""Characters of the path that is told of a written file: it is there to be copied."""

FORMATS = {"boxes": {".txt": "text", ".jsonl": "jsonl"}, "kropki": {".sgf": "sgf", ".jsonl": "jsonl"}}
"""Formats of records of each game by the endings of their files."""
_REASONS = {
    errno.ENOENT: "no_folder",
    errno.ENOTDIR: "no_folder",
    errno.EISDIR: "is_folder",
    errno.EACCES: "no_right",
    errno.EPERM: "no_right",
    errno.EROFS: "no_right",
    errno.ENOSPC: "disk_full",
    errno.EDQUOT: "disk_full",
    errno.ENAMETOOLONG: "long_name",
}


def endings(game: str) -> str:
    """The endings of the files that a game can be written to, as in `.sgf, .jsonl`."""
    return ", ".join(FORMATS[game])


def write_game(session: GameSession, name: str, language: Language) -> str:
    """Write a game as it is to a new file; returns what there is to say of it, in one line."""
    told, path, formats = printable(name, _LONGEST_NAME), _path(name), FORMATS[session.game.name]
    if printable(name, len(name)) != name:
        reason = text("bad_name", language, name=told)
    elif path.suffix not in formats:
        reason = text("bad_ending", language, endings=endings(session.game.name), name=told)
    else:
        try:
            if not path.exists():
                write_records(path, [to_record(session, language)], formats[path.suffix])
                return text("written", language, path=printable(str(path), _LONGEST_PATH))
            reason = text("file_exists", language, name=told)
        except OSError as error:
            reason = why_not(error, language)
    return text("not_written", language, reason=reason)


def _path(name: str) -> Path:
    """The path of a name; a ~ of nobody's home is a part of it."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def why_not(error: OSError, language: Language) -> str:
    """Why the system refuses a file."""
    key = _REASONS.get(error.errno or 0)
    if key is not None:
        return text(key, language)
    return text("bad file", language, error=error.strerror or error)
