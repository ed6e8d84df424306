"""The judge (train/evaluate.py): its positions, its values, its verdicts, and what training logs of it."""

import re

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.models.evaluator import Evaluation, Evaluator, Ticket, UniformEvaluator
from dotzero.search.endgame import set_values
from dotzero.search.search_config import SearchConfig
from dotzero.train.evaluate import Judge, JudgeConfig, Verdict, flat, judge_network, judged_boards

GAME = BoxesGame(BoxesRules(rows=2, columns=2))


@pytest.fixture(scope="module")
def judge():
    return Judge(GAME, 12, 15)


class Perfect(Evaluator):
    """Knows the cost of every line of the judge's positions, which it recognises by their points."""

    def __init__(self, judge, best=True):
        observation = judge.game.observe(judge.state)
        self._known = {points.tobytes(): row for row, points in enumerate(observation.points)}
        self._logits = np.zeros((len(judge), judge.game.num_policy_slots), np.float32)
        self._logits[:, judge.game.policy_slots] = -judge.cost if best else judge.cost

    def start(self, buffer, num_rows):
        rows = [self._known[points.tobytes()] for points in buffer.points[:num_rows]]
        zeros = np.zeros(num_rows, np.float32)
        return Answer(Evaluation(self._logits[rows], zeros, zeros))

    def load_weights(self, state):
        raise AssertionError


class Answer(Ticket):
    def __init__(self, evaluation):
        self._evaluation = evaluation

    def result(self):
        return self._evaluation


def test_costs_are_those_of_a_table_filled_from_the_rules(judge):
    """The value of a line is that of its boxes and of what follows, by whoever moves then."""
    for row in range(len(judge)):
        lines = judge.state.lines[row]
        worth = {}
        for line in np.flatnonzero(lines == 0):
            after = GAME.step(judge.state[[row]], [line])
            taken = int(after.score.sum() - judge.state.score[row].sum())
            rest = int(set_values(GAME, after.lines[0])[-1]) if not after.finished[0] else 0
            worth[line] = taken + (rest if taken else -rest)
        best = max(worth.values())
        assert {line: best - value for line, value in worth.items()} == {
            line: judge.cost[row, line] for line in worth
        }


def test_positions_are_a_choice_each_and_no_two_are_images_of_each_other(judge):
    seen = set()
    for row, lines in enumerate(judge.state.lines):
        undrawn = lines == 0
        assert undrawn.sum() >= 2
        assert (judge.cost[row, undrawn] > 0).any()
        images = {
            GAME.symmetries.apply_to_actions(lines[None], np.array([index]))[0].tobytes()
            for index in range(len(GAME.symmetries))
        }
        assert not images & seen
        seen |= images
    assert set(judge.stages.tolist()) >= {4, 6, 8, 9}
    assert np.bincount(judge.stages).max() == 15


def test_the_same_positions_for_everyone_and_others_for_another_board(judge):
    again = Judge(GAME, 12, 15)
    np.testing.assert_array_equal(again.state.lines, judge.state.lines)
    np.testing.assert_array_equal(again.state.score, judge.state.score)
    assert len(Judge(GAME, 6, 15)) < len(judge)
    assert Judge(BoxesGame(BoxesRules(rows=3, columns=3)), 10, 5).stages.max() == 10


def test_positions_are_reached_by_play(judge):
    """Boxes that are complete belong to somebody, and the score counts them."""
    owned = [(judge.state.owner == player).sum(axis=1) for player in (0, 1)]
    np.testing.assert_array_equal(np.stack(owned, axis=1), judge.state.score)
    assert 0 < judge.state.to_move.mean() < 1


def test_perfect_and_worst_lines(judge):
    config = JudgeConfig(simulations=[0], positions_per_stage=15)
    verdict = judge_network(judge, Perfect(judge), config.search, config.simulations)
    assert verdict["raw"] == Verdict(len(judge), 1.0, 0.0)
    assert sum(verdict[f"raw/{phase}"].num_positions for phase in ("opening", "middle", "end")) == len(judge)
    worst = judge_network(judge, Perfect(judge, best=False), config.search, [0])["raw"]
    assert worst.optimal == 0.0
    assert worst.lost == np.where(judge.state.lines == 0, judge.cost, 0).max(axis=1).mean() > 1


def test_a_search_without_knowledge_beats_chance_and_ends_are_found(judge):
    found = judge.choose(
        UniformEvaluator(GAME.num_policy_slots), SearchConfig(num_simulations=400, margin_weight=1)
    )
    assert judge.verdict(found).optimal > judge.by_chance.optimal + 0.2
    small = judge.stages <= 4
    assert judge.verdict(found, small).optimal == 1.0


def test_chance_is_the_mean_over_all_lines(judge):
    total = [
        [(judge.cost[row, line] == 0, judge.cost[row, line]) for line in np.flatnonzero(lines == 0)]
        for row, lines in enumerate(judge.state.lines)
    ]
    assert judge.by_chance.optimal == pytest.approx(np.mean([np.mean([x for x, _ in row]) for row in total]))
    assert judge.by_chance.lost == pytest.approx(np.mean([np.mean([x for _, x in row]) for row in total]))


def test_who_is_judged():
    small, larger = GAME, BoxesGame(BoxesRules(rows=2, columns=3))
    misere = BoxesGame(BoxesRules(rows=3, columns=3, scoring="misere"))
    dot = BoxesGame(BoxesRules(rows=1, columns=1))
    config = JudgeConfig(positions_per_stage=2, lines=8)
    boards = judged_boards([small, larger, small, misere, dot], config)
    assert list(boards) == ["2x2", "2x3"]
    assert judged_boards([KropkiGame(KropkiRules(width=5, height=5))], config) == {}
    assert judged_boards([small], JudgeConfig(every=0)) == {}


def test_names_for_metrics():
    assert flat("3x3", {"raw/end": Verdict(4, 0.75, 0.5)}) == {
        "judge/3x3/raw/end/optimal": 0.75,
        "judge/3x3/raw/end/lost": 0.5,
    }


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("every", -1, "JudgeConfig.every must be at least 0, got -1"),
        ("lines", 1, "JudgeConfig.lines must be at least 2, got 1"),
        ("positions_per_stage", 0, "JudgeConfig.positions_per_stage must be at least 1, got 0"),
        ("simulations", [0, -1], "JudgeConfig.simulations must be in 0.."),
    ],
)
def test_bad_settings_are_named(field, value, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        JudgeConfig(**{field: value})
