"""A hundred games at once on one server, some with analyses: everybody is answered, no game sees another."""

import asyncio
import time

import pytest

websockets = pytest.importorskip("websockets", reason="needs the extra web")

from served import Client, server  # noqa: E402

from dotzero.play.saves import Saves  # noqa: E402

NUM_GAMES = 100
ANALYSING = 10
"""One page in so many has its analysis open."""
pytestmark = pytest.mark.slow


async def one_game(url, number, waits):
    """A game of 3x3 against a level, all lines by the first free one; returns boxes of both."""
    async with websockets.connect(url) as connection:
        client = Client(connection)
        await client.say("hello", language="en", profile=f"p{number}")
        await client.hear("home")
        await client.say("delay", seconds=0)
        level = ("easy", "medium", "hard")[number % 3]
        seats = [{"name": f"N{number}"}, {"player": level}]
        settings = {"game": "boxes", "rules": {"rows": 3, "columns": 3}, "seats": seats, "seed": number}
        await client.say("new", settings=settings)
        message = await client.hear("begin")
        names, view = message["game"]["names"], message["view"]
        assert message["game"]["seats"][0]["name"] == f"N{number}"
        while not view["finished"]:
            if view["persons_turn"]:
                asked = time.monotonic()
                await client.say("move", move=names[view["legal"].index("1")])
                before = view["num_moves"]
                view = (await client.hear("game"))["view"]
                assert view["num_moves"] == before + 1
                if number % ANALYSING == 0:  # most are overtaken by the next move
                    await client.say("analyse", at=view["num_moves"])
                waits.append(time.monotonic() - asked)
            else:
                view = (await client.hear("game"))["view"]
        return view["score"]


def test_a_hundred_games_at_once(tmp_path):
    waits = []

    async def all_games(url):
        return await asyncio.gather(*(one_game(url, number, waits) for number in range(NUM_GAMES)))

    with server(tmp_path) as running:
        begun = time.monotonic()
        scores = asyncio.run(all_games(f"ws://{running.host}/play"))
        seconds = time.monotonic() - begun
        errors = running.end()[1]
    waits.sort()
    slow = waits[int(0.99 * len(waits))]
    print(f"{NUM_GAMES} games in {seconds:.1f} s, {len(waits)} moves, 99% answered within {slow:.3f} s")
    assert "Traceback" not in errors
    assert [sum(score) for score in scores] == [9] * NUM_GAMES
    with Saves(tmp_path) as saves:
        for number in range(NUM_GAMES):
            (game,) = saves.finished(f"p{number}")
            assert list(game.score) == scores[number]
            assert saves.unfinished(f"p{number}") == []
