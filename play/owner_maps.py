"""Who a network thinks will own what: a probability for every box or point, seen by the player to move.

Players evaluate policy, value and margin only, as the search needs no more. The owner head is asked for one
position now and then, so the network is read again, by torch, when that happens first.

Shape letters as in `envs/game.py`; here H x W are the rows and columns of the board: boxes, or points.
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dotzero.envs.game import Game, State
from dotzero.models.checkpoint import load_checkpoint
from dotzero.models.encoding import EncodingSpec
from dotzero.models.export import checkpoint_file
from dotzero.models.network import Network


class OwnerMaps:
    """The owner head of one checkpoint."""

    def __init__(self, path: Path, encoding: EncodingSpec) -> None:
        """Read nothing yet.

        Args:
            path: An exported folder or a checkpoint file.
            encoding: Of the board, which it is known to fit.
        """
        self._path, self._encoding = path, encoding
        self._network: Network | None = None

    def of(self, game: Game[Any], state: State) -> NDArray[np.float32]:
        """The probability that the player to move will own each box or point; 1 or 0 of closed boxes.

        Returns:
            float32, shape [B, H, W].

        Raises:
            ValueError: The checkpoint cannot be read any more.
        """
        if self._network is None:
            self._network = load_checkpoint(checkpoint_file(self._path), self._encoding)[0].eval()
        seen = game.observe(state)
        with torch.inference_mode():
            points = torch.from_numpy(np.ascontiguousarray(seen.points))
            found = self._network.predict(points, torch.from_numpy(seen.globals), full_board=True).owner
        rows, columns = game.size
        chances = found.float().numpy()[:, :rows, :columns].copy()
        if self._encoding.open_bit is not None:
            owned = game.owners(state)[:, :rows, :columns]
            chances[owned > 0], chances[owned < 0] = 1.0, 0.0
        return chances
