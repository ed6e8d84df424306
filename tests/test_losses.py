"""Losses: against sums written out by hand."""

import math

import pytest
import torch
from torch.nn import functional

from dotzero.models.network import MASKED_LOGIT
from dotzero.train.losses import (
    Searched,
    margin_loss,
    policy_loss,
    reply_loss,
    soft_policy_loss,
    value_loss,
)


def generator():
    return torch.Generator().manual_seed(3)


def test_the_soft_policy_flattens_its_target_over_what_the_search_tried():
    logits, legal = torch.randn(1, 4, generator=generator()), torch.tensor([[True, True, True, False]])
    target = torch.tensor([[0.81, 0.0, 0.19, 0.0]])
    first, third = 0.81**0.25, 0.19**0.25
    soft = torch.tensor([[first, 0.0, third, 0.0]]) / (first + third)
    assert soft_policy_loss(logits, legal, target) == pytest.approx(float(policy_loss(logits, legal, soft)))
    assert float(soft[0, 2]) > 0.4  # not the same as the policy's own target


def test_the_reply_counts_only_where_there_is_one():
    logits = torch.randn(3, 5, generator=generator())
    target = torch.zeros(3, 5)
    target[0, 2] = target[2, 4] = 1
    rows = logits.log_softmax(dim=1)
    assert reply_loss(logits, target) == pytest.approx(-float(rows[0, 2] + rows[2, 4]) / 2)
    assert float(reply_loss(logits, torch.zeros(3, 5))) == 0


def test_value_is_shared_by_the_end_and_the_searches():
    logits = torch.tensor([[0.3, -1.0, 0.8]])
    won, _, lost = (float(x) for x in logits.log_softmax(dim=1)[0])
    outcome, share, searched = torch.tensor([1]), torch.tensor([0.25]), torch.tensor([-0.45])
    # A quarter says won; of the other 0.75 the searches give (0.75 - 0.45) / 2 to winning.
    expected = -(0.25 + 0.15) * won - 0.6 * lost
    assert value_loss(logits, outcome, Searched(share, searched)) == pytest.approx(expected, rel=1e-5)


def test_without_searches_value_and_margin_are_plain_cross_entropies():
    logits = torch.randn(4, 3, generator=generator())
    outcome = torch.tensor([1, 0, -1, 1])
    plain = functional.cross_entropy(logits, torch.tensor([0, 1, 2, 0]))
    assert torch.equal(value_loss(logits, outcome), plain)
    margins = torch.randn(4, 9, generator=generator())
    margin = torch.tensor([-4.0, 3.0, 0.4, 7.0])  # the last is beyond the bins
    plain = functional.cross_entropy(margins, torch.tensor([0, 7, 4, 8]))
    assert torch.equal(margin_loss(margins, margin, 4, 1), plain)


def test_a_margin_between_two_possible_ones_is_shared_by_them():
    logits = torch.randn(1, 9, generator=generator())  # -4 .. 4, of which the odd ones are possible
    logits[0, ::2] = MASKED_LOGIT
    rows = logits.log_softmax(dim=1)[0]
    # Half of 3 and searches that add 0.2: 1.7, which is 0.65 of the way from 3 down to 1.
    found = margin_loss(logits, torch.tensor([3.0]), 4, 2, Searched(torch.tensor([0.5]), torch.tensor([0.2])))
    assert found == pytest.approx(-float(0.65 * rows[5] + 0.35 * rows[7]), rel=1e-5)


def test_a_search_beyond_what_is_possible_takes_no_share_of_the_margin():
    logits = torch.tensor([[MASKED_LOGIT, MASKED_LOGIT, 0.0, MASKED_LOGIT, 0.0, MASKED_LOGIT, MASKED_LOGIT]])
    found = margin_loss(
        logits, torch.tensor([1.0]), 3, 2, Searched(torch.tensor([0.5]), torch.tensor([0.52]))
    )
    assert found == pytest.approx(math.log(2), rel=1e-5)
