"""A long run takes no more memory than a short one, and keeps no shards that nobody will read again."""

import json
import subprocess
import sys

import pytest

EARLY, LATE = 20, 200
"""Iterations after which the memory is compared."""


@pytest.mark.slow
def test_memory_after_many_iterations_is_that_after_a_few(tmp_path):
    words = ["preset=smoke", "run=long", f"loop.num_iterations={LATE}", "measure.opponent=null"]
    command = [sys.executable, "-m", "dotzero", "train", *words]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    run = tmp_path / "runs" / "long"
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    memory = {line["iteration"]: line["memory/rss_mib"] for line in lines}
    print({number: round(memory[number], 1) for number in (1, EARLY, 50, 100, 150, LATE)})
    assert memory[LATE] <= 1.05 * memory[EARLY]
    shards = {path.name for path in (run / "shards").iterdir()}
    assert shards == set(json.loads((run / "state.json").read_text())["shards"])
    assert len(shards) < LATE / 2
