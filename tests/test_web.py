"""The act web: its words, and what it refuses."""

import socket

import pytest

from dotzero.__main__ import main
from dotzero.scripts import web


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--port", "70000"], "--port must be in 0..65535, got 70000"),
        (["--delay", "9"], "--delay must be in 0..5 seconds, got 9.0"),
        (["--checkpoint", "nowhere"], "nowhere"),
        (["--host"], "expected one argument"),
        (["stray"], "unrecognized arguments: stray"),
    ],
)
def test_wrong_words_are_one_line(capsys, tmp_path, words, message):
    assert main(["web", "--data", str(tmp_path), *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_taken_port_is_one_line(capsys, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["web", "--data", str(tmp_path), "--port", port]) == 2
    error = capsys.readouterr().err
    assert f"127.0.0.1:{port}" in error
    assert error.count("\n") == 1


def test_without_its_packages_it_says_what_to_install(capsys, tmp_path, monkeypatch):
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "uvicorn" else found(name))
    assert main(["web", "--data", str(tmp_path)]) == 2
    assert (
        capsys.readouterr().err
        == "error: dotzero web needs the package uvicorn: pip install 'dotzero[web]'\n"
    )


def test_the_help_has_two_examples(capsys):
    with pytest.raises(SystemExit):
        web.main(["--help"])
    assert capsys.readouterr().out.count("    dotzero web") == 2
