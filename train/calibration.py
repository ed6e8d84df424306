"""Evaluators that fit, and the positions for it: of random games in the beginning, then of self-play.

Shape letters as in `dotzero.envs.game`; N positions.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import Game
from dotzero.models.backend import BackendConfig, make_evaluator
from dotzero.models.evaluator import Evaluator
from dotzero.models.int8 import CalibrationPositions
from dotzero.models.network import Network
from dotzero.train.game_log import random_actions
from dotzero.train.positions import Positions, unpack_legal

NUM_POSITIONS = 256
"""Positions a board that are worth offering; `dotzero.models.int8` thins them out further."""


def fitted_evaluator(
    network: Network, config: BackendConfig, games: Sequence[Game[Any]], seed: int = 0
) -> Evaluator:
    """An evaluator for some boards; a quantised one is fitted to positions of random games on them.

    Args:
        network: Copied.
        config: The back-end.
        games: The boards.
        seed: Of those games.

    Raises:
        ValueError: As of `make_evaluator`.
    """
    samples = [game.observe(game.start(1)) for game in games]
    # Random games take long on large boards: they are played only for whoever needs them.
    fitted = [random_positions(game, np.random.default_rng(seed)) for game in games] if config.int8 else []
    return make_evaluator(network, config, samples, fitted)


def random_positions(
    game: Game[Any], random: np.random.Generator, num_positions: int = NUM_POSITIONS
) -> CalibrationPositions:
    """Positions of random games, spread evenly over the stages of a game.

    Args:
        game: The board.
        random: Draws the moves.
        num_positions: How many games are begun; those that end on the way give no position.
    """
    state = game.start(num_positions, random)
    lengths = np.arange(num_positions) * game.num_actions // num_positions
    for ply in range(int(lengths.max(initial=0))):
        going = np.flatnonzero((lengths > ply) & ~state.finished)
        if len(going) == 0:
            break
        playing = state[going]
        state[going] = game.step(playing, random_actions(game.opening_actions(playing), random))
    state = state[~state.finished]
    points, globals_ = game.observe(state)
    return CalibrationPositions(points, globals_, _legal_slots(game, game.legal(state)))


def learned_positions(
    game: Game[Any], positions: Positions, num_positions: int = NUM_POSITIONS
) -> CalibrationPositions:
    """Evenly spaced ones of the positions that are learned from, the first and the last included.

    Args:
        game: The board.
        positions: Of that board, may be none.
        num_positions: At most so many.
    """
    rows = np.linspace(0, len(positions) - 1, min(num_positions, len(positions))).astype(np.int64)
    chosen = positions[rows]
    legal = unpack_legal(chosen.legal, game.num_actions)
    return CalibrationPositions(chosen.points, chosen.globals, _legal_slots(game, legal))


def _legal_slots(game: Game[Any], legal: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Legal slots of the policy output from legal actions. [N, A] -> [N, P]."""
    slots = np.zeros((len(legal), game.num_policy_slots), np.bool_)
    slots[:, game.policy_slots] = legal
    return slots
