"""Lines from a stream of bytes, however long they are: what the protocols of the engine read.

The one idea: a line is read up to a limit. Of a longer one the rest is thrown away piece by piece, so that
whoever sends it costs no memory and hears of it in one answer.
"""

from collections.abc import Iterator
from typing import BinaryIO

MOST_BYTES = 2**20
"""The longest line; a game of Kropki on the largest board takes some 30,000 bytes."""
_PIECE = 2**16


def read_lines(stream: BinaryIO, most_bytes: int = MOST_BYTES) -> Iterator[bytes | None]:
    """The lines of a stream as they come, without their ends; None in place of one that is too long.

    What follows the last end of a line is a line too, unless it is empty.
    """
    while line := stream.readline(most_bytes + 1):
        if len(line) <= most_bytes or line.endswith(b"\n"):
            yield line.rstrip(b"\r\n")
            continue
        while (piece := stream.readline(_PIECE)) and not piece.endswith(b"\n"):
            pass
        yield None
