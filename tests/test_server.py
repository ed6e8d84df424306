"""The server as a process: where it listens, how it ends, what it leaves."""

import signal
import socket
import urllib.error
import urllib.request

import pytest

pytest.importorskip("uvicorn", reason="needs the extra web")

from served import server

from dotzero.play.web.server import is_loopback


@pytest.mark.parametrize(("how", "told"), [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 130)])
def test_it_serves_the_page_and_ends_politely(tmp_path, how, told):
    with server(tmp_path) as running:
        page = urllib.request.urlopen(running.url, timeout=20).read().decode()
        assert '<main id="screen"' in page
        assert "Ctrl-C" in running.said
        assert "other machines" not in running.said
        code, errors = running.end(how)
    assert "Traceback" not in errors
    assert code == told
    assert (tmp_path / "play.sqlite").exists()


def test_it_listens_at_loopback_only(tmp_path):
    with server(tmp_path) as running:
        host, port = running.host.split(":")
        assert host == "127.0.0.1"
        others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
        for address in others - {"127.0.0.1"}:
            if address.startswith("127."):
                continue
            with pytest.raises(OSError, match=r"refused|unreachable|timed out"):
                socket.create_connection((address, int(port)), timeout=5)


def test_a_damaged_file_of_games_is_told_at_the_start(tmp_path):
    (tmp_path / "play.sqlite").write_bytes(b"no database " * 500)
    with server(tmp_path) as running:
        assert "has been kept as play.sqlite.damaged-1" in running.said


def test_what_counts_as_loopback():
    assert all(map(is_loopback, ("127.0.0.1", "127.3.2.1", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "192.168.1.2", "::", "example.org")))
