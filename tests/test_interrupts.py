"""Searches that nobody waits for are given up."""

import threading

import numpy as np
import pytest

from dotzero.envs.registry import make_game
from dotzero.play.players import make_player
from dotzero.search.interrupts import InterruptedSearchError, check, interruptible


def test_a_check_passes_unless_this_thread_was_told_that_nobody_waits():
    check()
    with interruptible(lambda: False):
        check()
    with interruptible(lambda: True):
        with pytest.raises(InterruptedSearchError):
            check()
        with interruptible(lambda: False):
            check()
        with pytest.raises(InterruptedSearchError):
            check()
    check()


def test_other_threads_are_not_concerned():
    passed = []

    def other():
        check()
        passed.append(True)

    with interruptible(lambda: True):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert passed == [True]


@pytest.mark.parametrize("budget", [{"simulations": 10**6}, {"seconds": 3600}])
def test_a_tree_search_ends_soon_after_nobody_waits_any_more(budget):
    """It would take hours; it is asked between simulations and gives up at the 50th question."""
    from dotzero.play.players import Budget

    game = make_game("boxes", {"rows": 4, "columns": 4})
    player = make_player("zero@exact_lines=0", game).within(Budget(**budget))
    asked = []

    def unwanted():
        asked.append(True)
        return len(asked) >= 50

    with interruptible(unwanted), pytest.raises(InterruptedSearchError):
        player.choose(game, game.start(1), np.zeros(1, np.uint64))
    assert len(asked) == 50
    player.close()
