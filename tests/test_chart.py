"""The act chart: one picture of several runs, and what it refuses."""

import importlib.util
import json

import pytest
from made_runs import make_run
from PIL import Image

from dotzero.__main__ import main

needs_matplotlib = pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None, reason="matplotlib is not installed"
)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Two seeds of one run and another run; see `made_runs` for their numbers."""
    monkeypatch.chdir(tmp_path)
    for name in ("a_s1", "a_s2", "b"):
        make_run(tmp_path / "runs" / name)
    path = tmp_path / "runs" / "a_s2" / "metrics.jsonl"
    path.write_text(path.read_text().replace('"learner/policy": 1.', '"learner/policy": 3.'))
    return tmp_path


@needs_matplotlib
def test_the_headline_is_drawn(here, capsys):
    words = ["runs=[runs/a_s1,runs/b]", "x=seconds", "out=picture.png", "output=json"]
    assert main(["chart", *words]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["out"], told["x"]) == ("picture.png", "seconds")
    assert [chart["y"] for chart in told["charts"]] == ["judge/*/*/optimal", "judge/*/*/lost"]
    first = told["charts"][0]["curves"]
    assert [(one["label"], one["name"]) for one in first] == [
        ("runs/a_s1", "judge/3x3/raw/optimal"),
        ("runs/b", "judge/3x3/raw/optimal"),
    ]
    assert (first[0]["x"], first[0]["y"]) == ([60.0, 110.0], [0.25, 0.5])
    with Image.open(here / "picture.png") as picture:
        assert picture.format == "PNG"
        assert picture.width > picture.height > 300
        assert len(picture.convert("RGB").getcolors(1 << 24)) > 10
    assert sorted(path.name for path in here.iterdir()) == ["picture.png", "runs"]


@needs_matplotlib
def test_seeds_are_one_curve(here, capsys):
    words = ["runs=[runs/a_s1,runs/a_s2,runs/b]", "group=true", "x=iterations", "y=[learner/policy]"]
    assert main(["chart", *words, "output=json"]) == 0
    (chart,) = json.loads(capsys.readouterr().out)["charts"]
    group, single = chart["curves"]
    assert (group["label"], group["num_runs"], single["label"], single["num_runs"]) == (
        "runs/a",
        2,
        "runs/b",
        1,
    )
    assert (group["low"][0], group["y"][0], group["high"][0]) == (1.99, 2.99, 3.99)
    assert main(["chart", *words]) == 0
    assert "1.8700 .. 3.8700" in capsys.readouterr().out


@needs_matplotlib
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "runs must name at least one run, got []"),
        (["runs=[runs/c]"], "runs must be folders of runs, runs/c is none"),
        (["runs=[runs]"], "runs must have finished an iteration, runs has not"),
        (["runs=[runs/b]", "y=[learner/polcy]"], "runs/b has no learner/polcy"),
        (["runs=[runs/b]", "out=chart.pdf"], "ChartJob.out must end in .png, got chart.pdf"),
        (
            ["runs=[runs/b]", "out=absent/chart.png"],
            "out must be a file that can be written, got absent/chart.png: No such file or directory",
        ),
        (["runs=[runs/b]", "x=days"], "x must be one of evaluations, seconds, iterations, got 'days'"),
    ],
)
def test_mistakes_are_one_line(here, capsys, words, message):
    assert main(["chart", *words]) == 2
    errors = capsys.readouterr().err.strip().splitlines()
    assert len(errors) == 1
    assert message in errors[0]
    assert [path.name for path in here.iterdir()] == ["runs"]


def test_a_missing_package_is_named(here, capsys, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "matplotlib" else find(name, *rest)
    )
    assert main(["chart", "runs=[runs/b]"]) == 2
    shown = capsys.readouterr().err
    assert shown == "error: chart needs the package matplotlib: pip install 'dotzero[chart]'\n"
