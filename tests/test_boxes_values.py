"""Dots and Boxes by exhaustive search: known positions, and what random games come to on average."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from referee_boxes import Referee

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.boxes_notation import BoxesNotation

POSITIONS = json.loads((Path(__file__).parent / "data" / "boxes_positions.json").read_text())
MOST_LINES = 15  # left to draw; every further one doubles the time
CASES = [
    pytest.param(case, id=case["id"], marks=[pytest.mark.slow] * (case["lines_left"] > MOST_LINES))
    for case in POSITIONS
]


class Solver:
    """Values of all positions that follow from one, a set of drawn lines being the bits of a number.

    Nothing is shared with the package: the sides of the boxes come from the tests' referee.
    """

    def __init__(self, rows, columns):
        referee = Referee(rows, columns)
        number = {segment: line for line, segment in enumerate(referee.segments)}
        boxes = [sum(1 << number[side] for side in referee.sides(*box)) for box in referee.boxes()]
        self.boxes_of = {
            1 << line: [box for box in boxes if box >> line & 1] for line in range(len(referee.segments))
        }
        self.full = (1 << len(referee.segments)) - 1
        self.known = {self.full: 0}

    def after(self, drawn, line):
        """Boxes to come for whoever draws `line` (one bit) minus the other's, under best play."""
        drawn |= line
        closed = sum(drawn & box == box for box in self.boxes_of[line])
        rest = self.value(drawn)
        return closed + rest if closed else -rest

    def value(self, drawn):
        """The same for the player to move."""
        if drawn not in self.known:
            best, left = -1000, self.full & ~drawn
            while left:
                line = left & -left
                left ^= line
                best = max(best, self.after(drawn, line))
            self.known[drawn] = best
        return self.known[drawn]


def test_most_positions_are_within_reach():
    assert sum(case["lines_left"] <= MOST_LINES for case in POSITIONS) >= 10
    assert len({case["id"] for case in POSITIONS}) == len(POSITIONS) == 34


@pytest.mark.parametrize("case", CASES)
def test_known_positions(case):
    """R089, R148: value, best lines and the value of every line, through the rules of the package."""
    game = BoxesGame(BoxesRules(rows=case["rows"], columns=case["cols"]))
    notation, solver = BoxesNotation(game.rules), Solver(case["rows"], case["cols"])
    lines = notation.parse_dbn(case["dbn"])
    drawn = sum(1 << int(line) for line in np.flatnonzero(lines))
    assert (lines == 0).sum() == case["lines_left"]
    complete = sum(box & drawn == box for box in {b for boxes in solver.boxes_of.values() for b in boxes})
    state = game.position(lines[None], complete % 2)
    values = {}
    for action in np.flatnonzero(game.legal(state)[0]):
        after = game.step(state, [action])
        gained = int(after.score[0, 0] - state.score[0, 0])
        assert after.to_move[0] == (0 if gained else 1)
        rest = solver.value(drawn | 1 << int(action))
        values[notation.name(int(action))] = gained + rest if gained else -rest
    assert values == {notation.name(notation.parse(name)): value for name, value in case["moves"].items()}
    assert max(values.values()) == solver.value(drawn) == case["value_to_move"]
    best = {notation.name(notation.parse(name)) for name in case["best"]}
    assert {name for name, value in values.items() if value == case["value_to_move"]} == best


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
