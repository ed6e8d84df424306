"""The engine of Kropki against known answers: collected cases, public records, totals of random games."""

import re
from pathlib import Path

import numpy as np
import pytest
from kropki_cases import FILES, playable

from dotzero.envs.registry import make_game

RECORDS = Path(__file__).resolve().parents[2] / "shared" / "cases" / "kropki_sgf"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def kropki(width, height, start="empty", **rules):
    return make_game("kropki", {"width": width, "height": height, "start": start} | rules)


def put(game, state, x, y, player):
    """A dot out of turn."""
    state.to_move[:] = player
    state.finished[:] = False
    return game.step(state, [y * game.rules.width + x])


@pytest.mark.parametrize("file", FILES)
def test_the_engine_agrees_with_all_cases(file):
    """Legality, both scores after every dot, what is left to play, final maps, ungrounded dots."""
    for case in FILES[file]():
        game = kropki(case.width, case.height)
        state = game.start(1)
        after = zip(case.moves, case.legal, case.scores, case.legal_left, strict=True)
        for number, ((x, y, player), legal, score, legal_left) in enumerate(after):
            cells = state.cells[0].ravel().tolist()
            assert playable(cells[y * case.width + x]) == legal, (case.name, number)
            if legal:
                state = put(game, state, x, y, player)
                cells = state.cells[0].ravel().tolist()
            assert score in (None, state.score[0].tolist()), (case.name, number)
            assert legal_left in (None, sum(map(playable, cells))), (case.name, number)
        assert case.draw(cells) == case.final, case.name
        assert case.ungrounded in (None, game.ungrounded(state)[0].tolist()), case.name


@pytest.mark.parametrize("keep_grounding", [False, True])
@pytest.mark.parametrize(
    ("size", "num_games", "totals"),
    [
        ((20, 20), 5000, (1_915_730, 279_049, (2531, 2393))),
        ((39, 32), 1500, (1_750_222, 359_392, (748, 748))),
    ],
)
def test_random_games_come_to_the_totals_of_all_known_engines(size, num_games, totals, keep_grounding):
    assert tuple(kropki(*size).play_random_games(num_games, 1, keep_grounding)) == totals


def properties(text):
    """(name, values) of every property of an SGF record in one line of play."""
    for name, values in re.findall(r"([A-Z]+)((?:\[[^\]]*\])+)", text):
        yield name, re.findall(r"\[([^\]]*)\]", values)


def replay(text):
    """Plays a record and returns the game, the final state and RE. Dots may come out of turn.

    STOP is an empty move, or a run of dots of one side at the end, which show how the grounding goes.
    """
    told = {name: values for name, values in properties(text) if name in ("SZ", "RE", "KM", "RU")}
    width, _, height = told["SZ"][0].partition(":")
    rules = {"komi": float(told.get("KM", ["0"])[0])}
    rules["capture_empty"] = "dotsCaptureEmptyBase1" in told["RU"][0]
    game = kropki(int(width), int(height or width), **rules)
    start, moves = np.zeros((1, game.rules.height, game.rules.width), np.uint8), []
    for name, values in properties(text):
        if name in ("AB", "AW"):
            for x, y in values:
                start[0, LETTERS.index(y), LETTERS.index(x)] = 1 + (name == "AW")
        elif name in ("B", "W"):
            moves += [(name == "W", values[0])]
            if len(values) > 1:
                moves[-1] = (name == "B", "")  # the other side has stopped; these dots only show it
    state = game.start_from(start)
    for player, point in moves:
        if point:
            state = put(game, state, *map(LETTERS.index, point), player)
        else:
            state.to_move[:] = player
            state = game.step(state, [game.stop])
    return game, state, told["RE"][0]


@pytest.mark.parametrize("name", ["human_39x32_double_cross", *(f"selfplay_{n}" for n in range(4))])
def test_public_records_end_with_the_recorded_score(name):
    """Komi and STOP with grounding included; a resigned game goes on until then."""
    path = RECORDS / f"{name}.sgf"
    if not path.exists():
        pytest.skip(f"no folder of records {RECORDS}")
    game, state, result = replay(path.read_text(encoding="utf-8"))
    winner, _, points = result.partition("+")
    assert state.finished[0] == (points != "R")
    if points != "R":
        state.to_move[:] = "BW".index(winner)
        assert game.margin(state)[0] == float(points)
