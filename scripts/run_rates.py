"""What a training run of some configuration does in a second, measured in seconds instead of hours.

Two things are found apart. How many evaluations a game and a recorded position take hardly depends on what
the network says, so whole games are played with an evaluator that knows nothing and costs nothing, as a new
network knows nothing. How many evaluations and optimiser steps a second this machine does is measured on the
run's real network, games and batches: alone, and side by side as in a run that overlaps them.
"""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from dotzero.cores import num_cores
from dotzero.envs.game import Game
from dotzero.models.evaluator import UniformEvaluator
from dotzero.models.network import Network
from dotzero.scripts.network_speed import SelfPlayMeter, random_network
from dotzero.scripts.rates import rate
from dotzero.train.calibration import fitted_evaluator
from dotzero.train.footprint import rss_mib
from dotzero.train.learner import Learner
from dotzero.train.positions import Positions
from dotzero.train.selfplay import SelfPlay, SelfPlayConfig
from dotzero.train.train_config import TrainConfig

NUM_GAMES = 16
"""Games on each board that are played to find out what a game takes."""


class Yield(NamedTuple):
    """What the games of one board give and take, by moves played in one game."""

    evaluations: float
    cache_hits: float
    positions: float
    games: float
    recorded: Positions
    """Some of the recorded positions."""


@dataclass(frozen=True, slots=True)
class Rates:
    """What this machine does in a second."""

    evaluations: float
    """In self-play alone."""
    steps: float
    """Optimiser steps alone."""
    evaluations_beside: float
    """In self-play while the learner learns."""
    steps_beside: float
    """Optimiser steps while self-play goes on."""
    taught: float = 0.0
    """Recorded positions of games that the teacher plays, on all cores; 0 without a teacher."""


@dataclass(frozen=True, slots=True)
class Measured:
    """All that a forecast of a run needs."""

    rates: Rates
    evaluations_per_position: float
    """Evaluations by the network for each recorded position."""
    positions_per_game: float
    """Recorded positions of a game."""
    bytes_per_position: float
    """Memory of a position in the window."""
    selfplay_mib: float
    """Growth of the process by the games in play, their trees and the evaluator, in MiB."""
    figures: dict[str, Any]
    """Mean batch and shares of the time, as of `SelfPlayMeter.figures`; cache hits as of whole iterations."""
    num_cores: int = 1
    """Cores of this machine."""


def measure_run(config: TrainConfig, seconds: float) -> Measured:
    """Measure what a run of this configuration would do.

    Args:
        config: The run's. All of its boards count as being played on all the time.
        seconds: For each of three measurements; more where one move of all games takes longer.
    """
    games = config.make_games()
    yields = [_yield(config, game) for game in games]
    shares = np.array([item.positions for item in yields])
    shares /= shares.sum()
    per_move = {
        name: sum(getattr(item, name) for item in yields)
        for name in ("evaluations", "cache_hits", "positions", "games")
    }
    network = random_network(config.network, max(games, key=lambda game: game.max_margin))
    before = rss_mib()
    with fitted_evaluator(network, config.backend, games) as evaluator:
        meter = SelfPlayMeter(games, _whole_run(config.selfplay), config.search, evaluator)
        meter.play_moves()  # takes memory and, on CUDA, records graphs
        rates = _rates(config, meter, _Steps(config, network, games, yields, shares), seconds)
        if config.selfplay.teacher_iterations > 0:
            rates = replace(rates, taught=_taught(config, meter, per_move["positions"] / len(games), seconds))
        grown = rss_mib() - before
    asked = per_move["evaluations"] + per_move["cache_hits"]
    sizes = [sum(array[:1].nbytes for array in item.recorded.arrays().values()) for item in yields]
    return Measured(
        rates=rates,
        evaluations_per_position=per_move["evaluations"] / per_move["positions"],
        positions_per_game=per_move["positions"] / per_move["games"],
        bytes_per_position=float(shares @ sizes),
        selfplay_mib=max(0.0, grown),
        figures=meter.figures() | {"cache_hits": per_move["cache_hits"] / max(asked, 1e-9)},
        num_cores=num_cores(),
    )


def _whole_run(config: SelfPlayConfig) -> SelfPlayConfig:
    """The same without a curriculum."""
    return replace(config, board_spans=[])


def _yield(config: TrainConfig, game: Game[Any]) -> Yield:
    """Play games to their end twice over; the second round counts, when they are at all stages at once.

    With a cache it is a whole group for its share of an iteration: what is asked again hangs on both.
    """
    own = config.selfplay
    cached = config.search.cache_mib > 0
    num_games = max(NUM_GAMES, own.num_games // own.num_groups) if cached else NUM_GAMES
    settings = replace(_whole_run(own), num_games=num_games, num_groups=1)
    evaluator = UniformEvaluator(game.num_policy_slots)
    selfplay = SelfPlay([game], settings, config.search, evaluator, np.random.SeedSequence(0))
    enough = max(1, round(num_games * game.num_actions * settings.full_search_fraction))
    if cached:
        enough = max(enough, config.loop.positions_per_iteration // own.num_groups)
    selfplay.play(enough)
    boards, report = selfplay.play(enough)
    moves = report.num_moves
    return Yield(
        report.num_evaluations / moves,
        report.num_cache_hits / moves,
        report.num_positions / moves,
        report.num_games / moves,
        boards[0],
    )


class _Steps:
    """Optimiser steps as of the run, on positions of its boards."""

    def __init__(
        self,
        config: TrainConfig,
        network: Network,
        games: Sequence[Game[Any]],
        yields: Sequence[Yield],
        shares: NDArray[np.float64],
    ) -> None:
        self._learner = Learner(games, network, config.learner, torch.device(config.backend.device))
        self._games = games
        self._shares = shares
        self._size = config.learner.batch_size
        self._random = np.random.default_rng(0)
        self._recorded = [item.recorded for item in yields]

    def step(self) -> None:
        """One step, on a board drawn as the replay draws it."""
        board = int(self._random.choice(len(self._games), p=self._shares))
        recorded = self._recorded[board]
        batch = recorded[self._random.integers(0, len(recorded), self._size)]
        symmetry = self._random.integers(0, len(self._games[board].symmetries), self._size)
        self._learner.train_batch(batch, symmetry, 0.5, board)


def _rates(config: TrainConfig, meter: SelfPlayMeter, steps: _Steps, seconds: float) -> Rates:
    """Self-play and learner alone, and both at once where the run overlaps them."""
    evaluations = rate(meter.play_moves, seconds)
    torch.set_num_threads(config.learner.num_threads)
    steps.step()
    alone = rate(lambda: _one(steps), seconds)
    torch.set_num_threads(1)
    if not config.loop.overlap:
        return Rates(evaluations, alone, evaluations, alone)
    return Rates(evaluations, alone, *_side_by_side(meter, steps, seconds))


def _taught(config: TrainConfig, meter: SelfPlayMeter, positions_per_move: float, seconds: float) -> float:
    """Positions a second of the teacher, all of whose moves are searched in full and learned from."""
    meter.selfplay.teach(True)
    return rate(meter.play_taught, seconds) * positions_per_move / config.selfplay.full_search_fraction


def _one(steps: _Steps) -> int:
    steps.step()
    return 1


def _side_by_side(meter: SelfPlayMeter, steps: _Steps, seconds: float) -> tuple[float, float]:
    """Evaluations and steps a second of both at once."""
    stop = threading.Event()

    def learn() -> float:
        begun, done = time.perf_counter(), 0
        while not stop.is_set():
            steps.step()
            done += 1
        return done / (time.perf_counter() - begun)

    with ThreadPoolExecutor(1, thread_name_prefix="learner") as pool:
        learning = pool.submit(learn)
        try:
            evaluations = rate(meter.play_moves, seconds)
        finally:
            stop.set()
        return evaluations, learning.result()
