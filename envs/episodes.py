"""Episodes of many games side by side: what both faces, one environment and many, have in common.

The one idea: everything is done for a batch, and the environment of one game is a batch of one. So the two
faces cannot differ in rules, rewards or luck, and the fast one needs no loop over its games.

There are two forms. In self-play the agent makes every move, whoever's turn it is, and a reward belongs to
the player who made the move. With an opponent the agent has one seat, the opponent's moves happen inside a
step, and all rewards are the agent's.

Shape letters as in `game.py`; n games of a batch of B.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero import _core
from dotzero.envs.game import NO_ACTION, Game, State
from dotzero.envs.kropki import Capture, KropkiGame, KropkiState
from dotzero.envs.opponents import (
    Observations,
    Opponent,
    OpponentMoves,
    are_legal,
    observations,
    whole_numbers,
)

NO_SEAT = -1
"""The agent's seat in self-play."""


class Seat(StrEnum):
    """Which player the agent is where it has an opponent."""

    FIRST = "first"
    SECOND = "second"
    RANDOM = "random"
    """Drawn for each episode."""


class Reward(StrEnum):
    """What is rewarded."""

    OUTCOME = "outcome"
    """+1 for a win, -1 for a loss, at the end of the game."""
    MARGIN = "margin"
    """Whatever the margin grows by, step for step."""


class IllegalAction(StrEnum):
    """What an illegal action does."""

    TERMINATE = "terminate"
    """It ends the episode with the reward -1; the game stays as it was."""
    RAISE = "raise"
    """It is a ValueError."""


@dataclass(kw_only=True, slots=True)
class EpisodeOptions:
    """What the environments take besides rules; texts, as a specification holds them, become enums."""

    opponent: Opponent | None = None
    """Who answers; none: the agent plays both sides."""
    seat: Seat = Seat.RANDOM
    """The agent's, where there is an opponent."""
    reward: Reward = Reward.OUTCOME
    """What is rewarded."""
    illegal_action: IllegalAction = IllegalAction.TERMINATE
    """What an illegal action does."""
    render_mode: str | None = None
    """`ansi`, `rgb_array` or none."""

    def __post_init__(self) -> None:
        for name, kind in (("seat", Seat), ("reward", Reward), ("illegal_action", IllegalAction)):
            value, names = getattr(self, name), [member.value for member in kind]
            if value not in names:
                raise ValueError(f"{name} must be one of {', '.join(names)}, got {value!r}")
            setattr(self, name, kind(value))
        if self.opponent is None and self.seat is not Seat.RANDOM:
            raise ValueError(f"seat must be left alone without an opponent, got {self.seat.value!r}")
        if self.render_mode not in (None, *RENDER_MODES):
            modes = ", ".join(RENDER_MODES)
            raise ValueError(f"render_mode must be none or one of {modes}, got {self.render_mode!r}")


RENDER_MODES = ("ansi", "rgb_array")


class Episodes:
    """B games of one board, each at some point of an episode."""

    def __init__(self, game: Game[Any], num_games: int, options: EpisodeOptions) -> None:
        if isinstance(num_games, bool) or not isinstance(num_games, int) or num_games < 1:
            raise ValueError(f"num_envs must be a whole number of at least 1, got {num_games!r}")
        self.game, self.options = game, options
        self.moves = None if options.opponent is None else OpponentMoves(game, options.opponent)
        self.state: State = game.start(num_games)
        self.seats = np.full(num_games, NO_SEAT, np.int8)
        self.illegal = np.zeros(num_games, np.bool_)
        self.last = np.full(num_games, NO_ACTION, np.int32)
        self.enclosures: list[list[Capture]] = [[] for _ in range(num_games)]
        self._seeds = np.zeros(num_games, np.uint64)
        self._begun = False
        self._fresh = game.start(1)
        self._phase_names = np.array(game.phases, object)
        self._draws_captures = options.render_mode == "rgb_array"
        self.look()

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Which episodes are over. Shape [B]."""
        return self.state.finished | self.illegal

    def begin(self, rows: NDArray[np.intp], generators: Sequence[np.random.Generator]) -> None:
        """New episodes in `rows` [n], each drawn from its own generator: start, seat, luck of the opponent.

        `look` must follow before anything is shown.

        Raises:
            ValueError: The opponent ends a game before the agent can move.
        """
        self._begun = True
        if self.game.draws_start:
            for row, generator in zip(rows, generators, strict=True):
                self.state[[row]] = self.game.start(1, generator)
        else:
            self.state[rows] = self._fresh[np.zeros(len(rows), np.intp)]
        self.illegal[rows], self.last[rows] = False, NO_ACTION
        for row in rows:
            self.enclosures[row] = []
        if self.moves is not None:
            for row, generator in zip(rows, generators, strict=True):
                self.seats[row] = self._draw_seat(generator)
                self._seeds[row] = generator.integers(2**63)
            self._answer(rows)
            if self.state.finished[rows].any():
                self.look()
                raise ValueError(
                    "opponent must leave the agent a move, got one that ended the game at its start"
                )

    def play(
        self,
        actions: Any,
        renewed: NDArray[np.bool_] | None = None,
        generators: Sequence[np.random.Generator] = (),
    ) -> NDArray[np.float64]:
        """Play the agent's actions, and the opponent's answers.

        Args:
            actions: Shape [B]; those of renewed games are not looked at.
            renewed: The games that begin anew instead; none if None. Shape [B].
            generators: Theirs at their places. B.

        Returns:
            The rewards, 0 in renewed games. float64, shape [B].

        Raises:
            ValueError: Actions of another shape or kind, an illegal one where that is an error, or an episode
                that is over and is not renewed; nothing has happened then. Or a wrong move of the opponent:
                the games that wait for it must begin anew, as after any other error of its own.
        """
        if not self._begun:
            raise ValueError("game 0 must be reset before its first step, got step")
        going = np.ones(len(self.state), np.bool_) if renewed is None else ~renewed
        over = np.flatnonzero(going & self.ended)
        if len(over):
            raise ValueError(f"game {over[0]} must be reset before its next step, its episode is over")
        broken = np.flatnonzero(going & self._waiting)
        if len(broken):
            raise ValueError(f"game {broken[0]} must be reset before its next step, its opponent failed")
        num_games = len(self.state)
        chosen = whole_numbers(actions, num_games, f"action must be whole numbers of shape ({num_games},)")
        legal = are_legal(self._legal, chosen)
        wrong, playing = going & ~legal, going & legal
        if self.options.illegal_action is IllegalAction.RAISE and wrong.any():
            index = int(wrong.argmax())
            raise ValueError(f"action must be legal, got {int(chosen[index])} in game {index}")
        self.illegal = self.illegal | wrong
        if renewed is not None and renewed.any():
            rows = np.flatnonzero(renewed)
            self.begin(rows, [generators[row] for row in rows.tolist()])
        players = self.state.to_move.copy() if self.moves is None else self.seats
        before = self._ahead(players) if self.options.reward is Reward.MARGIN else None
        rows = np.flatnonzero(playing)
        self._step(rows, chosen[rows])
        if self.moves is not None:
            self._answer(rows)
        self.look()
        return np.where(playing, self._gained(players, before), np.where(wrong, -1.0, 0.0))

    def look(self, rows: NDArray[np.intp] | None = None) -> None:
        """See the games anew: all in fresh arrays, or only `rows` [n] in arrays not given away yet."""
        if rows is None:
            self.view = self.game.view(self.state)
        else:
            seen = self.game.view(self.state[rows])
            for name in seen._fields:
                getattr(self.view, name)[rows] = getattr(seen, name)
        self._legal = self.view.action_mask != 0  # a copy: whoever is shown the view may change it

    def infos(self) -> dict[str, NDArray[Any]]:
        """What is told of every game besides its observation. Arrays of B games, all fresh."""
        decided, finished = self.view.decided, self.state.finished
        return {
            "action_mask": self._legal.astype(np.int8),
            "to_move": self.state.to_move.astype(np.int64),
            "score": self.state.score.copy(),
            "phase": self._phase_names[self.view.phase],
            "decided": decided.astype(np.int64),
            "illegal": self.illegal.copy(),
            "seat": self.seats.astype(np.int64),
            "result": np.where(finished, decided + 1, -1).astype(np.int64),
        }

    def observations(self) -> Observations:
        """The observations of the mover in every game; they belong to the caller from now on."""
        return observations(self.view)

    @property
    def legal(self) -> NDArray[np.bool_]:
        """True for the legal actions; none in an episode that is over by the rules. Shape [B, A]."""
        return np.array(self._legal)

    def sample_legal(self, random: np.random.Generator) -> NDArray[np.int64]:
        """A uniformly random legal action of every game; 0 where there is none. Shape [B]."""
        return _core.draw_actions(self._legal.view(np.int8), random.random(len(self.state)))

    def close(self) -> None:
        """Free what the opponent holds."""
        if self.moves is not None:
            self.moves.close()

    @property
    def _waiting(self) -> NDArray[np.bool_]:
        """Which games wait for the opponent. Shape [B]."""
        going = (self.seats != NO_SEAT) & ~self.state.finished
        return np.asarray(going & (self.state.to_move != self.seats))

    def _step(self, rows: NDArray[np.intp], actions: NDArray[np.integer]) -> None:
        """Play legal actions in unfinished games. Both [n]."""
        if self._draws_captures and isinstance(self.game, KropkiGame) and isinstance(self.state, KropkiState):
            for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
                self.enclosures[row] += self.game.captures(self.state, action, row)
        self.last[rows] = actions
        others = len(self.state) - len(rows)
        if others == np.count_nonzero(self.state.finished):  # all the others: no need to gather any
            all_actions = np.full(len(self.state), NO_ACTION, np.int32)
            all_actions[rows] = actions
            self.state = self.game.step(self.state, all_actions)
        elif len(rows):
            self.state[rows] = self.game.step(self.state[rows], actions)

    def _answer(self, rows: NDArray[np.intp]) -> None:
        """The opponent's moves in `rows`, until it is the agent's turn in all of them or they are over."""
        assert self.moves is not None
        while True:
            rows = rows[self._waiting[rows]]
            if len(rows) == 0:
                return
            try:
                chosen = self.moves.choose(self.state[rows], self._seeds[rows])
            except BaseException:
                self.look()  # some games have moved on, and nobody else will look now
                raise
            self._step(rows, chosen)

    def _draw_seat(self, generator: np.random.Generator) -> int:
        if self.options.seat is Seat.RANDOM:
            return int(generator.integers(2))
        return int(self.options.seat is Seat.SECOND)

    def _ahead(self, players: NDArray[np.int8]) -> NDArray[np.float64]:
        """The margin of a player in every game, as the game counts it. Shape [B]."""
        margin = self.game.margin(self.state).astype(np.float64)
        return np.where(self.state.to_move == players, margin, -margin)

    def _gained(self, players: NDArray[np.int8], before: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """What a step was worth to `players`; `before` holds their margins before it, or None. All [B]."""
        if before is not None:
            return self._ahead(players) - before
        decided = self.view.decided
        won = np.where(decided == players, 1.0, np.where(decided == 1 - players, -1.0, 0.0))
        return np.where(self.state.finished, won, 0.0)
