"""Requests: lines that are no JSON object or an ambiguous one, fields of a wrong kind, ids that survive."""

import json

import pytest

from dotzero.play.engine_requests import Query, read_line, read_request
from dotzero.play.players import Budget


@pytest.mark.parametrize(
    ("line", "id_", "fault"),
    [
        (b"", None, "line must hold a JSON object, got an empty line"),
        (b" \t", None, "line must hold a JSON object, got an empty line"),
        (b"5", None, "line must hold a JSON object, got 5"),
        (b'["a"]', None, 'line must hold a JSON object, got ["a"]'),
        (b'"' + b"a" * 100 + b'"', None, f'line must hold a JSON object, got "{"a" * 55} ...'),
        (b'{"id": 1', None, "line must be JSON, wrong at place 9: Expecting ',' delimiter"),
        (b'{"id": 1} x', None, "line must be JSON, wrong at place 11: Extra data"),
        (b"{'id': 1}", None, "line must be JSON, wrong at place 2: "),
        (b'{"id": 01}', None, "line must be JSON, wrong at place 9: "),
        (b'{"id": "a\nb"}', None, "line must be JSON, wrong at place 10: "),
        (b'{"id": "\xff"}', None, "line must be UTF-8, got byte 0xff at place 9"),
        (b'{"id": 1, "seed": NaN}', 1, "line must hold finite numbers, got NaN"),
        (b'{"id": 1, "seed": -Infinity}', 1, "line must hold finite numbers, got -Infinity"),
        (
            b'{"id": 1, "seed": 1e999}',
            1,
            "line must hold finite numbers of at most 100 characters, got 1e999",
        ),
        (b'{"id": NaN, "seed": 1}', None, "line must hold finite numbers, got NaN"),
        (b'{"id": 1, "seed": 2, "seed": 2}', 1, 'line must name a field once, got "seed" twice'),
        (b'{"id": 1, "id": 1}', None, 'line must name a field once, got "id" twice'),
        (b'{"id": 1, "rules": {"rows": 2, "rows": 3}}', 1, 'line must name a field once, got "rows" twice'),
        (
            b'{"id": 1, "seed": ' + b"9" * 101 + b"}",
            1,
            "line must hold numbers of at most 100 characters, got 101",
        ),
        (b'{"id": 1, "seed": ' + b"9" * 9000 + b"}", 1, "line must hold numbers of at most 100 characters"),
        (b'{"id": ' + b"[" * 32 + b"]" * 32 + b"}", None, "line must be nested at most 32 deep"),
        (b'{"id": ' + b"[" * 90_000, None, "line must be nested at most 32 deep"),
        (b'{"id": ' + b'{"a": ' * 90_000, None, "line must be nested at most 32 deep"),
    ],
)
def test_faulty_lines(line, id_, fault):
    given = read_line(line)
    assert given.id == id_
    assert given.fault.startswith(fault)
    assert "\n" not in given.fault


@pytest.mark.parametrize(
    "id_", [0, -1.5, "Ω\n", "\ud800", [1, {"a": None}], {"b": True}, None, 10**99, False]
)
def test_ids_of_every_kind_come_back(id_):
    given = read_line(json.dumps({"id": id_}).encode())
    assert (given.id, given.fault) == (id_, None)
    assert type(given.id) is type(id_)


def test_a_mark_of_byte_order_does_no_harm():
    assert read_line(b'\xef\xbb\xbf{"id": 1}\r') == (1, {"id": 1}, None)
    deep = b'{"id": ' + b"[" * 31 + b"]" * 31 + b"}"
    assert read_line(deep).fault is None


def test_a_whole_request():
    request = read_request(
        {
            "id": 1,
            "query": "move",
            "game": "boxes",
            "rules": {"rows": 2},
            "moves": ["A1R"],
            "position": {"lines": "0"},
            "level": "easy@miss=0.3",
            "seed": 2**64 - 1,
            "budget": {"simulations": 9},
        }
    )
    assert (request.query, request.game, request.rules) == (Query.MOVE, "boxes", {"rows": 2})
    assert (request.moves, request.position, request.level) == (("A1R",), {"lines": "0"}, "easy@miss=0.3")
    assert (request.seed, request.budget) == (2**64 - 1, Budget(simulations=9))


def test_null_counts_as_absent():
    names = ("id", "rules", "moves", "position", "level", "seed", "budget")
    bare = {"query": "state", "game": "kropki"}
    assert read_request(bare | dict.fromkeys(names)) == read_request(bare)
    assert read_request({"query": "levels"}).game is None


FIELDS = "id, query, game, rules, moves, position, level, seed, budget"
SIMULATIONS = "budget.simulations must be a whole number in 1..1000000, got"
SECONDS = "budget.seconds must be a number above 0 and at most 10000000, got"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"size": 3, "sizes": 4}, f'request must have the fields {FIELDS}, got "size"'),
        ({"query": "play"}, 'query must be one of state, move, analyze, levels, got "play"'),
        ({"query": None}, "query must be one of state, move, analyze, levels, got null"),
        ({"query": ["state"]}, 'query must be one of state, move, analyze, levels, got ["state"]'),
        ({"game": None}, "game must be given with the query move"),
        ({"game": 3}, "game must be a text of one line, got 3"),
        ({"level": None}, "level must be given with the query move"),
        ({"level": "zero:a\x00b"}, 'level must be a text of one line, got "zero:a\\u0000b"'),
        ({"level": "\ud800"}, 'level must be a text of one line, got "\\ud800"'),
        ({"rules": [3, 3]}, "rules must be an object, got [3, 3]"),
        ({"position": "0101"}, 'position must be an object, got "0101"'),
        ({"moves": "A1R"}, 'moves must be a list of names, got "A1R"'),
        ({"moves": ["A1R", 4]}, "moves must be a list of names, got 4 as move 2"),
        ({"seed": -1}, "seed must be a whole number in 0..18446744073709551615, got -1"),
        ({"seed": 2**64}, "seed must be a whole number in 0..18446744073709551615, got 18446744073709551616"),
        ({"seed": 1.0}, "seed must be a whole number in 0..18446744073709551615, got 1.0"),
        ({"seed": True}, "seed must be a whole number in 0..18446744073709551615, got true"),
        ({"budget": 3}, "budget must be an object, got 3"),
        ({"budget": {}}, "budget must have either simulations or seconds"),
        ({"budget": {"simulations": 1, "seconds": 1}}, "budget must have either simulations or seconds"),
        ({"budget": {"nodes": 1}}, 'budget must have either simulations or seconds, got "nodes"'),
        ({"budget": {"simulations": 0}}, f"{SIMULATIONS} 0"),
        ({"budget": {"simulations": 2.5}}, f"{SIMULATIONS} 2.5"),
        ({"budget": {"simulations": True}}, f"{SIMULATIONS} True"),
        ({"budget": {"seconds": 0}}, f"{SECONDS} 0"),
        ({"budget": {"seconds": "1"}}, f"{SECONDS} '1'"),
        ({"budget": {"seconds": 1e300}}, f"{SECONDS} 1e+300"),
    ],
)
def test_wrong_fields_are_named(fields, message):
    with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
        read_request({"query": "move", "game": "boxes", "level": "easy"} | fields)
    assert str(error.value) == message
