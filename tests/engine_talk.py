"""Asking the engine, for its tests."""

import json
import subprocess
import sys

BOXES = {"game": "boxes", "rules": {"rows": 2, "columns": 2}}
KROPKI = {"game": "kropki", "rules": {"width": 6, "height": 5}}
COMMAND = [sys.executable, "-m", "dotzero", "engine"]


def ask(engine, **request):
    """The answer to a request, without its id, which has to be the request's own."""
    data = answered(engine, json.dumps({"id": 5, **request}).encode())
    assert data.pop("id") == 5
    return data


def refused(engine, **request):
    """The error of a request."""
    data = ask(engine, **request)
    assert set(data) == {"error"}
    return data["error"]


def answered(engine, line):
    """The answer to a line of bytes: one line of JSON in ASCII, with an id, and no error of the program."""
    text = engine.answer(line)
    assert text.isascii()
    assert "\n" not in text
    data = json.loads(text)
    assert "id" in data
    assert "internal error" not in data.get("error", "")
    assert "\n" not in data.get("error", "")
    return data


def run(data, *words):
    """What the command answers to bytes: its exit code, its answers and its standard error."""
    done = subprocess.run([*COMMAND, *words], input=data, capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode()
