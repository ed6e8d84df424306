"""Seeded random games as records, under all kinds of rules, with awkward names, comments and clocks."""

from dataclasses import replace

import numpy as np

from dotzero.envs.boxes import Border, BoxesRules, Scoring
from dotzero.envs.game_records import Ending, Record, game_of, with_mover
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.records import completed

TEXTS = [
    "Anna", "Анна", "a]b", "c\\d", "\\", "x;(y", ";)", "]", 'say "so"', "{braces}", "two\nlines", "点格棋",
    "tail\\\\]", "(;GM[40]", "\\n", " spaces ", ":", "-", "12-3", "🂡", "[Size \"2x2\"]", "\ttab", "} {",
]  # fmt: skip


def text(rng, one_line=False):
    found = TEXTS[rng.integers(len(TEXTS))]
    return " ".join(found.split()) if one_line else found


def boxes_record(rng, usual=False, size=None):
    """A game of Dots and Boxes, whole or not; `usual`: without the rules that few formats have."""
    rows, columns = size or rng.integers(1, 9, 2).tolist()
    rules = BoxesRules(rows=rows, columns=columns)
    if not usual and rows * columns > 1:
        border, scoring = rng.choice(list(Border)), rng.choice(list(Scoring))
        rules = replace(rules, border=border, scoring=scoring)
    game = game_of(rules)
    start = game.start(1)
    moves = rng.permutation(np.flatnonzero(start.lines[0] == 0))
    if rng.random() < 0.3:
        moves = moves[: rng.integers(len(moves) + 1)]
    return told(rng, rules, moves.tolist(), game.replay(start, moves).movers.tolist())


def kropki_rules(rng):
    """Any rules that go together, on boards of up to 52x52 that are mostly small."""
    largest = rng.choice([5, 9, 15, 52], p=[0.3, 0.4, 0.28, 0.02])
    width, height = rng.integers(2, largest + 1, 2).tolist()
    fields = {"width": width, "height": height}
    for name in ("add_turn", "holes", "punish", "last_safe", "capture_empty"):
        fields[name] = bool(rng.random() < 0.25)
    fields["stop"] = rng.choice(["grounding", "grounding", "solo", "off"]).item()
    if fields["stop"] == "solo" and rng.random() < 0.7:
        fields["solo_moves"] = int(rng.integers(1, 20))
    fields["start"] = rng.choice(["empty", "single", "cross", "double_cross", "four_crosses"]).item()
    if rng.random() < 0.3:
        fields["start"], fields["start_seed"] = "random_crosses", int(rng.integers(1000))
        fields["num_crosses"] = int(rng.integers(1, 4))
    elif fields["start"] == "empty" and rng.random() < 0.3:
        fields["opening_zone"] = (int(rng.integers(1, width + 1)), int(rng.integers(2, height + 1)))
    if rng.random() < 0.3:
        fields["house_closes"] = "owner_turn"
    if rng.random() < 0.2:
        fields["score"] = "territory"
    if rng.random() < 0.5:
        fields["komi"] = int(rng.integers(-4, 5)) / 2
    if rng.random() < 0.2:
        fields["instant_win"] = int(rng.integers(1, 12))
    try:
        return KropkiRules(**fields)
    except ValueError:  # no room for the start, say
        return kropki_rules(rng)


def kropki_record(rng):
    """A game of Kropki, whole or not, with the moves of a solo phase, begun by either player."""
    rules = kropki_rules(rng)
    game = game_of(rules)
    state = game.start(1, rng if rng.random() < 0.5 else None)
    if rules.start == "empty" and rules.opening_zone is None and rng.random() < 0.3:
        state = game.start_from(some_dots(rng, rules)[None])
    dots = state.start_dots[0].ravel()
    start = tuple(tuple(np.flatnonzero(dots == player).tolist()) for player in (1, 2))
    if rng.random() < 0.2:
        state = with_mover(state, 1)
    order = rng.permutation(rules.num_points)
    if rng.random() < 0.5:
        order = order[: rng.integers(len(order) + 1)]
    if rules.stop != "off" and rng.random() < 0.6:
        for _ in range(2):
            order = np.insert(order, rng.integers(len(order) + 1), game.stop)
    zone = [point for point in order if point < game.stop and rules.zone().ravel()[point]]
    order = np.array([*zone[:2], *(point for point in order if point not in zone[:2])], np.int32)
    moves, movers = [], []
    while len(order):
        played = game.replay(state, order)
        count = len(order) if played.illegal is None else played.illegal
        moves += order[:count].tolist()
        movers += played.movers[:count].tolist()
        state, order = played.state, order[count + 1 :]
    return told(rng, rules, moves, movers, start=start)


def some_dots(rng, rules):
    """A few start dots at the edge, where none can be taken."""
    dots = np.zeros((rules.height, rules.width), np.uint8)
    for x in range(rules.width):
        dots[0, x] = rng.integers(3) if x % 2 else 0
    return dots


def told(rng, rules, moves, movers, **fields):
    """The record of a game, with what is said beside its moves."""
    places = rng.integers(len(moves) + 1, size=rng.integers(4)).tolist()
    record = Record(
        rules=rules,
        moves=tuple(moves),
        movers=tuple(movers),
        players=(text(rng, True), text(rng, True)) if rng.random() < 0.7 else ("", ""),
        headers={"date": "2026-11-30", "event": text(rng, True)} if rng.random() < 0.5 else {},
        comments={place: text(rng) for place in places},
        clocks={place: int(rng.integers(10**6)) / 8 for place in places if place},
        **fields,
    )
    record = completed(record)
    if record.result is not None or rng.random() < 0.4:
        return record
    reason = rng.choice([Ending.RESIGN, Ending.TIME, Ending.FORFEIT, Ending.AGREEMENT])
    return replace(record, result=int(rng.integers(1, 3)), reason=Ending(reason))
