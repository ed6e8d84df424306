"""Which requirements the tests name: `make requirements`.

The one idea: a number in a test's name, docstring or comment is the claim that it shows that requirement, so
the list of docs/requirements.md and the tests can be compared by reading both. Needs nothing but Python.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LIST = ROOT / "docs" / "requirements.md"
_ROW = re.compile(r"\| (?P<open>\[?)(?P<number>R\d{3})\]? \| (?P<game>[DBF]) \| (?P<text>.+) \|")
_NAMED = re.compile(r"(?:(?<![A-Za-z0-9])|(?<=_))[Rr](\d{3})(?:-[Rr]?(\d{3}))?(?![A-Za-z0-9])")


class Requirement(NamedTuple):
    """One row of the list."""

    number: str
    game: str
    text: str
    testable: bool
    """False for advice and background."""


def read_list(text: str) -> list[Requirement]:
    """The rows of the list.

    Raises:
        ValueError: A row is not as the others, or a number is missing or there twice.
    """
    rows = []
    for line in text.splitlines():
        if not re.match(r"\| \[?R\d", line):
            continue
        row = _ROW.fullmatch(line)
        if row is None:
            raise ValueError(f"a row must be | number | game | what |, got {line!r}")
        rows.append(Requirement(row["number"], row["game"], row["text"], not row["open"]))
    numbers = [row.number for row in rows]
    if numbers != [f"R{place:03}" for place in range(1, len(rows) + 1)]:
        raise ValueError("the list must hold the numbers from R001 on in order, each once")
    return rows


def named_in(text: str) -> set[str]:
    """The numbers that a text names; R115-R118 names four."""
    found = set()
    for first, last in _NAMED.findall(text):
        for number in range(int(first), int(last or first) + 1):
            found.add(f"R{number:03}")
    return found


def named_by(files: Iterable[Path]) -> dict[str, list[str]]:
    """The names of the files that name each number."""
    places: dict[str, list[str]] = {}
    for file in sorted(files):
        for number in named_in(file.read_text()):
            places.setdefault(number, []).append(file.name)
    return places


def main() -> int:
    """Print the table, those without a test last."""
    rows = read_list(LIST.read_text())
    places = named_by((ROOT / "tests").glob("test_*.py"))
    covered = [row for row in rows if row.number in places]
    missing = [row for row in rows if row.number not in places]
    for row in covered:
        print(f"{row.number} {row.game} {row.text}: {', '.join(places[row.number])}")
    print(f"\n{len(covered)} of {len(rows)} are named by tests. Not by any:")
    for row in missing:
        print(f"{row.number} {row.game} {row.text}{'' if row.testable else ' (nothing to test)'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
