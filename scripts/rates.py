"""How often a second some work can be done: the clock that all parts of `dotzero bench` share."""

import time
from collections.abc import Callable


def rate(work: Callable[[], int], seconds: float) -> float:
    """Units a second of `work`, called for at least `seconds`."""
    done, begun = 0, time.perf_counter()
    while True:
        done += work()
        passed = time.perf_counter() - begun
        if passed >= seconds:
            return done / passed
