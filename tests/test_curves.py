"""Metrics as they are read: whole lines, finite numbers, damage by its line; and the curves made of them."""

import pytest

from dotzero.train.curves import complete_lines, curve, mean_curve, names_like, read_metrics, without_seed


def test_what_is_not_whole_or_not_committed_does_not_count(tmp_path):
    assert read_metrics(tmp_path) == []
    path = tmp_path / "metrics.jsonl"
    whole = '{"iteration": 1, "a": 1.5, "b": NaN, "c": "x"}\n{"iteration": 2, "a": 2}\n'
    path.write_text(whole + '{"iteration": 3, ')
    assert complete_lines(path) == whole.splitlines()
    assert read_metrics(tmp_path) == [{"iteration": 1, "a": 1.5}, {"iteration": 2, "a": 2}]
    assert read_metrics(tmp_path, 1) == [{"iteration": 1, "a": 1.5}]


@pytest.mark.parametrize("line", ["{", "[1]", "{}", '{"iteration": 1.5}', "[" * 100_000])
def test_a_damaged_line_is_named(tmp_path, line):
    (tmp_path / "metrics.jsonl").write_text(f'{{"iteration": 1}}\n{line}\n')
    with pytest.raises(ValueError, match=r"metrics\.jsonl is damaged: line 2 is no JSON object [^\n]*$"):
        read_metrics(tmp_path)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("judge/*/*/optimal", ["judge/3x3/raw/optimal", "judge/4x4/64/optimal"]),
        ("judge/*/64/optimal", ["judge/4x4/64/optimal"]),
        ("judge/*/*/*/optimal", ["judge/3x3/raw/end/optimal"]),
        ("learner/policy", ["learner/policy"]),
        ("learner/polic.", []),
        ("*", ["iteration"]),
    ],
)
def test_a_star_is_one_part_of_a_name(pattern, names):
    lines = [
        {"iteration": 1, "judge/3x3/raw/optimal": 0.0, "judge/3x3/raw/end/optimal": 0.0},
        {"iteration": 2, "judge/4x4/64/optimal": 0.0, "learner/policy": 0.0},
    ]
    assert names_like(lines, pattern) == names


def test_a_curve_has_the_points_that_are_there():
    lines = [{"iteration": 1, "a": 2.0}, {"iteration": 2}, {"iteration": 3, "a": 1.0}]
    one = curve("run", lines, "a", "iteration")
    assert (one.x, one.y, one.low, one.high, one.num_runs) == ([1, 3], [2.0, 1.0], [2.0, 1.0], [2.0, 1.0], 1)


def test_seeds_make_one_curve_at_the_iterations_that_all_have():
    one = [{"iteration": n, "x": 100 * n, "a": float(n)} for n in (1, 2, 3)]
    two = [{"iteration": n, "x": 120 * n, "a": 3.0 * n} for n in (2, 3, 4)]
    both = mean_curve("run", [one, two], "a", "x")
    assert both.x == [220, 330]
    assert (both.y, both.low, both.high) == ([4.0, 6.0], [2.0, 3.0], [6.0, 9.0])
    assert both.num_runs == 2


def test_the_seed_is_cut_off_a_name():
    names = {
        "runs/a_s1": "runs/a",
        "a-seed12": "a",
        "grid/seed=3": "grid",
        "boss1": "boss1",
        "a_s1_b": "a_s1_b",
    }
    assert {name: without_seed(name) for name in names} == names
