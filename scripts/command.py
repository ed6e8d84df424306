"""What the jobs share: help, settings, and one way to show a result.

A job reads like this, with the heavy imports inside so that its help is quick:

    def main(argv: list[str]) -> int:
        if help_wanted(argv, __doc__):
            return 0
        from dotzero.configs.schema import BenchJob

        return run_job(BenchJob, argv, bench)


    def bench(job: BenchJob) -> Report:
        ...
        return Report(data={...}, shown=[table])
"""

import contextlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from os import PathLike, fspath
from typing import Any, TypeVar

from dotzero.configs import preset_names
from dotzero.configs.job import Job, Output

__all__ = ["Report", "help_wanted", "run_job", "show"]

_JOB_OPTIONS = """
Settings:
    key=value           one setting; a key may have dots
    output=json         one JSON object on standard output, everything else on standard error
    --show              print the settings as they would be used, and stop
"""

J = TypeVar("J", bound=Job)


@dataclass(kw_only=True, slots=True)
class Report:
    """The result of a job."""

    data: Mapping[str, Any]
    """What `output=json` prints: plain values, NumPy scalars, paths and enum members."""

    shown: Sequence[Any] = field(default_factory=list)
    """What is printed otherwise: strings and rich tables, in order."""

    exit_code: int = 0
    """The exit code of the command."""

    error: str | None = None
    """A user's mistake that the result brought to light: a line for standard error, after what is shown."""


def help_wanted(argv: Sequence[str], text: str | None, *, presets: str | None = None) -> bool:
    """Print a job's help if it is asked for.

    Args:
        argv: The words after the act.
        text: The docstring of the act's file, with two examples.
        presets: The folder under `configs/` whose presets the help lists, or None.

    Returns:
        Whether the help was printed, so that the job is done.
    """
    if not {"-h", "--help"} & set(argv):
        return False
    print((text or "").rstrip())
    print(_JOB_OPTIONS.rstrip())
    if presets:
        print(f"    {f'{presets}=NAME':<20}{' '.join(preset_names(presets))}")
    return True


def run_job(
    schema: type[J],
    argv: Sequence[str],
    work: Callable[[J], Report],
    *,
    presets: str | None = None,
    aliases: Mapping[str, str] | None = None,
) -> int:
    """Compose the settings, do the work, show the result.

    Args:
        schema: The dataclass of the job's settings.
        argv: The words after the act.
        work: Does the job. Whatever it prints goes to standard error where JSON is asked for.
        presets: The folder under `configs/` with this job's presets, or None.
        aliases: Other names of top-level settings, as for `compose`.

    Returns:
        The exit code of the report.

    Raises:
        ValueError: For a wrong setting, in one line; or the report's error, once it is shown.
    """
    from dotzero.configs.compose import compose, settings_text

    flags = [word for word in argv if word.startswith("-") and word != "--show"]
    if flags:
        raise ValueError(f"{flags[0]} is not an option of this act, see --help")
    words = [word for word in argv if word != "--show"]
    job = compose(schema, words, presets=presets, aliases=aliases)
    if len(words) < len(argv):
        print(settings_text(job), end="")
        return 0
    silence = (
        contextlib.redirect_stdout(sys.stderr) if job.output is Output.JSON else contextlib.nullcontext()
    )
    with silence:
        report = work(job)
    show(report, job.output)
    if report.error is not None:
        sys.stdout.flush()  # so that the line comes after the table where both go into one file
        raise ValueError(report.error)
    return report.exit_code


def show(report: Report, output: Output) -> None:
    """Print a report on standard output.

    Args:
        report: What to print.
        output: In which form.
    """
    if output is Output.JSON:
        print(json.dumps(report.data, default=_plain, allow_nan=False))
        return
    from rich.console import Console

    # A pipe has no width of its own; the 80 columns that rich assumes would cut tables in two.
    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    for part in report.shown:
        if isinstance(part, str):
            print(part)  # unwrapped, so that a path or a command can be copied
        else:
            console.print(part)


def _plain(value: object) -> Any:
    """A value that JSON knows for one that it does not know."""
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, PathLike):
        return fspath(value)
    if hasattr(value, "tolist"):  # NumPy scalars and arrays, torch tensors
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no JSON form")
