"""A group of self-play games on one board: search a move in all of them, play it, begin anew where one ends.

Between two moves the whole group is a few arrays: all that resuming needs.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from dotzero.cores import num_cores
from dotzero.envs.game import NO_ACTION, Game, State
from dotzero.envs.kropki import KropkiGame
from dotzero.search.evaluation import Evaluator
from dotzero.search.mcts import Search, game_seeds
from dotzero.search.playout_teacher import PlayoutTeacher
from dotzero.search.search_config import SearchConfig
from dotzero.train.exact_end import ExactEnd
from dotzero.train.game_log import GameLog, add_policies, log_arrays, logs_from_arrays, random_actions
from dotzero.train.generators import generator_from_array, generator_to_array
from dotzero.train.selfplay_config import SelfPlayConfig

StateT = TypeVar("StateT", bound=State)


class SelfPlayGroup(Generic[StateT]):
    """Games on one board that search in lockstep."""

    def __init__(
        self,
        game: Game[StateT],
        num_games: int,
        config: SelfPlayConfig,
        search_config: SearchConfig,
        evaluator: Evaluator,
        seed: np.random.SeedSequence,
    ) -> None:
        tree_seed, move_seed = seed.spawn(2)
        self.game = game
        self.config = config
        self.full_simulations = search_config.num_simulations
        seeds = game_seeds(tree_seed, num_games)
        self.search = Search(game, num_games, search_config, evaluator, seeds, config.num_search_threads)
        self.teacher: PlayoutTeacher | None = None
        if config.teacher_iterations > 0:
            assert isinstance(game, KropkiGame)  # self-play has refused others
            self.teacher = PlayoutTeacher(game, num_games, config.teacher_playouts, seeds, num_cores())
        self.teaching = False
        self.slots = np.arange(num_games, dtype=np.int32)
        self.exact_end = ExactEnd(game, search_config) if search_config.exact_lines > 0 else None
        self.random = np.random.Generator(np.random.PCG64(move_seed))
        self.state = game.start(num_games)
        self.logs = [GameLog(self.state[[slot]]) for slot in range(num_games)]
        self.full = np.ones(num_games, np.bool_)
        self.drawn = np.zeros(num_games, np.int64)
        self._open(np.arange(num_games))

    @property
    def searches(self) -> list[Search | PlayoutTeacher]:
        """All searches of the group."""
        return [self.search] if self.teacher is None else [self.search, self.teacher]

    @property
    def active(self) -> Search | PlayoutTeacher:
        """The search that moves."""
        return self.teacher if self.teaching and self.teacher is not None else self.search

    def teach(self, teaching: bool) -> None:
        """Let the teacher make the moves from now on, or the network's search, in the games as they stand.

        A game has one generator, whoever draws from it.
        """
        before, self.teaching = self.active, teaching
        self.active.generators = before.generators

    def begin(self) -> None:
        """Begin the search for every game's next move."""
        opening = self._plies() < self.drawn
        self.full = self.random.random(len(self.slots)) < self.config.full_search_fraction
        self.full |= self.teaching  # it has no cheap searches
        self.full &= ~opening
        simulations = np.where(self.full, self.full_simulations, self.config.cheap_simulations)
        simulations[opening] = 0  # the network's own policy; the teacher searches these too
        self.active.begin(self.slots, self.state, simulations.astype(np.int32), noise=True)

    def move(self) -> list[GameLog[StateT]]:
        """Record and play the moves found; the ended games, their places taken anew, and what strayed."""
        result = self.active.results(self.slots)
        plies = self._plies()
        temperature = np.where(
            plies < self.config.temperature_plies + self.drawn, self.config.temperature, 0.0
        )
        temperature[plies < self.drawn] = self.config.opening_temperature
        actions = self.active.choose(self.slots, temperature.astype(np.float32))
        add_policies(self.logs, np.flatnonzero(self.full), result.policy, result.surprise)
        for log, action, (value, margin) in zip(
            self.logs, actions.tolist(), self.active.estimates(self.slots).tolist(), strict=True
        ):
            log.add(action, value, margin)
        self.state = self.game.step(self.state, actions)
        if self.config.stop_decided:
            self._stop_decided()
        strays = self._finish_solved()
        ended = np.flatnonzero(self.state.finished)
        logs = [self.logs[slot] for slot in ended]
        self._open(ended)
        return logs + strays

    def _finish_solved(self) -> list[GameLog[StateT]]:
        """Let the solver play what it can to the end; games that strayed from these."""
        if self.exact_end is None:
            return []
        fraction = self.config.solved_fraction
        reached = self.exact_end.play(self.state, self.logs, fraction, self.random)
        logs = [self.logs[slot] for slot in reached]
        return self.exact_end.strays(logs, self.config.strays, fraction, self.random)

    def _stop_decided(self) -> None:
        """Say STOP for whoever wins by it; the moves are logged, but not learned from."""
        stops = self.game.winning_stop(self.state)
        slots = np.flatnonzero(stops != NO_ACTION)
        for slot in slots:
            self.logs[slot].add(int(stops[slot]))
        self.state[slots] = self.game.step(self.state[slots], stops[slots])

    def _open(self, slots: NDArray[np.intp]) -> None:
        """Put new games into `slots`, each after its random opening."""
        fresh = self._start(len(slots))
        lengths = self.random.integers(0, self.config.random_opening_plies + 1, len(slots))
        for ply in range(int(lengths.max(initial=0))):
            going = np.flatnonzero((lengths > ply) & ~fresh.finished)
            if len(going) == 0:
                break
            opening = fresh[going]
            actions = random_actions(self.game.opening_actions(opening), self.random)
            fresh[going] = self.game.step(opening, actions)
        if fresh.finished.any():  # an opening as long as the game: nothing left to learn from, start without
            fresh[fresh.finished] = self._start(int(fresh.finished.sum()))
        self.state[slots] = fresh
        for index, slot in enumerate(slots):
            self.logs[slot] = GameLog(fresh[[index]])
        self.drawn[slots] = 0
        if self.config.policy_opening_plies > 0:
            self.drawn[slots] = self.random.integers(0, self.config.policy_opening_plies + 1, len(slots))

    def _plies(self) -> NDArray[np.int64]:
        """Moves made in each game since its random opening."""
        return np.array([len(log.actions) for log in self.logs], np.int64)

    def _start(self, number: int) -> StateT:
        """New games, with whatever the rules and the configuration leave to chance."""
        fresh = self.game.start(number, self.random)
        steps = round(2 * self.config.komi_spread)
        if steps == 0:
            return fresh
        komi = self.game.rules.komi + 0.5 * self.random.integers(-steps, steps + 1, number)
        return self.game.with_komi(fresh, komi.astype(np.float32))


def group_arrays(group: SelfPlayGroup[Any]) -> dict[str, NDArray[Any]]:
    """Everything that resuming needs, as arrays."""
    state = {f"state.{field.name}": getattr(group.state, field.name) for field in fields(group.state)}
    logs = log_arrays(group.logs, group.game.num_actions)
    return {
        "generators": group.active.generators,
        "random": generator_to_array(group.random),
        "drawn": group.drawn,
        **state,
        **{f"log.{name}": array for name, array in logs.items()},
    }


def load_group(group: SelfPlayGroup[Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Go on from what `group_arrays` gave."""
    for field in fields(group.state):
        saved = arrays[f"state.{field.name}"]
        if saved.shape != getattr(group.state, field.name).shape:
            raise ValueError(f"the saved self-play has {len(saved)} games a group, got {len(group.state)}")
        setattr(group.state, field.name, saved.astype(getattr(group.state, field.name).dtype))
    for search in group.searches:
        search.generators = arrays["generators"].astype(np.uint64)
    group.random = generator_from_array(arrays["random"])
    group.drawn = arrays["drawn"].astype(np.int64)
    own = {name.removeprefix("log."): array for name, array in arrays.items() if name.startswith("log.")}
    group.logs = logs_from_arrays(own, group.game.start(len(group.logs)))
