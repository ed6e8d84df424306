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
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from dotzero.models.files import remove_leftovers, write_text

STATE_VERSION = 3
"""Changes when an older run cannot go on: 2 put checksums into its files, 3 several boards."""


MAY_CHANGE = frozenset({"loop.stop_after", "selfplay.num_search_threads", "backend.num_workers"})
"""Settings that a resumed run may change: none of them changes what is learned."""


def changed_setting(old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = "") -> str | None:
    """The first setting that differs and must not, as one phrase, or None."""
    for key in sorted({*old, *new}):
        name, before, after = f"{prefix}{key}", old.get(key), new.get(key)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            found = changed_setting(before, after, f"{name}.")
            if found:
                return found
        elif before != after and name not in MAY_CHANGE:
            return f"{name} must stay {before} in a run that has begun, got {after}"
    return None


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
        self._lock: IO[str] = open(path / "lock", "a+", encoding="utf-8")  # noqa: SIM115  (held while open)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.seek(0)
            owner = self._lock.read().strip() or "unknown"
            self._lock.close()
            raise ValueError(f"run {path} must not be in use, it is by process {owner}") from None
        self._lock.truncate(0)
        self._lock.write(f"{os.getpid()}\n")
        self._lock.flush()
        for folder in (path, path / "shards", path / "checkpoints"):
            remove_leftovers(folder)

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
        path = self.path / name
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            content = json.loads(data.decode("utf-8"))
        except (ValueError, RecursionError) as error:  # no JSON, no UTF-8, or a depth that nobody wrote
            raise ValueError(f"{path} is damaged: {error}") from None
        if not isinstance(content, dict):
            raise ValueError(f"{path} is damaged: not a JSON object")
        return content

    def write_json(self, name: str, content: dict[str, Any]) -> None:
        """Write a JSON file of the run, whole or not at all."""
        write_text(self.path / name, json.dumps(content, indent=1, sort_keys=True) + "\n")

    def sweep(self, pattern: str, kept: str) -> None:
        """Delete the files of `pattern` but the one that counts."""
        for path in self.path.glob(pattern):
            if path.name != kept:
                path.unlink()
