"""Tell where a run stands, also while it trains: it is read, never touched.

Examples:
    dotzero train status run=first
    dotzero train status
    dotzero train status run=first output=json

Without a run, every run below `runs` gets one line.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dotzero.scripts.command import Report, help_wanted, run_job
from dotzero.scripts.durations import duration

if TYPE_CHECKING:
    from dotzero.configs.looks import StatusJob
    from dotzero.train.run_status import RunStatus


def status_main(argv: list[str]) -> int:
    """Run `dotzero train status`; `argv` are the words after it."""
    if help_wanted(argv, __doc__):
        return 0
    from dotzero.configs.looks import StatusJob

    return run_job(StatusJob, argv, tell)


def tell(job: "StatusJob") -> Report:
    """One run in full, or a line for every run."""
    from dataclasses import asdict

    from dotzero.train.run_status import read_status, run_folders

    folders = run_folders(Path(job.runs))
    if job.folder is None:
        return _all_runs(job.runs, folders)
    if not job.folder.is_dir():
        names = [str(folder.relative_to(job.runs)) for folder in folders]
        known = f"one of {', '.join(names)}" if names else "the name of a run"
        raise ValueError(f"run must be {known} in {job.runs}, got {job.run}")
    status = read_status(job.folder)
    steps = _next_steps(status)
    shown: list[Any] = [_table(status), *_tables_of_figures(status), *steps]
    return Report(data={**asdict(status), "next": steps}, shown=shown)


def _all_runs(runs: str, folders: list[Path]) -> Report:
    """A line for every run; one that cannot be read does not hide the others."""
    from dataclasses import asdict

    from dotzero.train.run_status import read_status

    found, damaged = [], []
    for folder in folders:
        try:
            found.append(read_status(folder))
        except ValueError as error:
            damaged.append(str(error))
    if not folders:
        raise ValueError(f"runs must be a folder with runs, {runs} has none")
    data = {"runs": [asdict(status) for status in found], "damaged": damaged}
    return Report(data=data, shown=[_overview(found), *damaged])


def _overview(found: "list[RunStatus]") -> Any:
    from rich.table import Table

    table = Table()
    for column in ("run", "state", "iterations", "time", "left", "evaluations", "policy loss", "disk"):
        table.add_column(column, justify="left" if column in ("run", "state") else "right")
    for status in found:
        loss = status.losses.get("policy")
        table.add_row(
            status.run,
            status.stage,
            _iterations(status),
            duration(status.seconds),
            "" if not status.seconds_left else duration(status.seconds_left),
            f"{status.num_evaluations:,}",
            "" if loss is None else f"{loss:.3f}",
            f"{status.disk_mib:,.1f} MiB",
        )
    return table


def _table(status: "RunStatus") -> Any:
    from rich.table import Table

    table = Table(title=f"run {status.run}", show_header=False)
    process = "" if status.process is None else f", process {status.process}"
    ago = "" if status.committed_ago is None else f", last commit {duration(status.committed_ago)} ago"
    table.add_row("state", f"{status.stage}{process}{ago}")
    table.add_row("iterations", _iterations(status))
    left = f", about {duration(status.seconds_left)} left" if status.seconds_left else ""
    table.add_row("training time", duration(status.seconds) + left)
    rate = status.evaluations_per_second
    speed = "" if rate is None else f", lately {rate:,.0f}/s"
    table.add_row("evaluations", f"{status.num_evaluations:,}{speed}")
    table.add_row("positions", f"{status.num_positions:,}, of which {status.window:,} are learned from")
    memory = "" if status.rss_mib is None else f"{status.rss_mib:,.0f} MiB of memory, "
    table.add_row("takes", f"{memory}{status.disk_mib:,.1f} MiB of disk")
    if status.checkpoint is not None:
        table.add_row("newest checkpoint", status.checkpoint)
    if status.score is not None:
        table.add_row(f"against {status.opponent}", f"{status.score:.1%}")
    for path in status.bad_batches:
        table.add_row("non-finite loss", path)
    return table


def _tables_of_figures(status: "RunStatus") -> list[Any]:
    """Losses, judge and ladder, those that there are."""
    from rich.table import Table

    tables = []
    if status.losses:
        table = Table("loss", f"iteration {status.iteration}")
        if status.earlier_iteration is not None:
            table.add_column(f"iteration {status.earlier_iteration}")
        for name, value in status.losses.items():
            earlier = status.earlier_losses.get(name)
            table.add_row(name, f"{value:.4f}", "" if earlier is None else f"{earlier:.4f}")
        tables.append(table)
    if status.judge:
        table = Table("board", "simulations", "best lines", "margin lost a line")
        table.title = f"judge, iteration {status.judge_iteration}"
        for row in _judge_rows(status.judge):
            table.add_row(*row)
        tables.append(table)
    if status.ladder:
        table = Table("opponent", "score", "Elo", title=f"ladder, iteration {status.ladder_iteration}")
        for name in dict.fromkeys(key.rpartition("/")[0] for key in status.ladder):
            score, elo = (status.ladder.get(f"{name}/{what}") for what in ("score", "elo"))
            table.add_row(name, "" if score is None else f"{score:.1%}", "" if elo is None else f"{elo:+.0f}")
        tables.append(table)
    return tables


def _judge_rows(figures: dict[str, float]) -> list[tuple[str, str, str, str]]:
    """Board, budget, share of best lines and margin lost, over all phases."""
    rows = []
    for key, share in figures.items():
        parts = key.split("/")
        if len(parts) == 3 and parts[2] == "optimal":
            lost = figures.get(f"{parts[0]}/{parts[1]}/lost")
            rows.append((parts[0], parts[1], f"{share:.2%}", "" if lost is None else f"{lost:.4f}"))
    return rows


def _next_steps(status: "RunStatus") -> list[str]:
    """What to do now."""
    board = f"tensorboard --logdir {status.run}/tensorboard"
    again = f"the same `dotzero train` command; its settings are in {status.run}/config.yaml"
    if status.bad_batches:
        return [
            f"A loss was not finite; the run stands at its last good state and {status.bad_batches[-1]} "
            "holds the batch. docs/training.md, section Watchdog, tells what to do."
        ]
    return {
        "starting": ["It plays its first games."],
        "running": [f"To watch it: {board}", "Ctrl-C or a kill loses nothing that is committed."],
        "stopped": [f"To go on: {again}"],
        "learned": [f"To measure and export it: {again}"],
        "finished": [f"To see its curves: {board}", f"Its network: {status.export}"],
    }[status.stage]


def _iterations(status: "RunStatus") -> str:
    total = status.num_iterations
    return "none yet" if total is None else f"{status.iteration:,} of {total:,}"
