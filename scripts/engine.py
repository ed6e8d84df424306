"""Answer other programs: positions, moves and analyses through a line protocol.

Examples:
    dotzero engine < requests.jsonl > answers.jsonl
    dotzero engine --protocol ccgc --level insane

Without options it reads one JSON object a line from standard input and writes one a line, in order:

    {"id": 1, "query": "move", "game": "boxes", "rules": {"rows": 3, "columns": 3}, "moves": ["A1R"],
     "level": "insane", "seed": 7}
    {"id": 1, "move": "C3R", "state": {"to_move": 1, "score": [0, 0], ...}, "seconds": 0.02}

The query is state, move, analyze or levels; {"query": "levels"} tells which levels there are. Instead of the
start of a game a "position" may be given, and a "budget" of {"seconds": s} or {"simulations": n}. Moves of
Dots and Boxes are named as in dotzero play, those of Kropki by the letters of column and row, and stop. What
is wrong is answered by {"id": 1, "error": "..."}. The file play/engine.py tells every field.

--protocol ccgc speaks the text protocol of the Chinese computer games championship, for Dots and Boxes.
"""

import contextlib
import sys

from dotzero.scripts.boxes_options import ToolParser, read_game

_LARGEST_SEED = 2**63 - 1
_CCGC = {"level": "insane", "seed": 0, "size": "5x5"}


def main(argv: list[str]) -> int:
    """Run the act."""
    parser = ToolParser("engine", __doc__)
    parser.add_argument("--protocol", choices=["json", "ccgc"], default="json", help="(default: json)")
    group = parser.add_argument_group("with --protocol ccgc", "requests in JSON say all this themselves")
    group.add_argument("--level", help="who plays, as in dotzero play (default: insane)")
    group.add_argument("--seed", type=int, help="the luck of the level (default: 0)")
    group.add_argument("--size", help="rows x columns, in boxes (default: 5x5)")
    options = parser.parse_args(argv)
    if options.protocol == "json":
        given = [name for name in _CCGC if getattr(options, name) is not None]
        if given:
            raise ValueError(f"--{given[0]} must go with --protocol ccgc: requests in JSON say it themselves")
    for name, stream in (("input", sys.stdin), ("output", sys.stdout)):
        if stream is None:
            raise ValueError(f"standard {name} must be open for the protocol, got a closed one")
    answers = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):  # whatever a library prints must not look like an answer
        if options.protocol == "ccgc":
            _serve_ccgc(options, answers)
        else:
            from dotzero.play.engine import serve

            serve(sys.stdin.buffer, answers)
    return 0


def _serve_ccgc(options, answers) -> None:
    from dotzero.play.ccgc import Ccgc, serve_ccgc
    from dotzero.play.players import make_player

    for name, usual in _CCGC.items():
        if getattr(options, name) is None:
            setattr(options, name, usual)
    if not 0 <= options.seed <= _LARGEST_SEED:
        raise ValueError(f"--seed must be in 0..{_LARGEST_SEED}, got {options.seed}")
    options.game, options.border, options.scoring = "boxes", "none", "normal"
    game = read_game(options, "the protocol has no words for {}")
    player = make_player(options.level, game)
    try:
        serve_ccgc(sys.stdin.buffer, answers, Ccgc(game, player, options.seed))
    finally:
        player.close()
