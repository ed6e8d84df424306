"""An analysis of Dots and Boxes for people: a board with the value of every open line on it, and a list.

The board is drawn as the reference pages of exact Dots and Boxes draw theirs, wider than the one that is
played on: a number stands where its line would be drawn, in brackets where the line is one of the best, and
a question mark where the value is not known. Theirs are final results for the first player; here they are
boxes to come for the player to move, as everywhere in the project.

Shape letters as in `envs/boxes.py`: N boxes.
"""

import itertools
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import Border, BoxesRules, BoxesState, Scoring
from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.play.analysis import Analysis, Values, final_score
from dotzero.play.finished_analysis import result_words
from dotzero.play.listed_rows import KEEP, LABEL, WIDTH, rows_text
from dotzero.play.plurals import counted
from dotzero.play.session_moves import Result
from dotzero.play.values import ValueSearch
from dotzero.search.chains import HandoutKind, Phase, Structure
from dotzero.search.endgame import MAX_DOTS
from dotzero.search.gifts import line_boxes

_CELL = 8  # characters from dot to dot
_MOST_JOINTS = 16  # more of them say nothing but that the board is open yet


def values_board(analysis: Analysis, owner: NDArray[np.int8] | None = None) -> str:
    """The board as text, open lines being marked with their values.

    Args:
        analysis: The position.
        owner: Player 0 or 1 who closed each box, -1 while it is open; None: not known. Shape [N].
    """
    rules, marks = analysis.rules, _marks(analysis)
    left = len(str(rules.rows)) + 4  # room for half a number, left of the first dot
    names = (chr(ord("A") + column) for column in range(rules.columns))
    rows = [" " * left + "".join(f"{name:>{_CELL // 2 + 1}}{'':{_CELL // 2 - 1}}" for name in names)]
    for row in range(rules.rows + 1):
        first = row * rules.columns
        texts = marks[first : first + rules.columns]
        edge = ("-" * (_CELL - 1) if text == "drawn" else f"{text:^{_CELL - 1}}" for text in texts)
        rows.append(" " * left + "+" + "".join(text + "+" for text in edge))
        if row < rules.rows:
            rows.append(_row_of_boxes(rules, row, marks, owner, left))
    return "\n".join(text.rstrip() for text in rows)


def _row_of_boxes(
    rules: BoxesRules, row: int, marks: list[str], owner: NDArray[np.int8] | None, left: int
) -> str:
    text = list(f"{rules.rows - row:<{left}}" + " " * (_CELL * rules.columns + _CELL // 2))
    for column in range(rules.columns + 1):
        mark = marks[(rules.rows + 1) * rules.columns + row * (rules.columns + 1) + column]
        mark = "|" if mark == "drawn" else mark
        dot = left + _CELL * column
        text[dot - len(mark) // 2 : dot - len(mark) // 2 + len(mark)] = mark
        box = row * rules.columns + column
        if column < rules.columns and owner is not None and owner[box] >= 0:
            text[dot + _CELL // 2] = "12"[owner[box]]
    return "".join(text)


def _marks(analysis: Analysis) -> list[str]:
    """What stands in the place of every line; "drawn" where it is drawn."""
    marks = ["" if not drawn else "drawn" for drawn in analysis.lines]
    if analysis.values is None:
        return marks
    for line, (lower, upper) in analysis.values.line_bounds.items():
        number = _number(lower) if lower == upper else "?"
        marks[line] = f"[{number}]" if line in (analysis.values.best or ()) else number
    return marks


def analysis_text(
    analysis: Analysis,
    state: BoxesState,
    *,
    score_known: bool = True,
    mover_known: bool = True,
    result: Result | None = None,
) -> str:
    """Everything about a position, in at most 80 columns where the board has at most nine boxes in a row.

    Args:
        analysis: Of this position.
        state: A batch of one game.
        score_known: Whether score and owners of `state` are those of the game.
        mover_known: Whether the player to move of `state` is.
        result: How the game ended, where lines are left and so do not tell: then only that is told.
    """
    mover = int(state.to_move[0])
    if result is not None:
        board, (one, two) = board_text(analysis.rules), result.score
        rows = [("score", f"{one}-{two}"), ("result", result_words(result)), ("phase", "finished")]
        unvalued = replace(analysis, values=None)
        return "\n\n".join(
            [f"{board}: the game is over.", values_board(unvalued, state.owner[0]), rows_text(rows)]
        )
    parts = [
        _head(analysis, mover, mover_known),
        values_board(analysis, state.owner[0] if score_known else None),
        rows_text(
            itertools.chain(
                _value_rows(analysis, state, score_known, mover_known),
                _structure_rows(analysis),
                _line_rows(analysis, mover),
            )
        ),
    ]
    return "\n\n".join(parts)


def _head(analysis: Analysis, mover: int, mover_known: bool) -> str:
    rules, board = analysis.rules, board_text(analysis.rules)
    if analysis.structure.phase is Phase.FINISHED:
        return f"{board}: all lines are drawn."
    turn = f"player {mover + 1} to move" + ("" if mover_known else " (assumed, the lines leave it open)")
    text = f"{board}, {turn}."
    if analysis.values is not None:
        less = "the other's less own" if rules.scoring is Scoring.MISERE else "own less the other's"
        text += (
            f" A number on a line is what drawing it is worth to the player to move: boxes to come, {less}, "
            f"under best play. [Brackets]: a best line."
        )
        if any(lower < upper for lower, upper in analysis.values.line_bounds.values()):
            text += " A question mark: not known within the limit."
    return textwrap.fill(text, WIDTH)


def _value_rows(
    analysis: Analysis, state: BoxesState, score_known: bool, mover_known: bool
) -> Iterator[tuple[str, str]]:
    values, rules, mover = analysis.values, analysis.rules, int(state.to_move[0])
    score, finished = state.score[0].tolist(), analysis.structure.phase is Phase.FINISHED
    num_open = rules.num_boxes - sum(score)
    if values is None:
        yield "value", f"not known: exact play takes boards of at most {MAX_DOTS} dots, the rest is structure"
    elif not finished:
        known = "exact" if values.exact else "bounds only: the search came to its limit"
        bounds = bounds_text(values.lower, values.upper)
        open_boxes = counted(num_open, "box", "boxes")
        yield "value", f"{bounds} to come for player {mover + 1} ({known}), {open_boxes} open"
    if not score_known:
        yield "score", "not given"
    else:
        yield "score", f"{score[0]}-{score[1]}" + ("" if finished else " so far")
        if values is not None and values.exact:
            result = result_text(
                rules, final_score(rules, score, mover, values.lower), ("player 1", "player 2")
            )
            if not finished:
                result += " under best play" + ("" if mover_known else f", if player {mover + 1} is to move")
            yield "result", result
    if values is not None and values.best:
        names = BoxesNotation(rules)
        yield "best lines", " ".join(names.name(line) for line in values.best)
    elif values is not None and values.best is None:
        yield "best lines", "not known within the limit"


def board_text(rules: BoxesRules) -> str:
    """Board and options, as in "3x3 boxes, border all, misere"."""
    border = f", border {rules.border}" if rules.border is not Border.NONE else ""
    return f"{rules.rows}x{rules.columns} boxes{border}" + (
        ", misere" if rules.scoring is Scoring.MISERE else ""
    )


def bounds_text(lower: int, upper: int) -> str:
    """A value as `+3`, bounds as `-5 to +7`."""
    return _number(lower) if lower == upper else f"{_number(lower)} to {_number(upper)}"


def result_text(rules: BoxesRules, final: Sequence[int], names: Sequence[str]) -> str:
    """How a game ends, as in "player 1 wins 6-3" with the boxes of the winner first.

    Args:
        rules: Board and scoring.
        final: Boxes of player 0 and 1 at the end.
        names: What the players are called.
    """
    if final[0] == final[1]:
        return f"a draw, {final[0]}-{final[1]}"
    winner = int((final[1] > final[0]) is (rules.scoring is Scoring.NORMAL))
    rule = "" if rules.scoring is Scoring.NORMAL else ", fewer boxes win"
    return f"{names[winner]} wins {final[winner]}-{final[1 - winner]}{rule}"


def progress_text(search: ValueSearch) -> str:
    """How far a search for values is, in one line."""
    lines = ""
    if search.exact:
        lines = f", {search.num_exact_lines} of {len(search.undrawn)} lines known"
    rate = search.num_nodes / max(search.seconds, 1e-9)
    return (
        f"value {bounds_text(search.lower, search.upper)}{lines}, {search.num_nodes:,} positions in "
        f"{search.seconds:.0f} s, {rate:,.0f} a second"
    )


def _structure_rows(analysis: Analysis) -> Iterator[tuple[str, str]]:
    found, names = analysis.structure, BoxesNotation(analysis.rules)

    def boxes(numbers: Iterable[int]) -> str:
        return " ".join(names.box_name(box) for box in numbers)

    left = len(found.safe_lines)
    safe = f": {counted(left, 'safe line')} left" if left else ""
    yield "phase", found.phase.value + safe
    if found.phase is Phase.FINISHED:
        return
    chains = []
    for chain in found.chains:
        kinds = ["long"] * chain.is_long + ["opened"] * chain.opened
        chains.append(boxes(chain.boxes) + (f" ({', '.join(kinds)})" if kinds else ""))
    yield "chains", ", ".join(chains) or "none"
    yield "loops", ", ".join(boxes(loop.boxes) for loop in found.loops) or "none"
    few = len(found.joints) <= _MOST_JOINTS
    yield "joints", (boxes(found.joints) or "none") if few else counted(len(found.joints), "box", "boxes")
    yield "long chains", _long_chain_text(found)
    if found.offered:
        reach = ", ".join(boxes(offer.boxes) for offer in found.offers)
        yield "on offer", f"{boxes(found.offered)}; in one turn {reach}"
        yield "double deal", _double_deal_text(analysis, names)


def _long_chain_text(found: Structure) -> str:
    if found.favours is None:
        return f"{found.num_long_chains}; misere has no rule for them"
    return f"{found.num_long_chains}; if it stays so, the long chain rule favours player {found.favours + 1}"


def _double_deal_text(analysis: Analysis, names: BoxesNotation) -> str:
    if analysis.rules.scoring is Scoring.MISERE:
        return "misere has no rule for it"
    if not analysis.double_deals:
        return "none: what is on offer has to be taken whole"
    ways = (
        f"{' '.join(names.name(line) for line in deal.lines)} leaves "
        + " ".join(names.box_name(box) for box in deal.left)
        for deal in analysis.double_deals
    )
    return "; ".join(ways)


def _line_rows(analysis: Analysis, mover: int) -> Iterator[tuple[str, str]]:
    names = BoxesNotation(analysis.rules)
    groups: dict[tuple[int, HandoutKind], list[str]] = {}
    for line, kind in analysis.openings.items():
        groups.setdefault((int(analysis.handouts[line]), kind), []).append(names.name(line))
    label = "openings"
    for (num_boxes, kind), lines in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1].value)):
        boxes = counted(num_boxes, "box", "boxes")
        boxes += " with those on offer" if analysis.structure.offered else ""
        yield label, f"{boxes}, {kind.value}: {' '.join(lines)}"
        label = ""
    values = analysis.values
    if values is None:
        return
    yield from _bound_rows(values, names)
    if values.variation:
        yield "best play", _variation_text(analysis, values.variation, mover)
    yield "search", f"{values.num_nodes:,} positions in {values.seconds:.2f} s"


def _bound_rows(values: Values, names: BoxesNotation) -> Iterator[tuple[str, str]]:
    """The lines whose values are not known, by their bounds, the most promising first."""
    groups: dict[tuple[int, int], list[str]] = {}
    for line, (lower, upper) in values.line_bounds.items():
        if lower < upper:
            groups.setdefault((upper, lower), []).append(names.name(line))
    label = "line bounds"
    for (upper, lower), lines in sorted(groups.items(), reverse=True):
        every = len(lines) == len(values.line_bounds)
        yield label, f"{bounds_text(lower, upper)}: {'every line' if every else ' '.join(lines)}"
        label = ""


def _variation_text(analysis: Analysis, variation: Iterable[int], mover: int) -> str:
    """Lines turn by turn: `1: A1T A1L +2` for player 1 drawing two lines and taking two boxes."""
    names, beside = BoxesNotation(analysis.rules), line_boxes(analysis.rules).tolist()
    num_boxes = analysis.rules.num_boxes
    left = [0] * (num_boxes + 1)
    for line in np.flatnonzero(analysis.lines == 0).tolist():
        for box in beside[line]:
            left[box] += 1
    turns, lines, total = list[str](), list[str](), 0
    for line in variation:
        taken = 0
        for box in beside[line]:
            left[box] -= 1
            taken += box < num_boxes and left[box] == 0
        lines.append(names.name(line))
        total += taken
        if not taken or not any(left[:num_boxes]):
            turns.append(_turn_text(mover, lines, total))
            mover, lines, total = 1 - mover, [], 0
    if lines:
        turns.append(_turn_text(mover, lines, total))
    return "; ".join(turns)


def _turn_text(mover: int, lines: Sequence[str], num_taken: int) -> str:
    text = f"{mover + 1}: {' '.join(lines)}" + (f" +{num_taken}" if num_taken else "")
    return text.replace(" ", KEEP) if len(text) <= WIDTH - LABEL else text


def _number(value: int) -> str:
    return f"{value:+d}" if value else "0"
