"""The page `docs/training.md`: the files of a run and the rules that it tells are those of the program."""

import re
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import torch

from dotzero.configs.compose import compose
from dotzero.configs.schema import TrainJob, plain
from dotzero.train.loop import Training
from dotzero.train.metrics import LAYOUT
from dotzero.train.run_folder import MUST_STAY, RunFolder
from dotzero.train.watchdog import dump_batch

PAGE = Path(__file__).parent.parent / "docs" / "training.md"
TEXT = PAGE.read_text(encoding="utf-8")


def table_after(heading):
    """Cells of the first table behind a heading."""
    lines = TEXT.partition(f"{heading}\n")[2].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows[2:]


def test_every_file_of_a_run_is_told(tmp_path):
    """Written files have a row each; rows that name numbers stand for all numbers."""
    words = ["preset=smoke", "rules.rows=1", "rules.columns=2", "loop.num_iterations=2"]
    words += ["loop.positions_per_iteration=30", "selfplay.random_opening_plies=2"]
    config = compose(TrainJob, words).training()
    torch.set_num_threads(1)
    with RunFolder(tmp_path) as folder:
        training = Training(config, plain(config), folder)
        training.iterate()
        training.iterate()
        board, batch = training.replay.sample(4, np.random.default_rng(1))
        dump_batch(tmp_path, 7, board, batch, np.zeros(4, np.int64), "made up")
        training.close()
    told = [re.sub(r"\d+", "*", cells[0].strip("`")) for cells in table_after("## The run folder")]
    told = [f"{pattern}*" if pattern.endswith("/") else pattern for pattern in told]
    found = [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()]
    assert len(found) >= 7
    for name in found:
        assert any(fnmatch(name, pattern) for pattern in told), name


def test_what_must_stay_is_told():
    told = {name for cells in table_after("## Going on") for name in re.findall(r"`([^`]+)`", cells[0])}
    assert told == set(MUST_STAY)


def test_the_sections_of_charts_are_told_in_their_order():
    assert [cells[0] for cells in table_after("## Curves")] == list(LAYOUT)
