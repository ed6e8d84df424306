"""What self-play keeps of a game, and the positions that come of it when the game has ended.

The one idea: a game is its start and its moves. Positions are not kept while it goes on but played again at
its end, all games of a shard side by side, when their targets are known too. Only the searches' policies
cannot be found again; of these, actions without a share are left out. So a game of Kropki on 39x32 points
takes two MiB where its observations and policies would take nine.

Shape letters as in `dotzero.envs.game`; N positions, K games.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import NO_ACTION, Game, State, join_states
from dotzero.train.positions import Positions, pack_legal, unpack_legal

StateT = TypeVar("StateT", bound=State)


class Searched(NamedTuple):
    """The policy that a search found, for a position that is learned from."""

    ply: int
    """Number of the position: the moves made since the log's start."""
    support: NDArray[np.uint8]
    """Actions with a share, eight a byte, lowest bit first. Shape [ceil(A / 8)]."""
    shares: NDArray[np.float16]
    """Their shares, in the order of the actions."""
    surprise: float
    """How far the search moved away from the network's policy, in nats; NaN for the solver's policies."""


@dataclass(slots=True)
class GameLog(Generic[StateT]):
    """One game: its start, its moves, and the policies of the positions that are learned from."""

    start: StateT
    """The position in which self-play took over, one game."""
    actions: list[int] = field(default_factory=list)
    """All moves since."""
    searched: list[Searched] = field(default_factory=list)
    """In the order of the plies."""
    estimates: list[tuple[float, float]] = field(default_factory=list)
    """Of each move, what its search thought of the position before it: value and final margin in points, seen
    by who made the move. NaN where nothing was searched."""
    strayed: bool = False
    """Whether the game only left another one on its way; see `dotzero.train.exact_end`."""

    def add(self, action: int, value: float = math.nan, margin: float = math.nan) -> None:
        """Append a move, with what its search thought of the position before it."""
        self.actions.append(action)
        self.estimates.append((value, margin))


def add_policies(
    logs: Sequence[GameLog[StateT]],
    rows: NDArray[np.integer],
    policy: NDArray[np.float32],
    surprise: NDArray[np.float32] | None = None,
) -> None:
    """Record the searches' policies of the current positions in the logs of `rows`.

    Args:
        logs: K of them.
        rows: Which of them.
        policy: Of all. Shape [K, A].
        surprise: Of all, in nats; None: nothing was searched. Shape [K].
    """
    shares = policy[rows].astype(np.float16)
    support = shares != 0
    surprises = np.full(len(rows), np.nan) if surprise is None else surprise[rows]
    for row, packed, mask, share, nats in zip(
        rows, pack_legal(support), support, shares, surprises.tolist(), strict=True
    ):
        logs[row].searched.append(Searched(len(logs[row].actions), packed.copy(), share[mask], nats))


def random_actions(legal: NDArray[np.bool_], random: np.random.Generator) -> NDArray[np.int32]:
    """A uniformly random legal action in each game, none of them finished. [B, A] -> [B]."""
    keys = np.where(legal, random.random(legal.shape), -1.0)
    return np.asarray(keys.argmax(axis=1), np.int32)


def finished_positions(
    game: Game[StateT], logs: Sequence[GameLog[StateT]], result_share: float = 1.0
) -> tuple[Positions, StateT]:
    """The recorded positions of finished games with the targets that their ends give them.

    Args:
        game: Their board.
        logs: K of them, at least one, each played to its end.
        result_share: See `_mix_in_searches`.

    Returns:
        The positions, game by game and ply by ply; and the K final states.
    """
    games = np.repeat(np.arange(len(logs)), [len(log.searched) for log in logs])
    searched = [item for log in logs for item in log.searched]
    positions, to_move = empty_positions(game, len(searched)), np.zeros(len(searched), np.int8)
    plies = np.array([item.ply for item in searched], np.intp)
    state = join_states([log.start for log in logs])
    moves = _moves(logs)
    movers = np.zeros(moves.shape, np.int8)
    for ply, actions in enumerate(moves):
        movers[ply] = state.to_move
        rows = np.flatnonzero(plies == ply)
        if len(rows):
            seen = state[games[rows]]
            positions.points[rows], positions.globals[rows] = game.observe(seen)
            positions.legal[rows] = pack_legal(game.legal(seen))
            positions.margin[rows], to_move[rows] = game.margin(seen), seen.to_move
        state = game.step(state, actions)
    assert state.finished.all(), "a log must be of a game played to its end"
    for row, item in enumerate(searched):
        support = unpack_legal(item.support[None], game.num_actions)[0]
        positions.policy[row, support] = item.shares
    # The end seen from each position's own player: by identity, never by counting plies.
    sign = np.where(to_move == state.to_move[games], 1, -1).astype(np.int8)
    so_far = positions.margin.copy()
    positions.outcome[:] = sign * game.outcome(state)[games]
    positions.margin[:] = sign * game.margin(state)[games] - positions.margin
    positions.owners[:] = sign[:, None, None] * game.owners(state)[games]
    positions.reply[:] = _replies(moves, movers)[plies, games]
    if result_share < 1:
        _mix_in_searches(positions, logs, movers, plies, games, result_share, so_far)
    return positions, state


def _replies(moves: NDArray[np.int32], movers: NDArray[np.int8]) -> NDArray[np.int16]:
    """The opponent's next move after every ply, -1 where none comes. Shapes [longest, K]."""
    replies = np.full(moves.shape, -1, np.int16)
    rows = np.arange(moves.shape[1])
    following = np.full((2, moves.shape[1]), -1, np.int16)
    for ply in range(len(moves) - 1, -1, -1):
        mover, played = movers[ply], moves[ply] != NO_ACTION
        replies[ply] = following[1 - mover, rows]
        following[mover[played], rows[played]] = moves[ply, played]
    return replies


def _mix_in_searches(
    positions: Positions,
    logs: Sequence[GameLog[StateT]],
    movers: NDArray[np.int8],
    plies: NDArray[np.intp],
    games: NDArray[np.intp],
    keep: float,
    so_far: NDArray[np.float32],
) -> None:
    """Let the searches from each position on share its targets of value and margin with the game's end.

    The targets are those of TD(lambda) with lambda = `keep`: the position's own search counts 1 - keep, the
    next one in the game keep times that, and so on, and what is left of the share is the result's (Sutton,
    "Learning to predict by the methods of temporal differences", 1988). A result hangs on every later mistake
    of the game; a search close by does not. Positions that were not searched are passed over, and their own
    targets are the result's alone.
    """
    share = np.ones(movers.shape, np.float32)
    mixed = np.zeros((*movers.shape, 2), np.float32)  # weighted value and margin, seen by player 0
    going, total = np.ones(len(logs), np.float32), np.zeros((len(logs), 2), np.float32)
    estimates = _estimates(logs, len(movers))
    for ply in range(len(movers) - 1, -1, -1):
        known = ~np.isnan(estimates[ply]).any(axis=1)
        side = np.where(movers[ply] == 0, 1.0, -1.0)[:, None]
        total[known] = keep * total[known] + (1 - keep) * (side * estimates[ply])[known]
        going[known] *= keep
        share[ply], mixed[ply] = going, total
    alone = np.isnan(estimates[plies, games]).any(axis=1)  # the solver's positions, and a teacher's
    own = np.where(movers[plies, games] == 0, 1.0, -1.0)[:, None] * mixed[plies, games]
    own[alone] = 0
    positions.result_share[:] = np.where(alone, 1, share[plies, games])
    positions.searched_value[:] = own[:, 0]
    positions.searched_margin[:] = own[:, 1] - (1 - positions.result_share) * so_far


def _estimates(logs: Sequence[GameLog[StateT]], longest: int) -> NDArray[np.float32]:
    """What the searches thought, ply by ply; NaN behind a game's end. Shape [longest, K, 2]."""
    estimates = np.full((longest, len(logs), 2), np.nan, np.float32)
    for index, log in enumerate(logs):
        if log.estimates:
            estimates[: len(log.estimates), index] = log.estimates
    return estimates


def _moves(logs: Sequence[GameLog[StateT]]) -> NDArray[np.int32]:
    """The moves of all games, ply by ply; `NO_ACTION` behind a game's end. Shape [longest, K]."""
    moves = np.full((max(len(log.actions) for log in logs), len(logs)), NO_ACTION, np.int32)
    for index, log in enumerate(logs):
        moves[: len(log.actions), index] = log.actions
    return moves


def empty_positions(game: Game[StateT], number: int) -> Positions:
    """Room for `number` positions, all zero."""
    board = game.observation_shape[1:]
    return Positions(
        points=np.zeros((number, *game.observation_shape), np.uint8),
        globals=np.zeros((number, game.num_globals), np.float32),
        legal=np.zeros((number, (game.num_actions + 7) // 8), np.uint8),
        policy=np.zeros((number, game.num_actions), np.float16),
        outcome=np.zeros(number, np.int8),
        margin=np.zeros(number, np.float32),
        owners=np.zeros((number, *board), np.int8),
        reply=np.full(number, -1, np.int16),
        result_share=np.ones(number, np.float32),
        searched_value=np.zeros(number, np.float32),
        searched_margin=np.zeros(number, np.float32),
        weight=np.ones(number, np.float32),
    )


def log_arrays(logs: Sequence[GameLog[StateT]], num_actions: int) -> dict[str, NDArray[Any]]:
    """All logs, at least one, as arrays by name, for saving."""
    start = join_states([log.start for log in logs])
    searched = [item for log in logs for item in log.searched]
    support = np.zeros((len(searched), (num_actions + 7) // 8), np.uint8)
    for row, item in enumerate(searched):
        support[row] = item.support
    return {
        **{f"start.{item.name}": getattr(start, item.name) for item in fields(start)},
        "num_actions": np.array([len(log.actions) for log in logs], np.int64),
        "actions": np.array([action for log in logs for action in log.actions], np.int32),
        "estimates": np.array([pair for log in logs for pair in log.estimates], np.float32).reshape(-1, 2),
        "num_searched": np.array([len(log.searched) for log in logs], np.int64),
        "plies": np.array([item.ply for item in searched], np.int32),
        "support": support,
        "surprise": np.array([item.surprise for item in searched], np.float32),
        "shares": np.concatenate([np.empty(0, np.float16), *(item.shares for item in searched)]),
    }


def logs_from_arrays(arrays: Mapping[str, NDArray[Any]], start: StateT) -> list[GameLog[StateT]]:
    """The reverse of `log_arrays`.

    Args:
        arrays: What it gave.
        start: As many games of the same board; overwritten by the logs' starts.
    """
    for item in fields(start):
        getattr(start, item.name)[:] = arrays[f"start.{item.name}"]
    num_shares = np.unpackbits(arrays["support"], axis=1).sum(axis=1, dtype=np.int64)
    shares = _split(arrays["shares"], num_shares)
    kept = (arrays["plies"].tolist(), arrays["support"], shares, arrays["surprise"].tolist())
    searched = [Searched(*item) for item in zip(*kept, strict=True)]
    actions = _split(arrays["actions"], arrays["num_actions"])
    estimates = _split(arrays["estimates"], arrays["num_actions"])
    ends = np.cumsum(arrays["num_searched"])
    return [
        GameLog(
            start[[index]],
            actions[index].tolist(),
            searched[end - number : end],
            [(float(value), float(margin)) for value, margin in estimates[index]],
        )
        for index, (end, number) in enumerate(zip(ends, arrays["num_searched"], strict=True))
    ]


def _split(values: NDArray[Any], lengths: NDArray[np.int64]) -> list[NDArray[Any]]:
    """Consecutive pieces of these lengths; copies, so that none keeps the whole alive."""
    return [piece.copy() for piece in np.split(values, np.cumsum(lengths)[:-1])] if len(lengths) else []
