"""Messages of the page: everything that is not exactly one of them is refused in one line."""

import json

import pytest

from dotzero.play.web.messages import MESSAGES, read_message

GOOD = {
    "hello": {"language": "ru", "profile": ""},
    "language": {"language": "en"},
    "check": {"settings": {"game": "boxes"}},
    "new": {"settings": {}},
    "continue": {"id": "abc"},
    "drop": {"id": "abc"},
    "delay": {"seconds": 0.5},
    "move": {"move": "A1R"},
    "offer": {"terms": "draw"},
    "answer": {"accept": False},
    "look": {"at": 0},
    "board": {"at": 3},
    "analyse": {"at": 10},
    "record": {"format": "sgf"},
    "load": {"text": "A1R\n", "cut": False},
}


@pytest.mark.parametrize("kind", sorted(MESSAGES))
def test_every_message_is_read_and_takes_no_other_field(kind):
    fields = GOOD.get(kind, {})
    message = read_message(json.dumps({"type": kind, **fields}))
    assert message == (kind, fields)
    with pytest.raises(ValueError, match=rf"^message {kind} must have the fields"):
        read_message(json.dumps({"type": kind, **fields, "more": 1}))
    for name in fields:
        rest = {other: value for other, value in fields.items() if other != name}
        with pytest.raises(ValueError, match=rf"^message {kind} must have the field {name}$"):
            read_message(json.dumps({"type": kind, **rest}))


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("hello", "language", "de"),
        ("hello", "profile", "x" * 65),
        ("hello", "profile", "a\nb"),
        ("check", "settings", []),
        ("delay", "seconds", -1),
        ("delay", "seconds", 5.1),
        ("delay", "seconds", True),
        ("move", "move", 7),
        ("offer", "terms", "win"),
        ("answer", "accept", 1),
        ("look", "at", -1),
        ("look", "at", 1.0),
        ("look", "at", True),
        ("look", "at", 10**9),
        ("record", "format", "ccgc"),
        ("load", "text", None),
        ("load", "cut", 0),
    ],
)
def test_a_field_of_a_wrong_kind_is_named(kind, field, value):
    text = json.dumps({"type": kind, **GOOD[kind], field: value})
    with pytest.raises(ValueError, match=rf"^message {kind}.{field} must be ") as error:
        read_message(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    "text",
    [
        "", "move", "[]", "5", "{}", '{"type": 5}', '{"type": ["move"]}', '{"type": "fly"}',
        '{"type": "undo", "type": "undo"}', '{"type": "delay", "seconds": NaN}', "{" * 2000,
        '{"type": "undo"',
        "\ud800", '{"type": "delay", "seconds": 1e999}',
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused_in_one_line(text):
    with pytest.raises(ValueError, match=r"^message") as error:
        read_message(text)
    assert "\n" not in str(error.value)
