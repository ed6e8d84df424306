"""Progress of long work on standard error: a bar on a terminal, plain lines otherwise, with an estimate."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

LINE_EVERY = 10.0
"""Seconds between two plain lines."""


class Lines:
    """Steps of one long piece of work, each with a remark."""

    def __init__(self, name: str, total: int) -> None:
        self._name = name
        self._total = total
        self._first = 0
        self._begun = self._last = time.monotonic()
        self._progress: Progress | None = None
        if sys.stderr.isatty():
            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(bar_width=20),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.fields[remark]}"),
                console=Console(stderr=True),
            )
            self._task = self._progress.add_task(name, total=total, remark="")

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def start(self, done: int) -> None:
        """Begin with `done` steps done before, which say nothing about the rate."""
        self._first = done
        self._begun = time.monotonic()
        self._last = self._begun - LINE_EVERY
        if self._progress is not None:
            self._progress.reset(self._task, total=self._total, completed=done)

    def step(self, done: int, remark: str) -> None:
        """Show that `done` steps are done now."""
        if self._progress is not None:
            self._progress.update(self._task, completed=done, remark=remark)
            return
        now = time.monotonic()
        if now - self._last < LINE_EVERY and done < self._total:
            return
        self._last = now
        rate = (done - self._first) / max(now - self._begun, 1e-9)
        left = f" about {(self._total - done) / rate:.0f} s left" if rate > 0 else ""
        print(f"{self._name} {done}/{self._total} {remark}{left}", file=sys.stderr, flush=True)


@contextmanager
def match_progress(name: str) -> Iterator[Callable[[str, str, int, int], None]]:
    """A callback for the arena: names of the players, finished games, all games."""
    shown: dict[tuple[str, str], Lines] = {}
    try:

        def tell(first: str, second: str, finished: int, games: int) -> None:
            pair = (first, second)
            if pair not in shown:
                shown[pair] = Lines(f"{name} {first} - {second}", games).__enter__()
                shown[pair].start(0)
            shown[pair].step(finished, "games")

        yield tell
    finally:
        for lines in shown.values():
            lines.__exit__(None, None, None)


class Remarks:
    """Long work of unknown length: the latest remark on a terminal, else a plain line now and then."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._last = time.monotonic()
        self._status = Console(stderr=True).status(name) if sys.stderr.isatty() else None

    def __enter__(self) -> Self:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def tell(self, remark: str) -> None:
        """Show how far the work is."""
        if self._status is not None:
            self._status.update(f"{self._name} {remark}")
            return
        now = time.monotonic()
        if now - self._last >= LINE_EVERY:
            self._last = now
            print(f"{self._name} {remark}", file=sys.stderr, flush=True)
