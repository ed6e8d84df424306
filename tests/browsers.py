"""A browser for tests, where there is one: Debian's Chromium driven by playwright."""

import os
import shutil
from contextlib import contextmanager

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_browser():
    """The path of a browser; DOTZERO_BROWSER names another one. None if there is none."""
    return os.environ.get("DOTZERO_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


def why_no_browser():
    """What is missing for tests in a browser; None if they can run."""
    for package in ("playwright", "starlette", "uvicorn", "websockets"):
        try:
            __import__(package)
        except ImportError:
            return f"needs the package {package}"
    return None if find_browser() else f"needs a browser: {' or '.join(NAMES[:1])}, or DOTZERO_BROWSER"


needs_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(why_no_browser() is not None, reason=str(why_no_browser())),
]
"""Marks of the tests that open a browser."""


@contextmanager
def open_browser():
    """A browser without a window, closed in the end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=find_browser())
        yield opened
        opened.close()


class Seen:
    """A page in the browser, and what is done on it."""

    def __init__(self, context, url):
        self.page = context.new_page()
        self.faults = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda said: said.type == "error" and self.faults.append(said.text))
        self.page.goto(url)
        self.page.wait_for_selector("#play")

    def choose(self, **settings):
        """Choose settings on the start screen, radio buttons by name and value."""
        for name, value in settings.items():
            self.page.check(f'input[name="{name}"][value="{value}"]')
            self.page.wait_for_function(
                "([name, value]) => document.querySelector(`input[name=${name}][value='${value}']`)?.checked",
                arg=[name, value],
            )

    def start(self, **settings):
        """Begin a game."""
        self.choose(**settings)
        self.page.click("#play")
        self.page.wait_for_selector("#board")

    def wait_turn(self):
        """Until a person is to move; False if the game is over instead."""
        self.page.wait_for_function(
            "() => !document.querySelector('#typed')?.disabled || document.querySelector('#outcome')"
        )
        return self.page.locator("#outcome").count() == 0

    def middle(self, locator):
        """The middle of an element on the screen."""
        locator.scroll_into_view_if_needed()
        box = locator.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    @property
    def status(self):
        """What the status line says."""
        return self.page.inner_text("#status")

    @property
    def scores(self):
        """The points of both sides."""
        return [int(text) for text in self.page.locator(".player .points").all_inner_texts()]

    def lines(self):
        """How many lines are drawn."""
        return self.page.locator("line.line").count()
