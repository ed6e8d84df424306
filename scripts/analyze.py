"""Analyse positions and whole games of both games: values, best moves, what every move cost.

Examples:
    dotzero analyze --size 3x3 --moves "A1R b2t C3L"
    dotzero analyze --board game.txt --seconds 60
    dotzero analyze --game kropki --size 8x8 --moves "cc df stop" --json
    dotzero analyze match/games.jsonl --level zero --brief
    dotzero analyze game.sgf --turns 10..20
    dotzero analyze game.sgf --after 12 --level zero

A position of Dots and Boxes has exact values, or bounds where the time ends first; more --seconds close them.
Values are of the boxes or dots to come, for the player to move. Lines are named by column letter, row from
the bottom, and T, B, L or R; points of Kropki by two letters, column and row from the top. What is not exact
is estimated by a network where one is named (--level zero).

Files are records of games as dotzero replay reads them, any number in each: every move is told with the value
before it, the best moves and its cost; see the foot of the table for what counts as a mistake. --json prints
one object a line and game. A damaged game ends the command with code 2, or is passed over (--keep-going, code
1).
"""

import argparse

from dotzero.scripts.boxes_options import (
    ToolParser,
    add_board_options,
    add_limit_options,
    add_position_options,
)
from dotzero.scripts.kropki_flags import add_rule_options

_LARGEST_SEED = 2**63 - 1
_POSITION_ONLY = ("moves", "lines", "board", "score", "to_move", "preset", "rule")
"""Flags that say what a record says."""
_RULES = {"game": "boxes", "border": "none", "scoring": "normal"}
"""More of them, and what they are where they are not given."""


def main(argv: list[str]) -> int:
    """Run the act."""
    options = _parser().parse_args(argv)
    _check(options)
    if options.files and options.after is None:
        from dotzero.scripts.analyze_games import analyze_games

        return analyze_games(options)
    from dotzero.scripts.analyze_position import analyze_position

    return analyze_position(options)


def _parser() -> argparse.ArgumentParser:
    from dotzero.play.values import ValuesConfig

    parser = ToolParser("analyze", __doc__)
    parser.add_argument("files", nargs="*", metavar="FILE", help="records of whole games; - reads them here")
    add_board_options(parser, kropki_size="39x32, or as --board or --preset say")
    add_rule_options(parser)
    add_position_options(parser, kropki=True)
    add_limit_options(parser, seconds=ValuesConfig().max_seconds)
    group = parser.add_argument_group("network", "for what is not exact")
    group.add_argument(
        "--level", help="zero, the released network for the board, or zero:DIR; options after @"
    )
    group.add_argument("--simulations", type=int, help="of each search (default: as the level says)")
    group.add_argument("--seed", type=int, default=0, help="luck of the search, which decides between equals")
    group.add_argument("--map", action="store_true", help="show who the network thinks will own what")
    group = parser.add_argument_group("games", "with FILE")
    group.add_argument("--turns", metavar="FROM..TO", help="only these moves, as in 10..20,33")
    group.add_argument("--after", type=int, metavar="N", help="one position: the first game after N moves")
    group.add_argument("--brief", action="store_true", help="a game in two lines instead of a table")
    group.add_argument("--keep-going", action="store_true", help="pass over damaged games")
    parser.add_argument("--json", action="store_true", help="print one JSON object, or one a game")
    return parser


def _check(options: argparse.Namespace) -> None:
    """Refuse flags that nothing would read."""
    if options.files:
        for name in (*_POSITION_ONLY, *_RULES):
            if getattr(options, name) not in (None, [], _RULES.get(name)):
                flag = name.replace("_", "-")
                raise ValueError(f"--{flag} must be left out where a record is given, which says it")
    else:
        for name in ("turns", "after", "brief", "keep_going"):
            if getattr(options, name) not in (None, False):
                flag = name.replace("_", "-")
                raise ValueError(f"--{flag} must go with a FILE of records")
    if options.after is not None and (options.turns is not None or options.brief or options.keep_going):
        raise ValueError("--after must stand alone: it asks for one position, got flags for whole games too")
    if not 0 <= options.seed <= _LARGEST_SEED:
        raise ValueError(f"--seed must be in 0..{_LARGEST_SEED}, got {options.seed}")
    if options.level is None:
        for name in ("simulations", "map", "seed"):
            if getattr(options, name):
                raise ValueError(f"--{name} must go with --level zero, whose search it is about")
    if options.map and options.files and options.after is None:
        raise ValueError("--map must go with --after where a FILE is given: it is shown of one position")
