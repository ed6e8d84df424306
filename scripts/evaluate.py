"""Judge a network on single positions against exact play. For Dots and Boxes only.

Examples:
    dotzero evaluate checkpoint=runs/boxes_3x3/export
    dotzero evaluate checkpoint=runs/big/export 'simulations=[0,64]' judge.lines=32
    dotzero evaluate checkpoint=runs/boxes_3x3/export positions=tests/data/boxes_positions.json

The positions are the judge's: a fixed set for every board, with equally many of every number of undrawn
lines, in all of which some lines are worse than others. Or those of a file, a JSON list of objects with
`rows`, `cols`, `dbn` (0/1 for every line) and `best`.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dotzero.scripts.command import Report, help_wanted, run_job

if TYPE_CHECKING:
    from dotzero.configs.schema import EvaluateJob


def main(argv: list[str]) -> int:
    """Run the act."""
    if help_wanted(argv, __doc__):
        return 0
    from dotzero.configs.schema import EvaluateJob

    return run_job(EvaluateJob, argv, evaluate)


def evaluate(job: "EvaluateJob") -> Report:
    """Judge every budget, or count best lines of a file."""
    from dotzero.models.checkpoint import load_checkpoint
    from dotzero.models.encoding import known_encoding
    from dotzero.models.export import checkpoint_file
    from dotzero.scripts.known_positions import count_best

    # Refused first: what a file of positions says depends on the game.
    network, meta = load_checkpoint(checkpoint_file(job.checkpoint), known_encoding("boxes", 1))
    if job.positions is not None:
        return count_best(job, Path(job.positions))
    return _judge(job, network, meta.about)


def _judge(job: "EvaluateJob", network: Any, about: dict[str, Any]) -> Report:
    import torch

    from dotzero.models.backend import Backend, BackendConfig, make_evaluator
    from dotzero.search.endgame import require_fits
    from dotzero.train.evaluate import Judge, judge_network

    game = _board(job, about)
    require_fits(game.rules, "the judge")
    judge = Judge(game, job.judge.lines, job.judge.positions_per_stage)
    if not len(judge):
        raise ValueError(
            f"the board must leave a choice of lines, got {game.rules.rows}x{game.rules.columns}"
        )
    torch.set_num_threads(1)
    network.set_max_margin(max(network.encoding.max_margin, game.max_margin))
    backend = BackendConfig(kind=Backend.ONNX)
    with make_evaluator(network, backend, [game.observe(game.start(1))]) as evaluator:
        verdicts = judge_network(judge, evaluator, job.judge.search, job.simulations)
    stages = judge.stages
    data = {
        "checkpoint": job.checkpoint,
        "rows": game.rules.rows,
        "columns": game.rules.columns,
        "positions": len(judge),
        "undrawn": [int(stages.min()), int(stages.max())],
        "random": judge.by_chance._asdict(),
        "verdicts": {name: verdict._asdict() for name, verdict in verdicts.items()},
    }
    return Report(data=data, shown=[_table(data, judge.by_chance, verdicts)])


def _board(job: "EvaluateJob", about: dict[str, Any]) -> Any:
    """The board that is asked for, else the first that the network learned."""
    from dotzero.envs.registry import make_game

    learned = dict(about.get("rules", {}))
    given = {"rows": job.rows, "columns": job.columns}
    return make_game("boxes", learned | {name: value for name, value in given.items() if value is not None})


def _table(data: dict[str, Any], by_chance: Any, verdicts: dict[str, Any]) -> Any:
    from rich.table import Table

    from dotzero.train.evaluate import PHASES

    low, high = data["undrawn"]
    size = f"{data['rows']}x{data['columns']}"
    title = f"{data['positions']} positions of {size}, {low} to {high} lines undrawn: {data['checkpoint']}"
    table = Table(title=title, caption="lost: points of final margin a line, two for every box")
    for column in ("simulations", "best lines", "lost", *PHASES):
        table.add_column(column, justify="right")
    table.add_row("(random line)", f"{by_chance.optimal:.2%}", f"{by_chance.lost:.4f}")
    for name in (name for name in verdicts if "/" not in name):
        parts = [verdicts.get(f"{name}/{phase}") for phase in PHASES]
        shown = ["" if part is None else f"{part.optimal:.2%}" for part in parts]
        table.add_row(name, f"{verdicts[name].optimal:.2%}", f"{verdicts[name].lost:.4f}", *shown)
    return table
