"""The openings of a match: positions from which both players of a pair begin in turn.

They are drawn by a seed, different as long as there are different ones, or read from a file. In Dots and
Boxes random plies stay within the safe phase, as long as it lasts: an opening that gives boxes away would
decide games. In Kropki the start of the rules comes first, drawn where it leaves anything to chance, then
points near the dots.

Shape letters as in `envs/game.py`; here B = openings.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame
from dotzero.envs.game import NO_ACTION, Game, State
from dotzero.envs.notation import notation_for
from dotzero.play.players import cast_lots, pick
from dotzero.search.gifts import are_safe, most_sides

_TRIES = 4
"""Random openings that are drawn for each wanted one, to have enough different ones."""


class Openings(NamedTuple):
    """Positions with the moves that led to them."""

    start: Any
    """The states before the moves. B games."""
    state: Any
    """The states after them, unfinished. B games."""
    actions: list[list[int]]
    """The moves of each."""
    movers: list[list[int]]
    """Who made them, 0 or 1."""

    def part(self, first: int, last: int) -> "Openings":
        """Those from `first` up to `last`, without that one."""
        rows = slice(first, last)
        return Openings(self.start[rows], self.state[rows], self.actions[rows], self.movers[rows])


def draw_openings(game: Game[Any], number: int, plies: int, random: np.random.Generator) -> Openings:
    """Random openings, different positions as long as there are any to be found.

    Args:
        game: The board.
        number: How many.
        plies: Random moves of each.
        random: Draws starts and moves.

    Raises:
        ValueError: So many plies end the games.
    """
    found: dict[bytes, int] = {}
    spare: list[int] = []
    start, state, actions, movers = _random_starts(game, _TRIES * number, plies, random)
    going = np.flatnonzero(~state.finished)
    if len(going) < number:
        raise ValueError(f"ArenaConfig.opening_plies must leave something to play, got {plies}")
    points = game.observe(state).points
    for index in going.tolist():
        position = points[index].tobytes() + state.to_move[index].tobytes() + state.score[index].tobytes()
        if position in found:
            spare.append(index)
        found.setdefault(position, index)
    chosen = np.array(([*found.values()] + spare)[:number])
    return Openings(start[chosen], state[chosen], actions[chosen].tolist(), movers[chosen].tolist())


def _random_starts(
    game: Game[Any], number: int, plies: int, random: np.random.Generator
) -> tuple[Any, Any, NDArray[np.int32], NDArray[np.int8]]:
    start = state = game.start(number, random)
    seeds = random.integers(2**64, size=number, dtype=np.uint64)
    actions = np.full((number, plies), NO_ACTION, np.int32)
    movers = np.zeros((number, plies), np.int8)
    for ply in range(plies):
        actions[:, ply] = pick(_candidates(game, state), cast_lots(game, state, seeds))
        movers[:, ply] = state.to_move
        state = game.step(state, actions[:, ply])
    return start, state, actions, movers


def _candidates(game: Game[Any], state: Any) -> NDArray[np.bool_]:
    """The moves of a random opening. Shape [B, A]."""
    candidates = game.opening_actions(state)
    if isinstance(game, BoxesGame):
        safe = are_safe(most_sides(game.rules, state.lines)) & candidates
        candidates = np.where(safe.any(axis=1, keepdims=True), safe, candidates)
    return candidates


def read_openings(game: Game[Any], path: Path, number: int) -> Openings:
    """Openings of a file, again from its beginning when there are fewer than wanted.

    Args:
        game: The board; its start must not be left to chance.
        path: A line for each opening, the names of its moves with blanks between; what follows a # is a
            remark, and lines without moves are passed over.
        number: How many are wanted.

    Raises:
        ValueError: The file cannot be read, or a line of it is no opening; the message names it.
    """
    if game.draws_start:
        raise ValueError("ArenaConfig.openings needs rules whose start is not left to chance")
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"ArenaConfig.openings must be a readable text file, got {path}: {error}") from None
    found = [
        _read_opening(game, words, f"{path}, line {place}")
        for place, line in enumerate(lines, 1)
        if (words := line.partition("#")[0].split())
    ]
    if not found:
        raise ValueError(f"ArenaConfig.openings must hold at least one opening, {path} has none")
    chosen = [found[index % len(found)] for index in range(number)]
    state = game.start(number)
    start = state.copy()
    for index, (after, _, _) in enumerate(chosen):
        state[[index]] = after
    return Openings(start, state, [actions for _, actions, _ in chosen], [movers for _, _, movers in chosen])


def _read_opening(game: Game[Any], words: list[str], where: str) -> tuple[State, list[int], list[int]]:
    """The position after the moves of a line, the moves, and who made them."""
    notation = notation_for(game)
    state, actions, movers = game.start(1), [], []
    for word in words:
        try:
            action = notation.parse(word)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        if state.finished[0] or not game.legal(state)[0, action]:
            raise ValueError(f"{where}: moves must be legal, got {word}")
        actions.append(action)
        movers.append(int(state.to_move[0]))
        state = game.step(state, [action])
    if state.finished[0]:
        raise ValueError(f"{where}: an opening must leave something to play")
    return state, actions, movers
