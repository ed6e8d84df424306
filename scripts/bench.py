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

    from dotzero.envs.registry import make_game

    torch.set_num_threads(1)
    game = make_game("boxes", job.rules)
    board = f"boxes@{game.rules.rows}x{game.rules.columns}"
    network, selfplay = _networks(job, game)
    data = {
        "machine": _machine(),
        "rules": {board: {"random_games_per_second": _random_games(job, game), "threads": 1}},
        "search": {
            board: {"simulations_per_second": _search(job, game), "threads": 1, "games": job.num_games}
        },
        "network": network,
        "selfplay": selfplay,
    }
    return Report(data=data, shown=[_table(data, f"{board}, best of {job.repeats}")])


def _machine() -> dict[str, Any]:
    """What the figures were measured on."""
    import torch

    from dotzero.models.backend import num_cores

    return {
        "processor": _processor(),
        "cores": num_cores(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
    }


def _table(data: dict[str, Any], title: str) -> Any:
    from rich.table import Table

    table = Table(title=title)
    table.add_column("figure")
    table.add_column("a second", justify="right")
    for row in data["rules"].values():
        table.add_row("random games, one thread", f"{row['random_games_per_second']:,.0f}")
    for row in data["search"].values():
        name = f"simulations with a free evaluator, one thread, {row['games']} games"
        table.add_row(name, f"{row['simulations_per_second']:,.0f}")
    for name, row in data["network"].items():
        name = f"evaluations, {name}, batch {row['batch']}, {row['workers']} at a time"
        table.add_row(name, f"{row['evaluations_per_second']:,.0f}")
    for name, row in data["selfplay"].items():
        share = f"{row['efficiency']:.0%} of the bare back-end, {row['limited_by']}"
        name = f"evaluations in self-play, {name}: {share}"
        table.add_row(name, f"{row['evaluations_per_second']:,.0f}")
    return table


def _rate(seconds: float, work: Callable[[], int]) -> float:
    """Units a second of `work`, repeated for at least `seconds`."""
    done, begun = 0, time.perf_counter()
    while True:
        done += work()
        passed = time.perf_counter() - begun
        if passed >= seconds:
            return done / passed


def _best(job: "BenchJob", *works: Callable[[], int]) -> list[float]:
    """The best rate of each `work`; in turn, so that drift meets all of them, after a warm-up."""
    for work in works:
        _rate(job.seconds / 4, work)
    rounds = [[_rate(job.seconds, work) for work in works] for _ in range(job.repeats)]
    return [max(rates) for rates in zip(*rounds, strict=True)]


def _random_games(job: "BenchJob", game: Any) -> float:
    def work() -> int:
        game.play_random_games(20_000, 1)
        return 20_000

    return _best(job, work)[0]


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

    return _best(job, work)[0]


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


def _networks(job: "BenchJob", game: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Evaluations a second of every back-end: bare, and in self-play at the same batch."""
    from dotzero.models.backend import make_evaluator, num_cores

    network, selfplay = {}, {}
    for kind, config in _backends(job).items():
        workers = 1 if config.device != "cpu" else config.num_workers or num_cores()
        num_groups = workers + 1  # one more than are evaluated at a time
        batch = max(1, job.num_games // num_groups)
        with make_evaluator(_network(job, game), config, [game.observe(game.start(1))]) as evaluator:
            bare, playing = _best(
                job,
                _bare_work(game, evaluator, num_groups, batch),
                _self_play_work(game, evaluator, num_groups, batch),
            )
        name = f"b{job.network.num_blocks}c{job.network.num_channels} {kind}"
        network[name] = {"evaluations_per_second": bare, "batch": batch, "workers": workers}
        selfplay[f"{name}@{game.name}"] = {
            "efficiency": playing / bare,
            "evaluations_per_second": playing,
            "limited_by": "limited by the network" if playing > bare / 2 else "limited by trees and Python",
        }
    return network, selfplay


def _network(job: "BenchJob", game: Any) -> Any:
    """A network with random weights; all but the last layers, so that games do not differ from real ones."""
    import torch

    from dotzero.models.encoding import known_encoding
    from dotzero.models.network import Network

    generator = torch.Generator().manual_seed(0)
    return Network(job.network, known_encoding(game.name, game.max_margin), generator)


def _bare_work(game: Any, evaluator: Any, num_groups: int, batch: int) -> Callable[[], int]:
    """Keeps all workers busy with full batches of an empty board, started and awaited as self-play does."""
    buffers = [evaluator.allocate(batch, game.observation_shape, game.num_globals) for _ in range(num_groups)]
    for buffer in buffers:
        buffer.points[:], buffer.globals[:] = game.observe(game.start(batch))

    def work() -> int:
        tickets = [evaluator.start(buffer, batch) for buffer in buffers]
        for _ in range(50):
            for index, buffer in enumerate(buffers):
                evaluator.finish(tickets[index])
                tickets[index] = evaluator.start(buffer, batch)
        for ticket in tickets:
            evaluator.finish(ticket)
        return 51 * batch * num_groups

    return work


def _self_play_work(game: Any, evaluator: Any, num_groups: int, batch: int) -> Callable[[], int]:
    """Plays on in all groups; openings spread the games over all their stages."""
    import numpy as np

    from dotzero.search.mcts import RootRule, SearchConfig
    from dotzero.train.selfplay import SelfPlay, SelfPlayConfig

    search = SearchConfig(root=RootRule.GUMBEL, num_simulations=32)
    config = SelfPlayConfig(num_games=batch * num_groups, num_groups=num_groups)
    selfplay = SelfPlay([game], config, search, evaluator, np.random.SeedSequence(0))

    def work() -> int:
        return selfplay.play(1)[1].num_evaluations

    return work


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()
