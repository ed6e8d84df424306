"""Matches of the network in training against fixed opponents: strength over time, where no solver judges."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dotzero.envs.game import Game
from dotzero.play.arena import ArenaConfig, play_match
from dotzero.play.players import make_player
from dotzero.search.checks import MAX_SIMULATIONS


@dataclass(kw_only=True, slots=True)
class LadderConfig:
    """Which opponents, and how often."""

    every: int = 0
    """Iterations between two ladders; 0: none. Each saves a checkpoint."""
    opponents: list[str] = field(default_factory=list)
    """Fixed opponents, as in the arena; empty: as with `measure.opponent=auto`."""
    games: int = 40
    """Games against each, an even number."""
    simulations: int = 64
    """Simulations a move of the network; 0 plays its raw policy."""

    def __post_init__(self) -> None:
        if self.every < 0:
            raise ValueError(f"LadderConfig.every must be at least 0, got {self.every}")
        if self.games < 2 or self.games % 2:
            raise ValueError(f"LadderConfig.games must be even and at least 2, got {self.games}")
        if not 0 <= self.simulations <= MAX_SIMULATIONS:
            raise ValueError(
                f"LadderConfig.simulations must be in 0..{MAX_SIMULATIONS}, got {self.simulations}"
            )


def climb(
    game: Game[Any], checkpoint: Path, opponents: Sequence[str], config: LadderConfig
) -> dict[str, float]:
    """Score and Elo of a checkpoint against every opponent, by name for metrics.

    The network plays without any solver of its own. An Elo of a score of 0% or 100% is a bound.
    """
    options = f"simulations={config.simulations},backend=torch" + (
        ",exact_lines=0" if game.name == "boxes" else ""
    )
    values: dict[str, float] = {}
    network = make_player(f"zero:{checkpoint}@{options}", game)
    network.name = "network"  # luck hangs on names, which shall not be those of folders
    try:
        for name in opponents:
            opponent = make_player(name, game)
            try:
                result = play_match(game, network, opponent, ArenaConfig(games=config.games))
            finally:
                opponent.close()
            estimate = result.estimate
            values[f"ladder/{name}/score"] = estimate.score
            values[f"ladder/{name}/elo"] = estimate.elo
            values[f"ladder/{name}/elo_low"], values[f"ladder/{name}/elo_high"] = estimate.interval
    finally:
        network.close()
    return values
