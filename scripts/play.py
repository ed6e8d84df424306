"""Play in the terminal: against a level, against a network, or two people.

Examples:
    dotzero play --level medium --size 3x3
    dotzero play --level zero:runs/boxes_3x3/export --size 3x3 --first computer --language ru
    dotzero play --level human --size 4x4 --border left_bottom --scoring misere
"""

import argparse
import sys
from typing import NoReturn

_LARGEST_SEED = 2**63 - 1
_LONGEST_DELAY = 60.0


def main(argv: list[str]) -> int:
    """Run the act."""
    options = _parser().parse_args(argv)
    from dotzero.envs.registry import game_names, make_game
    from dotzero.play.players import make_player
    from dotzero.play.terminal import run

    if options.game in game_names() and options.game != "boxes":
        raise ValueError(f"--game must be boxes: the terminal has no board for {options.game} yet")
    rows, columns = _size(options.size)
    if not 0 <= options.seed <= _LARGEST_SEED:
        raise ValueError(f"--seed must be in 0..{_LARGEST_SEED}, got {options.seed}")
    if not 0 <= options.delay <= _LONGEST_DELAY:
        raise ValueError(f"--delay must be in 0..{_LONGEST_DELAY:g} seconds, got {options.delay}")
    game = make_game(
        options.game, {"rows": rows, "columns": columns, "border": options.border, "scoring": options.scoring}
    )
    computer = None if options.level == "human" else make_player(options.level, game)
    players = [computer, None] if options.first == "computer" else [None, computer]
    try:
        run(game, players, sys.stdin, sys.stdout, options.language, options.seed, options.delay)
    finally:
        if computer is not None:
            computer.close()
    return 0


class _Parser(argparse.ArgumentParser):
    """Reports a mistake as everything else in dotzero does: one line, no usage."""

    def error(self, message: str) -> NoReturn:
        """Refuse the words of the command line."""
        raise ValueError(f"{message} (see dotzero play --help)")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="dotzero play", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", default="boxes", help="the game (default: boxes)")
    parser.add_argument("--size", default="3x3", help="rows x columns, in boxes (default: 3x3)")
    parser.add_argument(
        "--border", default="none", help="lines drawn at the start: none, left_bottom or all (default: none)"
    )
    parser.add_argument("--scoring", default="normal", help="normal, or misere: fewer boxes win")
    parser.add_argument(
        "--level",
        default="medium",
        help="random, medium, zero:DIR, or human for two people (default: medium)",
    )
    parser.add_argument("--first", choices=["you", "computer"], default="you", help="who begins")
    parser.add_argument("--language", choices=["en", "ru"], default="en", help="language of the texts")
    parser.add_argument("--seed", type=int, default=0, help="the computer's luck")
    parser.add_argument(
        "--delay", type=float, default=0.3, help="seconds between the computer's lines (default: 0.3)"
    )
    return parser


def _size(text: str) -> tuple[int, int]:
    rows, cross, columns = text.lower().partition("x")
    if not cross or not all(
        number.isascii() and number.isdigit() and len(number) < 10 for number in (rows, columns)
    ):
        raise ValueError(f"--size must be ROWSxCOLUMNS such as 3x3, got {text}")
    return int(rows), int(columns)
