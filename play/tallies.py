"""Statistics of games against a player: one table for every game, board, rules and player (R116, R153).

A draw counts as a game and leaves streaks as they are; an unfinished game counts nothing.
"""

from collections.abc import Iterable
from typing import NamedTuple

from dotzero.play.game_settings import GameSettings


class Table(NamedTuple):
    """What results must have in common to be counted together."""

    game: str
    board: str
    """As its game writes sizes: `5x5`, `39x32`."""
    rules: str
    """`usual`, or what differs, as in `border=all`; see `GameSettings.rules_key`."""
    player: str
    """The specification of who was played against."""

    @classmethod
    def of(cls, settings: GameSettings) -> "Table | None":
        """Where a game is counted; None if it is not one of a person against a player."""
        if settings.opponent is None:
            return None
        return cls(settings.game.name, settings.board, settings.rules_key, settings.opponent)


class Tally(NamedTuple):
    """What there is of one table."""

    wins: int = 0
    losses: int = 0
    draws: int = 0
    streak: int = 0
    """Wins since the last loss."""
    best_streak: int = 0

    @property
    def games(self) -> int:
        """All games that are over."""
        return self.wins + self.losses + self.draws

    @property
    def win_rate(self) -> float | None:
        """Wins by games, 0 to 1; None while there are none (R152)."""
        return self.wins / self.games if self.games else None


def tally_of(outcomes: Iterable[int]) -> Tally:
    """Count results in the order in which they came: 1 won, 0 drawn, -1 lost."""
    wins = losses = draws = streak = best = 0
    for outcome in outcomes:
        wins, losses, draws = wins + (outcome > 0), losses + (outcome < 0), draws + (outcome == 0)
        streak = streak + 1 if outcome > 0 else 0 if outcome < 0 else streak
        best = max(best, streak)
    return Tally(wins, losses, draws, streak, best)
