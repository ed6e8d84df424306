"""List the levels of both games: what they do, their options, and what they were measured to be worth.

Examples:
    dotzero levels
    dotzero levels --game boxes --json

A level is used as a player everywhere: dotzero play --level hard, dotzero arena 'players=[hard,medium]'; its
options follow an @, as in easy@miss=0.3,blunder=0.1.
"""

import json
import shutil
import textwrap
from typing import Any

from dotzero.scripts.boxes_options import ToolParser

_WIDEST = 100
"""Columns of the text on wide terminals."""


def main(argv: list[str]) -> int:
    """Run the act."""
    from dotzero.envs.registry import game_names

    parser = ToolParser("levels", __doc__)
    parser.add_argument("--game", choices=game_names(), help="one game only")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    games = {name: listed(name) for name in ([options.game] if options.game else game_names())}
    if options.json:
        print(json.dumps({"games": games}, ensure_ascii=False))
        return 0
    _show(games)
    return 0


def listed(name: str) -> list[dict[str, Any]]:
    """The levels of a game on its usual board, weakest first.

    Of a network that plays otherwise where somebody waits for it, `with_people` has the options that differ.
    """
    from dotzero.envs.registry import make_game
    from dotzero.play.engine_players import describe_levels
    from dotzero.play.measured import LADDERS
    from dotzero.play.players import PlayerSpec
    from dotzero.play.released import interactive_spec

    ladder, game = LADDERS.get(name), make_game(name, {})
    rows = []
    for level in describe_levels(game):
        step = None if ladder is None else ladder.step(level["level"])
        measured = {} if step is None else {"below": step.below, "score": step.score, "games": step.games}
        rows.append({**level, **({"measured": measured} if measured else {})})
        if level["level"] == "zero":
            rows[-1]["with_people"] = PlayerSpec.parse(interactive_spec("zero", game)).options
    return rows


def _show(games: dict[str, list[dict[str, Any]]]) -> None:
    from dotzero.play.measured import LADDERS

    width = min(shutil.get_terminal_size().columns, _WIDEST)
    for name, levels in games.items():
        print(f"{name}\n")
        for level in levels:
            print("\n".join(_lines(level, width)) + "\n")
        if name in LADDERS:
            print(f"measured by {LADDERS[name].command}\n")


def _lines(level: dict[str, Any], width: int) -> list[str]:
    """One level: its name and figure, how it plays, and its options, none of which is broken."""
    head = level["level"]
    if level["label"]["en"] != head.capitalize():
        head += f", {level['label']['en']}"
    if "measured" in level:
        head += ": {score:.1%} of {games} games against {below}".format(**level["measured"])
    chosen = " ".join(f"{key}={option['default']}" for key, option in level["options"].items())
    texts = [level["plays"], f"@ {chosen}" if chosen else ""]
    if level.get("with_people"):
        differing = " ".join(f"{key}={value}" for key, value in level["with_people"].items())
        texts.append(f"in dotzero play and dotzero web, unless given otherwise: @ {differing}")
    indent = " " * 4
    return [head, *(line for text in texts for line in _wrapped(text, indent, width))]


def _wrapped(text: str, indent: str, width: int) -> list[str]:
    wrapper = textwrap.TextWrapper(width, indent, indent, break_long_words=False, break_on_hyphens=False)
    return wrapper.wrap(text)
