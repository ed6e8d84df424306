"""Lines of a stream: numbers, giving back, pieces of long lines, bytes that are not UTF-8."""

import io

import pytest

from dotzero.envs.records_source import LARGEST_RECORD, Source, TooLongError


def lines(source):
    found = []
    while (item := source.next()) is not None:
        found.append(tuple(item))
    return found


@pytest.mark.parametrize("kind", [io.StringIO, lambda text: io.BytesIO(text.encode())])
def test_lines_have_numbers(kind):
    assert lines(Source(kind("\ufeffone\n\nдва"))) == [(1, "one\n"), (2, "\n"), (3, "два")]
    assert lines(Source(kind(""))) == []


def test_what_is_given_back_comes_next():
    source = Source(io.StringIO("one\ntwo\n"))
    source.next()
    source.push_back(7, "a\nb\n\nc")
    assert lines(source) == [(7, "a\n"), (8, "b\n"), (9, "\n"), (10, "c"), (2, "two\n")]


def test_a_long_line_comes_in_pieces_with_one_number():
    """Signs of several bytes are not cut."""
    text = "ж" * 200_000 + "\nz"
    source = Source(io.BytesIO(text.encode()))
    items = lines(source)
    assert "".join(piece for _, piece in items) == text
    assert {number for number, _ in items} == {1, 2}
    assert len(items) > 3
    assert Source(io.BytesIO(text.encode())).whole_line().text == "ж" * 200_000 + "\n"


def test_a_line_that_is_too_long_is_skipped():
    source = Source(io.StringIO("x" * (LARGEST_RECORD + 1) + "\nnext"))
    with pytest.raises(TooLongError, match=f"must have at most {LARGEST_RECORD} characters"):
        source.whole_line()
    assert source.whole_line() == (2, "next")


def test_bytes_that_are_not_utf_8_become_surrogates():
    assert lines(Source(io.BytesIO(b"a\xff\xc3"))) == [(1, "a\udcff"), (1, "\udcc3")]
