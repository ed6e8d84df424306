"""Export a checkpoint for play: model.safetensors, model.onnx and card.json.

Examples:
    dotzero export run=first out=checkpoints/first
    dotzero export from=runs/first/checkpoints/000060.safetensors out=checkpoints/early
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dotzero.scripts.command import Report, help_wanted, run_job

if TYPE_CHECKING:
    from dotzero.configs.schema import ExportJob
    from dotzero.models.export import Card


def main(argv: list[str]) -> int:
    """Run the act."""
    if help_wanted(argv, __doc__):
        return 0
    from dotzero.configs.schema import ExportJob

    return run_job(ExportJob, argv, export, aliases={"from": "source"})


def export(job: "ExportJob") -> Report:
    """Export the checkpoint that the settings name."""
    from dotzero.models.checkpoint import load_checkpoint

    source = _source(job)
    network, meta = load_checkpoint(source)
    out = Path(job.out) if job.out else Path("checkpoints") / (job.run or source.stem)
    out.parent.mkdir(parents=True, exist_ok=True)
    card = export_network(network, meta.about, out)
    parity = max(card.parity.values())
    return Report(
        data={"source": source, "export": out, "card": card.to_dict()},
        shown=[f"exported {source} to {out} (largest difference from torch {parity:.1e})"],
    )


def _source(job: "ExportJob") -> Path:
    if (job.run is None) == (job.source is None):
        raise ValueError("export must be given one of run=NAME and from=PATH")
    if job.source is not None:
        return Path(job.source)
    folder = Path(job.runs) / str(job.run) / "checkpoints"
    found = sorted(folder.glob("*.safetensors"))
    if not found:
        raise ValueError(f"run {job.run} must have a checkpoint in {folder}, there is none yet")
    return found[-1]


def export_network(
    network: Any, about: dict[str, Any], folder: Path, arena: dict[str, Any] | None = None
) -> "Card":
    """Export a network with sample positions of its own board and of another size."""
    import numpy as np

    from dotzero.envs.registry import make_game
    from dotzero.models.export import export_checkpoint
    from dotzero.train.selfplay import random_actions

    random = np.random.default_rng(0)
    own = make_game(about["game"], about["rules"])
    samples = []
    for game in (own, own.neighbour()):
        state = game.start(16)
        for _ in range(game.num_actions // 2):
            state = game.step(state, random_actions(game.legal(state), random))
        observation = game.observe(state)
        samples.append((observation.points, observation.globals))
    summary = None if arena is None else {key: arena[key] for key in ("games", "players")}
    return export_checkpoint(network, about, folder, samples, sizes=[own.size], arena=summary)
