"""R158: which chains and loops can be double-dealt whatever line opens them, on boards of one part each."""

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesRules
from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.search.chains import HandoutKind, analyse, double_deal_options


def corridor(length):
    """A chain in a row, both ends open: all horizontals are drawn, no vertical is. Rules and lines [L]."""
    rules = BoxesRules(rows=1, columns=length)
    lines = np.zeros(rules.num_lines, np.uint8)
    lines[: 2 * length] = 1
    return rules, lines


def ring(columns):
    """A loop of 2 x columns boxes: the edge and what lies between the two rows inside is drawn."""
    rules = BoxesRules(rows=2, columns=columns, border="all")
    lines, notation = rules.start_lines(), BoxesNotation(rules)
    for column in "ABCDEFGH"[1 : columns - 1]:
        lines[notation.parse(f"{column}1T")] = 1
    return rules, lines


def openings(rules, lines):
    """For every undrawn line the kind of handout, and the sizes of what the double deals after it leave."""
    structure = analyse(rules, lines)
    for line in np.flatnonzero(lines == 0).tolist():
        after = lines.copy()
        after[line] = 1
        yield structure.opening(line), {len(deal.left) for deal in double_deal_options(rules, after)}


@pytest.mark.parametrize("length", [1, 2])
def test_short_chains_can_be_given_so_that_they_must_be_taken_whole(length):
    """A single box always, a pair by its middle line; by an end line the pair may be left."""
    found = list(openings(*corridor(length)))
    assert any(left == set() for _, left in found)
    kinds = dict(found)
    if length == 1:
        assert kinds == {HandoutKind.SINGLE: set()}
    else:
        assert kinds == {HandoutKind.HARD_HEARTED: set(), HandoutKind.HALF_HEARTED: {2}}


@pytest.mark.parametrize("length", [3, 4, 5, 8])
def test_long_chains_can_be_double_dealt_whatever_line_opens_them(length):
    """R080: all but two are taken."""
    found = list(openings(*corridor(length)))
    assert len(found) == length + 1
    assert all(pair == (HandoutKind.LONG, {2}) for pair in found)


@pytest.mark.parametrize("columns", [2, 3, 4])
def test_loops_can_be_double_dealt_whatever_line_opens_them(columns):
    """R081: all but four are taken, which are two pairs and so two doubled moves."""
    found = list(openings(*ring(columns)))
    assert len(found) == 2 * columns
    assert all(pair == (HandoutKind.LOOP, {4}) for pair in found)
