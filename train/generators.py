"""Random generators as arrays, so that a run can be saved and goes on with the same luck."""

import numpy as np
from numpy.typing import NDArray

_WORD = (1 << 64) - 1


def generator_to_array(random: np.random.Generator) -> NDArray[np.uint64]:
    """The whole state of a PCG64 generator as six words."""
    saved = random.bit_generator.state
    state, increment = saved["state"]["state"], saved["state"]["inc"]
    words = [state >> 64, state & _WORD, increment >> 64, increment & _WORD]
    return np.array([*words, saved["has_uint32"], saved["uinteger"]], np.uint64)


def generator_from_array(words: NDArray[np.uint64]) -> np.random.Generator:
    """The reverse of `generator_to_array`."""
    w = [int(word) for word in words]
    bits = np.random.PCG64(0)
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": w[0] << 64 | w[1], "inc": w[2] << 64 | w[3]},
        "has_uint32": w[4],
        "uinteger": w[5],
    }
    return np.random.Generator(bits)
