"""The page by keyboard alone, in both languages, in light and dark, and checked by axe-core."""

import pytest
from browsers import Seen, needs_browser
from played_sessions import CAPTURE, boxes, finish, kropki
from served import server

from dotzero.play.saves import Saves

pytestmark = needs_browser


def focused(page):
    return page.evaluate(
        "() => document.activeElement.id || document.activeElement.name || document.activeElement.tagName"
    )


def tab_to(page, name):
    """Press Tab until something is focused."""
    for _ in range(60):
        if focused(page) == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{name} cannot be reached by keyboard")


def choose_by_keys(page):
    """From medium to easy, from 5x5 to 3x3, and begin."""
    tab_to(page, "opponent")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => document.querySelector('input[name=opponent][value=easy]').checked")
    tab_to(page, "size")
    for size in ("4x4", "3x3"):
        page.keyboard.press("ArrowLeft")
        chosen = f"input[name=size][value='{size}']"
        page.wait_for_function("(chosen) => document.querySelector(chosen).checked", arg=chosen)
    tab_to(page, "play")
    page.keyboard.press("Enter")
    page.wait_for_selector("#board")


WALK = "RRRRRDRDRDLLDDLLDDRRURRLDLDRU"
"""Arrow keys that lead from the first line of 3x3 to all others."""
ARROWS = {"R": "ArrowRight", "L": "ArrowLeft", "D": "ArrowDown", "U": "ArrowUp"}


def play_by_keys(seen):
    """Go over the board, Enter at every line, until the game is over; returns what was said of lines."""
    page, said = seen.page, set()
    for arrow in [*WALK, None]:
        if not seen.wait_turn() or focused(page) != "board":
            break
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.querySelector('#board').ariaBusy !== 'true'")
        said.add(page.inner_text("#said").strip())
        if arrow is not None:
            page.keyboard.press(ARROWS[arrow])
    page.wait_for_selector("#tally")
    return said


def test_a_whole_game_by_keyboard_alone(browser, tmp_path):
    """Settings, game, result: no mouse. The cursor goes round the board, Enter draws what is free."""
    context = browser.new_context(locale="en-US", reduced_motion="reduce")
    with server(tmp_path, "--delay", "0") as running:
        seen = Seen(context, running.url)
        page = seen.page
        choose_by_keys(page)
        assert focused(page) == "board"
        said = play_by_keys(seen)
        assert seen.lines() == 24
        assert any("free" in text or "drawn by" in text for text in said)
        assert focused(page) == "outcome"
        tab_to(page, "again")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.querySelectorAll('line.line').length <= 1")
        assert seen.wait_turn()
        tab_to(page, "typed")
        free = page.evaluate("() => document.querySelectorAll('line.line').length")
        page.keyboard.type("a1b" if free == 0 else "b2l")
        page.keyboard.press("Enter")
        page.wait_for_selector("line.line.blue", state="attached")
        assert seen.faults == []
    context.close()


def test_both_languages(browser, tmp_path):
    """R160, R163: the exact words; the choice stays, also in the middle of a game; help compares with Go."""
    context = browser.new_context(locale="ru-RU")
    with server(tmp_path) as running:
        seen = Seen(context, running.url)
        page = seen.page
        assert page.inner_text("#play") == "ИГРАТЬ"
        assert page.get_attribute("html", "lang") == "ru"
        assert page.locator("input[name=opponent] + span").all_inner_texts()[:5] == [
            *("Лёгкий", "Средний", "Сложный", "Безумный", "Нейросеть")
        ]
        assert "отличие от го" in page.text_content("details p:last-child")
        seen.start(game="boxes", opponent="easy", size="3x3", first="you")
        assert seen.status == "Ваш ход."
        page.click("#menu")
        assert page.inner_text("dialog .main") == "ДАЛЕЕ"
        page.select_option("dialog #language", "en")
        page.wait_for_function("() => document.querySelector('#status')?.textContent === 'Your move.'")
        assert page.get_attribute("html", "lang") == "en"
        assert page.locator(".player .name").all_inner_texts() == ["You", "Easy"]
        page.fill("#typed", "A1R")  # a game without a move would not be kept
        page.press("#typed", "Enter")
        page.wait_for_function("() => document.querySelectorAll('line.line').length > 0")
        page.reload()
        page.wait_for_selector("[data-act=continue]")
        assert page.inner_text("#play") == "PLAY"
        page.select_option("#language", "ru")
        page.wait_for_function(
            "() => document.querySelector('[data-act=continue]')?.textContent === 'ПРОДОЛЖИТЬ'"
        )
        assert seen.faults == []
    context.close()


def test_what_is_typed_leaves_the_next_action_alone(context, tmp_path):
    """The field behind is typed in, and one click on PLAY is enough, right after a key."""
    with server(tmp_path) as running:
        seen = Seen(context, running.url)
        page = seen.page
        seen.choose(game="kropki", size="own")
        page.click("[name=side0]")
        page.keyboard.press("Control+A")
        page.keyboard.type("60")
        page.wait_for_function("() => document.querySelector('#play').disabled")
        page.keyboard.press("Control+A")
        page.keyboard.type("12")  # that it can be played shows before the field is left
        page.wait_for_function("() => !document.querySelector('#play').disabled")
        page.keyboard.press("Tab")
        assert focused(page) == "side1"
        page.keyboard.type("9")
        assert [page.input_value(f"[name=side{index}]") for index in (0, 1)] == ["12", "9"]
        page.click("#settings summary")
        page.click("[name=name1]")
        page.keyboard.type("Anna")
        page.click("#play")
        page.wait_for_selector("#board")
        assert page.inner_text("h1") == "Kropki (Dots) 12×9"
        assert "Anna" in page.inner_text("#score")
        page.goto(running.url)
        seen.choose(game="boxes", size="own")
        page.click("[name=side1]")
        page.keyboard.press("Control+A")
        page.keyboard.type("3")
        assert "20 dots, 31 lines" in page.inner_text("#settings")
        assert seen.faults == []


def serious(page):
    """The serious and critical findings of axe-core."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        (item["id"], node["target"], node.get("failureSummary", "")[:200])
        for item in found
        if item["impact"] in ("serious", "critical")
        for node in item["nodes"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser, tmp_path, theme):
    """Start, both games with analysis, menu, STOP, result, statistics, and a page that is refused."""
    pytest.importorskip("axe_playwright_python")
    with Saves(tmp_path) as saves:
        saves.put(finish(boxes(3, 3, seats=(None, "easy"))))
        first, second = kropki(names=("Anna", "Boris")), boxes(3, 3, seats=(None, "easy"))
        first.replay([first.notation.parse(name) for name in CAPTURE])
        second.replay(range(10))
        for session in (second, first):
            saves.put(session)
    context = browser.new_context(color_scheme=theme, locale="en-US", reduced_motion="reduce")
    with server(tmp_path, "--delay", "0") as running:
        seen = Seen(context, running.url)
        seen.page.click("text=More settings")
        assert serious(seen.page) == []
        seen.page.click("#statistics")
        seen.page.wait_for_selector("#back")
        assert serious(seen.page) == []
        for has_stop in (True, False):
            seen.page.goto(running.url)
            check_a_game(seen, has_stop)
        seen.page.goto(f"{running.url}?profile={'x' * 70}")
        seen.page.wait_for_selector("#refused")
        assert serious(seen.page) == []
        assert seen.faults == []
    context.close()


def check_a_game(seen, has_stop):
    """Look at everything that there is of the newest game, and resign it."""
    page = seen.page
    page.locator("[data-act=continue]").first.click()
    page.wait_for_selector("#board")
    seen.wait_turn()
    page.click("#analyse")
    page.wait_for_selector("#analysis-panel p:nth-child(2)")
    page.wait_for_selector("#graph svg")
    assert serious(page) == []
    if has_stop:
        page.click("#stop")
        assert serious(page) == []
        page.keyboard.press("Escape")
    page.click("#menu")
    page.wait_for_selector("dialog[open]")
    assert serious(page) == []
    page.click("#menu-resign")
    page.click("[data-act=resign]")
    page.wait_for_selector("#outcome")
    assert serious(page) == []
