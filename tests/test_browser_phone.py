"""The page on a narrow screen: a large board that follows the game, long names, marks in their boxes."""

import pytest
from browsers import Seen, needs_browser
from played_sessions import boxes, kropki, play
from served import server

from dotzero.play.levels import PLAYER_LABELS
from dotzero.play.saves import Saves
from dotzero.play.seats import LONGEST_NAME
from dotzero.play.timers import TimeControl

pytestmark = needs_browser
LEFT = "() => document.querySelector('.frame').scrollLeft"
TOUCH = """(touching) => {
    const frame = document.querySelector('.frame'), touch = new Touch({ identifier: 1, target: frame });
    const name = touching ? 'touchstart' : 'touchend';
    frame.dispatchEvent(new TouchEvent(name, { touches: touching ? [touch] : [] }));
}"""
SPY = """() => {
    window.scrolled = [];
    const scrollTo = Element.prototype.scrollTo;
    Element.prototype.scrollTo = function (wish) {
        window.scrolled.push(wish.behavior);
        return scrollTo.call(this, wish);
    };
}"""

SHOWN = """(name) => {
    const range = document.createRange(), text = name.firstChild, box = name.getBoundingClientRect();
    let shown = 0;
    for (let place = 0; place < text.length; place += 1) {
        range.setStart(text, place);
        range.setEnd(text, place + 1);
        const letter = range.getBoundingClientRect();
        if (letter.right <= box.right + 1 && letter.bottom <= box.bottom + 1) shown += 1;
    }
    return shown;
}"""
"""How many letters of a name lie within its place."""


def type_move(seen, text, count):
    """Make a move in the field and wait until there are so many dots."""
    seen.page.fill("#typed", text)
    seen.page.press("#typed", "Enter")
    seen.page.wait_for_function("(n) => document.querySelectorAll('g.dot').length === n", arg=count)


def in_sight(seen, selector):
    """Whether the middle of an element lies in the frame of the board."""
    inner, frame = (seen.page.locator(name).bounding_box() for name in (selector, ".frame"))
    return frame["x"] < inner["x"] + inner["width"] / 2 < frame["x"] + frame["width"]


def settle(seen, left):
    """Wait until the frame has scrolled to a place."""
    seen.page.wait_for_function(
        "(left) => Math.abs(document.querySelector('.frame').scrollLeft - left) <= 1", arg=left
    )


def far_right(seen):
    return seen.page.evaluate(
        "() => { const f = document.querySelector('.frame'); return f.scrollWidth - f.clientWidth; }"
    )


def test_a_large_board_follows_the_last_move(context, tmp_path):
    """R003, R004, R110: 39x32 opens at its middle and goes where something happens."""
    with server(tmp_path) as running:
        seen = Seen(context, running.url)
        seen.start(game="kropki", opponent="", size="39x32")
        most = far_right(seen)
        assert abs(seen.page.evaluate(LEFT) - most / 2) <= 2
        seen.page.evaluate(SPY)
        type_move(seen, "ab", 5)
        settle(seen, 0)
        assert in_sight(seen, ".last")
        type_move(seen, "Mb", 6)
        settle(seen, most)
        assert in_sight(seen, ".last")
        assert seen.page.evaluate("() => window.scrolled") == ["smooth", "smooth"]
        type_move(seen, "Lc", 7)  # in sight already
        assert seen.page.evaluate("() => window.scrolled") == ["smooth", "smooth"]
        assert seen.faults == []


def test_a_board_in_the_players_hands_stays_where_it_is(context, tmp_path):
    """A finger that pans, and a look elsewhere that has only just begun, are not disturbed."""
    with server(tmp_path) as running:
        seen = Seen(context, running.url)
        seen.start(game="kropki", opponent="", size="39x32")
        settle(seen, far_right(seen) / 2)
        seen.page.wait_for_timeout(1000)  # what scrolled at the beginning was no player
        seen.page.evaluate(TOUCH, True)
        type_move(seen, "ab", 5)
        seen.page.evaluate(TOUCH, False)
        seen.page.evaluate("() => { document.querySelector('.frame').scrollLeft = 100; }")
        type_move(seen, "Mb", 6)
        assert seen.page.evaluate(LEFT) == 100
        seen.page.wait_for_timeout(1600)
        type_move(seen, "Mc", 7)
        settle(seen, far_right(seen))
        assert seen.faults == []


def test_without_motion_and_when_a_game_is_opened_the_board_jumps(browser, tmp_path):
    """R003: prefers-reduced-motion; a game to go on with opens at its last move."""
    with Saves(tmp_path) as saves:
        session = kropki(39, 32)
        play(session, ["aa", "MF"])
        saves.put(session)
    made = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, locale="en-US", reduced_motion="reduce"
    )
    with server(tmp_path) as running:
        seen = Seen(made, running.url)
        seen.page.evaluate(SPY)
        seen.page.click("[data-act=continue]")
        seen.page.wait_for_selector("#board")
        assert seen.page.evaluate(LEFT) == far_right(seen)
        type_move(seen, "ab", 3)
        assert seen.page.evaluate(LEFT) == 0
        assert seen.page.evaluate("() => window.scrolled") == ["instant", "instant"]
        assert seen.faults == []
    made.close()


def test_a_larger_board_keeps_its_middle(context, tmp_path):
    with server(tmp_path) as running:
        seen = Seen(context, running.url)
        seen.start(game="kropki", opponent="", size="39x32")
        seen.page.click("[aria-label='Larger board']")
        assert abs(seen.page.evaluate(LEFT) - far_right(seen) / 2) <= 2
        assert seen.faults == []


@pytest.mark.parametrize("name", ["W" * LONGEST_NAME, "Ян " * 12 + "Ян"])
def test_the_longest_names_widen_nothing(context, tmp_path, name):
    """Also in dialogs and in the result; a name that is cut short is whole in its title."""
    with Saves(tmp_path) as saves:
        session = boxes(3, 3, names=(name, "M" * LONGEST_NAME))
        play(session, ["A1T"])
        saves.put(session)
    with server(tmp_path) as running:
        seen = Seen(context, running.url)
        page = seen.page

        def fits():
            return page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")

        page.click("[data-act=continue]")
        page.wait_for_selector("#board")
        assert fits()
        assert page.locator(".player .name").first.get_attribute("title") == name
        page.click("#menu")
        page.click("#menu-score")
        page.wait_for_selector("[data-act=accept]")
        dialog = page.locator("dialog")
        assert dialog.evaluate("(box) => box.scrollWidth <= box.clientWidth")
        page.click("[data-act=accept]")
        page.wait_for_selector("#outcome")
        assert fits()
        page.click("#again")
        page.wait_for_function("() => !document.querySelector('#outcome')")
        page.click("#menu")
        page.click("#menu-resign")
        page.click("[data-act=resign]")
        page.wait_for_selector("#match")
        assert fits()
        assert seen.faults == []


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("clock", [None, TimeControl(seconds=1800, increment=30)])
def test_the_name_of_every_level_is_whole_on_the_smallest_phone(browser, tmp_path, language, clock):
    """R003, R091: of a name that is longer eight letters are left at least."""
    others = ["Александра Константинопольская", "М" * LONGEST_NAME]
    with Saves(tmp_path) as saves:
        for name in (*PLAYER_LABELS, *others):
            session = boxes(3, 3, names=(name, "Ян"), clock=clock)
            play(session, ["A1T"])
            saves.put(session)
    made = browser.new_context(viewport={"width": 360, "height": 640}, locale=language)
    with server(tmp_path) as running:
        seen = Seen(made, running.url)
        page, names = seen.page, []
        for number in range(len(PLAYER_LABELS) + len(others)):
            page.goto(running.url)
            # The list has the newest first: the one that was opened last, too.
            page.locator("[data-act=continue]").nth(number).click()
            page.wait_for_selector("#board")
            names.append(page.locator(".player .name").first.text_content())
            assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
            assert page.locator(".player").first.evaluate("(card) => card.scrollWidth <= card.clientWidth")
            whole = page.locator(".player .name").first.evaluate(
                "(name) => name.scrollHeight <= name.clientHeight && name.scrollWidth <= name.clientWidth"
            )
            assert whole == (names[-1] not in others), names[-1]
            least = page.locator(".player .name").first.evaluate(SHOWN)
            assert least >= min(8, len(names[-1])), names[-1]
        assert sorted(names) == sorted([*(labels[language] for labels in PLAYER_LABELS.values()), *others])
        assert seen.faults == []
    made.close()


@pytest.mark.parametrize("mark", ["W", "WW", "WWW"])
def test_marks_lie_within_their_boxes(context, tmp_path, mark):
    """R108, R147: up to three characters, in a box and beside the name."""
    with server(tmp_path) as running:
        seen = Seen(context, running.url)
        page = seen.page
        seen.choose(game="boxes", opponent="")
        page.click("#settings summary")
        page.fill("[name=mark1]", mark)
        page.press("[name=mark1]", "Tab")
        seen.choose(size="3x3")
        page.click("#play")
        page.wait_for_selector("#board")
        lines = ["A1T", "C3T", "A1L", "C3R", "A1B", "C3B", "A1R"]
        for number, line in enumerate(lines, 1):
            page.fill("#typed", line)
            page.press("#typed", "Enter")
            page.wait_for_function("(n) => document.querySelectorAll('line.line').length === n", arg=number)
        text, box = (page.locator(name).bounding_box() for name in ("text.initial", "rect.box"))
        assert page.locator("text.initial").text_content() == mark
        assert box["x"] <= text["x"]
        assert text["x"] + text["width"] <= box["x"] + box["width"]
        sign = page.locator(".sign").first
        assert sign.evaluate("(sign) => sign.scrollWidth <= sign.clientWidth")
        assert seen.faults == []


def test_of_two_quick_taps_one_dot_is_made(context, tmp_path):
    """R164: one dot a move; the second tap comes before the answer to the first one."""
    with server(tmp_path) as running:
        seen = Seen(context, running.url)
        page = seen.page
        seen.start(game="kropki", opponent="", size="10x10")
        page.evaluate(
            """() => {
                const svg = document.querySelector('#board svg'), box = svg.getBoundingClientRect();
                for (const column of [2, 3]) {
                    const x = box.left + ((30 + 24 * column) / (46 + 24 * 9)) * box.width;
                    const y = box.top + ((30 + 24) / (46 + 24 * 9)) * box.height;
                    for (const type of ['pointerdown', 'pointerup']) {
                        const at = { bubbles: true, clientX: x, clientY: y, pointerId: 1 };
                        svg.dispatchEvent(new PointerEvent(type, at));
                    }
                }
            }"""
        )
        page.wait_for_function("() => document.querySelectorAll('g.dot').length === 5")
        page.fill("#typed", "aa")
        page.press("#typed", "Enter")
        page.wait_for_function("() => document.querySelectorAll('g.dot').length >= 6")
        assert page.locator("g.dot").count() == 6
        assert page.locator("g.dot.blue").count() == 3  # the second tap made none for the second player
        assert seen.faults == []
