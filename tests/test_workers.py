"""The searching threads: players that are kept, questions that are given up."""

import asyncio
import threading

import pytest
from played_sessions import boxes

from dotzero.envs.registry import make_game
from dotzero.play.players import RandomPlayer
from dotzero.play.web import workers as module
from dotzero.play.web.workers import MOST_PLAYERS, Workers
from dotzero.search.interrupts import check


@pytest.fixture
def workers():
    made = Workers(2)
    yield made
    made.close()


def test_a_question_is_answered_as_the_player_would(workers):
    session = boxes(3, 3, seats=("medium", None), seed=3)
    question = session.question()
    expected = question.ask(module.make_player("medium", session.game))
    assert asyncio.run(workers.ask(question)) == expected


def test_who_waits_for_a_level_that_is_busy_holds_no_thread(workers, monkeypatch):
    """Two games against the strongest level of one board leave a thread to all others."""
    begun, go_on = threading.Event(), threading.Event()

    class Slow(RandomPlayer):
        def choose(self, game, state, seeds):
            begun.set()
            assert go_on.wait(30)
            return super().choose(game, state, seeds)

    monkeypatch.setattr(
        module, "make_player", lambda spec, game: Slow() if spec == "slow" else RandomPlayer()
    )

    async def check():
        slow = [boxes(3, 3, seats=("slow", None), seed=seed).question() for seed in (1, 2)]
        tasks = [asyncio.create_task(workers.ask(question)) for question in slow]
        assert await asyncio.to_thread(begun.wait, 30)
        other = boxes(3, 3, seats=("quick", None)).question()
        assert 0 <= await asyncio.wait_for(workers.ask(other), 20) < 24
        assert not go_on.is_set()
        go_on.set()
        assert len(await asyncio.gather(*tasks)) == 2

    try:
        asyncio.run(check())
    finally:
        go_on.set()


def test_an_unknown_player_is_the_users_mistake(workers):
    session = boxes(seats=("nobody", None))
    with pytest.raises(ValueError, match=r"^player of boxes must be one of"):
        asyncio.run(workers.ask(session.question()))


def test_players_are_kept_and_the_oldest_unused_one_is_freed(workers, monkeypatch):
    freed = []

    class Named(RandomPlayer):
        def close(self):
            freed.append(self.spec)

    def make(spec, game):
        player = Named()
        player.spec = spec
        return player

    monkeypatch.setattr(module, "make_player", make)
    game = make_game("boxes", {})
    with workers.player("used", game) as used:
        for number in range(MOST_PLAYERS + 2):
            with workers.player(f"p{number}", game):
                pass
        with workers.player("used", game) as again:
            assert again is used
    assert freed == ["p0", "p1", "p2"]


def test_a_question_that_waits_is_taken_out_of_the_queue():
    """R150: what was given up before it began is never asked."""
    workers, gate, asked = Workers(1), threading.Event(), []

    async def play():
        first = asyncio.ensure_future(workers.run(gate.wait))
        second = asyncio.ensure_future(workers.run(lambda: asked.append(True)))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        gate.set()
        await first

    asyncio.run(play())
    workers.close()
    assert asked == []


def test_a_search_that_runs_is_given_up():
    workers, begun, ended = Workers(1), threading.Event(), []

    def search():
        begun.set()
        try:
            while True:
                check()
        finally:
            ended.append(True)

    async def play():
        task = asyncio.ensure_future(workers.run(search))
        await asyncio.get_running_loop().run_in_executor(None, begun.wait)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()

    asyncio.run(play())
    workers.close()  # would wait for ever otherwise
    assert ended == [True]
