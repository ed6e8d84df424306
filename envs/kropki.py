"""Kropki (Dots, Точки): rules, observation and symmetries of W x H points, as batches.

A move places an own dot on a point that is neither occupied nor closed. Live dots of one player link in 8
directions; a chain of them round enemy dots, completed by the dot just placed, captures these and closes all
points inside. `KropkiRules` has the options. The game ends when no point is left, or by STOP.

Actions are the points row by row, y * W + x from the top left, and after them STOP, W * H. The same player
may move twice running: after a capture with `add_turn`, and alone in a solo phase.

The observation has three bytes a point, from the side of the player to move ("mine"):

    byte 0                            byte 1                              byte 2
    0  my live dot                    0  in my house                      0  the last move
    1  enemy live dot                 1  in an enemy house                1  the one before
    2  closed, held by me             2  my point, grounded               2  the one before that
    3  closed, held by the enemy      3  enemy point, grounded            3  I would take 3 or more here
    4  my dead dot                    4  I would capture by a dot here    4  the enemy would take 3 or more
    5  enemy dead dot                 5  the enemy would capture here     5  legal now
    6  playable                       6  my dot that a move could take
    7  on the board                   7  enemy dot that I could take

The globals, for the player to move; margins hold the komi, flags are 1 where they hold:

    0  margin so far / 10                       11  solo moves left / N
    1  margin so far / sqrt(N)                  12  add_turn
    2  komi, + for me, / 10                     13  house_closes is owner_turn
    3  my final margin if I stopped now / 10    14  holes
    4  the enemy's if it stopped now / 10       15  punish
    5  playable points / N                      16  last_safe
    6  parity of playable points, +1 even       17  capture_empty
    7  the opening zone binds                   18  score is territory
    8  STOP grounds (else 3 and 4 are 0)        19  1 / instant_win, 0 without
    9  STOP starts a solo phase                 20  sqrt(N) / 10
    10  somebody has stopped

Shape letters as in `game.py`; here H x W is the board, N = H * W its points.
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dotzero import _core
from dotzero.envs.game import NO_ACTION, Game, Observation, Replayed, State, View, one_action_each, one_game
from dotzero.envs.kropki_position import DOT, HELD, PLACED, TAKEN, checked_cells, scores
from dotzero.envs.kropki_rules import KropkiRules, core_options, point_name
from dotzero.envs.kropki_starts import Start
from dotzero.envs.kropki_symmetries import kropki_symmetries

OPENING_REACH = 2
"""Points from the nearest dot, in king's steps, that a random opening keeps within."""


@dataclass(slots=True)
class KropkiState(State):
    """A batch of games of Kropki on one size of board. Scores do not hold the komi."""

    cells: NDArray[np.uint8]
    """What each point holds, as bits; see `kropki_position.py`. A live dot that entered a house and waits for
    its owner's turn keeps the house's bit. Shape [B, H, W]."""
    start_dots: NDArray[np.uint8]
    """1 or 2 where a dot of player 1 or 2 stood at the start, else 0. Shape [B, H, W]."""
    last: NDArray[np.int16]
    """The last three actions, newest first, -1 for none. Shape [B, 3]."""
    num_moves: NDArray[np.int32]
    """Moves made, start dots not counted. Shape [B]."""
    stopped: NDArray[np.int8]
    """The player who said STOP, -1 for nobody. Shape [B]."""
    solo_left: NDArray[np.int32]
    """Moves left in a solo phase; -1 without a limit, and outside such a phase. Shape [B]."""
    komi: NDArray[np.float32]
    """Points of player 1 on top of the score, in halves. Shape [B]."""


@dataclass(frozen=True, slots=True)
class Capture:
    """One enclosure that a move closes."""

    player: int
    """Who captures: the mover, or the owner of the house that it entered."""
    chain: tuple[int, ...]
    """The points of the border in walking order, as actions; the last is linked to the first."""
    interior: tuple[int, ...]
    """The points inside, closed from now on."""
    dots: int
    """Enemy dots inside that the player did not hold before."""


class RandomGames(NamedTuple):
    """Totals over random games."""

    placements: int
    captured: int
    wins: tuple[int, int]


class KropkiGame(Game[KropkiState]):
    """Kropki on `rules.width` x `rules.height` points."""

    name = "kropki"
    encoding_version = 1
    phases = ("opening", "play", "solo", "finished")

    def __init__(self, rules: KropkiRules) -> None:
        self._rules = rules
        self._core = _core.Kropki(core_options(rules))
        self.num_actions = rules.num_points + 1
        self.num_policy_slots = self._core.num_policy_slots
        self.policy_slots = np.arange(self.num_actions, dtype=np.int32)
        self.observation_shape = (self._core.num_point_bytes, rules.height, rules.width)
        self.num_globals = self._core.num_globals
        self.max_margin = rules.num_points
        self.margin_scale = math.sqrt(rules.num_points)
        self.draws_start = rules.start is Start.RANDOM_CROSSES
        self.globals_range = globals_range(rules)
        self.symmetries = kropki_symmetries(rules, self._core.num_point_bytes)

    @property
    def rules(self) -> KropkiRules:
        """Board and options."""
        return self._rules

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of points."""
        return self.rules.height, self.rules.width

    @property
    def stop(self) -> int:
        """The action STOP."""
        return self.rules.num_points

    def neighbour(self) -> "KropkiGame":
        """A board with one row more, or one less where there can be no more, or else one column more."""
        for height in (self.rules.height + 1, self.rules.height - 1):
            with suppress(ValueError):
                return KropkiGame(replace(self.rules, height=height))
        return KropkiGame(replace(self.rules, width=self.rules.width + 1))

    def start(self, num_games: int, random: np.random.Generator | None = None) -> KropkiState:
        """New games, player 0 to move; `random` draws random crosses for each game anew."""
        if random is None:
            return self.start_from(self.rules.start_dots()[None])[np.zeros(num_games, np.intp)]
        shape = (num_games, *self.size)
        boards = [self.rules.start_dots(random) for _ in range(num_games)]
        return self.start_from(np.array(boards, np.uint8).reshape(shape))

    def start_from(self, start_dots: NDArray[np.integer]) -> KropkiState:
        """New games from given start dots (0 none, 1 or 2 of player 1 or 2), player 0 to move. [B, H, W].

        Raises:
            ValueError: A wrong shape or value, or dots that should have been captured.
        """
        dots = np.asarray(start_dots)
        if dots.ndim != 3 or dots.shape[1:] != self.size or not np.isin(dots, (0, 1, 2)).all():
            raise ValueError(
                f"start dots must be 0, 1 or 2 and have shape (games, {self.size[0]}, {self.size[1]}), "
                f"got {dots.shape}"
            )
        state = self.position(np.array((0, *DOT), np.uint8)[dots])
        state.start_dots[:] = dots
        state.num_moves[:] = 0
        return state

    def position(self, cells: NDArray[np.integer], to_move: int | NDArray[np.integer] = 0) -> KropkiState:
        """Positions given by their cells; scores and houses are worked out anew.

        Args:
            cells: What each point holds; house bits are ignored. Shape [B, H, W].
            to_move: The player to move, for all or for each. A number or shape [B].

        Raises:
            ValueError: The cells contradict each other.
        """
        movers = np.asarray(to_move)
        if not np.isin(movers, (0, 1)).all():
            raise ValueError(f"to_move must be 0 or 1, got {to_move}")
        bare = checked_cells(self.rules, cells)
        num_games = len(bare)
        self._core.houses(bare)
        score = scores(self.rules, bare)
        over = (bare & TAKEN != 0).all(axis=(1, 2))
        if self.rules.instant_win is not None:
            over |= abs(score[:, 0] - score[:, 1]) >= self.rules.instant_win
        return KropkiState(
            to_move=np.broadcast_to(movers, num_games).astype(np.int8),
            finished=over,
            score=score,
            cells=bare,
            start_dots=np.zeros_like(bare),
            last=np.full((num_games, 3), NO_ACTION, np.int16),
            num_moves=np.count_nonzero(bare & PLACED, axis=(1, 2)).astype(np.int32),
            stopped=np.full(num_games, -1, np.int8),
            solo_left=np.full(num_games, -1, np.int32),
            komi=np.full(num_games, self.rules.komi, np.float32),
        )

    def step(self, state: KropkiState, action: Sequence[int] | NDArray[np.integer]) -> KropkiState:
        """Place one dot, or say STOP, in every unfinished game."""
        actions = one_action_each(action, state)
        after = state.copy()
        given = np.clip(actions, -2, self.num_actions).astype(np.int32)
        illegal = self._core.step(*core_arrays(after), given)
        if illegal >= 0:
            raise ValueError(self._why_illegal(state, illegal, int(actions[illegal])))
        return after

    def legal(self, state: KropkiState) -> NDArray[np.bool_]:
        """True for the playable points, in the opening those of the zone, and for STOP where there is one."""
        return self._core.legal(*core_arrays(state)).view(np.bool_)

    def opening_actions(self, state: KropkiState) -> NDArray[np.bool_]:
        """Legal points within 2 king's steps of a dot, or all legal points where there is none; no STOP."""
        points = self.plain_actions(state)
        near = state.cells & PLACED != 0
        for axis in (1, 2):
            wide = np.pad(near, [(OPENING_REACH, OPENING_REACH) if a == axis else (0, 0) for a in range(3)])
            length = near.shape[axis]
            shifted = [np.take(wide, np.arange(s, s + length), axis) for s in range(2 * OPENING_REACH + 1)]
            near = np.logical_or.reduce(shifted)
        close = points.copy()
        close[:, : self.stop] &= near.reshape(len(state), self.stop)
        return np.where(close.any(axis=1, keepdims=True), close, points)

    def plain_actions(self, state: KropkiState) -> NDArray[np.bool_]:
        """The legal points, without STOP."""
        points = self.legal(state)
        points[:, self.stop] = False
        return points

    def observe(self, state: KropkiState) -> Observation:
        """Three bytes a point and the globals; see the module's docstring."""
        return Observation(*self._core.observe(*core_arrays(state)))

    def view(self, state: KropkiState) -> View:
        """24 planes, 21 globals; decided for whoever has won, or would by stopping with grounding."""
        return View(*self._core.view(*core_arrays(state)))

    def replay(
        self,
        state: KropkiState,
        actions: Sequence[int] | NDArray[np.integer],
        movers: NDArray[np.int8] | None = None,
    ) -> Replayed[KropkiState]:
        """Play a sequence of moves in one game, of either player where `movers` says so."""
        given = one_game(state, actions, self.num_actions)
        who = np.full(len(given), -1, np.int8) if movers is None else np.asarray(movers, np.int8)
        if who.shape != given.shape or not np.isin(who, (-1, 0, 1)).all():
            raise ValueError(f"movers must be -1, 0 or 1 and have shape ({len(given)},), got {who.shape}")
        after = state.copy()
        scores, found, illegal = self._core.replay(*core_arrays(after), given, who)
        return Replayed(after, scores, found, None if illegal < 0 else illegal)

    def owners(self, state: KropkiState) -> NDArray[np.int8]:
        """Whose live dot is on each point, or who holds it where it is closed, seen by the player to move."""
        owned = np.zeros(state.cells.shape, np.int8)
        for player, bits in enumerate((0x11, 0x22)):
            sign = np.where(state.to_move == player, 1, -1)[:, None, None]
            np.copyto(owned, sign, where=state.cells & bits != 0, casting="unsafe")
        return owned

    def margin(self, state: KropkiState) -> NDArray[np.float32]:
        """Points of the player to move minus the opponent's, komi included. Shape [B]."""
        ahead = (state.score[:, 0] - state.score[:, 1]).astype(np.float32) - state.komi
        return np.where(state.to_move == 0, ahead, -ahead)

    def with_komi(self, state: KropkiState, komi: NDArray[np.floating]) -> KropkiState:
        """The same games, each with another komi of whole or half points. `komi` [B]."""
        values = np.asarray(komi, np.float64)
        if values.shape != (len(state),):
            raise ValueError(f"komi must have shape ({len(state)},), got {values.shape}")
        for value in values.tolist():
            replace(self.rules, komi=value)  # its checks are the rules' own
        changed = state.copy()
        changed.komi[:] = values
        return changed

    def describe_start(self, state: KropkiState, index: int = 0) -> dict[str, Any]:
        """Names of the start dots of player 1 and of player 2, and the komi."""
        dots = state.start_dots[index]
        places = [[point_name(x, y) for y, x in np.argwhere(dots == player).tolist()] for player in (1, 2)]
        return {"start": places, "komi": float(state.komi[index])}

    def gains(self, state: KropkiState, player: int | NDArray[np.integer] | None = None) -> NDArray[np.int16]:
        """Enemy dots that a player would take by a dot on each point now, 0 where none can be. [B, N].

        Visitors that wait in a house for its owner's turn are not counted: they fall wherever it moves.

        Args:
            state: The positions.
            player: 0 or 1, for all or for each; None: the player to move.
        """
        mover = np.asarray(state.to_move if player is None else player)
        if not np.isin(mover, (0, 1)).all():
            raise ValueError(f"player must be 0 or 1, got {player}")
        return self._core.gains(
            *core_arrays(state), np.broadcast_to(mover.astype(np.int8), len(state)).copy()
        )

    def captures(self, state: KropkiState, action: int, index: int = 0) -> list[Capture]:
        """What a legal action encloses in game `index`, in the order in which it happens."""
        if not 0 <= index < len(state):
            raise ValueError(f"index must be in 0..{len(state) - 1}, got {index}")
        alone = state[index : index + 1]
        self.step(alone, [action])
        return [
            Capture(player, tuple(chain), tuple(interior), dots)
            for player, chain, interior, dots in self._core.captures(*core_arrays(alone), action)
        ]

    def ungrounded(self, state: KropkiState) -> NDArray[np.int32]:
        """Dots, own ones and captives, on points of each player that nothing links to the edge. [B, 2]."""
        return self._core.ungrounded(*core_arrays(state))

    def stop_margins(self, state: KropkiState) -> NDArray[np.float32]:
        """Final margin of each player, seen by it and with komi, if it stopped with grounding now. [B, 2]."""
        return self._core.stop_margins(*core_arrays(state))

    def phase(self, state: KropkiState) -> NDArray[np.int8]:
        """As `view` tells it, without the rest. Shape [B]."""
        return self._core.phase(*core_arrays(state))

    def decided(self, state: KropkiState) -> NDArray[np.int8]:
        """As `view` tells it, without the rest, since self-play asks for every move. Shape [B]."""
        return self._core.decided(*core_arrays(state))

    def winning_stop(self, state: KropkiState) -> NDArray[np.int32]:
        """STOP where the player to move wins by it now, else `NO_ACTION`. Shape [B]."""
        wins = (self.decided(state) == state.to_move) & ~state.finished
        return np.where(wins, self.stop, NO_ACTION).astype(np.int32)

    def new_search(self, num_games: int, options: dict[str, Any], num_threads: int) -> _core.KropkiSearch:
        """The core's search over `num_games` games of this size."""
        return _core.KropkiSearch(self._core, num_games, options, num_threads)

    def load_roots(
        self, core_search: _core.KropkiSearch, slots: NDArray[np.int32], state: KropkiState
    ) -> None:
        """Make `state` the roots of the games `slots`."""
        core_search.set_roots(slots, *core_arrays(state))

    def play_random_games(self, num_games: int, seed: int, keep_grounding: bool = False) -> RandomGames:
        """Totals over uniformly random games from empty boards, at the core's full speed."""
        placements, captured, first, second = self._core.play_random_games(num_games, seed, keep_grounding)
        return RandomGames(placements, captured, (first, second))

    def copy_states(self, num_copies: int) -> int:
        """Copy a state of the core so many times and return the bytes: the least that a move can cost."""
        return self._core.copy_states(num_copies)

    def _why_illegal(self, state: KropkiState, game: int, action: int) -> str:
        cell = int(state.cells[game].flat[action]) if 0 <= action < self.stop else 0
        if action == NO_ACTION:
            reason = "the game is not finished and there is no pass"
        elif not 0 <= action < self.num_actions:
            reason = f"points are 0..{self.stop - 1} and STOP is {self.stop}"
        elif state.finished[game]:
            reason = "the game is finished"
        elif action == self.stop:
            reason = "STOP is off"
        elif cell & HELD:
            reason = "this point is closed"
        elif cell & PLACED:
            reason = "this point is occupied"
        else:
            reason = "the first move of each player must lie in the opening zone"
        return f"illegal action {action} in game {game}: {reason}"


def globals_range(rules: KropkiRules) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Least and greatest value of each of the globals, rounded to whole numbers away from 0. Shapes [G]."""
    N = rules.num_points
    margin = 2 * N / 10  # the points and the komi
    solo = max(1.0, (rules.solo_moves or 0) / N)
    high = [margin, 2 * math.sqrt(N), N / 10, margin, margin, *[1] * 6, solo, *[1] * 8, math.sqrt(N) / 10]
    signed = np.array([1, 1, 1, 1, 1, 0, 1, *[0] * 14], np.float32)
    greatest = np.ceil(high).astype(np.float32)
    return -signed * greatest, greatest


def core_arrays(state: KropkiState) -> tuple[NDArray[Any], ...]:
    """The arrays of a batch in the order of the core's calls."""
    return (
        state.cells,
        state.last,
        state.num_moves,
        state.stopped,
        state.solo_left,
        state.komi,
        state.to_move,
        state.finished.view(np.uint8),
        state.score,
    )
