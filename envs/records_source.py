"""Lines of a stream with their numbers, of which a reader can give some back.

Readers take line by line what belongs to one record, so that a file of any length fits into memory. After a
damaged record they give back what may belong to the next one. Bytes that are not UTF-8 stay in the text as
lone surrogates, which no record may hold: the reader of the record complains, with its line.
"""

import codecs
from typing import IO, Any, NamedTuple

LARGEST_RECORD = 2**22
"""Characters that one record may have."""
_LONGEST_PIECE = 2**16
"""Characters or bytes of a line that are read at once; the rest counts as the same line."""


class Chunk(NamedTuple):
    """The text of one record.

    Attributes:
        line: Where it begins, from 1.
        text: All of it.
    """

    line: int
    text: str


class TooLongError(ValueError):
    """A line that is longer than any record may be."""

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(f"must have at most {LARGEST_RECORD} characters")


class Source:
    """A stream of text or of bytes, piece by piece."""

    def __init__(self, stream: IO[Any]) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._line = 1
        self._given_back: list[Chunk] = []

    def next(self) -> Chunk | None:
        """The next line, or piece of one; None at the end. It has its line break, if any."""
        if self._given_back:
            return self._given_back.pop()
        piece = self._stream.readline(_LONGEST_PIECE)
        text: str = piece if isinstance(piece, str) else self._decoder.decode(piece, final=not piece)
        if not text:
            return None
        number = self._line
        self._line += text.endswith("\n")
        return Chunk(number, text.removeprefix("\ufeff") if number == 1 else text)

    def push_back(self, line: int, text: str) -> None:
        """Give text back, which may have several lines: it comes next."""
        parts = text.split("\n")
        lines = [part + "\n" for part in parts[:-1]] + [parts[-1]]
        for offset in reversed(range(len(lines))):
            if lines[offset]:
                self._given_back.append(Chunk(line + offset, lines[offset]))

    def whole_line(self) -> Chunk | None:
        """The next line as a whole, with its number; None at the end.

        Raises:
            TooLongError: It is longer than any record may be; it is skipped.
        """
        item = self.next()
        if item is None or item.text.endswith("\n"):
            return item
        pieces, size = [item.text], len(item.text)
        while (more := self.next()) is not None:
            size += len(more.text)
            if size <= LARGEST_RECORD:
                pieces.append(more.text)
            if more.text.endswith("\n"):
                break
        if size > LARGEST_RECORD:
            raise TooLongError(item.line)
        return Chunk(item.line, "".join(pieces))
