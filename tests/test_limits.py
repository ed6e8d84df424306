"""Who may connect, and how much a connection may say."""

import pytest
from played_sessions import Time

from dotzero.play.web.limits import Bucket, is_known_host, is_own_origin


def test_a_bucket_lets_a_burst_through_and_then_so_many_a_second():
    time = Time()
    bucket = Bucket(time, rate=2, most=3)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    time.pass_by(0.5)
    assert [bucket.take() for _ in range(2)] == [True, False]
    time.pass_by(100)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost:8000", "localhost", "[::1]:8000", "192.168.1.7:80"]
)
def test_addresses_and_localhost_are_known(host):
    assert is_known_host(host)
    assert is_own_origin(f"http://{host}", host)
    assert is_own_origin(None, host)


@pytest.mark.parametrize(
    "host", ["evil.example:8000", "127.0.0.1.evil.example", "", None, "@", "[::1", "a b"]
)
def test_other_names_are_refused_unless_they_are_allowed(host):
    """DNS rebinding: a name of somebody else that leads to this machine."""
    assert not is_known_host(host)
    assert not is_own_origin(f"http://{host}", host)
    assert is_known_host("games.lan:8000", ["games.lan"])


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://127.0.0.1:9999",
        "null",
        "",
        "file://",
        "http://localhost:8000",
        "ws://127.0.0.1:8000",
    ],
)
def test_pages_of_other_origins_are_refused(origin):
    assert not is_own_origin(origin, "127.0.0.1:8000")
