"""What the page says, in Russian above all: refusals, rules, numbers with their nouns, results, notices."""

import sqlite3

import pytest
from browsers import Seen, needs_browser
from played_sessions import boxes, kropki, play
from served import server

from dotzero.play.saves import FILE_NAME, Saves

pytestmark = needs_browser
LOOSE = ["cc", "aa", "cd"]
"""On an empty board of 5x5: player 1 has two dots in the middle, which are linked to no edge."""

NEVER_BY_ITSELF = """
const usual = window.setTimeout;
window.setTimeout = (act, wait, ...rest) => (wait === 8000 ? 0 : usual(act, wait, ...rest));
"""
"""The time after which a refusal goes by itself never comes."""


@pytest.fixture
def russian(browser):
    made = browser.new_context(locale="ru-RU", reduced_motion="reduce")
    yield made
    made.close()


def kept(folder, *sessions):
    """Store games to go on with, the newest last."""
    with Saves(folder) as saves:
        for session in sessions:
            saves.put(session)


def open_game(seen, number=0):
    """Go on with one of the list."""
    seen.page.locator("[data-act=continue]").nth(number).click()
    seen.page.wait_for_selector("#board")


def type_move(seen, text):
    seen.page.fill("#typed", text)
    seen.page.press("#typed", "Enter")


def banner(seen, text):
    """Wait until the banner says this."""
    seen.page.wait_for_function("(text) => document.querySelector('#banner').textContent === text", arg=text)


@pytest.mark.parametrize("word", ["стоп", "STOP"])
def test_a_typed_stop_warns_as_the_button_does(russian, tmp_path, word):
    """R037: how many dots are not grounded is told before STOP, however it is said; "Ян: СТОП." after it."""
    session = kropki(names=("Ян", "Ева"))
    play(session, [*LOOSE, "ea"])
    kept(tmp_path, session)
    with server(tmp_path) as running:
        seen = Seen(russian, running.url)
        page = seen.page
        open_game(seen)
        told = []
        for ask in (lambda: page.click("#stop"), lambda: type_move(seen, word)):
            ask()
            page.wait_for_selector("dialog[open]")
            told.append(page.inner_text("dialog"))
            page.keyboard.press("Escape")
            page.wait_for_selector("dialog", state="detached")
        assert told[0] == told[1]
        assert "Незаземлённых точек: 2" in told[0]
        assert page.locator("#outcome").count() == 0
        type_move(seen, word)
        page.click("dialog [data-act=stop]")
        page.wait_for_selector("#outcome")
        assert seen.status == "Ян: СТОП. Ева побеждает после СТОП."
        assert seen.scores == [0, 2]
        assert seen.faults == []


def test_a_refusal_is_told_in_russian_and_goes_with_the_next_move(russian, tmp_path):
    """R053, R160: each refusal has eight seconds of its own, unless something is done before."""
    kept(tmp_path, boxes(names=("Ян", "Ева")), kropki(rules={"stop": "off"}))
    with server(tmp_path) as running:
        seen = Seen(russian, running.url)
        page = seen.page
        page.clock.install()
        page.reload()
        page.wait_for_selector("#play")
        seen.start(game="boxes", opponent="", size="3x3")
        type_move(seen, "Z9T")
        banner(seen, "Линии «Z9T» нет; пример: A3T.")
        page.clock.run_for(5000)
        type_move(seen, "A1T")
        page.wait_for_selector("line.line", state="attached")
        banner(seen, "")  # something was done
        type_move(seen, "A2B")
        banner(seen, "A1T уже проведена: выберите другую линию.")
        page.clock.run_for(5000)  # the time of the first refusal is over
        assert page.locator("#banner").is_visible()
        page.clock.run_for(3100)
        assert page.locator("#banner").is_hidden()
        assert seen.faults == []


def test_a_refusal_goes_with_whatever_is_done_next(russian, tmp_path):
    """A hint, analysis, the board as text, a step: the refusal stays till one of them succeeds."""
    session = boxes(names=("Ян", "Ева"))
    play(session, ["A1T"])
    kept(tmp_path, session)
    russian.add_init_script(NEVER_BY_ITSELF)
    with server(tmp_path) as running:
        seen = Seen(russian, running.url)
        page = seen.page
        open_game(seen)
        assert page.get_attribute("#banner", "role") == "alert"  # spoken by screen readers
        for act in ("#hint", "#as-text", "#analyse", "#one-back", "#to-end"):
            type_move(seen, "Z9T")
            page.wait_for_selector("#banner:has-text('Z9T')", timeout=5000)
            page.click(act)
            banner(seen, "")
            page.keyboard.press("Escape")  # of the board as text
            if act == "#one-back":  # where nothing can be typed
                page.click("#to-end")
        assert seen.faults == []


def test_rules_and_numbers_are_told_in_words(russian, tmp_path):
    """R045, R138: what differs from the usual rules; 1 ход, 2 хода, 5 ходов; 2,5."""
    sessions = []
    for moves in (1, 2, 5):
        session = kropki(9, 9, rules={"komi": 2.5, "add_turn": True, "opening_zone": (3, 3), "stop": "off"})
        play(session, ["dd", "ee", "ff", "fa", "fb"][:moves])
        sessions.append(session)
    counted = kropki(seats=(None, "easy"), rules={"komi": 0.5, "stop": "solo"})
    counted.resign(0)
    kept(tmp_path, *sessions, counted)
    with server(tmp_path) as running:
        seen = Seen(russian, running.url)
        page = seen.page
        moves = [text.split(", ")[1] for text in page.locator(".saved small").all_inner_texts()]
        assert moves == ["5 ходов", "2 хода", "1 ход"]
        assert page.locator("#settings .note", has_text="36 точек, 60 линий").count() == 1
        open_game(seen)
        assert page.inner_text("#rules") == (
            "Правила: за окружение — ещё ход · коми 2,5: Игрок 2 · первые ходы — в центре 3×3 · "
            "пустое поле в начале · без СТОП"
        )
        page.goto(running.url)
        page.click("#statistics")
        page.wait_for_selector("#back")
        assert page.inner_text(".cards h2") == (
            "Точки (Kropki), 5×5, Лёгкий, коми 0,5: игрок 2 · пустое поле в начале · "
            "после СТОП соперник ходит в одиночку"
        )
        assert page.inner_text("[data-name=win_rate]").replace("\xa0", " ") == "0 %"
        counts = page.evaluate(
            "async () => { const { t } = await import('./texts.js');"
            "  return [1, 2, 5, 11, 21, 22, 2.5].map((number) => t('captured_points', { number })); }"
        )
        assert counts == [
            *("1 пункт", "2 пункта", "5 пунктов", "11 пунктов", "21 пункт", "22 пункта", "2,5 пункта")
        ]
        page.click("#back")
        page.wait_for_selector("#play")
        seen.start(game="boxes", opponent="", size="3x3")
        assert page.locator("#rules").count() == 0  # the usual ones
        assert seen.faults == []


@pytest.mark.parametrize("seats", [(None, "easy"), (None, None)])
def test_giving_up_is_told_as_russian_says_it(russian, tmp_path, seats):
    """R038: of whoever gives up, without a word that fits men only."""
    session = boxes(seats=seats, names=("Ева", ""))
    play(session, ["A1T"])
    kept(tmp_path, session)
    with server(tmp_path) as running:
        seen = Seen(russian, running.url)
        page = seen.page
        open_game(seen)
        seen.wait_turn()
        page.click("#menu")
        page.click("#menu-resign")
        page.click("[data-act=resign]")
        page.wait_for_selector("#outcome")
        alone = seats[1] is not None
        # Of two people the one to move gives up, here the second.
        assert page.inner_text("#outcome") == (
            "Вы сдали партию." if alone else "Ева побеждает: партия сдана."
        )
        assert seen.faults == []


def test_settings_that_cannot_be_played_and_a_mark_only_for_boxes(russian, tmp_path):
    """R003, R033, R042: the rule that is broken is told; variants that are not built are not offered."""
    with server(tmp_path) as running:
        seen = Seen(russian, running.url)
        page = seen.page
        page.click("#settings summary")
        seen.choose(game="boxes", opponent="")
        labels = page.locator(".grid label").all_inner_texts()
        assert [label.strip() for label in labels][:4] == [
            *("Имя первого игрока", "Знак первого игрока", "Имя второго игрока", "Знак второго игрока")
        ]
        seen.choose(game="kropki", opponent="")
        seen.choose(size="own")
        names = page.locator("#settings [name]").evaluate_all("(all) => all.map((one) => one.name)")
        assert set(names) == {
            *("game", "opponent", "size", "side0", "side1", "ruleset", "start", "stop"),
            *("name1", "name2", "clock"),
        }
        page.fill("[name=side0]", "53")
        page.press("[name=side0]", "Tab")
        page.wait_for_function("() => document.querySelector('#wrong').textContent !== ''")
        assert page.inner_text("#wrong") == "Столбцов и рядов должно быть от 2 до 52."
        assert page.locator("#play").is_disabled()
        page.fill("[name=side0]", "5")
        page.press("[name=side0]", "Tab")
        page.wait_for_function("() => document.querySelector('#wrong').textContent === ''")
        assert page.locator("#play").is_enabled()
        assert seen.faults == []


@pytest.mark.parametrize(
    ("game", "field", "rule"),
    [
        ("boxes", "Ряды", "Рядов и столбцов должно быть целое число от 1"),
        ("kropki", "Столбцы", "Столбцов и рядов должно быть от 2 до 52."),
    ],
)
def test_nothing_and_zero_are_no_size_of_a_board(russian, tmp_path, game, field, rule):
    """R003, R160: neither becomes another number silently; an empty field is told apart from a wrong one."""
    with server(tmp_path) as running:
        seen = Seen(russian, running.url)
        page = seen.page
        seen.choose(game=game)
        seen.choose(size="own")
        missing = f"{field}: нужно число."
        for typed, told in (("0", rule), ("", missing), ("-1", rule), ("", missing)):
            page.fill("[name=side0]", typed)
            page.wait_for_selector(f"#wrong:has-text('{told}')")
            assert page.locator("#play").is_disabled()
        page.fill("[name=side0]", "7")
        page.wait_for_selector("#play:enabled")
        # The answer to what was typed before comes when the field is empty.
        page.evaluate(
            """() => {
                const field = document.querySelector('[name=side0]');
                for (const value of ['8', '']) {
                    field.value = value;
                    field.dispatchEvent(new Event('input', { bubbles: true }));
                }
            }"""
        )
        page.wait_for_timeout(300)  # the time in which it comes
        assert page.inner_text("#wrong") == missing
        page.reload()
        page.wait_for_selector("#wrong:not(:empty)")
        assert page.input_value("[name=side0]") == ""
        assert page.locator("#play").is_disabled()
        page.fill("[name=side0]", "3")
        page.wait_for_selector("#play:enabled")
        page.click("#play")
        page.wait_for_selector("#board")
        assert page.inner_text("h1").split()[-1] == ("3×6" if game == "boxes" else "3×20")
        assert seen.faults == []


def test_only_a_board_that_can_be_played_has_its_dots_and_lines_counted(russian, tmp_path):
    """R003: no counts of an empty field, of 0, of 2,5 or of a board that the server refuses."""
    with server(tmp_path) as running:
        seen = Seen(russian, running.url)
        page = seen.page
        seen.choose(game="boxes")
        seen.choose(size="own")
        for typed in ("-1", "0", "2.5", "99", ""):
            page.fill("[name=side0]", "1")
            page.wait_for_selector("#counts:has-text('14 точек, 19 линий')")
            page.wait_for_selector("#play:enabled")
            page.fill("[name=side0]", typed)
            page.wait_for_selector("#wrong:not(:empty)")
            page.wait_for_selector("#counts:empty", state="attached")
            assert page.locator("#play").is_disabled()
        assert seen.faults == []


def test_a_long_profile_is_told_its_rule(russian, tmp_path):
    """The page is never empty; the language can be chosen, and the way on is a link."""
    with server(tmp_path) as running:
        page = russian.new_page()
        page.goto(f"{running.url}?profile={'x' * 70}")
        page.wait_for_selector("#refused")
        assert "не длиннее 64 знаков" in page.inner_text("#refused")
        page.select_option("#language", "en")
        page.wait_for_function(
            "() => document.querySelector('#refused').textContent.includes('at most 64 characters')"
        )
        page.click("#again")
        page.wait_for_selector("#play")
        assert "profile" not in page.url


def test_a_game_that_another_window_took_and_a_damaged_file_are_told(russian, tmp_path):
    (tmp_path / FILE_NAME).write_bytes(b"no database" * 100)
    with server(tmp_path) as running:
        one = Seen(russian, running.url)
        assert "Файл с партиями был повреждён" in one.page.inner_text(".notice")
        one.start(game="boxes", opponent="", size="3x3")
        type_move(one, "A1T")
        one.page.wait_for_selector("line.line", state="attached")
        two = Seen(russian, running.url)
        open_game(two)
        one.page.wait_for_selector(".notice")
        told = one.page.locator(".notice").all_inner_texts()
        assert told[0].startswith("Эту партию открыли в другом окне")
        assert "нажмите ПРОДОЛЖИТЬ" in told[0]
        assert one.page.locator("#banner").is_hidden()
        open_game(one)
        assert one.lines() == 1
        two.page.wait_for_selector(".notice")
        one.page.click("#menu")
        one.page.click("#menu-new")
        one.page.click("[data-act=leave]")
        one.page.wait_for_selector("#play")
        assert one.page.locator(".notice").count() == 1  # of the file alone
        assert one.faults == two.faults == []


@pytest.mark.parametrize(
    ("language", "told"),
    [
        (
            "en",
            [
                "1 saved game is damaged and passed over.",
                "2 results in the data file are damaged and not counted: no. 2, 3.",
            ],
        ),
        (
            "ru",
            [
                "1 сохранённая партия повреждена и пропущена.",
                "2 результата в файле данных повреждены и не учтены: № 2, 3.",
            ],
        ),
    ],
)
def test_damaged_rows_are_told_and_cost_no_other(russian, tmp_path, language, told):
    """R114, R153, R160: the start page says what it leaves out; the rest is offered."""
    ended = [boxes(seats=(None, "easy")) for _ in range(3)]
    for session in ended:
        session.resign(0)
    begun = [boxes(), boxes()]
    for session in begun:
        play(session, ["A1T"])
    kept(tmp_path, *ended, *begun)
    database = sqlite3.connect(tmp_path / FILE_NAME)
    with database:
        database.execute("UPDATE unfinished SET game = 'go' WHERE rowid = 1")
        database.execute("UPDATE finished SET outcome = 'won' WHERE number > 1")
    database.close()
    with server(tmp_path) as running:
        seen = Seen(russian, running.url)
        seen.page.select_option("#language", language)
        seen.page.wait_for_selector(f".notice:has-text('{told[0]}')")  # made anew once the words are there
        assert seen.page.locator(".notice").all_inner_texts() == told
        open_game(seen)
        assert seen.lines() == 1
        assert seen.faults == []
