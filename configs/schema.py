"""The settings of every job, put together from the dataclasses that stand beside the code they steer."""

from dataclasses import asdict, dataclass, field, fields
from pathlib import Path, PurePath
from typing import Any

from dotzero.configs.job import Job
from dotzero.envs.game import Game
from dotzero.envs.registry import make_game, plain_value
from dotzero.models.backend import BackendConfig
from dotzero.models.network import NetworkConfig
from dotzero.play.arena import ArenaConfig
from dotzero.play.levels import strongest_level
from dotzero.play.players import Budget
from dotzero.play.sprt import Sprt
from dotzero.play.tournament import Mode, Plan
from dotzero.search.search_config import SearchConfig
from dotzero.train.evaluate import JudgedConfig, require_budgets
from dotzero.train.loop import TrainConfig


@dataclass(kw_only=True)
class MeasureConfig(ArenaConfig):
    """How the finished network is measured."""

    opponent: str | None = "auto"
    """The fixed opponent, as in the arena; auto: the strongest level without a network that plays the board,
    in Kropki `hard`, since `insane` takes hours; null: no match."""
    rules: dict[str, Any] = field(default_factory=dict)
    """What differs from the rules of the run's first board, such as a more varied start."""
    simulations: int = 64
    """Simulations a move of the network."""
    solver: bool = False
    """Dots and Boxes: the network has the solver, as level `zero` has it, and so can meet opponents that
    solve the game's end; without it what was learned is asked."""

    def __post_init__(self) -> None:
        ArenaConfig.__post_init__(self)
        if self.simulations < 0:
            raise ValueError(f"MeasureConfig.simulations must be at least 0, got {self.simulations}")


@dataclass(kw_only=True)
class TrainJob(Job, TrainConfig):
    """Settings of `dotzero train`."""

    run: str = "run"
    """Name of the run: its folder below `runs`."""
    runs: str = "runs"
    """Folder of all runs."""
    measure: MeasureConfig = field(default_factory=MeasureConfig)
    """The match at the end."""

    def __post_init__(self) -> None:
        TrainConfig.__post_init__(self)
        parts = PurePath(self.run).parts
        if not parts or PurePath(self.run).is_absolute() or ".." in parts:
            raise ValueError(f"run must be the name of a folder below runs, got {self.run!r}")

    def training(self) -> TrainConfig:
        """The part that decides what is learned."""
        return TrainConfig(**{item.name: getattr(self, item.name) for item in fields(TrainConfig)})

    @property
    def opponent(self) -> str | None:
        """Who the network is measured against, if anyone."""
        opponent = self.measure.opponent
        return strongest_level(self.measured_game(), long=False) if opponent == "auto" else opponent

    def measured_game(self) -> Game[Any]:
        """The board of the match at the end."""
        first = self.boards[0] if self.boards else {}
        try:
            return make_game(self.game, {**self.rules, **first, **self.measure.rules})
        except ValueError as error:
            raise ValueError(f"measure.rules: {error}") from None

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return Path(self.runs) / self.run


@dataclass(kw_only=True)
class ExportJob(Job):
    """Settings of `dotzero export`."""

    run: str | None = None
    """Name of a run whose newest checkpoint is exported; or give `from`."""
    source: str | None = None
    """Path of a checkpoint to export; written `from=PATH`."""
    out: str | None = None
    """The folder to write; by default `export` in the run's folder, or the checkpoint's name with `from`."""
    runs: str = "runs"
    """Folder of all runs."""


@dataclass(kw_only=True)
class ArenaJob(Job, ArenaConfig):
    """Settings of `dotzero arena`."""

    players: list[str] = field(default_factory=list)
    """Two or more players: random, easy, medium, hard, insane, greedy (Kropki), zero, zero:DIR,
    engine:COMMAND; with options as in easy@miss=0.3, zero:DIR@simulations=256. None given: the level
    of `measure.opponent=auto` in training, and random."""
    game: str = "boxes"
    """Name of the game."""
    rules: dict[str, Any] = field(default_factory=dict)
    """Its rules; absent ones keep their defaults."""
    mode: Mode = Mode.ROUND_ROBIN
    """Who meets whom."""
    anchor: str | None = None
    """The player whose Elo is 0, by default the last one."""
    simulations: int | None = None
    """Simulations of every move, for the players that can use them, in place of their own; one must."""
    seconds: float | None = None
    """Or seconds of every move; such games are played one after another, and no two runs are alike."""
    sprt: list[float] | None = None
    """Two Elo differences: a match of two players ends as soon as it is clear which of them is nearer."""
    alpha: float | None = None
    """With `sprt`: chance of accepting the second difference where the first is true, by default 0.05."""
    beta: float | None = None
    """With `sprt`: chance of accepting the first difference where the second is true, by default 0.05."""
    workers: int = 0
    """Processes that play; 0: as many as there are cores. The results do not depend on it."""
    out: str | None = None
    """Folder for results.json and the games; what is found there is not played again."""

    def __post_init__(self) -> None:
        ArenaConfig.__post_init__(self)
        if self.sprt is not None and len(self.sprt) != 2:
            raise ValueError(f"ArenaJob.sprt must be two Elo differences, got {self.sprt}")
        for name, chance in self._chances.items():
            if self.sprt is None:
                raise ValueError(f"ArenaJob.{name} must go with sprt=[ELO0,ELO1], got {chance} without it")
        if self.workers < 0:
            raise ValueError(f"ArenaJob.workers must be at least 0, got {self.workers}")
        self.plan()
        self.budget()

    def plan(self) -> Plan:
        """Who meets whom, and what is asked."""
        test = None
        if self.sprt is not None:
            test = Sprt(elo0=self.sprt[0], elo1=self.sprt[1], **self._chances)
        return Plan(mode=self.mode, anchor=self.anchor, sprt=test)

    @property
    def _chances(self) -> dict[str, float]:
        """Those of `alpha` and `beta` that are given."""
        given = {"alpha": self.alpha, "beta": self.beta}
        return {name: chance for name, chance in given.items() if chance is not None}

    def budget(self) -> Budget | None:
        """What every move may cost, if that is said for all."""
        if self.simulations is None and self.seconds is None:
            return None
        return Budget(simulations=self.simulations, seconds=self.seconds)

    @property
    def competitors(self) -> list[str]:
        """The players, given or not."""
        if self.players:
            return list(self.players)
        strongest = strongest_level(make_game(self.game, self.rules), long=False)
        return list(dict.fromkeys([strongest, "random"]))

    def arena(self) -> ArenaConfig:
        """How each match is played."""
        return ArenaConfig(**{item.name: getattr(self, item.name) for item in fields(ArenaConfig)})


@dataclass(kw_only=True)
class EvaluateJob(Job):
    """Settings of `dotzero evaluate`."""

    checkpoint: str = "runs/boxes_3x3/export"
    """An exported folder or a checkpoint file."""
    positions: str | None = None
    """JSON list of positions with `rows`, `cols`, `dbn` (drawn lines) and `best` (names of best lines); none:
    the judge's own positions."""
    rows: int | None = None
    """Rows of the board, by default those that the network learned; of a file, the only ones counted."""
    columns: int | None = None
    """Columns, likewise."""
    simulations: list[int] = field(default_factory=lambda: [0, 16, 64, 256])
    """Budgets to try; 0 is the raw policy."""
    judge: JudgedConfig = field(default_factory=JudgedConfig)
    """The judge's positions, and the search of both kinds of positions."""

    def __post_init__(self) -> None:
        require_budgets(self.simulations, "EvaluateJob.simulations")


ALL_GAMES = "all"
"""In place of a game's name: every game."""


@dataclass(kw_only=True)
class BenchJob(Job):
    """Settings of `dotzero bench`."""

    game: str = ALL_GAMES
    """Name of a game, or `all`."""
    rules: dict[str, Any] = field(default_factory=dict)
    """One board of one game; by default 5x5 boxes, and Kropki on 8x8, 20x20 and 39x32."""
    network: NetworkConfig = field(default_factory=NetworkConfig)
    """Network of the evaluation and self-play figures."""
    backend: BackendConfig = field(default_factory=BackendConfig)
    """Device and workers; all installed back-ends are measured."""
    search: SearchConfig = field(default_factory=SearchConfig)
    """Search of the search figure."""
    num_games: int = 256
    """Games at the same time."""
    repeats: int = 3
    """Each figure is the best of this many."""
    seconds: float = 2.0
    """Time for each repeat."""

    def __post_init__(self) -> None:
        for name in ("num_games", "repeats", "seconds"):
            if getattr(self, name) <= 0:
                raise ValueError(f"BenchJob.{name} must be above 0, got {getattr(self, name)}")
        if self.game == ALL_GAMES and self.rules:
            raise ValueError(f"BenchJob.rules must be empty unless game names one game, got {self.rules}")


def plain(settings: Any) -> dict[str, Any]:
    """A settings dataclass as values that JSON keeps."""
    return {name: plain_value(value) for name, value in asdict(settings).items()}
