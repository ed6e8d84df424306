"""Random numbers for arrays against the published splitmix64, written out in Python's own integers."""

import numpy as np

from dotzero.search.splitmix import STEP, mix


def numbers(state, count):
    """The first numbers of a generator, as Steele, Lea and Flood print it."""
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        yield z ^ (z >> 31)


def test_arrays_give_the_numbers_of_their_generators():
    states = np.array([0, 1, 1234567, 2**64 - 1], np.uint64)
    expected = np.array([list(numbers(int(state), 3)) for state in states], np.uint64)
    for draw in range(3):
        np.testing.assert_array_equal(mix(states), expected[:, draw])
        states = states + STEP
    assert list(numbers(1234567, 2)) == [6457827717110365317, 3203168211198807973]  # the known test vector
