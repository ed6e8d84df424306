"""Random numbers that depend on a state of 64 bits only: splitmix64 for arrays, as in `core/random.hpp`."""

import numpy as np
from numpy.typing import NDArray

STEP = np.uint64(0x9E3779B97F4A7C15)
"""What a generator's state grows by with every number."""


def mix(states: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The next number of generators in these states; whoever keeps them adds `STEP`. Any shape."""
    z = states + STEP
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
