"""Self-play: groups of games that search, move, and hand over their positions when they end.

All groups make one move a round, their searches overlapping (`dotzero.search.mcts.run`), whatever board each
of them plays on. A finished game's place is taken by a new one at once. Between rounds the whole state is a
few arrays: all that resuming needs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import NO_ACTION, Game, State
from dotzero.search.checks import MAX_SIMULATIONS, require_at_most, require_finite
from dotzero.search.evaluation import Evaluator
from dotzero.search.mcts import Search, SearchConfig, game_seeds, run
from dotzero.train.exact_end import ExactEnd
from dotzero.train.game_log import (
    GameLog,
    add_policies,
    empty_positions,
    finished_positions,
    log_arrays,
    logs_from_arrays,
    random_actions,
)
from dotzero.train.positions import Positions

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
    """Each game starts with 0 to this many random moves, which are not learned from."""
    komi_spread: float = 0.0
    """Each game's komi is the rules' own plus a random multiple of 0.5 from minus to plus this."""
    temperature: float = 1.0
    """Temperature of the moves up to `temperature_plies`."""
    temperature_plies: int = 4
    """Moves after the opening that are drawn from the search's policy; later ones are the search's best."""
    full_search_fraction: float = 1.0
    """Share of the moves with the full number of simulations; only these are learned from."""
    cheap_simulations: int = 8
    """Simulations of the other moves (playout-cap randomisation)."""
    stop_decided: bool = False
    """End a game by STOP as soon as the player to move wins by it: games are shorter, margins cut short."""
    solved_fraction: float = 0.25
    """With `search.exact_lines`: share of the solved positions behind the searched ones that are learned
    from; their policy is all best lines."""

    def __post_init__(self) -> None:
        require_finite(self)
        require_at_most(self, MAX_SIMULATIONS, "cheap_simulations", "num_games", "num_search_threads")
        for name in ("num_games", "num_groups", "num_search_threads", "cheap_simulations"):
            if getattr(self, name) < 1:
                raise ValueError(f"SelfPlayConfig.{name} must be at least 1, got {getattr(self, name)}")
        for name in ("random_opening_plies", "temperature_plies", "temperature", "komi_spread"):
            if getattr(self, name) < 0:
                raise ValueError(f"SelfPlayConfig.{name} must be at least 0, got {getattr(self, name)}")
        if self.num_games < self.num_groups:
            raise ValueError(
                f"SelfPlayConfig.num_games must be at least num_groups = {self.num_groups}, "
                f"got {self.num_games}"
            )
        if not 0 <= self.solved_fraction <= 1:
            raise ValueError(f"SelfPlayConfig.solved_fraction must be in 0..1, got {self.solved_fraction}")
        if self.komi_spread % 0.5:
            raise ValueError(f"SelfPlayConfig.komi_spread must be a multiple of 0.5, got {self.komi_spread}")
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
    """Moves searched and played, over all games; those of the solver do not count."""
    first_player_score: float
    """Share of points of the player who began, over the ended games."""
    draw_rate: float
    """Share of drawn games."""
    policy_entropy: float
    """Mean entropy of the recorded search policies, in nats."""


class _Group(Generic[StateT]):
    """Games on one board that search in lockstep."""

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
        self.exact_end = ExactEnd(game, search_config) if search_config.exact_lines > 0 else None
        self.random = np.random.Generator(np.random.PCG64(move_seed))
        self.state = game.start(num_games)
        self.logs = [GameLog(self.state[[slot]]) for slot in range(num_games)]
        self.full = np.ones(num_games, np.bool_)
        self._open(np.arange(num_games))

    def begin(self) -> None:
        """Begin the search for every game's next move."""
        self.full = self.random.random(len(self.slots)) < self.config.full_search_fraction
        simulations = np.where(self.full, self.full_simulations, self.config.cheap_simulations)
        self.search.begin(self.slots, self.state, simulations.astype(np.int32), noise=True)

    def move(self) -> list[GameLog[StateT]]:
        """Record and play the moves found; returns the ended games, their places already taken anew."""
        result = self.search.results(self.slots)
        plies = np.array([len(log.actions) for log in self.logs])
        early = plies < self.config.temperature_plies
        actions = self.search.choose(
            self.slots, np.where(early, self.config.temperature, 0.0).astype(np.float32)
        )
        add_policies(self.logs, np.flatnonzero(self.full), result.policy)
        for log, action in zip(self.logs, actions.tolist(), strict=True):
            log.actions.append(action)
        self.state = self.game.step(self.state, actions)
        if self.config.stop_decided:
            self._stop_decided()
        if self.exact_end is not None:
            self.exact_end.play(self.state, self.logs, self.config.solved_fraction, self.random)
        ended = np.flatnonzero(self.state.finished)
        logs = [self.logs[slot] for slot in ended]
        self._open(ended)
        return logs

    def _stop_decided(self) -> None:
        """Say STOP for whoever wins by it; the moves are logged, but not learned from."""
        stops = self.game.winning_stop(self.state)
        slots = np.flatnonzero(stops != NO_ACTION)
        for slot in slots:
            self.logs[slot].actions.append(int(stops[slot]))
        self.state[slots] = self.game.step(self.state[slots], stops[slots])

    def _open(self, slots: NDArray[np.intp]) -> None:
        """Put new games into `slots`, each after its random opening."""
        fresh = self._start(len(slots))
        lengths = self.random.integers(0, self.config.random_opening_plies + 1, len(slots))
        for ply in range(int(lengths.max(initial=0))):
            going = np.flatnonzero((lengths > ply) & ~fresh.finished)
            if len(going) == 0:
                break
            opening = fresh[going]
            actions = random_actions(self.game.opening_actions(opening), self.random)
            fresh[going] = self.game.step(opening, actions)
        if fresh.finished.any():  # an opening as long as the game: nothing left to learn from, start without
            fresh[fresh.finished] = self._start(int(fresh.finished.sum()))
        self.state[slots] = fresh
        for index, slot in enumerate(slots):
            self.logs[slot] = GameLog(fresh[[index]])

    def _start(self, number: int) -> StateT:
        """New games, with whatever the rules and the configuration leave to chance."""
        fresh = self.game.start(number, self.random)
        steps = round(2 * self.config.komi_spread)
        if steps == 0:
            return fresh
        komi = self.game.rules.komi + 0.5 * self.random.integers(-steps, steps + 1, number)
        return self.game.with_komi(fresh, komi.astype(np.float32))


def _check_komi_spread(game: Game[Any], spread: float) -> None:
    """Refuse a spread in a game without komi, and one that the rules do not allow."""
    if spread == 0:
        return
    own = getattr(game.rules, "komi", None)
    if own is None:
        raise ValueError(f"SelfPlayConfig.komi_spread must be 0 in {game.name}: no komi there, got {spread}")
    try:
        game.with_komi(game.start(2), np.array([own - spread, own + spread], np.float32))
    except ValueError as error:
        raise ValueError(f"SelfPlayConfig.komi_spread must suit the rules, got {spread}: {error}") from None


class SelfPlay:
    """All groups of games of one training run, on one board or several."""

    def __init__(
        self,
        games: Sequence[Game[Any]],
        config: SelfPlayConfig,
        search_config: SearchConfig,
        evaluator: Evaluator,
        seed: np.random.SeedSequence,
    ) -> None:
        """Open all games.

        Args:
            games: The boards, all of one game. Each gets its share of `config.num_games`.
            config: How games are played.
            search_config: How moves are searched.
            evaluator: Serves all boards.
            seed: Start of all luck.

        Raises:
            ValueError: There are more boards than groups, or the game has no komi to spread.
        """
        if config.num_groups < len(games):
            raise ValueError(
                f"SelfPlayConfig.num_groups must be at least the number of boards = {len(games)}, "
                f"got {config.num_groups}"
            )
        for game in games:
            _check_komi_spread(game, config.komi_spread)
        self._games = list(games)
        sizes = _group_sizes(len(games), config.num_games, config.num_groups)
        self._boards = [board for board, shares in enumerate(sizes) for _ in shares]
        shares = [share for shares in sizes for share in shares]
        self._groups = [
            _Group(games[board], share, config, search_config, evaluator, child)
            for board, share, child in zip(self._boards, shares, seed.spawn(len(shares)), strict=True)
        ]

    def play(self, num_positions: int) -> tuple[list[Positions], SelfPlayReport]:
        """Play until games with at least `num_positions` recorded positions have ended; these, by board."""
        ended: list[list[GameLog[Any]]] = [[] for _ in self._games]
        collected = num_moves = num_games = 0
        evaluations = self.num_evaluations
        while collected < num_positions:
            for board, group, logs in zip(self._boards, self._groups, self.play_moves(), strict=True):
                num_games += len(logs)
                ended[board] += [log for log in logs if log.searched]
                collected += sum(len(log.searched) for log in logs)
                num_moves += len(group.slots)
        boards = [_positions(game, logs) for game, logs in zip(self._games, ended, strict=True)]
        first = np.concatenate([first for _, first in boards])
        report = SelfPlayReport(
            num_positions=collected,
            num_games=num_games,
            num_evaluations=self.num_evaluations - evaluations,
            num_moves=num_moves,
            first_player_score=float(first.mean()),
            draw_rate=float((first == 0.5).mean()),
            policy_entropy=_mean_entropy([positions.policy for positions, _ in boards]),
        )
        return [positions for positions, _ in boards], report

    def play_moves(self) -> list[list[GameLog[Any]]]:
        """Play one move in every game; the games that it ended, by group."""
        for group in self._groups:
            group.begin()
        run([group.search for group in self._groups])
        return [group.move() for group in self._groups]

    @property
    def num_evaluations(self) -> int:
        """Positions that the network has judged so far."""
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


def _group_sizes(num_boards: int, num_games: int, num_groups: int) -> list[list[int]]:
    """How many games each group of each board has; as even as can be, none empty."""
    games = [len(share) for share in np.array_split(np.arange(num_games), num_boards)]
    groups = [len(share) for share in np.array_split(np.arange(num_groups), num_boards)]
    return [
        [len(share) for share in np.array_split(np.arange(own), number)]
        for own, number in zip(games, groups, strict=True)
    ]


def _positions(game: Game[Any], logs: list[GameLog[Any]]) -> tuple[Positions, NDArray[np.float64]]:
    """The positions of one board's ended games, and the share of each game's points of who began it."""
    if not logs:
        return empty_positions(game, 0), np.empty(0)
    positions, end = finished_positions(game, logs)
    first = np.where(end.to_move == 0, 1, -1) * game.outcome(end)
    return positions, (0.5 + 0.5 * first).astype(np.float64)


def _mean_entropy(policies: list[NDArray[np.float16]]) -> float:
    """Mean entropy of all policies, in nats; a thousand at a time, since on large boards they are many."""
    rows = [
        (part * np.log(np.maximum(part, 1e-12))).sum(axis=1)
        for policy in policies
        for start in range(0, len(policy), 1000)
        for part in [policy[start : start + 1000].astype(np.float32)]
    ]
    return float(-np.concatenate(rows).mean())


def _group_arrays(group: _Group[Any]) -> dict[str, NDArray[Any]]:
    state = {f"state.{field.name}": getattr(group.state, field.name) for field in fields(group.state)}
    logs = log_arrays(group.logs, group.game.num_actions)
    return {
        "generators": group.search.generators,
        "random": generator_to_array(group.random),
        **state,
        **{f"log.{name}": array for name, array in logs.items()},
    }


def _load_group(group: _Group[Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    for field in fields(group.state):
        saved = arrays[f"state.{field.name}"]
        if saved.shape != getattr(group.state, field.name).shape:
            raise ValueError(f"the saved self-play has {len(saved)} games a group, got {len(group.state)}")
        setattr(group.state, field.name, saved.astype(getattr(group.state, field.name).dtype))
    group.search.generators = arrays["generators"].astype(np.uint64)
    group.random = generator_from_array(arrays["random"])
    own = {name.removeprefix("log."): array for name, array in arrays.items() if name.startswith("log.")}
    group.logs = logs_from_arrays(own, group.game.start(len(group.logs)))


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
