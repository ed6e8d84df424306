"""Muon: orthogonal directions, a step by hand, and which parameters it gets."""

import numpy as np
import pytest
import torch

from dotzero.models.encoding import known_encoding
from dotzero.models.network import Network, NetworkConfig
from dotzero.train.learner import LearnerConfig
from dotzero.train.muon import Muon, orthogonal
from dotzero.train.optimisers import OptimiserKind, make_optimisers, optimiser_of, state_keys


@pytest.mark.parametrize("shape", [(8, 8), (6, 40), (40, 6), (1, 9)])
def test_singular_vectors_stay_and_values_come_near_one(shape):
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(2))
    u, values, v = torch.linalg.svd(matrix, full_matrices=False)
    found = orthogonal(matrix)
    made = torch.diagonal(u.T @ found @ v.T)
    off = u.T @ found @ v.T - torch.diag(made)
    assert float(off.abs().max()) < 1e-4
    assert float(values.max() / values.min()) > 1.5 or shape[0] == 1
    assert float(made.min()) > 0.6
    assert float(made.max()) < 1.3


def test_a_step_by_hand():
    start = torch.randn(3, 2, 2, 2, generator=torch.Generator().manual_seed(4))
    parameter = torch.nn.Parameter(start.clone())
    optimiser = Muon([parameter], lr=0.1, momentum=0.5, weight_decay=0.01)
    momentum = torch.zeros_like(start)
    expected = start.clone()
    for number in range(3):
        gradient = torch.full_like(start, 0.0)
        gradient[number] = 1.0
        gradient[0, 0] += 0.5 * number
        parameter.grad = gradient.clone()
        optimiser.step()
        momentum = 0.5 * momentum + 0.5 * gradient
        ahead = (0.5 * gradient + 0.5 * momentum).reshape(3, 8)
        expected = expected * (1 - 0.1 * 0.01) - 0.1 * orthogonal(ahead).reshape(start.shape)
        assert torch.allclose(parameter, expected, atol=1e-6)


def test_tall_matrices_move_further():
    parameter = torch.nn.Parameter(torch.zeros(36, 4))
    parameter.grad = torch.randn(36, 4, generator=torch.Generator().manual_seed(4))
    Muon([parameter], lr=1.0).step()
    assert np.median(torch.linalg.svdvals(parameter.detach()).numpy()) == pytest.approx(3.0, rel=0.35)


def test_muon_gets_the_hidden_kernels_and_adam_the_rest():
    network = Network(
        NetworkConfig(num_blocks=2, num_channels=16, num_pooled_channels=8, side_policies=True),
        known_encoding("kropki", 9),
        torch.Generator().manual_seed(0),
    )
    optimisers = make_optimisers(network, LearnerConfig(optimiser=OptimiserKind.MUON))
    kinds = {
        name: type(optimiser_of(parameter, optimisers)).__name__
        for name, parameter in network.named_parameters()
    }
    assert kinds["stem.weight"] == kinds["blocks.0.conv1.weight"] == kinds["blocks.1.spread.weight"] == "Muon"
    assert kinds["point_hidden.weight"] == kinds["value_hidden.weight"] == "Muon"
    for name in (
        "stem.bias",
        "stem_globals.weight",
        "point_out.weight",
        "value_out.weight",
        "side_out.weight",
    ):
        assert kinds[name] == "AdamW"
    assert [state_keys(one) for one in optimisers] == [["exp_avg", "exp_avg_sq", "step"], ["momentum"]]
    (alone,) = make_optimisers(network, LearnerConfig())
    assert {id(p) for group in alone.param_groups for p in group["params"]} == set(
        map(id, network.parameters())
    )
