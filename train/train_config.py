"""Everything that decides what a run learns, and how it is watched."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dotzero.envs.game import Game
from dotzero.envs.registry import make_game
from dotzero.models.backend import BackendConfig
from dotzero.models.network import NetworkConfig
from dotzero.search.search_config import RootRule, SearchConfig
from dotzero.train.evaluate import JudgeConfig
from dotzero.train.ladder import LadderConfig
from dotzero.train.learner import LearnerConfig
from dotzero.train.replay import ReplayConfig
from dotzero.train.selfplay_config import SelfPlayConfig


@dataclass(kw_only=True, slots=True)
class LoopConfig:
    """Length and rhythm of a run."""

    num_iterations: int = 100
    """Iterations of the whole run; the schedule of the learning rate counts on it."""
    positions_per_iteration: int = 5_000
    """Recorded positions that self-play makes in each."""
    overlap: bool = True
    """Play the next iteration's games while learning, with the weights of one iteration before."""
    snapshot_every: int = 20
    """Iterations between kept checkpoints of the weight average."""
    stop_after: int | None = None
    """Stop after this many iterations in this process; the same command goes on later."""

    def __post_init__(self) -> None:
        for name in ("num_iterations", "positions_per_iteration", "snapshot_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"LoopConfig.{name} must be at least 1, got {getattr(self, name)}")
        if self.stop_after is not None and self.stop_after < 1:
            raise ValueError(f"LoopConfig.stop_after must be at least 1, got {self.stop_after}")


def _self_play_search() -> SearchConfig:
    return SearchConfig(root=RootRule.GUMBEL, num_simulations=32)


@dataclass(kw_only=True, slots=True)
class TrainConfig:
    """Everything that decides what a run learns."""

    game: str = "boxes"
    """Name of the game."""
    rules: dict[str, Any] = field(default_factory=dict)
    """Its rules, by the fields of the game's rules dataclass; absent ones keep their defaults."""
    boards: list[Any] = field(default_factory=list)
    """Boards to learn together: of each, what differs from `rules`. All get the same number of games; one
    that is named twice gets twice as many. Empty: the one board of `rules`."""
    seed: int = 1
    """Start of every random number of the run."""
    network: NetworkConfig = field(default_factory=NetworkConfig)
    """Size of the network."""
    start_from: str | None = None
    """Network whose weights the run begins with, of the same game and size, whatever boards it has learned
    on: a released one by name, an exported folder or a checkpoint's file; null: new weights."""
    search: SearchConfig = field(default_factory=_self_play_search)
    """Search in self-play."""
    selfplay: SelfPlayConfig = field(default_factory=SelfPlayConfig)
    """Games for learning."""
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    """What is remembered."""
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    """Optimiser and losses."""
    loop: LoopConfig = field(default_factory=LoopConfig)
    """Length and rhythm."""
    backend: BackendConfig = field(default_factory=BackendConfig)
    """What evaluates the network in self-play, and where."""
    judge: JudgeConfig = field(default_factory=JudgeConfig)
    """How the network is judged on single positions while it learns; in Dots and Boxes."""
    ladder: LadderConfig = field(default_factory=LadderConfig)
    """Matches against fixed opponents while it learns."""

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError(f"TrainConfig.seed must be at least 0, got {self.seed}")
        if self.loop.overlap and self.learner.num_threads > 1:
            raise ValueError(
                f"LearnerConfig.num_threads must be 1 with loop.overlap, got {self.learner.num_threads}"
            )

    def make_games(self) -> list[Game[Any]]:
        """All boards of the run, at least one.

        Raises:
            ValueError: No such game, no such rule, or a value that the rules refuse.
        """
        if not self.boards:
            return [make_game(self.game, self.rules)]
        return [self._make_board(index) for index in range(len(self.boards))]

    def _make_board(self, index: int) -> Game[Any]:
        board = self.boards[index]
        if not isinstance(board, Mapping):
            raise ValueError(
                f"TrainConfig.boards must hold groups of rules such as {{width: 8}}, got {board!r}"
            )
        try:
            return make_game(self.game, {**self.rules, **board})
        except ValueError as error:
            raise ValueError(f"boards[{index}]: {error}") from None
