"""Time that runs out in the terminal, whatever is typed then: the loss is shown, stored and counted."""

import pytest
from played_sessions import Time, boxes, kropki
from typed_games import screen_of

from dotzero.envs.game_records import Ending
from dotzero.play.saves import Saves
from dotzero.play.tallies import Table
from dotzero.play.terminal import Terminal
from dotzero.play.timers import TimeControl


@pytest.fixture
def saves(tmp_path):
    with Saves(tmp_path / "data") as opened:
        yield opened


def slow_game(session, now, typed, saves, seconds=61):
    """Type the last line, or end the input, so many seconds after the one before. Returns what is shown."""
    screen, stdout = screen_of(typed)
    read, lines = screen.reader.read, []

    def slow(left=None):
        lines.append(1)
        if len(lines) == max(2, len(typed)):
            now.pass_by(seconds)
        return read(left)

    screen.reader.read = slow
    Terminal(session=session, screen=screen, saves=saves).play()
    return stdout.getvalue()


@pytest.mark.parametrize(
    "word", ["hint", "offer", "draw", "undo", "pause", "save", "help", "quit", "A1B", None]
)
def test_r043_a_loss_on_time_is_counted_whatever_is_typed_then(word, saves):
    """R043, R116: by the person's clock, after its first line; leaving is no way out either."""
    now = Time()
    session = boxes(3, 3, clock=TimeControl(seconds=60), now=now, seats=(None, "easy"))
    text = slow_game(session, now, ["A1T", *([] if word is None else [word])], saves)
    assert (session.result.winner, session.result.reason) == (1, Ending.TIME)
    assert "You lost 0:0. On time." in text
    assert (saves.tally(Table.of(session.settings)).losses, saves.unfinished()) == (1, [])


def test_a_solo_phase_that_is_over_is_stored(saves):
    """R036: the hint comes too late."""
    now = Time()
    session = kropki(rules={"stop": "solo"}, now=now)
    text = slow_game(session, now, ["aa", "bb", "stop", "y", "hint"], saves, 181)
    assert session.result.reason is Ending.STOP
    assert "A draw, 0:0." in text
    assert [game.reason for game in saves.finished()] == ["stop"]


@pytest.mark.parametrize("word", ["hint", "offer", "undo", "A1B"])
def test_time_may_run_out_between_the_look_at_the_clock_and_the_act(word, saves):
    now = Time()
    session = boxes(3, 3, clock=TimeControl(seconds=60), now=now)
    check = session.check_time

    def late():
        result = check()
        now.pass_by(61)
        return result

    screen, stdout = screen_of([word])
    session.check_time = late
    Terminal(session=session, screen=screen, saves=saves).play()
    assert session.result.reason is Ending.TIME
    assert "On time." in stdout.getvalue()
    assert [game.reason for game in saves.finished()] == ["time"]
