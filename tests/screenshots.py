"""Pictures of every screen of the page, for whoever looks at them and for the README.

    python tests/screenshots.py FOLDER          # or: make screenshots

Both games, both languages, phone and desktop, light and dark. The games are played by seeded levels, so the
same version makes the same pictures.
"""

import sys
import tempfile
from pathlib import Path

from browsers import open_browser, why_no_browser
from played_sessions import boxes, kropki
from served import server

from dotzero.play.players import make_player
from dotzero.play.saves import Saves

KROPKI_MOVES = (
    "kh lg jh jf if kg jg ki li mg kf le je jc lf ie id gd he gb jd hd kd hb mf nd hc ja ge ff fe fh "
    "gf dd ed fg de bg ef ee cd gc dc ic ke fa ld lc me oe mc la md mb nc kc nb ne oc na ma od lb jb "
    "kb ib ka ha fc eb"
)
"""On 15x15 from the cross: both sides have captured something; player 1 to move."""
SCREENS = {"phone": (390, 844), "desktop": (1280, 860)}


def advance(session, num_moves, levels):
    """Let levels make moves for both sides, by seeds."""
    import numpy as np

    players = [make_player(level, session.game) for level in levels]
    seeds = np.array([[1], [2]], np.uint64)
    while session.num_moves < num_moves and not session.finished:
        session.move(int(players[session.mover].choose(session.game, session.state, seeds[session.mover])[0]))
    while session.question() is not None and not session.finished:
        session.move(int(players[session.mover].choose(session.game, session.state, seeds[session.mover])[0]))
    return session


def played(session, names):
    """The session after moves."""
    session.replay([session.notation.parse(name) for name in names])
    return session


def prepare(folder):
    """Games to go on with, newest last, and some that are over."""
    with Saves(folder) as saves:
        for seed in range(6):
            session = boxes(3, 3, seats=(None, "easy"), seed=seed)
            session.resign(seed % 3 == 1)
            saves.put(session)
        for session in (
            played(kropki(15, 15, start="cross", names=("Anna", "Boris")), KROPKI_MOVES.split()),
            advance(boxes(5, 5, seats=(None, "medium"), names=("Anna", "")), 46, ("easy", "easy")),
        ):
            saves.put(session)


def shoot(page, folder, name, full=True):
    """One picture, once nothing moves any more."""
    page.wait_for_timeout(350)
    page.screenshot(path=str(folder / f"{name}.png"), full_page=full)


def tour(page, url, folder, name):
    """Through all screens."""
    page.goto(url)
    page.wait_for_selector("#play")
    shoot(page, folder, f"{name}-start")
    page.check('input[name="game"][value="kropki"]')
    page.click("summary >> nth=0")
    shoot(page, folder, f"{name}-start-kropki")
    for game in ("boxes", "kropki"):
        page.goto(url)
        page.wait_for_selector("#play")
        page.locator("[data-act=continue]").nth(0 if game == "boxes" else 1).click()
        page.wait_for_selector("#board")
        shoot(page, folder, f"{name}-{game}")
        page.click("#analyse")
        page.wait_for_selector("#analysis-panel p:nth-child(2)")
        page.wait_for_selector("#graph svg")
        shoot(page, folder, f"{name}-{game}-analysis")
        page.click("#analyse")
        if game == "kropki":
            page.click("#stop")
            shoot(page, folder, f"{name}-stop", full=False)
            page.keyboard.press("Escape")
        page.click("#menu")
        shoot(page, folder, f"{name}-{game}-menu", full=False)
        page.click("[data-act=go-on]")
    page.goto(url)
    page.wait_for_selector("#statistics")
    page.click("#statistics")
    page.wait_for_selector("#back")
    shoot(page, folder, f"{name}-statistics")


def result(page, url, folder, name):
    """The result screen: a game of one box, so that it is short."""
    page.goto(url)
    page.wait_for_selector("#play")
    page.check('input[name="game"][value="boxes"]')
    page.check('input[name="opponent"][value="easy"]')
    page.check('input[name="size"][value="3x3"]')
    page.click("#play")
    page.wait_for_selector("#board")
    while page.locator("#outcome").count() == 0:
        page.wait_for_function(
            "() => !document.querySelector('#typed').disabled || document.querySelector('#outcome')"
        )
        if page.locator("#outcome").count() == 0:
            drawn = page.locator("line.line").count()
            page.locator(".ghost").first.dispatch_event("pointerdown")
            box = page.locator(".ghost").first.bounding_box()
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            page.wait_for_function("(n) => document.querySelectorAll('line.line').length > n", arg=drawn)
    page.wait_for_selector("#tally")
    shoot(page, folder, f"{name}-result")


def main(target):
    """Make all pictures in a folder."""
    if reason := why_no_browser():
        raise SystemExit(f"no pictures: {reason}")
    target.mkdir(parents=True, exist_ok=True)
    with open_browser() as browser:
        for screen, (width, height) in SCREENS.items():
            for language in ("en", "ru"):
                theme = "dark" if (screen, language) in (("phone", "ru"), ("desktop", "ru")) else "light"
                with tempfile.TemporaryDirectory() as folder:
                    prepare(Path(folder))
                    with server(folder, "--delay", "0") as running:
                        context = browser.new_context(
                            viewport={"width": width, "height": height}, color_scheme=theme, locale=language
                        )
                        page = context.new_page()
                        name = f"{screen}-{language}"
                        tour(page, running.url, target, name)
                        result(page, running.url, target, name)
                        context.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/screenshots"))
