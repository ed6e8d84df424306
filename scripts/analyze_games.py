"""Whole games for `dotzero analyze`: a table of moves and a summary of each, or one JSON object a line.

Games are taken from their files one by one and shown as soon as they are done, so that a batch of any length
can be interrupted without losing what is there.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from dotzero.scripts.boxes_options import read_limits, read_size
from dotzero.scripts.replay import described, outcome_text, players_line, recorded_games, rules_text

if TYPE_CHECKING:
    from dotzero.envs.records import Record, RecordError
    from dotzero.play.game_review import Review
    from dotzero.play.game_values import GameValuer, GameValuesConfig
    from dotzero.scripts.replay import RecordedGame

Turns = list[tuple[int, int]] | None
"""Numbers of moves, from and to, both counted; None: all."""


def analyze_games(options: argparse.Namespace) -> int:
    """Analyse all games of all files. Returns 1 where a damaged game was passed over."""
    from dotzero.play.game_values import GameValuer
    from dotzero.scripts.progress import Remarks

    turns = _read_turns(options.turns)
    size = None if options.size is None else read_size(options.size)
    valuer, batch = GameValuer(_config(options)), _Batch(options)
    try:
        with Remarks("analyze") as remarks:
            games = recorded_games(options.files, size, batch.pass_over)
            for item in games if turns is None else _with_turns(games, turns, options.turns):
                review = batch.review(item.file, item.record, valuer, remarks.tell)
                if review is not None:
                    batch.show(item.file, review, turns)
    finally:
        valuer.close()
    if not options.json and batch.games + batch.damaged:
        batch.show_foot()
    return int(batch.damaged > 0)


class _Batch:
    """Counts games and shows them."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self.games = self.damaged = 0

    def review(
        self, file: str, record: "Record", valuer: "GameValuer", tell: Callable[[str], None]
    ) -> "Review | None":
        """The review of a game; None where it is damaged and passed over."""
        from dotzero.envs.records import RecordError
        from dotzero.play.game_positions import game_positions
        from dotzero.play.game_review import review
        from dotzero.scripts.analyze_position import refuse_solver_limits

        if record.game == "kropki" and not self.games + self.damaged:
            refuse_solver_limits(
                self._options
            )  # of the first game; in a mixed file the others have their use
        try:
            positions = game_positions(record)
        except RecordError as error:
            self.pass_over(file, error)
            return None
        number = self.games + 1
        values = valuer.values(
            positions, lambda done, total: tell(f"game {number}, {done} of {total} positions")
        )
        return review(positions, values)

    def pass_over(self, file: str, error: "RecordError") -> None:
        """Count a damaged game, or stop at it."""
        from dotzero.scripts.analyze_position import refuse

        if not self._options.keep_going:
            refuse(file, error)
        self.damaged += 1
        if self._options.json:
            print(json.dumps({"file": file, "line": error.line, "error": str(error)}), flush=True)
        else:
            print(f"{file}, {error}", file=sys.stderr)

    def show(self, file: str, review: "Review", turns: Turns) -> None:
        """Print a game."""
        self.games += 1
        wanted = [move.number for move in review.moves if _asked(turns, move.number)]
        if self._options.json:
            print(json.dumps(to_json(file, review, wanted)), flush=True)
            return
        from dotzero.envs.game_records import notation_of
        from dotzero.play.game_review_text import review_table, sides_text

        record, verdict = review.positions.record, review.positions.verdict
        notation = notation_of(record.rules)
        names = [notation.name(action) for action in range(review.positions.game.num_actions)]
        print(f"{file}, line {record.line}: {rules_text(record)}")
        if any(record.players):
            print(players_line(record))
        if not wanted and review.moves:
            print(f"moves       none of --turns {self._options.turns}: it has 1..{len(review.moves)}")
        elif not self._options.brief:
            print(f"\n{review_table(review, names, wanted)}\n")
        print(f"final       {outcome_text(verdict)}")
        for warning in verdict.warnings:
            print(f"warning     {warning}")
        print(f"{sides_text(review)}\n", flush=True)

    def show_foot(self) -> None:
        """Print what the words mean, and the totals of many games."""
        from dotzero.play.game_review_text import scale_text
        from dotzero.play.plurals import counted

        print(scale_text())
        if self.games > 1 or self.damaged:
            passed = f", {self.damaged} damaged passed over" if self.damaged else ""
            print(f"{counted(self.games, 'game')}{passed}")


def to_json(file: str, review: "Review", wanted: list[int]) -> dict[str, Any]:
    """A reviewed game as plain values; of its moves those whose numbers are wanted."""
    from dotzero.envs.game_records import notation_of
    from dotzero.play.game_review import THRESHOLDS

    record, verdict = review.positions.record, review.positions.verdict
    notation = notation_of(record.rules)
    names = [notation.name(action) for action in range(review.positions.game.num_actions)]
    numbers = set(wanted)
    data = {
        **described(file, record),
        "num_moves": len(record.moves),
        "moves": [move.to_json(names) for move in review.moves if move.number in numbers],
        "sides": [review.side(player).to_json() for player in (0, 1)],
        "key_moves": [move.number for move in review.key_moves],
        "thresholds": THRESHOLDS,
        "score": list(verdict.score),
        "result": verdict.result,
        "reason": verdict.reason.value,
    }
    for name, value in (("last_margin", review.last_margin), ("last_win", review.last_win)):
        if value is not None:
            data[name] = round(value, 4)
    return data | ({"warnings": list(verdict.warnings)} if verdict.warnings else {})


def _config(options: argparse.Namespace) -> "GameValuesConfig":
    """How positions are valued: time and nodes hold for each of them."""
    from dotzero.play.game_values import MAX_NODES, GameValuesConfig
    from dotzero.play.players import Budget
    from dotzero.scripts.analyze_position import search_budget

    limits, budget = read_limits(options), search_budget(options)
    if options.level is not None and budget is None and options.seconds is not None:
        budget = Budget(seconds=options.seconds)
    plain = options.seconds is None and options.nodes is None
    return GameValuesConfig(
        level=options.level,
        budget=budget,
        max_nodes=MAX_NODES if plain else limits.max_nodes,
        max_seconds=None if plain else limits.max_seconds,
        solver=limits.solver,
        seed=options.seed,
    )


def _read_turns(text: str | None) -> Turns:
    """`10..20,33` as pairs of numbers.

    Raises:
        ValueError: It has another form.
    """
    if text is None:
        return None
    turns = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,6})(?:\.\.(\d{1,6}))?", part.strip(), re.ASCII)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last:
            raise ValueError(f"--turns must be numbers of moves such as 10..20,33, got {text}")
        turns.append((first, last))
    return turns


def _with_turns(games: Iterator["RecordedGame"], turns: Turns, text: str) -> Iterator["RecordedGame"]:
    """The games, unless none of them has a move that is asked for.

    Raises:
        ValueError: None has, before the first game is given out, so that nothing is analysed or shown.
    """
    held = []
    for item in games:
        held.append(item)
        if any(_asked(turns, number + 1) for number in range(len(item.record.moves))):
            break
    else:
        if held:
            longest = max(len(item.record.moves) for item in held)
            raise ValueError(f"--turns must name moves of the games, in 1..{longest}, got {text}")
    yield from held
    yield from games


def _asked(turns: Turns, number: int) -> bool:
    return turns is None or any(first <= number <= last for first, last in turns)
