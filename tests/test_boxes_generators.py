"""What the generators of positions of Dots and Boxes reach, counted by the referee."""

import numpy as np
import pytest
from boxes_generators import (
    board,
    careful_play,
    compact_sets,
    laid_out,
    loony_ends,
    opened,
    random_endgames,
    random_sets,
)
from referee_boxes import Referee

SIZES = [(1, 6), (2, 3), (3, 3), (5, 5)]


def referee_of(rows, columns, lines):
    referee = Referee(rows, columns)
    referee.drawn = {referee.segments[line] for line in np.flatnonzero(lines)}
    return referee


def degrees_beside(referee):
    """For every undrawn line the degrees of the boxes beside it."""
    free = [segment for segment, legal in zip(referee.segments, referee.legal(), strict=True) if legal]
    return [
        [4 - referee.num_sides(box) for box in referee.boxes() if segment in referee.sides(*box)]
        for segment in free
    ]


def regions(referee):
    """Open boxes joined by undrawn lines: number of boxes, number of their undrawn lines, and the degrees."""
    left, found = {box for box in referee.boxes() if referee.num_sides(box) < 4}, []
    while left:
        region, lines = {left.pop()}, set()
        while True:
            lines |= {side for box in region for side in referee.sides(*box) if side not in referee.drawn}
            near = {box for box in left if referee.sides(*box) & lines}
            if not near:
                break
            region |= near
            left -= near
        degrees = {4 - referee.num_sides(box) for box in region}
        found.append((len(region), len(lines), degrees))
    return found


MAKERS = {
    "random": lambda rng: random_sets(3, 3, 11, 50, rng),
    "compact": lambda rng: compact_sets(3, 3, 11, 50, rng),
    "careful": lambda rng: careful_play(3, 3, 11, 50, rng, careless=0.2),
    "ends": lambda rng: loony_ends(3, 3, 50, rng, careless=0.2),
    "endgames": lambda rng: random_endgames(3, 3, 50, rng),
    "laid out": lambda rng: laid_out(5, 5, [2, 4], [6], rng)[None],
    "opened": lambda rng: opened(3, 3, loony_ends(3, 3, 50, rng), rng),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_seed_gives_the_same_positions(make):
    first, again, other = (make(np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert first.dtype == np.uint8
    assert set(np.unique(first)) == {0, 1}
    assert (first == again).all()
    assert first.shape != other.shape or (first != other).any()


@pytest.mark.parametrize(("rows", "columns"), SIZES)
@pytest.mark.parametrize("make", [random_sets, compact_sets, careful_play])
def test_the_number_of_lines_left(rows, columns, make):
    rng = np.random.default_rng(1)
    num_lines = (rows + 1) * columns + rows * (columns + 1)
    for num_left in (0, 1, num_lines // 2, num_lines):
        lines = make(rows, columns, num_left, 20, rng)
        assert lines.shape == (20, num_lines)
        assert ((lines == 0).sum(axis=1) == num_left).all()


def test_all_random_sets_are_equally_likely():
    sets = random_sets(1, 1, 2, 6000, np.random.default_rng(1))
    _, counts = np.unique(sets, axis=0, return_counts=True)
    assert len(counts) == 6
    assert abs(counts - 1000).max() < 150


def test_compact_sets_hang_together():
    for lines in compact_sets(5, 5, 19, 40, np.random.default_rng(2)):
        sizes = sorted(num_lines for _, num_lines, _ in regions(referee_of(5, 5, lines)))
        assert sizes[-1] == 19  # every undrawn line is in the one region


def test_careful_players_give_nothing_away():
    """No box has three sides while a safe line is left, and with some carelessness there are such boxes."""
    given = {0.0: 0, 0.3: 0}
    for careless in given:
        for lines in careful_play(5, 5, 32, 100, np.random.default_rng(5), careless):
            beside = degrees_beside(referee_of(5, 5, lines))
            safe = any(min(degrees) > 2 for degrees in beside)
            given[careless] += safe and any(1 in degrees for degrees in beside)
    assert given[0.0] == 0
    assert given[0.3] > 10


@pytest.mark.parametrize("most_left", [None, 14])
def test_loony_ends(most_left):
    """Every line opens something; joints occur and do not always; chains of one and more than six too."""
    sizes, with_joints = set(), {True: 0, False: 0}
    ends = loony_ends(5, 5, 200, np.random.default_rng(6), most_left=most_left)
    assert len(ends) > 150
    for lines in ends:
        beside = degrees_beside(referee_of(5, 5, lines))
        assert beside
        assert {min(degrees) for degrees in beside} == {2}
        assert most_left is None or len(beside) <= most_left
        parts = regions(referee_of(5, 5, lines))
        with_joints[any(max(degrees) > 2 for _, _, degrees in parts)] += 1
        sizes |= {num_boxes for num_boxes, num_lines, degrees in parts if degrees == {2}}
    assert min(with_joints.values()) > 10, with_joints
    assert {1, 2, 3, 4, 5, 6, 7} <= sizes


@pytest.mark.parametrize(
    ("size", "chains", "loops"),
    [((1, 9), [1, 1, 2, 3], []), ((3, 3), [1, 1], [4]), ((5, 5), [11, 1], [4]), ((5, 5), [3, 4], [12])]
    + [((6, 6), [2, 3, 5, 7], [4, 6]), ((7, 7), [8, 9, 10], [4, 8]), ((7, 7), [6], [10, 8, 4])],
)
def test_laid_out_endgames(size, chains, loops):
    for seed in range(5):
        referee = referee_of(*size, laid_out(*size, chains, loops, np.random.default_rng(seed)))
        parts = regions(referee)
        assert all(degrees == {2} for _, _, degrees in parts)
        assert sorted(boxes for boxes, lines, _ in parts if lines == boxes + 1) == sorted(chains)
        assert sorted(boxes for boxes, lines, _ in parts if lines == boxes) == sorted(loops)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"chains \[9, 9\] and loops \[\] must fit on 3x3 boxes"):
        laid_out(3, 3, [9, 9], [], np.random.default_rng(0), tries=3)


def test_random_endgames():
    """Chains of 1 to 11 and loops of 4 to 12, alone and together; a bound on the lines is kept."""
    chains, loops, num_parts = set(), set(), set()
    for lines in random_endgames(6, 6, 250, np.random.default_rng(7)):
        parts = regions(referee_of(6, 6, lines))
        assert parts
        assert all(degrees == {2} for _, _, degrees in parts)
        chains |= {boxes for boxes, num_lines, _ in parts if num_lines == boxes + 1}
        loops |= {boxes for boxes, num_lines, _ in parts if num_lines == boxes}
        num_parts.add(len(parts))
    assert chains == set(range(1, 12))
    assert loops == {4, 6, 8, 10, 12}
    assert {1, 2, 3, 4, 5} <= num_parts
    small = random_endgames(6, 6, 50, np.random.default_rng(8), most_left=13)
    assert 0 < (small == 0).sum(axis=1).min() <= (small == 0).sum(axis=1).max() <= 13


def test_opened_endgames_have_a_box_on_offer():
    ends = random_endgames(4, 4, 60, np.random.default_rng(9))
    after = opened(4, 4, ends, np.random.default_rng(10))
    assert ((after == 1) & (ends == 0)).sum() == 60
    assert (after >= ends).all()
    for lines in after:
        assert any(1 in degrees for degrees in degrees_beside(referee_of(4, 4, lines)))


def test_degrees_are_those_of_the_referee():
    lines = random_sets(3, 4, 13, 20, np.random.default_rng(11))
    least = board(3, 4).least_degrees(lines)
    for position, degrees in zip(lines, least, strict=True):
        beside = degrees_beside(referee_of(3, 4, position))
        assert degrees[position == 0].tolist() == [min(boxes) for boxes in beside]
        assert (degrees[position == 1] == -1).all()
