"""Play in the terminal: against a level, against a network, or two people.

Examples:
    dotzero play --level medium --size 3x3
    dotzero play --level zero:runs/boxes_3x3/export --size 3x3 --first computer --language ru
    dotzero play --level human --size 4x4 --border left_bottom --scoring misere
"""

import argparse
import sys

from dotzero.scripts.boxes_options import ToolParser, add_board_options, read_game

_LARGEST_SEED = 2**63 - 1
_LONGEST_DELAY = 60.0


def main(argv: list[str]) -> int:
    """Run the act."""
    options = _parser().parse_args(argv)
    from dotzero.play.players import make_player
    from dotzero.play.terminal import run

    game = read_game(options, "the terminal has no board for {} yet")
    if not 0 <= options.seed <= _LARGEST_SEED:
        raise ValueError(f"--seed must be in 0..{_LARGEST_SEED}, got {options.seed}")
    if not 0 <= options.delay <= _LONGEST_DELAY:
        raise ValueError(f"--delay must be in 0..{_LONGEST_DELAY:g} seconds, got {options.delay}")
    computer = None if options.level == "human" else make_player(options.level, game)
    players = [computer, None] if options.first == "computer" else [None, computer]
    try:
        run(game, players, sys.stdin, sys.stdout, options.language, options.seed, options.delay)
    finally:
        if computer is not None:
            computer.close()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = ToolParser("play", __doc__)
    add_board_options(parser)
    parser.add_argument(
        "--level",
        default="medium",
        help="random, easy, medium, hard, insane, zero, zero:DIR, or human for two people (default: medium); "
        "with options as in easy@miss=0.3",
    )
    parser.add_argument("--first", choices=["you", "computer"], default="you", help="who begins")
    parser.add_argument("--language", choices=["en", "ru"], default="en", help="language of the texts")
    parser.add_argument("--seed", type=int, default=0, help="the computer's luck")
    parser.add_argument(
        "--delay", type=float, default=0.3, help="seconds between the computer's lines (default: 0.3)"
    )
    return parser
