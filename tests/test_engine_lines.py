"""Lines from a stream: what is one, and that the length of a line costs no memory."""

import io

import pytest

from dotzero.play.engine_lines import read_lines


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"a\nbc\n", [b"a", b"bc"]),
        (b"a\r\n\nb", [b"a", b"", b"b"]),
        (b"\n\n", [b"", b""]),
        (b"12345678\n12345678", [b"12345678", b"12345678"]),
        (b"123456789\nnext\n", [None, b"next"]),
        (b"next\n123456789", [b"next", None]),
        (b"x" * 300_000 + b"\nnext", [None, b"next"]),
        (b"x" * 8 + b"\xff\n\x00\n", [None, b"\x00"]),
    ],
)
def test_lines(data, lines):
    assert list(read_lines(io.BytesIO(data), 8)) == lines


class Endless(io.RawIOBase):
    """Ten million bytes that nobody holds, then a line."""

    def __init__(self):
        self.left, self.end = 10_000_000, io.BytesIO(b"\nnext\n")

    def readable(self):
        return True

    def readinto(self, buffer):
        if not self.left:
            return self.end.readinto(buffer)
        number = min(len(buffer), self.left)
        buffer[:number] = b"x" * number
        self.left -= number
        return number


def test_a_long_line_is_thrown_away_piece_by_piece():
    import tracemalloc

    stream = io.BufferedReader(Endless())
    tracemalloc.start()
    try:
        assert list(read_lines(stream)) == [None, b"next"]
        assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    finally:
        tracemalloc.stop()
