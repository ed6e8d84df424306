"""Composing settings: what comes out, and the one line for every mistake and never two."""

import enum
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from omegaconf import MISSING

from dotzero.configs import preset_names
from dotzero.configs.compose import compose, settings_text
from dotzero.configs.job import Job, Output
from dotzero.configs.schema import TrainJob, plain
from dotzero.play.players import make_player


class Speed(enum.Enum):
    FAST = "fast"
    SLOW = "slow"


@dataclass(kw_only=True, slots=True)
class ToySearch:
    num_simulations: int = 3
    noise: float | None = None
    speed: Speed = Speed.FAST

    def __post_init__(self) -> None:
        if self.num_simulations < 1:
            raise ValueError(f"ToySearch.num_simulations must be at least 1, got {self.num_simulations}")


@dataclass(kw_only=True, slots=True)
class ToyJob(Job):
    run: str = MISSING
    search: ToySearch = field(default_factory=ToySearch)
    players: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=lambda: [3])
    rules: dict[str, int] = field(default_factory=dict)
    source: Path = Path("checkpoints")
    cuda: bool = False


def test_defaults_stand_in_the_dataclass_only():
    assert compose(ToyJob, ["run=a"]) == ToyJob(run="a")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("search.num_simulations=64", ToyJob(run="a", search=ToySearch(num_simulations=64))),
        ("search.noise=1e-3", ToyJob(run="a", search=ToySearch(noise=0.001))),
        ("search.noise=null", ToyJob(run="a")),
        ("search={num_simulations: 4}", ToyJob(run="a", search=ToySearch(num_simulations=4))),
        ("search.speed=SLOW", ToyJob(run="a", search=ToySearch(speed=Speed.SLOW))),
        ("search.speed=slow", ToyJob(run="a", search=ToySearch(speed=Speed.SLOW))),
        ("output=json", ToyJob(run="a", output=Output.JSON)),
        ("players=[insane,zero:runs/a-1.b]", ToyJob(run="a", players=["insane", "zero:runs/a-1.b"])),
        ("players=[a,zero:b@n=64,t=0.5, c]", ToyJob(run="a", players=["a", "zero:b@n=64,t=0.5", "c"])),
        ("players=['a,b','c=d']", ToyJob(run="a", players=["a,b", "c=d"])),
        ("sizes=[]", ToyJob(run="a", sizes=[])),
        ("rules.rows=5", ToyJob(run="a", rules={"rows": 5})),
        ("rules={rows: 5, columns: 4}", ToyJob(run="a", rules={"rows": 5, "columns": 4})),
        ("source=/tmp/x", ToyJob(run="a", source=Path("/tmp/x"))),
        ("from=/tmp/x", ToyJob(run="a", source=Path("/tmp/x"))),
        ("cuda=true", ToyJob(run="a", cuda=True)),
    ],
)
def test_one_word_changes_one_setting(word, expected):
    assert compose(ToyJob, ["run=a", word], aliases={"from": "source"}) == expected


def test_run_names_may_be_paths_and_numbers():
    assert compose(ToyJob, ["run=grid/rate-1e-3__n-4"]).run == "grid/rate-1e-3__n-4"
    assert compose(ToyJob, ["run=123"]).run == "123"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "run must be given: add run=..."),
        (["search.num_simulations=0"], "ToySearch.num_simulations must be at least 1, got 0"),
        (["search={num_simulations: -4}"], "ToySearch.num_simulations must be at least 1, got -4"),
        (["search.num_simulations=abc"], "search.num_simulations must be a whole number, got 'abc'"),
        (["search.num_simulations=1.5"], "search.num_simulations must be a whole number, got 1.5"),
        (["search.num_simulations=null"], "search.num_simulations must be a whole number, got None"),
        (["search.noise=high"], "search.noise must be a number or null, got 'high'"),
        (["search.speed=medium"], "search.speed must be one of fast, slow, got 'medium'"),
        (["cuda=7up"], "cuda must be true or false, got '7up'"),
        (["players=insane"], "players must be a list such as [a,b], got 'insane'"),
        (["sizes=[3,x]"], "sizes[1]: Value 'x' of type 'str' could not be converted to Integer"),
        (["search=5"], "search must be a group of settings such as search.num_simulations=..., got 5"),
        (
            ["num_simulations=5"],
            "num_simulations is not a setting of this act (did you mean search.num_simulations?)",
        ),
        (
            ["search.num_simulatons=5"],
            "search.num_simulatons is not a setting of this act (did you mean search.num_",
        ),
        (["rules=3"], "rules must be a group of settings such as rules.NAME=..., got 3"),
        ([""], "a setting must be written key=value, got ''"),
        (["wholly_other=5"], "wholly_other is not a setting of this act"),
        (["hydra.run.dir=x"], "hydra.run.dir is not a setting of this act"),
        (["preset=no_such"], "preset must be one of "),
        (
            ["search.noise=1,2"],
            "search.noise must be one value here, got 'search.noise=1,2': several values are",
        ),
        (["search.noise"], "a setting must be written key=value, got 'search.noise'"),
        (["sizes=[1"], "a setting must be written key=value, got 'sizes=[1'"),
        (["+search.more=1"], "a setting must be written key=value, without + or ~, got '+search.more=1'"),
        (["~search.noise"], "a setting must be written key=value, without + or ~, got '~search.noise'"),
        (["search.noise=${search.nothing}"], "search.noise: Interpolation key 'search.nothing' not found"),
    ],
)
def test_every_mistake_gives_one_line_that_names_the_setting(words, message):
    run = ["run=a"] if words else []
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        compose(ToyJob, [*run, *words])
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    assert "typing" not in str(caught.value)


def test_an_unknown_preset_names_those_there_are():
    with pytest.raises(ValueError, match="preset must be one of") as caught:
        compose(ToyJob, ["run=a", "preset=no_such"])
    assert all(name in str(caught.value) for name in preset_names())


def test_a_job_without_presets_has_no_setting_of_that_name():
    with pytest.raises(ValueError, match="preset is not a setting of this act"):
        compose(ToyJob, ["run=a", "preset=smoke"], presets=None)


def test_shown_settings_can_be_composed_again():
    text = settings_text(compose(ToyJob, ["run=a", "search.num_simulations=9"]))
    assert "num_simulations: 9" in text
    assert "speed: FAST" in text


def test_an_optional_group_is_refused_as_a_programming_error():
    @dataclass(kw_only=True, slots=True)
    class Wrong:
        search: ToySearch | None = None

    with pytest.raises(AssertionError, match="optional dataclass"):
        compose(Wrong, [])


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_makes_its_boards(name):
    """All rules are accepted, each board has a group, and the measured board and opponent exist."""
    job = compose(TrainJob, [f"preset={name}"])
    games = job.make_games()
    assert {game.name for game in games} == {job.game}
    assert len(games) <= job.selfplay.num_groups
    make_player(job.opponent, job.measured_game()).close()
    # Else medium: the README's figures are about it, and the strongest of Kropki thinks for a second a move.
    assert job.opponent == {"boxes_4x4": "insane", "boxes_5x5": "insane"}.get(name, "medium")
    assert len(games) == max(1, len(job.boards))


def test_boards_add_to_the_rules():
    words = ["game=kropki", "rules={height: 9, komi: 0.5}", "boards=[{width: 8}, {width: 10, komi: 1.0}]"]
    job = compose(TrainJob, [*words, "measure.rules={height: 7}"])
    rules = [(game.rules.width, game.rules.height, game.rules.komi) for game in job.make_games()]
    assert rules == [(8, 9, 0.5), (10, 9, 1.0)]
    measured = job.measured_game().rules
    assert (measured.width, measured.height, measured.komi) == (8, 7, 0.5)
    assert plain(job.training())["boards"] == [{"width": 8}, {"width": 10, "komi": 1.0}]


@pytest.mark.parametrize(("game", "opponent"), [("boxes", "insane"), ("kropki", "hard")])
def test_the_opponent_follows_the_game(game, opponent):
    assert compose(TrainJob, [f"game={game}"]).opponent == opponent
    assert compose(TrainJob, [f"game={game}", "measure.opponent=random"]).opponent == "random"
    assert compose(TrainJob, [f"game={game}", "measure.opponent=null"]).opponent is None
