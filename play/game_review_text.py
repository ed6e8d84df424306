"""A review of a game for people: a table of its moves, and how both sides played.

Numbers of a move are seen by its player: what was still to come, and its chance of winning, before the move.
What is certain stands after `=`, an estimate after `~`.

     move  player       value    win   best       loss  class        score
        5  1 B1R           =4  =100%   B1L           6  blunder        0-0
"""

from collections.abc import Iterable, Sequence

from dotzero.play.game_review import (
    LEAST_RATED,
    MOST_KEY_MOVES,
    POINTS_OF_A_MISTAKE,
    WIN_OF_A_MISTAKE,
    MoveClass,
    Review,
    ReviewedMove,
)
from dotzero.play.plurals import counted

_MOST_BEST = 2
"""Best moves that are listed by name; more are counted."""
_LEAST_LOSS = 0.05
"""Points; a smaller cost is not shown."""
_MARKS = {
    MoveClass.GOOD: "",
    MoveClass.INACCURACY: "inaccuracy",
    MoveClass.MISTAKE: "mistake",
    MoveClass.BLUNDER: "BLUNDER",
}


def review_table(found: Review, names: Sequence[str], turns: Iterable[int]) -> str:
    """The moves whose numbers are asked for, a line each, below a heading."""
    wanted = set(turns)
    rows = [_row(move, names) for move in found.moves if move.number in wanted]
    heading = " move  player       value    win   best           loss  class       score"
    return "\n".join([heading, *rows])


def _row(move: ReviewedMove, names: Sequence[str]) -> str:
    value = "" if move.value is None else ("=" if move.exact else "~") + _number(move.value)
    win = "" if move.win is None else f"{'=' if move.win_exact else '~'}{move.win:.0%}"
    loss = "" if move.loss is None or move.loss < _LEAST_LOSS else _number(move.loss)
    mark = _MARKS[move.kind] if move.kind else "only move" if move.forced else ""
    if not mark and move.on_offer > move.taken and move.loss is None:
        mark = f"left {move.on_offer}"
    score = f"{move.score[0]}-{move.score[1]}"
    best = _best(move, names)
    text = f"{move.number:5}  {move.player + 1} {names[move.action]:<8} {value:>7} {win:>6}   {best:<12} "
    return f"{text}{loss:>6}  {mark:<10} {score:>6}"


def _best(move: ReviewedMove, names: Sequence[str]) -> str:
    if move.action in move.best and len(move.best) > 1:
        return f"it, {len(move.best) - 1} more"
    listed = [names[action] for action in move.best[:_MOST_BEST]]
    more = len(move.best) - len(listed)
    return " ".join(listed) + (f" +{more}" if more else "")


def sides_text(found: Review) -> str:
    """How both sides played, a line each, and the key moves."""
    rows = []
    for player in (0, 1):
        side = found.side(player)
        text = f"player {player + 1}    {counted(side.moves, 'move')}"
        if not side.rated:
            rows.append(f"{text}, none rated")
            continue
        counts = [
            counted(side.classes[MoveClass.INACCURACY], "inaccuracy", "inaccuracies"),
            counted(side.classes[MoveClass.MISTAKE], "mistake"),
            counted(side.classes[MoveClass.BLUNDER], "blunder"),
        ]
        rated = f"{side.rated} rated" if side.rated < side.moves else "all rated"
        accuracy = "too few for an accuracy"
        if side.accuracy is not None:
            accuracy = f"accuracy {side.accuracy:.1f}%"
        lost = "" if side.loss is None else f", lost {_points(side.loss)}"
        rows.append(f"{text}, {rated}: {accuracy}{lost}; {', '.join(counts)}")
    key = ", ".join(str(move.number) for move in found.key_moves)
    return "\n".join([*rows, f"key moves   {key or 'none'}"])


def scale_text() -> str:
    """What the classes and the accuracy mean, in a few lines."""
    points, win = POINTS_OF_A_MISTAKE, WIN_OF_A_MISTAKE
    return (
        f"A mistake costs {win:.0%} of the chance to win or {points:g} points of the final margin, an "
        f"inaccuracy half of that,\na blunder twice as much. Accuracy: the mean of 100 * 2^-m, "
        f"a move costing m mistakes. Key moves: the {MOST_KEY_MOVES}\nworst. = is certain, ~ an estimate; "
        f"value and win are those before the move, for its player.\n"
        f"left n: another move would have taken n points at once. A move without another choice, or whose "
        f"cost is not\nknown, is not rated, and no accuracy is told where less than "
        f"{LEAST_RATED:.0%} of a side's choices are; a network\n(--level zero) estimates what is not known."
    )


def _points(number: float) -> str:
    text = _number(number)
    return f"{text} point" if text == "1" else f"{text} points"


def _number(value: float) -> str:
    text = f"{value:.1f}" if abs(value - round(value)) > 0.05 else f"{round(value)}"
    return text if text != "-0" else "0"
