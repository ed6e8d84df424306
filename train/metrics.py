"""Numbers of a run over time: `metrics.jsonl` for programs, TensorBoard for people.

Both are cut back to the resumed iteration first, so that a run that was killed shows one line, not two. What
people see first in TensorBoard, under Custom Scalars, is the headline: how often the network draws a best
line, and what its lines cost.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch.utils.tensorboard import SummaryWriter
from torch.utils.tensorboard.summary import hparams

from dotzero.train.curves import METRICS, complete_lines, parse_line
from dotzero.train.flat_settings import flat_settings
from dotzero.whole_files import write_text

LAYOUT: dict[str, dict[str, list[str]]] = {
    "Headline": {
        "share of best lines": ["judge/[^/]+/[^/]+/optimal$"],
        "margin lost a line": ["judge/[^/]+/[^/]+/lost$"],
    },
    "Judge by phase": {
        "share of best lines": ["judge/[^/]+/[^/]+/[^/]+/optimal$"],
        "margin lost a line": ["judge/[^/]+/[^/]+/[^/]+/lost$"],
    },
    "Arena": {
        "score against fixed opponents": ["ladder/[^/]+/score$"],
        "Elo against fixed opponents": ["ladder/[^/]+/elo$"],
    },
    "Losses": {
        "policy": ["learner/(.*_)?policy$"],
        "value": ["learner/value$"],
        "margin": ["learner/margin$"],
        "owner": ["learner/owner$"],
        "norm of the gradient": ["learner/gradient_norm$"],
        "learning rate": ["learner/learning_rate$"],
    },
    "Speed": {
        "evaluations a second": ["selfplay/evaluations_per_second$"],
        "seconds of each half": ["time/(selfplay|learner)$"],
        "positions": ["replay/"],
        "memory in MiB": ["memory/"],
    },
}
"""Charts by section, each with the patterns of the names it draws, the headline first."""

_COMPARED = ("learner/loss", "learner/policy", "learner/value", "selfplay/total_evaluations", "time/seconds")
"""Numbers by which TensorBoard's table of settings compares runs, besides those that are asked for."""


class Metrics:
    """Writer of one run's numbers."""

    def __init__(self, folder: Path, iteration: int) -> None:
        """Go on behind `iteration`; lines of later iterations are dropped.

        Raises:
            ValueError: A line is damaged; the file is left as it is.
        """
        path = self._path = folder / METRICS
        kept = [
            line
            for number, line in enumerate(complete_lines(path), 1)
            if parse_line(path, number, line)["iteration"] <= iteration
        ]
        write_text(path, "".join(line + "\n" for line in kept))
        self._events = SummaryWriter(str(folder / "tensorboard"), purge_step=iteration + 1)
        self._end: Any = None  # what tells TensorBoard that the run has come to its end

    def describe(self, settings: Mapping[str, Any], compared: Sequence[str] = ()) -> None:
        """Tell TensorBoard what the run is: its settings as text and as a table, and the order of charts.

        Args:
            settings: The run's settings, groups of them as mappings.
            compared: Names of numbers that stand beside the settings in the table, besides the usual ones.
        """
        flat = {
            name: value if isinstance(value, bool | int | float | str) else json.dumps(value)
            for name, value in flat_settings(settings)
        }
        words = (
            f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in flat.items()
        )
        text = "".join(f"    {word}\n" for word in words)  # indented: as it is, not as Markdown
        self._events.add_text("settings", text)
        self._events.add_custom_scalars(
            {
                section: {title: ["Multiline", tags] for title, tags in charts.items()}
                for section, charts in LAYOUT.items()
            }
        )
        metrics = dict.fromkeys((*compared, *_COMPARED), 0.0)  # names; the values are those written
        experiment, start, self._end = hparams(flat, metrics)  # type: ignore[no-untyped-call]
        for summary in (experiment, start):
            self._writer.add_summary(summary)
        self._events.flush()

    @property
    def _writer(self) -> Any:
        """What takes finished summaries; `SummaryWriter` has no method for some of them alone."""
        return self._events.file_writer

    def write(self, iteration: int, values: Mapping[str, float]) -> None:
        """Append one line; names may be grouped by a slash, as in "loss/policy"."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"iteration": iteration, **values}) + "\n")
        for name, value in values.items():
            self._events.add_scalar(name, value, iteration)
        self._events.flush()

    def images(self, iteration: int, images: Mapping[str, NDArray[np.uint8]]) -> None:
        """Show pictures by name, for TensorBoard only. Each uint8, shape [height, width, 3]."""
        for name, pixels in images.items():
            self._events.add_image(name, pixels, iteration, dataformats="HWC")
        self._events.flush()

    def finish(self, iteration: int, values: Mapping[str, float]) -> None:
        """Show the numbers of the end, such as those of its match, as "final/NAME", for TensorBoard only."""
        for name, value in values.items():
            self._events.add_scalar(f"final/{name}", value, iteration)
        if self._end is not None:
            self._writer.add_summary(self._end)
        self._events.flush()

    def close(self) -> None:
        """Finish the TensorBoard file."""
        self._events.close()
