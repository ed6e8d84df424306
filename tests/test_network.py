import numpy as np
import pytest
import torch
from random_networks import BOXES, KROPKI_LIKE, SMALL, random_batch, random_network

from dotzero.models import EncodingSpec, Network, NetworkConfig, known_encoding

torch.set_num_threads(1)

KROPKI = known_encoding("kropki", 1248)
BOTH = pytest.mark.parametrize(
    "encoding", [BOXES, KROPKI_LIKE, KROPKI], ids=["boxes", "like kropki", "kropki"]
)


@BOTH
def test_shapes(encoding):
    output = random_network(encoding)(*random_batch(encoding, 3, 7, 5))
    slots = {"boxes": 70, "kropki": 36}[encoding.game]
    assert encoding.num_policy_slots(7, 5) == slots
    assert output.policy.shape == (3, slots)
    assert output.value_logits.shape == (3, 3)
    assert output.margin_logits.shape == (3, encoding.num_margin_bins)
    assert output.owner.shape == (3, 7, 5)
    assert all(part.dtype == torch.float32 for part in output[:4])
    assert output.side is None


@BOTH
def test_side_policies_have_the_shape_of_the_policy(encoding):
    size = NetworkConfig(num_blocks=2, num_channels=16, num_pooled_channels=8, side_policies=True)
    network = Network(size, encoding, torch.Generator().manual_seed(1))
    batch = random_batch(encoding, 3, 7, 5)
    output = network(*batch, side=True)
    assert output.side.shape == (3, 2, encoding.num_policy_slots(7, 5))
    assert not output.side.any()  # neutral like all outputs of a new network
    assert network(*batch).side is None


@BOTH
def test_padding_and_company_change_nothing(encoding):
    """R126: boards of three sizes, oblong ones too, in one padded batch answer as each does alone."""
    network = random_network(encoding)
    sizes = [(3, 3), (4, 6), (7, 5)]
    points, globals_, corners = [], [], []
    for index, (height, width) in enumerate(sizes):
        board, vector = random_batch(encoding, 1, height, width, seed=index)
        padded = torch.zeros(1, encoding.num_point_bytes, 9, 9, dtype=torch.uint8)
        row, column = (index, 2 * index % 3)
        padded[:, :, row : row + height, column : column + width] = board
        points.append(padded)
        globals_.append(vector)
        corners.append((row, column))
    together = network(torch.cat(points), torch.cat(globals_))
    num_planes = encoding.num_policy_planes
    for index, (height, width) in enumerate(sizes):
        alone = network(*random_batch(encoding, 1, height, width, seed=index))
        rows = slice(corners[index][0], corners[index][0] + height)
        columns = slice(corners[index][1], corners[index][1] + width)
        planes = together.policy[index, : num_planes * 81].view(num_planes, 9, 9)[:, rows, columns]
        expected = alone.policy[0, : num_planes * height * width].view(num_planes, height, width)
        torch.testing.assert_close(planes, expected, rtol=0, atol=1e-5)
        extra = together.policy[index, num_planes * 81 :]
        torch.testing.assert_close(extra, alone.policy[0, num_planes * height * width :], rtol=0, atol=1e-5)
        torch.testing.assert_close(together.value_logits[index], alone.value_logits[0], rtol=0, atol=1e-5)
        torch.testing.assert_close(together.margin_logits[index], alone.margin_logits[0], rtol=0, atol=1e-5)
        torch.testing.assert_close(together.owner[index, rows, columns], alone.owner[0], rtol=0, atol=1e-5)


@BOTH
def test_full_board_gives_the_same(encoding):
    network = random_network(encoding)
    batch = random_batch(encoding, 4, 4, 6)
    for masked, full in zip(network(*batch)[:4], network(*batch, full_board=True)[:4], strict=True):
        torch.testing.assert_close(masked, full, rtol=0, atol=1e-6)


def test_bits_become_planes():
    network = Network(SMALL, KROPKI_LIKE)
    points = torch.arange(256, dtype=torch.uint8).view(1, 1, 16, 16).repeat(1, 2, 1, 1)
    points[:, 1] = 255 - points[:, 1]
    planes = network._unpack(points)
    expected = np.unpackbits(points.numpy(), axis=1, bitorder="little").astype(np.float32)
    np.testing.assert_array_equal(planes.numpy(), expected.reshape(1, 16, 16, 16))


@pytest.mark.parametrize("num_open", [0, 1, 4, 7, 15])
def test_margin_keeps_to_parity_and_range(num_open):
    """With n open boxes the margin to come is n, n - 2, ..., -n; beyond the last bin it is cut off."""
    network = random_network(known_encoding("boxes", 9))
    points = torch.full((1, 1, 4, 4), 128, dtype=torch.uint8)
    points.view(-1)[:num_open] |= 16
    logits = network(points, torch.zeros(1, BOXES.num_globals)).margin_logits[0]
    possible = [m for m in range(-9, 10) if abs(m) <= num_open and (m - num_open) % 2 == 0]
    chances = logits.softmax(0)
    assert [m for m, chance in zip(range(-9, 10), chances, strict=True) if chance > 0] == possible
    assert torch.isfinite(logits).all()
    assert chances.sum() == pytest.approx(1, abs=1e-5)


def test_every_margin_is_possible_without_an_open_bit():
    output = random_network(KROPKI_LIKE)(*random_batch(KROPKI_LIKE, 2, 5, 7))
    assert (output.margin_logits.softmax(1) > 0).all()


def test_prediction_follows_from_the_output():
    encoding = BOXES
    network = random_network(encoding)
    points, globals_ = random_batch(encoding, 5, 4, 4)
    output, prediction = network(points, globals_), network.predict(points, globals_)
    chances = output.value_logits.softmax(1)
    torch.testing.assert_close(prediction.value, chances[:, 0] - chances[:, 2])
    to_come = output.margin_logits.softmax(1) @ torch.arange(-9.0, 10.0)
    torch.testing.assert_close(prediction.margin, to_come + 10 * globals_[:, 1])
    torch.testing.assert_close(prediction.owner, output.owner.sigmoid())


def test_new_network_is_neutral_and_learns_in_every_part():
    encoding = BOXES
    network = Network(SMALL, encoding, torch.Generator().manual_seed(3))
    points, globals_ = random_batch(encoding, 4, 4, 4)
    output = network(points, globals_)
    assert (output.policy == 0).all()
    assert (output.value_logits == 0).all()
    assert network.predict(points, globals_ * 0).margin.abs().max() < 1e-5
    optimiser = torch.optim.SGD(network.parameters(), lr=0.1)
    before = {name: parameter.detach().clone() for name, parameter in network.named_parameters()}
    for _ in range(3):
        output = network(points, globals_)
        loss = (output.policy - 1).square().mean() + (output.owner - globals_[:, :1, None]).square().mean()
        loss = loss - output.value_logits.log_softmax(1)[:, 0].mean()
        loss = loss - output.margin_logits.log_softmax(1).max(1).values.mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    stuck = [name for name, value in network.named_parameters() if torch.equal(value, before[name])]
    assert stuck == []


def test_initial_weights_come_from_the_given_generator_only():
    """The global generator is neither used nor moved."""
    encoding = BOXES
    torch.manual_seed(1)
    first = Network(SMALL, encoding, torch.Generator().manual_seed(7))
    drawn = torch.rand(1)
    torch.manual_seed(1)
    assert torch.equal(torch.rand(1), drawn)
    second = Network(SMALL, encoding, torch.Generator().manual_seed(7))
    other = Network(SMALL, encoding, torch.Generator().manual_seed(8))
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    assert not torch.equal(first.stem.weight, other.stem.weight)


def test_activations_stay_in_range_when_deep():
    encoding = known_encoding("boxes", 25)
    config = NetworkConfig(num_blocks=16, num_channels=32)
    network = Network(config, encoding, torch.Generator().manual_seed(0))
    hidden = []
    network.blocks[-1].register_forward_hook(lambda module, inputs, output: hidden.append(output))
    network(*random_batch(encoding, 8, 6, 6))
    assert 0.1 < hidden[0].std() < 10


def test_more_margins_with_the_same_weights():
    encoding = BOXES
    network = random_network(encoding)
    points, globals_ = random_batch(encoding, 3, 3, 3)
    small = network.predict(points, globals_)
    network.set_max_margin(25)
    assert encoding.max_margin == 9
    assert network(points, globals_).margin_logits.shape == (3, 51)
    torch.testing.assert_close(network.predict(points, globals_).margin, small.margin)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"num_blocks": 0}, "NetworkConfig.num_blocks must be at least 1, got 0"),
        ({"num_channels": -3}, "NetworkConfig.num_channels must be at least 1, got -3"),
        ({"pooling_every": -1}, "NetworkConfig.pooling_every must be at least 0, got -1"),
        (
            {"num_channels": 16},
            "NetworkConfig.num_pooled_channels must be less than num_channels = 16, got 16",
        ),
    ],
)
def test_wrong_sizes_are_refused(values, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        NetworkConfig(**values)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"num_globals": 0}, "EncodingSpec.num_globals must be at least 1, got 0"),
        ({"open_bit": 16}, "EncodingSpec.open_bit must be in 0..15, got 16"),
        ({"margin_step": 2}, "EncodingSpec.margin_step must be 1 without open_bit, got 2"),
        ({"margin_global": 5}, "EncodingSpec.margin_global must be in 0..4, got 5"),
    ],
)
def test_wrong_encodings_are_refused(values, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        EncodingSpec(**{**KROPKI_LIKE.to_dict(), **values})
    assert str(error.value) == message


def test_unknown_game_is_refused():
    with pytest.raises(ValueError, match="game must be one of boxes, kropki, got chess"):
        known_encoding("chess", 9)


def test_no_pooling_blocks():
    encoding = BOXES
    network = random_network(encoding, NetworkConfig(num_blocks=2, num_channels=8, pooling_every=0))
    assert not any("conv_pool" in name for name in network.state_dict())
    assert network(*random_batch(encoding, 2, 3, 4)).policy.shape == (2, 24)
