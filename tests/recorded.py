"""Records of games made for tests, and games of the data folder as records."""

from dotzero.envs.boxes import BoxesRules
from dotzero.envs.game_records import Record, notation_of
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.replayed_records import in_turn

CLASSIC = "A2T B1B A1B A2L B1R B2T A1T A2R B1T B2R A1R A1L"
"""The worked example of 2x2 that player 1 wins 3-1 (R071)."""


def boxes_record(moves=CLASSIC, rows=2, columns=2, **rules):
    """A record of Dots and Boxes from the names of its lines."""
    return _record(BoxesRules(rows=rows, columns=columns, **rules), moves)


def kropki_record(moves, width=6, height=6, start="empty", **rules):
    """A record of Kropki from the names of its points."""
    return _record(KropkiRules(width=width, height=height, start=start, **rules), moves)


def _record(rules, moves) -> Record:
    notation = notation_of(rules)
    actions = tuple(notation.parse(name) for name in moves.split())
    return in_turn(1, rules=rules, moves=actions)
