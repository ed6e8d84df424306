"""How fast the environments are: many games side by side, random legal actions, beside OpenSpiel's games.

Everything is counted that a program with a policy of its own would pay too: observations, action masks,
infos and the draw of a legal action. Of OpenSpiel, where it is installed (`pip install open_spiel`), the loop
that its documentation shows is timed twice, with and without the observation tensor of every position.
"""

import random
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from dotzero.envs.game import Game
from dotzero.envs.registry import describe_game

if TYPE_CHECKING:
    from dotzero.configs.schema import BenchJob

NUM_GAMES = 1024
NUM_STEPS = 20
"""Steps of all games between two looks at the clock."""
KROPKI_BOARD = {"width": 15, "height": 15}
"""Measured where no rules are given."""


def env_figures(game: Game[Any], best: Callable[..., list[float]], job: "BenchJob") -> dict[str, float]:
    """Steps a second of all games together, and of OpenSpiel's loop where it knows the game.

    Args:
        game: The board.
        best: `best(job, *works)`: units a second of each work, all measured in turn.
        job: How long and how often.
    """
    works = {"steps_per_second": _vector_work(game)}
    if game.name == "boxes" and find_spec("pyspiel"):
        works["open_spiel_steps_per_second"] = _open_spiel_work(game, with_tensor=True)
        works["open_spiel_bare_steps_per_second"] = _open_spiel_work(game, with_tensor=False)
    row = dict(zip(works, best(job, *works.values()), strict=True))
    return {"games": NUM_GAMES, **row}


def add_rows(table: Any, board: str, row: dict[str, float]) -> None:
    """Add the figures to the bench's table."""
    steps = row["steps_per_second"]
    table.add_row(f"environment steps, {board}, {row['games']:.0f} games, random actions", f"{steps:,.0f}")
    for name, what in (("", "with its observations"), ("_bare", "without observations")):
        other = row.get(f"open_spiel{name}_steps_per_second")
        if other is not None:
            table.add_row(f"  OpenSpiel's loop {what}: {steps / other:.1f} times slower", f"{other:,.0f}")


def _vector_work(game: Game[Any]) -> Callable[[], int]:
    """Random play in the vector environment, games beginning anew by themselves."""
    from dotzero.envs.gym_vector import DotsAndBoxesVectorEnv, KropkiVectorEnv

    kind = {"boxes": DotsAndBoxesVectorEnv, "kropki": KropkiVectorEnv}[game.name]
    env: Any = kind(num_envs=NUM_GAMES, **describe_game(game)["rules"])
    env.reset(seed=0)
    env.action_space.seed(0)

    def work() -> int:
        for _ in range(NUM_STEPS):
            env.step(env.sample_legal())
        return NUM_STEPS * NUM_GAMES

    return work


def _open_spiel_work(game: Game[Any], with_tensor: bool) -> Callable[[], int]:
    """One random game after the other, as OpenSpiel's own example plays them."""
    import pyspiel

    rows, columns = game.size
    board = pyspiel.load_game(f"dots_and_boxes(num_rows={rows},num_cols={columns})")
    luck = random.Random(0)

    def work() -> int:
        num_steps = 0
        for _ in range(NUM_STEPS):
            state = board.new_initial_state()
            while not state.is_terminal():
                if with_tensor:
                    np.asarray(state.observation_tensor(), np.float32)
                state.apply_action(luck.choice(state.legal_actions()))
                num_steps += 1
        return num_steps

    return work
