"""Positions of Kropki that are given by their cells alone: whether they can be, and what they score.

A game in play never asks: the core keeps cells and scores. A position that was drawn, typed or read from a
file is checked here point by point, and its scores are counted anew.

A cell is one byte; B positions, H x W points:

    0, 1  a live dot of player 0, 1 is here        4, 5  closed, held by player 0, 1
    2, 3  player 0, 1 placed a dot here            6, 7  in a house of player 0, 1
"""

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.kropki_rules import HouseCloses, KropkiRules, ScoreRule, point_name

LIVE = 0x03
PLACED = 0x0C
HELD = 0x30
HOUSE = 0xC0
DOT = (0x05, 0x0A)
"""A live dot of each player."""
TAKEN = LIVE | PLACED | HELD
"""Any of these bits: not playable."""


def checked_cells(rules: KropkiRules, cells: NDArray[np.integer]) -> NDArray[np.uint8]:
    """A copy of `cells` without house bits, after a look at every point. Shape [B, H, W].

    Raises:
        ValueError: A wrong shape, a point that cannot be, or an enclosed dot that should have been captured;
            the message names point and position.
    """
    given = np.asarray(cells)
    shape = (rules.height, rules.width)
    if given.ndim != 3 or given.shape[1:] != shape or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(
            f"cells must be bytes of shape (games, {shape[0]}, {shape[1]}), got {given.dtype} {given.shape}"
        )
    bare = given.astype(np.uint8, order="C") & np.uint8(0xFF ^ HOUSE)
    live, placed, held = bare & LIVE, bare & PLACED, bare & HELD
    outer = np.ones(shape, np.bool_)
    outer[1:-1, 1:-1] = False
    for wrong, rule in (
        ((given < 0) | (given > 255), "must be bytes"),
        (placed == PLACED, "must carry one dot at most"),
        (held == HELD, "must be held by one player at most"),
        ((live != 0) & (live != placed >> 2), "must carry every live dot as a placed one"),
        ((live != 0) & (held != 0), "must not be closed under live dots"),
        ((placed != 0) & (live == 0) & (held == 0), "must be closed under dead dots"),
        ((held != 0) & outer, "must not be closed on the edge"),
        (_should_be_captured(rules, bare), "must hold no live dot inside an enemy enclosure"),
    ):
        if wrong.any():
            game, y, x = (int(index) for index in np.argwhere(wrong)[0])
            raise ValueError(
                f"cells {rule}, got {int(given[game, y, x])} at {point_name(x, y)} in position {game}"
            )
    return bare


def scores(rules: KropkiRules, cells: NDArray[np.uint8]) -> NDArray[np.int16]:
    """Both players' points by the scoring rule, without komi. `cells` [B, H, W]; returns [B, 2]."""
    result = np.zeros((len(cells), 2), np.int16)
    dead = (cells & LIVE) == 0
    for player in (0, 1):
        own, other, held = 4 << player, 4 << 1 - player, 16 << player
        enemy_dots = dead & (cells & other != 0)
        counted = enemy_dots & (cells & held != 0)
        if rules.score is ScoreRule.TERRITORY:
            counted = (cells & held != 0) & (cells & own == 0)
        if rules.punish:
            counted = counted | enemy_dots
        result[:, player] = counted.sum(axis=(1, 2))
    return result


def reaches_edge(free: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The free points from which the edge row is reached over free points, in 4 directions. [B, H, W]."""
    reached = free.copy()
    reached[:, 1:-1, 1:-1] = False
    while True:
        wider = reached.copy()
        wider[:, 1:] |= reached[:, :-1]
        wider[:, :-1] |= reached[:, 1:]
        wider[:, :, 1:] |= reached[:, :, :-1]
        wider[:, :, :-1] |= reached[:, :, 1:]
        wider &= free
        if (wider == reached).all():
            return reached
        reached = wider


def _should_be_captured(rules: KropkiRules, cells: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Live dots that live enemy dots shut in, where houses close at once. [B, H, W]."""
    wrong = np.zeros(cells.shape, np.bool_)
    if rules.house_closes is HouseCloses.AT_ONCE:
        for player in (0, 1):
            shut_in = ~reaches_edge(cells & 1 << player == 0)
            wrong |= shut_in & (cells & 2 >> player != 0)
    if rules.last_safe:
        wrong &= (cells & TAKEN == 0).any(axis=(1, 2))[:, None, None]
    return wrong
