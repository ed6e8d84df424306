"""Dots and Boxes in a real browser: taps, a drag, pause in mid-capture, a killed server, statistics."""

from browsers import Seen, needs_browser
from played_sessions import EXAMPLE, boxes
from served import server

from dotzero.play.saves import Saves

pytestmark = needs_browser
CORRIDOR = ["A1T", "A1B", "B1T", "B1B", "C1T", "C1B", "D1T", "D1B"]
"""On 1x4: a corridor of four boxes, opened by the next line."""


def test_a_whole_game_by_taps(context, tmp_path):
    """R104, R106, R109-R112, R115, R116: 3x3 against easy, every line of mine by a tap of a finger.

    R064, R145, R154: once more with sides swapped; both games add up, and who began is told.
    """
    with server(tmp_path, "--delay", "0") as running:
        seen = Seen(context, running.url)
        seen.page.evaluate("localStorage.setItem('dotzero', JSON.stringify({delay: 0}))")
        seen.page.reload()
        seen.start(game="boxes", opponent="easy", size="3x3", first="you")
        again = 0
        while seen.wait_turn():
            drawn = seen.lines()
            again += seen.status == "BOX! MOVE AGAIN"
            seen.page.touchscreen.tap(*seen.middle(seen.page.locator(".ghost").first))
            seen.page.wait_for_function("(n) => document.querySelectorAll('line.line').length > n", arg=drawn)
        assert seen.lines() == 24
        assert sum(seen.scores) == 9
        assert seen.page.locator("rect.box").count() == 9
        assert seen.page.locator("text.initial").count() == 9  # R108
        assert {*seen.page.locator("text.initial").all_text_contents()} <= {"Y", "E"}
        seen.page.wait_for_selector("#tally")
        facts = dict(zip(seen.page.locator("#result dt").all_inner_texts(),
                         seen.page.locator("#result dd").all_inner_texts(), strict=True))  # fmt: skip
        assert facts["Board"] == "3×3"
        assert facts["Lines drawn"] == "24"
        assert int(facts["Wins"]) + int(facts["Losses"]) == 1
        won = seen.scores[0] > seen.scores[1]
        assert seen.page.inner_text("#outcome") == ("You won, by count." if won else "You lost, by count.")
        assert again >= 0
        assert facts["Began"] == "You"
        first = seen.scores
        seen.page.click("#again")
        seen.page.wait_for_function("() => document.querySelectorAll('line.line').length <= 1")
        assert seen.page.locator(".player .name").all_inner_texts() == ["Easy", "You"]
        seen.page.click("#menu")
        seen.page.click("#menu-resign")
        seen.page.click("[data-act=resign]")
        points = seen.page.inner_text("#match [data-name=match_points]")
        wins = seen.page.inner_text("#match [data-name=match_wins]")
        second = seen.scores
        assert points == f"points: You {first[0] + second[1]} : {first[1] + second[0]} Easy"
        assert wins == f"wins: You {int(won)} : {2 - int(won)} Easy"
        assert seen.faults == []


def test_a_drag_marks_the_nearest_free_line_and_draws_it_on_release(context, tmp_path):
    """R107: the mark follows; leaving the board draws nothing; near the edge counts."""
    with server(tmp_path) as running:
        seen = Seen(context, running.url)
        seen.start(game="boxes", opponent="", size="3x3")
        page, ghosts = seen.page, seen.page.locator(".ghost")
        first, second = seen.middle(ghosts.nth(0)), seen.middle(ghosts.nth(13))

        def marked():
            return [
                round(float(page.locator(".aim").get_attribute(name))) for name in ("x1", "y1", "x2", "y2")
            ]

        page.mouse.move(*first)
        page.mouse.down()
        at_first = marked()
        page.mouse.move(*second, steps=4)
        assert marked() != at_first
        target = marked()
        assert seen.lines() == 0
        page.mouse.up()
        page.wait_for_selector("line.line", state="attached")
        drawn = page.locator("line.line")
        assert [round(float(drawn.get_attribute(name))) for name in ("x1", "y1", "x2", "y2")] == target
        page.mouse.move(*first)
        page.mouse.down()
        page.mouse.move(first[0], 5)
        assert page.locator(".aim").count() == 0
        page.mouse.up()
        box = page.locator("#board svg").bounding_box()
        page.mouse.click(first[0], box["y"] + 8)  # above the dots, nearest to the first line
        page.wait_for_function("() => document.querySelectorAll('line.line').length === 2")
        assert page.locator(".halo").count() == 1  # R110
        assert seen.faults == []


def test_a_pause_in_mid_capture_and_a_killed_server(context, tmp_path):
    """R111, R113, R114, R150, R151: of four lines some come, the pause stops the others, kill -9, and on."""
    with Saves(tmp_path) as saves:
        session = boxes(1, 4, seats=(None, "medium"))
        session.replay([session.notation.parse(name) for name in CORRIDOR])
        saves.put(session)
    with server(tmp_path) as running:
        seen = Seen(context, running.url)
        page = seen.page
        page.evaluate("localStorage.setItem('dotzero', JSON.stringify({delay: 1.2}))")
        page.reload()
        page.click("[data-act=continue]")
        page.wait_for_selector("#board")
        assert seen.lines() == 8
        page.touchscreen.tap(*seen.middle(page.locator(".ghost").first))
        page.wait_for_function("() => document.querySelectorAll('rect.box').length >= 1")
        page.click("#menu")
        page.wait_for_selector("dialog[open]")
        page.wait_for_function(
            "() => document.querySelector('#status').textContent === 'The game is paused.'"
        )
        before = seen.lines()
        assert 10 <= before < 13
        assert page.inner_text("dialog h2") == "Pause"
        port = running.host.rpartition(":")[2]
        running.kill()
        page.wait_for_selector("#banner:not([hidden])")
    with Saves(tmp_path) as saves:
        (saved,) = saves.unfinished()
        assert saved.num_moves == before
    with server(tmp_path, "--port", port):
        page.wait_for_function("() => document.querySelectorAll('rect.box').length === 4")
        page.wait_for_selector("#tally")
        assert seen.scores == [0, 4]
        assert page.inner_text("#outcome") == "You lost, by count."


def test_statistics_after_win_win_draw_loss_win(context, tmp_path):
    """R116, R117: the fifth game is won by its last line in the browser; reloading counts nothing twice."""
    with Saves(tmp_path) as saves:
        for outcome in "WWDL":
            session = boxes(seats=(None, "easy"))
            if outcome == "D":
                session.offer_end(0)
            else:
                session.resign(outcome == "W")
            saves.put(session)
        session = boxes(seats=(None, "easy"))
        session.replay([session.notation.parse(name) for name in EXAMPLE[:-1]])
        saves.put(session)
    with server(tmp_path) as running:
        seen = Seen(context, running.url)
        seen.page.click("[data-act=continue]")
        seen.page.wait_for_selector("#board")
        assert seen.wait_turn()
        seen.page.touchscreen.tap(*seen.middle(seen.page.locator(".ghost")))

        def shown():
            seen.page.wait_for_selector("#tally")
            names = ("wins", "losses", "draws", "win_rate", "streak", "best_streak")
            return [seen.page.inner_text(f"#tally [data-name={name}]") for name in names]

        assert seen.page.wait_for_selector("#outcome").inner_text() == "You won, by count."
        assert shown() == ["3", "1", "1", "60%", "1", "2"]
        seen.page.reload()
        seen.page.wait_for_selector("#play")
        assert seen.page.locator("[data-act=continue]").count() == 0
        seen.page.click("#statistics")
        assert shown() == ["3", "1", "1", "60%", "1", "2"]
        assert seen.faults == []


def test_what_lines_give_away_is_told_before_one_is_drawn(context, tmp_path):
    """R051, R156: sizes are in boxes and their dots are told; a corridor of four is announced as such."""
    with Saves(tmp_path) as saves:
        session = boxes(1, 4, names=("Anna", "Boris"))
        session.replay([session.notation.parse(name) for name in CORRIDOR])
        saves.put(session)
    with server(tmp_path) as running:
        seen = Seen(context, running.url)
        page = seen.page
        assert "Board (in boxes)" in page.inner_text("#settings")
        assert page.locator("#settings .note", has_text="36 dots, 60 lines").count() == 1
        page.click("[data-act=continue]")
        page.click("#analyse")
        page.wait_for_selector("#analysis-panel .mark.exact")
        panel = page.inner_text("#analysis-panel")
        assert "Lines that give boxes away: " in panel
        assert "A1L (4)" in panel
        assert "Long chains: 1, loops: 0" in panel
        assert page.locator("rect.chain.long").count() == 4
        assert seen.faults == []


def test_undo_hint_and_analysis(context, tmp_path):
    with server(tmp_path, "--delay", "0") as running:
        seen = Seen(context, running.url)
        page = seen.page
        seen.start(game="boxes", opponent="medium", size="3x3", first="you")
        page.touchscreen.tap(*seen.middle(page.locator(".ghost").nth(5)))
        page.wait_for_function("() => document.querySelectorAll('line.line').length === 2")
        assert seen.wait_turn()
        page.click("#undo")
        page.wait_for_function("() => document.querySelectorAll('line.line').length === 0")
        assert "Taken back" in seen.status
        page.click("#hint")
        page.wait_for_selector("line.hint", state="attached")
        page.click("#analyse")
        page.wait_for_selector("#analysis-panel .mark.exact")
        assert "−3" in page.inner_text("#analysis-panel")  # R089: 3x3 is lost by three for the first player
        assert page.locator("text.value").count() == 24
        assert page.locator("line.safe").count() == 24
        page.click("#as-text")
        assert "+   +   +   +" in page.inner_text("dialog pre")
        page.keyboard.press("Escape")
        assert seen.faults == []
