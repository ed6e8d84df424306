r"""The Smart Game Format as such: game trees out of a stream of text, and the nodes of their main line.

A collection is a sequence of trees, `(;node;node(;variation)(;variation))`. A node holds properties, an
identifier with one or more values in brackets, in which `\` takes the meaning from the next sign. Of
variations the first one is the main line. Format: https://www.red-bean.com/sgf/ (FF[4]).

Trees are cut out of the stream one by one, so that a collection of any length fits into memory, and without
recursion, so that no nesting is too deep. What a property means is for others (`kropki_sgf.py`).
"""

import re
from typing import NamedTuple

from dotzero.envs.game_records import RecordError, shown
from dotzero.envs.records_source import LARGEST_RECORD, Chunk, Source

_ROOT = re.compile(r"\(\s*+;(?=[^;]{0,300}?(?:GM|FF|SZ)\s*+\[[0-9:]++\])")
"""The beginning of a tree of its own: variations have no root properties, and in a text ] is escaped."""
_CUT = re.compile(r"\[(?:[^\]\\]|\\.)*+\]|[\[()]", re.DOTALL)
_VALUE_END = re.compile(r"(?:[^\]\\]|\\.)*+\]", re.DOTALL)
_TOKEN = re.compile(
    r"""(;)?([A-Za-z]++)\[((?:[^\]\\]|\\.)*+)\] | ([A-Za-z]++) | \[((?:[^\]\\]|\\.)*+)\] | ([;()]) | \s++""",
    re.DOTALL | re.VERBOSE,
)
"""A property with its first value, and with ; before it if it is there, as they mostly stand; or a part."""
_PROPERTY, _NAME, _VALUE, _SIGN = 3, 4, 5, 6
_LINE_BREAK = re.compile(r"\r\n|\n\r|\r")
_ESCAPE = re.compile(r"\\(\n|.)", re.DOTALL)


class Node(NamedTuple):
    """One node of a main line.

    Attributes:
        line: Where it stands, from 1.
        properties: Identifiers with their raw values, in order.
    """

    line: int
    properties: list[tuple[str, list[str]]]


class _Place(NamedTuple):
    """Where in a tree its text has been gone through to."""

    depth: int
    in_value: bool = False
    escaped: bool = False
    """Whether the next sign belongs to a backslash."""


def next_tree(source: Source) -> Chunk | None:
    """Cut the next tree out of a stream; None at its end.

    Raises:
        RecordError: Text outside of trees, or a tree that does not end before another one begins at the
            beginning of a line, where the stream then goes on.
    """
    item = _first_line(source)
    if item is None:
        return None
    first, size, place = item.line, 0, _Place(0)
    kept: list[str] = []
    while True:
        place, end = _scan(item.text, place)
        if end is not None:
            source.push_back(item.line, item.text[end:])
            if place.depth == 0:
                return Chunk(first, "".join([*kept, item.text[:end]]))
            raise RecordError("the tree must end with ) before the next one begins", line=first)
        kept.append(item.text)
        size += len(item.text)
        after = source.next()
        if after is None:
            reason = "a value must end with ]" if place.in_value else "the tree must end with )"
            raise RecordError(reason, line=first)
        if item.text.endswith("\n") and _ROOT.match(after.text.lstrip()):
            source.push_back(*after)
            what = "a value must end with ]" if place.in_value else "the tree must end with )"
            raise RecordError(f"{what} before the next tree begins", line=first)
        if size > LARGEST_RECORD:
            source.push_back(*after)
            raise RecordError(f"a tree must have at most {LARGEST_RECORD} characters", line=first)
        item = after


def _first_line(source: Source) -> Chunk | None:
    """The next line with a tree, from the beginning of the tree on."""
    junk: Chunk | None = None
    while (item := source.next()) is not None:
        regular = junk is None and item.text.lstrip()[:1] == "("
        begin = (re.compile(r"\(") if regular else _ROOT).search(item.text)
        before = item.text[: begin.start()].strip() if begin else item.text.strip()
        if before and junk is None:
            junk = Chunk(item.line, before)
        if begin:
            found = Chunk(item.line, item.text[begin.start() :])
            if junk is None:
                return found
            source.push_back(*found)
            break
    if junk is None:
        return None
    raise RecordError(f"a tree must begin with (;, got {shown(junk.text)}", line=junk.line)


def _scan(text: str, place: _Place) -> tuple[_Place, int | None]:
    """Go through a piece of a tree, to where the tree ends (depth 0) or another one begins, if it does."""
    position, depth = 0, place.depth
    if place.in_value:
        end = _VALUE_END.match(text, place.escaped)
        if end is None:
            return _open_value(text, depth, int(place.escaped)), None
        position = end.end()
    while (token := _CUT.search(text, position)) is not None:
        sign, position = token[0], token.end()
        if sign == "[":
            return _open_value(text, depth, position), None
        if sign == "(":
            if depth and _ROOT.match(text, token.start()):
                return _Place(depth), token.start()
            depth += 1
        elif sign == ")":
            depth -= 1
            if depth == 0:
                return _Place(0), position
    return _Place(depth), None


def _open_value(text: str, depth: int, begin: int) -> _Place:
    """The place at the end of a piece in the middle of a value that runs from `begin` on."""
    value = text[begin:]
    num_backslashes = len(value) - len(value.rstrip("\\"))
    return _Place(depth, in_value=True, escaped=num_backslashes % 2 == 1)


def main_line(tree: Chunk) -> tuple[list[Node], int]:
    """The nodes of a tree's main line, and the number of variations beside it.

    Raises:
        RecordError: The text is not a tree; the message names line and node.
    """
    nodes: list[Node] = []
    line, position, num_others, closed = tree.line, 0, 0, False  # closed: the main line has ended
    text = tree.text
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            reason = f"there must be no {shown(text[position])} between properties"
            raise RecordError(reason, line=line, where=f"node {len(nodes)}")
        kind, sign = token.lastindex, token[0]
        if sign == "(":
            num_others += closed
        elif sign == ")":
            closed = True
        elif kind is not None and not closed:
            _add(nodes, line, token)
        if "\n" in sign:
            line += sign.count("\n")
        position = token.end()
    if not nodes:
        raise RecordError("a tree must have a node", line=tree.line)
    for number, node in enumerate(nodes, 1):
        for name, values in node.properties:
            if not values:
                raise RecordError(f"{name} must have a value", line=node.line, where=f"node {number}")
    return nodes, num_others


def _add(nodes: list[Node], line: int, token: re.Match[str]) -> None:
    """Add a token of the main line: a new node, a new property, or a value of the last property."""
    kind = token.lastindex
    if kind == _SIGN or (kind == _PROPERTY and token[1]):
        nodes.append(Node(line, []))
    if kind == _PROPERTY and nodes:
        nodes[-1].properties.append((token[2], [token[3]]))
    elif kind == _NAME and nodes:
        nodes[-1].properties.append((token[_NAME], []))
    elif kind == _VALUE and nodes and nodes[-1].properties:
        nodes[-1].properties[-1][1].append(token[_VALUE])
    elif kind != _SIGN:
        what = "a value must follow a name" if kind == _VALUE else "a property must follow ;"
        raise RecordError(f"{what}, got {shown(token[0])}", line=line, where=f"node {len(nodes)}")


def plain(value: str) -> str:
    """A raw value as text: escapes and soft line breaks taken out, all line breaks the same."""
    if "\r" in value:
        value = _LINE_BREAK.sub("\n", value)
    if "\\" in value:
        value = _ESCAPE.sub(lambda match: "" if match[1] == "\n" else match[1], value)
    return value


def raw(text: str) -> str:
    """A text as a raw value."""
    text = _LINE_BREAK.sub("\n", text)
    return text.replace("\\", "\\\\").replace("]", "\\]")
