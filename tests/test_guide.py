"""The guide `docs/bring-your-own.md`: every example runs as it stands, and prints what it should."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).parent.parent / "docs" / "bring-your-own.md"
TEXT = GUIDE.read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"<!-- example: (.+?) -->\n```python\n(.*?)```", TEXT, re.S))
PRINTS = {
    "random against a level": r"random won [0-9] of 20 games against medium, the last one \[\d, \d\]\n",
    "many games": r"1024 games of \(8, 6, 6\) planes finished\n",
    "PettingZoo": r"\[\d+, \d+\] [012]\n",
    "the engine from another process": r"([AB][12][TBLR] ){12}\[[1-4], [0-3]\]\n.*A9T.*\n",
    "records": r"\(0, [0-9]\) stop (True|False)\n\{\"game\": \"kropki\".*\n",
    "MaskablePPO (slow)": r"(?s).*mean margin against random: -?\d\.\d boxes\n",
}


def run(name, folder):
    done = subprocess.run(
        [sys.executable, "-c", EXAMPLES[name]], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(PRINTS[name], done.stdout), done.stdout


def test_every_block_of_the_guide_is_run():
    assert set(EXAMPLES) == set(PRINTS)
    assert TEXT.count("```python") == len(PRINTS)


@pytest.mark.parametrize("name", [name for name in PRINTS if "slow" not in name])
def test_example(name, tmp_path):
    run(name, tmp_path)


@pytest.mark.slow
def test_maskable_ppo(tmp_path):
    pytest.importorskip("sb3_contrib")
    run("MaskablePPO (slow)", tmp_path)
