"""Levels easy and medium of Dots and Boxes, and what all its levels share.

A level is a rule that picks candidate lines in a position; which of them it draws is uniformly random.

Easy, by two chances drawn anew in every position: it overlooks the boxes on offer, and it gives a box away
without need. It plans no chains.

Medium, by four rules: M1 it takes every box on offer; M2 while a safe line is left (one that gives no box its
third side) it draws a safe one; M3 when it must give, it gives the fewest boxes, and two as a pair opened in
the middle (hard-hearted), which cannot be double-dealt; M4 so it always takes a chain whole, and a double
deal beats it.

Shape letters as in `envs/boxes.py`: B games, L lines.
"""

from abc import abstractmethod
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame, BoxesState, Scoring
from dotzero.envs.game import Game, State
from dotzero.play.players import Player, PlayerSpec, cast_lots, pick
from dotzero.search.gifts import are_safe, cheapest_gifts, most_sides

_MISS, _BLUNDER = 1, 2  # purposes of luck


class BoxesLevel(Player):
    """A rule for candidate lines."""

    def __init__(self, name: str | None = None) -> None:
        self.name = type(self).name if name is None else name

    @classmethod
    def refusal(cls, game: Game[Any]) -> str | None:
        """Boxes in normal scoring: the levels take boxes, which is the wrong way round in misere."""
        if not isinstance(game, BoxesGame):
            return f"boxes, got {game.name}"
        if game.rules.scoring is Scoring.MISERE:
            return f"scoring=normal, got {game.rules.scoring}"
        return None

    def choose(self, game: Game[Any], state: State, seeds: NDArray[np.uint64]) -> NDArray[np.int32]:
        """One of the candidates."""
        if reason := self.refusal(game):
            raise ValueError(f"player {type(self).name} must play {reason}")
        assert isinstance(game, BoxesGame)
        assert isinstance(state, BoxesState)
        return pick(self.candidates(game, state, seeds), cast_lots(game, state, seeds))

    @abstractmethod
    def candidates(self, game: BoxesGame, state: BoxesState, seeds: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """The lines that the level may draw, none in finished games. Bool, shape [B, L]."""


@dataclass(kw_only=True, slots=True)
class EasyConfig:
    """How careless level easy is."""

    miss: float = 0.25
    """Chance to overlook the boxes on offer."""
    blunder: float = 0.2
    """Chance to give a box away where a safe line is left."""

    def __post_init__(self) -> None:
        for item in fields(self):
            chance = getattr(self, item.name)
            if not 0 <= chance <= 1:
                raise ValueError(f"easy: {item.name} must be in 0..1, got {chance:g}")


class BoxesEasy(BoxesLevel):
    """Takes a box and keeps to safe lines, unless it overlooks one or blunders; else random."""

    name = "easy"

    def __init__(self, config: EasyConfig | None = None, name: str | None = None) -> None:
        super().__init__(name)
        self._config = EasyConfig() if config is None else config

    @classmethod
    def from_spec(cls, spec: PlayerSpec) -> "BoxesEasy":
        """With the options `miss` and `blunder`."""
        return cls(spec.settings(EasyConfig), spec.text)

    @property
    def identity(self) -> str:
        """Name and settings."""
        return f"{self.name} {self._config}"

    def candidates(self, game: BoxesGame, state: BoxesState, seeds: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """The lines that take a box; else the safe ones; else those that give one away."""
        most = most_sides(game.rules, state.lines)
        takes, safe, gives = most == 3, are_safe(most), most == 2
        overlooks = _chances(game, state, seeds, _MISS) < self._config.miss
        blunders = _chances(game, state, seeds, _BLUNDER) < self._config.blunder
        taking = takes.any(axis=1) & ~(overlooks & (safe | gives).any(axis=1))
        careful = safe.any(axis=1) & ~(blunders & gives.any(axis=1))
        quiet = np.where(careful[:, None], safe, gives)
        candidates: NDArray[np.bool_] = np.where(taking[:, None], takes, quiet)
        return candidates


class BoxesMedium(BoxesLevel):
    """Greedy with care: takes every box, gives none without need, else the fewest."""

    name = "medium"

    def candidates(self, game: BoxesGame, state: BoxesState, seeds: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """The lines by the rules M1 to M3."""
        candidates = careful_lines(game, state)
        giving = ~candidates.any(axis=1) & ~state.finished
        candidates[giving] = cheapest_gifts(game.rules, state.lines[giving])
        return candidates


def careful_lines(game: BoxesGame, state: BoxesState) -> NDArray[np.bool_]:
    """The lines that take a box, where there are none the safe ones. Shape [B, L]."""
    most = most_sides(game.rules, state.lines)
    takes, safe = most == 3, are_safe(most)
    lines: NDArray[np.bool_] = np.where(takes.any(axis=1, keepdims=True), takes, safe)
    return lines


def _chances(
    game: BoxesGame, state: BoxesState, seeds: NDArray[np.uint64], purpose: int
) -> NDArray[np.float64]:
    """Random numbers from 0 to 1 by seed, position and purpose. Shape [B]."""
    lots = cast_lots(game, state, seeds, purpose)[:, 0]
    return (lots >> np.uint64(11)).astype(np.float64) * 2.0**-53
