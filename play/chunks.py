"""Matches in several processes: chunks of pairs, dealt out to workers that make their own players.

The one idea: what a chunk comes to depends on its pairs alone, so neither the number of workers nor the order
in which they finish shows in the results. Networks, solvers and programs are each worker's own.
"""

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from typing import Any

from dotzero.envs.game import Game
from dotzero.mistakes import is_users_mistake
from dotzero.play.arena import ArenaConfig, Match
from dotzero.play.match_result import GameRecord
from dotzero.play.players import Budget, Player, make_player

_PARTS = 16
"""Chunks of a match, as long as they have a useful size."""
_SMALLEST, _LARGEST = 4, 32
"""Pairs of a chunk: enough for batches, and few enough that an interruption costs little."""


def chunk_bounds(num_pairs: int) -> list[tuple[int, int]]:
    """The chunks of a match: first pair, and the one behind the last."""
    size = min(max(-(-num_pairs // _PARTS), _SMALLEST), _LARGEST)
    return [(first, min(first + size, num_pairs)) for first in range(0, num_pairs, size)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Entrant:
    """A player as a text that every process can make it from."""

    text: str
    """As of `make_player`."""
    budget: Budget | None = None
    """For every move, where the player can use it."""

    def make(self, game: Game[Any]) -> Player:
        """The player; whoever made it closes it."""
        player = make_player(self.text, game)
        if self.budget is None or self.budget.kind not in player.budgets:
            return player
        return player.within(self.budget)


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """All that a worker has to know."""

    game: Game[Any]
    entrants: tuple[Entrant, ...]
    config: ArenaConfig


def play_in_workers(
    setting: Setting, num_workers: int, chunks: Sequence[tuple[int, int, tuple[int, int]]]
) -> Iterator[tuple[int, list[GameRecord]]]:
    """Play chunks; a caller that has enough closes the iterator, which ends the workers.

    Args:
        setting: What the workers have to know.
        num_workers: Processes.
        chunks: Of each the numbers of its players and its pairs.

    Yields:
        Index and games of a chunk, as they are finished.

    Raises:
        ValueError: As of `Match`: what a user has got wrong, here as in one process.
    """
    pool = ProcessPoolExecutor(
        num_workers, mp_context=get_context("spawn"), initializer=_prepare, initargs=(setting,)
    )
    try:
        places = {pool.submit(_play, *chunk): index for index, chunk in enumerate(chunks)}
        for future in as_completed(places):
            played = future.result()
            if isinstance(played, str):
                raise ValueError(played)
            yield places[future], played
    except BaseException:  # whatever it is, nobody waits for the chunks in progress
        workers = list(pool._processes.values())
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()
        raise
    pool.shutdown()


_setting: Setting | None = None
_players: dict[int, Player] = {}
_matches: dict[tuple[int, int], Match] = {}


def _prepare(setting: Setting) -> None:
    """In a worker: what is common to all its chunks."""
    global _setting
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _setting = setting


def _end_with_parent() -> None:
    """In a worker: a parent that was killed cannot end it, and nobody wants the rest of its chunk."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _play(first: int, second: int, pairs: tuple[int, int]) -> list[GameRecord] | str:
    """In a worker: play a chunk, or tell a user's mistake: an error loses on the way where it was raised."""
    try:
        return _played(first, second, pairs)
    except ValueError as error:
        if not is_users_mistake(error):
            raise
        return str(error)


def _played(first: int, second: int, pairs: tuple[int, int]) -> list[GameRecord]:
    assert _setting is not None
    for number in (first, second):
        if number not in _players:
            _players[number] = _setting.entrants[number].make(_setting.game)
    if (first, second) not in _matches:
        _matches[first, second] = Match(_setting.game, _players[first], _players[second], _setting.config)
    return _matches[first, second].play(*pairs)
