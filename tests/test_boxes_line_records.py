"""Spellings of lines: one and the same line in all of them, and all lines of all sizes back and forth."""

import pytest

from dotzero.envs.boxes import BoxesRules
from dotzero.envs.boxes_line_records import TOKEN, action_of, size_of, spell, spelled

SAME = [
    (0, "A5T", "a6-b6", "h 0 0"),
    (54, "A1L", "a1-a2", "v 4 0"),
    (56, "C1L", "c1-c2", "v 4 2"),
    (13, "D3T", "d4-e4", "h 2 3"),
]
"""Lines of 5x5 boxes as the sources name them."""


def action(text, rules):
    token = TOKEN.fullmatch(text)
    return action_of(spelled(text, token.lastgroup), rules)


@pytest.mark.parametrize("names", SAME, ids=lambda names: names[1])
def test_spellings_of_one_line(names):
    number, text, dots, hrc = names
    rules = BoxesRules(rows=5, columns=5)
    written = [spell(number, 1, spelling, rules) for spelling in ("text", "dots", "hrc", "open_spiel")]
    assert written == [text, dots, hrc, f"P2({hrc.replace(' ', ',')})"]
    assert [action(name, rules) for name in written] == [number] * 4


@pytest.mark.parametrize("size", [(1, 1), (3, 2), (2, 26), (10, 10), (84, 1)])
@pytest.mark.parametrize("spelling", ["text", "dots", "hrc", "open_spiel"])
def test_all_lines_read_back(size, spelling):
    rules = BoxesRules(rows=size[0], columns=size[1])
    if spelling == "dots" and size[1] == 26:
        with pytest.raises(ValueError, match="column from a to z, got column 27"):
            spell(25, 0, spelling, rules)
        return
    for number in range(rules.num_lines):
        assert action(spell(number, 0, spelling, rules), rules) == number


def test_the_size_follows_from_a_whole_game():
    for rows in range(1, 6):
        for columns in range(1, 6):
            rules = BoxesRules(rows=rows, columns=columns)
            for spelling in ("text", "dots", "hrc"):
                names = [spell(number, 0, spelling, rules) for number in range(rules.num_lines)]
                lines = [spelled(name, spelling) for name in names]
                assert size_of(lines) == (rows, columns)
                if rules.num_lines > 4:
                    with pytest.raises(ValueError, match="the size must be given"):
                        size_of(lines[1:])
