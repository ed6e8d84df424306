"""Settings of self-play: games and searches, what is learned from, and with what weight."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dotzero.search.checks import MAX_SIMULATIONS, require_at_most, require_finite

_AT_LEAST_0 = (
    "random_opening_plies",
    "policy_opening_plies",
    "temperature_plies",
    "temperature",
    "komi_spread",
    "repeat_power",
    "strays",
    "teacher_iterations",
)
_AT_LEAST_1 = ("num_games", "num_groups", "num_search_threads", "cheap_simulations", "teacher_playouts")


@dataclass(kw_only=True, slots=True)
class SelfPlayConfig:
    """How games are played for learning."""

    num_games: int = 256
    """Games in play at the same time, over all groups."""
    num_groups: int = 3
    """Groups whose searches overlap; one more than there are evaluations at a time keeps all of them busy."""
    num_search_threads: int = 1
    """Threads of the core in each group's trees; worth more than one only beside a fast device."""
    random_opening_plies: int = 8
    """Each game starts with 0 to this many random moves, which are not learned from."""
    policy_opening_plies: int = 0
    """After these, 0 to this many moves are drawn from the network's own policy, and not learned from."""
    opening_temperature: float = 1.5
    """Temperature of those."""
    komi_spread: float = 0.0
    """Each game's komi is the rules' own plus a random multiple of 0.5 from minus to plus this."""
    temperature: float = 1.0
    """Temperature of the moves up to `temperature_plies`."""
    temperature_plies: int = 4
    """Moves after the opening that are drawn from the search's policy; later ones are the search's best."""
    full_search_fraction: float = 1.0
    """Share of the moves with the full number of simulations; only these are learned from."""
    cheap_simulations: int = 8
    """Simulations of the other moves (playout-cap randomisation)."""
    stop_decided: bool = False
    """End a game by STOP as soon as the player to move wins by it: games are shorter, margins cut short."""
    solved_fraction: float = 0.25
    """With `search.exact_lines`: share of the solved positions behind the searched ones that are learned
    from; their policy is all best lines."""
    strays: int = 0
    """With `search.exact_lines`: for each game that reaches the solver so many more that left it at a random
    move, went on between careless and careful and are solved; their first position is always learned from."""
    result_share: float = 1.0
    """Lambda of the targets of value and margin: the share of the game's end against the searches on the way,
    each of which leaves so much to those behind it (TD(lambda)); 1: the end alone."""
    surprise_share: float = 0.0
    """Share of the positions' weights that goes by how far the search moved from the network's policy."""
    repeat_power: float = 0.0
    """Each of k equal positions of a shard weighs k to the power of minus this; 1: they count as one."""
    teacher_iterations: int = 0
    """Kropki: iterations in the beginning whose games are played by playouts, as level hard plays, instead of
    by the network. All their positions are learned from, value and margin from the game's end alone."""
    teacher_playouts: int = 600
    """Playouts for each of those moves."""
    board_spans: list[Any] = field(default_factory=list)
    """With several boards: the first and last share of the run, 0..1, in which each is played on, such as
    [[0, 0.5], [0.2, 1]] (a curriculum of sizes); empty: all of them all the time."""

    def __post_init__(self) -> None:
        require_finite(self)
        require_at_most(self, MAX_SIMULATIONS, "cheap_simulations", "num_games", "num_search_threads")
        require_at_most(self, MAX_SIMULATIONS, "teacher_playouts")
        for name in _AT_LEAST_1:
            if getattr(self, name) < 1:
                raise ValueError(f"SelfPlayConfig.{name} must be at least 1, got {getattr(self, name)}")
        for name in _AT_LEAST_0:
            if getattr(self, name) < 0:
                raise ValueError(f"SelfPlayConfig.{name} must be at least 0, got {getattr(self, name)}")
        for span in self.board_spans:
            if not _is_span(span):
                raise ValueError(f"SelfPlayConfig.board_spans must hold pairs in 0..1, got {span!r}")
        gap = _first_gap(self.board_spans)
        if gap is not None:
            raise ValueError(
                f"SelfPlayConfig.board_spans must leave no part of the run without a board, got {gap}"
            )
        if self.num_games < self.num_groups:
            raise ValueError(
                f"SelfPlayConfig.num_games must be at least num_groups = {self.num_groups}, "
                f"got {self.num_games}"
            )
        if self.opening_temperature <= 0:
            raise ValueError(
                f"SelfPlayConfig.opening_temperature must be above 0, got {self.opening_temperature}"
            )
        for name in ("solved_fraction", "result_share", "surprise_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"SelfPlayConfig.{name} must be in 0..1, got {getattr(self, name)}")
        if self.komi_spread % 0.5:
            raise ValueError(f"SelfPlayConfig.komi_spread must be a multiple of 0.5, got {self.komi_spread}")
        if not 0 < self.full_search_fraction <= 1:
            raise ValueError(
                "SelfPlayConfig.full_search_fraction must be above 0 and at most 1, "
                f"got {self.full_search_fraction}"
            )


def _first_gap(spans: Sequence[Sequence[float]]) -> str | None:
    """The first part of the run in which no span lies, if any; no spans at all stand for all the time."""
    reached = 0.0
    for first, last in sorted(map(tuple, spans)):
        if first > reached:
            return f"none in {reached:g}..{first:g}"
        reached = max(reached, last)
    return f"none in {reached:g}..1" if spans and reached < 1 else None


def _is_span(span: Any) -> bool:
    """Whether it is a pair of shares of a run, the first not above the last."""
    if not isinstance(span, Sequence) or isinstance(span, str) or len(span) != 2:
        return False
    first, last = span
    return isinstance(first, (int, float)) and isinstance(last, (int, float)) and 0 <= first <= last <= 1
