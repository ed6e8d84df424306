"""The sequential test: its ratio, its bounds, and how often it is wrong."""

import math

import numpy as np
import pytest

from dotzero.configs.schema import ArenaJob
from dotzero.play.sprt import SCORES, Sprt, count_pairs, expected_score


def test_the_ratio_of_two_outcomes_is_the_textbooks():
    """With wins and losses alone the model is a coin: n log-ratios of its two chances."""
    test = Sprt(elo0=0, elo1=100)
    one, zero = expected_score(100), 0.5
    by_hand = 7 * math.log(one / zero) + 3 * math.log((1 - one) / (1 - zero))
    assert test.ratio([1.0] * 7 + [0.0] * 3) == pytest.approx(by_hand, abs=0.02)
    assert test.ratio([]) == 0.0


def test_bounds_are_walds():
    low, high = Sprt(elo0=0, elo1=10, alpha=0.05, beta=0.1).bounds
    assert low == pytest.approx(math.log(0.1 / 0.95))
    assert high == pytest.approx(math.log(0.9 / 0.05))


def test_the_answer_follows_the_bounds():
    test = Sprt(elo0=0, elo1=200)
    assert test.decision([]) is None
    assert test.decision([1.0, 0.0]) is None
    assert test.decision([1.0] * 30) == 1
    assert test.decision([0.5] * 30) == 0
    assert test.decision([0.0] * 30) == 0


def test_pairs_are_counted_by_score():
    assert count_pairs([0, 0.25, 0.25, 1.0]).tolist() == [1, 2, 0, 0, 1]
    for wrong in ([0.3], [-0.25], [1.25]):
        with pytest.raises(ValueError, match=r"^pair_scores must be multiples of 1/4 from 0 to 1"):
            count_pairs(wrong)


@pytest.mark.parametrize("shape", ["decisive", "drawish"])
@pytest.mark.parametrize("true", [0, 1])
def test_it_is_wrong_as_rarely_as_it_says(shape, true):
    """1,000 matches where one of the hypotheses is true: at most 5% end with the other one."""
    test = Sprt(elo0=0, elo1=120)
    rng = np.random.default_rng(true)
    chances = pair_chances(expected_score((test.elo0, test.elo1)[true]), shape)
    wrong = lengths = 0
    for _ in range(1000):
        scores: list[float] = []
        decision = None
        while decision is None:
            scores += rng.choice(SCORES, size=4, p=chances).tolist()
            decision = test.decision(scores)
        wrong += decision != true
        lengths += len(scores)
    assert wrong / 1000 <= 0.05
    assert lengths / 1000 < 60


def pair_chances(score, shape):
    """Of the five outcomes of two independent games with this expected score."""
    draw = {"decisive": 0.0, "drawish": 1.2}[shape] * min(score, 1 - score)
    game = {1.0: score - draw / 2, 0.5: draw, 0.0: 1 - score - draw / 2}
    chances = np.zeros(5)
    for one, first in game.items():
        for two, second in game.items():
            chances[round(2 * (one + two))] += first * second
    return chances


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"elo0": 5, "elo1": 5}, "Sprt.elo1 must be above elo0 = 5, got 5"),
        ({"elo0": -2000, "elo1": 5}, "Sprt.elo0 must be in -1000..1000, got -2000"),
        ({"elo0": 0, "elo1": math.nan}, "Sprt.elo1 must be in -1000..1000, got nan"),
        ({"elo0": 0, "elo1": 5, "alpha": 0.5}, "Sprt.alpha must be above 0 and below 0.5, got 0.5"),
        ({"elo0": 0, "elo1": 5, "beta": 0}, "Sprt.beta must be above 0 and below 0.5, got 0"),
    ],
)
def test_wrong_questions_are_refused(values, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        Sprt(**values)


def test_the_chances_of_the_command_reach_the_test():
    """Given or not, as they are refused without a question."""
    usual = ArenaJob(sprt=[0, 30]).plan().sprt
    assert usual == Sprt(elo0=0, elo1=30, alpha=0.05, beta=0.05)
    assert ArenaJob(sprt=[0, 30], beta=0.2).plan().sprt == Sprt(elo0=0, elo1=30, alpha=0.05, beta=0.2)
