"""Files of records: formats found by themselves, round trips, damage, streams of any length."""

import io
import json
import os
import random
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import referee_boxes
import referee_kropki
from record_generators import boxes_record, kropki_record

from dotzero.envs.boxes import BoxesRules, Scoring
from dotzero.envs.game_records import Record, RecordError, game_of
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.records import (
    FORMATS,
    open_records,
    read_records,
    replay,
    write_record,
    write_records,
)

BOXES = ("text", "dots", "open_spiel", "hrc", "lines", "ccgc")
KEPT = {
    "jsonl": ("players", "headers", "comments", "clocks", "reason", "score", "margin", "shown"),
    "sgf": ("comments", "clocks", "shown"),
    "text": ("players", "headers", "comments", "reason", "score"),
    "dots": ("players", "headers", "comments", "reason", "score"),
}
"""What a format keeps beside rules, start, moves, movers and result."""


def record_for(rng, form, game=None):
    """A random record that a format can hold; `jsonl` holds both games."""
    if form == "sgf" or game == "kropki":
        return kropki_record(rng)
    own = form in ("jsonl", "text", "dots")
    return boxes_record(rng, usual=not own, size=(5, 5) if form == "ccgc" else None)


def read(text):
    return list(read_records(io.StringIO(text)))


def assert_round_trips(form, game, num, seed):
    """What is written reads back equal in all that the format keeps, is written alike, and replays."""
    rng = np.random.default_rng(seed)
    records = [record_for(rng, form, game) for _ in range(num)]
    texts = [write_record(record, form) for record in records]
    found = read("".join(texts))
    assert len(found) == num
    for record, text, again in zip(records, texts, found, strict=True):
        for name in ("rules", "start", "moves", "movers", "result", *KEPT.get(form, ())):
            assert getattr(again, name) == getattr(record, name), (name, text)
        assert write_record(again, form) == text
        assert again.notes == ()
        verdict = replay(again)
        assert verdict.agrees is not False, (verdict.contradiction, text)
        assert verdict.warnings == (), text


PAIRS = [("jsonl", "boxes"), ("jsonl", "kropki"), ("sgf", "kropki"), *((form, "boxes") for form in BOXES)]


@pytest.mark.parametrize(("form", "game"), PAIRS)
def test_random_games_survive_writing_and_reading(form, game):
    assert_round_trips(form, game, 150, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize(("form", "game"), PAIRS)
def test_ten_thousand_random_games_survive_writing_and_reading(form, game):
    for seed in range(10):
        assert_round_trips(form, game, 1000, seed=100 + seed)


SIGNS = [
    *"()[];{}\":,.\\\n \r\t\0*-01239aAzZBWTLR", "\ud800", "é", "点", "9" * 30, "null", "true", "NaN",
    "1e999", "-1", "stop", "A0T", "Z9R", "(;", "AB[", "];B[", "GM[40]", "RU[", "SZ[", "KM[", '[Size "',
    '"a":', '{"', "[[",
]  # fmt: skip


def mutated(text, rng):
    """A text with a few signs removed, added, changed, repeated or swapped."""
    signs = list(text)
    for _ in range(rng.choice((1, 1, 2, 4))):
        place, how = rng.randrange(len(signs)), rng.randrange(6)
        end = min(len(signs), place + rng.randrange(30))
        if how == 0:
            signs[place : place + 1] = []
        elif how < 3:
            signs[place : place + how - 1] = [rng.choice(SIGNS)]
        elif how == 3:
            del signs[place:end]
        elif how == 4:
            target = rng.randrange(len(signs))
            signs[target:target] = signs[place:end]
        else:
            signs[place : place + 2] = signs[place : place + 2][::-1]
        signs = signs or ["x"]
    return "".join(signs)


def judged(record):
    """The final score by a referee that shares nothing with the package; None where it cannot tell."""
    rules = record.rules
    if isinstance(rules, BoxesRules):
        misere = rules.scoring is Scoring.MISERE
        referee = referee_boxes.Referee(rules.rows, rules.columns, rules.border.value, misere)
        for action, mover in zip(record.moves, record.movers, strict=True):
            assert referee.mover == mover
            referee.draw(action)
        return tuple(referee.score())
    options = {name: getattr(rules, name) for name in referee_kropki.DEFAULTS}
    start = [(p % rules.width, p // rules.width, i) for i, side in enumerate(record.start) for p in side]
    referee = referee_kropki.Referee(rules.width, rules.height, start, **options)
    for action, mover in zip(record.moves, record.movers, strict=True):
        referee.to_move = mover
        referee.play(action)
    return tuple(referee.score())


def mutate_and_read(num, seed):
    """Returns how many mutated records were read and agreed with their moves, disagreed, were refused."""
    rng, lots = random.Random(seed), np.random.default_rng(seed)
    pool = {pair: [write_record(record_for(lots, *pair), pair[0]) for _ in range(30)] for pair in PAIRS}
    known = {text: read(text)[0] for texts in pool.values() for text in texts}
    counts = {True: 0, False: 0, None: 0, "refused": 0}
    for number in range(num):
        form, game = rng.choice(PAIRS)
        before, broken, after = rng.choices(pool[form, game], k=3)
        blank = "" if form in ("jsonl", "sgf", "ccgc") else "\n"
        text = f"{before}{mutated(broken, rng)}\n{blank}{after}"
        data = text.encode("utf-8", "surrogatepass")
        errors = []
        found = list(read_records(io.BytesIO(data) if number % 2 else io.StringIO(text), errors.append))
        assert (found[0], found[-1]) == (known[before], known[after]), text
        assert len(found) + len(errors) >= 3 or broken[-30:-2] not in text
        for error in errors:
            assert error.line is not None
            assert "\n" not in str(error)
            assert len(str(error)) < 300
            counts["refused"] += 1
        for record in found[1:-1]:
            try:
                verdict = replay(record)
            except RecordError:
                counts["refused"] += 1
                continue
            counts[verdict.agrees] += 1
            if record.game == "kropki" or record.rules.num_boxes < 16:
                assert judged(record) == verdict.score, text
            if verdict.agrees and record.score is not None:
                assert record.score == verdict.score
    return counts


def test_mutated_records_never_crash_or_pass_wrongly_or_cost_their_neighbours():
    counts = mutate_and_read(2500, seed=1)
    assert counts[True] > 100
    assert counts[False] > 3
    assert counts["refused"] > 1000


@pytest.mark.slow
def test_a_hundred_thousand_mutated_records():
    for seed in range(10):
        mutate_and_read(10_000, seed=1000 + seed)


def test_a_moved_line_of_a_whole_game_never_passes():
    """Replaced by any other line it is drawn twice."""
    rng = np.random.default_rng(3)
    record = boxes_record(rng, size=(3, 3))
    while record.result is None or record.reason != "full_board":
        record = boxes_record(rng, size=(3, 3))
    data = json.loads(write_record(record, "jsonl"))
    for index in range(len(data["moves"])):
        for other in data["moves"][:3]:
            if other != data["moves"][index]:
                changed = data["moves"][:index] + [other] + data["moves"][index + 1 :]
                (found,) = read(json.dumps(data | {"moves": changed}))
                with pytest.raises(RecordError, match=r"drawn already|must be made by"):
                    replay(found)


@pytest.mark.parametrize("form", FORMATS)
def test_the_format_is_found_whatever_stands_before_the_first_record(form):
    record = record_for(np.random.default_rng(2), form)
    text = write_record(record, form)
    for before in ("", "\ufeff", "\n\n  \n"):
        assert [write_record(found, form) for found in read(before + text)] == [text]
    errors = []
    found = list(read_records(io.StringIO(f"# a remark\n\n{text}"), errors.append))
    assert [write_record(record, form) for record in found] == [text]
    assert len(errors) == 1
    assert errors[0].line == 1


@pytest.mark.parametrize(
    "text", ["# remarks\n", "\0\1\2", "PK\3\4", "hello world", "<html>", "3-1", "{", "("]
)
def test_other_files_are_refused_in_one_line(text):
    with pytest.raises(RecordError, match=r"line 1: .*must") as caught:
        read(text)
    assert "\n" not in str(caught.value)
    errors = []
    assert list(read_records(io.StringIO(text), errors.append)) == []
    assert len(errors) == 1


def test_an_empty_file_has_no_records():
    assert read("") == read("\n\n") == []


def test_files_are_whole_or_not_there(tmp_path):
    record = Record(rules=BoxesRules(rows=2, columns=2, scoring="misere"), moves=(0,), movers=(0,))
    path = tmp_path / "games.jsonl"
    assert write_records(path, [record, record], "jsonl") == 2
    assert list(read_records(path)) == list(read_records(str(path))) == [record, record]
    with pytest.raises(RecordError, match="usual rules"):
        write_records(path, [record], "hrc")
    with pytest.raises(RecordError), open_records(path, "dots") as put:
        put(replace(record, rules=KropkiRules(), start=None))
    with pytest.raises(ValueError, match="format must be one of jsonl, sgf, text"):
        write_records(path, [record], "xml")
    assert list(read_records(path)) == [record, record]
    assert [file.name for file in tmp_path.iterdir()] == ["games.jsonl"]
    with pytest.raises(FileNotFoundError) as caught:
        write_records(tmp_path / "none" / "x", [record], "jsonl")
    assert caught.value.filename == str(tmp_path / "none" / "x")


def test_a_pipe_or_a_device_is_written_to_and_not_replaced(tmp_path):
    """Renaming a file over /dev/null, as a superuser can, would break the machine."""
    record = Record(rules=BoxesRules(rows=1, columns=1), moves=(0,), movers=(0,))
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE, text=True) as reader:
        write_records(path, [record], "hrc")
        assert reader.stdout.read() == write_record(record, "hrc")
    assert path.is_fifo()
    assert write_records(os.devnull, [record], "hrc") == 1
    assert not os.path.isfile(os.devnull)
    with pytest.raises(IsADirectoryError):
        write_records(tmp_path, [record], "hrc")


def test_records_of_one_game_are_refused_by_formats_of_the_other():
    kropki = Record(rules=KropkiRules(width=6, height=6), moves=(), movers=())
    boxes = Record(rules=BoxesRules(rows=5, columns=5), moves=(), movers=())
    for form in BOXES:
        with pytest.raises(RecordError, match="must"):
            write_record(kropki, form)
    with pytest.raises(RecordError, match="SGF must hold Kropki, got boxes"):
        write_record(boxes, "sgf")


READ_ALL = """
import resource
import sys
from dotzero.envs.records import read_records, replay
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
number = sum(replay(record).agrees is not False for record in read_records(sys.argv[1]))
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(number, after - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "text", "ccgc", "sgf"])
def test_a_hundred_thousand_games_need_little_memory(tmp_path, form):
    rng = np.random.default_rng(6)
    if form == "sgf":
        records = [kropki_record(rng) for _ in range(300)]
        records = [record for record in records if record.rules.num_points <= 81 and record.result]
    else:
        records = [boxes_record(rng, usual=True, size=(5, 5)) for _ in range(100)]
        records = [record for record in records if record.result]
    text = "".join(write_record(record, form) for record in records)
    path, copies = tmp_path / "games", 100_000 // len(records) + 1
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(copies):
            file.write(text)
    assert path.stat().st_size > 5e6
    run = [sys.executable, "-c", READ_ALL, str(path)]
    done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=1200)
    number, kib = map(int, done.stdout.split())
    assert number == len(records) * copies
    assert kib < 32 * 1024


def test_game_of_is_kept():
    """Games of a file share their game, which is dear to make."""
    rules = KropkiRules(width=6, height=6)
    assert game_of(rules) is game_of(KropkiRules(width=6, height=6))
