"""The command: `dotzero <act> ...` runs `scripts/<act>.py`.

An act is a file of `scripts/` with a function `main(argv)`. Acts are found by reading the files, not by
importing them, so that `dotzero --help` loads neither torch nor Hydra. What an act raises ends here: a
user's mistake becomes one line and exit code 2, a programming error keeps its traceback.
"""

import ast
import difflib
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from dotzero.mistakes import is_users_mistake
from dotzero.version import __version__

__all__ = ["acts", "exit_code", "main"]

_USAGE = """usage: dotzero <act> [settings]

acts:
{acts}

options:
  --help     this text; dotzero <act> --help tells about one act
  --version  the version of dotzero
"""


def acts() -> dict[str, str]:
    """Name of every act and the phrase that says what it does, in alphabetical order."""
    spec = find_spec("dotzero.scripts")
    assert spec is not None
    assert spec.submodule_search_locations
    found = {}
    for path in sorted(Path(spec.submodule_search_locations[0]).glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main"]
        if functions and functions[0].args.args:
            found[path.stem] = (ast.get_docstring(tree) or "").partition("\n")[0].rstrip(".")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: The words after `dotzero`; those of the process if None.

    Returns:
        The exit code: 0 success, 2 a user's mistake (one line on standard error), 130 after Ctrl-C; an act
        may return others.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    return exit_code(lambda: _run(words))


def _run(words: list[str]) -> int:
    """Answer the command's own options, or run an act."""
    known = acts()
    if not words or words[0] in {"-h", "--help", "help"}:
        width = max(map(len, known), default=0)
        listed = "\n".join(f"  {name:<{width}}  {phrase}" for name, phrase in known.items())
        print(_USAGE.format(acts=listed), end="")  # noqa: T201
        return 0
    if words[0] == "--version":
        print(f"dotzero {__version__}")  # noqa: T201
        return 0
    act, *rest = words
    if act not in known:
        close = difflib.get_close_matches(act, known, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
        raise ValueError(f"{act} is not an act of dotzero; {hint}")
    code: int = importlib.import_module(f"dotzero.scripts.{act}").main(rest)
    return code


def exit_code(work: Callable[[], int]) -> int:
    """Run `work` and turn what it raises into an exit code and at most one line.

    With the environment variable `DOTZERO_TRACEBACK` set, everything keeps its traceback.

    Args:
        work: Returns the exit code of a run without errors.
    """
    if os.environ.get("DOTZERO_TRACEBACK"):
        return work()
    try:
        code = work()
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    except BrokenPipeError:
        # The reader went away (`dotzero ... | head`). Python would complain once more when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        where = f": {error.filename}" if error.filename is not None else ""
        return _complain(f"{error.strerror or error}{where}")
    except ValueError as error:
        if not is_users_mistake(error):
            raise
        return _complain(str(error))


def _complain(message: str) -> int:
    sys.stderr.write(f"error: {' '.join(message.split())}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main())
