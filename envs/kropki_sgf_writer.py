"""Records of Kropki in the Smart Game Format, GM[40], as servers and engines read them: writing.

One tree a line. Start dots stand in AB and AW, every enclosure's chain in the move of its owner that closes
it, or in the owner's next move where an enemy dot has entered a house. A chain whose owner has no next move,
or says STOP, stands by itself, `B[.chain]`. Reading back what is written gives the same record, but for what
the format has no word for: the reason `agreement`, line breaks in names, headers under names that are none of
SGF's, fractions of clocks below a millisecond, and the score, which it gives as a margin.
"""

import re

from dotzero.envs.game_records import Ending, Record, RecordError, notation_of
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.kropki_sgf import APPLICATION, HEADERS, PLAYERS
from dotzero.envs.kropki_sgf_chains import enclosures
from dotzero.envs.kropki_sgf_rules import tags_of_rules
from dotzero.envs.replayed_records import replay
from dotzero.envs.sgf import raw

_IDENTIFIERS = {header: name for name, header in HEADERS.items() if header != "application"}
_FREE = re.compile(r"[A-Z]{2,8}")
_TAKEN = ("GM", "FF", "CA", "SZ", "RU", "KM", "RE", "PB", "PW", "AB", "AW", "AE", "AP", *HEADERS)
_SUFFIXES = {Ending.RESIGN: "R", Ending.TIME: "T", Ending.FORFEIT: "F"}


def write_tree(record: Record) -> str:
    """A record as one line of text with its line break.

    Raises:
        RecordError: It is not one of Kropki, or cannot be replayed.
    """
    if not isinstance(record.rules, KropkiRules):
        raise RecordError("SGF must hold Kropki, got boxes", line=record.line)
    nodes = [_root(record, record.rules), *_moves(record, record.rules)]
    return f"({''.join(nodes)})\n"


def _root(record: Record, rules: KropkiRules) -> str:
    side = f"{rules.width}" if rules.width == rules.height else f"{rules.width}:{rules.height}"
    found = {
        "FF": "4",
        "GM": "40",
        "CA": "UTF-8",
        "AP": APPLICATION,
        "SZ": side,
        "RU": tags_of_rules(rules),
        "KM": f"{rules.komi:g}" if rules.komi else "",
        "RE": _result(record, rules),
        "PB": _simple(record.players[0]),
        "PW": _simple(record.players[1]),
    }
    text = "".join(f"{name}[{value}]" for name, value in found.items() if value)
    for header, value in record.headers.items():
        name = _IDENTIFIERS.get(header, header)
        if header in _IDENTIFIERS or (_FREE.fullmatch(header) and header not in _TAKEN):
            text += f"{name}[{_simple(value)}]"
    assert record.start is not None
    point_name = notation_of(rules).name
    for name, points in zip(("AB", "AW"), record.start, strict=True):
        text += name * bool(points) + "".join(f"[{point_name(point)}]" for point in points)
    return f";{text}{_comment(record, 0)}"


def _moves(record: Record, rules: KropkiRules) -> list[str]:
    """The nodes after the root."""
    chains, name = _chains(record), notation_of(rules).name
    nodes: list[str] = []
    waiting: tuple[list[str], list[str]] = ([], [])  # chains of either player that its next move will have
    for index, (action, player) in enumerate(zip(record.moves, record.movers, strict=True)):
        own = waiting[player]
        for owner, chain in chains.get(index, ()):
            (own if owner == player else waiting[owner]).append(chain)
        letter = PLAYERS[player]
        if action == rules.num_points:
            nodes += [f";{letter}[{''.join(own)}]"] * bool(own)
            text = f";{letter}[]"
        else:
            text = f";{letter}[{name(action)}{''.join(own)}]"
        own.clear()
        if index + 1 in record.clocks:
            text += f"{letter}L[{_number(record.clocks[index + 1])}]"
        nodes.append(text + _comment(record, index + 1))
    for letter, own in zip(PLAYERS, waiting, strict=True):
        nodes += [f";{letter}[{''.join(own)}]"] * bool(own)
    if record.shown:
        points = "".join(f"[{name(point)}]" for point in record.shown)
        nodes.append(f";{PLAYERS[1 - record.movers[-1]]}{points}")
    return nodes


def _chains(record: Record) -> dict[int, list[tuple[int, str]]]:
    """Owners and texts of the chains that close, by the index of the move that closes them."""
    game, state = record.new_game()
    assert isinstance(game, KropkiGame)
    name = notation_of(game.rules).name
    found: dict[int, list[tuple[int, str]]] = {}
    for item in enclosures(game, state, record.moves, record.movers, replay(record).scores):
        chain = item.capture.chain
        text = "".join(name(point) for point in (*chain, chain[0]))
        found.setdefault(item.after - 1, []).append((item.capture.player, f".{text}"))
    return found


def _result(record: Record, rules: KropkiRules) -> str:
    if record.result is None:
        return ""
    if record.result == 0:
        return "0"
    winner = f"{PLAYERS[record.result - 1]}+"
    if record.reason in _SUFFIXES:
        return winner + _SUFFIXES[record.reason]
    margin = record.margin
    if margin is None and record.score is not None:
        lead = record.score[0] - record.score[1] - rules.komi
        margin = lead if record.result == 1 else -lead
    return winner + (f"{margin:g}" if margin is not None and margin > 0 else "")


def _comment(record: Record, number: int) -> str:
    text = record.comments.get(number)
    return "" if text is None else f"C[{raw(text)}]"


def _simple(text: str) -> str:
    """A raw value of one line."""
    return raw(" ".join(re.split(r"[\r\n]+", text)))


def _number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
