"""Export a checkpoint for play: model.safetensors, model.onnx and card.json.

Examples:
    dotzero export run=first
    dotzero export run=first out=networks/first
    dotzero export from=runs/first/checkpoints/000060.safetensors out=networks/early

Without out= the newest checkpoint of a run goes into runs/NAME/export, as at the end of its training, and a
checkpoint that from= names into a folder with its name in the current one (./000060).
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dotzero.mistakes import needed_for
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
    out = destination(job, source)
    with needed_for("out", "a folder that can be written", out):
        out.parent.mkdir(parents=True, exist_ok=True)
    card = export_network(network, meta.about, out, _measured(out, meta.about))
    parity = max(card.parity.values())
    return Report(
        data={"source": source, "export": out, "card": card.to_dict()},
        shown=[f"exported {source} to {out} (largest difference from torch {parity:.1e})"],
    )


def destination(job: "ExportJob", source: Path) -> Path:
    """The folder to write.

    Without `out` the run's own, where its training puts one at its end, or one in the current folder: never
    one beside the released networks, that a checkout would take for its own.
    """
    if job.out:
        return Path(job.out)
    return Path(source.stem) if job.run is None else Path(job.runs) / job.run / "export"


def _measured(out: Path, about: dict[str, Any]) -> dict[str, Any] | None:
    """What an earlier export of the same state of the same run scored, which a new one is not to forget."""
    from dotzero.models.export import CARD_NAME, load_card

    if not (out / CARD_NAME).exists():
        return None
    card = load_card(out)
    return card.arena if card.training == about.get("training") else None


def _source(job: "ExportJob") -> Path:
    from dotzero.models.export import checkpoint_file

    if (job.run is None) == (job.source is None):
        raise ValueError("export must be given one of run=NAME and from=PATH")
    if job.source is not None:
        return checkpoint_file(job.source, "from")
    folder = Path(job.runs) / str(job.run) / "checkpoints"
    found = sorted(folder.glob("*.safetensors"))
    if not found:
        raise ValueError(f"run {job.run} must have a checkpoint in {folder}, there is none yet")
    return found[-1]


def export_network(
    network: Any, about: dict[str, Any], folder: Path, arena: dict[str, Any] | None = None
) -> "Card":
    """Export a network with sample positions of all sizes of its boards, or of its own and another one."""
    from dotzero.envs.registry import make_game
    from dotzero.models.export import export_checkpoint

    boards = [make_game(about["game"], rules) for rules in about.get("boards", [about["rules"]])]
    by_size = {game.size: game for game in boards}
    games = list(by_size.values()) if len(by_size) > 1 else [boards[0], boards[0].neighbour()]
    summary = None if arena is None else {key: arena[key] for key in ("games", "players")}
    return export_checkpoint(network, about, folder, _samples(games), sizes=list(by_size), arena=summary)


def _samples(games: list[Any]) -> list[Any]:
    """Positions from the middle of random games: half as many moves from a start as it leaves open."""
    import numpy as np

    from dotzero.envs.game import NO_ACTION
    from dotzero.train.game_log import random_actions

    random = np.random.default_rng(0)
    samples = []
    for game in games:
        state = game.start(16, random)
        for _ in range(int(game.legal(state)[0].sum()) // 2):
            actions = random_actions(game.plain_actions(state), random)
            state = game.step(state, np.where(state.finished, NO_ACTION, actions))
        observation = game.observe(state)
        samples.append((observation.points, observation.globals))
    return samples
