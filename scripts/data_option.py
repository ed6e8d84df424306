"""The option `--data` of the acts that keep games: the folder, and what is said where it is none."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dotzero.mistakes import needed_for


@contextmanager
def told_data(given: str | None) -> Iterator[Path]:
    """The folder of saved games, to be opened within.

    Args:
        given: With `--data`; None: that of the environment, or the system's own place.

    Raises:
        ValueError: In place of an `OSError`, one line that names who chose the folder, and the folder.
    """
    from dotzero.play.saves import ENVIRONMENT, data_folder

    field = "--data" if given is not None else "the folder of saved games (--data)"
    if given is None and os.environ.get(ENVIRONMENT):
        field = ENVIRONMENT
    folder = data_folder(given)
    with needed_for(field, "a folder that can be read and written", folder):
        yield folder
