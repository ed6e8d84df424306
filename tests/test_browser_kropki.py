"""Kropki in a real browser: taps, STOP with its warning, a solo phase, agreement, records."""

from browsers import Seen, needs_browser
from played_sessions import CAPTURE, kropki
from served import server

from dotzero.play.levels import LEVELS
from dotzero.play.saves import Saves

pytestmark = needs_browser
LEVEL = "medium" if "medium" in LEVELS["kropki"] else next(iter(LEVELS["kropki"]))
MARGIN, EDGE, CELL = 30, 16, 24  # as in static/kropki_board.js


def place(seen, column, row, columns, rows):
    """Where a point lies on the screen."""
    box = seen.page.locator("#board svg").bounding_box()
    width, height = MARGIN + EDGE + CELL * (columns - 1), MARGIN + EDGE + CELL * (rows - 1)
    x, y = MARGIN + CELL * column, MARGIN + CELL * row
    return box["x"] + x / width * box["width"], box["y"] + y / height * box["height"]


def save_and_open(page):
    """Save the record of the game that is over as SGF, and open it again."""
    with page.expect_download() as saved:
        page.click("#menu")
        page.click("#menu-record-2")
    assert saved.value.suggested_filename.endswith(".sgf")
    assert "GM[40]" in saved.value.path().read_text(encoding="utf-8")
    page.click("#new")
    page.wait_for_selector("#play")
    page.set_input_files("#file", saved.value.path())
    page.wait_for_selector("#outcome")


def dots(seen):
    return seen.page.locator("g.dot").count()


def test_a_game_against_a_level_by_taps_to_its_end(context, tmp_path):
    """R104, R120, R121, R037: 10x10; taps until the board says so, then a STOP, asked once more."""
    with server(tmp_path, "--delay", "0") as running:
        seen = Seen(context, running.url)
        page = seen.page
        page.evaluate("localStorage.setItem('dotzero', JSON.stringify({delay: 0}))")
        page.reload()
        seen.start(game="kropki", opponent=LEVEL, size="10x10", first="you")
        assert dots(seen) == 4  # R007
        for number in range(14):
            column, row = number % 7 + 1, 1 + 7 * (number // 7)
            assert seen.wait_turn()
            before = dots(seen)
            page.touchscreen.tap(*place(seen, column, row, 10, 10))
            page.wait_for_function("(n) => document.querySelectorAll('g.dot').length >= n", arg=before + 2)
        assert dots(seen) == 4 + 28
        page.click("#stop")
        warning = page.inner_text("#ungrounded")
        assert warning.startswith("Dots not grounded: ")
        loose = int(warning.rpartition(" ")[2])
        assert loose > 0
        page.click("dialog [data-act='']")
        assert page.locator("#outcome").count() == 0
        page.click("#stop")
        page.click("dialog [data-act=stop]")
        page.wait_for_selector("#tally")
        mine, other = seen.scores
        assert other >= loose  # R140
        won = {True: "You won", False: "You lost"}[mine > other] if mine != other else "A draw"
        assert page.inner_text("#outcome") == f"{won}, after STOP."
        counts = [page.inner_text(f"#tally [data-name={name}]") for name in ("wins", "losses", "draws")]
        assert sorted(counts) == ["0", "0", "1"]
        page.click("#to-start")
        page.wait_for_function("() => document.querySelectorAll('g.dot').length === 4")
        page.click("#one-on")
        page.wait_for_function("() => document.querySelectorAll('g.dot').length === 5")
        assert seen.faults == []


def test_two_people_capture_and_end_by_agreement(context, tmp_path):
    """R031, R035, R120, R144, R161: two people at one device.

    Chain and tint are drawn, the dead dot is crossed out; an end is offered and accepted; the record is saved
    and opened again.
    """
    with Saves(tmp_path) as saves:
        session = kropki(names=("Anna", "Boris"))
        session.replay([session.notation.parse(name) for name in CAPTURE[:-1]])
        saves.put(session)
    with server(tmp_path) as running:
        seen = Seen(context, running.url)
        page = seen.page
        page.click("[data-act=continue]")
        page.wait_for_selector("#board")
        x, y = place(seen, 2, 3, 5, 5)  # cd closes the ring
        page.mouse.move(*place(seen, 0, 3, 5, 5))
        page.mouse.down()
        page.mouse.move(x + 3, y - 3)
        assert page.locator(".aim-dot.red").count() == 1
        page.mouse.up()
        page.wait_for_selector("polygon.area.red", state="attached")
        assert page.locator("polygon.fence.red").get_attribute("points").count(",") == 4
        assert page.locator("g.dot.blue.dead").count() == 1
        assert seen.scores == [0, 1]
        assert "Boris: cd, captures 1 dot." in seen.status
        page.click("#menu")
        page.click("#menu-score")
        page.wait_for_selector("dialog [data-act=accept]")
        assert "Anna offers" in page.inner_text("dialog")
        page.click("dialog [data-act=accept]")
        page.wait_for_selector("#outcome")
        assert page.inner_text("#outcome") == "Boris won, by agreement."
        assert page.locator("#tally").count() == 0
        page.click("#analyse")  # of a game that is over: how it ended
        page.wait_for_selector("#analysis-panel p:not(:text('Analysing'))")
        assert page.inner_text("#analysis-panel").strip() == "Boris won, by agreement."
        save_and_open(page)
        assert page.locator("polygon.area.red").count() == 1
        assert seen.faults == []


def test_a_solo_phase_shows_its_countdown(context, tmp_path):
    """R036, R121, R139: after STOP the other places dots alone, and ends it."""
    with Saves(tmp_path) as saves:
        session = kropki(7, 7, names=("Anna", "Boris"), rules={"stop": "solo"})
        session.replay([session.notation.parse(name) for name in ("dd", "aa")])
        saves.put(session)
    with server(tmp_path) as running:
        seen = Seen(context, running.url)
        page = seen.page
        page.click("[data-act=continue]")
        page.wait_for_selector("#board")
        page.click("#stop")
        assert "goes on alone" in page.inner_text("dialog")
        page.click("dialog [data-act=stop]")
        page.wait_for_selector(".status.solo")
        assert seen.status.startswith("Boris goes on alone: ")
        for column, row in ((3, 2), (2, 3), (4, 3), (3, 4)):
            before = dots(seen)
            page.touchscreen.tap(*place(seen, column, row, 7, 7))
            page.wait_for_function("(n) => document.querySelectorAll('g.dot').length > n", arg=before)
        assert seen.scores == [0, 1]
        page.click("#stop")
        page.click("dialog [data-act=stop]")
        page.wait_for_selector("#outcome")
        assert page.inner_text("#outcome") == "Boris won, after STOP."
        assert seen.faults == []


def test_a_large_board_scrolls_on_a_phone_and_a_tap_still_plays(context, tmp_path):
    """R003, R004: 39x32 has points at least 15 pixels apart, whatever the screen."""
    with server(tmp_path) as running:
        seen = Seen(context, running.url)
        page = seen.page
        seen.start(game="kropki", opponent="", size="39x32")
        width, room = page.evaluate(
            "() => ['#board', '.frame'].map((name) => document.querySelector(name).clientWidth)"
        )
        assert width > room
        page.touchscreen.tap(*place(seen, 20, 3, 39, 32))  # the middle columns are in sight
        page.wait_for_function("() => document.querySelectorAll('g.dot').length === 5")
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
        assert seen.faults == []
