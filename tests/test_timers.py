"""Timers with a time set by hand, and time controls from outside."""

import math

import pytest
from played_sessions import Time

from dotzero.play.timers import LONGEST, TimeControl, Timer, is_seconds


def test_a_timer_loses_only_what_passes_while_it_runs():
    time = Time()
    timer = Timer(60, time)
    time.pass_by(5)
    assert timer.left == 60
    timer.start()
    time.pass_by(7)
    assert (timer.left, timer.running) == (53, True)
    timer.start()  # a second start changes nothing
    time.pass_by(3)
    timer.stop()
    time.pass_by(100)
    assert (timer.left, timer.running) == (50, False)


def test_a_timer_stops_at_nothing():
    time = Time()
    timer = Timer(2, time)
    timer.start()
    time.pass_by(5)
    assert timer.left == 0
    timer.stop()
    assert timer.left == 0


def test_a_timer_that_is_put_goes_on_running():
    time = Time()
    timer = Timer(2, time)
    timer.start()
    time.pass_by(1)
    timer.set(10)
    time.pass_by(4)
    assert timer.left == 6


@pytest.mark.parametrize("data", [{"seconds": 60}, {"seconds": 0.5e3, "increment": 2}])
def test_a_time_control_is_read_and_written(data):
    made = TimeControl.from_json(data)
    assert made.to_json() == {"increment": 0.0, **data}
    assert TimeControl.from_json(made.to_json()) == made


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"seconds": 0}, "clock.seconds"),
        ({"seconds": "60"}, "clock.seconds"),
        ({"seconds": True}, "clock.seconds"),
        ({"seconds": math.nan}, "clock.seconds"),
        ({"seconds": 60, "increment": -1}, "clock.increment"),
        ({"seconds": 60, "bonus": 1}, "clock must have the fields"),
        ({"increment": 1}, "clock must have the fields"),
        ([60], "clock must have the fields"),
    ],
)
def test_a_wrong_time_control_is_refused_in_one_line(data, field):
    with pytest.raises(ValueError, match=f"^{field}") as error:
        TimeControl.from_json(data)
    assert "\n" not in str(error.value)


def test_what_counts_as_seconds():
    assert is_seconds(0)
    assert is_seconds(LONGEST)
    assert not any(map(is_seconds, (-1, LONGEST + 1, math.inf, math.nan, True, "1", None)))
