"""Settings of self-play: a curriculum of boards without a gap, and ranges."""

import pytest

from dotzero.train.selfplay_config import SelfPlayConfig


@pytest.mark.parametrize(
    ("spans", "gap"),
    [
        ([[0, 0.4], [0.6, 1]], "none in 0.4..0.6"),
        ([[0.1, 1]], "none in 0..0.1"),
        ([[0, 0.5]], "none in 0.5..1"),
        ([[0.7, 1], [0, 0.9], [0.2, 0.3]], None),
        ([[0, 0.5], [0.5, 1]], None),
    ],
)
def test_spans_that_leave_a_part_of_the_run_without_a_board_are_refused_at_once(spans, gap):
    if gap is None:
        assert SelfPlayConfig(board_spans=spans).board_spans == spans
        return
    rule = r"^SelfPlayConfig\.board_spans must leave no part of the run without a board, got "
    with pytest.raises(ValueError, match=rule + gap.replace(".", r"\.") + "$"):
        SelfPlayConfig(board_spans=spans)


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("teacher_iterations", -1, "at least 0"),
        ("teacher_playouts", 0, "at least 1"),
        ("teacher_playouts", 10**6 + 1, "at most 1000000"),
    ],
)
def test_the_teachers_settings_have_their_ranges(name, value, rule):
    with pytest.raises(ValueError, match=rf"^SelfPlayConfig\.{name} must be {rule}, got {value}$"):
        SelfPlayConfig(**{name: value})
