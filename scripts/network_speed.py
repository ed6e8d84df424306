"""How fast networks are, alone and in self-play: their part of `dotzero bench`.

Self-play efficiency is the rate of evaluations in self-play over that of the bare back-end at the same batch:
what is missing to 1 is spent on trees and Python while no evaluation waits to be done. The shares of a move's
time say where: in the trees on the way to new leaves (walk) and when answers come (expand), waiting for the
network, and everything else (Python).
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from dotzero.cores import num_cores
from dotzero.envs.game import Game
from dotzero.models.backend import Backend, BackendConfig
from dotzero.models.encoding import known_encoding
from dotzero.models.evaluator import Evaluator
from dotzero.models.network import Network, NetworkConfig
from dotzero.search.search_config import RootRule, SearchConfig
from dotzero.train.calibration import fitted_evaluator
from dotzero.train.selfplay import SelfPlay, SelfPlayConfig

if TYPE_CHECKING:
    from rich.table import Table

    from dotzero.configs.schema import BenchJob

GOAL = 0.85
"""Self-play efficiency to reach on processors, with the networks below on 5x5 boxes."""
LARGER = NetworkConfig(num_blocks=6, num_channels=64)
"""Measured besides the ordinary network, in Dots and Boxes."""
SIMULATIONS = 32
"""Budget of a move in self-play."""
STAGES = ("walk", "wait", "expand", "python")
"""Parts of a move's time."""


def network_figures(
    job: "BenchJob", game: Game[Any], best: Callable[..., list[float]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Evaluations a second of every network and back-end: bare, and in self-play at the same batch.

    Args:
        job: Back-end, network, games at a time, and what else of the search counts in self-play.
        game: The board.
        best: Gives the best rate of each of several pieces of work.

    Returns:
        Both by name of network, back-end and game.
    """
    bare, selfplay = {}, {}
    for size in network_sizes(job, game):
        for kind, config in _backends(job).items():
            name = f"b{size.num_blocks}c{size.num_channels} {kind}@{game.name}"
            with fitted_evaluator(random_network(size, game), config, [game]) as evaluator:
                bare[name], selfplay[name] = _figures(job, game, config, evaluator, best)
    return bare, selfplay


def network_sizes(job: "BenchJob", game: Game[Any]) -> list[NetworkConfig]:
    """The configured network; in Dots and Boxes a larger one too unless one was asked for."""
    return [job.network, LARGER] if game.name == "boxes" and job.network == NetworkConfig() else [job.network]


def _backends(job: "BenchJob") -> dict[str, BackendConfig]:
    """The back-ends that can be measured here, by the names they have in the result."""
    workers = job.backend.num_workers
    found = {"torch": BackendConfig(kind=Backend.TORCH, num_workers=workers)}
    if all(find_spec(package) for package in ("onnxruntime", "onnx", "onnxscript")):
        found["onnx"] = BackendConfig(kind=Backend.ONNX, num_workers=workers)
        if job.backend.int8:
            found["int8"] = replace(found["onnx"], int8=True)
    if job.backend.device != "cpu":
        found[job.backend.device] = job.backend
    return found


def random_network(size: NetworkConfig, game: Game[Any]) -> Network:
    """A network with random weights; all but the last layers, so that games do not differ from real ones."""
    generator = torch.Generator().manual_seed(0)
    return Network(size, known_encoding(game.name, game.max_margin), generator)


def num_workers(config: BackendConfig) -> int:
    """Evaluations at a time."""
    return 1 if config.device != "cpu" else config.num_workers or num_cores()


def _figures(
    job: "BenchJob",
    game: Game[Any],
    config: BackendConfig,
    evaluator: Evaluator,
    best: Callable[..., list[float]],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Rates of one evaluator."""
    workers = num_workers(config)
    num_groups = workers + 1  # one more than are evaluated at a time
    batch = max(1, job.num_games // num_groups)
    search = SearchConfig(
        root=RootRule.GUMBEL, num_simulations=SIMULATIONS, exact_lines=job.search.exact_lines,
        cache_mib=job.search.cache_mib if game.name == "boxes" else 0,
    )  # fmt: skip
    settings = SelfPlayConfig(
        num_games=batch * num_groups, num_groups=num_groups, random_opening_plies=game.num_actions // 3,
    )  # fmt: skip
    meter = SelfPlayMeter([game], settings, search, evaluator)
    bare, playing = best(job, bare_work(game, evaluator, num_groups, batch), meter.play_moves)
    row = {"evaluations_per_second": bare, "batch": batch, "workers": workers}
    return row, {"efficiency": playing / bare, "evaluations_per_second": playing, **meter.figures()}


def bare_work(game: Game[Any], evaluator: Evaluator, num_groups: int, batch: int) -> Callable[[], int]:
    """Keeps all workers busy with full batches of new games, started and awaited as self-play does."""
    buffers = [evaluator.allocate(batch, game.observation_shape, game.num_globals) for _ in range(num_groups)]
    for buffer in buffers:
        buffer.points[:], buffer.globals[:] = game.observe(game.start(batch))
    num_rounds = max(1, 3000 // game.num_actions)  # large boards take long

    def work() -> int:
        tickets = [evaluator.start(buffer, batch) for buffer in buffers]
        for _ in range(num_rounds):
            for index, buffer in enumerate(buffers):
                evaluator.finish(tickets[index])
                tickets[index] = evaluator.start(buffer, batch)
        for ticket in tickets:
            evaluator.finish(ticket)
        return (num_rounds + 1) * batch * num_groups

    return work


class _Counted:
    """An evaluator that counts its batches."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.num_batches = 0
        self._evaluator = evaluator
        self.allocate = evaluator.allocate
        self.finish = evaluator.finish

    def start(self, buffer: Any, num_rows: int) -> Any:
        self.num_batches += 1
        return self._evaluator.start(buffer, num_rows)


class SelfPlayMeter:
    """Self-play that is measured while it goes on; openings spread the games over their stages."""

    def __init__(
        self, games: list[Game[Any]], settings: SelfPlayConfig, search: SearchConfig, evaluator: Evaluator
    ) -> None:
        """Open all games."""
        self._counted = _Counted(evaluator)
        self._num_games = settings.num_games
        self.selfplay = SelfPlay(games, settings, search, self._counted, np.random.SeedSequence(0))
        self._seconds = 0.0

    def play_moves(self) -> int:
        """Play one move in every game; the number of evaluations that it took."""
        before, start = self.selfplay.num_evaluations, time.perf_counter()
        self.selfplay.play_moves()
        self._seconds += time.perf_counter() - start
        return self.selfplay.num_evaluations - before

    def play_taught(self) -> int:
        """Play one move in every game, which the teacher finds; the number of games."""
        self.selfplay.play_moves()
        return self._num_games

    def figures(self) -> dict[str, Any]:
        """Mean batch, share of leaves answered from the cache, and share of the time of each stage."""
        hits, asked = self.selfplay.num_cache_hits, self.selfplay.num_evaluations
        spent = np.array(self.selfplay.seconds)
        parts = dict(zip(STAGES, spent.tolist(), strict=False))
        parts["python"] = max(0.0, self._seconds - sum(parts.values()))
        shares = {name: parts[name] / max(self._seconds, 1e-9) for name in STAGES}
        return {
            "mean_batch": asked / max(1, self._counted.num_batches),
            "cache_hits": hits / max(1, hits + asked),
            "shares": shares,
            "limited_by": _limit(shares),
        }


def _limit(shares: dict[str, float]) -> str:
    """What a faster machine would have to be faster at."""
    if shares["wait"] >= 0.5:
        return "limited by the network"
    trees = shares["walk"] + shares["expand"]
    return "limited by the trees" if trees >= shares["python"] else "limited by Python"


def add_rows(table: "Table", network: dict[str, Any], selfplay: dict[str, Any]) -> None:
    """The figures as rows of the bench's table."""
    for name, row in network.items():
        label = f"evaluations, {name}, batch {row['batch']}, {row['workers']} at a time"
        table.add_row(label, f"{row['evaluations_per_second']:,.0f}")
    for name, row in selfplay.items():
        label = f"  in self-play, {name}: {row['efficiency']:.0%} of the bare back-end, {row['limited_by']}"
        table.add_row(label, f"{row['evaluations_per_second']:,.0f}")
        table.add_row(f"    {_stages(row)}", "")
    ours = [row["efficiency"] for name, row in selfplay.items() if "onnx@boxes" in name]
    if ours:
        table.add_row(f"  goal in self-play on processors, onnx@boxes: {GOAL:.0%}; least {min(ours):.0%}", "")


def _stages(row: dict[str, Any]) -> str:
    names: Iterable[str] = (f"{name} {row['shares'][name]:.0%}" for name in STAGES)
    hits = f", {row['cache_hits']:.0%} of the leaves from the cache" if row["cache_hits"] else ""
    return f"time: {', '.join(names)}; mean batch {row['mean_batch']:.0f}{hits}"
