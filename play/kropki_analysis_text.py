"""What the rules of Kropki tell of a position, for people: the board and a list.

No colour is needed: the board's signs tell the players apart (`envs/kropki_notation.py`).
"""

from dotzero.envs.kropki import KropkiGame, KropkiState
from dotzero.envs.kropki_notation import KropkiNotation
from dotzero.envs.registry import size_text
from dotzero.play.finished_analysis import result_words
from dotzero.play.kropki_analysis import KropkiFacts
from dotzero.play.listed_rows import rows_text
from dotzero.play.plurals import counted

_MOST_LISTED = 12


def kropki_text(game: KropkiGame, state: KropkiState, facts: KropkiFacts, last: int | None = None) -> str:
    """Everything about a batch of one game; `last` is marked on the board."""
    names = KropkiNotation(game.rules)
    turn = "the game is over" if facts.finished else f"player {facts.mover + 1} to move"
    head = f"kropki {size_text(game)}, {turn}. X is player 1, O player 2."
    rows = [("score", _score(facts)), ("phase", _phase(facts))]
    if not facts.finished:
        rows.append(("legal", counted(facts.num_legal, "point")))
        for player in (facts.mover, 1 - facts.mover):
            rows.append((f"player {player + 1}", _side(names, facts, player)))
        rows += _stop_rows(facts)
    return "\n\n".join([head, names.board(state, last=last), rows_text(rows)])


def _score(facts: KropkiFacts) -> str:
    one, two = facts.score
    komi = f", komi {facts.komi:g} for player 2" if facts.komi else ""
    return f"{one}-{two}{komi}" + ("" if facts.result is None else f", {result_words(facts.result)}")


def _phase(facts: KropkiFacts) -> str:
    if facts.phase != "solo":
        return facts.phase
    left = "" if facts.solo_left is None else f", {counted(facts.solo_left, 'move')} left"
    return f"solo: player {facts.mover + 1} places dots alone{left}"


def _side(names: KropkiNotation, facts: KropkiFacts, player: int) -> str:
    found = sorted(facts.captures[player].items(), key=lambda item: (-item[1], item[0]))
    listed = ", ".join(f"{names.name(point)} {dots}" for point, dots in found[:_MOST_LISTED])
    more = len(found) - _MOST_LISTED
    rest = f" and {more} more" if more > 0 else ""
    captures = f"can capture {listed}{rest} now" if found else "captures nothing"
    loose, dots = facts.ungrounded[player], facts.num_dots[player]
    ground = f"{loose} not grounded" if loose else "all grounded"
    return f"{counted(dots, 'dot')}, {ground}; {captures}"


def _stop_rows(facts: KropkiFacts) -> list[tuple[str, str]]:
    rows = []
    if facts.stop_margins is not None:
        both = (facts.mover, 1 - facts.mover)
        ends = (f"player {player + 1} would end {facts.stop_margins[player]:+g}" for player in both)
        rows.append(("if it stopped", ", ".join(ends)))
    if facts.decided is not None:
        rows.append(("decided", f"player {facts.decided + 1} would win by stopping at once"))
    return rows
