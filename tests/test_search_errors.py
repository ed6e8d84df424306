"""The search and its evaluator's errors: no move from bad numbers, no result from half a search."""

import numpy as np
import pytest

from dotzero.search.mcts import Search, run
from dotzero.search.search_config import RootRule, SearchConfig
from tests.toy_games import TableEvaluator, ToyGame, random_tree, search_from


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_an_evaluator_that_is_not_finite_is_an_error_not_a_move(bad):
    game = ToyGame((0, 1.0, -1.0))
    for field in ("logits", "values", "margins"):
        evaluator = TableEvaluator(game)
        getattr(evaluator, field)[0] = bad
        with pytest.raises(RuntimeError, match="not finite"):
            search_from(game, [0], evaluator)


class FailingEvaluator(TableEvaluator):
    """Fails once, at the call that a test names."""

    def __init__(self, game, where):
        super().__init__(game)
        self.where = where
        self.calls = 0

    def fail(self, where):
        self.calls += where == self.where
        if where == self.where and self.calls == 3:
            raise OSError("the device is gone")

    def start(self, buffer, num_rows):
        self.fail("start")
        return super().start(buffer, num_rows)

    def finish(self, nodes):
        self.fail("finish")
        return super().finish(nodes)


@pytest.mark.parametrize("root", list(RootRule))
@pytest.mark.parametrize("where", ["start", "finish"])
def test_after_an_error_there_is_no_result_and_the_search_can_begin_anew(root, where):
    game = ToyGame(random_tree(np.random.default_rng(5), 5), max_margin=2)
    config = SearchConfig(root=root, num_simulations=20)
    evaluator = FailingEvaluator(game, where)
    groups = [Search(game, 2, config, evaluator, np.arange(2, dtype=np.uint64)) for _ in range(3)]
    slots = np.arange(2, dtype=np.int32)
    for search in groups:
        search.begin(slots, game.start(2))
    with pytest.raises(OSError, match="the device is gone"):
        run(groups)
    for search in groups:
        for ask in (search.results, search.choose):
            with pytest.raises(RuntimeError, match="has not come to its end"):
                ask(slots)
    for search in groups:
        search.begin(slots, game.start(2))
    run(groups)
    _, expected = search_from(game, [0, 0], root=root, num_simulations=20, margin_weight=0.1)
    for search in groups:
        assert search.results(slots).visits.tolist() == expected.visits.tolist()


def test_a_search_cannot_begin_while_its_leaves_are_away():
    game = ToyGame((0, 1.0, (1, 1.0, -1.0)))
    search = Search(game, 1, SearchConfig(), TableEvaluator(game), np.zeros(1, np.uint64))
    slots = np.zeros(1, np.int32)
    search.begin(slots, game.start(1))
    search.submit()
    with pytest.raises(RuntimeError, match=r"before expand\(\) of the last rows"):
        search.begin(slots, game.start(1))
    search.abandon()
    search.begin(slots, game.start(1))
    run([search])
    assert search.choose(slots).tolist() == [0]
