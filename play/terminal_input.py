"""Lines that a person types, or that come from a pipe.

The one idea: on a terminal the bytes are read here and not by Python's own buffer, so that waiting for a line
can end when a clock does, and nothing that was typed ahead is lost or forgotten.
"""

import codecs
import io
import os
import select
import time
from typing import TextIO

_PIECE = 4096


class LineReader:
    """Reads a stream line by line; every line has its line break cut off."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.is_terminal = stream.isatty()
        encoding = getattr(stream, "encoding", None) or "utf-8"
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._rest = ""
        self._ended = False
        self._put_back: list[str] = []
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # of a pipe: bytes that are no text are one bad line

    def put_back(self, line: str) -> None:
        """Let the next `read` return a line that was read already, and was meant for another question."""
        self._put_back.append(line)

    def read(self, seconds: float | None = None) -> str | None:
        """The next line; None at the end of the input.

        Args:
            seconds: How long to wait on a terminal; None: as long as it takes. A pipe is always waited for.

        Raises:
            TimeoutError: The time is over.
        """
        if self._put_back:
            return self._put_back.pop()
        if not self.is_terminal:
            line = self._stream.readline()
            return line.removesuffix("\n").removesuffix("\r") if line else None
        deadline = None if seconds is None else time.monotonic() + seconds
        while "\n" not in self._rest and not self._ended:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([self._stream], [], [], left)[0]:
                raise TimeoutError("no line was typed in time")
            piece = os.read(self._stream.fileno(), _PIECE)
            self._ended = not piece
            self._rest += self._decoder.decode(piece, final=self._ended)
        if not self._rest:
            self._ended = False  # Ctrl-D ends one question, not the terminal
            return None
        line, _, self._rest = self._rest.partition("\n")
        return line.removesuffix("\r")
