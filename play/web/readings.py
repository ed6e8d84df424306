"""What a page asks for without changing its game: lists, statistics, other positions, analysis, records."""

import io
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from dotzero.envs.game_records import RecordError
from dotzero.envs.kropki_rules import PRESETS
from dotzero.envs.records import read_records, write_record
from dotzero.envs.registry import make_game, plain_value
from dotzero.play.game_settings import GameSettings, rules_of_key
from dotzero.play.saves import SavedGame
from dotzero.play.session_files import from_record, to_record
from dotzero.play.sessions import GameSession
from dotzero.play.tallies import Table, Tally
from dotzero.play.web.names import is_player_name, player_label
from dotzero.play.web.refusals import RefusedError, require_going, told
from dotzero.play.web.views import view

if TYPE_CHECKING:
    from dotzero.play.web.connection import Connection

_FIRST_BOARDS = {"boxes": {"rows": 5, "columns": 5}, "kropki": {"width": 15, "height": 15}}
"""Boards whose levels the start screen shows until another one is chosen."""


class Loaded(NamedTuple):
    """The first game of some records."""

    session: GameSession
    several: bool
    """Whether others follow, if only damaged ones."""
    of_players: bool
    """Whether one of its sides was no person, by its name: a record tells nothing else of them."""


class Readings:
    """The questions of one connection."""

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection

    async def home(self) -> None:
        """The start screen: unfinished games, and the levels of both games."""
        connection = self._connection
        site, profile = connection.site, connection.profile
        saves = site.saves
        saved, damaged = await site.in_file_thread(
            lambda: (saves.unfinished(profile), saves.damaged(profile))
        )
        offers = {
            name: site.offer(make_game(name, rules), connection.language)
            for name, rules in _FIRST_BOARDS.items()
        }
        listed = [self._saved(game) for game in saved if game.num_moves]
        presets = {name: plain_value(dict(changes)) for name, changes in PRESETS.items()}
        rows = {"unfinished": len(damaged.unfinished), "finished": list(damaged.finished)}
        told = {"presets": presets, "delay": connection.delay, "damaged": saves.notice is not None}
        await connection.send("home", saved=listed, offers=offers, damaged_rows=rows, **told)

    async def check(self, settings: dict[str, Any]) -> None:
        """Whether settings can be played, and by whom."""
        connection = self._connection
        try:
            made = await connection.site.in_file_thread(lambda: GameSettings.from_json(settings))
        except ValueError as error:
            await connection.send("checked", offer=None, **told(error))
            return
        offer = connection.site.offer(made.game, connection.language)
        await connection.send("checked", offer=offer, text=None)

    async def look(self, at: int) -> None:
        """An earlier position."""
        session = self._connection.game()
        await self._connection.send("looked", view=view(session, at))

    async def board(self, at: int) -> None:
        """A position as text, for whoever reads and does not see."""
        session = self._connection.game()
        last = session.moves[at - 1].action if 0 < at <= session.num_moves else None
        text = session.notation.board(session.state_at(at), last=last)
        await self._connection.send("board", at=at, text=text)

    async def record(self, format: str) -> None:
        """The game as a record to be kept."""
        connection, session = self._connection, self._connection.game()
        ending = {"jsonl": "json", "sgf": "sgf", "text": "txt"}[format]
        text = write_record(to_record(session, connection.language), format)
        name = f"dotzero-{session.game.name}-{session.settings.board}-{session.id[:8]}.{ending}"
        await connection.send("record", name=name, text=text)

    async def loaded(self, text: str) -> Loaded:
        """The first game of records in any format, to look at or to go on with by two people.

        Raises:
            ValueError: There is no record in the text, or its first cannot be played.
        """

        def read() -> Loaded:
            records = read_records(io.StringIO(text))
            record = next(records, None)
            if record is None:
                raise RefusedError("record must hold a game, got none", "record")
            session, of_players = from_record(record), any(map(is_player_name, record.players))
            try:
                return Loaded(session, next(records, None) is not None, of_players)
            except RecordError:
                return Loaded(session, True, of_players)

        return await self._connection.site.in_file_thread(read)

    async def statistics(self) -> None:
        """All tables."""
        connection = self._connection
        site, profile = connection.site, connection.profile
        tallies = await site.in_file_thread(lambda: site.saves.tallies(profile))
        rows = [self._table(table) | _tally(tally) for table, tally in tallies.items()]
        await connection.send("statistics", rows=rows)

    async def result(self, session: GameSession) -> None:
        """The statistics that a finished game belongs to (R116)."""
        connection, table = self._connection, Table.of(session.settings)
        if table is None:
            await connection.send("tally", row=None)
            return
        site, profile = connection.site, connection.profile
        tally = await site.in_file_thread(lambda: site.saves.tally(table, profile))
        await connection.send("tally", row=self._table(table) | _tally(tally))

    async def hint(self) -> None:
        """What the strongest player would do."""
        connection, session = self._connection, self._connection.game()
        workers, insights = connection.site.workers, connection.site.insights
        player = await workers.run(partial(insights.hint_player, session.game))
        async with connection.lock:
            await connection.catch_up()
            if connection.session is not session:
                return
            require_going(session, "a hint")
            question, at = session.hint_question(player), session.num_moves
        action = await workers.ask(question)
        if connection.session is session and session.state is question.state:
            name = session.notation.name(action)
            await connection.send("hint", game=session.id, move=name, action=action, at=at)

    async def analyse(self, at: int) -> None:
        """What is known of a position; of the last one of a game that is over, how that ended."""
        connection, session = self._connection, self._connection.game()
        state, result = session.state_at(at), session.result if at == session.num_moves else None
        analyse = partial(connection.site.insights.analyse, session.game, state, result)
        data = await connection.site.workers.explain(analyse)
        await connection.send("analysis", game=session.id, at=at, analysis=data)

    async def graph(self) -> None:
        """The course of the game."""
        connection, session = self._connection, self._connection.game()
        states = [session.state_at(number) for number in range(session.num_moves + 1)]
        insights = connection.site.insights
        data = await connection.site.workers.explain(partial(insights.graph, session.game, states))
        await connection.send("graph", game=session.id, **data)

    def _saved(self, saved: SavedGame) -> dict[str, Any]:
        data = saved._asdict() | {"label": None, "score": list(saved.score)}
        return data if saved.player is None else data | self._player(saved.player)

    def _table(self, table: Table) -> dict[str, Any]:
        return table._asdict() | {"unusual": rules_of_key(table.rules)} | self._player(table.player)

    def _player(self, player: str) -> dict[str, str]:
        connection = self._connection
        label = player_label(player, connection.language)
        return {"player": connection.site.names.told(player), "label": label}


def _tally(tally: Tally) -> dict[str, Any]:
    return tally._asdict() | {"games": tally.games, "win_rate": tally.win_rate}
