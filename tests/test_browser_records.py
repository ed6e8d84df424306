"""The page's buttons and files: what is opened of a file of records, and what a second click begins."""

import pytest
from browsers import Seen, needs_browser
from played_sessions import EXAMPLE, boxes, finish, kropki, play
from served import server

from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.records import write_record
from dotzero.play.game_settings import GameSettings
from dotzero.play.saves import Saves
from dotzero.play.seats import Language
from dotzero.play.session_files import to_record
from dotzero.play.sessions import GameSession

pytestmark = needs_browser
FIRST_ONLY = "Only the first game of this file is shown."


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    with server(folder, "--delay", "0") as made:
        made.folder = folder
        yield made


@pytest.fixture
def seen(browser, running):
    context = browser.new_context(locale="en-US")
    opened = Seen(context, running.url)
    yield opened
    assert opened.faults == []
    context.close()


@pytest.mark.parametrize("form", ["jsonl", "sgf", "text"])
def test_of_a_large_file_the_first_game_is_opened(seen, tmp_path, form):
    """A match of 120 games and more is far larger than a message."""
    session = finish(kropki(6, 6)) if form == "sgf" else boxes(names=("[A] (b) {", 'B" \\'))
    if form != "sgf":
        play(session, EXAMPLE)
    record = write_record(to_record(session), form)
    path = tmp_path / f"match.{form}"
    path.write_text(record + "\n" + record * 600, encoding="utf-8")
    assert path.stat().st_size > 65536
    seen.page.set_input_files("#file", path)
    seen.page.wait_for_selector("#board")
    assert seen.scores == list(session.score)
    seen.page.wait_for_selector(f"#banner:has-text('{FIRST_ONLY}')")


@pytest.mark.parametrize("form", ["jsonl", "sgf", "text", "bare", "damaged"])
def test_of_a_file_of_several_games_the_others_are_not_passed_over_silently(seen, tmp_path, form):
    """A game alone is opened without a word; what follows it, even damaged, is told."""
    session = finish(kropki(6, 6)) if form == "sgf" else boxes()
    if form != "sgf":
        play(session, EXAMPLE)
    record = write_record(to_record(session), form if form in ("jsonl", "sgf") else "text")
    others = {"damaged": "[Game", "bare": "1. A1T\n"}.get(form, record)
    path, page = tmp_path / f"games.{form}", seen.page
    for following, banner in (("", ""), (others, FIRST_ONLY)):
        path.write_text(f"{record}\n{following}", encoding="utf-8")
        page.set_input_files("#file", path)
        page.wait_for_selector("#board")
        page.wait_for_timeout(300)  # the time in which a word too many would be said
        assert page.text_content("#banner") == banner
        assert seen.scores == list(session.score)
        page.reload()
        page.wait_for_selector("#play")


@pytest.mark.parametrize(
    ("language", "names", "turns", "undone", "card", "notice", "won"),
    [
        (
            Language.RU,
            ["Вы", "Лёгкий"],
            ["Вы: B1B. Ходит Лёгкий.", "Лёгкий: A1B. Ваш ход."],
            "Взято назад: A1B. Ходит Лёгкий.",
            "◀ ходите",
            "Эту партию продолжают два человека.",
            "Вы выиграли: партия сдана.",
        ),
        (
            Language.EN,
            ["You", "Easy"],
            ["You: B1B. Easy to move.", "Easy: A1B. Your move."],
            "Taken back: A1B. Easy to move.",
            "◀ to move",
            "This game goes on between two people.",
            "You won, by resignation.",
        ),
    ],
)
def test_an_own_game_against_a_level_is_gone_on_with_by_two_people(
    browser, tmp_path, language, names, turns, undone, card, notice, won
):
    """R160: the page says so once, and whose turn it is with the verb that goes with the name."""
    session = boxes(seats=(None, "easy"))
    session.replay([session.notation.parse(name) for name in ("A2T", "B2T")])
    path = tmp_path / "own.jsonl"
    path.write_text(write_record(to_record(session, language), "jsonl"), encoding="utf-8")
    made = browser.new_context(locale={"ru": "ru-RU", "en": "en-US"}[language])
    with server(tmp_path / "data", "--delay", "0") as running:
        opened = Seen(made, running.url)
        page = opened.page

        def says(selector, text):
            page.wait_for_function(
                "([selector, text]) => document.querySelector(selector)?.textContent === text",
                arg=[selector, text],
            )

        page.set_input_files("#file", path)
        says("#banner", notice)
        assert page.locator(".player .name").all_inner_texts() == names
        says("#status", turns[1].split(". ")[1])
        says(".player .turn", card)
        for move, told in (("B1B", turns[0]), ("A1B", turns[1])):
            page.fill("#typed", move)
            page.press("#typed", "Enter")
            says("#status", told)
            says("#banner", "")
        page.click("#undo")
        says("#status", undone)
        page.click("#menu")
        page.click("#menu-resign")
        page.click("[data-act=resign]")
        says("#outcome", won)
        assert opened.faults == []
    made.close()


def test_the_verb_goes_with_the_name(seen):
    """R160: of a side that is called "You" or "Вы", as records in either language have it."""
    told = seen.page.evaluate(
        """async () => {
            const { setLanguage, tBy } = await import('./texts.js'), told = [];
            const values = { move: 'aa', what: '2', time: '0:10', one: 1, two: 2 };
            const keys = ['made_takes', 'made_captures', 'solo_phase'];
            keys.push('offered_score', 'offered_draw', 'to_move');
            for (const [language, who] of [['en', 'You'], ['ru', 'Вы'], ['ru', 'Ян']]) {
                setLanguage(language);
                told.push(keys.map((key) => tBy(who, key, values)));
            }
            return told;
        }"""
    )
    assert told == [
        [
            *("You: aa, take 2.", "You: aa, capture 2.", "You go on alone: 0:10"),
            *("You offer to end the game with the score 1:2.", "You offer a draw.", "to move"),
        ],
        [
            *("Вы: aa, берёте 2.", "Вы: aa, окружаете 2.", "Вы продолжаете без соперника: 0:10"),
            *("Вы предлагаете закончить со счётом 1:2.", "Вы предлагаете ничью.", "ходите"),
        ],
        [
            *("Ян: aa, берёт 2.", "Ян: aa, окружает 2.", "Ян продолжает без соперника: 0:10"),
            *("Ян предлагает закончить со счётом 1:2.", "Ян предлагает ничью.", "ходит"),
        ],
    ]


def test_a_game_that_is_too_large_is_told(seen, tmp_path):
    path = tmp_path / "large.jsonl"
    path.write_text('{"game": "' + "\N{SNOWMAN}" * 30_000 + '"}', encoding="utf-8")
    seen.page.set_input_files("#file", path)
    seen.page.wait_for_function("() => document.querySelector('#banner').textContent.includes('too large')")
    assert seen.page.locator("#play").is_enabled()


def test_two_clicks_begin_one_game_and_the_match_goes_by_persons(seen, running):
    """R064, R145: unnamed people keep their names when they swap sides."""
    page = seen.page
    seen.choose(game="boxes", opponent="", size="3x3")
    page.evaluate("() => { const b = document.querySelector('#play'); b.click(); b.click(); }")
    page.wait_for_selector("#board")
    for number in (1, 2, 3):
        page.wait_for_function("() => !document.querySelector('#outcome')")
        page.fill("#typed", "A1L")
        page.press("#typed", "Enter")
        page.wait_for_function("() => document.querySelectorAll('line.line').length === 1")
        page.click("#menu")
        page.click("#menu-resign")
        page.click("[data-act=resign]")
        page.wait_for_selector("#outcome")
        names = page.locator(".player .name").all_inner_texts()
        assert names == (["Player 1", "Player 2"] if number % 2 else ["Player 2", "Player 1"])
        page.evaluate("() => { const b = document.querySelector('#again'); b.click(); b.click(); }")
    page.wait_for_function("() => !document.querySelector('#outcome')")
    with Saves(running.folder) as saves:
        assert len(saves.unfinished()) == 1  # the fourth game, without a move
        assert len(saves.finished()) == 3


def test_who_began_is_told_also_where_it_was_the_other_seat(seen, tmp_path):
    """R154: a record of the second side's first move."""
    session = GameSession(GameSettings(rules=KropkiRules(width=5, height=5, start="empty"), first=1))
    session.resume()
    play(session, ["cc", "bb"])
    session.resign(0)
    path = tmp_path / "second.jsonl"
    path.write_text(write_record(to_record(session), "jsonl"), encoding="utf-8")
    seen.page.set_input_files("#file", path)
    seen.page.wait_for_selector("#outcome")
    facts = seen.page.locator("#result dt").all_inner_texts()
    values = seen.page.locator("#result dd").all_inner_texts()
    assert dict(zip(facts, values, strict=True))["Began"] == "Player 2"


@pytest.mark.parametrize("way", ["click", "Enter", "ArrowLeft"])
def test_quick_steps_through_a_game_all_count(seen, tmp_path, way):
    """Three steps back, before the first is answered, lead three moves back; then on to the end."""
    session = finish(kropki(6, 6))
    path = tmp_path / "game.sgf"
    path.write_text(write_record(to_record(session), "sgf"), encoding="utf-8")
    page = seen.page
    page.set_input_files("#file", path)
    page.wait_for_selector("#outcome")
    if way == "click":
        page.evaluate("() => { for (let n = 0; n < 3; n++) document.querySelector('#one-back').click(); }")
    else:
        for _ in range(3):
            page.press("#place" if way.startswith("Arrow") else "#one-back", way, no_wait_after=True)
    shown_at(page, session.num_moves - 3, session.num_moves)
    assert page.input_value("#place") == str(session.num_moves - 3)
    page.evaluate(
        "() => { for (const id of ['one-back', 'one-back', 'one-on']) document.getElementById(id).click(); }"
    )
    shown_at(page, session.num_moves - 4, session.num_moves)
    page.evaluate("() => { for (let n = 0; n < 4; n++) document.querySelector('#one-on').click(); }")
    shown_at(page, session.num_moves, session.num_moves)
    page.evaluate("() => { for (const id of ['#one-back', '#to-end']) document.querySelector(id).click(); }")
    page.wait_for_timeout(300)  # the time in which an older wish would be answered
    shown_at(page, session.num_moves, session.num_moves)


def shown_at(page, number, total):
    """Wait until the position after so many moves is on the board."""
    text = f"Position after move {number} of {total}"
    page.wait_for_function("(text) => document.querySelector('.course .note').textContent === text", arg=text)
