"""Measure the speed of rules, search, network and self-play on this machine.

Examples:
    dotzero bench
    dotzero bench output=json network.num_blocks=6 network.num_channels=64

Each figure is the best of several runs in one process. Machines are noisy: compare ratios, not numbers.
"""

import platform
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dotzero.scripts.command import Report, help_wanted, run_job

if TYPE_CHECKING:
    from dotzero.configs.schema import BenchJob


def main(argv: list[str]) -> int:
    """Run the act."""
    if help_wanted(argv, __doc__):
        return 0
    from dotzero.configs.schema import BenchJob

    return run_job(BenchJob, argv, bench)


def bench(job: "BenchJob") -> Report:
    """Measure everything."""
    import torch
    from rich.table import Table

    from dotzero.envs.registry import make_game
    from dotzero.models.backend import num_cores

    torch.set_num_threads(1)
    game = make_game("boxes", job.rules)
    board = f"{game.rules.rows}x{game.rules.columns}"
    data: dict[str, Any] = {
        "machine": {
            "processor": _processor(),
            "cores": num_cores(),
            "python": platform.python_version(),
            "torch": torch.__version__,
            "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        },
        "rules": {f"boxes@{board}": {"random_games_per_second": _random_games(job, game)}},
        "search": {f"boxes@{board}": {"simulations_per_second": _search(job, game)}},
        "network": _networks(job, game),
    }
    data["selfplay"] = _self_play(job, game, data["network"])
    table = Table(title=f"Dots and Boxes {board}, best of {job.repeats}")
    table.add_column("figure")
    table.add_column("a second", justify="right")
    table.add_row(
        "random games, one thread", f"{data['rules'][f'boxes@{board}']['random_games_per_second']:,.0f}"
    )
    table.add_row(
        f"simulations with a free evaluator, one thread, {job.num_games} games",
        f"{data['search'][f'boxes@{board}']['simulations_per_second']:,.0f}",
    )
    for name, row in data["network"].items():
        table.add_row(f"evaluations, {name}", f"{row['evaluations_per_second']:,.0f}")
    for name, row in data["selfplay"].items():
        table.add_row(
            f"evaluations in self-play, {name} ({row['efficiency']:.0%} of the bare back-end; "
            f"{row['limited_by']})",
            f"{row['evaluations_per_second']:,.0f}",
        )
    return Report(data=data, shown=[table])


def _best(job: "BenchJob", work: Callable[[], int]) -> float:
    """Units a second of `work`, the best of several repeats after one to warm up."""
    rates = []
    for repeat in range(job.repeats + 1):
        done, begun = 0, time.perf_counter()
        while True:
            done += work()
            seconds = time.perf_counter() - begun
            if seconds >= (job.seconds if repeat else job.seconds / 4):
                break
        rates.append(done / seconds)
    return max(rates[1:])


def _random_games(job: "BenchJob", game: Any) -> float:
    def work() -> int:
        game.play_random_games(20_000, 1)
        return 20_000

    return _best(job, work)


def _search(job: "BenchJob", game: Any) -> float:
    import numpy as np

    from dotzero.models.evaluator import UniformEvaluator
    from dotzero.search.mcts import Search, game_seeds, run

    evaluator = UniformEvaluator(game.num_policy_slots)
    seeds = game_seeds(np.random.SeedSequence(0), job.num_games)
    search = Search(game, job.num_games, job.search, evaluator, seeds)
    slots, start = np.arange(job.num_games, dtype=np.int32), game.start(job.num_games)

    def work() -> int:
        search.begin(slots, start)
        run([search])
        return job.num_games * job.search.num_simulations

    return _best(job, work)


def _backends(job: "BenchJob") -> dict[str, Any]:
    """The back-ends that can be measured here, by the names they have in the result."""
    from importlib.util import find_spec

    from dotzero.models.backend import Backend, BackendConfig

    found = {"torch": BackendConfig(kind=Backend.TORCH, num_workers=job.backend.num_workers)}
    if find_spec("onnxruntime") and find_spec("onnx") and find_spec("onnxscript"):
        found["onnx"] = BackendConfig(kind=Backend.ONNX, num_workers=job.backend.num_workers)
    if job.backend.device != "cpu":
        found[job.backend.device] = job.backend
    return found


def _networks(job: "BenchJob", game: Any) -> dict[str, Any]:
    """Evaluations a second of every back-end, all workers busy with batches as in self-play."""
    from dotzero.models.backend import num_cores

    result = {}
    for name, config in _backends(job).items():
        workers = 1 if config.device != "cpu" else config.num_workers or num_cores()
        num_groups = workers + 1
        batch = job.num_games // num_groups
        with _evaluator(job, game, config) as evaluator:
            buffers = [
                evaluator.allocate(batch, game.observation_shape, game.num_globals) for _ in range(num_groups)
            ]
            for buffer in buffers:
                buffer.points[:], buffer.globals[:] = game.observe(game.start(batch))
            tickets: list[Any] = [evaluator.start(buffer, batch) for buffer in buffers]

            def work(
                evaluator: Any = evaluator, buffers: Any = buffers, tickets: Any = tickets, batch: int = batch
            ) -> int:
                for i, buffer in enumerate(buffers):
                    evaluator.finish(tickets[i])
                    tickets[i] = evaluator.start(buffer, batch)
                return batch * len(buffers)

            rate = _best(job, work)
            for ticket in tickets:
                evaluator.finish(ticket)
        result[f"{_network_name(job)} {name}"] = {
            "evaluations_per_second": rate,
            "batch": batch,
            "workers": workers,
        }
    return result


def _evaluator(job: "BenchJob", game: Any, config: Any) -> Any:
    import torch

    from dotzero.models.backend import make_evaluator
    from dotzero.models.encoding import known_encoding
    from dotzero.models.network import Network

    encoding = known_encoding(game.name, game.max_margin)
    network = Network(job.network, encoding, torch.Generator().manual_seed(0))
    return make_evaluator(network, config, [game.observe(game.start(1))])


def _network_name(job: "BenchJob") -> str:
    return f"b{job.network.num_blocks}c{job.network.num_channels}"


def _self_play(job: "BenchJob", game: Any, bare: dict[str, Any]) -> dict[str, Any]:
    """Evaluations a second while games are played, beside the bare figure at the same batch."""
    import numpy as np

    from dotzero.search.mcts import RootRule, SearchConfig
    from dotzero.train.selfplay import SelfPlay, SelfPlayConfig

    result = {}
    for name, config in _backends(job).items():
        network = f"{_network_name(job)} {name}"
        groups = bare[network]["workers"] + 1
        search = SearchConfig(root=RootRule.GUMBEL, num_simulations=32)
        play = SelfPlayConfig(num_games=bare[network]["batch"] * groups, num_groups=groups)
        with _evaluator(job, game, config) as evaluator:
            selfplay = SelfPlay(game, play, search, evaluator, np.random.SeedSequence(0))

            def work(selfplay: Any = selfplay) -> int:
                return int(selfplay.play(1)[1].num_evaluations)

            rate = _best(job, work)
        efficiency = rate / bare[network]["evaluations_per_second"]
        result[f"{network}@boxes"] = {
            "efficiency": efficiency,
            "evaluations_per_second": rate,
            "limited_by": "the network" if efficiency > 0.5 else "trees and Python",
        }
    return result


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()
