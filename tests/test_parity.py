import numpy as np
import pytest

from dotzero.models.parity import answer_differences

LEGAL = np.array([[True, True, False], [True, False, True]])


def answers(policy, value=(0.0, 0.0), margin=(0.0, 0.0)):
    return [np.array(part, np.float32) for part in (policy, value, margin)]


def test_equal_answers_differ_in_nothing():
    same = answers([[1, 2, 3], [3, 2, 1]], (0.5, -0.5), (1, 2))
    found = answer_differences(same, same, LEGAL)
    assert set(found) == {"policy_kl", "best_move", "best_move_loss", "value", "margin"}
    assert found["best_move"].tolist() == [1, 1]
    assert not any(found[name].any() for name in found if name != "best_move")


def test_only_legal_moves_count_and_a_shift_of_logits_does_not():
    reference = answers([[0, np.log(3), 9], [0, -9, 0]])
    other = answers([[5 + np.log(3), 5, -50], [7, 50, 7]], (0.25, 0), (0, -2))
    found = answer_differences(reference, other, LEGAL)
    # 1/4, 3/4 against 3/4, 1/4
    assert found["policy_kl"].tolist() == pytest.approx([0.5 * np.log(3), 0], abs=1e-6)
    assert found["best_move"].tolist() == [0, 1]
    assert found["best_move_loss"].tolist() == pytest.approx([0.5, 0], abs=1e-6)
    assert found["value"].tolist() == [0.25, 0]
    assert found["margin"].tolist() == [0, 2]
