"""The threads that search, and the players that they ask.

The one idea: a few threads serve all games in the order in which they ask, and the loop that serves the
connections never searches. What explains a game has one thread of its own, so that moves never wait for
analyses. Players are made when they are first asked for and kept; those of one network
share its evaluator. A question that nobody waits for any more is taken out of the queue or, where its search
can be interrupted, given up.
"""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from dotzero.cores import num_cores
from dotzero.envs.game import Game
from dotzero.play.players import Player, PlayerSpec, make_player
from dotzero.play.session_moves import Question
from dotzero.search.interrupts import InterruptedSearchError, interruptible

MOST_PLAYERS = 8
"""Players that are kept; one with a solver may hold 64 MiB."""

T = TypeVar("T")


@dataclass(slots=True)
class _Use:
    player: Player | None = None
    users: int = 0
    making: threading.Lock = field(default_factory=threading.Lock)


class Workers:
    """A bounded pool of threads with the players they ask; made and closed by the server."""

    def __init__(self, num_threads: int | None = None) -> None:
        self._pool = ThreadPoolExecutor(num_threads or num_cores(), thread_name_prefix="search")
        self._explaining = ThreadPoolExecutor(1, thread_name_prefix="explain")
        self._uses: OrderedDict[tuple[str, str, Any], _Use] = OrderedDict()
        self._turns: WeakValueDictionary[tuple[str, str, Any], asyncio.Lock] = WeakValueDictionary()
        self._lock = threading.Lock()
        self._networks = threading.Lock()  # what players of one network share is not made for threads

    async def ask(self, question: Question) -> int:
        """A player's answer; cancelling the task gives the question up.

        Raises:
            ValueError: There is no such player of this game.
        """

        def work() -> int:
            with self.player(question.player, question.game) as player:
                return question.ask(player)

        if PlayerSpec.parse(question.player).kind == "zero":
            return await self.run(work)
        # The core answers one question of a level and board at a time: who waits for it keeps no thread.
        key = (question.player, question.game.name, question.game.rules)
        turn = self._turns.setdefault(key, asyncio.Lock())
        async with turn:
            return await self.run(work)

    async def run(self, work: Callable[[], T]) -> T:
        """The result of a piece of work in one of the threads; cancelling the task gives it up."""
        return await self._run_in(self._pool, work)

    async def explain(self, work: Callable[[], T]) -> T:
        """The same for analyses: one at a time, and no move waits for them."""
        return await self._run_in(self._explaining, work)

    async def _run_in(self, pool: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        unwanted = threading.Event()

        def guarded() -> T | None:
            if unwanted.is_set():
                return None
            try:
                with interruptible(unwanted.is_set):
                    return work()
            except InterruptedSearchError:
                return None

        try:
            result = await asyncio.get_running_loop().run_in_executor(pool, guarded)
        except asyncio.CancelledError:
            unwanted.set()
            raise
        return result  # type: ignore[return-value]  # None only where nobody waits

    @contextmanager
    def player(self, spec: str, game: Game[Any]) -> Iterator[Player]:
        """A player, kept as long as the block lasts at least.

        Raises:
            ValueError: As `make_player`.
        """
        key = (spec, game.name, game.rules)
        with self._lock:
            use = self._uses.setdefault(key, _Use())
            use.users += 1
            self._uses.move_to_end(key)
        try:
            with use.making:
                if use.player is None:
                    use.player = self._make(spec, game)
            yield use.player
        finally:
            with self._lock:
                use.users -= 1
                unused = self._take_unused()
            self._free(unused)

    def _make(self, spec: str, game: Game[Any]) -> Player:
        if PlayerSpec.parse(spec).kind != "zero":
            return make_player(spec, game)
        from dotzero.play.released import interactive_spec  # loads torch

        with self._networks:
            return make_player(interactive_spec(spec, game), game)

    def close(self) -> None:
        """Wait for what is being searched, and free the players."""
        for pool in (self._pool, self._explaining):
            pool.shutdown(wait=True, cancel_futures=True)
        self._free(list(self._uses.values()))
        self._uses.clear()

    def _take_unused(self) -> list[_Use]:
        """Of too many players, those that were not asked for longest and that nobody asks now."""
        unused = [key for key, use in self._uses.items() if not use.users]
        return [self._uses.pop(key) for key in unused[: max(0, len(self._uses) - MOST_PLAYERS)]]

    def _free(self, uses: list[_Use]) -> None:
        with self._networks:
            for use in uses:
                if use.player is not None:
                    use.player.close()
