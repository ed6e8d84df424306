"""The folder of one run: who may write into it, and what of it counts.

    runs/NAME/
        config.yaml            the whole configuration, as composed
        state.json             the commit point: names the files below that count
        learner-000012.safetensors, selfplay-000012.safetensors
        shards/000012.safetensors
        metrics.jsonl          one line an iteration
        tensorboard/
        checkpoints/000020.safetensors ...   the weight average, every few iterations
        export/, finished.json               at the end

Every file is written under a temporary name and renamed; then state.json is replaced. A process killed at any
moment therefore leaves the last committed state whole, and files that no state names are swept away later.
"""

import fcntl
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from dotzero.models.files import remove_leftovers
from dotzero.train.flat_settings import flat_settings
from dotzero.train.json_files import read_json
from dotzero.whole_files import write_text

STATE_VERSION = 4
"""Changes when an older run cannot go on: 2 checksums, 3 several boards, 4 more targets of positions."""


MUST_STAY = (
    "game", "rules", "boards", "seed", "network", "start_from", "selfplay.num_games", "selfplay.num_groups",
    "learner.optimiser",
)  # fmt: skip
"""Settings, and groups of them, that a resumed run must keep: what was saved would not fit any others. All
others may change from one process to the next."""


def changed_settings(old: Mapping[str, Any], new: Mapping[str, Any], who: str) -> list[str]:
    """The settings that differ, as phrases.

    Raises:
        ValueError: One of them must stay; the message begins with `who`.
    """
    before, after = dict(flat_settings(old)), dict(flat_settings(new))
    phrases = []
    for name in sorted({*before, *after}):
        was, now = before.get(name), after.get(name)
        if was == now:
            continue
        if any(name == kept or name.startswith(f"{kept}.") for kept in MUST_STAY):
            raise ValueError(f"{who}: {name} must stay {was} in a run that has begun, got {now}")
        phrases.append(f"{name} {was} -> {now}")
    return phrases


_LOCK_TRIES, _LOCK_PAUSE = 5, 0.02
"""How often the lock is tried, and the seconds between two tries."""


def _locked(path: Path) -> IO[str] | str:
    """The run's lock file, locked; or what it says, where another process holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)  # whoever failed at its start took an empty one away
    file = open(path, "a+", encoding="utf-8")  # noqa: SIM115  (held while open)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # A file that was deleted meanwhile, or replaced, locks nobody out.
        if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
    except BlockingIOError:
        pass
    file.seek(0)
    owner = file.read().strip()
    file.close()
    return owner


class RunFolder:
    """An open run; a second process on the same run is refused until this one closes it."""

    def __init__(self, path: Path) -> None:
        """Open or make the folder.

        Raises:
            ValueError: Another process has the run open.
            OSError: The folder cannot be written.
        """
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._lock = self._take_lock()
        self._lock.truncate(0)
        self._lock.write(f"{os.getpid()}\n")
        self._lock.flush()
        for folder in (path, path / "shards", path / "checkpoints"):
            remove_leftovers(folder)

    def _take_lock(self) -> IO[str]:
        """A few tries: whoever only looks at a run holds its lock for a moment too."""
        path, owner = self.path / "lock", ""
        for attempt in range(_LOCK_TRIES):
            if attempt:
                time.sleep(_LOCK_PAUSE)
            lock = _locked(path)
            if not isinstance(lock, str):
                return lock
            owner = lock
        raise ValueError(f"run {self.path} must not be in use, it is by process {owner or 'unknown'}")

    def discard_if_new(self) -> None:
        """Remove the folder if nothing was ever written into it."""
        if [path.name for path in self.path.iterdir()] == ["lock"]:
            (self.path / "lock").unlink()
            self.path.rmdir()

    def close(self) -> None:
        """Let other processes open the run."""
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read_state(self) -> dict[str, Any] | None:
        """What the last commit said, or None in a new run.

        Raises:
            ValueError: The file is damaged or of another version of dotzero.
        """
        state = self.read_json("state.json")
        version = None if state is None else state.get("state_version")
        if state is not None and version != STATE_VERSION:
            raise ValueError(
                f"run {self.path} must have state_version {STATE_VERSION} to go on with this dotzero, "
                f"got {version}"
            )
        return state

    def commit(self, state: dict[str, Any]) -> None:
        """Make `state` what counts."""
        self.write_json("state.json", {"state_version": STATE_VERSION, **state})

    def read_json(self, name: str) -> dict[str, Any] | None:
        """The content of a JSON file of the run, or None where it is absent."""
        return read_json(self.path / name)

    def write_json(self, name: str, content: dict[str, Any]) -> None:
        """Write a JSON file of the run, whole or not at all."""
        write_text(self.path / name, json.dumps(content, indent=1, sort_keys=True) + "\n")

    def remove(self, name: str) -> None:
        """Delete a file of the run if it is there."""
        (self.path / name).unlink(missing_ok=True)

    def sweep(self, pattern: str, kept: str) -> None:
        """Delete the files of `pattern` but the one that counts."""
        for path in self.path.glob(pattern):
            if path.name != kept:
                path.unlink()
