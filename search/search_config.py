"""How a tree search is set up: its parameters, and the boards they are for."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from dotzero.envs.boxes import BoxesGame
from dotzero.envs.game import Game
from dotzero.search.checks import MAX_SIMULATIONS, require_at_most, require_finite
from dotzero.search.endgame import MAX_TABLE_MIB, require_fits


class RootRule(Enum):
    """How the root's simulations are shared out."""

    PUCT = "puct"
    """By prior and value as in the rest of the tree; for play, analysis and large budgets."""
    GUMBEL = "gumbel"
    """Sequential halving over sampled actions; improves the policy even with few simulations."""


class InteriorRule(Enum):
    """How a simulation finds its way below the root."""

    PUCT = "puct"
    """By value, prior and visits."""
    GUMBEL = "gumbel"
    """So that the visits follow the improved policy; full Gumbel MuZero with `root` gumbel as well."""


@dataclass(kw_only=True, slots=True)
class SearchConfig:
    """Parameters of one search."""

    num_simulations: int = 64
    """Leaves visited below the root for each move."""
    root: RootRule = RootRule.PUCT
    """How the root's simulations are shared out."""
    interior: InteriorRule = InteriorRule.PUCT
    """How a simulation finds its way below the root."""
    max_edges: int = 0
    """Below the root only so many actions of highest prior are looked at in each position; 0: all. For large
    boards of Kropki: saves memory. What is left out may be best, so such a position is never proved worse."""
    c_puct: float = 1.5
    """Weight of the prior against the value in PUCT."""
    fpu_reduction: float = 0.2
    """An unvisited move counts as its parent's value less this times the root of the prior tried so far."""
    margin_weight: float = 0.1
    """Share of the score margin in a position's utility, 0 (only winning counts) to 1."""
    margin_scale: float | None = None
    """Margin in points that uses up `margin_weight`; none: the game's own scale for its board."""
    dirichlet_alpha: float = 0.3
    """PUCT self-play: concentration of the noise on the root's priors."""
    dirichlet_fraction: float = 0.25
    """PUCT self-play: share of that noise."""
    num_considered: int = 16
    """Gumbel: how many root actions enter sequential halving."""
    gumbel_visit: float = 50.0
    """Gumbel (root and interior): c_visit of the paper, the visits that values count for before any."""
    gumbel_scale: float = 1.0
    """Gumbel (root and interior): c_scale of the paper, weight of values against logits."""
    exact_lines: int = 0
    """Dots and Boxes: positions with at most so many undrawn lines are solved instead of evaluated; 0: none.
    On 5x5, 30 cost about as much as the tree's own work, 36 a hundred times more."""
    exact_table_mib: int = 16
    """Memory of the solver's table, in MiB, for each group of games; in self-play twice."""
    essential_lines: bool = False
    """Dots and Boxes: boxes are taken as long as nothing is lost by it, and of lines that come to the same
    only one is tried. No value under best play is another by it; needs normal scoring, at most 64 dots."""
    essential_root: bool = True
    """With `essential_lines`: at the root too. Equal lines have equal shares of the policy, visits only one
    of them, and a box that costs nothing is taken without a search. False: the root's lines are all tried."""
    cache_mib: int = 0
    """Memory of the evaluation cache of each group of games, in MiB; 0: none; Dots and Boxes only. With it
    the network sees one image of all that the board's symmetries make equal."""

    def __post_init__(self) -> None:
        require_finite(self)
        for name in ("num_simulations", "num_considered"):
            _require(getattr(self, name) >= 1, f"{name} must be at least 1", getattr(self, name))
        require_at_most(self, MAX_SIMULATIONS, "num_simulations", "num_considered")
        require_at_most(self, 255, "exact_lines")
        require_at_most(self, MAX_TABLE_MIB, "exact_table_mib", "cache_mib")
        require_at_most(self, 2**16 - 1, "max_edges")
        for name in ("exact_lines", "cache_mib", "max_edges"):
            _require(getattr(self, name) >= 0, f"{name} must be at least 0", getattr(self, name))
        _require(self.exact_table_mib >= 1, "exact_table_mib must be at least 1", self.exact_table_mib)
        for name in ("c_puct", "dirichlet_alpha", "gumbel_scale"):
            _require(getattr(self, name) > 0, f"{name} must be above 0", getattr(self, name))
        for name in ("margin_weight", "dirichlet_fraction"):
            _require(0 <= getattr(self, name) <= 1, f"{name} must be in 0..1", getattr(self, name))
        for name in ("fpu_reduction", "gumbel_visit"):
            _require(getattr(self, name) >= 0, f"{name} must be at least 0", getattr(self, name))
        if self.margin_scale is not None:
            _require(self.margin_scale > 0, "margin_scale must be above 0", self.margin_scale)

    def require_game(self, game: Game[Any]) -> None:
        """Refuse settings that are not for a game on its board.

        Raises:
            ValueError: The setting, what it must be there, and its value.
        """
        if not isinstance(game, BoxesGame):
            for name in ("exact_lines", "cache_mib"):
                _require(getattr(self, name) == 0, f"{name} must be 0 in {game.name}", getattr(self, name))
            _require(not self.essential_lines, f"essential_lines must be false in {game.name}", "true")
            return
        if self.exact_lines:
            require_fits(game.rules, f"SearchConfig.exact_lines {self.exact_lines}")
        if self.essential_lines:
            require_fits(game.rules, "SearchConfig.essential_lines true")

    def core_options(self, game: Game[Any]) -> dict[str, Any]:
        """The options as the core names them, with the board's own margin scale filled in."""
        options = {
            "max_simulations": self.num_simulations,
            "c_puct": self.c_puct,
            "fpu_reduction": self.fpu_reduction,
            "margin_weight": self.margin_weight,
            "margin_scale": game.margin_scale if self.margin_scale is None else self.margin_scale,
            "gumbel_root": self.root is RootRule.GUMBEL,
            "dirichlet_alpha": self.dirichlet_alpha,
            "dirichlet_fraction": self.dirichlet_fraction,
            "num_considered": self.num_considered,
            "gumbel_visit": self.gumbel_visit,
            "gumbel_scale": self.gumbel_scale,
            "gumbel_interior": self.interior is InteriorRule.GUMBEL,
            "max_edges": self.max_edges,
            "cache_mib": self.cache_mib,
        }
        if isinstance(game, BoxesGame):
            for name in ("exact_lines", "exact_table_mib", "essential_lines", "essential_root"):
                options[name] = getattr(self, name)
        return options


def _require(fits: bool, rule: str, value: object) -> None:
    if not fits:
        raise ValueError(f"SearchConfig.{rule}, got {value}")
