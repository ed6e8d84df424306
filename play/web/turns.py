"""What a page does in its game: moves, taking back, pauses, giving up, offers.

The connection's lock is held by whoever calls (`connection.py`), and every act ends in `Connection.changed`,
which stores the game and shows it.
"""

import asyncio
from typing import TYPE_CHECKING

from dotzero.play.agreements import Terms
from dotzero.play.session_moves import Move
from dotzero.play.web.refusals import RefusedError, made_move, require_unfinished
from dotzero.play.web.views import move_view

if TYPE_CHECKING:
    from dotzero.play.web.connection import Connection


class Turns:
    """The acts of one connection; each raises `RefusedError` where it is not possible now."""

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection

    async def move(self, move: str) -> None:
        """A move by its name."""
        session = self._connection.game()
        if session.question() is not None:
            raise RefusedError("a move must be made on a person's turn, got a computer's", "turn")
        made = made_move(session, move)
        await self._connection.changed("move", move=move_view(made))

    async def undo(self) -> None:
        """Take back a person's last turn."""
        session = self._connection.game()
        require_unfinished(session, "undo")
        taken: list[Move] = session.undo()
        await self._connection.changed("undo", moves=[move.name for move in taken])

    async def pause(self) -> None:
        """Stop clocks and computers."""
        self._connection.game().pause()
        await self._connection.changed("pause")

    async def resume(self) -> None:
        """Let them go on."""
        self._connection.game().resume()
        await self._connection.changed("resume")

    async def resign(self) -> None:
        """Give up: the person, or of two the one to move."""
        session = self._connection.game()
        require_unfinished(session, "a resignation")
        session.resign(session.settings.person)
        await self._connection.changed("end")

    async def offer(self, terms: str) -> None:
        """Offer an end by agreement."""
        session = self._connection.game()
        require_unfinished(session, "an offer")
        person = session.settings.person
        seat = session.mover if person is None else person
        # A computer may calculate its answer. The lock is held, so nobody else touches the session.
        agreed = await asyncio.to_thread(session.offer_end, seat, Terms(terms))
        await self._connection.changed("offer", agreed=agreed)

    async def answer(self, accept: bool) -> None:
        """Accept or decline the offer that stands."""
        self._connection.game().answer_offer(accept)
        await self._connection.changed("answer", accept=accept)
