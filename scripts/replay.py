"""Replay recorded games under their rules: scores, results, and whether the record agrees.

Examples:
    dotzero replay game.sgf
    dotzero replay --keep-going --quiet games.jsonl more.sgf
    dotzero replay game.sgf --to jsonl game.jsonl

A file holds any number of games; its format is found by itself:

    jsonl        both games: dotzero's own, also games.jsonl of dotzero arena
    sgf          Kropki: Smart Game Format, GM[40]
    text         Dots and Boxes: lines such as A1R, turn by turn
    dots         the same with lines such as a1-b1; also open_spiel (P1(h,0,0)), hrc (h 0 0) and
                 lines (a string of 0 and 1 a position)
    ccgc         Dots and Boxes: JSON of the Chinese computer games championship

Of one game the score after every move is shown, of more a line each. The exit code is 1 where a record
disagrees with its moves, or is damaged and passed over (--keep-going); else a damaged record ends the command
with 2. With --to, what a record leaves open and its moves tell is filled in.
"""

import contextlib
import json
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dotzero.printable import printable
from dotzero.scripts.boxes_options import ToolParser, read_size

if TYPE_CHECKING:
    from dotzero.envs.records import Record, RecordError, Verdict

_MARKS = {True: "agrees", False: "DISAGREES", None: "nothing recorded"}


class RecordedGame(NamedTuple):
    """A game of a file."""

    file: str
    record: "Record"


def main(argv: list[str]) -> int:
    """Run the act."""
    from dotzero.envs.records import FORMATS

    parser = ToolParser("replay", __doc__)
    parser.add_argument("files", nargs="+", metavar="FILE", help="records; - reads them here")
    parser.add_argument("--keep-going", action="store_true", help="pass over damaged records")
    parser.add_argument("--quiet", action="store_true", help="show only what is wrong, and totals")
    parser.add_argument("--json", action="store_true", help="print one JSON object a game")
    parser.add_argument("--size", help="rows x columns of boxes, for records that do not tell it")
    parser.add_argument(
        "--to",
        nargs=2,
        metavar=("FORMAT", "OUT"),
        help=f"write the games to a file, - to standard output: {', '.join(FORMATS)}; with ccgc OUT may be a "
        "folder for one file a game, named by its rule",
    )
    options = parser.parse_args(argv)
    if options.json and options.to and options.to[1] == "-":
        raise ValueError("--to must name a file where --json is given, got -")
    counts = _Counts(options)
    with _output(options.to) as put, counts.progress() as tell:
        size = None if options.size is None else read_size(options.size)
        games = _Games(options, counts, put)
        for item in recorded_games(options.files, size, games.pass_over):
            games.add(item)
            tell()
        alone = games.end()
    if not options.json and not (options.to and options.to[1] == "-"):
        counts.show(alone)
    return counts.exit_code


class _Games:
    """Passes games on in their order; the first waits until it is known whether it is the only one."""

    def __init__(self, options: Namespace, counts: "_Counts", put: "Callable[[Record], None]") -> None:
        self._options, self._counts, self._put = options, counts, put
        self._first: RecordedGame | None = None
        self._settled = len(options.files) > 1
        self._show = _shower(options, alone=False)

    def add(self, item: RecordedGame) -> None:
        """Take a game."""
        if self._settled:
            self._counts.add(item, self._show, self._put)
        elif self._first is None:
            self._first = item
        else:
            self._settle()
            self._counts.add(item, self._show, self._put)

    def pass_over(self, file: str, error: "RecordError") -> None:
        """Take what is no game."""
        self._settle()
        self._counts.pass_over(file, error)

    def end(self) -> bool:
        """There are no more; returns whether there was only one."""
        alone = not self._settled and self._first is not None
        if alone:
            self._show = _shower(self._options, alone=True)
        self._settle()
        return alone

    def _settle(self) -> None:
        self._settled = True
        if self._first is not None:
            first, self._first = self._first, None
            self._counts.add(first, self._show, self._put)


def recorded_games(
    files: list[str], size: tuple[int, int] | None, damaged: "Callable[[str, RecordError], None]"
) -> Iterator[RecordedGame]:
    """All games of all files; `damaged` is told of what is none at once, before reading goes on."""
    from dotzero.envs.records import RecordError, read_records

    for file in files:
        if file == "-" and sys.stdin is None:
            raise ValueError("standard input must be open for the file -, got a closed one")
        source = getattr(sys.stdin, "buffer", sys.stdin) if file == "-" else file
        found = False

        def tell(error: RecordError, file: str = file) -> None:
            nonlocal found
            found = True
            damaged(file, error)

        for record in read_records(source, tell, size):
            found = True
            yield RecordedGame(file, record)
        if not found:
            tell(RecordError("a file must hold a record, got none"))


class _Counts:
    """Counts games, and passes on each of them."""

    def __init__(self, options: Namespace) -> None:
        self._options = options
        self._begun = time.monotonic()
        self.games = self.disagreeing = self.damaged = self.unsaid = 0

    @property
    def exit_code(self) -> int:
        """1 where something was wrong."""
        return int(self.disagreeing + self.damaged > 0)

    def add(
        self,
        item: RecordedGame,
        show: "Callable[[str, Record, Verdict], None]",
        put: "Callable[[Record], None]",
    ) -> None:
        """Replay a game, show it and write it.

        Raises:
            ValueError: It is damaged and must not be passed over.
        """
        from dotzero.envs.records import RecordError, completed, replay

        try:
            verdict = replay(item.record)
            put(item.record if verdict.agrees is False else completed(item.record, verdict))
        except RecordError as error:
            self.pass_over(item.file, error)
            return
        self.games += 1
        self.disagreeing += verdict.agrees is False
        self.unsaid += verdict.agrees is None
        show(item.file, item.record, verdict)

    def pass_over(self, file: str, error: "RecordError") -> None:
        """Count a damaged record, or stop at it."""
        if not self._options.keep_going:
            raise ValueError(f"{file}, {error}" if error.line is not None else f"{file}: {error}")
        self.damaged += 1
        if self._options.json:
            print(json.dumps({"file": file, "line": error.line, "error": str(error)}))
        else:
            print(f"{file}, {error}", file=sys.stderr)

    def show(self, alone: bool) -> None:
        """Print the totals."""
        if alone and not self._options.quiet and not self.damaged:
            return
        from dotzero.play.plurals import counted

        counts = [
            (self.games - self.disagreeing - self.unsaid, "agrees", "agree"),
            (self.disagreeing, "disagrees", "disagree"),
            (self.unsaid, "does not say how it ended", "do not say how they ended"),
            (self.damaged, "damaged record passed over", "damaged records passed over"),
        ]
        parts = [counted(number, one, many) for number, one, many in counts if number]
        seconds = time.monotonic() - self._begun
        rate = f", {self.games / seconds:.0f} a second" if seconds > 1 else ""
        print(f"{', '.join([counted(self.games, 'game') + rate, *parts])}")

    @contextlib.contextmanager
    def progress(self) -> Iterator[Callable[[], None]]:
        """Shows the number of games and the rate while nothing else is shown."""
        from dotzero.scripts.progress import Remarks

        if sys.stdout.isatty() and not self._options.quiet:
            yield lambda: None
            return
        with Remarks("replay") as remarks:

            def tell() -> None:
                if self.games % 64 == 0:
                    rate = self.games / max(time.monotonic() - self._begun, 1e-9)
                    remarks.tell(f"{self.games} games, {rate:.0f} a second")

            yield tell


def _shower(options: Namespace, alone: bool) -> "Callable[[str, Record, Verdict], None]":
    """How a game is shown."""
    if options.json:
        return lambda file, record, verdict: print(json.dumps(describe(file, record, verdict)))
    if options.to and options.to[1] == "-":
        return lambda file, record, verdict: None
    if not alone or options.quiet:
        return lambda file, record, verdict: _show_line(file, record, verdict, options.quiet)
    return _show_game


@contextlib.contextmanager
def _output(to: list[str] | None) -> "Iterator[Callable[[Record], None]]":
    """Where games are written, if at all."""
    from dotzero.envs.records import FORMATS, open_records, write_record

    if to is None:
        yield lambda record: None
        return
    style, out = to
    if style not in FORMATS:
        raise ValueError(f"--to must name one of {', '.join(FORMATS)}, got {style}")
    if out == "-":
        yield lambda record: print(write_record(record, style), end="")
    elif Path(out).is_dir():
        if style != "ccgc":
            raise ValueError(f"--to {style} must name a file, got the folder {out}")
        yield _FolderOfGames(Path(out)).put
    else:
        with open_records(out, style) as put:
            yield put


class _FolderOfGames:
    """One file a game, with the names of the championship; of equal names later ones get a number."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, int] = {}

    def put(self, record: "Record") -> None:
        """Write a game."""
        from dotzero.envs.records import ccgc_file_name, write_records

        name = ccgc_file_name(record)
        number = self._names[name] = self._names.get(name, 0) + 1
        path = self._folder / name
        write_records(path if number == 1 else path.with_stem(f"{path.stem} ({number})"), [record], "ccgc")


def described(file: str, record: "Record") -> dict[str, Any]:
    """Which game it is, as JSON has it: where it stands, its rules and players."""
    from dotzero.envs.registry import plain_value

    return {
        "file": file,
        "line": record.line,
        "game": record.game,
        "rules": plain_value(asdict(record.rules)),
        "players": list(record.players),
    }


def describe(file: str, record: "Record", verdict: "Verdict") -> dict[str, Any]:
    """A replayed game as JSON has it."""
    from dotzero.envs.game_records import notation_of

    notation = notation_of(record.rules)
    data = {
        **described(file, record),
        "moves": [notation.name(action) for action in record.moves],
        "movers": [player + 1 for player in record.movers],
        "score": list(verdict.score),
        "scores": verdict.scores.tolist(),
        "result": verdict.result,
        "reason": verdict.reason.value,
    }
    if record.result is not None:
        data["recorded_result"] = record.result
    if verdict.agrees is not None:
        data["agrees"] = verdict.agrees
    if verdict.contradiction is not None:
        data["disagreement"] = verdict.contradiction
    for name, texts in (("warnings", verdict.warnings), ("notes", record.notes)):
        if texts:
            data[name] = list(texts)
    return data


def _show_line(file: str, record: "Record", verdict: "Verdict", only_wrong: bool) -> None:
    """A game in a line, and its warnings."""
    from dotzero.play.plurals import counted

    where = f"{file}, line {record.line}"
    if not only_wrong or verdict.agrees is False:
        moves = counted(len(record.moves), "move")
        print(f"{where}: {rules_text(record)}, {moves}, {outcome_text(verdict)}: {_agreement(verdict)}")
    if not only_wrong or verdict.warnings:
        for warning in verdict.warnings:
            print(f"{where}: warning: {warning}")


def _show_game(file: str, record: "Record", verdict: "Verdict") -> None:
    """A whole game, move by move."""
    from dotzero.envs.game_records import notation_of

    notation = notation_of(record.rules)
    print(f"{file}: {rules_text(record)}")
    if any(record.players):
        print(players_line(record))
    for header, value in record.headers.items():
        print(f"{in_one_line(header):<11} {in_one_line(value)}")
    for note in record.notes:
        print(f"note        {note}")
    print("\n move  player        score")
    if 0 in record.comments:
        print(f"                            {in_one_line(record.comments[0])}")
    for number, (action, player) in enumerate(zip(record.moves, record.movers, strict=True), 1):
        one, two = verdict.scores[number - 1].tolist()
        comment = in_one_line(record.comments.get(number, ""))
        row = f"{number:5}  {player + 1} {notation.name(action):<8} {f'{one}-{two}':>8}   {comment}"
        print(row.rstrip())
    print()
    for warning in verdict.warnings:
        print(f"warning     {warning}")
    print(f"final       {outcome_text(verdict)}\nrecord      {_agreement(verdict)}")


def rules_text(record: "Record") -> str:
    """The game, its size, and whatever else is not as usual."""
    from dotzero.envs.registry import plain_value, unusual_rules

    rules = plain_value(asdict(record.rules))
    sides = list(rules.values())[:2]
    others = list(unusual_rules(record.game, rules).items())
    words = [f"{name}={value}" for name, value in others if name not in list(rules)[:2]]
    return " ".join([record.game, f"{sides[0]}x{sides[1]}", *words])


def outcome_text(verdict: "Verdict") -> str:
    """Final score and result in words."""
    from dotzero.envs.game_records import BY_THE_RULES

    one, two = verdict.score
    score = f"{one}-{two}"
    if verdict.result is None:
        return f"{score}, not finished"
    margin = f" by {abs(verdict.lead):g}" if verdict.result and verdict.reason in BY_THE_RULES else ""
    result = f"player {verdict.result} wins" if verdict.result else "a draw"
    return f"{score}, {result}{margin} ({verdict.reason.replace('_', ' ')})"


def _agreement(verdict: "Verdict") -> str:
    what = "" if verdict.contradiction is None else f", {verdict.contradiction}"
    return _MARKS[verdict.agrees] + what


def players_line(record: "Record") -> str:
    """Who played a game, for above its moves; a question mark stands for a player without a name."""
    return f"players     {' - '.join(in_one_line(player) or '?' for player in record.players)}"


def in_one_line(text: str) -> str:
    """A text of a record in one line, whole, without signs that would steer a terminal."""
    line = " ".join(text.split())
    return printable(line, len(line))
