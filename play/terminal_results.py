"""How a game ended, and the statistics of games against levels, as the terminal shows them (R115 to R118)."""

import time
from collections.abc import Mapping

from rich.table import Table as Grid

from dotzero.envs.game_records import Ending
from dotzero.envs.kropki import KropkiState
from dotzero.play.agreements import lead
from dotzero.play.saved_rows import SavedGame
from dotzero.play.seats import Language, level_label, seat_names
from dotzero.play.sessions import GameSession
from dotzero.play.tallies import Table, Tally
from dotzero.play.terminal_rules import rules_words
from dotzero.play.terminal_texts import text


def result_lines(session: GameSession, language: Language) -> list[str]:
    """Who won and by what, why the game is over, board, number of lines, who began (R115, R142, R154).

    A person against a level is told "you"; the score begins with the winner.
    """
    result, settings = session.result, session.settings
    assert result is not None
    names, person = seat_names(settings.seats, language), settings.person
    winner, score = result.winner, result.score
    if winner is None:
        first = text("draw", language, a=score[0], b=score[1])
    elif person is not None:
        key = "you_win" if winner == person else "you_lose"
        first = text(key, language, a=score[person], b=score[1 - person])
    else:
        first = text("win", language, who=names[winner], a=score[winner], b=score[1 - winner])
    why = _why(session, names, language)
    game = session.game.name
    told = {"size": settings.board, "lines": session.num_moves, "who": names[settings.first]}
    summary = text(f"summary {game}", language, **told)
    return [first + (f" {why}" if why else ""), summary]


def _why(session: GameSession, names: tuple[str, str], language: Language) -> str:
    """Why a game is over, where the count alone does not tell."""
    assert session.result is not None
    reason, person = session.result.reason, session.settings.person
    if reason is Ending.RESIGN:
        loser = 1 - (session.result.winner or 0)
        return text("by own resign" if loser == person else "by resign", language, who=names[loser])
    if reason in (Ending.TIME, Ending.AGREEMENT):
        return text(f"by {reason.value}", language)
    if reason is Ending.STOP:
        assert isinstance(session.state, KropkiState)
        return text("by stop", language, who=names[int(session.state.stopped[0])])
    if reason is Ending.INSTANT_WIN:
        return text("by instant_win", language, points=abs(lead(session.game, session.state, 0)))
    return ""


def tally_line(table: Table, tally: Tally, language: Language) -> str:
    """One table in a line: wins, losses, draws, the share of wins, both streaks (R116, R152)."""
    unusual = "" if table.rules == "usual" else f" ({rules_words(table.rules, language)})"
    return text(
        "tally",
        language,
        who=opponent_label(table.player, language),
        board=table.board + unusual,
        wins=tally.wins,
        losses=tally.losses,
        draws=tally.draws,
        rate=_rate(tally),
        streak=tally.streak,
        best=tally.best_streak,
    )


def tally_grid(tallies: Mapping[Table, Tally], language: Language) -> Grid:
    """All tables, a row each (R153)."""
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("board name", "rules name", "opponent name"):
        grid.add_column(text(name, language), overflow="fold")
    for name in ("wins", "losses", "draws", "win rate", "streak", "best streak"):
        grid.add_column(text(name, language), justify="right", no_wrap=True)
    for table, tally in tallies.items():
        grid.add_row(
            f"{text(f'short {table.game}', language)} {table.board}",
            "-" if table.rules == "usual" else rules_words(table.rules, language),
            opponent_label(table.player, language),
            *map(str, (tally.wins, tally.losses, tally.draws)),
            _rate(tally),
            *map(str, (tally.streak, tally.best_streak)),
        )
    return grid


def _rate(tally: Tally) -> str:
    return "-" if tally.win_rate is None else f"{tally.win_rate:.0%}"


def opponent_label(player: str, language: Language) -> str:
    """A level by its label, with its options where it has some, as results are kept apart by them."""
    label, at, options = level_label(player, language), *player.partition("@")[1:]
    return label if label == player else f"{label}{at}{options}"


def saved_line(number: int, saved: SavedGame, language: Language) -> str:
    """An unfinished game as a line of a list."""
    return f"{number}  {saved_text(saved, language)}"


def saved_text(saved: SavedGame, language: Language) -> str:
    """What tells an unfinished game from others: game, board, opponent, moves, score, time of its change."""
    who = text("two_people", language)
    if saved.player is not None:
        who = text("against", language, who=opponent_label(saved.player, language))
    return text(
        "saved",
        language,
        game=text(saved.game, language),
        board=saved.board,
        opponent=who,
        moves=saved.num_moves,
        one=saved.score[0],
        two=saved.score[1],
        when=time.strftime("%Y-%m-%d %H:%M", time.localtime(saved.changed)),
    )
