"""How a user's mistake is told from an error of the program. Light, so that every command can ask.

The one idea: this project reports mistakes by `raise ValueError(...)` of its own. A ValueError that NumPy,
torch or the standard library raises inside a call is an error of the program.
"""

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
