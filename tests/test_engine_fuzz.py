"""Mutated lines: every one has one answer, none ends the engine, none changes what it answers later."""

import json

import numpy as np
import pytest
from engine_talk import answered

from dotzero.play import engine_analysis
from dotzero.play.analysis import analyse_position
from dotzero.play.engine import Engine
from dotzero.play.values import ValuesConfig

SMALL = {"rows": 2, "columns": 3}
SOLO = {"width": 4, "height": 3, "stop": "solo", "add_turn": True}
ZONE = {"width": 5, "height": 5, "opening_zone": [3, 3], "start": "empty", "punish": True}
SIGNS = {"rows": [". X . .", "X . O .", ". X O ."], "to_move": 2}
LINE_SET = {"lines": "1" * 9 + "0" * 8, "score": [0, 0], "to_move": 1}
REQUESTS = [
    {"query": "state", "game": "boxes", "rules": SMALL, "moves": ["A1R", "b2t"]},
    {"query": "move", "game": "boxes", "rules": SMALL, "moves": ["A1R"], "level": "easy@miss=0.3", "seed": 1},
    {"query": "move", "game": "kropki", "rules": {"komi": 0.5}, "moves": ["aa", "bb"], "level": "greedy"},
    {"query": "state", "game": "kropki", "rules": SOLO, "position": SIGNS, "moves": ["da"]},
    {"query": "analyze", "game": "boxes", "rules": SMALL, "position": LINE_SET, "budget": {"seconds": 0.5}},
    {"query": "analyze", "game": "kropki", "rules": ZONE, "moves": ["cc"]},
    {"query": "levels", "game": "boxes", "rules": {"scoring": "misere", "border": "all"}},
    {"query": "move", "game": "boxes", "level": "zero:/absent@simulations=9", "budget": {"simulations": 5}},
]
LINES = [json.dumps({"id": [number]} | request) for number, request in enumerate(REQUESTS)]
VALUES = [
    "null", "true", "-1", "0", "3", "1e999", "NaN", "1.5", '""', '"stop"', '"aa"', '"\\ud800"', "[]", "{}",
    "[[[[]]]]", '{"a": {"a": 1}}', "9" * 30, "9" * 5000,
    '"' + "A" * 300 + '"', '["A1R", "A1R"]', '{"simulations": 3}',
]  # fmt: skip
PROBES = [line.encode() for line in LINES[:6]]


@pytest.fixture
def engine(monkeypatch):
    """One whose analyses are short, whatever board a mutation makes; the search itself has its own tests."""

    def short(game, state, config, solver):
        return analyse_position(game, state, ValuesConfig(max_seconds=None, max_nodes=500))

    monkeypatch.setattr(engine_analysis, "analyse_position", short)
    made = Engine()
    yield made
    made.close()


def mutated(rng):
    """A line with bytes changed, cut, doubled or moved, or with another value somewhere."""
    line = bytearray(LINES[rng.integers(len(LINES))].encode())
    for _ in range(rng.integers(1, 4)):
        start, end = sorted(rng.integers(len(line) + 1, size=2).tolist())
        end = min(end, start + int(rng.integers(1, 20)))
        match rng.integers(7):
            case 0:
                line[start:end] = b""
            case 1:
                line[start:start] = line[start:end]
            case 2:
                line[start : start + 1] = bytes([rng.integers(256)])
            case 3:
                line[start : start + 1] = b'0123456789"{}[],:.- abcXO'[rng.integers(25)].to_bytes(1, "big")
            case 4:
                line = line[:start] if rng.random() < 0.3 else line
            case _:
                line = replaced(line, rng)
        if not line:
            break
    return bytes(line).replace(b"\n", b" ")


def replaced(line, rng):
    """The line with one of its values replaced, where it still is an object."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return line
    if not isinstance(data, dict) or not data:
        return line
    name = list(data)[rng.integers(len(data))]
    if isinstance(data[name], dict) and data[name] and rng.random() < 0.6:
        data, name = data | {name: dict(data[name])}, (name, list(data[name])[rng.integers(len(data[name]))])
        data[name[0]][name[1]] = "@"
    else:
        data[name] = "@"
    return bytearray(json.dumps(data).replace('"@"', VALUES[rng.integers(len(VALUES))]).encode())


def plain(engine, line):
    """An answer without what depends on the clock."""
    data = answered(engine, line)
    data.pop("seconds", None)
    return data


def check(engine, rng, number):
    before = [plain(engine, line) for line in PROBES]
    assert not any("error" in data for data in before)
    errors = 0
    for count in range(number):
        data = answered(engine, mutated(rng))
        errors += "error" in data
        assert ("error" in data) == (set(data) == {"id", "error"})
        if count % 50 == 0:
            place = count // 50 % len(PROBES)
            assert plain(engine, PROBES[place]) == before[place]
    assert number / 2 < errors < number
    assert [plain(engine, line) for line in PROBES] == before


def test_mutated_lines(engine, capsys):
    check(engine, np.random.default_rng(1), 3_000)
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_a_hundred_thousand_mutated_lines(engine, capsys):
    """The number of the issue."""
    check(engine, np.random.default_rng(2), 100_000)
    assert capsys.readouterr().err == ""
