"""Solve an empty board of Dots and Boxes, or any position: the value under best play, and what it took.

Examples:
    dotzero solve --size 3x4 --first-lines
    dotzero solve --size 4x4 --border all --memory 4096 --seconds 600 --json

The value is what the player to move gets of the boxes to come less what the other gets. Whatever ends the
search before it is known (--seconds, --nodes, Ctrl-C), bounds are printed. The table of positions should be
large: each MiB holds 65,536, and a search much longer than that slows down many times. Boards may have at
most 64 dots, misere at most 24 undrawn lines.
"""

import json
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dotzero.scripts.analyze_position import describe, known_final
from dotzero.scripts.boxes_options import (
    Position,
    ToolParser,
    add_board_options,
    add_limit_options,
    add_position_options,
    read_limits,
    read_position,
)

if TYPE_CHECKING:
    from dotzero.play.values import ValuesConfig

_WIDTH = 80


def main(argv: list[str]) -> int:
    """Run the act."""
    parser = ToolParser("solve", __doc__)
    add_board_options(parser)
    add_position_options(parser)
    add_limit_options(parser, seconds=None)
    parser.add_argument("--first-lines", action="store_true", help="also the value of every line")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    position = read_position(options, "there is no exact play of {}")
    run = _Run(position, options.first_lines, read_limits(options))
    try:
        run.work()
    except KeyboardInterrupt:
        run.show(options.json)
        raise
    run.show(options.json)
    return 0


class _Run:
    """One search and what it took."""

    def __init__(self, position: Position, with_lines: bool, limits: "ValuesConfig") -> None:
        from dotzero.envs.boxes import Scoring
        from dotzero.play.values import ValueSearch
        from dotzero.search.endgame import Solver

        misere = position.rules.scoring is Scoring.MISERE
        solver = None if misere else Solver(position.game, limits.solver)
        self.position, self.with_lines, self.limits = position, with_lines, limits
        self.search = ValueSearch(position.game, position.state, solver, limits)
        self.num_nodes, self.seconds = 0, 0.0
        """What the value of the position took, without that of the lines or of a question cut short."""

    def work(self) -> None:
        """Find the value, then those of the lines."""
        from dotzero.play.analysis_text import progress_text
        from dotzero.scripts.progress import Remarks

        search, rules = self.search, self.position.rules
        with Remarks(f"solve {rules.rows}x{rules.columns}") as remarks:
            for _ in search.narrow_position():
                self.num_nodes, self.seconds = search.num_nodes, search.seconds
                remarks.tell(progress_text(search))
            if self.with_lines and search.exact:
                for _ in search.narrow_lines():
                    remarks.tell(progress_text(search))

    def show(self, as_json: bool) -> None:
        """Print what has been found by now."""
        print(json.dumps(self.to_json()) if as_json else "\n".join(self.rows()))

    @property
    def final(self) -> list[int] | None:
        """Boxes of both players at the end, where they are known."""
        from dotzero.play.analysis import Values

        return known_final(self.position, Values.of(self.search))

    def to_json(self) -> dict[str, Any]:
        """The names are those of `dotzero analyze --json`; what is not known is absent."""
        from dotzero.envs.boxes_notation import BoxesNotation
        from dotzero.play.analysis import Values

        values = Values.of(self.search)
        data = describe(self.position) | values.value_to_json()
        if self.final is not None:
            data["final"] = self.final
        data |= {"nodes": self.num_nodes, "seconds": round(self.seconds, 3), "nodes_per_second": self.rate}
        if self.search.solver is not None:
            data |= {"memory_mib": self.limits.solver.table_mib, "threads": self.limits.solver.num_threads}
        return data | (values.lines_to_json(BoxesNotation(self.position.rules)) if self.with_lines else {})

    @property
    def rate(self) -> int:
        """Nodes a second."""
        return round(self.num_nodes / max(self.seconds, 1e-9))

    def rows(self) -> Iterator[str]:
        """What is printed for people."""
        from dotzero.play.analysis_text import board_text, bounds_text, result_text
        from dotzero.play.plurals import counted

        search, position, final = self.search, self.position, self.final
        first = position.is_start
        yield f"{board_text(position.rules)}, {counted(len(search.undrawn), 'line')} to draw"
        mover = "the first player" if first else "the player to move"
        known = "exact" if search.exact else "bounds only: the search was ended before the value was known"
        yield f"value        {bounds_text(search.lower, search.upper)} for {mover} ({known})"
        if final is not None:
            names = ("the first player", "the second player") if first else ("player 1", "player 2")
            yield f"result       {result_text(position.rules, final, names)}"
        used = ""
        if search.solver is not None:
            solver = self.limits.solver
            used = f"; {solver.table_mib} MiB, {counted(solver.num_threads, 'thread')}"
        effort = f"{self.num_nodes:,} positions in {self.seconds:.2f} s, {self.rate:,} a second"
        yield f"search       {effort}{used}"
        if self.with_lines:
            yield from self._line_rows()

    def _line_rows(self) -> Iterator[str]:
        """The lines by their values, the best first."""
        from dotzero.envs.boxes_notation import BoxesNotation
        from dotzero.play.analysis import Values
        from dotzero.play.analysis_text import bounds_text
        from dotzero.play.plurals import counted

        notation = BoxesNotation(self.position.rules)
        groups: dict[tuple[int, int], list[str]] = {}
        for line, bounds in Values.of(self.search).line_bounds.items():
            groups.setdefault(bounds, []).append(notation.name(line))
        for (lower, upper), names in sorted(groups.items(), reverse=True):
            text = f"{bounds_text(lower, upper)}, {counted(len(names), 'line')}: {' '.join(names)}"
            yield textwrap.fill(text, _WIDTH, initial_indent="first lines  ", subsequent_indent=" " * 13)
