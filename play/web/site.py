"""What all connections share: the saved games, the searching threads, the levels on offer, who plays what.

The one idea: everything slow is done in threads of its own, one for the file and a few that search, so that
the loop of the server only passes things on.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dotzero.envs.game import Game
from dotzero.envs.registry import make_game
from dotzero.play.game_settings import GameSettings
from dotzero.play.levels import LEVELS
from dotzero.play.players import PlayerSpec, spec_text
from dotzero.play.saves import Saves
from dotzero.play.seats import Language
from dotzero.play.timers import Now
from dotzero.play.web.insights import Insights
from dotzero.play.web.names import PlayerNames, player_label
from dotzero.play.web.workers import Workers

if TYPE_CHECKING:
    from dotzero.play.web.connection import Connection

T = TypeVar("T")
_WARM_BOARDS = (("boxes", {"rows": 5, "columns": 5}),)
"""Boards whose networks are loaded before anybody asks for them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteConfig:
    """What a server offers."""

    checkpoints: tuple[str, ...] = ()
    """Folders of networks that can be played against, beside the released ones."""
    hosts: tuple[str, ...] = ()
    """Names that the server may be called by, beside addresses and localhost."""
    delay: float = 0.5
    """Seconds between the lines of a computer, until a page asks for another pace."""
    num_threads: int | None = None
    """Threads that search; None: one a core."""
    now: Now = field(default=time.monotonic)
    """Reads the time of clocks and limits."""


class Site:
    """Shared by all connections of one server."""

    def __init__(self, folder: Path, config: SiteConfig | None = None) -> None:
        """Open the saved games.

        Args:
            folder: Where they are.
            config: What is offered; the defaults if None.

        Raises:
            ValueError: A checkpoint cannot be read, or the file of saved games is not ours.
            OSError: The file cannot be read or written.
        """
        self.config = config or SiteConfig()
        for path in self.config.checkpoints:
            from dotzero.models.export import load_card

            load_card(path)
        self.names = PlayerNames(self.config.checkpoints)
        self.saves = Saves(folder)
        self.workers = Workers(self.config.num_threads)
        self.insights = Insights(self.workers, self.config.checkpoints)
        self.playing: dict[str, Connection] = {}
        """Who plays each game that is open, by the game's id."""
        self.num_connections = 0
        self._file = ThreadPoolExecutor(1, thread_name_prefix="saves")

    async def in_file_thread(self, work: Callable[[], T]) -> T:
        """The result of work with the file, one piece after another in the order of the calls."""
        return await asyncio.get_running_loop().run_in_executor(self._file, work)

    def warm_up(self) -> None:
        """Load what a first game against a network needs."""
        import torch

        from dotzero.play.released import has_released

        # The searching threads share the cores already; more threads inside each call slow all of them down.
        torch.set_num_threads(1)
        for name, rules in _WARM_BOARDS:
            game = make_game(name, rules)
            if has_released(game):
                with self.workers.player("zero", game):
                    pass

    def players_of(self, game: Game[Any]) -> list[str]:
        """Who can be played against, weakest first: the levels, and the networks for this game."""
        from dotzero.models.export import load_card
        from dotzero.play.released import has_released, plays

        levels = [name for name, kind in LEVELS.get(game.name, {}).items() if kind.refusal(game) is None]
        own = ["zero"] if has_released(game) else []
        named = [f"zero:{path}" for path in self.config.checkpoints if plays(load_card(path), game)]
        return [*levels, *own, *named]

    def offer(self, game: Game[Any], language: Language) -> list[dict[str, str]]:
        """The same with what they are called."""
        return [
            {"player": self.names.told(player), "label": player_label(player, language)}
            for player in self.players_of(game)
        ]

    def check(self, settings: GameSettings, with_options: bool = False) -> None:
        """Refuse players that are not on offer: others could name files and programs of this machine.

        Args:
            settings: Of a game that is to be played.
            with_options: Whether a player on offer may have options, as one that was saved by the terminal.

        Raises:
            ValueError: A seat has one.
        """
        known: Sequence[str] = self.players_of(settings.game)
        for seat in settings.seats:
            if seat.player is None or seat.player in known:
                continue
            spec = PlayerSpec.parse(seat.player)
            bare = spec_text(spec.kind, spec.path, {})
            if not with_options or bare not in known:
                told = ", ".join(map(self.names.told, known))
                raise ValueError(
                    f"seat.player must be one of {told}, got {self.names.told(seat.player)!r:.60}"
                )

    def close(self) -> None:
        """Wait for what runs, and close everything."""
        self.workers.close()
        self._file.shutdown(wait=True)
        self.insights.close()
        self.saves.close()
