"""Self-play: groups of games that search, move, and hand over their positions when they end.

All groups make one move a round, their searches overlapping (`dotzero.search.mcts.run`). A finished game's
place is taken by a new one at once. Between rounds the whole state is a few arrays: all that resuming needs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import Game, State
from dotzero.search.checks import MAX_SIMULATIONS, require_at_most, require_finite
from dotzero.search.evaluation import Evaluator
from dotzero.search.mcts import Search, SearchConfig, game_seeds, run
from dotzero.train.positions import Positions, pack_legal

StateT = TypeVar("StateT", bound=State)


@dataclass(kw_only=True, slots=True)
class SelfPlayConfig:
    """How games are played for learning."""

    num_games: int = 256
    """Games in play at the same time, over all groups."""
    num_groups: int = 3
    """Groups whose searches overlap; one more than there are evaluations at a time keeps all of them busy."""
    num_search_threads: int = 1
    """Threads of the core in each group's trees; worth more than one only beside a fast device."""
    random_opening_plies: int = 8
    """Each game starts with 0 to this many uniformly random moves, which are not learned from."""
    temperature: float = 1.0
    """Temperature of the moves up to `temperature_plies`."""
    temperature_plies: int = 4
    """Moves after the opening that are drawn from the search's policy; later ones are the search's best."""
    full_search_fraction: float = 1.0
    """Share of the moves with the full number of simulations; only these are learned from."""
    cheap_simulations: int = 8
    """Simulations of the other moves (playout-cap randomisation)."""

    def __post_init__(self) -> None:
        require_finite(self)
        require_at_most(self, MAX_SIMULATIONS, "cheap_simulations", "num_games", "num_search_threads")
        for name in ("num_games", "num_groups", "num_search_threads", "cheap_simulations"):
            if getattr(self, name) < 1:
                raise ValueError(f"SelfPlayConfig.{name} must be at least 1, got {getattr(self, name)}")
        for name in ("random_opening_plies", "temperature_plies", "temperature"):
            if getattr(self, name) < 0:
                raise ValueError(f"SelfPlayConfig.{name} must be at least 0, got {getattr(self, name)}")
        if self.num_games < self.num_groups:
            raise ValueError(
                f"SelfPlayConfig.num_games must be at least num_groups = {self.num_groups}, "
                f"got {self.num_games}"
            )
        if not 0 < self.full_search_fraction <= 1:
            raise ValueError(
                "SelfPlayConfig.full_search_fraction must be above 0 and at most 1, "
                f"got {self.full_search_fraction}"
            )


class SelfPlayReport(NamedTuple):
    """What one call of `SelfPlay.play` did."""

    num_positions: int
    """Positions of finished games, each with all its targets."""
    num_games: int
    """Games that ended."""
    num_evaluations: int
    """Positions that the network judged."""
    num_moves: int
    """Moves played, over all games."""
    first_player_score: float
    """Share of points of the player who began, over the ended games."""
    draw_rate: float
    """Share of drawn games."""
    policy_entropy: float
    """Mean entropy of the recorded search policies, in nats."""


class _Record(NamedTuple):
    """One recorded position of a game that has not ended."""

    points: NDArray[np.uint8]
    globals: NDArray[np.float32]
    legal: NDArray[np.uint8]
    policy: NDArray[np.float16]
    to_move: np.int8
    margin: np.float32


class _Group(Generic[StateT]):
    """Games that search in lockstep."""

    def __init__(
        self,
        game: Game[StateT],
        num_games: int,
        config: SelfPlayConfig,
        search_config: SearchConfig,
        evaluator: Evaluator,
        seed: np.random.SeedSequence,
    ) -> None:
        tree_seed, move_seed = seed.spawn(2)
        self.game = game
        self.config = config
        self.full_simulations = search_config.num_simulations
        seeds = game_seeds(tree_seed, num_games)
        self.search = Search(game, num_games, search_config, evaluator, seeds, config.num_search_threads)
        self.slots = np.arange(num_games, dtype=np.int32)
        self.random = np.random.Generator(np.random.PCG64(move_seed))
        self.state = game.start(num_games)
        self.plies = np.zeros(num_games, np.int32)  # moves since the opening
        self.records: list[list[_Record]] = [[] for _ in range(num_games)]
        self.full = np.ones(num_games, np.bool_)
        self._open(np.arange(num_games))

    def begin(self) -> None:
        """Begin the search for every game's next move."""
        self.full = self.random.random(len(self.slots)) < self.config.full_search_fraction
        simulations = np.where(self.full, self.full_simulations, self.config.cheap_simulations)
        self.search.begin(self.slots, self.state, simulations.astype(np.int32), noise=True)

    def move(self) -> list[tuple[StateT, list[_Record]]]:
        """Record and play the moves found; returns the ended games, their places already taken anew."""
        result = self.search.results(self.slots)
        early = self.plies < self.config.temperature_plies
        actions = self.search.choose(
            self.slots, np.where(early, self.config.temperature, 0.0).astype(np.float32)
        )
        self._record(result.policy)
        self.state = self.game.step(self.state, actions)
        self.plies += 1
        ended = np.flatnonzero(self.state.finished)
        games = [(self.state[[slot]], self.records[slot]) for slot in ended]
        self._open(ended)
        return games

    def _record(self, policy: NDArray[np.float32]) -> None:
        points, globals_ = self.game.observe(self.state)
        legal = pack_legal(self.game.legal(self.state))
        margin = self.game.margin(self.state)
        target = policy.astype(np.float16)
        for slot in np.flatnonzero(self.full):
            self.records[slot].append(
                _Record(
                    points[slot],
                    globals_[slot],
                    legal[slot],
                    target[slot],
                    self.state.to_move[slot],
                    margin[slot],
                )
            )

    def _open(self, slots: NDArray[np.intp]) -> None:
        """Put new games into `slots`, each after its random opening."""
        fresh = self.game.start(len(slots))
        lengths = self.random.integers(0, self.config.random_opening_plies + 1, len(slots))
        for ply in range(int(lengths.max(initial=0))):
            going = np.flatnonzero((lengths > ply) & ~fresh.finished)
            opening = fresh[going]
            fresh[going] = self.game.step(opening, random_actions(self.game.legal(opening), self.random))
        if fresh.finished.any():  # an opening as long as the game: nothing left to learn from, start without
            fresh[fresh.finished] = self.game.start(int(fresh.finished.sum()))
        self.state[slots] = fresh
        self.plies[slots] = 0
        for slot in slots:
            self.records[slot] = []


def random_actions(legal: NDArray[np.bool_], random: np.random.Generator) -> NDArray[np.int32]:
    """A uniformly random legal action in each game, none of them finished. [B, A] -> [B]."""
    keys = np.where(legal, random.random(legal.shape), -1.0)
    return np.asarray(keys.argmax(axis=1), np.int32)


def finished_positions(game: Game[StateT], end: StateT, records: list[_Record]) -> Positions:
    """The recorded positions of one game with the targets that its end [1] gives them."""
    to_move = np.array([record.to_move for record in records], np.int8)
    # The end seen from each position's own player: by identity, never by counting plies.
    sign = np.where(to_move == end.to_move[0], 1, -1)
    final_margin = sign * game.margin(end)[0]
    return Positions(
        points=np.stack([record.points for record in records]),
        globals=np.stack([record.globals for record in records]),
        legal=np.stack([record.legal for record in records]),
        policy=np.stack([record.policy for record in records]),
        outcome=(sign * game.outcome(end)[0]).astype(np.int8),
        margin=(final_margin - np.array([record.margin for record in records])).astype(np.float32),
        owners=(sign[:, None, None] * game.owners(end)[0]).astype(np.int8),
    )


class SelfPlay:
    """All groups of games of one training run, on one board."""

    def __init__(
        self,
        game: Game[Any],
        config: SelfPlayConfig,
        search_config: SearchConfig,
        evaluator: Evaluator,
        seed: np.random.SeedSequence,
    ) -> None:
        self._game = game
        shares = np.array_split(np.arange(config.num_games), config.num_groups)
        self._groups = [
            _Group(game, len(share), config, search_config, evaluator, child)
            for share, child in zip(shares, seed.spawn(config.num_groups), strict=True)
        ]

    def play(self, num_positions: int) -> tuple[Positions, SelfPlayReport]:
        """Play until games with at least `num_positions` recorded positions have ended."""
        ended: list[tuple[State, list[_Record]]] = []
        collected = num_moves = num_games = 0
        evaluations = self._num_evaluations()
        while collected < num_positions:
            for group in self._groups:
                group.begin()
            run([group.search for group in self._groups])
            for group in self._groups:
                games = group.move()
                num_games += len(games)
                ended += [(end, records) for end, records in games if records]
                collected += sum(len(records) for _, records in games)
                num_moves += len(group.slots)
        positions = Positions.concatenate([finished_positions(self._game, *one) for one in ended])
        first = np.array([_first_player_score(end) for end, _ in ended])
        policy = positions.policy.astype(np.float32)
        report = SelfPlayReport(
            num_positions=len(positions),
            num_games=num_games,
            num_evaluations=self._num_evaluations() - evaluations,
            num_moves=num_moves,
            first_player_score=float(first.mean()),
            draw_rate=float((first == 0.5).mean()),
            policy_entropy=float(-(policy * np.log(np.maximum(policy, 1e-12))).sum(axis=1).mean()),
        )
        return positions, report

    def _num_evaluations(self) -> int:
        return sum(group.search.num_evaluations for group in self._groups)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that resuming needs, as arrays."""
        arrays: dict[str, NDArray[Any]] = {}
        for index, group in enumerate(self._groups):
            arrays |= {f"group{index}.{name}": array for name, array in _group_arrays(group).items()}
        return arrays

    def load_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `arrays` gave; the configuration must be the same."""
        for index, group in enumerate(self._groups):
            prefix = f"group{index}."
            own = {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}
            _load_group(group, own)


def _first_player_score(end: State) -> float:
    difference = int(end.score[0, 0]) - int(end.score[0, 1])
    return 0.5 + 0.5 * float(np.sign(difference))


def _group_arrays(group: _Group[Any]) -> dict[str, NDArray[Any]]:
    lengths = np.array([len(records) for records in group.records], np.int64)
    arrays: dict[str, NDArray[Any]] = {
        "generators": group.search.generators,
        "random": generator_to_array(group.random),
        "plies": group.plies,
        "record_lengths": lengths,
    }
    state = {f"state.{field.name}": getattr(group.state, field.name) for field in fields(group.state)}
    rows = [record for records in group.records for record in records]
    columns = {f"record.{name}": np.array([getattr(row, name) for row in rows]) for name in _Record._fields}
    return arrays | state | (columns if rows else {})


def _load_group(group: _Group[Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    group.search.generators = arrays["generators"].astype(np.uint64)
    group.random = generator_from_array(arrays["random"])
    group.plies = arrays["plies"].copy()
    for field in fields(group.state):
        saved = arrays[f"state.{field.name}"]
        if saved.shape != getattr(group.state, field.name).shape:
            raise ValueError(f"the saved self-play has {len(saved)} games a group, got {len(group.state)}")
        setattr(group.state, field.name, saved.astype(getattr(group.state, field.name).dtype))
    columns = [arrays.get(f"record.{name}", np.empty(0)) for name in _Record._fields]
    rows = [_Record(*row) for row in zip(*columns, strict=True)]
    ends = np.cumsum(arrays["record_lengths"])
    group.records = [
        rows[end - length : end] for end, length in zip(ends, arrays["record_lengths"], strict=True)
    ]


_WORD = (1 << 64) - 1


def generator_to_array(random: np.random.Generator) -> NDArray[np.uint64]:
    """The whole state of a PCG64 generator as six words."""
    saved = random.bit_generator.state
    state, increment = saved["state"]["state"], saved["state"]["inc"]
    words = [state >> 64, state & _WORD, increment >> 64, increment & _WORD]
    return np.array([*words, saved["has_uint32"], saved["uinteger"]], np.uint64)


def generator_from_array(words: NDArray[np.uint64]) -> np.random.Generator:
    """The reverse of `generator_to_array`."""
    w = [int(word) for word in words]
    bits = np.random.PCG64(0)
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": w[0] << 64 | w[1], "inc": w[2] << 64 | w[3]},
        "has_uint32": w[4],
        "uinteger": w[5],
    }
    return np.random.Generator(bits)
