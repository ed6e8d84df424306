"""Figures of a GPU for `dotzero bench gpu`: are its answers right, and how fast does it give them."""

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from dotzero.cores import num_cores
from dotzero.envs.game import Game
from dotzero.envs.registry import make_game, size_text
from dotzero.models.backend import BackendConfig
from dotzero.models.evaluator import Evaluation
from dotzero.models.network import Network, NetworkConfig
from dotzero.models.parity import answer_differences
from dotzero.models.torch_evaluator import TorchEvaluator
from dotzero.scripts.network_speed import SelfPlayMeter, bare_work, random_network
from dotzero.scripts.rates import rate
from dotzero.search.search_config import RootRule, SearchConfig
from dotzero.train.calibration import fitted_evaluator, random_positions
from dotzero.train.selfplay import SelfPlayConfig

if TYPE_CHECKING:
    from dotzero.configs.bench import GpuJob

NETWORKS = (NetworkConfig(num_blocks=6, num_channels=64), NetworkConfig(num_blocks=10, num_channels=128))
"""Measured networks."""
BOARDS: dict[str, tuple[dict[str, Any], int]] = {
    "boxes": ({"rows": 5, "columns": 5}, 1024),
    "kropki": ({"width": 20, "height": 20, "start": "random_crosses"}, 256),
}
"""Measured boards, and the games in each group of self-play."""
NUM_GROUPS = 3
"""Groups of games in flight."""
SIMULATIONS = 16
"""Budget of a move in self-play."""
NUM_POSITIONS = 128
"""Positions whose answers are compared."""
LIMITS = {"float32": (1e-6, 1e-3), "bfloat16": (1e-2, 5e-2)}
"""Largest mean divergence of the policy in nats, and mean difference of the value, that count as right."""


def answer_figures(job: "GpuJob") -> dict[str, Any]:
    """Answers of the device against those of torch on the processor, before and after new weights."""
    figures: dict[str, Any] = {}
    precisions = ("float32",) if job.device == "cpu" else tuple(LIMITS)
    for name, (rules, _) in BOARDS.items():
        game = make_game(name, rules)
        for precision in precisions:
            for graphs in (False, True) if job.device != "cpu" else (False,):
                label = f"{precision}{' in CUDA graphs' if graphs else ''}, {_board(game)}"
                figures[label] = _answers(job.device, game, precision, graphs)
    return figures


def _answers(device: str, game: Game[Any], precision: str, graphs: bool) -> dict[str, Any]:
    """The largest of the mean differences with two sets of weights, the second of them swapped in."""
    networks = [_full_network(game, seed) for seed in (0, 1)]
    part = random_positions(game, np.random.default_rng(0), NUM_POSITIONS)
    found: dict[str, float] = {}
    with TorchEvaluator(networks[0], device, 1, precision == "bfloat16", graphs) as evaluator:
        for network in networks:
            evaluator.load_weights(network.state_dict())
            answers = evaluator.evaluate(part.points, part.globals)
            for name, values in answer_differences(_right(network, part), answers, part.legal).items():
                worse = min if name == "best_move" else max
                mean = float(values.mean())
                found[name] = worse(found.get(name, mean), mean)
    most_kl, most_value = LIMITS[precision]
    # Written so that NaN fails too.
    return found | {"passed": bool(found["policy_kl"] <= most_kl and found["value"] <= most_value)}


def _full_network(game: Game[Any], seed: int) -> Network:
    """A network none of whose layers is at zero, so that every part of it matters."""
    network = random_network(NETWORKS[0], game)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            scale = 1.0 / max(1, parameter[0].numel()) ** 0.5
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * scale)
    return network.eval()


def _right(network: Network, part: Any) -> Evaluation:
    with TorchEvaluator(network) as evaluator:
        return evaluator.evaluate(part.points, part.globals)


def speed_figures(job: "GpuJob") -> dict[str, Any]:
    """Evaluations a second of every network on every board: bare, and in self-play at the same batch."""
    figures = {}
    for name, (rules, batch) in BOARDS.items():
        game = make_game(name, rules)
        for index, size in enumerate(NETWORKS):
            label = f"b{size.num_blocks}c{size.num_channels}, {_board(game)}"
            figures[label] = _speed(job, game, size, batch, compare_graphs=index == 0)
    return figures


def _speed(
    job: "GpuJob", game: Game[Any], size: NetworkConfig, batch: int, compare_graphs: bool
) -> dict[str, Any]:
    config = BackendConfig(device=job.device, bfloat16=job.device != "cpu", num_workers=1)
    network = random_network(size, game)
    row: dict[str, Any] = {"batch": batch}
    with fitted_evaluator(network, config, [game]) as evaluator:
        work = bare_work(game, evaluator, NUM_GROUPS, batch)
        rate(work, job.seconds / 4)
        row["bare"] = rate(work, job.seconds)
        settings = SelfPlayConfig(
            num_games=batch * NUM_GROUPS, num_groups=NUM_GROUPS, num_search_threads=num_cores(),
            random_opening_plies=game.num_actions // 3,
        )  # fmt: skip
        search = SearchConfig(root=RootRule.GUMBEL, num_simulations=SIMULATIONS)
        SelfPlayMeter([game], settings, search, evaluator).play_moves()  # records graphs of every batch
        meter = SelfPlayMeter([game], settings, search, evaluator)
        row["selfplay"] = rate(meter.play_moves, job.seconds)
    row |= {"efficiency": row["selfplay"] / row["bare"], **meter.figures()}
    if compare_graphs and job.device != "cpu":
        config.cuda_graphs = False
        with fitted_evaluator(network, config, [game]) as evaluator:
            work = bare_work(game, evaluator, NUM_GROUPS, batch)
            rate(work, job.seconds / 4)
            row["bare_without_graphs"] = rate(work, job.seconds)
    return row


def _board(game: Game[Any]) -> str:
    return f"{game.name} {size_text(game)}"
