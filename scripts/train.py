"""Train a network by self-play, measure it, export it; goes on where it stopped.

Examples:
    dotzero train preset=boxes_3x3 run=first
    dotzero train status run=first
    dotzero train -m preset=smoke run=grid learner.learning_rate=1e-3,3e-3

Everything lies in runs/NAME. The same command goes on after an interruption; a finished run is shown again.
Given other settings it goes on with those; game, rules, boards, seed, network and number of games must stay.
"""

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dotzero.scripts.command import Report, help_wanted, run_job
from dotzero.scripts.grid import grid_wanted, run_grid

if TYPE_CHECKING:
    from dotzero.configs.schema import TrainJob
    from dotzero.train.loop import Training
    from dotzero.train.run_folder import RunFolder

SHOWN = {
    "time/seconds": ("s", "{:.0f}"),
    "selfplay/evaluations_per_second": ("eval/s", "{:.0f}"),
    "replay/total": ("positions", "{:.0f}"),
    "learner/policy": ("policy", "{:.3f}"),
    "learner/value": ("value", "{:.3f}"),
    "learner/margin": ("margin", "{:.3f}"),
}
"""Numbers of an iteration that are printed, with their short names."""


def main(argv: list[str]) -> int:
    """Run the act."""
    if argv[:1] == ["status"]:
        from dotzero.scripts.train_status import status_main

        return status_main(argv[1:])
    if help_wanted(argv, __doc__, presets="preset"):
        return 0
    if grid_wanted(argv):
        return run_grid(
            "train", argv, columns=["iteration", "learner/policy", "learner/value", "time/seconds"]
        )
    from dotzero.configs.schema import TrainJob

    return run_job(TrainJob, argv, train, presets="preset")


def train(job: "TrainJob") -> Report:
    """Train to the end, then measure and export."""
    from dotzero.configs.compose import settings_text
    from dotzero.configs.schema import plain
    from dotzero.train.loop import Training
    from dotzero.train.run_folder import RunFolder
    from dotzero.whole_files import write_text

    _check_the_end(job)
    with RunFolder(job.folder) as folder:
        try:
            training = Training(job.training(), plain(job.training()), folder)
        except ValueError:
            folder.discard_if_new()
            raise
        try:
            write_text(job.folder / "config.yaml", settings_text(job))
            if not training.finished:
                folder.remove("finished.json")  # a finished run that goes on: of the network as it was
            _iterate(job, training)
            if not training.finished:
                return _stopped(job, training)
            return _finish(job, training, folder)
        finally:
            training.close()


def _check_the_end(job: "TrainJob") -> None:
    """Refuse now what would fail only when the training is over."""
    from dotzero.models.onnx_evaluator import require_package

    for package in ("onnx", "onnxscript", "onnxruntime"):
        require_package(package)
    for game in job.make_games():
        game.neighbour()
    if job.ladder.every > 0:
        for name in job.ladder.opponents:
            _check_opponent(name, job.make_games()[0], "ladder.opponents")
    if job.opponent is not None:
        measured = job.measured_game()
        _check_opponent(job.opponent, measured, "measure.opponent")
        job.measure.make_openings(measured)


def _check_opponent(opponent: str, game: Any, setting: str) -> None:
    """Refuse an opponent that there is not or that does not play the game, such as medium misere."""
    from dotzero.play.players import make_player

    try:
        make_player(opponent, game).close()
    except ValueError as error:
        raise ValueError(f"{setting}: {error}") from None


def _iterate(job: "TrainJob", training: "Training") -> None:
    from dotzero.scripts.progress import Lines

    total = job.loop.num_iterations
    for change in training.changed:
        print(f"train {job.run}: from iteration {training.iteration} on {change}", file=sys.stderr)
    begin, limit = training.iteration, job.loop.stop_after or total
    with Lines(f"train {job.run}", total) as lines:
        lines.start(begin)
        while not training.finished and training.iteration - begin < limit:
            values = training.iterate()
            shown = " ".join(
                f"{name} {form.format(values[key])}" for key, (name, form) in SHOWN.items() if key in values
            )
            if values.get("int8/used") == 0:
                shown += " int8 strays: evaluated in float32"
            lines.step(training.iteration, shown)


def _stopped(job: "TrainJob", training: "Training") -> Report:
    done, total = training.iteration, job.loop.num_iterations
    return Report(
        data={"run": str(job.folder), "finished": False, "iteration": done, "iterations": total},
        shown=[f"stopped after iteration {done} of {total}; the same command goes on"],
    )


def _finish(job: "TrainJob", training: "Training", folder: "RunFolder") -> Report:
    """Measure and export, unless an earlier process has done just this."""
    from dotzero.configs.schema import plain
    from dotzero.scripts.export import export_network

    result = folder.read_json("finished.json")
    exported, measure = job.folder / "export", plain(job.measure)
    if result is None or result.get("measure") != measure or not exported.is_dir():
        export_network(training.learner.average.cpu(), training.card(), exported)
        arena = None if job.opponent is None else _measure(job, exported)
        if arena is not None:
            export_network(training.learner.average.cpu(), training.card(), exported, arena)
        score = {} if arena is None else {"score": arena["players"][0]["score"]}
        training.metrics.finish(training.iteration, score)
        result = {"card": training.card(), "arena": arena, "export": str(exported), "measure": measure}
        folder.write_json("finished.json", result)
    data = {"run": str(job.folder), "finished": True, **result}
    return Report(data=data, shown=[_table(result), _next_steps(job.folder, result)])


def _measure(job: "TrainJob", exported: Any) -> dict[str, Any]:
    """The match against the fixed opponent on the measured board, as the arena's JSON."""
    from dotzero.play.players import Player, make_player
    from dotzero.play.tournament import play_round_robin
    from dotzero.play.zero import ZeroConfig, ZeroPlayer
    from dotzero.scripts.progress import match_progress

    assert job.opponent is not None
    game = job.measured_game()
    config = ZeroConfig(
        simulations=job.measure.simulations, backend=job.backend.kind, device=job.backend.device
    )
    if not job.measure.solver:
        config = replace(config, exact_lines=0)
    players: list[Player] = [
        ZeroPlayer(exported, game, config),
        make_player(job.opponent, game),
    ]
    try:
        with match_progress("measure") as progress:
            return play_round_robin(game, players, job.measure, progress=progress).to_json()
    finally:
        for player in players:
            player.close()


def _table(result: dict[str, Any]) -> Any:
    from rich.table import Table

    from dotzero.play.tournament import rules_text

    training = result["card"]["training"]
    game, boards = result["card"]["game"], result["card"]["boards"]
    shown = rules_text(game, boards[0]) if len(boards) == 1 else f"on {len(boards)} boards"
    table = Table(title=f"{game} {shown}", show_header=False)
    table.add_row("iterations, steps", f"{training['iterations']}, {training['steps']}")
    table.add_row("positions", f"{training['positions']:,}")
    table.add_row("evaluations", f"{training['evaluations']:,}")
    table.add_row("training time", f"{training['seconds']:.0f} s")
    if result["arena"] is not None:
        zero, opponent = result["arena"]["players"]
        table.add_row(
            f"{'with the solver ' if result['measure']['solver'] else ''}against {opponent['name']}",
            f"{zero['score']:.1%} of {result['arena']['games']} games "
            f"({zero['wins']} won, {zero['draws']} drawn, {zero['losses']} lost)",
        )
    table.add_row("exported to", result["export"])
    return table


def _next_steps(folder: Path, result: dict[str, Any]) -> str:
    """Commands that go on from here, for the board that was measured, else the first one learned."""
    from dotzero.envs.registry import make_game
    from dotzero.play.levels import strongest_level

    name, exported, arena = result["card"]["game"], result["export"], result["arena"]
    game = make_game(name, result["card"]["rules"] if arena is None else arena["rules"])
    opponent = strongest_level(game) if arena is None else arena["players"][1]["name"]
    # Started by make, or by the path of its Python: the command itself may not be found yet.
    activate = Path(sys.prefix) / "bin" / "activate"
    found = shutil.which("dotzero") is not None or not activate.exists()
    by_itself = game.name == "boxes" and not result["measure"]["solver"]
    alone = "@exact_lines=0" if by_itself else ""
    return (
        "Next:\n"
        + ("" if found else f"  source {os.path.relpath(activate)}\n")
        + _play_step(game, exported)
        + f"  dotzero arena 'players=[zero:{exported}{alone},{opponent}]' game={name}{_rule_words(game)}\n"
        f"  tensorboard --logdir {folder}/tensorboard"
    )


def _play_step(game: Any, exported: str) -> str:
    """How to play against the network in the terminal."""
    from dotzero.envs.registry import size_text

    sides = ("rows", "columns", "width", "height")
    options = {name: value for name, value in _unusual(game).items() if name not in sides}
    if game.name == "boxes":
        words = "".join(f" --{name} {value}" for name, value in options.items())
    else:
        words = "".join(f" --rule {name}={_rule_value(value)}" for name, value in options.items())
        words = f" --game {game.name}{words}"
    return f"  dotzero play --level zero:{exported} --size {size_text(game)}{words}\n"


def _rule_value(value: Any) -> str:
    """A rule's value as `--rule` takes it: pairs as in 15x8."""
    if isinstance(value, list | tuple):
        return "x".join(map(str, value))
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _rule_words(game: Any) -> str:
    """The rules that differ from the game's own, as settings."""
    return "".join(f" rules.{name}={_word(value)}" for name, value in _unusual(game).items())


def _unusual(game: Any) -> dict[str, Any]:
    """The rules that differ from the game's own, by name."""
    from dotzero.envs.registry import describe_game, unusual_rules

    return unusual_rules(game.name, describe_game(game)["rules"])


def _word(value: Any) -> str:
    """A value as the command line takes it."""
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_word, value))}]"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
