"""The positions of a recorded game, one after the other, and what the record's own moves did in them.

The one idea: a game of n moves is a batch of n + 1 states, so that whoever values positions can value all of
them together. A move out of turn, as records of Kropki may have it, is played by whom the record says.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame
from dotzero.envs.game import Game, State, join_states
from dotzero.envs.game_records import Record, with_mover
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.replayed_records import Verdict, replay
from dotzero.search.gifts import count_sides, line_boxes


@dataclass(frozen=True, kw_only=True, slots=True)
class GamePositions:
    """One game; n moves."""

    record: Record
    game: Game[Any]
    states: Any
    """The position before every move, its player to move being who made it, and the last one. n + 1."""
    verdict: Verdict
    """What the record comes to."""

    def __len__(self) -> int:
        return len(self.record.moves)

    @property
    def leads(self) -> NDArray[np.float32]:
        """What player 0 leads by in every position, as the rules count, with any komi. Shape [n + 1]."""
        margins = self.game.margin(self.states)
        return np.asarray(np.where(self.states.to_move == 0, margins, -margins), np.float32)

    @property
    def num_legal(self) -> NDArray[np.intp]:
        """Legal moves of every position. Shape [n + 1]."""
        return np.asarray(self.game.legal(self.states).sum(axis=1))

    @property
    def phases(self) -> list[str]:
        """The phase of every position by name. n + 1."""
        return [self.game.phases[phase] for phase in self.game.phase(self.states).tolist()]

    @property
    def most_on_offer(self) -> NDArray[np.int16]:
        """The most boxes, or dots, that one move could take in every position. Shape [n + 1]."""
        if isinstance(self.game, KropkiGame):
            return np.asarray(self.game.gains(self.states).max(axis=1), np.int16)
        assert isinstance(self.game, BoxesGame)
        rules, lines = self.game.rules, self.states.lines
        sides = count_sides(rules, lines)
        above, below = line_boxes(rules).T
        taken = (sides[:, above] == 3).astype(np.int16) + (sides[:, below] == 3)
        return np.asarray(np.where(lines == 0, taken, 0).max(axis=1), np.int16)

    @property
    def taken(self) -> list[int]:
        """Points that every move won for its player. n numbers."""
        scores, movers = self.states.score.tolist(), self.record.movers
        return [
            after[mover] - before[mover]
            for before, after, mover in zip(scores[:-1], scores[1:], movers, strict=True)
        ]


def game_positions(record: Record) -> GamePositions:
    """The positions of a game.

    Raises:
        RecordError: A move is not possible; the message names line, move and reason.
    """
    verdict = replay(record)
    game, state = record.new_game()
    states: list[State] = []
    for action, mover in zip(record.moves, record.movers, strict=True):
        if int(state.to_move[0]) != mover:
            state = with_mover(state, mover)
        states.append(state)
        state = game.step(state, [action])
    states.append(state)
    return GamePositions(record=record, game=game, states=join_states(states), verdict=verdict)
