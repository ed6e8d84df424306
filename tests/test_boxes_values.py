"""Dots and Boxes by exhaustive search: known positions, and what random games come to on average."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from referee_boxes import Referee
from slow_boxes import SlowSolver

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.boxes_notation import BoxesNotation

POSITIONS = json.loads((Path(__file__).parent / "data" / "boxes_positions.json").read_text())


def test_the_positions_are_all_there():
    assert len({case["id"] for case in POSITIONS}) == len(POSITIONS) == 34


@pytest.mark.parametrize("case", POSITIONS, ids=[case["id"] for case in POSITIONS])
def test_known_positions(case):
    """R089, R148: value, best lines and the value of every line, through the rules of the package."""
    game = BoxesGame(BoxesRules(rows=case["rows"], columns=case["cols"]))
    notation = BoxesNotation(game.rules)
    lines = notation.parse_dbn(case["dbn"])
    solver = SlowSolver(case["rows"], case["cols"], lines)
    assert (lines == 0).sum() == case["lines_left"]
    state = game.position(lines[None], num_complete(case["rows"], case["cols"], lines) % 2)
    values = {}
    for action in np.flatnonzero(game.legal(state)[0]):
        after = game.step(state, [action])
        gained = int(after.score[0, 0] - state.score[0, 0])
        assert after.to_move[0] == (0 if gained else 1)
        rest = solver.value(after.lines[0])
        values[int(action)] = gained + rest if gained else -rest
    assert values == {notation.parse(name): value for name, value in case["moves"].items()}
    assert values == solver.line_values()
    assert max(values.values()) == solver.value() == case["value_to_move"]
    assert solver.best_lines() == {notation.parse(name) for name in case["best"]}


def num_complete(rows, columns, lines):
    referee = Referee(rows, columns)
    referee.drawn = {referee.segments[line] for line in np.flatnonzero(lines)}
    return sum(referee.num_sides(box) == 4 for box in referee.boxes())


@pytest.mark.parametrize("misere", [False, True])
def test_the_slow_solver_agrees_with_plain_minimax(misere):
    """Every set of lines of 2x2 boxes, by the definition of the value."""
    solver, referee = SlowSolver(2, 2, np.zeros(12), misere), Referee(2, 2)
    known = {}
    for left in range(13):
        for undrawn in itertools.combinations(range(12), left):
            values = []
            for line in undrawn:
                referee.drawn = {referee.segments[other] for other in range(12) if other not in undrawn}
                before = len(referee.closed)
                referee.draw(line)
                (closed,) = referee.closed[before:]
                rest = known[tuple(other for other in undrawn if other != line)]
                values.append(rest + (-closed if misere else closed) if closed else -rest)
            known[undrawn] = max(values, default=0)
            assert solver.value([line not in undrawn for line in range(12)]) == known[undrawn]


@pytest.mark.parametrize(
    ("size", "normal", "misere"),
    [((1, 1), -1, 1), ((1, 2), 0, 2), ((1, 3), -1, 3), ((1, 4), 0, 4), ((1, 5), -1, 3), ((1, 6), 0, 4)]
    + [((2, 2), 2, -2), ((2, 3), -2, 2)],
)
def test_values_of_small_empty_boards(size, normal, misere):
    """R089: by the slow solver, as published."""
    lines = np.zeros(len(Referee(*size).segments))
    assert SlowSolver(*size, lines).value() == normal
    assert SlowSolver(*size, lines, misere=True).value() == misere


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 2), (2, 1)])
def test_random_games_of_the_core_come_to_the_exact_mean(rows, columns):
    """The mean margin over all orders of the lines, played through `step`, is that of the core's games."""
    game = BoxesGame(BoxesRules(rows=rows, columns=columns))
    orders = np.array(list(itertools.permutations(range(game.num_actions))))
    state = game.start(len(orders))
    for ply in range(game.num_actions):
        state = game.step(state, orders[:, ply])
    assert state.finished.all()
    margins = (state.score[:, 0] - state.score[:, 1]).astype(int)
    mean, spread, number = margins.mean(), margins.std(), 400_000
    sampled = game.play_random_games(number, seed=5) / number
    assert abs(sampled - mean) <= 4 * spread / number**0.5
    assert rows * columns == 1 or 0 < abs(mean) < 2  # a game without any bias would show nothing


def test_random_games_of_the_core_agree_with_step_on_2x2(random_actions):
    game, number = BoxesGame(BoxesRules(rows=2, columns=2)), 40_000
    state, rng = game.start(number), np.random.default_rng(4)
    for _ in range(game.num_actions):
        state = game.step(state, random_actions(game, state, rng))
    margins = (state.score[:, 0] - state.score[:, 1]).astype(int)
    sampled = game.play_random_games(number, seed=6) / number
    assert abs(sampled - margins.mean()) <= 4 * margins.std() * (2 / number) ** 0.5
