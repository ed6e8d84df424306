"""Rollouts of Dots and Boxes: what is tried, how often, by what luck, and what comes out.

A rollout tries a safe line, or an opening that gives one or two boxes away for good, then draws random safe
lines and ends in exact play. Judges are the generators' own view of a board, and exact values.
"""

import re

import numpy as np
import pytest
from boxes_generators import board, careful_play, compact_sets, loony_ends, random_endgames, random_sets

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.search.endgame import Solver, SolverConfig

SIZES = [(1, 9), (9, 1), (3, 3), (2, 7), (5, 5), (7, 7)]


def solver(size, num_threads=1):
    game = BoxesGame(BoxesRules(rows=size[0], columns=size[1]))
    return Solver(game, SolverConfig(table_mib=8, num_threads=num_threads))


def seeds(num, first=0):
    return np.arange(first, first + num, dtype=np.uint64)


def quiet(size, lines):
    """Those of these positions, after everything on offer is taken, that are not finished."""
    lines = lines.copy()
    while (takes := board(*size).least_degrees(lines) == 1).any():
        lines[takes] = 1
    return lines[~lines.all(axis=1)]


def quiet_positions(size, num, seed):
    """Positions without boxes on offer, from all phases; most have safe lines and short chains."""
    rng, num_lines = np.random.default_rng([*size, seed]), board(*size).num_lines
    some = [careful_play(*size, num_lines * part // 8, num, rng, careless=0.1) for part in (3, 4, 5)]
    some += [kind(*size, num_lines // 2, num, rng) for kind in (random_sets, compact_sets)]
    return quiet(size, np.concatenate([*some, loony_ends(*size, num, rng)]))


def chains(size, line_set):
    """The boxes of every chain and loop."""
    view = board(*size)
    narrow = set(np.flatnonzero(view.degrees(line_set[None])[0] == 2).tolist())
    found = []
    while narrow:
        region, new = set(), {narrow.pop()}
        while new:
            region |= new
            new = {
                near
                for box in new
                for near in view.near(box)
                if near in narrow and not line_set[view.between(box, near)]
            }
            narrow -= new
        found.append(region)
    return found


def twins(size, line):
    """The border lines of one box, which do not differ; or the line alone."""
    borders = [view for box in board(*size).boxes_of[line] if line in (view := board(*size).border(box))]
    return set(borders[0]) if borders else {line}


@pytest.mark.parametrize("size", SIZES)
def test_candidates(size):
    """R086: every safe line, of lines that do not differ at least one, and one line of every short chain."""
    view, lines = board(*size), quiet_positions(size, 8, seed=1)
    found = solver(size).rollouts(lines, 1, seeds(len(lines)), exact_lines=12)
    num_safe = num_given = 0
    for line_set, visits in zip(lines, found.visits, strict=True):
        tried = set(np.flatnonzero(visits).tolist())
        safe = set(np.flatnonzero(view.least_degrees(line_set[None])[0] >= 3).tolist())
        assert all(twins(size, line) & tried for line in safe)
        sacrifices = tried - safe
        for chain in chains(size, line_set):
            own = {line for box in chain for line in view.sides[box] if not line_set[line]}
            tried_of_it = sacrifices & own
            sacrifices -= own
            assert len(tried_of_it) == (len(chain) <= 2)
            if len(chain) == 2:
                assert tried_of_it == {view.between(*chain)}, "the middle, which leaves no double deal"
            num_given += len(tried_of_it)
        assert not sacrifices
        num_safe += len(safe)
    assert num_given > 5
    assert num_safe > 5


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("num_rollouts", [1, 50, 400])
def test_visits(size, num_rollouts):
    """About as many as were asked for: in every round equal shares for the better half, at least one each."""
    lines = quiet_positions(size, 2, seed=2)
    found = solver(size).rollouts(lines, num_rollouts, seeds(len(lines)), exact_lines=12)
    assert found.value.dtype == np.float32
    assert found.visits.dtype == np.int32
    assert found.visits.shape == found.value.shape == lines.shape
    for value, visits in zip(found.value, found.visits, strict=True):
        assert (value[visits == 0] == 0).all()
        expected = halving(int((visits > 0).sum()), num_rollouts)
        assert sorted(visits[visits > 0], reverse=True) == expected
        assert num_rollouts < 400 or 350 <= sum(expected) <= 400 or not expected


def halving(num_candidates, num_rollouts):
    """The visits of the candidates, the best first."""
    visits, alive = [0] * num_candidates, num_candidates
    num_rounds = max(1, (num_candidates - 1).bit_length())
    for _ in range(num_rounds if num_candidates else 0):
        for i in range(alive):
            visits[i] += max(1, num_rollouts // (num_rounds * alive))
        alive = (alive + 1) // 2
    return visits


def test_the_same_luck_gives_the_same_rollouts():
    """Alone, in any batch, at any time and by any number of threads; other seeds give others."""
    size, rng = (5, 5), np.random.default_rng(3)
    lines = quiet_positions(size, 3, seed=3)
    luck = seeds(len(lines), 100)
    expected = solver(size).rollouts(lines, 60, luck, exact_lines=20)
    for num_threads in (1, 2, 3):
        ask = solver(size, num_threads)
        for _ in range(2):
            order = rng.permutation(len(lines))
            found = ask.rollouts(lines[order], 60, luck[order], exact_lines=20)
            np.testing.assert_array_equal(found.value, expected.value[order])
            np.testing.assert_array_equal(found.visits, expected.visits[order])
            ask.solve(lines[-3:])
        found = ask.rollouts(lines[4:5], 60, luck[4:5], exact_lines=20)
        np.testing.assert_array_equal(found.value[0], expected.value[4])
    other = solver(size).rollouts(lines, 60, luck + 1, exact_lines=20)
    assert (other.value != expected.value).any(axis=1).sum() > len(lines) // 3


@pytest.mark.parametrize(
    ("size", "left"),
    [((1, 9), 12), ((31, 1), 14), ((3, 3), 16), ((3, 3), 17), ((4, 4), 18), ((5, 5), 27), ((7, 7), 22)],
)
def test_with_an_exact_end_at_once_every_mean_is_exact(size, left):
    """The number that is told of a line is that line's value."""
    rng = np.random.default_rng([*size, left])
    lines = [careful_play(*size, left, 8, rng, careless) for careless in (0.0, 0.2)]
    lines = quiet(size, np.concatenate([*lines, compact_sets(*size, min(left, 14), 8, rng)]))
    found = solver(size).rollouts(lines, 10, seeds(len(lines)), exact_lines=left)
    exact = solver(size).line_values(lines)
    tried = found.visits > 0
    assert tried.sum() > len(lines)
    np.testing.assert_array_equal(found.value[tried], exact.lower[tried])
    assert len(set(found.value[tried].tolist())) > 5


def random_safe_play(size, line_set, ask, memory):
    """The mean value of drawing random safe lines until none is left, for the player to move."""
    key = line_set.tobytes()
    if key not in memory:
        safe = np.flatnonzero(board(*size).least_degrees(line_set[None])[0] >= 3)
        after = np.repeat(line_set[None], len(safe), axis=0)
        after[np.arange(len(safe)), safe] = 1
        if len(safe):
            memory[key] = -np.mean([random_safe_play(size, one, ask, memory) for one in after])
        else:
            memory[key] = float(ask.solve(line_set[None]).lower[0])
    return memory[key]


@pytest.mark.parametrize("size", [(3, 3), (4, 4), (5, 5)])
def test_one_safe_line(size):
    """What follows it is exact, whoever must open then."""
    lines = positions_by_safe_lines(size, 1, 12)
    found = solver(size).rollouts(lines, 20, seeds(len(lines)), exact_lines=0)
    exact = solver(size).line_values(lines)
    last = board(*size).least_degrees(lines) >= 3
    assert (last.sum(axis=1) == 1).all()
    assert found.visits[last].all()
    np.testing.assert_array_equal(found.value[last], exact.lower[last])
    assert exact.lower[last].min() < 0 < exact.lower[last].max()


def positions_by_safe_lines(size, num_safe, num):
    """Quiet positions of careful play that have so many safe lines."""
    rng, found = np.random.default_rng([*size, num_safe]), []
    num_lines = board(*size).num_lines
    while len(found) < num:
        left = int(rng.integers(num_lines // 4, num_lines // 2 + 2))
        some = quiet(size, careful_play(*size, left, 50, rng, careless=0.1))
        safe = (board(*size).least_degrees(some) >= 3).sum(axis=1)
        found += list(some[safe == num_safe])
    return np.stack(found[:num])


@pytest.mark.parametrize(("size", "num_safe"), [((3, 3), 4), ((4, 4), 5), ((5, 5), 5), ((1, 9), 4)])
def test_means_of_random_safe_play(size, num_safe):
    """Each mean is close to that of all orders of safe lines, all equally likely; sacrifices too."""
    lines, ask, memory = positions_by_safe_lines(size, num_safe, 12), solver(size), {}
    num_moved = 0
    found = ask.rollouts(lines, 4000, seeds(len(lines)), exact_lines=0)
    for line_set, value, visits in zip(lines, found.value, found.visits, strict=True):
        for line in np.flatnonzero(visits):
            after = line_set.copy()
            after[line] = 1
            rest = quiet(size, after[None])
            given = (board(*size).degrees(after[None]) == 1).sum()
            expected = -given - (random_safe_play(size, rest[0], ask, memory) if len(rest) else 0)
            # Five times what a mean may stray by if values do by half of the boxes.
            assert abs(value[line] - expected) < 5 * np.prod(size) / 2 / visits[line] ** 0.5, line
            num_moved += expected != int(expected)
    assert num_moved > 2


def test_the_only_winning_sacrifice(load_case):
    """R086: it is tried, does best, and is looked at most."""
    case = next(case for case in load_case("boxes_positions.json") if case["kind"].startswith("sacrifice"))
    size, notation = (case["rows"], case["cols"]), BoxesNotation(BoxesRules(rows=3, columns=3))
    lines = notation.parse_dbn(case["dbn"])[None]
    found = solver(size).rollouts(lines, 100, seeds(1))
    line = notation.parse(case["best"][0])
    assert board(*size).least_degrees(lines)[0, line] == 2
    assert found.visits[0].argmax() == line
    assert found.value[0, line] == case["value_to_move"]
    assert np.delete(found.value[0], line).max() <= 0


def test_positions_without_candidates():
    """Finished ones, and those with nothing left but long chains and loops."""
    rng = np.random.default_rng(5)
    ends = random_endgames(5, 5, 40, rng)
    long = np.stack([one for one in ends if all(len(chain) > 2 for chain in chains((5, 5), one))])
    assert len(long) > 5
    lines = np.concatenate([long, np.ones((1, 60), np.uint8)])
    found = solver((5, 5)).rollouts(lines, 30, seeds(len(lines)))
    assert not found.visits.any()
    assert not found.value.any()


def test_refused_rollouts():
    ask, offered = solver((3, 3)), np.ones((2, 24), np.uint8)
    offered[1, 3] = 0
    with pytest.raises(ValueError, match=r"^rollouts begin where no box is on offer, not so position 1$"):
        ask.rollouts(offered, 10, seeds(2))
    empty = np.zeros((2, 24), np.uint8)
    for num_rollouts, exact_lines in ((0, 30), (-1, 30), (10, -1), (1 << 31, 9)):
        needed = "num_rollouts of at least 1 and exact_lines of at least 0, both below 2^31"
        with pytest.raises(ValueError, match=rf"{re.escape(needed)}, got {num_rollouts} and {exact_lines}$"):
            ask.rollouts(empty, num_rollouts, seeds(2), exact_lines=exact_lines)
    for luck in (seeds(1), seeds(3), seeds(2)[None]):
        with pytest.raises(ValueError, match=r"^seeds must have shape \(2,\), got \("):
            ask.rollouts(empty, 10, luck)
