"""Matches between two players: paired openings, colours swapped, all games side by side.

Every opening (a start, drawn where the rules leave it to chance, and a few random moves) is played twice,
with either player beginning, so that neither the first move's advantage nor a lucky opening decides. All
games advance together and a player is asked for all its positions at once. The same players, configuration
and seed give the same match.

Shape letters as in `envs/game.py`; here B = the games of a match, opening by opening.
"""

import json
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import NO_ACTION, Game, State
from dotzero.envs.notation import notation_for
from dotzero.play.players import Player, cast_lots, pick
from dotzero.play.ratings import Estimate, estimate

Progress = Callable[[int, int], None]
"""Called with the number of finished games and of all games."""


@dataclass(kw_only=True, slots=True)
class ArenaConfig:
    """How players are compared."""

    games: int = 200
    """Games of each match; an even number, since every opening is played with both colours."""
    opening_plies: int = 2
    """Random moves at the start of every opening, before the players take over."""
    seed: int = 0
    """Decides the openings and the players' luck."""

    def __post_init__(self) -> None:
        for name, least in (("games", 2), ("opening_plies", 0), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ValueError(
                    f"ArenaConfig.{name} must be a whole number of at least {least}, got {value!r}"
                )
        if self.games % 2:
            raise ValueError(f"ArenaConfig.games must be even, got {self.games}")


@dataclass(frozen=True, kw_only=True, slots=True)
class GameRecord:
    """One game of a match. Players are 1 and 2 in the order of the seats, as in every file."""

    players: tuple[str, str]
    """Who began and who did not."""
    opening: int
    """Index of the opening; the two games of a pair share it."""
    opening_plies: int
    """How many of the moves are the opening's."""
    moves: tuple[str, ...]
    """Names of all moves."""
    movers: tuple[int, ...]
    """Player 1 or 2 of every move."""
    score: tuple[int, int]
    """Final points of player 1 and player 2, without komi."""
    result: int
    """The player who won, 0 for a draw."""
    start: dict[str, Any] = field(default_factory=dict)
    """What the rules do not say of the start (in Kropki: dots and komi); empty in Boxes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchResult:
    """A match as seen by its first player."""

    first: str
    """Name of the first player."""
    second: str
    """Name of the second player."""
    wins: int
    """Games the first player won."""
    draws: int
    """Drawn games."""
    losses: int
    """Games the first player lost."""
    as_first: float
    """The first player's share of the points in the games it began."""
    as_second: float
    """Its share in the games the opponent began."""
    mean_margin: float
    """Its mean final margin, in points of the game, komi included."""
    distinct_games: int
    """Different games, by start and moves; far below the number of games: they repeat each other."""
    estimate: Estimate
    """Score, Elo difference and interval from the pairs."""
    records: tuple[GameRecord, ...] = field(repr=False)
    """All games, opening by opening."""

    @property
    def score(self) -> float:
        """The first player's share of the points, 0 to 1."""
        return self.estimate.score


def play_match(
    game: Game[Any],
    first_player: Player,
    second_player: Player,
    config: ArenaConfig,
    progress: Progress | None = None,
) -> MatchResult:
    """Play all games of a match.

    Raises:
        ValueError: The openings end games, or a player made an illegal move (the message names it).
    """
    num_pairs = config.games // 2
    state, opening = draw_openings(game, num_pairs, config.opening_plies, np.random.default_rng(config.seed))
    twice = np.repeat(np.arange(num_pairs), 2)
    moves, movers = [[list(game_moves[pair]) for pair in twice] for game_moves in opening]
    seats = np.arange(config.games) % 2  # the seat of the first player
    luck = _player_luck(first_player.name, second_player.name, config)
    final = _play_out(
        game, (first_player, second_player), state[twice], seats, luck, (moves, movers), progress
    )
    names = (first_player.name, second_player.name)
    ahead = np.where(final.to_move == 0, 1, -1) * game.margin(final)  # of player 0
    records = _records(game, names, seats, final, ahead, (moves, movers), config.opening_plies)
    return _summary(names, ahead * (1 - 2 * seats), records)


def draw_openings(
    game: Game[Any], num_openings: int, plies: int, rng: np.random.Generator
) -> tuple[State, tuple[list[list[int]], list[list[int]]]]:
    """Random openings, different positions as long as there are any to be found.

    Returns:
        The positions, and of each opening the actions and their players (0 or 1).
    """
    found: dict[bytes, int] = {}
    spare: list[int] = []
    state, actions, movers = _random_starts(game, 4 * num_openings, plies, rng)
    going = np.flatnonzero(~state.finished)
    if len(going) < num_openings:
        raise ValueError(f"ArenaConfig.opening_plies must leave something to play, got {plies}")
    points = game.observe(state).points
    for index in going.tolist():
        position = points[index].tobytes() + state.to_move[index].tobytes() + state.score[index].tobytes()
        if position in found:
            spare.append(index)
        found.setdefault(position, index)
    chosen = np.array(([*found.values()] + spare)[:num_openings])
    return state[chosen], (actions[chosen].tolist(), movers[chosen].tolist())


def _random_starts(
    game: Game[Any], num_games: int, plies: int, rng: np.random.Generator
) -> tuple[Any, NDArray[np.int32], NDArray[np.int8]]:
    state = game.start(num_games, rng)
    seeds = rng.integers(2**64, size=num_games, dtype=np.uint64)
    actions = np.full((num_games, plies), NO_ACTION, np.int32)
    movers = np.zeros((num_games, plies), np.int8)
    for ply in range(plies):
        actions[:, ply] = pick(game.opening_actions(state), cast_lots(game, state, seeds))
        movers[:, ply] = state.to_move
        state = game.step(state, actions[:, ply])
    return state, actions, movers


def _player_luck(first: str, second: str, config: ArenaConfig) -> NDArray[np.uint64]:
    """Seeds of both players for all games. Openings are common to all matches, luck is not. Shape [2, B]."""
    sequence = np.random.SeedSequence([config.seed, *(zlib.crc32(name.encode()) for name in (first, second))])
    return np.random.default_rng(sequence).integers(2**64, size=(2, config.games), dtype=np.uint64)


def _play_out(
    game: Game[Any],
    players: tuple[Player, Player],
    state: State,
    seats: NDArray[np.intp],
    luck: NDArray[np.uint64],
    history: tuple[list[list[int]], list[list[int]]],
    progress: Progress | None,
) -> State:
    """Play all games to the end, adding moves and movers to `history`; player k's luck is `luck[k]`."""
    moves, movers = history
    while not state.finished.all():
        actions = np.full(len(state), NO_ACTION, np.int32)
        for number, player in enumerate(players):
            asked = np.flatnonzero(~state.finished & ((state.to_move == seats) == (number == 0)))
            if len(asked):
                actions[asked] = _ask(game, player, state[asked], luck[number, asked])
        for index in np.flatnonzero(~state.finished):
            moves[index].append(int(actions[index]))
            movers[index].append(int(state.to_move[index]))
        state = game.step(state, actions)
        if progress is not None:
            progress(int(state.finished.sum()), len(state))
    return state


def _ask(game: Game[Any], player: Player, state: State, luck: NDArray[np.uint64]) -> NDArray[np.int32]:
    """The player's actions, with a wrong one blamed on the player."""
    actions = player.choose(game, state, luck)
    legal = np.append(game.legal(state), np.zeros((len(state), 1), np.bool_), axis=1)
    chosen = np.where((actions >= 0) & (actions < game.num_actions), actions, game.num_actions)
    wrong = np.flatnonzero(~legal[np.arange(len(state)), chosen])
    if len(wrong):
        raise ValueError(f"player {player.name} must choose a legal action, got {actions[wrong[0]]}")
    return actions


def _records(
    game: Game[Any],
    names: tuple[str, str],
    seats: NDArray[np.intp],
    final: State,
    ahead: NDArray[np.float32],
    history: tuple[list[list[int]], list[list[int]]],
    opening_plies: int,
) -> tuple[GameRecord, ...]:
    """All games; `ahead` [B] are the final margins of player 0."""
    notation, (moves, movers) = notation_for(game), history
    records = []
    for index, (one, two) in enumerate(final.score.tolist()):
        records.append(
            GameRecord(
                players=names if seats[index] == 0 else (names[1], names[0]),
                opening=index // 2,
                opening_plies=opening_plies,
                moves=tuple(notation.name(action) for action in moves[index]),
                movers=tuple(player + 1 for player in movers[index]),
                score=(one, two),
                result=1 if ahead[index] > 0 else 2 if ahead[index] < 0 else 0,
                start=game.describe_start(final, index),
            )
        )
    return tuple(records)


def num_distinct(records: Iterable[GameRecord]) -> int:
    """How many different games there are, by start and moves."""
    return len({(json.dumps(record.start), record.moves) for record in records})


def _summary(
    names: tuple[str, str], margins: NDArray[np.floating], records: tuple[GameRecord, ...]
) -> MatchResult:
    """Count a match whose games are ordered in pairs, the first player beginning the first of each.

    `margins` are the first player's. Shape [B].
    """
    points = (np.sign(margins) + 1) / 2
    return MatchResult(
        first=names[0],
        second=names[1],
        wins=int((margins > 0).sum()),
        draws=int((margins == 0).sum()),
        losses=int((margins < 0).sum()),
        as_first=float(points[0::2].mean()),
        as_second=float(points[1::2].mean()),
        mean_margin=float(margins.mean()),
        distinct_games=num_distinct(records),
        estimate=estimate(points.reshape(-1, 2).mean(axis=1).tolist()),
        records=records,
    )
