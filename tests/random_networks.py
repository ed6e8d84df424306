"""Networks and positions with random content, for the tests of models."""

import numpy as np
import torch

from dotzero.models import EncodingSpec, Network, NetworkConfig, known_encoding

BOXES = known_encoding("boxes", 9)
KROPKI_LIKE = EncodingSpec(
    game="kropki", encoding_version=1, num_point_bytes=2, num_globals=5, num_policy_planes=1,
    num_extra_actions=1, max_margin=12, margin_global=2, margin_scale=10.0,
)  # fmt: skip
SMALL = NetworkConfig(num_blocks=2, num_channels=16, num_pooled_channels=8, num_head_channels=8)


def random_network(encoding, config=SMALL, seed=0):
    """A network with no weight at zero, so that every part of it matters."""
    network = Network(config, encoding)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            scale = 0.5 / max(1, parameter[0].numel()) ** 0.5
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * scale)
    return network.eval().requires_grad_(False)


def random_batch(encoding, num_rows, height, width, seed=0):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 256, (num_rows, encoding.num_point_bytes, height, width), dtype=np.uint8)
    points[:, 0] |= 128
    return torch.from_numpy(points), torch.from_numpy(
        rng.uniform(-1, 1, (num_rows, encoding.num_globals)).astype(np.float32)
    )


def zero_of(folder, game, options=""):
    """The specification of level zero with a random network for a game's board, saved in a folder."""
    from dotzero.models.checkpoint import save_checkpoint

    path = folder / f"{game.name}.safetensors"
    if not path.exists():
        save_checkpoint(path, random_network(known_encoding(game.name, game.max_margin)), {})
    return f"zero:{path}@backend=torch{options}"
