"""How a user's mistake is told from an error of the program. Light, so that every command can ask.

The one idea: this project reports mistakes by `raise ValueError(...)` of its own. A ValueError that NumPy,
torch or the standard library raises inside a call is an error of the program.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from opcode import opmap
from types import TracebackType


def is_users_mistake(error: ValueError) -> bool:
    """Whether an error came from a `raise` statement of dotzero itself."""
    traceback: TracebackType | None = error.__traceback__
    if traceback is None:
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    frame = traceback.tb_frame
    module = str(frame.f_globals.get("__name__", ""))
    ours = module.partition(".")[0] == "dotzero" or module == "__main__"
    return ours and frame.f_code.co_code[traceback.tb_lasti] == opmap["RAISE_VARARGS"]


@contextmanager
def told_of(field: str) -> Iterator[None]:
    """Within it, a user's mistake is told as one of a setting or flag, whose name goes before the message.

    Raises:
        ValueError: The mistake, unless its message begins with the field already.
    """
    try:
        yield
    except ValueError as error:
        if not is_users_mistake(error) or str(error).startswith(field):
            raise
        raise ValueError(f"{field}: {error}") from error


@contextmanager
def needed_for(field: str, rule: str, value: object) -> Iterator[None]:
    """Within it, a file or folder that fails is the one that a setting or flag names.

    Args:
        field: The setting or flag.
        rule: What it must be.
        value: What was given.

    Raises:
        ValueError: In place of an `OSError`: field, rule, value and the system's reason.
    """
    try:
        yield
    except OSError as error:
        raise ValueError(f"{field} must be {rule}, got {value}: {error.strerror or error}") from error
