"""A long question to the solver can be interrupted: Python's signals are heard while the core searches."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.search.endgame import Solver, SolverConfig

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
