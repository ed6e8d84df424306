"""Borders of enclosures as records write them, and whether they are those of the rules.

A chain stands in the move that closes it. A house that an enemy dot has entered closes with that dot, but its
chain is written in the next move of its OWNER, or, where there is none, by itself. So a chain may stand
anywhere from the move that closes the enclosure to the owner's next move.

Where a chain begins and which way it runs says nothing, and some programs lead it over dots that it could do
without: chains agree that have the same dots or shut in the same points.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.kropki import Capture, KropkiGame, KropkiState
from dotzero.envs.kropki_notation import KropkiNotation

_QUOTED = 8
"""Points of a chain that a warning names."""
_MOST_WARNINGS = 20


class WrittenChain(NamedTuple):
    """A border as a record has it.

    Attributes:
        after: Moves made when it was written, its own included.
        points: As actions, in walking order, the first not repeated.
    """

    after: int
    points: tuple[int, ...]


class Enclosed(NamedTuple):
    """An enclosure of a game.

    Attributes:
        after: Moves made when it was closed, the closing one included.
        capture: What was enclosed.
    """

    after: int
    capture: Capture


def enclosures(
    game: KropkiGame,
    start: KropkiState,
    moves: Sequence[int],
    movers: Sequence[int],
    scores: NDArray[np.int16],
) -> list[Enclosed]:
    """All enclosures of a game, in the order in which they are closed.

    Args:
        game: The game.
        start: Its state before the first move, a batch of one.
        moves: Actions that can be played.
        movers: Player 0 or 1 of each.
        scores: After each, as the replay gave them. Shape [n, 2].
    """
    before = np.concatenate([np.zeros((1, 2), np.int16), scores])
    changed = (before[1:] != before[:-1]).any(axis=1)
    if game.rules.capture_empty:  # what holds no dot changes no score
        changed[:] = True
    state, played, found = start, 0, []
    actions, players = np.array(moves, np.int32), np.array(movers, np.int8)
    for index in np.flatnonzero(changed).tolist():
        if moves[index] == game.stop:
            continue
        state = game.replay(state, actions[played:index], players[played:index]).state
        state.to_move[:] = movers[index]
        found += [Enclosed(index + 1, capture) for capture in game.captures(state, moves[index])]
        played = index
    return found


def chain_warnings(
    game: KropkiGame,
    start: KropkiState,
    moves: Sequence[int],
    movers: Sequence[int],
    written: Iterable[WrittenChain],
    closed: Iterable[Enclosed],
) -> list[str]:
    """Where the chains of a record and those of the rules differ, a sentence each.

    Args:
        game: The game.
        start: Its state before the first move, a batch of one.
        moves: Its actions.
        movers: Player 0 or 1 of each.
        written: The chains of the record.
        closed: What `enclosures` found.
    """
    first_dots = start.start_dots[0].ravel()
    open_ends = [(item, _last_place(item, movers)) for item in closed]
    warnings: list[str] = []
    for chain in written:
        here = [pair for pair in open_ends if pair[0].after <= chain.after <= pair[1]]
        points = frozenset(chain.points)
        match = next((pair for pair in here if points == frozenset(pair[0].capture.chain)), None)
        if match is None and here and len(warnings) < _MOST_WARNINGS and _is_closed(game, chain.points):
            inside = _shut_in(game, points)
            for pair in here:
                player, interior = pair[0].capture.player, frozenset(pair[0].capture.interior)
                dots = {p for p, m in zip(moves[: chain.after], movers, strict=False) if m == player}
                dots |= set(np.flatnonzero(first_dots == player + 1).tolist())
                if inside == interior and points <= dots:
                    match = pair
        if match is None:
            text = _chain_text(game, chain.points)
            warnings.append(f"move {chain.after}: the rules close no chain {text}, which the record has")
        else:
            open_ends.remove(match)
    for item, _ in open_ends:
        text = _chain_text(game, item.capture.chain)
        warnings.append(f"move {item.after}: the rules close the chain {text}, which the record lacks")
    if len(warnings) > _MOST_WARNINGS:
        more = len(warnings) - _MOST_WARNINGS
        warnings[_MOST_WARNINGS:] = [f"{more} more differences of chains"]
    return warnings


def _is_closed(game: KropkiGame, points: Sequence[int]) -> bool:
    """Whether each point of a chain is beside the next one, and the last beside the first."""
    places = [divmod(point, game.rules.width) for point in points]
    steps = zip(places, [*places[1:], places[0]], strict=True)
    return all(max(abs(y - v), abs(x - u)) == 1 for (y, x), (v, u) in steps)


def _shut_in(game: KropkiGame, chain: frozenset[int]) -> frozenset[int]:
    """The points that a chain shuts in, its own not among them."""
    width = game.rules.width
    rows, columns = zip(*(divmod(point, width) for point in chain), strict=True)
    area = [(y, x) for y in range(min(rows), max(rows) + 1) for x in range(min(columns), max(columns) + 1)]
    free = {(y, x) for y, x in area if y * width + x not in chain}
    edge = [(y, x) for y, x in free if y in (min(rows), max(rows)) or x in (min(columns), max(columns))]
    free.difference_update(edge)
    while edge:
        y, x = edge.pop()
        near = free & {(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)}
        free -= near
        edge += near
    return frozenset(y * width + x for y, x in free)


def _last_place(item: Enclosed, movers: Sequence[int]) -> int:
    """The most moves that may have been made when the chain of an enclosure is written."""
    for index in range(item.after, len(movers)):
        if movers[index] == item.capture.player:
            return index + 1
    return len(movers)


def _chain_text(game: KropkiGame, points: Sequence[int]) -> str:
    names = [KropkiNotation(game.rules).name(point) for point in points]
    return " ".join([*names[:_QUOTED], "..."] if len(names) > _QUOTED else names)
