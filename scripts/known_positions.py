"""Positions of Dots and Boxes whose best lines are known, from a file, and how many a network finds.

The file is a JSON list of positions with `rows`, `cols`, `dbn` (0/1 for every line) and `best` (names of
lines). A set of lines does not say who owns the complete boxes; they are shared out evenly.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dotzero.mistakes import needed_for
from dotzero.scripts.command import Report

if TYPE_CHECKING:
    from dotzero.configs.schema import EvaluateJob

_FIELDS = (
    ("rows", int, "a whole number"),
    ("cols", int, "a whole number"),
    ("dbn", str, "text"),
    ("best", list, "a list"),
)


def count_best(job: "EvaluateJob", path: Path) -> Report:
    """Count, size by size and budget by budget."""
    from rich.table import Table

    positions = read_positions(path)
    sizes = sorted({(position["rows"], position["cols"]) for position in positions})
    sizes = [s for s in sizes if job.rows in (None, s[0]) and job.columns in (None, s[1])]
    if not sizes:
        raise ValueError(f"positions must have boards of {job.rows}x{job.columns}, {path} has none")
    table = Table(title=f"best lines played by {job.checkpoint}")
    for column in ("board", "simulations", "best lines", "share"):
        table.add_column(column, justify="right")
    rows = []
    for size in sizes:
        chosen = [position for position in positions if (position["rows"], position["cols"]) == size]
        for simulations in job.simulations:
            found = _count(job, size, chosen, simulations)
            rows.append(
                {
                    "rows": size[0],
                    "columns": size[1],
                    "simulations": simulations,
                    "best": found,
                    "positions": len(chosen),
                    "share": found / len(chosen),
                }
            )
            share = f"{found / len(chosen):.0%}"
            table.add_row(f"{size[0]}x{size[1]}", str(simulations), f"{found} of {len(chosen)}", share)
    return Report(data={"checkpoint": job.checkpoint, "results": rows}, shown=[table])


def read_positions(path: Path) -> list[dict[str, Any]]:
    """All positions of a file; what is wrong with it is a ValueError that says where."""
    with needed_for("positions", "a file that can be read", path):
        content = path.read_bytes()
    try:
        positions = json.loads(content.decode())
    except (ValueError, RecursionError) as error:  # no JSON, no UTF-8, or a depth that nobody wrote
        raise ValueError(f"positions must be a JSON list, {path} is not: {error}") from None
    if not isinstance(positions, list) or not positions:
        raise ValueError(f"positions must be a JSON list with at least one position, got {path}")
    for number, position in enumerate(positions):
        try:
            _check(position)
        except ValueError as error:
            raise ValueError(f"position {number} of {path} is wrong: {error}") from None
    return positions


def _check(position: Any) -> None:
    """Refuse what is no position."""
    from dotzero.envs.boxes import BoxesRules
    from dotzero.envs.boxes_notation import BoxesNotation

    if not isinstance(position, dict):
        raise ValueError(f"it must be a JSON object, got {position!r}")
    for key, kind, name in _FIELDS:
        if key not in position:
            raise ValueError(f"it must have {key}")
        if not isinstance(position[key], kind):
            raise ValueError(f"{key} must be {name}, got {position[key]!r}")
    notation = BoxesNotation(BoxesRules(rows=position["rows"], columns=position["cols"]))
    if notation.parse_dbn(position["dbn"]).all():
        raise ValueError("dbn must leave a line to draw, got none")
    for line in position["best"]:
        if not isinstance(line, str):
            raise ValueError(f"best must hold names of lines, got {line!r}")
        notation.parse(line)


def _count(job: "EvaluateJob", size: tuple[int, int], chosen: list[dict[str, Any]], simulations: int) -> int:
    """How many of the positions get a best line."""
    import numpy as np

    from dotzero.envs.boxes import BoxesGame, BoxesRules, box_lines
    from dotzero.envs.boxes_notation import BoxesNotation
    from dotzero.play.zero import ZeroConfig, ZeroPlayer

    game = BoxesGame(BoxesRules(rows=size[0], columns=size[1]))
    notation = BoxesNotation(game.rules)
    search = job.judge.search
    config = ZeroConfig(
        simulations=simulations,
        root=search.root,
        interior=search.interior,
        num_considered=search.num_considered,
        margin_weight=search.margin_weight,
        exact_lines=0,
    )
    player = ZeroPlayer(job.checkpoint, game, config)
    found = 0
    try:
        for position in chosen:
            lines = notation.parse_dbn(position["dbn"])[None]
            complete = int(lines[0, box_lines(game.rules)].all(axis=1).sum())
            state = game.position(lines, complete % 2)
            action = player.choose(game, state, np.zeros(1, np.uint64))
            found += int(action[0]) in {notation.parse(line) for line in position["best"]}
    finally:
        player.close()
    return found
