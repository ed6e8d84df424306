"""How fast exact play of Dots and Boxes is: the solver's part of `dotzero bench`.

Positions come from random play that draws safe lines while there are any, which is where games get to. Every
question starts from an empty table, as after a restart; times are those of a call from Python.
"""

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.search.endgame import Solver, SolverConfig
from dotzero.search.gifts import are_safe, most_sides

if TYPE_CHECKING:
    from dotzero.configs.schema import BenchJob

NUM_POSITIONS = {24: 200, 28: 200, 30: 200, 32: 200, 34: 100, 36: 100, 38: 31, 40: 11}
"""Positions asked about, by undrawn lines; fewer where one takes longer."""
BATCH_LINES, BATCH_SIZE = 28, 10_000
FAST = 1e-3
"""Seconds a position may take to be asked about in a batch."""
EMPTY_BOARDS = ((3, 3), (3, 4))


def solver_figures(job: "BenchJob", game: BoxesGame) -> dict[str, Any]:
    """Times by undrawn lines, positions of a batch a second, and times of whole boards.

    Args:
        job: A row of times ends after ten times `seconds`, and rows end when a position takes thrice that;
            with less than a second nothing long is tried.
        game: The board of the positions.
    """
    from dotzero.cores import num_cores

    quick = job.seconds < 1
    threads = sorted({1, min(2, num_cores())})
    by_lines: list[dict[str, Any]] = []
    for num_left, num_positions in NUM_POSITIONS.items():
        slow = bool(by_lines) and by_lines[-1]["median"] > 3 * job.seconds
        if num_left >= game.num_actions or slow or (quick and num_left > BATCH_LINES):
            break
        positions = safe_play(game.rules, num_left, num_positions)
        for num_threads in threads if num_left >= 36 else [1]:
            row = {"lines": num_left, "threads": num_threads}
            by_lines.append(row | _times(job, game, positions, num_threads))
    figures: dict[str, Any] = {"by_lines": by_lines, "table_mib": SolverConfig().table_mib}
    if any(row["lines"] == BATCH_LINES and row["median"] < FAST for row in by_lines):
        figures["batch"] = [_batch(job, game, num_threads) for num_threads in threads]
    figures["empty"] = [_empty(job, *size) for size in EMPTY_BOARDS if not quick]
    return figures


def safe_play(rules: BoxesRules, num_left: int, num_positions: int) -> NDArray[np.uint8]:
    """Positions with `num_left` undrawn lines after random safe play, always the same. Shape [K, L]."""
    random = np.random.default_rng(num_left)
    lines = np.repeat(rules.start_lines()[None].astype(np.uint8), num_positions, axis=0)
    for _ in range(int((lines[0] == 0).sum()) - num_left):
        safe = are_safe(most_sides(rules, lines))
        allowed = np.where(safe.any(axis=1, keepdims=True), safe, lines == 0)
        chosen = np.where(allowed, random.random(lines.shape), -1.0).argmax(axis=1)
        lines[np.arange(num_positions), chosen] = 1
    return lines


def _times(
    job: "BenchJob", game: BoxesGame, positions: NDArray[np.uint8], num_threads: int
) -> dict[str, float]:
    """Median, nine in ten and the worst of the positions' times in seconds, and how much was searched."""
    solver = Solver(game, SolverConfig(num_threads=num_threads))
    best, nodes = np.full(len(positions), np.inf), np.zeros(len(positions))
    ends = time.perf_counter() + 10 * job.seconds
    for _ in range(job.repeats):
        for index in range(len(positions)):
            solver.forget()
            begun = time.perf_counter()
            solution = solver.solve(positions[index : index + 1])
            best[index] = min(best[index], time.perf_counter() - begun)
            nodes[index] = solution.num_nodes[0]
            if begun > ends:
                break
    asked = np.isfinite(best)
    return {
        "positions": int(asked.sum()),
        "median": float(np.median(best[asked])),
        "p90": float(np.quantile(best[asked], 0.9)),
        "worst": float(best[asked].max()),
        "nodes_median": float(np.median(nodes[asked])),
        "nodes_p90": float(np.quantile(nodes[asked], 0.9)),
    }


def _batch(job: "BenchJob", game: BoxesGame, num_threads: int) -> dict[str, Any]:
    """Positions a second in one call; here they share a table, as they would in a search."""
    positions = safe_play(game.rules, BATCH_LINES, BATCH_SIZE)
    solver = Solver(game, SolverConfig(num_threads=num_threads))
    best = np.inf
    for _ in range(job.repeats):
        solver.forget()
        begun = time.perf_counter()
        solver.solve(positions)
        best = min(best, time.perf_counter() - begun)
    return {
        "lines": BATCH_LINES,
        "positions": BATCH_SIZE,
        "threads": num_threads,
        "positions_per_second": BATCH_SIZE / best,
    }


def _empty(job: "BenchJob", rows: int, columns: int) -> dict[str, Any]:
    """A whole board by one thread, from a fresh table."""
    game = BoxesGame(BoxesRules(rows=rows, columns=columns))
    best, solution = np.inf, None
    for _ in range(job.repeats):
        solver = Solver(game)
        begun = time.perf_counter()
        solution = solver.solve(game.start(1).lines)
        best = min(best, time.perf_counter() - begun)
    assert solution is not None
    nodes = int(solution.num_nodes[0])
    return {
        "rows": rows,
        "columns": columns,
        "seconds": best,
        "nodes": nodes,
        "value": int(solution.lower[0]),
    }


def add_rows(table: Any, board: str, figures: dict[str, Any]) -> None:
    """Add the figures to the bench's table."""
    for row in figures["by_lines"]:
        threads = "" if row["threads"] == 1 else f", {row['threads']} threads"
        name = f"exact value, {board}, {row['lines']} lines left{threads}, 90% within {_span(row['p90'])}"
        table.add_row(name, f"median {_span(row['median'])}")
    for row in figures.get("batch", ()):
        name = f"exact values, {board}, a batch of {row['lines']} lines left, threads: {row['threads']}"
        table.add_row(name, f"{row['positions_per_second']:,.0f}")
    for row in figures["empty"]:
        name = f"exact value of empty {row['rows']}x{row['columns']}, {row['nodes']:,} positions searched"
        table.add_row(name, _span(row["seconds"]))


def _span(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} us"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
