"""Giving up a search that nobody waits for any more.

The one idea: whoever starts a search in a thread of its own says for that thread how to ask whether its
result is still wanted. So no player has to pass the question on.

    with interruptible(closed.is_set):
        player.choose(...)  # raises InterruptedSearchError soon after `closed` was set

A tree search asks between its simulations. Calculations that are one call of the core are not interrupted.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_thread = threading.local()


class InterruptedSearchError(Exception):
    """The result of a search is not wanted any more."""


@contextmanager
def interruptible(unwanted: Callable[[], bool]) -> Iterator[None]:
    """In this thread, until the block ends, searches are given up as soon as `unwanted` says yes."""
    before = getattr(_thread, "unwanted", None)
    _thread.unwanted = unwanted
    try:
        yield
    finally:
        _thread.unwanted = before


def check() -> None:
    """Go on, unless this thread's result is not wanted any more.

    Raises:
        InterruptedSearchError: It is not.
    """
    unwanted = getattr(_thread, "unwanted", None)
    if unwanted is not None and unwanted():
        raise InterruptedSearchError
