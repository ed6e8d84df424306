"""The application over HTTP and WebSocket: files, headers, who is let in, how much may be said."""

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("httpx2", reason="the test client of starlette needs it")

from page_words import gaps, read_words
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from dotzero.play.web import app as module
from dotzero.play.web.app import STATIC, make_app
from dotzero.play.web.limits import MESSAGES_AT_ONCE
from dotzero.play.web.messages import MOST_BYTES
from dotzero.play.web.site import Site, SiteConfig

OWN = {"origin": "http://127.0.0.1:8000", "host": "127.0.0.1:8000"}


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, SiteConfig(delay=0.0, hosts=("games.lan",)))


@pytest.fixture
def client(site):
    with TestClient(make_app(site), base_url="http://127.0.0.1:8000") as opened:
        yield opened


def code_of(client, headers, *texts):
    """The code with which a connection is closed after some texts."""
    try:
        with client.websocket_connect("/play", headers=headers) as socket:
            for text in texts:
                socket.send_text(text)
            while True:
                socket.receive_text()
    except WebSocketDisconnect as closed:
        return closed.code


@pytest.mark.parametrize("name", ["/", *sorted(f"/{path.name}" for path in STATIC.iterdir())])
def test_every_file_is_served_with_its_headers(client, name):
    answer = client.get(name)
    assert answer.status_code == 200
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    if name.endswith(".js"):
        assert answer.headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize("name", ["/nothing", "/../app.py", "/%2e%2e/app.py", "/static/main.js"])
def test_nothing_else_is_served(client, name):
    assert client.get(name).status_code == 404


def test_the_page_holds_no_script_or_style_of_its_own():
    """Else the policy would have to allow them."""
    text = (STATIC / "index.html").read_text(encoding="utf-8")
    assert "<style" not in text
    assert "style=" not in text
    assert text.count("<script") == text.count('<script type="module" src=') == 1
    for path in STATIC.glob("*.js"):
        script = path.read_text(encoding="utf-8")
        assert "innerHTML" not in script, path
        assert "eval(" not in script, path
        assert script.count("\n") <= 400, path


def test_every_text_that_is_asked_for_is_there_in_both_languages():
    """R160: the table has two texts a name with the same gaps, and every name that the page uses."""
    words = read_words()
    for english, russian in words.values():
        assert set(gaps(english)) == set(gaps(russian))
    for path in STATIC.glob("*.js"):
        used = re.findall(r'\bt\("(\w+)"', path.read_text(encoding="utf-8"))
        assert set(used) <= set(words), path
    assert words["play"][1] == "ИГРАТЬ"  # as the requirements have them
    assert words["continue"][1] == "ПРОДОЛЖИТЬ"
    assert words["go_on"][1] == "ДАЛЕЕ"
    assert words["again"][1] == "КВАДРАТ! ХОДИТЕ ЕЩЁ"


def test_a_noun_has_two_forms_in_english_and_three_in_russian():
    """R160: 1 move, 2 moves; 1 ход, 2 хода, 5 ходов."""
    nouns = [
        (gaps(english)[name], gaps(russian)[name])
        for english, russian in read_words().values()
        for name, forms in gaps(english).items()
        if forms
    ]
    assert len(nouns) > 5
    assert set(nouns) == {(2, 3)}


def test_a_request_by_a_name_of_somebody_else_is_refused(client):
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421
    assert client.get("/", headers={"host": "[::1"}).status_code == 421
    assert client.get("/", headers={"host": "games.lan:8000"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {**OWN, "origin": "http://evil.example"},
        {**OWN, "origin": "null"},
        {"origin": "http://evil.example", "host": "evil.example"},
    ],
)
def test_a_page_of_another_site_gets_no_connection(client, headers):
    assert code_of(client, headers) == 1008


def test_own_pages_and_programs_get_one(client):
    for headers in (OWN, {"host": OWN["host"]}):
        with client.websocket_connect("/play", headers=headers) as socket:
            socket.send_text(json.dumps({"type": "hello", "language": "en", "profile": ""}))
            assert json.loads(socket.receive_text())["type"] == "home"


def test_too_many_and_too_long_messages_end_the_connection(client):
    assert code_of(client, OWN, *["{}"] * int(MESSAGES_AT_ONCE + 5)) == 1008
    assert code_of(client, OWN, "x" * (MOST_BYTES + 1)) == 1009


def test_bytes_are_refused_with_their_own_code(client):
    with client.websocket_connect("/play", headers=OWN) as socket:
        socket.send_bytes(b"{}")
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
    assert closed.value.code == 1003


def test_only_so_many_connections_are_taken(client, site, monkeypatch):
    monkeypatch.setattr(module, "MOST_CONNECTIONS", 2)
    with client.websocket_connect("/play", headers=OWN), client.websocket_connect("/play", headers=OWN):
        assert code_of(client, OWN) == 1013
        assert site.num_connections == 2
    with client.websocket_connect("/play", headers=OWN) as socket:
        socket.send_text("{}")
        assert json.loads(socket.receive_text())["type"] == "error"


def test_a_wrong_message_is_answered_and_the_connection_lives_on(client):
    with client.websocket_connect("/play", headers=OWN) as socket:
        for text in ("no json", "[]", '{"type": "move", "move": "A1R"}'):
            socket.send_text(text)
            answer = json.loads(socket.receive_text())
            assert answer["type"] == "error"
            assert "\n" not in answer["text"]


def test_the_files_lie_beside_the_module():
    assert Path(module.__file__).parent / "static" == STATIC
