"""What the rules of Kropki tell of a position without any search: captures, grounding, who has won.

The one idea: everything here is certain, and the engine, the command and the review of games read the same
answer. Of a game that is over, also by a resignation or an agreement, the result is told and nothing that
could be played. Players are 0 and 1 in the fields, 1 and 2 in JSON, as everywhere.

Shape letters as in `envs/kropki.py`: N points.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.kropki import KropkiGame, KropkiState
from dotzero.envs.kropki_position import LIVE, PLACED
from dotzero.envs.kropki_rules import StopRule
from dotzero.play.finished_analysis import finished_to_json, result_of, win_of
from dotzero.play.session_moves import Result


@dataclass(frozen=True, kw_only=True, slots=True)
class KropkiFacts:
    """One position, as its rules see it."""

    phase: str
    mover: int
    """The player to move."""
    result: Result | None
    """How the game ended; None while it goes on."""
    score: tuple[int, int]
    """Points of both, without the komi."""
    komi: float
    """What counts for player 1, the second one, besides."""
    num_legal: int
    """Points where a dot may be put."""
    num_dots: tuple[int, int]
    """Live dots of both."""
    captures: tuple[dict[int, int], dict[int, int]]
    """Dots that each player could take by one dot now, by the point."""
    ungrounded: tuple[int, int]
    """Dots of each player, captives among them, that nothing links to the edge."""
    stop_margins: tuple[float, float] | None
    """The final margin of each if it stopped now, seen by it; None where STOP does not ground."""
    decided: int | None
    """Who has won, or would by stopping at once."""
    solo_left: int | None
    """Moves that a solo phase leaves; None outside one, and where it has no limit."""

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return self.result is not None

    @property
    def win(self) -> float | None:
        """The chance of winning of the player to move where it is certain."""
        if self.result is not None:
            return win_of(self.result, self.mover)
        return 1.0 if self.decided == self.mover else None

    def to_json(self, names: Sequence[str]) -> dict[str, Any]:
        """Plain values as the engine's query `analyze` gives them; what does not apply is absent."""
        if self.result is not None:
            return finished_to_json(self.result, self.mover)
        data: dict[str, Any] = {
            "exact": False,
            "phase": self.phase,
            "captures": _named(names, self.captures[self.mover]),
            "threats": _named(names, self.captures[1 - self.mover]),
            "ungrounded": list(self.ungrounded),
            "dots": list(self.num_dots),
            "legal_points": self.num_legal,
        }
        if self.stop_margins is not None:
            data["stop_margins"] = list(self.stop_margins)
        if self.solo_left is not None:
            data["solo_left"] = self.solo_left
        if self.decided is not None:
            data["decided"] = self.decided + 1
        if self.win is not None:
            data["win"] = self.win
        return data


def kropki_facts(game: KropkiGame, state: KropkiState, result: Result | None = None) -> KropkiFacts:
    """What the rules tell of a batch of one game.

    Args:
        game: Rules and board.
        state: The position.
        result: How the game ended in it, where the rules do not tell: a resignation, time, an agreement.

    Raises:
        ValueError: The batch has another size.
    """
    if len(state) != 1:
        raise ValueError(f"state must be a batch of one game, got {len(state)}")
    grounds = game.rules.stop is StopRule.GROUNDING
    decided, solo_left = int(game.decided(state)[0]), int(state.solo_left[0])
    loose, live = game.ungrounded(state)[0].tolist(), state.cells[0] & LIVE
    margins = game.stop_margins(state)[0].tolist() if grounds else None
    result = result or result_of(game, state)
    return KropkiFacts(
        phase="finished" if result is not None else game.phases[int(game.phase(state)[0])],
        mover=int(state.to_move[0]),
        result=result,
        score=(int(state.score[0, 0]), int(state.score[0, 1])),
        komi=float(state.komi[0]),
        num_legal=int(game.plain_actions(state).sum()),
        num_dots=(int((live == 1).sum()), int((live == 2).sum())),
        captures=(_gains(game, state, 0), _gains(game, state, 1)),
        ungrounded=(loose[0], loose[1]),
        stop_margins=None if margins is None else (margins[0], margins[1]),
        decided=None if decided < 0 else decided,
        solo_left=None if solo_left < 0 else solo_left,
    )


def grounded_points(game: KropkiGame, state: KropkiState) -> NDArray[np.bool_]:
    """Points of either player that are linked to the edge, of a batch of one. Shape [H, W]."""
    grounded: NDArray[np.bool_] = game.observe(state).points[0, 1] & 0b1100 != 0
    return grounded


def loose_dots(game: KropkiGame, state: KropkiState, player: int) -> tuple[int, int]:
    """What `ungrounded` counts, apart: own dots of a player, and dots it has captured; of a batch of one."""
    cells = state.cells[0]
    grounded = grounded_points(game, state)
    loose = (cells & 0x11 << player != 0) & ~grounded  # a live dot, or a point that is closed and held
    dots = (cells & PLACED) >> 2
    return int((loose & (dots == player + 1)).sum()), int((loose & (dots == 2 - player)).sum())


def _gains(game: KropkiGame, state: KropkiState, player: int) -> dict[int, int]:
    gains = game.gains(state, player)[0]
    return {int(point): int(gains[point]) for point in np.flatnonzero(gains)}


def _named(names: Sequence[str], numbers: dict[int, int]) -> dict[str, int]:
    return {names[action]: number for action, number in numbers.items()}
