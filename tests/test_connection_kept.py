"""A page's game when something comes in between: time, a full disk, another screen, another game."""

import asyncio
import threading

import pytest
from open_pages import Page, in_time, open_page, open_site
from played_sessions import Time, boxes, play

from dotzero.play.saves import Saves
from dotzero.play.tallies import Table
from dotzero.play.web.insights import Insights

EASY, ME = {"player": "easy"}, {}
TWO = {"rows": 2, "columns": 2}
TABLE = Table("boxes", "2x2", "usual", "easy")


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("move", {"move": "A1B"}),
        ("offer", {"terms": "draw"}),
        ("resign", {}),
        ("hint", {}),
        ("look", {"at": 0}),
        ("leave", {}),
    ],
)
@in_time
async def test_a_message_after_the_deadline_does_not_hide_the_loss_on_time(tmp_path, kind, fields):
    """R043, R116: whatever comes between the deadline and the timer of the loop."""
    time = Time()
    async with open_page(tmp_path, now=time) as page:
        await page.begin(TWO, (ME, EASY), clock={"seconds": 30, "increment": 0})
        time.pass_by(31)
        page.heard.clear()
        await page.say(kind, **fields)
        ended = await page.hear("game")
        assert ended["view"]["result"] == {"winner": 1, "reason": "time", "score": [0, 0]}
        assert (await page.hear("tally"))["row"]["losses"] == 1
        assert page.site.saves.tally(TABLE).losses == 1
        assert page.site.saves.unfinished() == []
        await page.connection._check_time()  # the timer of the loop, late
        assert [message for message in page.heard if message["type"] == "game"] == []


@in_time
async def test_a_page_that_is_closed_after_the_deadline_has_lost(tmp_path):
    """R043, R116."""
    time = Time()
    async with open_page(tmp_path, now=time) as page:
        await page.begin(TWO, (ME, EASY), clock={"seconds": 30, "increment": 0})
        time.pass_by(31)
        page.connection.game().check_time()  # seen, but not told yet
        await page.connection.close()
        assert page.site.saves.tally(TABLE).losses == 1


@in_time
async def test_a_disk_that_refuses_does_not_stop_the_game(tmp_path):
    """R114: the page is told once, play goes on, and the next message stores again."""
    async with open_page(tmp_path) as page:
        begin = await page.begin(TWO, (ME, EASY))
        put = page.site.saves.put

        def full(session, profile=""):
            raise OSError(28, "No space left on device")

        page.site.saves.put = full
        error = await page.ask("move", "error", move="A1T")
        assert (error["of"], "No space left" in error["text"]) == ("save", True)
        view = await page.persons_turn(await page.hear("game"))
        assert view["num_moves"] >= 2
        assert (await page.ask("resign", "game"))["view"]["finished"]
        assert page.site.saves.tally(TABLE).games == 0
        page.site.saves.put = put
        await page.ask("look", "looked", at=0)
        assert page.site.saves.tally(TABLE).losses == 1
        assert begin["game"]["person"] == 0


@in_time
async def test_a_game_that_the_page_cannot_play_is_not_taken_from_whoever_plays_it(tmp_path):
    async with open_site(tmp_path) as site:
        with Saves(tmp_path) as terminal:
            session = boxes(2, 2, seats=(None, "greedy"))
            play(session, ["A1T"])
            terminal.put(session)
            page = Page(site)
            await page.hello()
            error = await page.ask("continue", "error", id=session.id)
            assert "seat.player must be one of" in error["text"]
            session.undo()
            play(session, ["A1B"])
            terminal.put(session)  # raises ValueError where the page has taken the game


@in_time
async def test_an_answer_about_the_game_before_never_reaches_the_next_one(tmp_path, monkeypatch):
    go_on, begun = threading.Event(), threading.Event()

    def slow(self, game, *rest):
        begun.set()
        assert go_on.wait(30)
        return {"margin": [], "win": None, "exact": []}

    monkeypatch.setattr(Insights, "analyse", slow)
    monkeypatch.setattr(Insights, "graph", slow)

    try:
        async with open_page(tmp_path) as page:
            await page.begin({"rows": 3, "columns": 3})
            await page.say("analyse", at=0)
            await page.say("graph")
            tasks = list(page.connection._reading.values())
            assert await asyncio.to_thread(begun.wait, 30)
            begin = await page.begin(TWO)
            go_on.set()
            await asyncio.gather(*tasks, return_exceptions=True)
            assert {message["type"] for message in page.heard} <= {"home", "begin"}
            graph = await page.ask("graph", "graph")
            assert graph["game"] == begin["game"]["id"]
            assert (await page.ask("analyse", "analysis", at=0))["game"] == begin["game"]["id"]
    finally:
        go_on.set()


@in_time
async def test_a_hint_for_a_position_that_is_gone_is_not_told(tmp_path):
    async with open_page(tmp_path) as page:
        begin = await page.begin(TWO)
        asked, free = asyncio.Event(), asyncio.Event()

        async def ask(question):
            asked.set()
            await free.wait()
            return 3

        page.site.workers.ask = ask
        await page.say("hint")
        await asked.wait()
        await page.move("A1T")
        free.set()
        await page.connection._reading["hint"]
        assert [message for message in page.heard if message["type"] == "hint"] == []
        hint = await page.ask("hint", "hint")
        assert (hint["at"], hint["game"]) == (1, begin["game"]["id"])


@in_time
async def test_analyses_do_not_hold_up_moves(tmp_path, monkeypatch):
    """However many pages wait for analyses, the threads that search are free."""
    go_on = threading.Event()

    def slow(self, game, *rest):
        assert go_on.wait(30)
        return {}

    monkeypatch.setattr(Insights, "analyse", slow)

    try:
        async with open_site(tmp_path, num_threads=2) as site:
            pages = [Page(site) for _ in range(4)]
            for page in pages:
                await page.hello()
                await page.begin({"rows": 3, "columns": 3}, (ME, EASY))
                await page.say("analyse", at=0)
            view = await pages[0].persons_turn(await pages[0].move("A1T"))
            assert view["num_moves"] >= 2
            assert not go_on.is_set()
            go_on.set()
            for page in pages[1:]:
                await page.hear("analysis")
    finally:
        go_on.set()


@in_time
async def test_an_offer_is_weighed_beside_the_loop(tmp_path, monkeypatch):
    """R035: a solver may think about it, and other pages play on."""
    from dotzero.play import sessions

    threads = []

    def weigh(game, state, seat, terms):
        threads.append(threading.current_thread())
        return False

    monkeypatch.setattr(sessions, "accepts", weigh)

    async with open_page(tmp_path) as page:
        await page.begin(TWO, (ME, EASY))
        answer = await page.ask("offer", "game", terms="draw")
        assert answer["event"] == {"kind": "offer", "agreed": False}
        assert threads
        assert threading.main_thread() not in threads


@in_time
async def test_a_game_without_a_move_is_not_kept(tmp_path):
    """As in the terminal; but a page that has lost its connection finds its game again."""
    async with open_page(tmp_path) as page:
        await page.begin(TWO)
        begin = await page.begin(TWO)
        assert [saved.id for saved in page.site.saves.unfinished()] == [begin["game"]["id"]]
        await page.connection.close()
        again = Page(page.site)
        assert (await again.hello())["saved"] == []
        await again.ask("continue", "begin", id=begin["game"]["id"])
        assert (await again.ask("leave", "home"))["saved"] == []
        assert page.site.saves.unfinished() == []
