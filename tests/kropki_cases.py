"""The collected cases of Kropki in one form, `Case`, for the referee and for the engine alike.

The files in `data/` say the same things in five ways; here each becomes a list of dots to put down, out of
turn where the case is, with what must hold after each of them, and what is told of the final board, to be
drawn from cells (one number a point with the bits of `KropkiState.cells`).
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parent / "data"
LIVE, PLACED, HELD, HOUSE = 0, 2, 4, 6  # lower bit of each pair in a cell


class Case(NamedTuple):
    """One game. Where the file says nothing, an entry of `scores` or `legal_left` is None."""

    name: str
    width: int
    height: int
    moves: list
    """(x, y, player) of each dot that is tried."""
    legal: list
    """Whether the point is playable then; where it is not, the dot is left out."""
    scores: list
    """[player 0, player 1] after each dot."""
    legal_left: list
    """The number of playable points after each dot."""
    draw: Callable
    """(cells) -> what the file tells of the final board."""
    final: object
    """What `draw` must give at the end."""
    ungrounded: list | None = None


def who(cell, pair):
    """The player whose bit of a pair is set in `cell`, -1 nobody."""
    return (cell >> pair & 3) - 1


def playable(cell):
    return cell & 0x3F == 0


def draw_owners(cells):
    """X or O where a live dot stands or a closed point is held, then the same of all dots."""
    owners = ("XO."[max(who(cell, LIVE), who(cell, HELD))] for cell in cells)
    return "".join(owners) + "".join("XO."[who(cell, PLACED)] for cell in cells)


def draw_styles(cells):
    """1/2 dots, x/y those that the enemy holds, A/B closed empty points, a/b playable ones in a house."""

    def letter(cell):
        if who(cell, PLACED) >= 0:
            taken = who(cell, HELD) == 1 - who(cell, PLACED)
            return ("xy" if taken else "12")[who(cell, PLACED)]
        return "AB"[who(cell, HELD)] if who(cell, HELD) >= 0 else "ab."[who(cell, HOUSE)]

    return "".join(map(letter, cells))


def load(name):
    text = (DATA / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()] if name.endswith(".jsonl") else json.loads(text)


def hand_made_positions():
    """Drawn boards: first the dots without a number in reading order, then the others by number."""
    for case in load("kropki_positions.json")["cases"]:
        rows = [row.split() for row in case["rows"]]
        dots = [(text, x, y) for y, row in enumerate(rows) for x, text in enumerate(row) if text != "."]
        dots.sort(key=lambda dot: int(dot[0][1:] or 0))
        moves, width = [(x, y, "XO".index(text[0])) for text, x, y in dots], len(rows[0])
        told = [(x, y, True) for x, y in case["still_playable"]] + [(x, y, False) for x, y in case["closed"]]
        yield Case(
            name=case["name"],
            width=width,
            height=len(rows),
            moves=moves,
            legal=[True] * len(moves),
            scores=[None] * (len(moves) - 1) + [case["held"]],
            legal_left=[None] * len(moves),
            draw=lambda cells, width=width, told=told: [
                (x, y, playable(cells[y * width + x])) for x, y, _ in told
            ],
            final=told,
        )


def small_cases():
    """A set-up of dots, then moves with both scores, and which empty points end up closed."""
    for case in load("kropki_cases.json"):
        dots, told = case["setup"] + case["moves"], case["score_after_each_move_red_blue"]
        yield Case(
            name=case["id"],
            width=case["width"],
            height=case["height"],
            moves=[(x, y, "rb".index(letter)) for x, y, letter in dots],
            legal=[True] * len(dots),
            scores=[None] * len(case["setup"]) + told,
            legal_left=[None] * len(dots),
            draw=lambda cells, width=case["width"]: [
                [p % width, p // width]
                for p, cell in enumerate(cells)
                if not playable(cell) and who(cell, PLACED) < 0
            ],
            final=sorted(case["empty_points_closed"], key=lambda point: (point[1], point[0])),
        )


def random_games():
    """Alternate games with both scores after every move."""
    for number, game in enumerate(load("kropki_random_games.json")):
        moves = [(x, y, number % 2) for number, (x, y) in enumerate(game["moves"])]
        yield Case(
            name=f"random {number}",
            width=game["width"],
            height=game["height"],
            moves=moves,
            legal=[True] * len(moves),
            scores=game["score_trace"],
            legal_left=[None] * len(moves),
            draw=len,
            final=game["width"] * game["height"],
        )


def fuzz_games():
    """Random games out of turn, to a full board, some of whose dots are refused."""
    for number, game in enumerate(load("kropki_fuzz.jsonl")):
        yield Case(
            name=f"fuzz {number}",
            width=game["w"],
            height=game["h"],
            moves=game["moves"],
            legal=[bool(legal) for legal in game["legal"]],
            scores=[list(pair) for pair in zip(game["took0"], game["took1"], strict=True)],
            legal_left=[None] * len(game["moves"]),
            draw=draw_owners,
            final="".join(game["owner"] + game["dots"]),
            ungrounded=game["ungrounded"],
        )


def games_in_styles():
    """Clumps, rings in rings, hanging rings and entered houses, with what can still be played."""
    for game in load("kropki_styles.jsonl"):
        moves = [(x, y, player - 1) for x, y, player in game["moves"]]
        yield Case(
            name=f"{game['style']} {game['id']}",
            width=game["width"],
            height=game["height"],
            moves=moves,
            legal=[True] * len(moves),
            scores=game["captured"],
            legal_left=game["legal_left"],
            draw=draw_styles,
            final="".join(game["final"]),
        )


FILES = {
    "positions": hand_made_positions,
    "cases": small_cases,
    "random_games": random_games,
    "fuzz": fuzz_games,
    "styles": games_in_styles,
}
