"""The list of requirements: whole, read right, and no test names a number that is not in it."""

from pathlib import Path

import pytest
from requirements import LIST, named_by, named_in, read_list


def test_the_list_is_whole():
    rows = read_list(LIST.read_text())
    assert len(rows) == 164
    assert {row.game for row in rows} == {"B", "D", "F"}
    assert not rows[43].testable
    assert rows[43].number == "R044"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("def test_r036_stop(): pass", {"R036"}),
        ('"""Statistics (R115-R118), and R152."""', {"R115", "R116", "R117", "R118", "R152"}),
        ("def test_r100_r101_exact(): pass", {"R100", "R101"}),
        ("RAR036 R36 xr036 R0361 for100", set()),
    ],
)
def test_numbers_in_a_text(text, numbers):
    assert named_in(text) == numbers


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("| R001 | D | one |\n| R003 | D | three |", "from R001 on in order"),
        ("| R001 | D | one |\n| R001 | D | one |", "from R001 on in order"),
        ("| R001 | X | one |", r"got '\| R001 \| X"),
    ],
)
def test_a_list_with_holes_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        read_list(text)


def test_tests_name_no_other_numbers():
    known = {row.number for row in read_list(LIST.read_text())}
    own = Path(__file__).name
    places = named_by(path for path in Path(__file__).parent.glob("test_*.py") if path.name != own)
    assert {number: files for number, files in places.items() if number not in known} == {}
    assert len(places) > 100
