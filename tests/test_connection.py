"""A page and its game: turns, autosave, pause, taking over, clocks, what is refused."""

import asyncio

import pytest
from open_pages import Page, first_legal, in_time, open_page, open_site
from played_sessions import CAPTURE, EXAMPLE, Time

from dotzero.play.web import connection as module

EASY, ME = {"player": "easy"}, {}
TWO = {"rows": 2, "columns": 2}
SMALL = {"width": 5, "height": 5, "start": "empty"}


@in_time
async def test_a_whole_game_against_a_level_ends_with_its_statistics(tmp_path):
    """R111, R115, R116: every line of the computer is a message of its own."""
    async with open_site(tmp_path) as site:
        page = Page(site)
        home = await page.hello()
        assert [offer["player"] for offer in home["offers"]["boxes"]][:4] == [
            "easy",
            "medium",
            "hard",
            "insane",
        ]
        begin = await page.begin(TWO, (ME, EASY))
        answer, lines = begin, 0
        view = begin["view"]
        while not view["finished"]:
            if view["persons_turn"]:
                answer = await page.move(first_legal(begin, view))
            else:
                answer = await page.hear("game")
            assert answer["event"]["kind"] == "move"
            assert answer["view"]["num_moves"] == view["num_moves"] + 1
            view, lines = answer["view"], lines + 1
        assert lines == 12
        row = (await page.hear("tally"))["row"]
        assert (row["games"], row["board"], row["player"]) == (1, "2x2", "easy")
        rows = (await page.ask("statistics", "statistics"))["rows"]
        assert rows == [row]
        assert (await page.ask("leave", "home"))["saved"] == []


@in_time
async def test_a_game_is_stored_before_it_is_shown(tmp_path):
    """R114, R151."""
    async with open_page(tmp_path) as page:
        begin = await page.begin(TWO, (EASY, ME))
        view = await page.persons_turn(begin)
        (saved,) = page.site.saves.unfinished()
        assert saved.num_moves == view["num_moves"] == 1
        await page.move(first_legal(begin, view))
        (saved,) = page.site.saves.unfinished()
        assert saved.num_moves >= 2


@in_time
async def test_a_pause_stops_a_line_that_is_searched_for_and_one_that_waits(tmp_path):
    """R113, R150: nothing comes during the pause; after it the computer goes on by itself."""
    async with open_page(tmp_path, delay=5.0) as page:
        begin = await page.begin({"rows": 1, "columns": 3}, (ME, {"player": "medium"}))
        await page.say("delay", seconds=5.0)
        answer = await page.move("A1T")
        assert not answer["view"]["persons_turn"]
        paused = (await page.ask("pause", "game"))["view"]
        assert paused["paused"]
        assert page.connection._answering is None
        assert paused["num_moves"] == 1
        await page.say("delay", seconds=0.0)
        answer = await page.ask("resume", "game")
        view = await page.persons_turn(answer)
        assert view["num_moves"] == 2
        assert begin["game"]["person"] == 0


@in_time
async def test_a_closed_page_gives_up_its_search_and_keeps_its_game(tmp_path):
    async with open_page(tmp_path, delay=5.0) as page:
        await page.begin(TWO, (ME, EASY))
        await page.move("A1T")
        task = page.connection._answering
        await page.connection.close()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()
        assert page.site.playing == {}
        other = Page(page.site)
        (saved,) = (await other.hello())["saved"]
        begin = await other.ask("continue", "begin", id=saved["id"])
        assert begin["view"]["moves"] == [[0, "A1T"]]
        assert not begin["view"]["paused"]


@in_time
async def test_a_game_goes_on_in_the_page_that_took_it_last(tmp_path):
    async with open_site(tmp_path) as site:
        one, two = Page(site), Page(site)
        await one.hello()
        begin = await one.begin(TWO)
        await one.move("A1T")
        await two.hello()
        taken = await two.ask("continue", "begin", id=begin["game"]["id"])
        assert taken["view"]["num_moves"] == 1
        await one.hear("taken")
        error = await one.ask("move", "error", move="A1B")
        assert "while a game is open" in error["text"]
        assert (await two.move("A1B"))["view"]["num_moves"] == 2


@in_time
async def test_a_game_that_another_program_took_is_not_overwritten(tmp_path):
    from dotzero.play.saves import Saves

    async with open_page(tmp_path) as page:
        begin = await page.begin(TWO)
        with Saves(tmp_path) as terminal:
            session = terminal.load(begin["game"]["id"])
            session.resume()
            session.move(3)
            terminal.put(session)
            page.heard.clear()
            await page.say("move", move="A1T")
            await page.hear("taken")
            (saved,) = terminal.unfinished()
            assert saved.num_moves == 1
            assert [move.action for move in terminal.load(saved.id).moves] == [3]


@in_time
async def test_undo_hint_and_text_boards(tmp_path):
    async with open_page(tmp_path) as page:
        begin = await page.begin(TWO, (ME, EASY))
        await page.persons_turn(await page.move("A1T"))
        undone = await page.ask("undo", "game", lambda message: message["event"]["kind"] == "undo")
        assert undone["view"]["num_moves"] == 0
        assert undone["event"]["moves"][0] == "A1T"
        hint = await page.ask("hint", "hint")
        assert begin["game"]["names"][hint["action"]] == hint["move"]
        assert hint["at"] == 0
        board = await page.ask("board", "board", at=0)
        assert "+   +   +" in board["text"]
        looked = await page.ask("look", "looked", at=0)
        assert looked["view"]["at"] == 0


@in_time
async def test_two_people_end_by_agreement_and_by_resignation(tmp_path):
    """R035, R038."""
    async with open_page(tmp_path) as page:
        await page.begin(SMALL, game="kropki")
        for name in CAPTURE:
            await page.move(name)
        offered = await page.ask("offer", "game", terms="score")
        assert offered["view"]["offer"] == {"seat": 0, "terms": "score"}
        declined = await page.ask("answer", "game", accept=False)
        assert declined["view"]["offer"] is None
        await page.ask("offer", "game", terms="score")
        ended = await page.ask("answer", "game", accept=True)
        assert ended["view"]["result"] == {"winner": 1, "reason": "agreement", "score": [0, 1]}
        assert (await page.hear("tally"))["row"] is None
        await page.begin(TWO)
        assert (await page.ask("resign", "game"))["view"]["result"]["reason"] == "resign"


@in_time
async def test_a_computer_answers_an_offer(tmp_path):
    """R035: a level board of many points is not given away; from a lost position a draw is taken."""
    async with open_page(tmp_path, delay=5.0) as page:
        await page.begin({"width": 20, "height": 20}, (ME, EASY), game="kropki")
        answer = await page.ask("offer", "game", terms="draw")
        assert answer["event"] == {"kind": "offer", "agreed": False}
        assert not answer["view"]["finished"]
        await page.begin(TWO, (ME, EASY))  # won by the first player, as the solver knows
        answer = await page.ask("offer", "game", terms="draw")
        assert answer["event"] == {"kind": "offer", "agreed": True}
        assert answer["view"]["result"] == {"winner": None, "reason": "agreement", "score": [0, 0]}


@in_time
async def test_a_clock_ends_a_game_by_itself(tmp_path):
    """R043, R122: the deadline is set by the server; here the time is put forward by hand."""
    time = Time()
    async with open_page(tmp_path, now=time) as page:
        begin = await page.begin(TWO, clock={"seconds": 30, "increment": 0})
        assert begin["view"]["clocks"] == [30, 30]
        assert page.connection._deadline is not None
        time.pass_by(31)
        page.connection._end_in_time()
        ended = await page.hear("game")
        assert ended["view"]["result"] == {"winner": 1, "reason": "time", "score": [0, 0]}
        assert page.connection._deadline is None


@in_time
async def test_a_solo_phase_ends_by_itself(tmp_path):
    """R036, R121."""
    time = Time()
    async with open_page(tmp_path, now=time) as page:
        await page.begin({"width": 7, "height": 7, "start": "empty", "stop": "solo"}, game="kropki")
        for name in ("dd", "aa", "stop"):
            view = (await page.move(name))["view"]
        assert view["in_solo"]
        assert view["solo"] == 180
        time.pass_by(181)
        page.connection._end_in_time()
        assert (await page.hear("game"))["view"]["result"]["reason"] == "stop"


@in_time
async def test_records_are_given_out_and_taken_in(tmp_path):
    async with open_page(tmp_path) as page:
        await page.begin(TWO, ({"name": "Anna"}, {"name": "Boris"}))
        for name in EXAMPLE:
            await page.move(name)
        record = await page.ask("record", "record", format="text")
        assert record["name"].startswith("dotzero-boxes-2x2-")
        loaded = await page.ask("load", "begin", text=record["text"], cut=False)
        assert loaded["view"]["result"]["score"] == [3, 1]
        assert [seat["name"] for seat in loaded["game"]["seats"]] == ["Anna", "Boris"]
        assert (await page.ask("graph", "graph"))["margin"][-1] == 2
        error = await page.ask("load", "error", text="nothing of the kind", cut=False)
        assert error["of"] == "load"
        half = "\n".join(['[Game "boxes"]', '[Size "2x2"]', "", "1. A2T B1B"])
        going = await page.ask("load", "begin", text=half, cut=False)
        assert going["view"]["moves"] == [[0, "A2T"], [1, "B1B"]]
        assert going["view"]["persons_turn"]
        assert (await page.move("A1B"))["view"]["num_moves"] == 3


@in_time
@pytest.mark.parametrize(
    ("players", "ended", "notices"),
    [
        (("You", "Easy"), False, ["two_go_on"]),
        (("Нейросеть", "Вы"), False, ["two_go_on"]),
        (("easy@miss=0.3", "random"), False, ["two_go_on"]),
        (("Anna", "engine:/program"), False, ["two_go_on"]),
        (("You", "Easy"), True, []),
        (("Anna", "Boris"), False, []),
        (("Player 1", ""), False, []),
    ],
)
async def test_that_people_go_on_for_a_player_is_told(tmp_path, players, ended, notices):
    """Whoever opens an own game against a level is not left to wait for it."""
    async with open_page(tmp_path) as page:
        half = "\n".join(
            [
                *('[Game "boxes"]', '[Size "2x2"]', f'[Player1 "{players[0]}"]', f'[Player2 "{players[1]}"]'),
                *(['[Result "1"]', '[Reason "resign"]'] if ended else []),
                *("", "1. A2T B1B", ""),
            ]
        )
        for text, cut in ((half, False), (half, True)):
            wanted = [*(["first_only"] if cut else []), *notices]
            begin = await page.ask("load", "begin", text=text, cut=cut)
            assert begin["view"]["finished"] == ended
            assert [seat["player"] for seat in begin["game"]["seats"]] == [None, None]
            if wanted:
                assert (await page.hear("loaded"))["notices"] == wanted
            else:
                await page.ask("look", "looked", at=0)
                assert not any(message["type"] == "loaded" for message in page.heard)


@in_time
async def test_drop_and_language(tmp_path):
    async with open_page(tmp_path) as page:
        begin = await page.begin(TWO, (ME, EASY))
        await page.move("A1T")
        told = await page.ask("language", "begin", language="ru")
        assert [seat["name"] for seat in told["game"]["seats"]] == ["Вы", "Лёгкий"]
        error = await page.ask("drop", "error", id=begin["game"]["id"])
        assert "left before" in error["text"]
        home = await page.ask("leave", "home")
        assert home["saved"][0]["label"] == "Лёгкий"
        assert (await page.ask("drop", "home", id=begin["game"]["id"]))["saved"] == []


@pytest.mark.parametrize(
    ("kind", "fields", "text"),
    [
        ("move", {"move": "A1T"}, "while a game is open"),
        ("undo", {}, "while a game is open"),
        ("analyse", {"at": 0}, "while a game is open"),
        ("continue", {"id": "nothing"}, "must be one of the list"),
        ("new", {"settings": {"game": "chess"}}, "game must be one of"),
        (
            "new",
            {"settings": {"game": "boxes", "seats": [{"player": "engine:rm -rf /"}, {}]}},
            "seat.player must be",
        ),
        (
            "new",
            {"settings": {"game": "boxes", "seats": [{"player": "zero:/etc"}, {}]}},
            "seat.player must be",
        ),
        (
            "new",
            {"settings": {"game": "boxes", "seats": [{"player": "easy@miss=0"}, {}]}},
            "seat.player must be",
        ),
        ("fly", {}, "message.type must be one of"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(tmp_path, kind, fields, text):
    """Above all: no page can name a program or a folder of this machine."""

    async def check():
        async with open_site(tmp_path) as site:
            page = Page(site)
            await page.hello()
            error = await page.ask(kind, "error", **fields)
            assert text in error["text"]
            assert "\n" not in error["text"]
            assert (await page.begin(TWO))["view"]["num_moves"] == 0

    asyncio.run(check())


@in_time
async def test_a_move_on_the_computers_turn_or_against_the_rules_changes_nothing(tmp_path):
    async with open_page(tmp_path, delay=5.0) as page:
        await page.begin(TWO, (ME, EASY))
        assert "must be in a column" in (await page.ask("move", "error", move="Z9T"))["text"]
        await page.move("A1T")
        assert "computer's" in (await page.ask("move", "error", move="A1B"))["text"]
        assert (await page.ask("look", "error", at=7))["text"] == "move must be in 0..1, got 7"


@in_time
async def test_an_error_of_the_program_is_told_and_does_not_hang_the_page(tmp_path):
    async with open_page(tmp_path) as page:

        def broken(question):
            raise KeyError("oops")

        page.site.workers.ask = broken
        page.heard.clear()
        await page.say("new", settings={"game": "boxes", "rules": TWO, "seats": [EASY, ME]})
        error = await page.hear("error")
        assert error["text"].startswith("internal error KeyError")
        assert error["of"] == "computer"


@in_time
async def test_two_pages_that_want_each_others_game_do_not_wait_for_ever(tmp_path):
    async with open_site(tmp_path) as site:
        one, two = Page(site), Page(site)
        games = []
        for page in (one, two):
            await page.hello()
            games.append((await page.begin(TWO))["game"]["id"])
        async with two.connection.lock:  # as if it were taking a game itself
            module._PATIENCE, usual = 0.05, module._PATIENCE
            try:
                error = await one.ask("continue", "error", id=games[1])
            finally:
                module._PATIENCE = usual
        assert error["text"] == "a game must be let go by the page that plays it: try again"
        assert (await one.ask("continue", "begin", id=games[1]))["game"]["id"] == games[1]
