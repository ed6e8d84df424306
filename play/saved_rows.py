"""Rows of the file of saved games, as what is read of them; a row that cannot be right is None.

The one idea: a file that a user can reach may hold anything. What a list needs of a row is looked at here, so
that one damaged row costs no other and no screen meets a game or a number that there is not.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from dotzero.envs.game_records import Ending
from dotzero.envs.registry import game_names
from dotzero.play.players import PlayerSpec
from dotzero.play.tallies import Table


class SavedGame(NamedTuple):
    """What a list of unfinished games shows of one."""

    id: str
    game: str
    board: str
    player: str | None
    """Who a single person plays against; None where two people play."""
    num_moves: int
    score: tuple[int, int]
    changed: float
    """When, in seconds since 1970."""


class FinishedGame(NamedTuple):
    """A game that is over."""

    id: str
    table: Table | None
    """Where it was counted; None for a game of two people."""
    seat: int | None
    """The person's seat: 0 began (R118, R154)."""
    outcome: int | None
    """For the person: 1 won, 0 drawn, -1 lost."""
    reason: str
    score: tuple[int, int]
    """Points of the person and of the other; of both seats where two people played."""
    num_moves: int
    ended: float
    record: str
    """The game as a line of JSON, as `envs/json_records.py` reads it."""


class Damaged(NamedTuple):
    """Rows that cannot be read; they stay where they are."""

    unfinished: tuple[str, ...]
    """Of unfinished games, by their ids."""
    finished: tuple[int, ...]
    """Of finished ones, by their numbers in the order in which they ended."""


def saved_game(row: Sequence[Any]) -> SavedGame | None:
    """An unfinished game from id, game, board, player, num_moves, both scores and the time of its change."""
    id, game, board, player, num_moves, one, two, changed = row
    texts = isinstance(id, str) and isinstance(board, str) and _is_game(game)
    if not texts or not all(map(_is_whole, (num_moves, one, two))) or not _is_time(changed):
        return None
    if player is not None and not _is_player(player):
        return None
    return SavedGame(id, game, board, player, num_moves, (one, two), changed)


def counted_result(row: Sequence[Any]) -> tuple[Table, int] | None:
    """Table and outcome of a game against a player from game, board, rules, player and outcome."""
    game, board, rules, player, outcome = row
    fit = _is_game(game) and isinstance(board, str) and isinstance(rules, str) and _is_player(player)
    if not fit or not _is_whole(outcome) or outcome not in (-1, 0, 1):
        return None
    return Table(game, board, rules, player), outcome


def finished_game(row: Sequence[Any]) -> FinishedGame | None:
    """A finished game from its columns in the order of `Saves.finished`."""
    id, game, board, rules, player, seat, outcome, reason, own, other, num_moves, ended, record = row
    counted = None
    if player is not None:
        counted = counted_result((game, board, rules, player, outcome))
        if counted is None or seat not in (0, 1):
            return None
    texts = isinstance(id, str) and isinstance(record, str) and reason in [item.value for item in Ending]
    if not texts or not _is_game(game) or not all(map(_is_whole, (own, other, num_moves))):
        return None
    if not _is_time(ended):
        return None
    table = None if counted is None else counted[0]
    return FinishedGame(id, table, seat, outcome, reason, (own, other), num_moves, ended, record)


def _is_game(value: object) -> bool:
    return isinstance(value, str) and value in game_names()


def _is_whole(value: object) -> bool:
    return isinstance(value, int)


def _is_time(value: object) -> bool:
    """Seconds that a calendar knows: up to the year 9999."""
    return isinstance(value, int | float) and math.isfinite(value) and 0 <= value < 253_000_000_000


def _is_player(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        PlayerSpec.parse(value)
    except ValueError:
        return False
    return True
