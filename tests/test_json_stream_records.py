"""JSON objects out of a stream: however they are laid out, whatever is damaged."""

import io
import json

import pytest

from dotzero.envs.json_stream_records import next_object
from dotzero.envs.records_source import LARGEST_RECORD, Source

ITEMS = [{"a": 1}, {"b": {"c": ["}{", '"', "\\"]}}, {"d": []}]


def objects(text):
    """All objects, and errors in their places."""
    source, found = Source(io.StringIO(text)), []
    while True:
        try:
            item = next_object(source)
        except ValueError as error:
            found.append(str(error))
            continue
        if item is None:
            return found
        found.append(item.data)


@pytest.mark.parametrize("indent", [None, 0, 1, 4])
@pytest.mark.parametrize("array", [True, False])
def test_objects_in_any_layout(indent, array):
    text = json.dumps(ITEMS, indent=indent)
    if not array:
        text = "\n".join(json.dumps(item, indent=indent) for item in ITEMS)
    assert objects(text) == ITEMS
    assert objects(f"\ufeff\n{text}\r\n\n") == ITEMS


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1, "a": 2}', "a name stands twice in an object"),
        ('{"a": NaN}', "NaN is not a number"),
        ('{"a": -Infinity}', "-Infinity is not a number"),
        ('{"a": 1', "at character 8"),
        ('{"a" 1}', "Expecting ':' delimiter at character 6"),
        ('{"a": "\x01"}', "Invalid control character at character 8"),
        ('{"a": ' + "[" * 100_000, "must be JSON"),
        ('{"a": ' + "1" * 5000 + "}", "must be JSON"),
        ("nonsense", "an object must begin with {, got 'nonsense'"),
        ('"text"', "an object must begin with {"),
    ],
)
def test_damage_is_one_line_and_costs_one_object(text, reason):
    found = objects(f'{{"x": 1}}\n{text}\n{{"y": 2}}\n')
    errors = [item for item in found if isinstance(item, str)]
    assert len(errors) == 1
    assert errors[0].startswith("line 2: ")
    assert reason in errors[0]
    assert "\n" not in errors[0]
    assert [item for item in found if not isinstance(item, str)] == [{"x": 1}, {"y": 2}]


def test_a_damaged_object_over_several_lines_ends_where_the_next_begins():
    broken = json.dumps(ITEMS[1], indent=1)[:-4]
    assert objects(f'{broken}\n{{"y": 2}}')[-1] == {"y": 2}
    assert objects('{"a": 1,\n"b": 2,,\n"c": 3}\n{"y": 2}')[-1] == {"y": 2}


def test_a_line_that_is_too_long_is_passed_over():
    found = objects('{"a": "' + "x" * (LARGEST_RECORD + 10) + '"}\n{"y": 2}')
    assert found == [f"line 1: must have at most {LARGEST_RECORD} characters", {"y": 2}]


def test_an_object_that_never_ends_is_given_up(monkeypatch):
    monkeypatch.setattr("dotzero.envs.json_stream_records.LARGEST_RECORD", 2**16)
    found = objects('{"a": [\n' + "1,\n" * 2**17 + '{"y": 2}')
    assert found == ["line 1: must be JSON: Expecting value at character 8", {"y": 2}]
