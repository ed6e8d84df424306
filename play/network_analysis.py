"""What a network and its search expect of a position: an estimate, never a certainty.

The one idea: points and chances are told apart. Points (`value`, and one for every move that was tried) are
the network's own expectation right after a move; the chance of winning, what is best and what follows come
from the search. What the network says before any search, policy, chance and margin, stands beside it.

All numbers are seen by the player to move. A chance counts a draw as one half.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.game import Game, State
from dotzero.play.players import Budget
from dotzero.play.zero import ZeroPlayer
from dotzero.search.mcts import Search

_MOST_VARIATION = 8
"""Moves of the longest variation; each takes a search of its own."""
_SEARCH_SHARE = 0.6
"""Of a time for all: what the first search gets, the others serve the variations."""
_LEAST_SHOWN = 5e-4
"""Moves that the raw policy finds less likely are left out."""
_SLOT = np.zeros(1, np.int32)
"""Of the one position that a search is about."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A move that the search tried."""

    action: int
    visits: int
    """Simulations through it."""
    prior: float
    """Its probability by the raw policy."""
    value: float
    """Points still to come, own less the other's, by the network right after it."""
    win: float | None
    """The chance of winning by the search; None where the search counts the margin alone."""
    variation: tuple[int, ...]
    """It and what the search expects after it; only itself where that was not asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """What a network and its search say of one position."""

    best: int
    """What the level would play."""
    candidates: tuple[Candidate, ...]
    """The moves that were tried, and the best one: that first, then those with most visits."""
    lead: float
    """What the player to move is ahead by so far, with any komi."""
    policy: NDArray[np.float32]
    """Probabilities of all moves by the network alone. Shape [A]."""
    raw_win: float
    """Its chance of winning by the network alone."""
    raw_margin: float
    """Its final margin by the network alone, in points."""
    owners: NDArray[np.float32] | None
    """The probability that the player to move will own each box or point. Shape [H, W]; None: not asked."""

    @property
    def value(self) -> float:
        """Points still to come after the best move."""
        return self.candidates[0].value

    @property
    def win(self) -> float | None:
        """The chance of winning by the search; None where the search counts the margin alone."""
        return self.candidates[0].win

    def to_json(self, names: Sequence[str]) -> dict[str, Any]:
        """Plain values by the names of moves, as the engine's query `analyze` gives them."""
        tried = [one for one in self.candidates if one.visits]
        data: dict[str, Any] = {
            "value": self.value,
            "best": [names[self.best]],
            "moves": {names[one.action]: one.value for one in self._by_number()},
            "visits": {names[one.action]: one.visits for one in self._by_number() if one.visits},
        }
        if self.win is not None:
            data["win"] = self.win
        data |= {
            "pv": [names[action] for action in self.candidates[0].variation],
            "margin": round(self.lead + self.value, 2),
            "candidates": [_candidate_to_json(one, names) for one in (tried or self.candidates)],
            "policy": self._policy_to_json(names),
            "raw": {"win": self.raw_win, "margin": self.raw_margin},
        }
        if self.owners is not None:
            data["owners"] = [[round(chance, 3) for chance in row] for row in self.owners.tolist()]
        return data

    def _by_number(self) -> list[Candidate]:
        return sorted(self.candidates, key=lambda one: one.action)

    def _policy_to_json(self, names: Sequence[str]) -> dict[str, float]:
        order = np.argsort(-self.policy, kind="stable").tolist()
        return {names[a]: round(float(self.policy[a]), 4) for a in order if self.policy[a] >= _LEAST_SHOWN}


def _candidate_to_json(one: Candidate, names: Sequence[str]) -> dict[str, Any]:
    data = {
        "move": names[one.action],
        "visits": one.visits,
        "prior": round(one.prior, 4),
        "value": one.value,
    }
    if one.win is not None:
        data["win"] = one.win
    return data | {"pv": [names[action] for action in one.variation]}


def estimate(
    game: Game[Any],
    state: State,
    zero: ZeroPlayer,
    seed: int,
    seconds: float | None = None,
    num_variations: int = 1,
    with_owners: bool = False,
) -> Estimate:
    """Search an unfinished position.

    Args:
        game: The board.
        state: A batch of one game.
        zero: The network, within its budget already.
        seed: The luck of the search, which decides between equals.
        seconds: The time of that budget, which then holds for the whole estimate; None: it has another.
        num_variations: Of so many candidates what follows is looked for.
        with_owners: Whether the owner map is asked for.
    """
    begun, luck = time.monotonic(), np.array([seed], np.uint64)
    first = zero if seconds is None else zero.within(Budget(seconds=_SEARCH_SHARE * seconds))
    search, exact = first.search(game, state, luck), first.exact_move(game, state, luck)
    best = int(search.choose(_SLOT)[0]) if exact is None else exact
    alone = zero.evaluate(game, state)
    policy = raw_policy(game, state, alone.policy)[0]
    candidates = _candidates(game, state, zero, search, best, policy)
    deadline = None if seconds is None else begun + seconds
    for number, one in enumerate(candidates[:num_variations]):
        line = _variation(game, state, zero, one.action, one.visits, deadline, luck)
        candidates[number] = replace(one, variation=tuple(line))
    return Estimate(
        best=best,
        candidates=tuple(candidates),
        lead=float(game.margin(state)[0]),
        policy=policy,
        raw_win=round((1 + float(alone.value[0])) / 2, 4),
        raw_margin=round(float(alone.margin[0]), 2),
        owners=zero.owners(game, state)[0] if with_owners else None,
    )


def _candidates(
    game: Game[Any], state: State, zero: ZeroPlayer, search: Search, best: int, policy: NDArray[np.float32]
) -> list[Candidate]:
    """The moves that a search tried and the best one, that first, then by visits; no variations yet."""
    found = search.results(_SLOT)
    visits = found.visits[0]
    worth = _worth(game, state, zero, np.union1d(np.flatnonzero(visits), [best]))
    candidates = []
    for action in sorted(worth, key=lambda action: (action != best, -visits[action], action)):
        utility = float(found.root_value[0] if action == best else found.values[0, action])
        candidates.append(
            Candidate(
                action=action,
                visits=int(visits[action]),
                prior=float(policy[action]),
                value=worth[action],
                win=_win(game, state, zero, utility, worth[action]),
                variation=(action,),
            )
        )
    return candidates


def raw_policy(game: Game[Any], state: State, logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """A network's policy as probabilities of the legal moves. `logits` [B, P]; returns [B, A]."""
    masked = np.where(game.legal(state), logits[:, game.policy_slots], -np.inf)
    weights = np.exp(masked - masked.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)


def _worth(game: Game[Any], state: State, zero: ZeroPlayer, actions: Any) -> dict[int, float]:
    """Points that the player to move expects from now on, less the other's, right after each action."""
    before = float(game.margin(state)[0])
    after = game.step(state[np.zeros(len(actions), np.intp)], actions)
    ends = np.where(after.finished, game.margin(after), zero.evaluate(game, after).margin)
    own = np.where(after.to_move == state.to_move[0], ends, -ends)
    return {int(a): round(float(end) - before, 2) for a, end in zip(actions, own, strict=True)}


def _win(game: Game[Any], state: State, zero: ZeroPlayer, utility: float, worth: float) -> float | None:
    """The probability in the search's utility, less the margin's share; None where there is only margin."""
    weight = zero.margin_weight
    if weight == 1:
        return None
    margin = float(game.margin(state)[0]) + worth
    share = min(1.0, max(-1.0, margin / game.margin_scale))
    value = (utility - weight * share) / (1 - weight)
    return round(min(1.0, max(0.0, (1 + value) / 2)), 4)


def _variation(
    game: Game[Any],
    state: State,
    zero: ZeroPlayer,
    first: int,
    visits: int,
    deadline: float | None,
    luck: Any,
) -> list[int]:
    """A move and what the search expects after it, each found with the visits the one before got."""
    line = [first]
    state = game.step(state, [first])
    while len(line) < _MOST_VARIATION and visits > 1 and not state.finished[0]:
        budget = Budget(simulations=visits)
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            budget = Budget(seconds=left / 2)
        search = zero.within(budget).search(game, state, luck)
        action = int(search.choose(_SLOT)[0])
        visits = int(search.results(_SLOT).visits[0, action])
        line.append(action)
        state = game.step(state, [action])
    return line
