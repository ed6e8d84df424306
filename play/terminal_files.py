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
    path, formats = Path(name).expanduser(), FORMATS[session.game.name]
    if path.suffix not in formats:
        reason = text("bad_ending", language, endings=endings(session.game.name), name=name)
    elif path.exists():
        reason = text("file_exists", language, name=name)
    else:
        try:
            write_records(path, [to_record(session, language)], formats[path.suffix])
        except OSError as error:
            reason = why_not(error, language)
        else:
            return text("written", language, path=path)
    return text("not_written", language, reason=reason)


def why_not(error: OSError, language: Language) -> str:
    """Why the system refuses a file."""
    key = _REASONS.get(error.errno or 0)
    if key is not None:
        return text(key, language)
    return text("bad file", language, error=error.strerror or error)
