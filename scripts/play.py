"""Play in the terminal: against a level, against a network, or two people. Every move is saved.

Examples:
    dotzero play --level medium --size 3x3
    dotzero play --game kropki --size 15x15 --level hard --rule start=empty
    dotzero play --level zero:runs/boxes_3x3/export --size 3x3 --first computer --language ru
    dotzero play --level human --name Anna --opponent-name Boris --clock 300+5
    dotzero play --continue
    dotzero play --statistics

Moves are typed: lines such as A1R, points of Kropki such as ce, or stop; help tells the other words. Games
and statistics are kept in the user's data folder, in --data or in that which DOTZERO_DATA names; the web page
uses the same. On a terminal that cannot show more the board is drawn in ASCII, and colours are never needed.
"""

import argparse
import re
import secrets
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from dotzero.mistakes import told_of
from dotzero.scripts.boxes_options import ToolParser, add_board_options, read_game
from dotzero.scripts.data_option import told_data
from dotzero.scripts.kropki_flags import add_rule_options, is_kropki, read_kropki

if TYPE_CHECKING:
    from dotzero.play.game_settings import GameSettings
    from dotzero.play.saves import Saves
    from dotzero.play.terminal_screen import Screen
    from dotzero.play.timers import TimeControl

_KROPKI_SIZE = "15x15"
_LONGEST_DELAY = 60.0
_MORE_SEEDS = 2**31
_OF_A_NEW_GAME = (
    "game", "size", "border", "scoring", "preset", "rule", "level", "first", "seed", "name", "opponent_name",
    "mark", "opponent_mark", "clock",
)  # fmt: skip
"""Flags that a saved game has answered already."""


def main(argv: list[str]) -> int:
    """Run the act."""
    parser = _parser()
    options = parser.parse_args(argv)
    from dotzero.play.saves import Saves
    from dotzero.play.seats import Language
    from dotzero.play.terminal_screen import LeftError, Screen

    if not 0 <= options.delay <= _LONGEST_DELAY:
        raise ValueError(f"--delay must be in 0..{_LONGEST_DELAY:g} seconds, got {options.delay}")
    given = [name for name in _OF_A_NEW_GAME if getattr(options, name) != parser.get_default(name)]
    if options.go_on and given:
        flag = given[0].replace("_", "-")
        raise ValueError(f"--{flag} must be left out with --continue: the saved game has it")
    if options.no_save and (options.go_on or options.statistics):
        raise ValueError("--no-save must stand without --continue and --statistics, which read what is saved")
    settings = None if options.go_on or options.statistics else _settings(options)
    screen = Screen.on(sys.stdin, sys.stdout, Language(options.language), options.ascii)
    with ExitStack() as stack:
        saves = None
        if not options.no_save:
            with told_data(options.data) as folder:
                saves = stack.enter_context(Saves(folder))
        if saves is not None and saves.aside is not None:
            _warn(screen, "damaged_file", path=saves.path, aside=saves.aside.name)
        if options.statistics:
            assert saves is not None
            return _show_statistics(screen, saves)
        try:
            saved = _saved(options, saves, screen)
        except LeftError:
            return 0
        except KeyboardInterrupt:
            screen.write("")
            screen.say("interrupted")
            return 130
        return _play(saved, settings, options, saves, screen)


def _warn(screen: "Screen", key: str, **values: object) -> None:
    """Say on standard error what is wrong with the data, in the language of the screen."""
    from dotzero.play.terminal_texts import text

    print(text(key, screen.language, **values), file=sys.stderr)


def _play(
    saved: str | None,
    settings: "GameSettings | None",
    options: argparse.Namespace,
    saves: "Saves | None",
    screen: "Screen",
) -> int:
    """Play a saved game or a new one, once its players can be made; what ends it is said on the screen."""
    from dotzero.play.saves import ElsewhereError, StoreError
    from dotzero.play.sessions import GameSession
    from dotzero.play.terminal import InterruptedGameError, Terminal
    from dotzero.play.terminal_files import why_not

    if saves is not None and saved is not None:
        settings = saves.peek(saved)
    assert settings is not None
    terminal = Terminal(session=GameSession(settings), screen=screen, saves=saves, delay=options.delay)
    try:
        with told_of("--level" if saved is None else "this saved game"):
            terminal.prepare()
        if saves is not None and saved is not None:
            terminal.session = saves.load(saved)  # not before: until now it is gone on with where it was
        terminal.play()
    except InterruptedGameError:
        return 130
    except ElsewhereError:
        screen.say("elsewhere")
        return 2
    except StoreError as error:
        screen.say("not_stored", reason=why_not(error, screen.language))
        return 2
    finally:
        terminal.close()
    return 0


def _saved(options: argparse.Namespace, saves: "Saves | None", screen: "Screen") -> str | None:
    """The newest saved game, or one that is chosen on a terminal, by its id; None: a new one."""
    from dotzero.play.terminal_results import saved_text
    from dotzero.play.terminal_screen import choose_saved, is_whole

    asks = not options.new and screen.reader.is_terminal
    if saves is None or not (options.go_on or asks):
        return None
    for id in saves.damaged().unfinished:
        _warn(screen, "damaged_game", game=id)
    if not options.go_on:
        return choose_saved(screen, saves)
    for saved in saves.unfinished():
        if is_whole(saves, saved):
            return saved.id
        _warn(screen, "damaged_game", game=saved_text(saved, screen.language))
    raise ValueError(f"--continue must have an unfinished game, got none in {saves.path}")


def _show_statistics(screen: "Screen", saves: "Saves") -> int:
    from dotzero.play.terminal_results import tally_grid

    tallies = saves.tallies()
    if tallies:
        screen.console.print(tally_grid(tallies, screen.language))
    else:
        screen.say("no_tally")
    if damaged := saves.damaged().finished:
        _warn(screen, "damaged_results", number=len(damaged), rows=", ".join(map(str, damaged)))
    return 0


def _settings(options: argparse.Namespace) -> "GameSettings":
    """The game that the options describe."""
    from dotzero.envs.boxes import BoxesGame
    from dotzero.envs.kropki import KropkiGame
    from dotzero.play.game_settings import GameSettings
    from dotzero.play.seats import Seat

    game: BoxesGame | KropkiGame
    if is_kropki(options):
        # A preset has a size of its own; the official one, a tournament's, is too large for a beginning.
        own = options.preset is not None or any(
            rule.startswith(("width=", "height=")) for rule in options.rule
        )
        game = read_kropki(options, None if own else _KROPKI_SIZE)
    else:
        game = read_game(options, "got {}")
    level = _level(options.level, game)
    if options.first == "computer" and level is None:
        raise ValueError("--first must be you where two people play, got computer")
    first = Seat(name=options.name, mark=options.mark)
    second = Seat(player=level, name=options.opponent_name, mark=options.opponent_mark)
    seed = secrets.randbelow(_MORE_SEEDS) if options.seed is None else options.seed
    return GameSettings(
        rules=game.rules,
        seats=(second, first) if options.first == "computer" else (first, second),
        seed=seed,
        clock=_clock(options.clock),
    )


def _level(given: str | None, game: object) -> str | None:
    """A player's specification; None for two people. Usual is medium, else the strongest there is."""
    from dotzero.envs.game import Game
    from dotzero.play.levels import LEVELS, strongest_level

    assert isinstance(game, Game)
    if given is not None:
        return None if given == "human" else given
    usual = LEVELS.get(game.name, {}).get("medium")
    return "medium" if usual is not None and usual.refusal(game) is None else strongest_level(game)


def _clock(text: str | None) -> "TimeControl | None":
    from dotzero.play.timers import TimeControl

    if text is None:
        return None
    match = re.fullmatch(r"(\d{1,6})(?:\+(\d{1,6}))?", text, re.ASCII)
    if match is None:
        raise ValueError(f"--clock must be SECONDS or SECONDS+INCREMENT such as 300+5, got {text}")
    return TimeControl(seconds=float(match[1]), increment=float(match[2] or 0))


def _parser() -> argparse.ArgumentParser:
    parser = ToolParser("play", __doc__)
    add_board_options(parser, kropki_size=f"{_KROPKI_SIZE}, or that of --preset")
    add_rule_options(parser)
    parser.add_argument(
        "--level",
        help="a level as dotzero levels lists them, with options as in easy@miss=0.3; random, zero or "
        "zero:DIR; human for two people (default: medium; in misere, which no level plays, random)",
    )
    parser.add_argument(
        "--first", choices=["you", "computer"], default="you", help="who begins (default: you)"
    )
    parser.add_argument(
        "--language", choices=["en", "ru"], default="en", help="language of the texts (default: en)"
    )
    parser.add_argument("--seed", type=int, help="the computer's luck (default: another one each time)")
    parser.add_argument(
        "--delay", type=float, default=0.3, help="seconds between the computer's lines (default: 0.3)"
    )
    parser.add_argument("--name", default="", help="your name")
    parser.add_argument("--opponent-name", default="", help="the other's")
    parser.add_argument("--mark", default="", help="what stands in your boxes, up to 3 characters")
    parser.add_argument("--opponent-mark", default="", help="and in the other's")
    parser.add_argument(
        "--clock", metavar="SECONDS[+INCREMENT]", help="time for each side (default: no limit)"
    )
    group = parser.add_argument_group("saved games")
    group.add_argument("--continue", dest="go_on", action="store_true", help="go on with the newest one")
    group.add_argument("--new", action="store_true", help="begin without asking about unfinished ones")
    group.add_argument("--statistics", action="store_true", help="show all results against levels, and stop")
    group.add_argument("--data", metavar="DIR", help="the folder of saved games and statistics")
    group.add_argument("--no-save", action="store_true", help="keep nothing of this game")
    parser.add_argument("--ascii", action="store_true", help="draw the board in ASCII in any case")
    return parser
