"""Statistics of one table (R116, R152)."""

import pytest

from dotzero.play.tallies import Tally, tally_of

VALUES = {"W": 1, "D": 0, "L": -1}


@pytest.mark.parametrize(
    ("results", "tally"),
    [
        ("", Tally()),
        ("WWDLW", Tally(wins=3, losses=1, draws=1, streak=1, best_streak=2)),
        ("WDW", Tally(wins=2, losses=0, draws=1, streak=2, best_streak=2)),
        ("WWWL", Tally(wins=3, losses=1, draws=0, streak=0, best_streak=3)),
        ("DDLL", Tally(wins=0, losses=2, draws=2, streak=0, best_streak=0)),
    ],
)
def test_a_draw_leaves_streaks_as_they_are(results, tally):
    """R116: W W D L W has a best streak of 2."""
    assert tally_of(VALUES[result] for result in results) == tally


def test_the_win_rate_counts_draws_as_games_and_is_nothing_before_the_first():
    """R116, R152."""
    assert Tally().win_rate is None
    assert tally_of([1, 0, 0, -1]).win_rate == 0.25
