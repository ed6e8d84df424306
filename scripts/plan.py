"""Foretell a training run: games and positions an hour, its time and its memory, from a minute of measuring.

Examples:
    dotzero bench plan preset=boxes_5x5
    dotzero bench plan preset=kropki_mixed positions=5_000_000 backend.int8=true

Takes every setting of `dotzero train`, and writes nothing. Machines are noisy and a trained network plays
other games than a new one: believe it to within a third. Its time is that of the iterations; what comes on
top (starting up, judge, ladder, the final match, the export) is named below the table, and in not_counted.
"""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dotzero.scripts.command import Report, help_wanted, run_job
from dotzero.scripts.durations import duration

if TYPE_CHECKING:
    from dotzero.configs.bench import PlanJob
    from dotzero.scripts.run_rates import Measured

MIB = 2**20


def plan_main(argv: list[str]) -> int:
    """Run `dotzero bench plan`; `argv` are the words after it."""
    if help_wanted(argv, __doc__, presets="preset"):
        return 0
    from dotzero.configs.bench import PlanJob

    return run_job(PlanJob, argv, plan, presets="preset")


def plan(job: "PlanJob") -> Report:
    """Measure, and work out what a run would do."""
    import torch

    from dotzero.scripts.run_rates import measure_run

    torch.set_num_threads(1)
    measured = measure_run(job.training(), job.seconds)
    data = forecast(job, measured)
    return Report(data=data, shown=[_table(job, data)])


def forecast(job: "PlanJob", measured: "Measured") -> dict[str, Any]:
    """What a run would do and take.

    Args:
        job: Its settings.
        measured: What this machine does with them.
    """
    loop, rates = job.loop, measured.rates
    made = loop.positions_per_iteration
    evaluations = made * measured.evaluations_per_position
    steps = job.replay.num_steps(made, job.learner.batch_size)
    playing, learning = evaluations / rates.evaluations, steps / rates.steps
    iteration = _overlapped(evaluations, steps, measured) if loop.overlap else playing + learning
    teaching = min(job.selfplay.teacher_iterations, loop.num_iterations)
    taught = _taught(job, learning, measured)

    def seconds(iterations: float) -> float:
        first = min(iterations, teaching)
        return first * taught + (iterations - first) * iteration

    # With overlap the first games and the last learning have nothing beside them.
    alone = 0.0 if teaching else playing + learning - iteration
    games = made / measured.positions_per_game
    an_iteration = {"games": games, "positions": made, "evaluations": evaluations, "steps": steps}
    return {
        "rates": {
            **asdict(rates),
            "evaluations_per_position": measured.evaluations_per_position,
            "positions_per_game": measured.positions_per_game,
            **measured.figures,
        },
        "per_hour": {name: 3600 * value / iteration for name, value in an_iteration.items()},
        "iteration": {"seconds": iteration, "selfplay_seconds": playing, "learner_seconds": learning},
        "taught": {"iterations": teaching, "seconds": taught},
        "run": {
            "iterations": loop.num_iterations,
            "positions": made * loop.num_iterations,
            "seconds": seconds(loop.num_iterations) + alone,
        },
        "goal": {"positions": job.positions, "seconds": seconds(job.positions / made)},
        "not_counted": not_counted(job),
        "memory": _memory(job, measured),
    }


def not_counted(job: "PlanJob") -> list[str]:
    """What a run takes time for besides its iterations."""
    from dotzero.search.endgame import has_solver

    parts = ["starting up"]
    if job.judge.every and any(has_solver(game) for game in job.make_games()):
        parts.append(f"the judge every {job.judge.every} iterations")
    if job.ladder.every:
        parts.append(f"the ladder every {job.ladder.every} iterations")
    if job.opponent is not None:
        parts.append(f"the final match of {job.measure.games} games against {job.opponent}")
    return [*parts, "the export"]


def _taught(job: "PlanJob", learning: float, measured: "Measured") -> float:
    """Seconds of an iteration that the teacher plays on all cores; the learner takes one beside it."""
    if measured.rates.taught <= 0:
        return 0.0
    cores = measured.num_cores if job.loop.overlap else 1
    return job.loop.positions_per_iteration / measured.rates.taught + learning / cores


def _memory(job: "PlanJob", measured: "Measured") -> dict[str, float]:
    """What lies in memory at the end of the run."""
    positions = job.loop.num_iterations * job.loop.positions_per_iteration
    window = min(positions, job.replay.window_size(positions))
    return {
        "window_positions": window,
        "window_mib": window * measured.bytes_per_position / MIB,
        "selfplay_mib": measured.selfplay_mib,
    }


def _overlapped(evaluations: float, steps: float, measured: "Measured") -> float:
    """Seconds of an iteration that plays and learns at once: side by side, then whichever is left, alone."""
    rates = measured.rates
    if rates.evaluations_beside <= 0 or rates.steps_beside <= 0:
        return evaluations / rates.evaluations + steps / rates.steps
    playing, learning = evaluations / rates.evaluations_beside, steps / rates.steps_beside
    both = min(playing, learning)
    left_to_play = (evaluations - both * rates.evaluations_beside) / rates.evaluations
    left_to_learn = (steps - both * rates.steps_beside) / rates.steps
    return both + max(left_to_play, left_to_learn)


def _table(job: "PlanJob", data: dict[str, Any]) -> Any:
    from rich.table import Table

    table = Table(title=f"A run of {job.loop.num_iterations} iterations as configured, on this machine")
    table.caption = f"not counted in these times: {', '.join(data['not_counted'])}"
    table.add_column("what")
    table.add_column("how much", justify="right")
    rates, hour, memory = data["rates"], data["per_hour"], data["memory"]
    table.add_row("evaluations a second in self-play", f"{rates['evaluations']:,.0f}")
    table.add_row("  while learning", f"{rates['evaluations_beside']:,.0f}")
    table.add_row("optimiser steps a second", f"{rates['steps']:,.2f}")
    table.add_row("  while playing", f"{rates['steps_beside']:,.2f}")
    table.add_row("evaluations a recorded position", f"{rates['evaluations_per_position']:,.1f}")
    table.add_row("leaves answered from the cache", f"{rates['cache_hits']:.0%}")
    table.add_row("mean batch", f"{rates['mean_batch']:,.0f}")
    for name, label in (("games", "games"), ("positions", "positions"), ("steps", "optimiser steps")):
        table.add_row(f"{label} an hour", f"{hour[name]:,.0f}")
    iteration = data["iteration"]
    alone = f"self-play alone {duration(iteration['selfplay_seconds'])}, "
    alone += f"learner alone {duration(iteration['learner_seconds'])}"
    table.add_row(f"an iteration ({alone})", duration(iteration["seconds"]))
    if data["taught"]["iterations"]:
        label = f"one of the first {data['taught']['iterations']}, played by the teacher"
        table.add_row(label, duration(data["taught"]["seconds"]))
    table.add_row(f"the whole run, {data['run']['positions']:,} positions", duration(data["run"]["seconds"]))
    table.add_row(f"time to {data['goal']['positions']:,} positions", duration(data["goal"]["seconds"]))
    window = f"memory of the window at its end, {memory['window_positions']:,} positions"
    table.add_row(window, f"{memory['window_mib']:,.0f} MiB")
    table.add_row("memory of games, trees and evaluator", f"{memory['selfplay_mib']:,.0f} MiB")
    return table
