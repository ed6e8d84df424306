"""List the levels of both games: what they do, their options, and what they were measured to be worth.

Examples:
    dotzero levels
    dotzero levels --game boxes --json

A level is used as a player everywhere: dotzero play --level hard, dotzero arena 'players=[hard,medium]'; its
options follow an @, as in easy@miss=0.3,blunder=0.1.
"""

import argparse
import json
from typing import TYPE_CHECKING, Any

from dotzero.scripts.boxes_options import ToolParser

if TYPE_CHECKING:
    from rich.table import Table


def main(argv: list[str]) -> int:
    """Run the act."""
    from dotzero.envs.registry import game_names

    parser = ToolParser("levels", __doc__)
    parser.add_argument("--game", choices=game_names(), help="one game only")
    parser.add_argument("--language", choices=["en", "ru"], default="en", help="language of the names")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    games = {name: listed(name) for name in ([options.game] if options.game else game_names())}
    if options.json:
        print(json.dumps({"games": games}, ensure_ascii=False))
        return 0
    _show(games, options)
    return 0


def listed(name: str) -> list[dict[str, Any]]:
    """The levels of a game on its usual board, weakest first."""
    from dotzero.envs.registry import make_game
    from dotzero.play.engine_players import describe_levels
    from dotzero.play.measured import LADDERS

    ladder = LADDERS.get(name)
    rows = []
    for level in describe_levels(make_game(name, {})):
        step = None if ladder is None else ladder.step(level["level"])
        measured = {} if step is None else {"below": step.below, "score": step.score, "games": step.games}
        rows.append({**level, **({"measured": measured} if measured else {})})
    return rows


def _show(games: dict[str, list[dict[str, Any]]], options: argparse.Namespace) -> None:
    from rich.console import Console

    from dotzero.play.measured import LADDERS

    console = Console()
    for name, levels in games.items():
        console.print(_table(name, levels, options.language))
        if name in LADDERS:
            console.print(f"measured by {LADDERS[name].command}\n", highlight=False, markup=False)


def _table(name: str, levels: list[dict[str, Any]], language: str) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(title=name, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column in ("level", "name", "how it plays", "options"):
        table.add_column(column, overflow="fold")
    table.add_column("against", justify="right", no_wrap=True)
    for level in levels:
        measured = level.get("measured")
        shown = "" if measured is None else "{below} {score:.1%} of {games}".format(**measured)
        chosen = "\n".join(f"{key}={option['default']}" for key, option in level["options"].items())
        table.add_row(level["level"], level["label"][language], level["plays"], chosen, shown)
    return table
