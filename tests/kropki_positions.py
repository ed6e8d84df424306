"""Positions of Kropki for tests of its levels: games in which there is much to take, and names of points."""

import numpy as np

from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_notation import KropkiNotation
from dotzero.envs.kropki_rules import KropkiRules


def kropki(width=9, height=8, **rules):
    return KropkiGame(KropkiRules(**{"start": "cross", **rules}, width=width, height=height))


def seeds(count, start=0):
    return np.arange(start, start + count, dtype=np.uint64)


def crowded(game, count, rng, longest=None):
    """Positions of games in which both players put dots near dots, of all lengths up to `longest`."""
    longest = game.rules.num_points + 8 if longest is None else longest
    state, length = game.start(count), rng.integers(0, longest, count)
    for ply in range(int(length.max(initial=0))):
        going = np.flatnonzero((length > ply) & ~state.finished)
        if len(going):
            moves = game.opening_actions(state[going])
            lots = np.where(moves, rng.random(moves.shape), -1.0)
            state[going] = game.step(state[going], lots.argmax(axis=1))
    return state


def name_of(game, action):
    return KropkiNotation(game.rules).name(int(action))


def names_of(game, numbers):
    """The points whose numbers are not 0, by name."""
    return {name_of(game, action): int(numbers[action]) for action in np.flatnonzero(numbers)}
