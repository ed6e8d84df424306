"""Refusals: whatever a person can do wrong has a text of the page in both languages (R160)."""

import asyncio

import pytest
from open_pages import Page, in_time, open_page, open_site
from page_words import gaps, read_words
from played_sessions import Time, boxes, kropki, play

from dotzero.play.game_settings import GameSettings
from dotzero.play.saves import FILE_NAME, Saves
from dotzero.play.web.refusals import FIELDS, PREFIX, RefusedError, made_move, told

TWO = {"rows": 2, "columns": 2}
RING = ["cb", "cc", "bb", "aa", "db", "ea", "bc", "eb", "dc", "ec", "bd", "ed", "cd", "ae", "dd"]


def check_words(fields):
    """The page has a text of this key in both languages, which names nothing but the values that are told."""
    assert fields["key"].startswith(PREFIX)
    for text in read_words()[fields["key"]]:
        assert set(gaps(text)) <= set(fields["values"])
    assert fields["text"]
    assert "\n" not in fields["text"]


def refused(session, text):
    """What the page is told of a move that is refused; nothing is changed by it."""
    before = session.revision
    with pytest.raises(RefusedError) as caught:
        made_move(session, text)
    assert session.revision == before
    fields = told(caught.value)
    check_words(fields)
    return fields["key"].removeprefix(PREFIX), fields["values"]


def test_every_move_that_is_refused_says_why():
    """R014, R015, R053: no such place, drawn, occupied, closed, outside the zone, no STOP."""
    session = boxes()
    assert refused(session, "Z9T") == ("name_boxes", {"move": "Z9T", "example": "A2T"})
    play(session, ["A1T"])
    assert refused(session, "A2B") == ("illegal_boxes", {"move": "A1T"})
    session = kropki()
    assert refused(session, "привет") == ("name_kropki", {"move": "привет", "example": "aa"})
    play(session, RING)
    assert refused(session, "cb") == ("occupied", {"move": "cb"})
    assert refused(session, "cc") == ("closed", {"move": "cc"})
    zoned = kropki(9, 7, rules={"opening_zone": (5, 3)})
    assert refused(zoned, "aa") == ("zone", {"move": "aa", "zone": "5x3"})
    assert refused(kropki(rules={"stop": "off"}), "stop") == ("no_stop", {})
    paused = boxes()
    paused.pause()
    assert refused(paused, "A1T") == ("paused", {})
    paused.resign()
    assert refused(paused, "A1T") == ("over", {})


@pytest.mark.parametrize(
    ("game", "rules", "key"),
    [
        ("boxes", {"rows": 0}, "boxes_size"),
        ("boxes", {"rows": 1.5}, "boxes_size"),
        ("boxes", {"rows": 1, "columns": 27}, "boxes_size"),
        ("boxes", {"rows": 20, "columns": 20}, "boxes_size"),
        ("boxes", {"rows": 1, "columns": 1, "border": "all"}, "border"),
        ("kropki", {"width": 1}, "kropki_size"),
        ("kropki", {"height": 53}, "kropki_size"),
        ("kropki", {"width": 3, "height": 3, "start": "four_crosses"}, "start"),
        ("kropki", {"width": 3, "height": 3, "start": "random_crosses"}, "start"),
    ],
)
def test_rules_that_cannot_be_played_say_why(game, rules, key):
    """R003, R052: all that the form of a new game can ask for."""
    with pytest.raises(ValueError, match=r" must ") as caught:
        GameSettings.from_json({"game": game, "rules": rules})
    fields = told(caught.value)
    assert fields["key"] == PREFIX + key
    check_words(fields)


@pytest.mark.parametrize(("seat", "key"), [({"name": "a\u200db"}, "name"), ({"mark": "abcd"}, "mark")])
def test_names_and_marks_say_their_rule(seat, key):
    with pytest.raises(ValueError, match=r"printable") as caught:
        GameSettings.from_json({"game": "boxes", "seats": [seat, {}]})
    assert told(caught.value)["key"] == PREFIX + key


def test_every_key_has_its_texts():
    words = read_words()
    for key, values in FIELDS.values():
        assert all(set(gaps(text)) <= set(values) for text in words[PREFIX + key]), key
    check_words(told(OSError(28, "No space left on device")))
    check_words(told(KeyError("oops")))
    assert told(KeyError("oops"))["values"] == {"kind": "KeyError"}


def ask(folder, kind, **fields):
    """The error that a message is answered with, without a game."""

    async def answer():
        async with open_site(folder) as site:
            page = Page(site)
            if kind != "hello":
                await page.hello()
            return await page.ask(kind, "error", **fields)

    return asyncio.run(asyncio.wait_for(answer(), 60))


@pytest.mark.parametrize(
    ("kind", "fields", "key"),
    [
        ("hello", {"language": "ru", "profile": "x" * 65}, "profile"),
        ("hello", {"language": "ru", "profile": "a\u200db"}, "profile"),
        ("move", {"move": "A1T"}, "no_game"),
        ("continue", {"id": "nothing"}, "saved"),
        ("new", {"settings": {"game": "boxes", "seats": [{"player": "greedy"}, {}]}}, "player"),
    ],
)
def test_messages_that_are_refused_say_why(tmp_path, kind, fields, key):
    error = ask(tmp_path, kind, **fields)
    assert error["key"] == PREFIX + key
    check_words(error)


@pytest.mark.parametrize(
    ("text", "key", "values"),
    [
        ('[Game "boxes"]\n[Size "2x2"]\n\n1. A2T B1B\n2. A2T\n', "record_move", {"number": 3}),
        ("(;GM[40]SZ[5];B[aa];W[aa])", "record_move", {"number": 2}),
        ('[Game "boxes"]\n[Size "2x2"]\n[Size "2x2"]\n\n1. A2T\n', "record_line", {"line": 3}),
        ("", "record", {}),
    ],
)
def test_a_record_that_cannot_be_opened_names_the_place(tmp_path, text, key, values):
    error = ask(tmp_path, "load", text=text, cut=False)
    assert (error["key"], error["values"]) == (PREFIX + key, values)
    check_words(error)


@in_time
async def test_acts_out_of_turn_say_why(tmp_path):
    """R043, R141: a computer's turn, an end on time, a pause, a hint where nobody plays."""
    time = Time()
    async with open_page(tmp_path, now=time, delay=5.0) as page:
        await page.begin(TWO, ({}, {"player": "easy"}), clock={"seconds": 30, "increment": 0})
        await page.move("A1T")
        assert (await page.ask("move", "error", move="A1B"))["key"] == "refused_turn"
        assert (await page.ask("answer", "error", accept=True))["key"] == "refused_answer"
        time.pass_by(31)
        for kind, fields in (("undo", {}), ("resign", {}), ("offer", {"terms": "draw"})):
            assert (await page.ask(kind, "error", **fields))["key"] == "refused_over"
        await page.begin({**TWO, "scoring": "misere"})
        assert (await page.ask("hint", "error"))["key"] == "refused_no_hints"
        await page.begin({"rows": 3, "columns": 3})
        await page.say("pause")
        assert (await page.ask("hint", "error"))["key"] == "refused_paused"


@in_time
async def test_a_game_that_went_elsewhere_is_told_once_and_in_no_other_words(tmp_path):
    """The page has its own text for it; an error after it would only hide that."""
    async with open_page(tmp_path) as page:
        begin = await page.begin(TWO)
        with Saves(tmp_path) as terminal:
            terminal.load(begin["game"]["id"])
        page.heard.clear()
        await page.say("move", move="A1T")
        assert page.heard == [{"type": "taken"}]
        assert page.connection.session is None


@in_time
async def test_no_path_of_this_machine_is_told(tmp_path):
    """A full disk, and a damaged file."""
    (tmp_path / FILE_NAME).write_bytes(b"no database" * 100)
    async with open_site(tmp_path) as site:
        page = Page(site)
        home = await page.hello()
        assert home["damaged"]
        assert str(tmp_path) not in str(home)

        def full(session, profile=""):
            raise OSError(f"{site.saves.path}: database or disk is full")

        await page.begin(TWO)
        site.saves.put = full
        error = await page.ask("move", "error", move="A1T")
        assert error["key"] == "refused_disk"
        assert error["text"] == f"{FILE_NAME}: database or disk is full"
