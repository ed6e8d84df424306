"""What a network thinks of a few positions, drawn over their boards: a policy heat-map and an owner map.

The one idea: the pictures of `dotzero.envs.drawing` stay as they are, and what the network says is laid over
them in one colour, the stronger the surer it is. The moves of the policy are green; a box or a point has the
colour of the player to whom it will belong, and none where both are as likely. The move that belongs to no
point (Kropki's STOP) is the square in the lower right corner.

Shape letters as in `dotzero.envs.game`; h x w pixels.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from dotzero.envs.boxes import BoxesGame, line_place
from dotzero.envs.drawing import PLAYERS, Canvas, draw
from dotzero.envs.game import Game, State
from dotzero.models.encoding import BOARD_BIT
from dotzero.models.network import Network

_GREEN = (0, 158, 115)
"""The bluish green of Okabe and Ito, which is neither player's colour."""
_STRONGEST = 0.85
"""Share of the colour where the network is sure; what lies under it can still be seen."""
_WIDEST = 2000
"""Pixels of a strip of pictures, so that the events of a long run stay small."""
_SEED = 20_261
"""Of the positions that are shown, so that pictures of different runs can be compared."""


class _Sheet(NamedTuple):
    """Where a board lies in its picture, in pixels."""

    cell: float
    margin: float

    def slices(self, x: float, y: float, half_width: float, half_height: float) -> tuple[slice, slice]:
        """The pixels of a rectangle round a place, all in cells."""
        (left, right), (top, bottom) = (
            (self.margin + (centre - half) * self.cell, self.margin + (centre + half) * self.cell)
            for centre, half in ((x, half_width), (y, half_height))
        )
        return slice(round(top), round(bottom)), slice(round(left), round(right))


def fixed_positions(game: Game[Any], num_positions: int = 4) -> State:
    """Positions of all phases from random games, the same ones at every call; the first is the start.

    Args:
        game: The board.
        num_positions: n, at least 1.

    Returns:
        A batch of n positions, none of which is finished.
    """
    random = np.random.default_rng(_SEED)
    state: State = game.start(num_positions, np.random.default_rng(_SEED))
    on_points = np.arange(game.num_actions) < _num_on_points(game)
    for n in range(num_positions):
        for _ in range(n * _num_on_points(game) // num_positions):
            legal = np.flatnonzero(game.legal(state[[n]])[0] & on_points)
            after = game.step(state[[n]], [int(random.choice(legal))]) if len(legal) else None
            if after is None or after.finished[0]:
                break
            state[[n]] = after
    return state


def board_images(
    game: Game[Any], network: Network, state: State, prefix: str
) -> dict[str, NDArray[np.uint8]]:
    """Pictures of some positions, side by side.

    Args:
        game: Rules and board.
        network: Evaluated where it is.
        state: n positions; what is finished is drawn without anything over it.
        prefix: Of the names, as in "5x5".

    Returns:
        By name: "PREFIX/board" the positions, "PREFIX/policy" with a heat-map of the network's moves,
        "PREFIX/owner" with who will own what. uint8, shape [h, n * w, 3]; smaller by a whole factor where
        that would be wider than 2000 pixels.

    Raises:
        ValueError: The game cannot be drawn.
    """
    boards = [draw(game, state, index) for index in range(len(state))]
    policy, owner = _ask(game, network, state)
    sheet = _sheet(game, boards[0])
    policies = [_policy_map(game, sheet, *pair) for pair in zip(boards, policy, strict=True)]
    owners = [
        _owner_map(game, sheet, *each) for each in zip(boards, owner, state.to_move.tolist(), strict=True)
    ]
    return {
        f"{prefix}/{name}": _shrunk(np.concatenate(pictures, axis=1))
        for name, pictures in (("board", boards), ("policy", policies), ("owner", owners))
    }


def _num_on_points(game: Game[Any]) -> int:
    """Actions that lie on the board; behind them come those that belong to no point."""
    return game.num_actions if isinstance(game, BoxesGame) else game.size[0] * game.size[1]


@torch.no_grad()
def _ask(game: Game[Any], network: Network, state: State) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Policy over legal actions [n, A], and P(owner is the mover) [n, H, W], NaN where nothing is open."""
    seen = game.observe(state)
    device = next(network.parameters()).device
    points = torch.from_numpy(np.ascontiguousarray(seen.points)).to(device)
    prediction = network.predict(points, torch.from_numpy(seen.globals).to(device), full_board=True)
    legal = game.legal(state)
    logits = np.where(legal, prediction.policy.float().cpu().numpy()[:, game.policy_slots], -np.inf)
    # A finished game has no legal action; it gets a policy of zeros.
    weights = np.where(legal, np.exp(logits - logits.max(axis=1, keepdims=True, initial=-1e9)), 0.0)
    policy = weights / weights.sum(axis=1, keepdims=True).clip(min=1e-30)
    open_bit = network.encoding.open_bit
    byte, bit = divmod(BOARD_BIT if open_bit is None else open_bit, 8)
    shown = (seen.points[:, byte] >> bit & 1).astype(np.bool_) & ~state.finished[:, None, None]
    owner = np.where(shown, prediction.owner.float().cpu().numpy(), np.nan)
    return policy.astype(np.float32), owner.astype(np.float32)


def _sheet(game: Game[Any], picture: NDArray[np.uint8]) -> _Sheet:
    """Where the board lies in a picture of `draw`: equally far from both sides."""
    rows, columns = game.size if isinstance(game, BoxesGame) else (game.size[0] - 1, game.size[1] - 1)
    cell = Canvas(columns, rows).cell
    return _Sheet(cell, (picture.shape[1] - columns * cell) / 2)


def _policy_map(
    game: Game[Any], sheet: _Sheet, picture: NDArray[np.uint8], policy: NDArray[np.float32]
) -> NDArray[np.uint8]:
    """A picture with a patch on every move, the stronger the likelier; roots make small chances visible."""
    result = picture.copy()
    for action in np.flatnonzero(policy > 0).tolist():
        strength = _STRONGEST * float(policy[action]) ** 0.5
        if action >= _num_on_points(game):
            side = round(0.6 * sheet.margin)
            place = (slice(-side - 4, -4), slice(-side - 4, -4))
        elif isinstance(game, BoxesGame):
            across, y, x = line_place(game.rules, action)
            centre = (x + 0.5 * across, y + 0.5 * (not across))
            place = sheet.slices(*centre, *((0.4, 0.12) if across else (0.12, 0.4)))
        else:
            y, x = divmod(action, game.size[1])
            place = sheet.slices(x, y, 0.35, 0.35)
        _blend(result, place, _GREEN, strength)
    return result


def _owner_map(
    game: Game[Any], sheet: _Sheet, picture: NDArray[np.uint8], owner: NDArray[np.float32], to_move: int
) -> NDArray[np.uint8]:
    """A picture with the colour of the likelier owner on every open box or point."""
    result = picture.copy()
    shift, half = (0.5, 0.36) if isinstance(game, BoxesGame) else (0.0, 0.3)
    for y, x in np.argwhere(np.isfinite(owner)).tolist():
        likely = float(owner[y, x])
        player = to_move if likely >= 0.5 else 1 - to_move
        place = sheet.slices(x + shift, y + shift, half, half)
        _blend(result, place, PLAYERS[player], _STRONGEST * abs(2 * likely - 1))
    return result


def _shrunk(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The means of square blocks of pixels, as large ones as the width asks for."""
    size = -(-picture.shape[1] // _WIDEST)
    height, width = (length // size for length in picture.shape[:2])
    blocks = picture[: height * size, : width * size].reshape(height, size, width, size, 3)
    means: NDArray[np.uint8] = blocks.mean(axis=(1, 3)).round().astype(np.uint8)
    return means


def _blend(
    picture: NDArray[np.uint8], place: tuple[slice, slice], colour: tuple[int, int, int], strength: float
) -> None:
    """Mix a colour into a part of a picture; `strength` 0..1 is its share."""
    part = picture[place].astype(np.float32)
    mixed = part + (np.array(colour, np.float32) - part) * strength
    picture[place] = mixed.round().astype(np.uint8)
