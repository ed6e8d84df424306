"""For tests of Kropki's levels: sets of rules, positions in which there is much to take, names of points."""

import numpy as np

from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_notation import KropkiNotation
from dotzero.envs.kropki_rules import KropkiRules

RULES = [
    {},
    {"house_closes": "owner_turn"},
    {"add_turn": True, "stop": "off"},
    {"stop": "solo", "solo_moves": 5},
    {"holes": True, "punish": True, "last_safe": True},
    {"capture_empty": True, "score": "territory"},
    {"instant_win": 4, "komi": 2.5},
    {"start": "empty", "opening_zone": [3, 2]},
]
"""All options of the game, a few at a time."""

LADDER = [
    ". . . . . . .",
    ". . X . . . .",
    ". X O . . . .",
    ". X . . . . .",
    ". X . . . . .",
    ". X . . . . .",
    ". . X . . . .",
    ". . . . . . .",
]
"""X drives O down its wall into the dot below: three attacks, and one of two captures cannot be stopped."""


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
