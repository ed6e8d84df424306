"""Analyse a position of Dots and Boxes: value, best lines, chains, all exact where solvable.

Examples:
    dotzero analyze --size 3x3 --moves "A1R b2t C3L"
    dotzero analyze --size 3x3 --lines 111000000000010111110110 --to-move 2 --json
    dotzero analyze --board game.txt --seconds 60

Lines are named as in dotzero play: column letter, row from the bottom, and T, B, L or R. Values are those of
the boxes to come, for the player to move, under best play. Where the search ends before they are known, the
answer has bounds; more --seconds close them. Boards of more than 64 dots get structure only. In misere a
position may have at most 24 undrawn lines.
"""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

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
    from dotzero.play.analysis import Analysis, Values


def main(argv: list[str]) -> int:
    """Run the act."""
    from dotzero.play.analysis import analysis_so_far, value_search
    from dotzero.play.analysis_text import progress_text
    from dotzero.play.values import ValuesConfig
    from dotzero.scripts.progress import Remarks

    parser = ToolParser("analyze", __doc__)
    add_board_options(parser)
    add_position_options(parser)
    add_limit_options(parser, seconds=ValuesConfig().max_seconds)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    position = read_position(options, "there is no exact play of {}")
    limits = read_limits(options)
    search = value_search(position.game, position.state, limits)
    try:
        if search is not None:
            with Remarks("analyze") as remarks:
                for _ in search.run():
                    remarks.tell(progress_text(search))
    except KeyboardInterrupt:
        _show(position, analysis_so_far(position.game, position.state, search), options.json)
        raise
    _show(position, analysis_so_far(position.game, position.state, search), options.json)
    return 0


def _show(position: Position, analysis: "Analysis", as_json: bool) -> None:
    from dotzero.play.analysis_text import analysis_text

    if as_json:
        print(json.dumps(describe(position) | to_json(position, analysis)))
    else:
        known = {"score_known": position.score_known, "mover_known": position.mover_known}
        print(analysis_text(analysis, position.state, **known))


def describe(position: Position) -> dict[str, Any]:
    """Game, rules and what is known of a position, as JSON has them."""
    from dotzero.envs.boxes_notation import BoxesNotation
    from dotzero.envs.registry import plain_value

    data = {
        "game": position.game.name,
        "rules": plain_value(asdict(position.rules)),
        "lines": BoxesNotation(position.rules).dbn(position.lines),
    }
    if position.score_known:
        data["score"] = list(position.score)
    if position.mover_known:
        data["to_move"] = position.mover + 1
    return data


def to_json(position: Position, analysis: "Analysis") -> dict[str, Any]:
    """An analysis, and how the game ends where that is known."""
    data, values = analysis.to_json(), analysis.values
    final = None if values is None else known_final(position, values)
    return data if final is None else data | {"final": final}


def known_final(position: Position, values: "Values") -> list[int] | None:
    """The boxes of both players at the end, where score, player to move and value are known."""
    from dotzero.play.analysis import final_score

    if not values.exact or not position.score_known or not position.mover_known:
        return None
    return final_score(position.rules, position.score, position.mover, values.lower)
