"""What self-play on the tournament board takes of memory: measured in a process of its own."""

import subprocess
import sys

import pytest

PLAY = """
import resource
import numpy as np
from dotzero.envs.registry import make_game
from dotzero.models.evaluator import UniformEvaluator
from dotzero.search.search_config import RootRule, SearchConfig
from dotzero.train.selfplay import SelfPlay, SelfPlayConfig

game = make_game("kropki", {"width": 39, "height": 32})
search = SearchConfig(root=RootRule.GUMBEL, num_simulations=64)
config = SelfPlayConfig(num_games=64)
play = SelfPlay([game], config, search, UniformEvaluator(game.num_policy_slots), np.random.SeedSequence(1))
num_ended = 0
while num_ended < 64:
    num_ended += sum(len(logs) for logs in play.play_moves())
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_self_play_on_39x32_fits_in_two_gigabytes():
    """64 games with 64 simulations, every position recorded, until as many games have ended."""
    done = subprocess.run([sys.executable, "-c", PLAY], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    mebibytes = int(done.stdout) / (1024 if sys.platform == "linux" else 1024**2)
    print(f"{mebibytes:.0f} MiB")
    assert mebibytes < 2048
