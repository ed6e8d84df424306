"""Files that are either whole or not there: written under another name, then renamed.

A crash, a full disk or a kill at any moment leaves the file that was there before. What is there and is no
file, a pipe or a device, is written to as it is: renaming a file over /dev/null, as a superuser can, would
break the machine. Light, so that parts which know nothing of networks can use it too.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any


@contextmanager
def open_whole(path: Path, mode: str, **options: Any) -> Iterator[IO[Any]]:
    """A file to write, which is in its place when the block has ended without an error.

    Args:
        path: The file; its folder must exist.
        mode: "w" or "wb".
        options: As of `open`.

    Raises:
        OSError: It could not be written; the error names the file, and no temporary one is left.
    """
    if path.exists() and not path.is_file():
        with open(path, mode, **options) as file:
            yield file
        return
    temporary = temporary_name(path)
    try:
        with open(temporary, mode, **options) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        sync_folder(path.parent)
    except OSError as error:
        if error.filename != str(temporary):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_atomically(path: Path | str, write: Callable[[IO[bytes]], Any]) -> None:
    """Give a file new content, or leave it as it is.

    Args:
        path: The file; its folder must exist.
        write: Writes the content into an open binary file.

    Raises:
        OSError: It could not be written; the message names the file, and no temporary file is left.
    """
    path = Path(path)
    try:
        with open_whole(path, "wb") as file:
            write(file)
    except OSError as error:
        reason = f"{error.strerror or error}; what was there before is unchanged"
        raise OSError(error.errno, reason, str(path)) from error


def write_text(path: Path | str, text: str) -> None:
    """Give a text file new content, in UTF-8, or leave it as it is.

    Raises:
        OSError: As of `write_atomically`.
    """
    write_atomically(path, lambda file: file.write(text.encode()))


def temporary_name(path: Path) -> Path:
    """Where this process builds what will be renamed to `path`: beside it, so that renaming is atomic.

    Raises:
        ValueError: The path has no name of its own, as `.` has none.
    """
    if path.name in ("", ".."):
        raise ValueError(f"path must end in a name of its own, got {path}")
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


def sync_folder(folder: Path) -> None:
    """Make a rename survive a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
