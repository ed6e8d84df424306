"""Level `zero`: a trained network with tree search.

Reads an exported folder (`model.safetensors`, `model.onnx`) or a single checkpoint file. With 0 simulations
the network plays its raw policy. In Dots and Boxes the solver plays the end of the game.

Within a time the tree is searched again and again, each time with more simulations, as many as the speed so
far promises to fit in; one that runs over the time is given up, and the one before it counts.
"""

import copy
import math
import sys
import time
from collections.abc import Hashable
from dataclasses import dataclass, replace
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.cores import num_cores
from dotzero.envs.boxes import MAX_LINES
from dotzero.envs.game import NO_ACTION, Game, State
from dotzero.models.backend import Backend, BackendConfig, make_evaluator
from dotzero.models.checkpoint import load_checkpoint
from dotzero.models.encoding import known_encoding
from dotzero.models.evaluator import Evaluation, Evaluator
from dotzero.models.export import ONNX_NAME, checkpoint_file
from dotzero.models.files import checksum
from dotzero.models.onnx_evaluator import OnnxEvaluator
from dotzero.models.onnx_weights import read_same_model
from dotzero.play.exact_moves import ExactMoves
from dotzero.play.options import read_settings
from dotzero.play.owner_maps import OwnerMaps
from dotzero.play.players import Budget, Player, PlayerSpec, cast_lots
from dotzero.play.released import released_network
from dotzero.play.shared_networks import give_back, take
from dotzero.search.checks import MAX_SIMULATIONS, require_at_most, require_finite
from dotzero.search.endgame import has_solver
from dotzero.search.evaluation import Evaluator as SearchedEvaluator
from dotzero.search.interrupts import check
from dotzero.search.mcts import Search, run
from dotzero.search.search_config import InteriorRule, RootRule, SearchConfig
from dotzero.search.turned import TurnedEvaluator

SOLVER_OPTIONS = ("exact_lines", "root_lines", "root_nodes", "essential_lines")
"""Fields of `ZeroConfig` that need what the solver knows, and so say nothing where there is none."""
_FIRST_SIMULATIONS = 16
"""Of the first search within a time; it is never given up."""
_GROWTH = 8
"""How many times larger a search within a time may be than the one before, whose speed it is judged by."""
_EXACT_SHARE = 0.25
"""Share of a limited time in which best lines may be calculated before the search."""
_WORTHWHILE = 1.5
"""How many times larger it has to be to be tried at all."""
_MOST_EDGES = 10**8
"""Simulations times actions of the largest search within a time: about a gigabyte."""


@dataclass(kw_only=True, slots=True)
class ZeroConfig:
    """How level `zero` searches and what evaluates its network."""

    simulations: int = 64
    """Simulations a move; 0 plays the network's raw policy."""
    temperature: float = 0.0
    """0 plays the best move, more draws from the search's policy."""
    root: RootRule = RootRule.PUCT
    """How the root's simulations are shared out."""
    interior: InteriorRule = InteriorRule.PUCT
    """How those inside the tree are shared out."""
    num_considered: int = 16
    """With the Gumbel root: how many moves enter sequential halving."""
    margin_weight: float = 0.1
    """Share of the score margin in a position's utility."""
    exact_lines: int = 24
    """Dots and Boxes: with so few undrawn lines the solver plays, and judges positions of the search; 0:
    never. Without effect in other games, in misere and on boards of more than 64 dots: no solver there."""
    root_lines: int = 42
    """Unless `exact_lines` is 0: with so few undrawn lines the move itself is solved, if `root_nodes` do."""
    root_nodes: int = 1_000_000
    """Positions that such an attempt may search, as of level insane."""
    essential_lines: bool = True
    """Dots and Boxes: the search takes boxes that cost nothing and tries one of equal lines. Without effect
    where there is no solver either."""
    turned: bool = True
    """Whether the network sees each position from a side of the board drawn by lot, without which equal
    players would play the same game from the same opening."""
    backend: Backend = Backend.ONNX
    """What evaluates the network."""
    device: str = "cpu"
    """Where."""

    def __post_init__(self) -> None:
        require_finite(self)
        require_at_most(self, MAX_SIMULATIONS, "simulations")
        if not 0 <= self.exact_lines <= MAX_LINES:
            raise ValueError(f"zero: exact_lines must be in 0..{MAX_LINES}, got {self.exact_lines}")
        if not 0 <= self.root_lines <= MAX_LINES:
            raise ValueError(f"zero: root_lines must be in 0..{MAX_LINES}, got {self.root_lines}")
        if not 1 <= self.root_nodes <= 10**10:
            raise ValueError(f"zero: root_nodes must be in 1..{10**10}, got {self.root_nodes}")
        if self.simulations < 0:
            raise ValueError(f"zero: simulations must be at least 0, got {self.simulations}")
        if self.temperature < 0:
            raise ValueError(f"zero: temperature must be at least 0, got {self.temperature}")


def _search_of(config: ZeroConfig, game: Game[Any]) -> SearchConfig:
    """The search of a player on a game's board, which may have no solver."""
    return SearchConfig(
        num_simulations=max(1, config.simulations),
        root=config.root,
        interior=config.interior,
        num_considered=config.num_considered,
        margin_weight=config.margin_weight,
        exact_lines=config.exact_lines if has_solver(game) else 0,
        essential_lines=config.essential_lines and has_solver(game),
    )


class ZeroPlayer(Player):
    """A network with tree search."""

    budgets = ("simulations", "seconds")

    def __init__(self, path: Path | str, game: Game[Any], config: ZeroConfig, name: str = "zero") -> None:
        """Load the network.

        Args:
            path: An exported folder or a checkpoint file.
            game: The game it is to play.
            config: Search and evaluation.
            name: Shown in tables.

        Raises:
            ValueError: There is no such checkpoint, it is damaged, made for another game or encoding, or not
                the one that the exported model beside it was made of.
        """
        self.name = name
        self._config = config
        self._seconds: float | None = None
        folder = Path(path)
        encoding = known_encoding(game.name, game.max_margin)
        network, meta = load_checkpoint(checkpoint_file(folder, "zero:DIR"), encoding)
        self._weights = checksum(network.state_dict())
        self._owner_maps = OwnerMaps(folder, encoding)
        exported = folder / ONNX_NAME
        backend = BackendConfig(kind=config.backend, device=config.device)
        # The exported model knows margins up to its own largest board; for larger ones export anew.
        fits = meta.encoding.max_margin >= encoding.max_margin
        with_model = config.backend is Backend.ONNX and fits and exported.is_file()

        def make() -> Evaluator:
            if with_model:
                model = read_same_model(exported, network.state_dict())
                return OnnxEvaluator(model, num_cores(), encoding)
            _tell_of_export(name, config.backend is Backend.ONNX and exported.is_file())
            return make_evaluator(network, backend, [game.observe(game.start(1))])

        size = encoding.max_margin if with_model else game.observation_shape
        from_file = exported.resolve() if with_model else None
        key = (self._weights, config.backend, config.device, from_file, size)
        self._evaluator = take(key, make)
        others = range(1, len(game.symmetries))  # 0 turns nothing
        turned = [TurnedEvaluator(self._evaluator, game, side) for side in others]
        self._sides: list[SearchedEvaluator] = [self._evaluator, *turned]
        self._network_key: Hashable | None = key
        self._search_config = _search_of(config, game)
        tried = max(config.root_lines, config.exact_lines) if self._search_config.exact_lines else 0
        self._exact = ExactMoves(game, tried, config.root_nodes)

    @property
    def identity(self) -> str:
        """Name, settings, a checksum of the weights, and the time where it is limited."""
        limit = "" if self._seconds is None else f" within {self._seconds:g} seconds"
        return f"{self.name} {self._config} {self._weights:08x}{limit}"

    @property
    def horizon(self) -> int | None:
        """As in its settings, as far as the nodes go; none with the raw policy or without a solver."""
        own = self._search_config.exact_lines
        return max(own, self._config.root_lines) if own and self._config.simulations else None

    @property
    def certain_lines(self) -> int:
        """From so few undrawn lines on it always plays exactly; 0: never."""
        return self._search_config.exact_lines if self._config.simulations else 0

    def exact_move(self, game: Game[Any], state: State, seeds: NDArray[np.uint64]) -> int | None:
        """The move of `choose` in a batch of one game where it is calculated, else None."""
        best = self._best_lines(state)
        if not best.any():
            return None
        return int(self._raw(game, state, cast_lots(game, state, seeds), best)[0])

    def _best_lines(self, state: State) -> NDArray[np.bool_]:
        """Best lines as far as they can be calculated at the root, else none. Shape [B, A]."""
        return self._exact.best(state, None if self._seconds is None else _EXACT_SHARE * self._seconds)

    def _deadline(self) -> float | None:
        """When a move that is asked for now has to be there."""
        return None if self._seconds is None else time.monotonic() + self._seconds

    def choose(self, game: Game[Any], state: State, seeds: NDArray[np.uint64]) -> NDArray[np.int32]:
        """The search's moves for all unfinished games, in one batch."""
        actions = np.full(len(state), NO_ACTION, np.int32)
        going = np.flatnonzero(~state.finished)
        if len(going) == 0:
            return actions
        deadline = self._deadline()
        asked, luck = state[going], cast_lots(game, state, seeds)[going]
        if self._config.simulations == 0:
            actions[going] = self._raw(game, asked, luck, game.legal(asked))
            return actions
        best = self._best_lines(asked)
        known = best.any(axis=1)
        if known.any():  # of the best lines that which the network likes most
            actions[going[known]] = self._raw(game, asked[known], luck[known], best[known])
        rows = np.flatnonzero(~known)
        if len(rows):
            actions[going[rows]] = self._searched_moves(game, asked[rows], luck[rows], deadline)
        return actions

    def _searched_moves(
        self, game: Game[Any], state: State, luck: NDArray[np.uint64], deadline: float | None
    ) -> NDArray[np.int32]:
        """The search's moves; several groups in turn, each seen from one side, give both cores work. [B]."""
        actions = np.full(len(state), NO_ACTION, np.int32)
        sides = self._drawn_sides(luck)
        if (sides == sides[0]).all():
            groups = np.array_split(np.arange(len(state)), 2 if len(state) > 1 else 1)
        else:
            groups = [np.flatnonzero(sides == side) for side in np.unique(sides)]
        for group, search in zip(
            groups, self._search(game, state, luck, groups, deadline, self._search_config), strict=True
        ):
            slots = np.arange(len(group), dtype=np.int32)
            actions[group] = search.choose(slots, self._config.temperature)
        return actions

    def _drawn_sides(self, luck: NDArray[np.uint64]) -> NDArray[np.intp]:
        """The symmetry that the network sees each position through. Shape [B]."""
        number = np.uint64(len(self._sides) if self._config.turned else 1)
        return (luck[:, -1] % number).astype(np.intp)

    def within(self, budget: Budget) -> "ZeroPlayer":
        """The same player with so many simulations, or so much time, for every move or batch of moves."""
        other = copy.copy(self)
        simulations = budget.simulations or max(1, self._config.simulations)
        other._config = replace(self._config, simulations=simulations)
        other._search_config = replace(self._search_config, num_simulations=simulations)
        other._seconds = budget.seconds
        other.follows_games = budget.seconds is not None  # a move's time is not shared with other games
        return other

    def search(self, game: Game[Any], state: State, seeds: NDArray[np.uint64]) -> Search:
        """The search for a move, at its end, as `choose` would ask it; with 1 simulation at least.

        It tries all moves of the position, however many come to the same. Arguments as for `choose`, but the
        whole batch is seen from the side drawn for its first game; the results are in the slots 0..B-1.
        """
        luck, config = cast_lots(game, state, seeds), replace(self._search_config, essential_root=False)
        return self._search(game, state, luck, [np.arange(len(state))], self._deadline(), config)[0]

    def evaluate(self, game: Game[Any], state: State) -> Evaluation:
        """What the network alone says of positions."""
        observation = game.observe(state)
        return self._evaluator.evaluate(observation.points, observation.globals)

    def owners(self, game: Game[Any], state: State) -> NDArray[np.float32]:
        """Who the network thinks will own what; see `OwnerMaps.of`. Shape [B, H, W]."""
        return self._owner_maps.of(game, state)

    @property
    def num_simulations(self) -> int:
        """Simulations of a search that has no time for its budget."""
        return self._search_config.num_simulations

    @property
    def margin_weight(self) -> float:
        """The share of the score margin in its utility."""
        return self._config.margin_weight

    def _search(
        self,
        game: Game[Any],
        state: State,
        luck: NDArray[np.uint64],
        groups: list[NDArray[np.intp]],
        deadline: float | None,
        config: SearchConfig,
    ) -> list[Search]:
        """Finished searches, one for the games of each group."""
        if deadline is None:
            searches = self._begin(game, state, luck, groups, config)
            run(searches)
            return searches
        number = _FIRST_SIMULATIONS
        most = min(MAX_SIMULATIONS, max(number, _MOST_EDGES // (game.num_actions * len(state))))
        found: list[Search] | None = None
        while True:
            begun = time.monotonic()
            searches = self._begin(game, state, luck, groups, replace(config, num_simulations=number))
            if not _run_until(searches, deadline if found is not None else math.inf):
                assert found is not None
                return found
            found, now = searches, time.monotonic()
            fitting = int(min(number * (deadline - now) / max(now - begun, 1e-6), _GROWTH * number, most))
            if fitting < _WORTHWHILE * number or _all_ended_early(found, number):
                return found
            number = fitting

    def _begin(
        self,
        game: Game[Any],
        state: State,
        luck: NDArray[np.uint64],
        groups: list[NDArray[np.intp]],
        config: SearchConfig,
    ) -> list[Search]:
        searches = []
        for group in groups:
            evaluator = self._sides[self._drawn_sides(luck[group[:1]])[0]]
            search = Search(game, len(group), config, evaluator, luck[group, 0].copy())
            search.begin(np.arange(len(group), dtype=np.int32), state[group])
            searches.append(search)
        return searches

    def _raw(
        self, game: Game[Any], state: State, luck: NDArray[np.uint64], among: NDArray[np.bool_]
    ) -> NDArray[np.int32]:
        """Moves by the network's policy, seen from drawn sides; `among` [B, A] are those that are allowed."""
        sides = self._drawn_sides(luck)
        observation = game.observe(state)
        points = game.symmetries.apply_to_points(observation.points, sides)
        policy = self._evaluator.evaluate(points, observation.globals).policy[:, game.policy_slots]
        logits = np.where(among, np.take_along_axis(policy, game.symmetries.actions[sides], 1), -np.inf)
        if (
            self._config.temperature > 0
        ):  # Gumbel-max: the argmax of perturbed logits is a draw from the softmax
            uniform = (luck >> np.uint64(11)).astype(np.float64) * 2.0**-53 + 2.0**-54
            logits = logits / self._config.temperature - np.log(-np.log(uniform))
        return np.asarray(logits.argmax(axis=1), np.int32)

    def close(self) -> None:
        """Give the network back."""
        key, self._network_key = self._network_key, None
        if key is not None:
            give_back(key)


def _tell_of_export(name: str, anew: bool) -> None:
    """Say why nothing seems to happen; a worker says nothing, as whoever started it has said so already."""
    if anew and parent_process() is None:
        sys.stderr.write(
            f"{name} was exported for smaller boards: exporting it anew for this one takes 10 to 30 seconds "
            "(not with backend=torch)\n"
        )


def _run_until(searches: list[Search], deadline: float) -> bool:
    """Run begun searches to their end, or give all up when the time is over; whether they came to it."""
    going = list(searches)
    try:
        while going:
            check()
            if time.monotonic() > deadline:
                for search in searches:
                    search.abandon()
                return False
            going = [search for search in going if search.submit()]
            for search in going:
                search.collect()
    except BaseException:
        for search in searches:
            search.abandon()
        raise
    return True


def _all_ended_early(searches: list[Search], num_simulations: int) -> bool:
    """Whether no search could use all its simulations, so that more would change nothing."""
    visits = [search.results(np.arange(search.num_games, dtype=np.int32)).visits for search in searches]
    return all((found.sum(axis=1) < num_simulations).all() for found in visits)


def make_zero(spec: PlayerSpec, game: Game[Any]) -> ZeroPlayer:
    """The player of a specification `zero:DIR@...`; without DIR it is the released network for the board."""
    path = spec.path or released_network(game)
    return ZeroPlayer(path, game, read_settings(ZeroConfig, "zero", spec.options), spec.text)
