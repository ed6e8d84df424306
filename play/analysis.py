"""All that is known of a position of Dots and Boxes: its structure, and what it and every line are worth.

The one idea: a position is looked at once, and everything that shows it (the command, and whatever asks for
it as JSON) reads the same answer. Structure needs no search; values are exact or bounds, never estimates.

They depend on the set of lines alone, so neither the score nor the player to move appears here.

Shape letters as in `envs/boxes.py`: L lines.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame, BoxesRules, BoxesState, Scoring
from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.play.values import ValuesConfig, ValueSearch
from dotzero.search.chains import DoubleDeal, HandoutKind, Phase, Structure, analyse, double_deal_options
from dotzero.search.endgame import Solver, fits
from dotzero.search.gifts import handouts


@dataclass(frozen=True, kw_only=True, slots=True)
class Values:
    """What a position and its lines are worth to the player to move, as far as it was found out."""

    lower: int
    """The position is worth at least this."""
    upper: int
    """The position is worth at most this."""
    line_bounds: dict[int, tuple[int, int]]
    """The same for drawing each undrawn line."""
    best: tuple[int, ...] | None
    """All lines of the best value; None where that is not known of every line."""
    variation: tuple[int, ...] | None
    """Best lines of both players, to the end of the game unless time ran out; None without a known value."""
    num_nodes: int
    """Positions that the search looked at."""
    seconds: float
    """Time that the search took."""

    @property
    def exact(self) -> bool:
        """Whether the value is known."""
        return self.lower == self.upper

    @classmethod
    def of(cls, search: ValueSearch) -> "Values":
        """What a search has found."""
        bounds = zip(search.line_lower.tolist(), search.line_upper.tolist(), strict=True)
        return cls(
            lower=search.lower,
            upper=search.upper,
            line_bounds=dict(zip(search.undrawn.tolist(), bounds, strict=True)),
            best=search.best,
            variation=tuple(search.variation) if search.exact else None,
            num_nodes=search.num_nodes,
            seconds=search.seconds,
        )

    def value_to_json(self) -> dict[str, Any]:
        """`value`, or else `bounds`, and whether it is `exact`."""
        if self.exact:
            return {"value": self.lower, "exact": True}
        return {"exact": False, "bounds": [self.lower, self.upper]}

    def lines_to_json(self, names: BoxesNotation) -> dict[str, Any]:
        """`best` where it is known, `moves`, and `move_bounds` where there are any."""
        data: dict[str, Any] = {}
        if self.best is not None:
            data["best"] = [names.name(line) for line in self.best]
        bounds = {names.name(line): pair for line, pair in self.line_bounds.items()}
        data["moves"] = {name: low for name, (low, high) in bounds.items() if low == high}
        if len(data["moves"]) < len(bounds):
            data["move_bounds"] = {name: [low, high] for name, (low, high) in bounds.items() if low < high}
        return data


@dataclass(frozen=True, kw_only=True, slots=True)
class Analysis:
    """A position taken apart and, where its board can be searched, valued."""

    rules: BoxesRules
    lines: NDArray[np.uint8]
    """1 where a line is drawn. Shape [L]."""
    structure: Structure
    handouts: NDArray[np.int16]
    """Boxes that the opponent can take in one turn after each line, -1 for drawn lines. Shape [L]."""
    double_deals: tuple[DoubleDeal, ...]
    """The ways to decline what is on offer; none in misere, whose theory this is not."""
    values: Values | None
    """None on boards that the solver does not take."""

    @property
    def openings(self) -> dict[int, HandoutKind]:
        """The lines that open a chain or a loop, and what kind of handout each is."""
        kinds = {line: self.structure.opening(line) for line in np.flatnonzero(self.lines == 0).tolist()}
        return {line: kind for line, kind in kinds.items() if kind is not None}

    def to_json(self) -> dict[str, Any]:
        """Plain values: lines and boxes by their names, players as 1 and 2; what does not apply is absent.

        `exact` says whether `value` is there; else `bounds` is: lowest and highest possible value. `moves`
        holds the lines whose values are known, `move_bounds` the bounds of the others. `best` is there where
        all best lines are known, `pv` where the value is. On a board that the solver does not take `exact` is
        the only one of these.
        """
        names = BoxesNotation(self.rules)
        return self._values_to_json(names) | self._structure_to_json(names)

    def _values_to_json(self, names: BoxesNotation) -> dict[str, Any]:
        values = self.values
        if values is None:
            return {"exact": False}
        data = values.value_to_json() | values.lines_to_json(names)
        if values.variation is not None:
            data["pv"] = [names.name(line) for line in values.variation]
        return data | {"nodes": values.num_nodes, "seconds": round(values.seconds, 3)}

    def _structure_to_json(self, names: BoxesNotation) -> dict[str, Any]:
        def lines(numbers: tuple[int, ...]) -> list[str]:
            return [names.name(line) for line in numbers]

        def boxes(numbers: tuple[int, ...]) -> list[str]:
            return [names.box_name(box) for box in numbers]

        found = self.structure
        chains = [
            {"boxes": boxes(c.boxes), "lines": lines(c.lines), "long": c.is_long, "opened": c.opened}
            for c in found.chains
        ]
        data: dict[str, Any] = {
            "phase": found.phase.value,
            "safe_lines": len(found.safe_lines),
            "safe": lines(found.safe_lines),
            "chains": chains,
            "loops": [{"boxes": boxes(loop.boxes), "lines": lines(loop.lines)} for loop in found.loops],
            "joints": boxes(found.joints),
            "long_chains": found.num_long_chains,
            "offered": boxes(found.offered),
            "offers": [
                {"boxes": boxes(o.boxes), "lines": lines(o.lines), "price": o.price} for o in found.offers
            ],
            "openings": {
                names.name(line): {"kind": kind.value, "boxes": int(self.handouts[line])}
                for line, kind in self.openings.items()
            },
        }
        if self.rules.scoring is Scoring.NORMAL:
            data["double_deals"] = [
                {"lines": lines(d.lines), "left": boxes(d.left)} for d in self.double_deals
            ]
        if found.favours is not None and found.phase is not Phase.FINISHED:
            data["favours"] = found.favours + 1
        return data


def final_score(rules: BoxesRules, score: Sequence[int], mover: int, value: int) -> list[int]:
    """The boxes of player 0 and 1 at the end of a game.

    Args:
        rules: Board and scoring.
        score: Boxes of player 0 and 1 so far.
        mover: The player to move, 0 or 1.
        value: To come for the player to move, under the rules' scoring.
    """
    final = list(score)
    num_open = rules.num_boxes - sum(final)
    more = -value if rules.scoring is Scoring.MISERE else value
    final[mover] += (num_open + more) // 2
    final[1 - mover] += (num_open - more) // 2
    return final


def analyse_position(
    game: BoxesGame,
    state: BoxesState,
    config: ValuesConfig | None = None,
    solver: Solver | None = None,
    tell: Callable[[ValueSearch], None] | None = None,
) -> Analysis:
    """Analyse one position.

    Args:
        game: Rules and board.
        state: A batch of one game.
        config: Limits; the defaults if None. Its `solver` is not used where a solver is passed.
        solver: One of this board to use again, with what it has learnt; a new one if None.
        tell: Called with the search every second or two.

    Raises:
        ValueError: The batch has another size, or a misere position has too many undrawn lines.
    """
    search = value_search(game, state, config, solver)
    if search is not None:
        for _ in search.run():
            if tell is not None:
                tell(search)
    return analysis_so_far(game, state, search)


def value_search(
    game: BoxesGame, state: BoxesState, config: ValuesConfig | None = None, solver: Solver | None = None
) -> ValueSearch | None:
    """The search for the values of a position, not begun; None where the board is too large for any.

    Arguments and errors as for `analyse_position`.
    """
    if len(state) != 1:
        raise ValueError(f"state must be a batch of one game, got {len(state)}")
    config, misere = config or ValuesConfig(), game.rules.scoring is Scoring.MISERE
    if not misere and not fits(game.rules):
        return None
    if not misere and solver is None:
        solver = Solver(game, config.solver)
    return ValueSearch(game, state, None if misere else solver, config)


def analysis_so_far(game: BoxesGame, state: BoxesState, search: ValueSearch | None) -> Analysis:
    """All that is known of a position when its search has come this far, as after an interruption."""
    lines = state.lines[0].copy()
    misere = game.rules.scoring is Scoring.MISERE
    return Analysis(
        rules=game.rules,
        lines=lines,
        structure=analyse(game.rules, lines),
        handouts=handouts(game.rules, lines[None])[0],
        double_deals=() if misere else double_deal_options(game.rules, lines),
        values=None if search is None else Values.of(search),
    )
