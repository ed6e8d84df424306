"""Matches between two players: paired openings, colours swapped.

Every opening is played twice, with either player beginning, so that neither the first move's advantage nor a
lucky opening decides. The games of a chunk of openings advance together and a player is asked for all its
positions at once; where a player follows single games (a program of its own, a clock), they are played one
after another. Either way a game depends on players, opening and its own luck alone: the same players,
configuration and seed give the same match, in whatever chunks and order.

Shape letters as in `envs/game.py`; here B = the games of a chunk, opening by opening.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import NO_ACTION, Game, State
from dotzero.envs.notation import notation_for
from dotzero.play.adjudication import Adjudicator, Verdicts
from dotzero.play.match_result import FORFEIT, PLAYED, GameRecord, MatchResult, summary
from dotzero.play.openings import Openings, draw_openings, read_openings
from dotzero.play.players import ForfeitError, Player

Progress = Callable[[int, int], None]
"""Called with the number of finished games and of all games."""
_OPENING_PLIES = 2
"""Random moves of an opening, unless said otherwise."""


class Adjudication(Enum):
    """When a game is ended before its end."""

    NONE = "none"
    """Never."""
    DECIDED = "decided"
    """As soon as nobody can change the winner any more."""
    EXACT = "exact"
    """That, and in Dots and Boxes where the solver knows the result under best play."""


@dataclass(kw_only=True, slots=True)
class ArenaConfig:
    """How players are compared."""

    games: int = 200
    """Games of each match; an even number, since every opening is played with both colours."""
    opening_plies: int = _OPENING_PLIES
    """Random moves at the start of every opening, before the players take over."""
    openings: str | None = None
    """A file with openings in place of random ones; see `dotzero.play.openings`."""
    adjudication: Adjudication = Adjudication.NONE
    """When games are ended before their end."""
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
        if self.openings is not None and self.opening_plies not in (0, _OPENING_PLIES):
            raise ValueError(
                f"ArenaConfig.opening_plies must be left out with openings={self.openings}, whose moves are "
                f"not followed by random ones, got {self.opening_plies}"
            )

    @property
    def num_pairs(self) -> int:
        """Pairs of games."""
        return self.games // 2

    def make_openings(self, game: Game[Any]) -> Openings:
        """The openings of all pairs.

        Raises:
            ValueError: They cannot be drawn or read.
        """
        if self.openings is not None:
            return read_openings(game, Path(self.openings), self.num_pairs)
        return draw_openings(game, self.num_pairs, self.opening_plies, np.random.default_rng(self.seed))


def play_match(
    game: Game[Any],
    first_player: Player,
    second_player: Player,
    config: ArenaConfig,
    progress: Progress | None = None,
) -> MatchResult:
    """Play all games of a match in this process.

    Raises:
        ValueError: The openings end games, or a player made an illegal move (the message names it).
    """
    match = Match(game, first_player, second_player, config)
    records = match.play(0, config.num_pairs, progress)
    return summary(first_player.name, second_player.name, records)


class Match:
    """The pairs of a match, to be played in any parts."""

    def __init__(self, game: Game[Any], first: Player, second: Player, config: ArenaConfig) -> None:
        """Draw the openings.

        Raises:
            ValueError: See `ArenaConfig.make_openings`.
        """
        self._game = game
        self._players = (first, second)
        self._openings = config.make_openings(game)
        for player in self._players:
            if player.whole_games and any(self._openings.actions):
                raise ValueError(
                    f"ArenaConfig.opening_plies must be 0 with player {player.name}: "
                    "its protocol has no words for openings"
                )
        self._luck = _player_luck(first.name, second.name, config)
        self._adjudicator = Adjudicator(
            game,
            decided=config.adjudication is not Adjudication.NONE,
            exact=config.adjudication is Adjudication.EXACT,
        )

    def play(self, first_pair: int, last_pair: int, progress: Progress | None = None) -> list[GameRecord]:
        """The games of the pairs from `first_pair` up to `last_pair`, without that one.

        Raises:
            ValueError: A player that is no program of its own made an illegal move.
        """
        games = _Games(self._game, self._openings.part(first_pair, last_pair), first_pair)
        luck = self._luck[:, 2 * first_pair : 2 * last_pair]
        if any(player.follows_games for player in self._players):
            _play_in_turn(games, self._players, luck, self._adjudicator, progress)
        else:
            _play_side_by_side(games, self._players, luck, self._adjudicator, progress)
        return games.records((self._players[0].name, self._players[1].name))


class _Games:
    """Both games of each of some openings, and what has been played in them."""

    def __init__(self, game: Game[Any], openings: Openings, first_opening: int) -> None:
        self.game = game
        twice = np.repeat(np.arange(len(openings.actions)), 2)
        self.state: Any = openings.state[twice]
        self.start: Any = openings.start[twice]
        self.actions = [list(openings.actions[pair]) for pair in twice]
        self.movers = [list(openings.movers[pair]) for pair in twice]
        self.seats = np.arange(len(twice)) % 2  # the seat of the first player
        self._plies = [len(actions) for actions in self.actions]
        self._openings = twice + first_opening
        self.going = ~self.state.finished
        self._margin = np.zeros(len(twice), np.float64)  # of player 0, where the game was broken off
        self._winner = np.full(len(twice), -1)  # likewise: 0, 1, or 2 for a draw
        self._ending = [PLAYED] * len(twice)

    def __len__(self) -> int:
        return len(self.actions)

    def step(self, rows: NDArray[np.intp], actions: NDArray[np.int32]) -> None:
        """Play a move in each of some games that are going on."""
        for row, action, mover in zip(rows, actions.tolist(), self.state.to_move[rows].tolist(), strict=True):
            self.actions[row].append(action)
            self.movers[row].append(mover)
        self.state[rows] = self.game.step(self.state[rows], actions)
        self.going[rows] &= ~self.state.finished[rows]

    def adjudicate(self, rows: NDArray[np.intp], verdicts: Verdicts) -> None:
        """End those of some games whose verdict is known."""
        for row, known, margin, winner in zip(rows, *verdicts, strict=True):
            if known:
                self._end(row, "adjudicated", float(margin), int(winner))

    def forfeit(self, row: int, reason: str) -> None:
        """The player to move of a game has lost it."""
        mover = int(self.state.to_move[row])
        self._end(row, f"{FORFEIT}{reason}", self._margin_so_far(row), 1 - mover)

    def _end(self, row: int, ending: str, margin: float, winner: int) -> None:
        self.going[row] = False
        self._ending[row], self._margin[row], self._winner[row] = ending, margin, winner

    def _margin_so_far(self, row: int) -> float:
        """What player 0 leads by, with any komi."""
        state = self.state[[row]]
        return float(self.game.margin(state)[0]) * (1 if state.to_move[0] == 0 else -1)

    def records(self, names: tuple[str, str]) -> list[GameRecord]:
        """All games, the players being named in the order of the match."""
        notation = notation_for(self.game)
        records = []
        for row, ending in enumerate(self._ending):
            margin, winner = self._margin[row], self._winner[row]
            if ending == PLAYED:
                margin = self._margin_so_far(row)
                winner = 0 if margin > 0 else 1 if margin < 0 else 2
            one, two = self.state.score[row].tolist()
            records.append(
                GameRecord(
                    players=names if self.seats[row] == 0 else (names[1], names[0]),
                    opening=int(self._openings[row]),
                    opening_plies=self._plies[row],
                    moves=tuple(notation.name(action) for action in self.actions[row]),
                    movers=tuple(mover + 1 for mover in self.movers[row]),
                    score=(one, two),
                    margin=float(margin),
                    result=(1, 2, 0)[winner],
                    ending=ending,
                    start=self.game.describe_start(self.state, row),
                )
            )
        return records


def _play_side_by_side(
    games: _Games,
    players: tuple[Player, Player],
    luck: NDArray[np.uint64],
    adjudicator: Adjudicator,
    progress: Progress | None,
) -> None:
    """Play all games at the same time; player k's luck is `luck[k]`. Shape [2, B]."""
    while games.going.any():
        actions = np.full(len(games), NO_ACTION, np.int32)
        for number, player in enumerate(players):
            asked = np.flatnonzero(games.going & ((games.state.to_move == games.seats) == (number == 0)))
            if len(asked):
                actions[asked] = _ask(games.game, player, games.state[asked], luck[number, asked])
        rows = np.flatnonzero(games.going)
        games.step(rows, actions[rows])
        _adjudicate(games, rows, adjudicator)
        if progress is not None:
            progress(int((~games.going).sum()), len(games))


def _play_in_turn(
    games: _Games,
    players: tuple[Player, Player],
    luck: NDArray[np.uint64],
    adjudicator: Adjudicator,
    progress: Progress | None,
) -> None:
    """Play one game after the other, each move asked for with the whole game so far."""
    for row in range(len(games)):
        for player in players:
            player.begin_game()
        while games.going[row]:
            number = 0 if games.state.to_move[row] == games.seats[row] else 1
            state, actions = games.state[[row]], games.actions[row]
            try:
                action = players[number].follow(
                    games.game, games.start[[row]], actions, state, luck[number, row]
                )
            except ForfeitError as error:
                games.forfeit(row, str(error))
                break
            if not _is_legal(games.game, state, action):
                raise ValueError(f"player {players[number].name} must choose a legal action, got {action}")
            games.step(np.array([row]), np.array([action], np.int32))
            _adjudicate(games, np.array([row]), adjudicator)
        if progress is not None:
            progress(row + 1, len(games))


def _adjudicate(games: _Games, rows: NDArray[np.intp], adjudicator: Adjudicator) -> None:
    rows = rows[games.going[rows]]
    if len(rows):
        games.adjudicate(rows, adjudicator.verdicts(games.state[rows]))


def _ask(game: Game[Any], player: Player, state: State, luck: NDArray[np.uint64]) -> NDArray[np.int32]:
    """The player's actions, with a wrong one blamed on the player."""
    actions = player.choose(game, state, luck)
    legal = np.append(game.legal(state), np.zeros((len(state), 1), np.bool_), axis=1)
    chosen = np.where((actions >= 0) & (actions < game.num_actions), actions, game.num_actions)
    wrong = np.flatnonzero(~legal[np.arange(len(state)), chosen])
    if len(wrong):
        raise ValueError(f"player {player.name} must choose a legal action, got {actions[wrong[0]]}")
    return actions


def _is_legal(game: Game[Any], state: State, action: int) -> bool:
    return 0 <= action < game.num_actions and bool(game.legal(state)[0, action])


def _player_luck(first: str, second: str, config: ArenaConfig) -> NDArray[np.uint64]:
    """Seeds of both players for all games. Openings are common to all matches, luck is not. Shape [2, B]."""
    sequence = np.random.SeedSequence([config.seed, *(zlib.crc32(name.encode()) for name in (first, second))])
    return np.random.default_rng(sequence).integers(2**64, size=(2, config.games), dtype=np.uint64)
