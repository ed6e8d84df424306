"""Numbers of a run over time: `metrics.jsonl` for programs, TensorBoard for people.

Both are cut back to the resumed iteration first, so that a run that was killed shows one line, not two.
"""

import json
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

from dotzero.models.files import write_text


class Metrics:
    """Writer of one run's numbers."""

    def __init__(self, folder: Path, iteration: int) -> None:
        """Go on behind `iteration`; lines of later iterations are dropped.

        Raises:
            ValueError: A line is damaged; the file is left as it is.
        """
        self._path = folder / "metrics.jsonl"
        lines = self._lines()
        kept = [line for number, line in enumerate(lines, 1) if self._iteration(number, line) <= iteration]
        write_text(self._path, "".join(line + "\n" for line in kept))
        self._board = SummaryWriter(str(folder / "tensorboard"), purge_step=iteration + 1)

    def _lines(self) -> list[str]:
        if not self._path.exists():
            return []
        lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
        return lines[:-1]  # what stands behind the last line break was cut off by a kill

    def _iteration(self, number: int, line: str) -> int:
        """The iteration of line `number`, from 1."""
        try:
            iteration = json.loads(line)["iteration"]
        except (ValueError, TypeError, KeyError):
            iteration = None
        if not isinstance(iteration, int):
            raise ValueError(f"{self._path} is damaged: line {number} is no JSON object with an iteration")
        return iteration

    def write(self, iteration: int, values: dict[str, float]) -> None:
        """Append one line; names may be grouped by a slash, as in "loss/policy"."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"iteration": iteration, **values}) + "\n")
        for name, value in values.items():
            self._board.add_scalar(name, value, iteration)
        self._board.flush()

    def close(self) -> None:
        """Finish the TensorBoard file."""
        self._board.close()
