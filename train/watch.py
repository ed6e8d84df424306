"""What is measured of a run beside its losses: judge, ladder, pictures. Nothing here changes the run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from dotzero.envs.game import Game
from dotzero.envs.registry import size_text
from dotzero.models.network import Network
from dotzero.play.levels import strongest_level
from dotzero.search.evaluation import Evaluator
from dotzero.train.board_images import board_images, fixed_positions
from dotzero.train.evaluate import flat, judge_network, judged_boards
from dotzero.train.ladder import climb
from dotzero.train.train_config import TrainConfig


class Watch:
    """The measurements of one run."""

    def __init__(self, config: TrainConfig, games: Sequence[Game[Any]]) -> None:
        """Draw and solve the judge's positions: a second or so for each board."""
        self._config = config
        self._games = list(games)
        self._judges = judged_boards(games, config.judge)

    @property
    def headlines(self) -> list[str]:
        """Names of the numbers by which runs are compared first."""
        return [f"judge/{board}/raw/optimal" for board in self._judges if 0 in self._config.judge.simulations]

    def judges_at(self, iteration: int, finished: bool) -> bool:
        """Whether the judge is asked after this iteration."""
        return is_due(self._config.judge.every, iteration, finished)

    def climbs_at(self, iteration: int, finished: bool) -> bool:
        """Whether matches are played after this iteration."""
        return is_due(self._config.ladder.every, iteration, finished)

    def judge(self, evaluator: Evaluator) -> dict[str, float]:
        """The verdicts of all boards that have a judge."""
        values: dict[str, float] = {}
        config = self._config.judge
        for board, judge in self._judges.items():
            values |= flat(board, judge_network(judge, evaluator, config.search, config.simulations))
        return values

    def climb(self, checkpoint: Path) -> dict[str, float]:
        """Matches on the first board."""
        game = self._games[0]
        opponents = self._config.ladder.opponents or [strongest_level(game, long=False)]
        return climb(game, checkpoint, opponents, self._config.ladder)

    def pictures(self, network: Network) -> dict[str, NDArray[Any]]:
        """What the network thinks of a few positions of the first and the last board."""
        images: dict[str, NDArray[Any]] = {}
        shown = list(dict.fromkeys([self._games[0], self._games[-1]]))
        names = [size_text(game) for game in shown]
        if len(set(names)) < len(names):
            names = [f"{name} {place}" for name, place in zip(names, ("first", "last"), strict=True)]
        for game, name in zip(shown, names, strict=True):
            images |= board_images(game, network, fixed_positions(game), name)
        return images


def is_due(every: int, iteration: int, finished: bool) -> bool:
    """Whether what is done every so many iterations, and at the end, is done after this one; 0: never."""
    return every > 0 and (finished or iteration % every == 0)
