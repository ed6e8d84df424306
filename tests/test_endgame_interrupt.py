"""A long question to the solver can be interrupted: Python's signals are heard while the core searches."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.models.evaluator import UniformEvaluator
from dotzero.search.endgame import Solver, SolverConfig
from dotzero.search.mcts import Search, game_seeds, run
from dotzero.search.search_config import SearchConfig

EMPTY = np.zeros((1, 60), np.uint8)


class SignalledError(Exception):
    pass


@pytest.fixture
def interruption():
    """A signal that raises in the main thread, and is sent a moment later."""

    def interrupt(*_):
        raise SignalledError

    before = signal.signal(signal.SIGUSR1, interrupt)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1))
    timer.start()
    yield
    timer.join()
    signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("question", ["solve", "line_values", "best_lines"])
@pytest.mark.parametrize("limits", [{}, {"max_nodes": 10**12}])
@pytest.mark.usefixtures("interruption")
def test_a_signal_ends_a_search_without_limits(question, limits, num_threads):
    """Empty 5x5 would take years; the solver serves on afterwards."""
    solver = Solver(BoxesGame(BoxesRules(rows=5, columns=5)), SolverConfig(num_threads=num_threads))
    begun = time.monotonic()
    with pytest.raises(SignalledError):
        getattr(solver, question)(EMPTY, **limits)
    assert time.monotonic() - begun < 60
    one_left = np.ones((1, 60), np.uint8)
    one_left[0, 0] = 0
    assert solver.solve(one_left).lower.tolist() == [1]


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.usefixtures("interruption")
def test_a_signal_ends_a_tree_search_whose_leaves_take_long(num_threads):
    """All of 5x5 as an exact end: the first leaf would never be done. The group serves on afterwards."""
    game = BoxesGame(BoxesRules(rows=5, columns=5))
    config, seeds = SearchConfig(num_simulations=4, exact_lines=60), game_seeds(np.random.SeedSequence(0), 2)
    search = Search(game, 2, config, UniformEvaluator(game.num_policy_slots), seeds, num_threads)
    slots = np.arange(2, dtype=np.int32)
    begun = time.monotonic()
    search.begin(slots, game.start(2))
    with pytest.raises(SignalledError):
        run([search])
    assert time.monotonic() - begun < 60
    one_left = np.ones((2, 60), np.uint8)
    one_left[:, 0] = 0
    search.begin(slots, game.position(one_left, 0))
    run([search])
    assert search.choose(slots).tolist() == [0, 0]


def test_an_interrupted_analysis_tells_what_is_known():
    """Code 130, after the structure and the bounds of the value."""
    command = [sys.executable, "-m", "dotzero", "analyze", "--size", "5x5", "--seconds", "60", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr.readline().startswith("analyze")  # it has begun
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "interrupted"
    data = json.loads(out)
    assert (data["exact"], data["phase"], data["bounds"]) == (False, "safe", [-25, 25])
