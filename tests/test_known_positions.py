"""Files of known positions: every mistake in the file is one line that says where."""

import json

import pytest

from dotzero.scripts.known_positions import read_positions

RIGHT = {"rows": 1, "cols": 1, "dbn": "1110", "best": ["A1R"]}


def read(tmp_path, content):
    path = tmp_path / "positions.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return read_positions(path)


def test_right_positions_are_read(tmp_path):
    assert read(tmp_path, [RIGHT]) == [RIGHT]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (3, "it must be a JSON object, got 3"),
        (None, "it must be a JSON object, got None"),
        ("text", "it must be a JSON object, got 'text'"),
        ({"rows": 1}, "it must have cols"),
        ({**RIGHT, "rows": "1"}, "rows must be a whole number, got '1'"),
        ({**RIGHT, "cols": 1.0}, "cols must be a whole number, got 1.0"),
        ({**RIGHT, "rows": 0}, "BoxesRules.rows must be a whole number of at least 1, got 0"),
        ({**RIGHT, "rows": 1000}, "BoxesRules.rows and columns must make at most 255 lines"),
        ({**RIGHT, "dbn": 1110}, "dbn must be text, got 1110"),
        ({**RIGHT, "dbn": "11"}, "dbn of 1x1 boxes must have 4 places, got 2"),
        ({**RIGHT, "dbn": "11x0"}, "dbn must hold 0 and 1 only, got 'x' at place 3"),
        ({**RIGHT, "dbn": "1111"}, "dbn must leave a line to draw, got none"),
        ({**RIGHT, "best": "A1R"}, "best must be a list, got 'A1R'"),
        ({**RIGHT, "best": [3]}, "best must hold names of lines, got 3"),
        ({**RIGHT, "best": ["B1R"]}, "line must be in a column from A to A, got 'B1R'"),
    ],
)
def test_a_wrong_position_is_named(tmp_path, wrong, message):
    with pytest.raises(ValueError, match=r"^position 1 of .*positions\.json is wrong: [^\n]*$") as caught:
        read(tmp_path, [RIGHT, wrong])
    assert message in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff\xfe", b"[" * 100_000])
def test_a_file_that_is_no_list_of_positions_is_named(tmp_path, content):
    with pytest.raises(ValueError, match=r"^positions must be a JSON list[^\n]*positions\.json"):
        read(tmp_path, content)
