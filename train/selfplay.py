"""Self-play: groups of games that search, move, and hand over their positions when they end.

All groups make one move a round, their searches overlapping (`dotzero.search.mcts.run`), whatever board each
of them plays on. A finished game's place is taken by a new one at once. Between rounds the whole state is a
few arrays: all that resuming needs.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import Game
from dotzero.search.evaluation import Evaluator
from dotzero.search.mcts import StageSeconds, run
from dotzero.search.playout_teacher import require_teachable
from dotzero.search.search_config import SearchConfig
from dotzero.train.draw_weights import draw_weights
from dotzero.train.game_log import GameLog, empty_positions, finished_positions
from dotzero.train.positions import Positions
from dotzero.train.selfplay_config import SelfPlayConfig
from dotzero.train.selfplay_group import SelfPlayGroup, group_arrays, load_group

__all__ = ["SelfPlay", "SelfPlayConfig", "SelfPlayReport"]


class SelfPlayReport(NamedTuple):
    """What one call of `SelfPlay.play` did."""

    num_positions: int
    """Positions of finished games, each with all its targets."""
    num_games: int
    """Games that ended."""
    num_evaluations: int
    """Positions that the network judged."""
    num_cache_hits: int
    """Positions whose judgement was at hand already, or came with that of an equal one."""
    num_moves: int
    """Moves searched and played, over all games; those of the solver do not count."""
    first_player_score: float
    """Share of points of the player who began, over the ended games."""
    draw_rate: float
    """Share of drawn games."""
    policy_entropy: float
    """Mean entropy of the recorded policies, in nats: those of searches and those of the solver."""
    teacher: bool
    """Whether playouts made the moves instead of the network."""


def _check_komi_spread(game: Game[Any], spread: float) -> None:
    """Refuse a spread in a game without komi, and one that the rules do not allow."""
    if spread == 0:
        return
    own = getattr(game.rules, "komi", None)
    if own is None:
        raise ValueError(f"SelfPlayConfig.komi_spread must be 0 in {game.name}: no komi there, got {spread}")
    try:
        game.with_komi(game.start(2), np.array([own - spread, own + spread], np.float32))
    except ValueError as error:
        raise ValueError(f"SelfPlayConfig.komi_spread must suit the rules, got {spread}: {error}") from None


class SelfPlay:
    """All groups of games of one training run, on one board or several."""

    def __init__(
        self,
        games: Sequence[Game[Any]],
        config: SelfPlayConfig,
        search_config: SearchConfig,
        evaluator: Evaluator,
        seed: np.random.SeedSequence,
    ) -> None:
        """Open all games.

        Args:
            games: The boards, all of one game. Each gets its share of `config.num_games`.
            config: How games are played.
            search_config: How moves are searched.
            evaluator: Serves all boards.
            seed: Start of all luck.

        Raises:
            ValueError: There are more boards than groups, komi has no place, strays no solver, or the game no
                teacher.
        """
        if config.num_groups < len(games):
            raise ValueError(
                f"SelfPlayConfig.num_groups must be at least the number of boards = {len(games)}, "
                f"got {config.num_groups}"
            )
        if config.board_spans and len(config.board_spans) != len(games):
            raise ValueError(
                f"SelfPlayConfig.board_spans must name every board = {len(games)}, "
                f"got {len(config.board_spans)}"
            )
        if config.strays > 0 and search_config.exact_lines == 0:
            raise ValueError(
                f"SelfPlayConfig.strays must be 0 without search.exact_lines, got {config.strays}"
            )
        for game in games:
            _check_komi_spread(game, config.komi_spread)
            require_teachable(game, "SelfPlayConfig.teacher_iterations", config.teacher_iterations)
        self._games = list(games)
        self._config = config
        sizes = _group_sizes(len(games), config.num_games, config.num_groups)
        self._boards = [board for board, shares in enumerate(sizes) for _ in shares]
        shares = [share for shares in sizes for share in shares]
        self._groups = [
            SelfPlayGroup(games[board], share, config, search_config, evaluator, child)
            for board, share, child in zip(self._boards, shares, seed.spawn(len(shares)), strict=True)
        ]
        self._choose_boards(0.0)

    def play(
        self, num_positions: int, progress: float = 0.0, teaching: bool = False
    ) -> tuple[list[Positions], SelfPlayReport]:
        """Play until games with at least `num_positions` recorded positions have ended; these, by board.

        Args:
            num_positions: At least one.
            progress: How far the run has come, 0..1: it decides which boards are played on.
            teaching: Let the teacher make the moves, in games that are under way too. Needs
                `config.teacher_iterations` above 0.

        Raises:
            ValueError: There is no teacher.
        """
        self.teach(teaching)
        self._choose_boards(progress)
        for group in self._groups:  # also where the weights are as before: a resumed run begins without them
            group.active.clear_cache()
        ended: list[list[GameLog[Any]]] = [[] for _ in self._games]
        collected = num_moves = num_games = 0
        evaluations, hits = self.num_evaluations, self.num_cache_hits
        while collected < num_positions:
            for (board, group), logs in zip(self._playing, self.play_moves(), strict=True):
                num_games += sum(not log.strayed for log in logs)
                ended[board] += [log for log in logs if log.searched]
                collected += sum(len(log.searched) for log in logs)
                num_moves += len(group.slots)
        boards = [self._positions(game, logs) for game, logs in zip(self._games, ended, strict=True)]
        first = np.concatenate([first for _, first in boards])
        report = SelfPlayReport(
            num_positions=collected,
            num_games=num_games,
            num_evaluations=self.num_evaluations - evaluations,
            num_cache_hits=self.num_cache_hits - hits,
            num_moves=num_moves,
            first_player_score=float(first.mean()),
            draw_rate=float((first == 0.5).mean()),
            policy_entropy=_mean_entropy([positions.policy for positions, _ in boards]),
            teacher=teaching,
        )
        return [positions for positions, _ in boards], report

    def teach(self, teaching: bool) -> None:
        """Let the teacher make the moves from now on, or the network, in the games as they stand.

        Raises:
            ValueError: There is no teacher.
        """
        if teaching and self._config.teacher_iterations == 0:
            raise ValueError("SelfPlayConfig.teacher_iterations must be above 0 to be taught, got 0")
        for group in self._groups:
            group.teach(teaching)

    def play_moves(self) -> list[list[GameLog[Any]]]:
        """Play one move in every game of the boards that are played on; the games that it ended, by group."""
        for _, group in self._playing:
            group.begin()
        run([group.active for _, group in self._playing])
        return [group.move() for _, group in self._playing]

    def _choose_boards(self, progress: float) -> None:
        """Let the groups of the boards whose span holds `progress` play; the others wait as they are."""
        spans = self._config.board_spans or [[0.0, 1.0]] * len(self._games)
        current = {board for board, (first, last) in enumerate(spans) if first <= progress <= last}
        groups = zip(self._boards, self._groups, strict=True)
        self._playing = [(board, group) for board, group in groups if board in current]

    def _positions(self, game: Game[Any], logs: list[GameLog[Any]]) -> tuple[Positions, NDArray[np.float64]]:
        """The positions of one board's ended games, and the share of each game's points of who began it."""
        if not logs:
            return empty_positions(game, 0), np.empty(0)
        c = self._config
        positions, end = finished_positions(game, logs, c.result_share)
        if c.surprise_share > 0 or c.repeat_power > 0:
            surprise = np.array([item.surprise for log in logs for item in log.searched], np.float32)
            positions.weight[:] = draw_weights(
                positions, surprise, game.symmetries, c.surprise_share, c.repeat_power
            )
        whole = np.array([not log.strayed for log in logs])
        first = (np.where(end.to_move == 0, 1, -1) * game.outcome(end))[whole]
        return positions, (0.5 + 0.5 * first).astype(np.float64)

    @property
    def num_evaluations(self) -> int:
        """Positions that the network has judged so far."""
        return sum(group.search.num_evaluations for group in self._groups)

    @property
    def num_cache_hits(self) -> int:
        """Positions that needed no judgement of their own so far; see `SearchConfig.cache_mib`."""
        return sum(group.search.num_cache_hits for group in self._groups)

    @property
    def seconds(self) -> StageSeconds:
        """Time spent in the stages of all searches so far, added over the groups."""
        parts = [search.seconds for group in self._groups for search in group.searches]
        return StageSeconds(*(sum(stage) for stage in zip(*parts, strict=True)))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that resuming needs, as arrays."""
        arrays: dict[str, NDArray[Any]] = {}
        for index, group in enumerate(self._groups):
            arrays |= {f"group{index}.{name}": array for name, array in group_arrays(group).items()}
        return arrays

    def load_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `arrays` gave; the configuration must be the same."""
        for index, group in enumerate(self._groups):
            prefix = f"group{index}."
            own = {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}
            load_group(group, own)


def _group_sizes(num_boards: int, num_games: int, num_groups: int) -> list[list[int]]:
    """How many games each group of each board has; as even as can be, none empty."""
    games = [len(share) for share in np.array_split(np.arange(num_games), num_boards)]
    groups = [len(share) for share in np.array_split(np.arange(num_groups), num_boards)]
    return [
        [len(share) for share in np.array_split(np.arange(own), number)]
        for own, number in zip(games, groups, strict=True)
    ]


def _mean_entropy(policies: list[NDArray[np.float16]]) -> float:
    """Mean entropy of all policies, in nats; a thousand at a time, since on large boards they are many."""
    rows = [
        (part * np.log(np.maximum(part, 1e-12))).sum(axis=1)
        for policy in policies
        for start in range(0, len(policy), 1000)
        for part in [policy[start : start + 1000].astype(np.float32)]
    ]
    return float(-np.concatenate(rows).mean())
