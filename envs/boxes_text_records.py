r"""Records of Dots and Boxes as text that people read: tags, then the lines turn by turn.

    [Size "2x2"]
    [Player1 "Anna"]
    [Result "1"]

    1. A2T 2. B1B 3. A1B 4. A2L 5. B1R 6. B2T 7. A1T 8. A2R, B1T 9. B2R, A1R, A1L 3-1

A number begins a turn, which has all lines that one player draws; numbers may also count pairs of turns, one
of each player, or be left out. Lines are spelled in one of the ways of `boxes_line_records.py`. At the end
stands the score, or *. Comments are in braces, after their line. In tags and comments `\` stands before a
quotation mark, a brace or itself, and \n is a line break.

A record ends at an empty line behind its lines, or where tags begin. Tags and score may be missing: a bare
list of lines is a record. Border and misere have tags; spellings of other programs cannot have them.
"""

import itertools
import re
from typing import Any

from dotzero.envs.boxes import Border, BoxesRules, Scoring
from dotzero.envs.boxes_line_records import (
    TOKEN,
    Spelled,
    action_of,
    actions_of_positions,
    size_of,
    spell,
    spelled,
)
from dotzero.envs.game_records import Ending, Record, RecordError, shown
from dotzero.envs.records_source import LARGEST_RECORD, Chunk, Source, TooLongError
from dotzero.envs.replayed_records import in_turn

OWN_SPELLINGS = ("text", "dots")
"""Those whose records may have a border, or be misere."""
_WIDTH = 100
_TAG = re.compile(r'\[\s*([A-Za-z][A-Za-z0-9_]*)\s+"((?:[^"\\]|\\.)*+)"\s*\]', re.ASCII)
_SIZE = re.compile(r"([0-9]{1,3})x([0-9]{1,3})")
_KNOWN = ("Game", "Size", "Border", "Scoring", "Player1", "Player2", "Result", "Reason")
_ESCAPES = {"n": "\n", "r": "\r"}


def next_text(source: Source) -> Chunk | None:
    """Cut the text of the next record out of a stream; None at its end.

    Raises:
        RecordError: It is too long.
    """
    kept: list[Chunk] = []
    size, has_lines, blank = 0, False, False
    try:
        while (item := source.whole_line()) is not None:
            text = item.text.strip()
            is_tag = text.startswith("[")
            if (has_lines and (is_tag or not text)) or (is_tag and kept and blank):
                source.push_back(*item)
                break
            blank = not text
            if text:
                kept.append(item)
                size += len(item.text)
                has_lines = has_lines or not is_tag
            if size > LARGEST_RECORD:
                raise TooLongError(kept[0].line)
    except TooLongError as error:
        raise RecordError(str(error), line=error.line) from None
    if not kept:
        return None
    skipped = [0, *(two.line - one.line - 1 for one, two in itertools.pairwise(kept))]
    text = "".join("\n" * num + item.text for num, item in zip(skipped, kept, strict=True))
    return Chunk(kept[0].line, text)


def read_text(chunk: Chunk, size: tuple[int, int] | None = None) -> Record:
    """The record that a text holds.

    Args:
        chunk: The text.
        size: Rows and columns of boxes where the record does not give them.

    Raises:
        RecordError: A tag or a line is wrong, or turns are not as their numbers say.
    """
    tags, body = _split(chunk)
    reader = _Body(body, chunk.line)
    fields = _told(tags, chunk.line)
    rules = _rules(tags, reader, size, chunk.line)
    moves = reader.actions(rules)
    fields |= {"rules": rules, "moves": moves, "comments": reader.comments, "score": reader.score}
    if reader.lines and reader.lines[0].player is not None:
        movers = tuple(line.player for line in reader.lines)
        return Record.checked(chunk.line, movers=movers, **fields)
    record = in_turn(chunk.line, **fields)
    _check_numbers(record, reader.numbers)
    return record


def _split(chunk: Chunk) -> tuple[dict[str, str], Chunk]:
    """Tags, and the text behind them."""
    tags: dict[str, str] = {}
    lines = chunk.text.split("\n")
    number = 0
    while number < len(lines) and (not lines[number].strip() or lines[number].lstrip().startswith("[")):
        text = lines[number].strip()
        match = _TAG.fullmatch(text)
        if text and match is None:
            reason = f'a tag must be such as [Size "5x5"], got {shown(text)}'
            raise RecordError(reason, line=chunk.line + number)
        if match is not None:
            if match[1] in tags:
                raise RecordError(f"the tag {match[1]} must stand once", line=chunk.line + number)
            tags[match[1]] = _plain(match[2])
        number += 1
    return tags, Chunk(chunk.line + number, "\n".join(lines[number:]))


def _rules(tags: dict[str, str], reader: "_Body", size: tuple[int, int] | None, line: int) -> BoxesRules:
    try:
        if tags.get("Game", "boxes") != "boxes":
            raise ValueError(f"Game must be boxes, got {shown(tags['Game'])}")
        if "Size" in tags:
            match = _SIZE.fullmatch(tags["Size"])
            if match is None:
                raise ValueError(f"Size must be ROWSxCOLUMNS in boxes, got {shown(tags['Size'])}")
            size = int(match[1]), int(match[2])
        rows, columns = size or size_of(reader.lines)
        options: dict[str, Any] = {name.lower(): tags[name] for name in ("Border", "Scoring") if name in tags}
        rules = BoxesRules(rows=rows, columns=columns, **options)
        unusual = rules.border is not Border.NONE or rules.scoring is not Scoring.NORMAL
        if unusual and reader.spelling not in (None, *OWN_SPELLINGS):
            raise ValueError(f"Border and Scoring must be left out where lines are {reader.spelling}")
    except ValueError as error:
        raise RecordError(str(error), line=line) from None
    return rules


def _told(tags: dict[str, str], line: int) -> dict[str, Any]:
    """What the tags say beside the rules."""
    fields: dict[str, Any] = {"players": (tags.get("Player1", ""), tags.get("Player2", ""))}
    if "Result" in tags:
        if tags["Result"] not in ("0", "1", "2"):
            raise RecordError(f"Result must be 0, 1 or 2, got {shown(tags['Result'])}", line=line)
        fields["result"] = int(tags["Result"])
    if "Reason" in tags:
        reasons = [reason.value for reason in Ending]
        if tags["Reason"] not in reasons:
            known = ", ".join(reasons)
            raise RecordError(f"Reason must be one of {known}, got {shown(tags['Reason'])}", line=line)
        fields["reason"] = Ending(tags["Reason"])
    others = {name: value for name, value in tags.items() if name not in _KNOWN}
    fields["headers"] = {
        name if name.isupper() and len(name) > 1 else name[0].lower() + name[1:]: value
        for name, value in others.items()
    }
    return fields


class _Body:
    """What stands behind the tags: lines, numbers of turns, comments, the score."""

    def __init__(self, chunk: Chunk, begin: int) -> None:
        self._line = chunk.line
        self.spelling: str | None = None
        self.lines: list[Spelled] = []
        self.positions: list[str] = []
        self.numbers: list[tuple[int, int]] = []  # of turns, and of the lines before them
        self._comments: dict[int, list[str]] = {}  # joined at the end, as there may be very many
        self.score: tuple[int, int] | None = None
        self._places: list[int] = []  # lines of text
        self._ended = False
        position, text = 0, chunk.text
        while position < len(text):
            token = TOKEN.match(text, position)
            if token is None:
                raise self._wrong(
                    f"there must be a line such as A1R, got {shown(text[position:].split()[0])}"
                )
            self._take(token)
            self._line += token[0].count("\n")
            position = token.end()
        self.comments = {count: "\n".join(texts) for count, texts in self._comments.items()}
        if not (self._ended or self.spelling):
            raise RecordError("a record must have lines, or * at its end", line=begin)

    def _take(self, token: re.Match[str]) -> None:
        kind, text = token.lastgroup, token[0]
        count = len(self.lines) + len(self.positions)
        if kind == "comment":
            self._comments.setdefault(count, []).append(_plain(text[1:-1]))
        elif kind != "space":
            if self._ended:
                raise self._wrong(f"nothing must follow the score, got {shown(text)}")
            if kind == "number":
                self.numbers.append((int(token["number"]), count))
            elif kind in ("score", "end"):
                one, dash, two = text.partition("-")
                self.score = (int(one), int(two)) if dash else None
                self._ended = True
            else:
                self._take_line(token)

    def _take_line(self, token: re.Match[str]) -> None:
        kind = token.lastgroup
        if self.spelling not in (None, kind):
            raise self._wrong(f"all lines must be spelled alike, got {shown(token[0])}")
        self.spelling = kind
        self._places.append(self._line)
        if kind == "lines":
            self.positions.append(token[0])
            return
        try:
            self.lines.append(spelled(token[0], kind or ""))
        except ValueError as error:
            raise self._wrong(str(error)) from None

    def actions(self, rules: BoxesRules) -> tuple[int, ...]:
        """The numbers of the lines; comments are put at them."""
        if self.spelling == "lines":
            try:
                found = actions_of_positions(self.positions, rules)
            except RecordError as error:
                raise RecordError(error.reason, line=self._places[0], where=error.where) from None
            before = len(self.positions) - len(found)  # 1 where the first string shows the empty board
            self.comments = {max(0, number - before): text for number, text in self.comments.items()}
            return tuple(found)
        found = []
        for line, place in zip(self.lines, self._places, strict=True):
            try:
                found.append(action_of(line, rules))
            except ValueError as error:
                raise RecordError(str(error), line=place, where=f"move {len(found) + 1}") from None
        return tuple(found)

    def _wrong(self, reason: str) -> RecordError:
        number = len(self.lines) + len(self.positions) + 1
        return RecordError(reason, line=self._line, where=f"move {number}")


def _check_numbers(record: Record, numbers: list[tuple[int, int]]) -> None:
    """Whether turns, or pairs of turns, begin where their numbers stand."""
    movers, wrong = record.movers, []
    begins = [i for i in range(len(movers)) if i == 0 or movers[i] != movers[i - 1]]
    turn_at = {index: turn for turn, index in enumerate(begins, 1)}
    for step in (1, 2):
        fits = [turn_at.get(index) == (number - 1) * step + 1 for number, index in numbers]
        wrong.append(fits.index(False) if False in fits else None)
    if None not in wrong:
        number, index = numbers[wrong[0] or 0]
        where = record.move_name(index) if index < len(record.moves) else f"move {index + 1}"
        raise RecordError(f"turn {number} must not begin here", line=record.line, where=where)


def write_text(record: Record, spelling: str = "text") -> str:
    """A record as text, with an empty line at its end, without clocks and headers that cannot be tags.

    Args:
        record: One of Dots and Boxes.
        spelling: How lines are written.

    Raises:
        RecordError: The spelling cannot hold it.
    """
    rules = record.rules
    if not isinstance(rules, BoxesRules):
        raise RecordError(f"{spelling} must hold boxes, got {record.game}", line=record.line)
    tags = {"Size": f"{rules.rows}x{rules.columns}"}
    if rules.border is not Border.NONE:
        tags["Border"] = rules.border
    if rules.scoring is not Scoring.NORMAL:
        tags["Scoring"] = rules.scoring
    if len(tags) > 1 and spelling not in OWN_SPELLINGS:
        got = " ".join(f"{name.lower()}={value}" for name, value in list(tags.items())[1:])
        raise RecordError(f"{spelling} must hold the usual rules, got {got}", line=record.line)
    for number, player in enumerate(record.players, 1):
        tags |= {f"Player{number}": player} if player else {}
    tags |= {} if record.result is None else {"Result": str(record.result)}
    tags |= {} if record.reason is None else {"Reason": record.reason}
    for header, value in record.headers.items():
        name = header[:1].upper() + header[1:]
        if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) and name not in tags and name not in _KNOWN:
            tags[name] = value
    head = "".join(f'[{name} "{_escaped(value, chr(34))}"]\n' for name, value in tags.items())
    try:
        return f"{head}\n{_body(record, rules, spelling)}\n\n"
    except ValueError as error:
        raise RecordError(str(error), line=record.line) from None


def _body(record: Record, rules: BoxesRules, spelling: str) -> str:
    """Lines, numbers and comments, in lines of text that are not too long."""
    words: list[str] = []
    if spelling == "lines":
        words.append("0" * rules.num_lines)
    words += _comment(record, 0)
    drawn, turn = ["0"] * rules.num_lines, 0
    for index, (action, player) in enumerate(zip(record.moves, record.movers, strict=True)):
        begins = index == 0 or player != record.movers[index - 1]
        turn += begins
        if spelling == "lines":
            drawn[action] = "1"
            words.append("".join(drawn))
        else:
            if not begins and spelling in OWN_SPELLINGS:
                words[-1] += ","
            number = f"{turn}. " if begins and spelling in OWN_SPELLINGS else ""
            words.append(number + spell(action, player, spelling, rules))
        words += _comment(record, index + 1)
    words.append("*" if record.score is None else f"{record.score[0]}-{record.score[1]}")
    return _wrapped(words)


def _wrapped(words: list[str]) -> str:
    rows: list[list[str]] = [[]]
    length = 0
    for word in words:
        if length and length + len(word) >= _WIDTH:
            rows.append([])
            length = 0
        rows[-1].append(word)
        length += len(word) + 1
    return "\n".join(" ".join(row) for row in rows)


def _comment(record: Record, number: int) -> list[str]:
    text = record.comments.get(number)
    return [] if text is None else ["{" + _escaped(text, "}") + "}"]


def _escaped(text: str, end: str) -> str:
    text = text.replace("\\", "\\\\").replace(end, f"\\{end}")
    return text.replace("\n", "\\n").replace("\r", "\\r")


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text)
