"""Pages for the tests of connections: what they say and hear, without a browser and without a server."""

import asyncio
import functools
import json
from contextlib import asynccontextmanager

from dotzero.play.web.connection import Connection
from dotzero.play.web.site import Site, SiteConfig


def in_time(test):
    """Runs an asynchronous test; what it waits for in vain fails it."""

    @functools.wraps(test)
    def run(*words, **fixtures):
        asyncio.run(asyncio.wait_for(test(*words, **fixtures), 120))

    return run


class Page:
    """A page: messages it was sent, and a way to wait for the next one of a type."""

    def __init__(self, site, profile=""):
        self.site = site
        self.heard = []
        self.connection = Connection(self, site)
        self.profile = profile
        self._came = asyncio.Event()

    async def send_text(self, data):
        self.heard.append(json.loads(data))
        self._came.set()

    async def say(self, kind, **fields):
        await self.connection.receive(json.dumps({"type": kind, **fields}))

    async def hear(self, kind, fits=lambda message: True):
        """The first message of a type that was not taken yet and fits; earlier ones are dropped."""
        while True:
            for index, message in enumerate(self.heard):
                if message["type"] == kind and fits(message):
                    del self.heard[: index + 1]
                    return message
                assert kind == "error" or message["type"] != "error", message
            self._came.clear()
            await asyncio.wait_for(self._came.wait(), 60)

    async def ask(self, kind, answer, fits=lambda message: True, **fields):
        """Say something and hear the answer."""
        self.heard.clear()
        await self.say(kind, **fields)
        return await self.hear(answer, fits)

    async def hello(self):
        return await self.ask("hello", "home", language="en", profile=self.profile)

    async def begin(self, rules, seats=({}, {}), game="boxes", **settings):
        """Open a new game."""
        made = {"game": game, "rules": rules, "seats": list(seats), **settings}
        return await self.ask("new", "begin", settings=made)

    async def persons_turn(self, answer):
        """The newest view once a person is to move or the game is over."""
        view = answer["view"]
        while not (view["persons_turn"] or view["finished"]):
            view = (await self.hear("game"))["view"]
        return view

    async def move(self, name):
        """Make a move and hear the game that it leads to."""
        return await self.ask("move", "game", move=name)


@asynccontextmanager
async def open_site(folder, **config):
    """A site without a server; its computers draw without a pause."""
    site = Site(folder, SiteConfig(**{"delay": 0.0, **config}))
    try:
        yield site
    finally:
        site.close()


@asynccontextmanager
async def open_page(folder, **config):
    """A page of such a site that has been greeted."""
    async with open_site(folder, **config) as site:
        page = Page(site)
        await page.hello()
        yield page


def first_legal(begin, view):
    """The name of the first action that a person may take and that does not stop."""
    return begin["game"]["names"][view["legal"].index("1")]
