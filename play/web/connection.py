"""One open page: the game that it plays, and what it may do with it.

The one idea: a session changes only while the connection's lock is held, and every change is stored before it
is shown. So what a page has seen is never lost, and a computer's pending line, a click and the end of a clock
cannot get in each other's way (R114, R150, R151). A game may also end in time just before a message is read:
`catch_up` looks for that before and after each of them. Where the disk refuses, the page is told, play goes
on, and each message tries to store again.

A computer's line is searched for in a thread, waits until the one before has been seen long enough, and is
drawn if the game has not changed meanwhile. When the page is closed the search is given up, and the game
waits, paused, in the list of unfinished ones.
"""

import asyncio
import contextlib
import json
import os
import secrets
import sys
import traceback
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

from dotzero.play.game_settings import MOST_SEED, GameSettings
from dotzero.play.seats import Language
from dotzero.play.session_moves import Question
from dotzero.play.sessions import GameSession
from dotzero.play.web.messages import Message, read_message
from dotzero.play.web.readings import Readings
from dotzero.play.web.refusals import RefusedError, TakenError, is_of_program, told
from dotzero.play.web.turns import Turns
from dotzero.play.web.views import describe, move_view, view

if TYPE_CHECKING:
    from dotzero.play.web.site import Site


_PATIENCE = 5.0
"""Seconds for another page to give up its game; two that want each other's wait no longer."""


class Socket(Protocol):
    """What a connection needs of a WebSocket."""

    async def send_text(self, data: str) -> None:
        """Send one message."""


class Connection:
    """The state behind one page."""

    def __init__(self, socket: Socket, site: "Site") -> None:
        self.site, self._socket = site, socket
        self.language, self.profile = Language.EN, ""
        self.session: GameSession | None = None
        self.delay = site.config.delay
        self.lock = asyncio.Lock()
        """Held by whoever changes the session."""
        self._end_told = False
        """Whether the page knows that the game is over."""
        self._unsaved = False
        """Whether the newest change could not be stored."""
        self._drawn = -1e9
        """When the last line was shown, by the loop's time."""
        self._answering: asyncio.Task[None] | None = None
        self._reading: dict[str, asyncio.Task[None]] = {}
        """What is being worked out, by the type of message that asked for it."""
        self._deadline: asyncio.TimerHandle | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._readings, turns = Readings(self), Turns(self)
        self._acts: dict[str, Callable[..., Awaitable[None]]] = {
            "hello": self._hello, "language": self._set_language, "check": self._readings.check,
            "new": self._new, "continue": self._continue, "drop": self._drop, "leave": self._leave,
            "delay": self._set_delay, "move": turns.move, "undo": turns.undo, "pause": turns.pause,
            "resume": turns.resume, "resign": turns.resign, "offer": turns.offer, "answer": turns.answer,
            "look": self._readings.look, "board": self._readings.board,
            "record": self._readings.record, "load": self._load, "statistics": self._readings.statistics,
        }  # fmt: skip
        self._slow_acts: dict[str, Callable[..., Awaitable[None]]] = {
            "hint": self._readings.hint, "analyse": self._readings.analyse, "graph": self._readings.graph,
        }  # fmt: skip

    async def receive(self, text: str | bytes) -> None:
        """Do what a message asks for; a wrong one is answered with one line."""
        message = Message("?", {})
        try:
            message = read_message(text)
            if message.type in self._slow_acts:
                self._read(message)
            else:
                async with self.lock:
                    await self.catch_up()
                    try:
                        await self._acts[message.type](**message.fields)
                    finally:
                        await self.catch_up()
        except Exception as error:  # noqa: BLE001 one faulty message must not end the game
            await self.refuse(message.type, error)

    async def close(self) -> None:
        """The page is gone: give up what it waits for, and keep its game for later."""
        for task in (self._answering, *self._reading.values()):
            if task is not None:
                task.cancel()
        async with self.lock:
            await self._put_away(gone=True)

    async def send(self, kind: str, **fields: Any) -> None:
        """Say something to the page."""
        await self._socket.send_text(json.dumps({"type": kind, **fields}, ensure_ascii=False))

    async def refuse(self, of: str, error: Exception) -> None:
        """Tell the page why something was not done; the terminal sees errors of the program."""
        if isinstance(error, TakenError):
            return
        if is_of_program(error):
            traceback.print_exception(error, file=sys.stderr)
        fields = told(error)
        fields["text"] = fields["text"].replace(
            f"{self.site.saves.path.parent}{os.sep}", ""
        )  # of this machine
        await self.send("error", of=of, **fields)

    def game(self) -> GameSession:
        """The game that is open.

        Raises:
            RefusedError: None is.
        """
        if self.session is None:
            raise RefusedError("message must come while a game is open", "no_game")
        return self.session

    # Beginning and leaving

    async def _hello(self, language: str, profile: str) -> None:
        await self._put_away()
        self.language, self.profile = Language(language), profile
        await self._readings.home()

    async def _set_language(self, language: str) -> None:
        self.language = Language(language)
        if self.session is None:
            await self._readings.home()
        else:
            await self._begin_screen()

    async def _set_delay(self, seconds: float) -> None:
        self.delay = float(seconds)

    async def _new(self, settings: dict[str, Any]) -> None:
        def make() -> GameSession:
            seeded = {"seed": secrets.randbelow(MOST_SEED)} | dict(settings)
            made = self.site.names.settings_meant(GameSettings.from_json(seeded))
            self.site.check(made)
            return GameSession(made, self.site.config.now)

        session = await self.site.in_file_thread(make)
        await self._open(session)

    async def _continue(self, id: str) -> None:
        saves, profile, now = self.site.saves, self.profile, self.site.config.now
        settings = await self.site.in_file_thread(lambda: saves.peek(id, profile))
        self.site.check(settings, with_options=True)  # before the game is taken from whoever plays it
        other = self.site.playing.get(id)
        if other is not None and other is not self:
            try:
                await asyncio.wait_for(other.give_up(), _PATIENCE)
            except TimeoutError:
                text = "a game must be let go by the page that plays it: try again"
                raise RefusedError(text, "held") from None
        if self.session is not None and self.session.id == id:
            await self._put_away(gone=True)
        session = await self.site.in_file_thread(lambda: saves.load(id, profile, now))
        await self._open(session)

    async def _load(self, text: str, cut: bool) -> None:
        loaded = await self._readings.loaded(text)
        await self._open(loaded.session)
        notices = ["first_only"] if loaded.several or cut else []
        if loaded.of_players and not loaded.session.finished:
            notices.append("two_go_on")
        if notices:
            await self.send("loaded", notices=notices)

    async def _open(self, session: GameSession) -> None:
        """Make a session the open game, running."""
        await self._put_away()
        if not session.finished:
            session.resume()
            await self._store(session)
        self.session, self._end_told, self._unsaved = session, session.finished, False
        self.site.playing[session.id] = self
        await self._begin_screen()
        self._go_on()

    async def _drop(self, id: str) -> None:
        if id in self.site.playing:
            raise RefusedError("a game must be left before it can be dropped", "drop")
        await self._forget(id)
        await self._readings.home()

    async def _forget(self, id: str) -> None:
        saves, profile = self.site.saves, self.profile
        await self.site.in_file_thread(lambda: saves.drop(id, profile))

    async def _leave(self) -> None:
        await self._put_away()
        await self._readings.home()

    async def give_up(self) -> None:
        """Another page goes on with the game of this one."""
        async with self.lock:
            if self.session is not None:
                await self._put_away(gone=True)
                await self.send("taken")

    async def _put_away(self, gone: bool = False) -> None:
        """Stop what runs, and keep the open game, paused, for later.

        Args:
            gone: Whether the page may come back for it; else a game without a move is forgotten.
        """
        self._stop()
        current = asyncio.current_task()
        for task in self._reading.values():
            if task is not current:
                task.cancel()
        session, self.session = self.session, None
        if session is None:
            return
        if self.site.playing.get(session.id) is self:
            del self.site.playing[session.id]
        if not session.finished:
            session.pause()
            if not (gone or session.num_moves or session.finished):
                await self._forget(session.id)
                return
        elif self._end_told and not self._unsaved:
            return
        with contextlib.suppress(ValueError):  # another program goes on with it
            await self._keep(session)

    # Playing

    async def changed(self, event: str, **fields: Any) -> None:
        """Store the game, show it, and go on with what comes next.

        Raises:
            TakenError: Another program goes on with the game.
        """
        session = self.game()
        self._stop()
        await self._keep_or_leave(session)
        self._drawn = asyncio.get_running_loop().time()
        await self.send("game", event={"kind": event, **fields}, view=view(session))
        self._end_told = session.finished
        if session.finished:
            await self._result(session)
        self._go_on()

    async def catch_up(self) -> None:
        """Store and show an end that time has brought, and store what could not be; the lock is held.

        Raises:
            TakenError: Another program goes on with the game.
        """
        session = self.session
        if session is None:
            return
        session.check_time()
        if session.finished and not self._end_told:
            await self.changed("end")
        elif self._unsaved:
            await self._keep_or_leave(session)

    async def _result(self, session: GameSession) -> None:
        """Send the statistics; a game is over without them, too."""
        try:
            await self._readings.result(session)
        except OSError as error:
            await self.refuse("statistics", error)

    async def _begin_screen(self) -> None:
        session = self.game()
        game = describe(session, self.language, self.site.names.told)
        await self.send("begin", game=game, view=view(session))
        if session.finished:
            await self._result(session)

    async def _keep(self, session: GameSession) -> None:
        """Store a game; where the disk refuses, say so once, and leave it to the next message to try again.

        Raises:
            ValueError: Another program goes on with it.
        """
        told = self._unsaved
        try:
            await self._store(session)
            self._unsaved = False
        except OSError as error:
            self._unsaved = True
            if not told:
                await self.refuse("save", error)

    async def _keep_or_leave(self, session: GameSession) -> None:
        """Store the open game; where another program goes on with it, leave it, and tell the page so.

        Raises:
            TakenError: It does.
        """
        try:
            await self._keep(session)
        except ValueError:
            self._stop()
            self.session = None
            self.site.playing.pop(session.id, None)
            await self.send("taken")
            raise TakenError from None

    async def _store(self, session: GameSession) -> None:
        saves, profile = self.site.saves, self.profile
        await self.site.in_file_thread(lambda: saves.put(session, profile))

    # Computers and clocks

    def _go_on(self) -> None:
        """Ask a computer if it is its turn, and come back when time ends something."""
        session, loop = self.game(), asyncio.get_running_loop()
        question, seconds = session.question(), session.seconds_to_deadline
        if question is not None:
            self._answering = loop.create_task(self._answer_question(question))
        if seconds is not None:
            self._deadline = loop.call_later(seconds + 0.01, self._end_in_time)

    def _stop(self) -> None:
        """Give up the pending line and the deadline; called with the lock held."""
        task, self._answering = self._answering, None
        if task is not None and task is not asyncio.current_task():
            task.cancel()
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    async def _answer_question(self, question: Question) -> None:
        loop = asyncio.get_running_loop()
        try:
            action = await self.site.workers.ask(question)
            await asyncio.sleep(max(0.0, self._drawn + self.delay - loop.time()))
            async with self.lock:
                move = None if self.session is None else self.session.answer(question, action)
                if move is not None:
                    await self.changed("move", move=move_view(move))
                else:
                    await self.catch_up()
        except Exception as error:  # noqa: BLE001 else the page would wait for ever
            await self.refuse("computer", error)

    def _end_in_time(self) -> None:
        task = asyncio.get_running_loop().create_task(self._check_time())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _check_time(self) -> None:
        async with self.lock:
            with contextlib.suppress(TakenError):
                await self.catch_up()
            if self.session is not None and not self.session.finished:
                self._stop()
                self._go_on()

    def _read(self, message: Message) -> None:
        """Begin something slow that changes nothing; of each type only the newest is answered."""
        if message.type in self._reading:
            self._reading[message.type].cancel()
        self._reading[message.type] = asyncio.get_running_loop().create_task(self._slowly(message))

    async def _slowly(self, message: Message) -> None:
        try:
            await self._slow_acts[message.type](**message.fields)
        except Exception as error:  # noqa: BLE001 as above
            await self.refuse(message.type, error)
