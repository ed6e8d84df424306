"""The policy and value network: a residual tower that serves every size of board of a game.

Convolutions see the neighbourhood, global pooling sees the whole board, and no statistic is taken over a
batch, so a position gets the same answer alone, in a batch, or padded into a larger lattice. Without a norm,
training starts stable because every residual branch starts at zero (fixup initialisation, Zhang et al. 2019,
https://arxiv.org/abs/1901.09321). Pooled features as a bias of a block: Wu 2019,
https://arxiv.org/abs/1902.10565.

Shape letters: B positions, H x W points of the lattice, C channels, G global inputs, P policy slots,
K bins of the margin to come.
"""

from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import torch
from torch import Tensor, nn

from dotzero.models.encoding import BOARD_BIT, EncodingSpec

MASKED_LOGIT = -1e9
"""Logit of an impossible margin: its probability is exactly 0 in float32, and nothing becomes NaN."""
POOL_SIDE = 6.0
"""Side of the board, in points, whose scaled mean is 0."""
POOL_SCALE = 0.1
"""Growth of the scaled mean with each point of the board's side."""


MAX_SIZE = 4096
"""Largest number of blocks, channels or hidden units: beyond it a network is a slip of the finger."""


@dataclass(kw_only=True, slots=True)
class NetworkConfig:
    """Size of a network. Channels in multiples of 16 suit the processors' vector units best."""

    num_blocks: int = 4
    """Residual blocks, two convolutions each."""
    num_channels: int = 32
    """Channels of the tower."""
    pooling_every: int = 2
    """Every n-th block sees the whole board by global pooling; 0: none does."""
    num_pooled_channels: int = 16
    """Channels of a pooling block that are pooled instead of convolved on; less than `num_channels`."""
    num_head_channels: int = 32
    """Hidden channels a point of the policy and owner heads."""
    num_value_hidden: int = 64
    """Hidden units of the value head and of the moves that belong to no point."""
    num_margin_hidden: int = 32
    """Hidden units of each bin of the margin head."""
    side_policies: bool = False
    """Two further policies that only training uses: a soft one, and the opponent's reply."""

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name == "side_policies":
                continue
            least = 0 if field.name == "pooling_every" else 1
            value = getattr(self, field.name)
            if value < least:
                raise ValueError(f"NetworkConfig.{field.name} must be at least {least}, got {value}")
            if value > MAX_SIZE:
                raise ValueError(f"NetworkConfig.{field.name} must be at most {MAX_SIZE}, got {value}")
        if self.pooling_every and self.num_pooled_channels >= self.num_channels:
            raise ValueError(
                f"NetworkConfig.num_pooled_channels must be less than num_channels = {self.num_channels}, "
                f"got {self.num_pooled_channels}"
            )


class NetworkOutput(NamedTuple):
    """What the network says of a batch, from the side of the player to move.

    Attributes:
        policy: Raw logits, illegal moves not masked. [B, P]; the planes flattened, then the extra moves.
        value_logits: Logits of win, draw, loss. [B, 3]
        margin_logits: Logits of the margin TO COME, -max_margin .. max_margin; impossible ones are
            `MASKED_LOGIT`. [B, K]
        owner: Logits that the mover will own what belongs to each point. [B, H, W]
        side: Logits of the side policies, each laid out as the policy: the soft one, the opponent's reply.
            [B, 2, P]; None in a network without them and in evaluation.
    """

    policy: Tensor
    value_logits: Tensor
    margin_logits: Tensor
    owner: Tensor
    side: Tensor | None = None


class Prediction(NamedTuple):
    """What players and the search want to know of a batch, from the side of the player to move.

    Attributes:
        policy: Raw logits, illegal moves not masked. [B, P]
        value: P(win) - P(loss). [B]
        margin: Expected FINAL margin in points: so far plus to come. [B]
        owner: Probability that the mover will own what belongs to each point. [B, H, W]
    """

    policy: Tensor
    value: Tensor
    margin: Tensor
    owner: Tensor


class _Board(NamedTuple):
    """Where the board lies in the lattice; `mask` [B, 1, H, W] is None when it fills the lattice."""

    mask: Tensor | None
    area: Tensor  # [B, 1, 1, 1] points of the board

    def cut(self, x: Tensor) -> Tensor:
        """Zero outside the board."""
        return x if self.mask is None else x * self.mask

    def pool(self, x: Tensor) -> Tensor:
        """Mean, mean scaled by the board's side, and maximum of x >= 0, zero outside. [B, 3C, 1, 1]."""
        if self.mask is None:
            mean = x.mean(dim=(2, 3), keepdim=True)
        else:
            mean = x.sum(dim=(2, 3), keepdim=True) / self.area
        scaled = mean * ((self.area.sqrt() - POOL_SIDE) * POOL_SCALE)
        return torch.cat((mean, scaled, x.amax(dim=(2, 3), keepdim=True)), dim=1)


class _PlainBlock(nn.Module):
    """Two convolutions and a shortcut."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        channels = config.num_channels
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x: Tensor, board: _Board) -> Tensor:
        hidden = board.cut(torch.relu(self.conv1(x)))
        return board.cut(torch.relu(x + self.conv2(hidden)))


class _PoolingBlock(nn.Module):
    """A block in which some channels, pooled over the board, shift the others everywhere."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        channels, pooled = config.num_channels, config.num_pooled_channels
        # Two convolutions instead of one that is split: a split would leave onnxruntime's blocked layout.
        self.conv1 = nn.Conv2d(channels, channels - pooled, 3, padding=1)
        self.conv_pool = nn.Conv2d(channels, pooled, 3, padding=1)
        self.spread = nn.Conv2d(3 * pooled, channels - pooled, 1, bias=False)
        self.conv2 = nn.Conv2d(channels - pooled, channels, 3, padding=1)

    def forward(self, x: Tensor, board: _Board) -> Tensor:
        pooled = board.pool(board.cut(torch.relu(self.conv_pool(x))))
        hidden = board.cut(torch.relu(self.conv1(x) + self.spread(pooled)))
        return board.cut(torch.relu(x + self.conv2(hidden)))


class Network(nn.Module):
    """Policy, value, margin and owner of positions on boards of any size.

    A new network is neutral: all its outputs are 0 (the margin, evenly spread over the possible ones).
    """

    _bins: Tensor
    _bit_scale: Tensor

    def __init__(
        self, config: NetworkConfig, encoding: EncodingSpec, generator: torch.Generator | None = None
    ) -> None:
        """Make a network.

        Args:
            config: Its size.
            encoding: What it reads and writes.
            generator: Draws the initial weights; None leaves all at zero, for weights that are loaded next.
        """
        super().__init__()
        self.config = config
        self.encoding = encoding
        with torch.random.fork_rng(devices=[]):  # torch's own draws are overwritten below
            self._build()
        self._initialise(generator)

    def _build(self) -> None:
        config, encoding = self.config, self.encoding
        channels = config.num_channels
        self.stem = nn.Conv2d(encoding.num_planes, channels, 3, padding=1)
        self.stem_globals = nn.Conv2d(encoding.num_globals, channels, 1, bias=False)
        self.blocks = nn.ModuleList(
            _PoolingBlock(config)
            if config.pooling_every and (index + 1) % config.pooling_every == 0
            else _PlainBlock(config)
            for index in range(config.num_blocks)
        )
        summary = 3 * channels + encoding.num_globals
        self.point_hidden = nn.Conv2d(channels, config.num_head_channels, 1)
        self.point_summary = nn.Conv2d(summary, config.num_head_channels, 1, bias=False)
        # The policy planes, then the owner.
        self.point_out = nn.Conv2d(config.num_head_channels, encoding.num_policy_planes + 1, 1)
        self.value_hidden = nn.Linear(summary, config.num_value_hidden)
        self.value_out = nn.Linear(config.num_value_hidden, 3 + encoding.num_extra_actions)
        self.margin_summary = nn.Linear(summary, config.num_margin_hidden)
        # Convolutions of size 1 over the bins: linear layers on 3 axes would be exported with their weights
        # transposed, under other names.
        self.margin_bin = nn.Conv1d(2, config.num_margin_hidden, 1, bias=False)
        self.margin_out = nn.Conv1d(config.num_margin_hidden, 1, 1, bias=False)
        if config.side_policies:
            num_side = 2 * encoding.num_policy_planes
            self.side_out = nn.Conv2d(config.num_head_channels, num_side, 1)
            if encoding.num_extra_actions:
                self.side_extra_out = nn.Linear(config.num_value_hidden, 2 * encoding.num_extra_actions)
        self.set_max_margin(encoding.max_margin)
        powers = torch.tensor([2.0**-bit for bit in range(8)])
        self.register_buffer("_bit_scale", powers, persistent=False)

    @torch.no_grad()
    def _initialise(self, generator: torch.Generator | None) -> None:
        """Unit gain for every layer but the last of each branch and head, which start at zero."""
        last = ("conv2", "point_out", "value_out", "margin_out", "side_out", "side_extra_out")
        for name, parameter in self.named_parameters():
            layer = name.split(".")[-2]
            if generator is None or parameter.ndim == 1 or layer in last:
                parameter.zero_()
                continue
            std = (2.0 / parameter[0].numel()) ** 0.5
            if layer in ("conv1", "spread"):
                std *= self.config.num_blocks**-0.5
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * std)

    def set_max_margin(self, max_margin: int) -> None:
        """Serve margins to come up to `max_margin` points; no weight depends on it."""
        self.encoding = replace(self.encoding, max_margin=max_margin)
        device = self.stem.weight.device
        bins = torch.arange(-max_margin, max_margin + 1, dtype=torch.float32, device=device)
        self.register_buffer("_bins", bins, persistent=False)

    def forward(
        self, points: Tensor, globals: Tensor, full_board: bool = False, side: bool = False
    ) -> NetworkOutput:
        """Logits for a batch.

        Args:
            points: uint8 [B, bytes a point, H, W]; 0 where the lattice is padded.
            globals: float32 [B, G].
            full_board: Promises that no position is padded, which saves the masking.
            side: Whether to work out the side policies, where the network has them.
        """
        planes = self._unpack(points)
        on_board = planes[:, BOARD_BIT : BOARD_BIT + 1]
        board = _Board(None if full_board else on_board, on_board.sum(dim=(2, 3), keepdim=True))
        vector = globals[:, :, None, None]
        x = board.cut(torch.relu(self.stem(planes) + self.stem_globals(vector)))
        for block in self.blocks:
            x = block(x, board)
        summary = torch.cat((board.pool(x), vector), dim=1)
        hidden = torch.relu(self.point_hidden(x) + self.point_summary(summary))
        point_logits = self.point_out(hidden).float()
        flat = summary.flatten(1)
        value_hidden = torch.relu(self.value_hidden(flat))
        values = self.value_out(value_hidden).float()
        num_planes = self.encoding.num_policy_planes
        policy = point_logits[:, :num_planes].flatten(1)
        if self.encoding.num_extra_actions:
            policy = torch.cat((policy, values[:, 3:]), dim=1)
        sides = self._side_policies(hidden, value_hidden) if side and self.config.side_policies else None
        margin = self._margin(flat, planes)
        return NetworkOutput(policy, values[:, :3], margin, point_logits[:, num_planes], sides)

    def _side_policies(self, hidden: Tensor, value_hidden: Tensor) -> Tensor:
        """Logits of both side policies; from the hidden layers of the heads. [B, 2, P]."""
        planes: Tensor = self.side_out(hidden).float().unflatten(1, (2, -1)).flatten(2)
        if not self.encoding.num_extra_actions:
            return planes
        extra = self.side_extra_out(value_hidden).float().unflatten(1, (2, -1))
        both: Tensor = torch.cat((planes, extra), dim=2)
        return both

    def predict(self, points: Tensor, globals: Tensor, full_board: bool = False) -> Prediction:
        """What the search wants to know of a batch; arguments as of `forward`."""
        output = self(points, globals, full_board)
        chances = output.value_logits.softmax(dim=1)
        margin = (output.margin_logits.softmax(dim=1) * self._bins).sum(dim=1)
        if self.encoding.margin_global is not None:
            margin = margin + globals[:, self.encoding.margin_global] * self.encoding.margin_scale
        return Prediction(output.policy, chances[:, 0] - chances[:, 2], margin, output.owner.sigmoid())

    def _unpack(self, points: Tensor) -> Tensor:
        """Bit planes of the bytes, bit 0 first, by arithmetic that every back-end has. [B, 8 bytes, H, W]."""
        shifted = torch.floor(points.float()[:, :, None] * self._bit_scale.view(8, 1, 1))
        return (shifted - 2.0 * torch.floor(shifted * 0.5)).flatten(1, 2)

    def _margin(self, summary: Tensor, planes: Tensor) -> Tensor:
        """Logits of the margin to come; each bin is judged by its value, so any number of bins will do."""
        bins = self._bins
        open_bit, step = self.encoding.open_bit, self.encoding.margin_step
        if open_bit is None:
            limit = torch.full_like(summary[:, :1], self.encoding.max_margin)
        else:
            limit = planes[:, open_bit].sum(dim=(1, 2))[:, None]
        units = torch.stack((torch.full_like(limit, 0.1), 1.0 / limit.clamp(min=1.0)), dim=1)
        hidden = torch.relu(self.margin_summary(summary)[:, :, None] + self.margin_bin(units * bins))
        logits: Tensor = self.margin_out(hidden).squeeze(1).float()
        if open_bit is None:
            return logits
        steps = (bins + limit) / step
        possible = (bins.abs() <= limit) & (steps == torch.floor(steps))
        return torch.where(possible, logits, MASKED_LOGIT)
