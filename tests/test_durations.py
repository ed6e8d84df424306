"""Lengths of time as people say them."""

from dotzero.scripts.durations import duration


def test_times_have_two_units():
    cases = {
        0.04: "0.0 s",
        9.94: "9.9 s",
        9.96: "10 s",
        59.4: "59 s",
        59.6: "1 min 0 s",
        3_700: "1 h 1 min",
        90_000: "1 d 1 h",
    }
    assert {seconds: duration(seconds) for seconds in cases} == cases
