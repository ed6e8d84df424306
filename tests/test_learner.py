"""The learner: losses by hand, a batch learned by heart, the weight average, bad steps refused whole."""

import copy
import math
from dataclasses import fields

import numpy as np
import pytest
import torch

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.models.encoding import known_encoding
from dotzero.models.evaluator import UniformEvaluator
from dotzero.models.network import Network, NetworkConfig
from dotzero.search.search_config import RootRule, SearchConfig
from dotzero.train.learner import Learner, LearnerConfig, NonFiniteLossError
from dotzero.train.losses import margin_loss, open_points, owner_loss, policy_loss
from dotzero.train.optimisers import OptimiserKind
from dotzero.train.selfplay import SelfPlay, SelfPlayConfig

GAME = BoxesGame(BoxesRules(rows=2, columns=2))


@pytest.fixture(scope="module")
def batch():
    evaluator = UniformEvaluator(GAME.num_policy_slots)
    search = SearchConfig(root=RootRule.GUMBEL, num_simulations=8, num_considered=4)
    config = SelfPlayConfig(num_games=20, num_groups=2, random_opening_plies=6)
    (positions,), _ = SelfPlay([GAME], config, search, evaluator, np.random.SeedSequence(3)).play(300)
    _, first = np.unique(positions.points.reshape(len(positions), -1), axis=0, return_index=True)
    return positions[np.sort(first)[:64]]


def new_learner(side_policies=False, **changes):
    torch.set_num_threads(1)
    size = NetworkConfig(num_blocks=2, num_channels=24, num_pooled_channels=8, side_policies=side_policies)
    network = Network(size, known_encoding("boxes", GAME.max_margin), torch.Generator().manual_seed(1))
    config = LearnerConfig(**{"warmup_steps": 5, "final_decay": 0.0, "num_threads": 1, **changes})
    return Learner([GAME], network, config, torch.device("cpu"))


@pytest.mark.parametrize(("optimiser", "steps"), [("ADAMW", 350), ("MUON", 250)])
def test_learns_one_batch_by_heart(batch, optimiser, steps):
    learner = new_learner(learning_rate=5e-3, weight_decay=0.0, optimiser=OptimiserKind[optimiser])
    same = np.zeros(len(batch), np.int64)
    first = learner.train_batch(batch, same, 0.0)
    for _ in range(steps):
        last = learner.train_batch(batch, same, 0.0)
    # The policy cannot fall below the entropy of its targets.
    target = batch.policy.astype(np.float64)
    entropy = -(target * np.log(np.maximum(target, 1e-12))).sum(axis=1).mean()
    assert last["policy"] < entropy + 0.05 < first["policy"]
    assert last["value"] < 0.05 < 0.5 < first["value"]
    assert last["margin"] < 0.1
    assert last["owner"] < 0.1


def test_the_losses_of_a_neutral_network_are_known(batch):
    learner = new_learner()
    with torch.no_grad():
        losses = learner.losses(batch, np.zeros(len(batch), np.int64))
    num_legal = np.unpackbits(batch.legal, axis=1, count=12, bitorder="little").sum(axis=1)
    assert float(losses["policy"]) == pytest.approx(np.log(num_legal).mean(), abs=2e-3)
    assert float(losses["value"]) == pytest.approx(np.log(3), rel=1e-5)
    open_boxes = ((batch.points[:, 0] >> 4) & 1).sum(axis=(1, 2))
    assert float(losses["margin"]) == pytest.approx(np.log(open_boxes + 1).mean(), rel=1e-4)
    assert float(losses["owner"]) == pytest.approx(np.log(2), rel=1e-5)


def test_every_symmetry_teaches_the_same_thing(batch):
    """Targets move with the board: one network can know the batch by heart under all symmetries at once."""
    turned = new_learner(learning_rate=5e-3, weight_decay=0.0)
    random = np.random.default_rng(0)
    for _ in range(500):
        turned.train_batch(batch, random.integers(0, 8, len(batch)), 0.0)
    each = [float(turned.losses(batch, np.full(len(batch), s))["loss"].detach()) for s in range(8)]
    assert max(each) < min(each) + 0.3


def test_illegal_actions_carry_no_gradient():
    logits = torch.tensor([[1.0, 2.0, 50.0]], requires_grad=True)
    legal = torch.tensor([[True, True, False]])
    loss = policy_loss(logits, legal, torch.tensor([[0.25, 0.75, 0.0]]))
    p = torch.tensor([1.0, 2.0]).softmax(0)
    assert float(loss.detach()) == pytest.approx(float(-(0.25 * p[0].log() + 0.75 * p[1].log())), rel=1e-5)
    loss.backward()
    assert logits.grad[0, 2] == 0
    assert torch.allclose(logits.grad[0, :2], p - torch.tensor([0.25, 0.75]), atol=1e-5)


def test_margin_and_owner_losses_by_hand():
    logits = torch.zeros(2, 9)
    logits[0, 4 + 3] = logits[1, 4 - 2] = 20.0
    assert float(margin_loss(logits, torch.tensor([3.0, -2.0]), 4, 1)) < 1e-5
    assert float(margin_loss(logits, torch.tensor([2.0, -1.0]), 4, 1)) > 10
    points = torch.tensor([[[[0b10010000, 0b10000000]]]], dtype=torch.uint8)
    counted = open_points(points, 4)
    assert counted.tolist() == [[[1.0, 0.0]]]
    # Only the open point counts: there the owner is surely mine, and is; the other is surely wrong.
    owner = owner_loss(torch.tensor([[[20.0, 20.0]]]), torch.tensor([[[1.0, -1.0]]]), counted)
    assert float(owner) < 1e-5


def test_what_nobody_holds_in_the_end_is_not_counted():
    """Kropki leaves points free; in Boxes every open box has an owner in the end: nothing changes there."""
    logits, counted = torch.tensor([[[3.0, -2.0, 1.0]]]), torch.ones(1, 1, 3)
    with_free = owner_loss(logits, torch.tensor([[[1.0, 0.0, -1.0]]]), counted)
    without = owner_loss(logits[:, :, [0, 2]], torch.tensor([[[1.0, -1.0]]]), counted[:, :, :2])
    assert float(with_free) == pytest.approx(float(without))
    assert float(owner_loss(logits, torch.zeros(1, 1, 3), counted)) == 0.0


def test_several_boards_are_learned_by_one_network(batch):
    """Each batch by its own board's symmetries and slots."""
    other = BoxesGame(BoxesRules(rows=1, columns=3))
    evaluator, random = UniformEvaluator(other.num_policy_slots), np.random.default_rng(0)
    search = SearchConfig(root=RootRule.GUMBEL, num_simulations=8, num_considered=4)
    play = SelfPlay([other], SelfPlayConfig(num_games=20), search, evaluator, np.random.SeedSequence(3))
    wide = play.play(64)[0][0][:64]
    torch.set_num_threads(1)
    size = NetworkConfig(num_blocks=2, num_channels=24, num_pooled_channels=8)
    network = Network(size, known_encoding("boxes", GAME.max_margin), torch.Generator().manual_seed(1))
    config = LearnerConfig(warmup_steps=5, final_decay=0.0, learning_rate=5e-3)
    learner = Learner([GAME, other], network, config, torch.device("cpu"))
    losses = []
    for _ in range(150):
        one = learner.train_batch(batch, random.integers(0, 8, len(batch)), 0.0)
        two = learner.train_batch(wide, random.integers(0, 4, len(wide)), 0.0, board=1)
        losses.append((one["loss"], two["loss"]))
    first, last = np.array(losses[:5]).mean(axis=0), np.array(losses[-5:]).mean(axis=0)
    assert (last < 0.75 * first).all()


def test_a_step_that_is_not_finite_changes_nothing(batch):
    learner = new_learner()
    same = np.zeros(len(batch), np.int64)
    learner.train_batch(batch, same, 0.0)
    before = {name: value.clone() for name, value in learner.tensors().items()}
    bad = copy.deepcopy(batch)
    bad.globals[3, 0] = np.nan
    with pytest.raises(NonFiniteLossError, match=r"must be finite, got nan .* at step 2"):
        learner.train_batch(bad, same, 0.0)
    for name, value in learner.tensors().items():
        assert torch.equal(value, before[name]), name
    assert learner.step == 1


def test_saved_state_goes_on_to_the_bit(batch):
    random = np.random.default_rng(0)
    symmetries = [random.integers(0, 8, len(batch)) for _ in range(12)]
    whole, half = new_learner(), new_learner()
    for symmetry in symmetries:
        whole.train_batch(batch, symmetry, 0.0)
    for symmetry in symmetries[:5]:
        half.train_batch(batch, symmetry, 0.0)
    rest = new_learner()
    rest.load_tensors({name: value.clone() for name, value in half.tensors().items()}, half.step)
    for symmetry in symmetries[5:]:
        rest.train_batch(batch, symmetry, 0.0)
    for name, value in whole.tensors().items():
        assert torch.equal(value, rest.tensors()[name]), name
    incomplete = {
        name: value for name, value in half.tensors().items() if not name.endswith("stem.bias.step")
    }
    with pytest.raises(ValueError, match=r"must have exp_avg, exp_avg_sq, step of stem\.bias, got"):
        new_learner().load_tensors(incomplete, half.step)


def test_side_policies_learn_and_leave_the_prediction_alone(batch):
    weights = {"soft_policy_weight": 1.0, "reply_weight": 0.5}
    learner = new_learner(side_policies=True, learning_rate=5e-3, weight_decay=0.0, **weights)
    same = np.zeros(len(batch), np.int64)
    first = learner.train_batch(batch, same, 0.0)
    for _ in range(200):
        last = learner.train_batch(batch, same, 0.0)
    assert last["soft_policy"] < first["soft_policy"] - 0.05
    assert (batch.reply >= 0).sum() > 10
    assert last["reply"] < 0.5 < first["reply"]
    plain = first["policy"] + first["value"] + 0.25 * (first["margin"] + first["owner"])
    assert first["loss"] == pytest.approx(plain + first["soft_policy"] + 0.5 * first["reply"], rel=1e-5)
    points, globals_ = torch.from_numpy(batch.points), torch.from_numpy(batch.globals)
    with torch.no_grad():
        assert learner.average(points, globals_).side is None
        assert learner.average(points, globals_, side=True).side.shape == (
            len(batch),
            2,
            GAME.num_policy_slots,
        )
    with pytest.raises(ValueError, match=r"soft_policy_weight and reply_weight must be 0 without"):
        new_learner(**weights)


def test_bfloat16_gives_nearly_the_same_losses(batch):
    exact, rounded = new_learner(), new_learner(bfloat16=True)
    for _ in range(5):  # away from the neutral start, where rounding could not show
        exact.train_batch(batch, np.zeros(len(batch), np.int64), 0.0)
    rounded.network.load_state_dict(exact.network.state_dict())
    same = np.zeros(len(batch), np.int64)
    with torch.no_grad():
        one, two = exact.losses(batch, same), rounded.losses(batch, same)
    assert two["loss"].dtype == torch.float32
    for name in one:
        assert float(one[name]) != float(two[name])
        assert float(two[name]) == pytest.approx(float(one[name]), rel=0.02)


def test_the_average_forgets_the_first_weights(batch):
    learner = new_learner(average_decay=0.9)
    history = []
    for _ in range(30):
        learner.train_batch(batch, np.zeros(len(batch), np.int64), 0.0)
        history.append(learner.network.stem.weight.detach().clone())
    average = history[0]
    for step, weight in enumerate(history[1:], 2):
        keep = min(0.9, step / (step + 1))
        average = keep * average + (1 - keep) * weight
    assert torch.allclose(learner.average.stem.weight, average, atol=1e-5)


def test_the_rate_warms_up_holds_and_decays():
    learner = new_learner(learning_rate=1.0, warmup_steps=10, final_decay=0.25)
    assert learner.schedule(0.0) == pytest.approx(0.1)
    learner.step = 1000
    assert learner.schedule(0.5) == 1.0
    assert learner.schedule(0.875) == pytest.approx(0.5)
    assert learner.schedule(1.0) == pytest.approx(0.01)


def test_configuration_must_be_finite():
    for item in fields(LearnerConfig):
        if item.type is float:
            for value in (math.inf, -math.inf, math.nan):
                message = rf"^LearnerConfig\.{item.name} must be a finite number, got {value}$"
                with pytest.raises(ValueError, match=message):
                    LearnerConfig(**{item.name: value})


def test_configuration_is_checked_by_name():
    for field, value in {
        "batch_size": 0,
        "learning_rate": 0.0,
        "average_decay": 1.0,
        "owner_weight": -1,
    }.items():
        with pytest.raises(ValueError, match=rf"^LearnerConfig\.{field} must be .*, got {value}$"):
            LearnerConfig(**{field: value})
