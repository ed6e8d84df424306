"""Values found bit by bit: bounds that are true at any moment, exact at the end."""

import itertools

import numpy as np
import pytest
from boxes_generators import careful_play, loony_ends, random_sets
from slow_boxes import SlowSolver

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.play import values
from dotzero.play.values import ValuesConfig, ValueSearch
from dotzero.search.endgame import Solver, SolverConfig

SMALL = SolverConfig(table_mib=1)
TRUE_AT_ONCE = ValuesConfig(max_seconds=None, solver=SMALL)


def game_of(rows, columns, **options):
    return BoxesGame(BoxesRules(rows=rows, columns=columns, **options))


def state_of(game, lines):
    """The position with these lines drawn, all boxes but an odd one shared evenly."""
    complete = game.rules.num_boxes - open_boxes(game, lines)
    margin = complete % 2
    return game.position(lines[None], margin)


def open_boxes(game, lines):
    from dotzero.envs.boxes import box_lines

    return int((lines[box_lines(game.rules)].sum(axis=1) < 4).sum())


def search_of(game, state, config=TRUE_AT_ONCE, solver=None):
    misere = game.rules.scoring == "misere"
    return ValueSearch(game, state, None if misere else solver or Solver(game, config.solver), config)


def run(search):
    for _ in search.run():
        pass
    return search


def some_positions(rng, num=4, most_left=15):
    """Positions of several boards, from all phases."""
    for rows, columns in ((1, 5), (2, 3), (3, 3), (2, 4)):
        sets = [
            random_sets(rows, columns, most_left, num, rng),
            careful_play(rows, columns, most_left - 3, num, rng, careless=0.1),
            loony_ends(rows, columns, num, rng, most_left=most_left),
        ]
        for lines in np.concatenate(sets):
            yield rows, columns, lines


def expected(search, slow):
    """The values of the lines of a search, in its order."""
    line_values = slow.line_values()
    return [line_values[line] for line in search.undrawn.tolist()]


def test_everything_is_found_where_there_is_no_limit():
    """R088: value, every line, all best lines, best play to the end, as a solver without theory has them."""
    for rows, columns, lines in some_positions(np.random.default_rng(1)):
        game, slow = game_of(rows, columns), SlowSolver(rows, columns, lines)
        search = run(search_of(game, state_of(game, lines)))
        assert search.lower == search.upper == slow.value()
        assert search.line_lower.tolist() == search.line_upper.tolist() == expected(search, slow)
        assert set(search.best) == slow.best_lines()
        assert_best_play(slow, lines, search.variation)


def assert_best_play(slow, lines, variation):
    lines, value = lines.copy(), slow.value()
    for line in variation:
        assert not lines[line]
        assert slow.after(np.int32(slow.number(lines)), slow.bit[line]) == value
        lines[line] = 1
        value = slow.value(lines)
    assert lines.all()


def test_bounds_are_true_after_every_question(monkeypatch):
    """Questions so short that few are answered at once; bounds only close in, and end exact."""
    for name in ("_FIRST_SLICE", "_FIRST_LINE_SLICE"):
        monkeypatch.setattr(values, name, 1e-6)
    lines = careful_play(3, 3, 18, 1, np.random.default_rng(5))[0]
    game, slow = game_of(3, 3), SlowSolver(3, 3, lines)
    search = search_of(game, state_of(game, lines))
    truth, before, num_questions, num_open = np.array(expected(search, slow)), None, 0, 0
    for _ in search.run():
        assert search.lower <= slow.value() <= search.upper
        assert (search.line_lower <= truth).all()
        assert (truth <= search.line_upper).all()
        now = np.concatenate([search.line_upper - search.line_lower, [search.upper - search.lower]])
        assert before is None or (now <= before).all()
        before, num_questions, num_open = now, num_questions + 1, num_open + (not search.exact)
    assert search.exact
    assert num_open > 0
    assert num_questions > 10


@pytest.mark.parametrize("max_nodes", [1, 10, 100, 1000])
def test_a_limit_by_nodes_leaves_true_bounds(max_nodes):
    """R089: 3x3 is worth -3 and so is every first line; 100,000 nodes would be needed."""
    game, config = game_of(3, 3), ValuesConfig(max_nodes=max_nodes, max_seconds=None, solver=SMALL)
    search = run(search_of(game, game.start(1), config))
    assert search.lower <= -3 <= search.upper
    assert not search.exact
    assert (search.line_lower <= -3).all()
    assert (search.line_upper >= -3).all()
    assert search.variation == []
    assert search.num_nodes <= 2 * max_nodes


def test_a_limit_by_nodes_gives_the_same_answer_every_time():
    game, config = game_of(3, 4), ValuesConfig(max_nodes=2000, max_seconds=None, solver=SMALL)
    lines = random_sets(3, 4, 24, 3, np.random.default_rng(8))
    solver, answers = Solver(game, config.solver), []
    for number in (0, 1, 2, 0, 1, 2):
        search = run(search_of(game, state_of(game, lines[number]), config, solver))
        answers.append((search.lower, search.upper, search.line_lower.tolist(), search.line_upper.tolist()))
    assert answers[:3] == answers[3:]


def test_a_limit_by_time_is_kept():
    """5x5 from the start, which nobody has solved."""
    game, config = game_of(5, 5), ValuesConfig(max_seconds=0.4, solver=SMALL)
    search = run(search_of(game, game.start(1), config))
    assert search.seconds < 2
    assert not search.exact
    assert -25 <= search.lower < search.upper <= 25
    assert search.lower % 2 == search.upper % 2 == 1


def test_lines_are_searched_in_rounds(monkeypatch):
    """Every line gets a short question before any gets a longer one; what is known is not asked again."""
    game = game_of(1, 2)
    search, asked, hard = search_of(game, game.start(1)), [], {1: 0.05, 4: 0.1}

    def ask(i, seconds):
        asked.append((i, seconds))
        if seconds >= hard.get(i, 0):
            search.line_lower[i] = search.line_upper[i] = 0

    monkeypatch.setattr(search, "_ask_line", ask)
    assert len(list(search.narrow_lines())) == len(asked)
    first = [(i, 0.02) for i in range(7)]
    assert asked == [*first, (1, 0.04), (4, 0.04), (1, 0.08), (4, 0.08), (4, 0.16)]


def test_values_of_lines_and_of_the_position_tell_of_each_other():
    """The position is worth what its best line is: known lines close its bounds, it caps unknown lines."""
    game = game_of(2, 2)
    search = search_of(game, game.start(1))
    n = len(search.undrawn)
    assert (search.lower, search.upper) == (-4, 4)
    search._note_lines(np.full(n, -4, np.int16), np.full(n, 2, np.int16))
    assert (search.lower, search.upper) == (-4, 2)
    lower = np.full(n, -4, np.int16)
    lower[3] = 0
    search._note_lines(lower, np.full(n, 4, np.int16))
    assert (search.lower, search.upper) == (0, 2)
    assert search.best is None
    upper = np.full(n, -2, np.int16)
    upper[3] = 2
    search._note_lines(lower, upper)
    assert search.best == (3,)
    assert not search.exact
    search._note_lines(lower, np.full(n, 0, np.int16))
    assert (search.lower, search.upper) == (0, 0)


@pytest.mark.parametrize("border", ["none", "left_bottom", "all"])
def test_misere_by_the_table_of_sets(border):
    """The reverse of the boxes counts, and best play is another."""
    rng = np.random.default_rng(2)
    for rows, columns in ((1, 4), (2, 2), (2, 3)):
        game = game_of(rows, columns, border=border, scoring="misere")
        start = game.rules.start_lines()
        for lines in [start, *np.maximum(start, random_sets(rows, columns, 12, 4, rng))]:
            slow = SlowSolver(rows, columns, lines, misere=True)
            search = run(search_of(game, state_of(game, lines)))
            assert search.lower == search.upper == slow.value()
            assert search.line_lower.tolist() == search.line_upper.tolist() == expected(search, slow)
            assert set(search.best) == slow.best_lines()
            assert_best_play(slow, lines, search.variation)


def test_bounds_before_any_search_are_true():
    """Also in misere, where a line that takes a box may be worth less than nothing."""
    for scoring, (rows, columns, lines) in itertools.product(
        ("normal", "misere"), some_positions(np.random.default_rng(3), num=2, most_left=12)
    ):
        game = game_of(rows, columns, scoring=scoring)
        slow = SlowSolver(rows, columns, lines, misere=scoring == "misere")
        search = search_of(game, state_of(game, lines))
        assert search.lower <= slow.value() <= search.upper
        truth = np.array(expected(search, slow))
        assert (search.line_lower <= truth).all()
        assert (truth <= search.line_upper).all()


@pytest.mark.parametrize("scoring", ["normal", "misere"])
def test_a_finished_position(scoring):
    game = game_of(2, 2, scoring=scoring)
    search = run(search_of(game, game.position(np.ones((1, 12), np.uint8))))
    assert (search.lower, search.upper, search.exact) == (0, 0, True)
    assert search.best == ()
    assert search.variation == []
    assert search.num_exact_lines == len(search.undrawn) == 0


def test_a_large_misere_position_is_refused():
    game = game_of(3, 4, scoring="misere")
    with pytest.raises(ValueError, match=r"^scoring=misere must have at most 24 undrawn lines .* got 31$"):
        search_of(game, game.start(1))


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"max_seconds": 0.0}, "ValuesConfig.max_seconds must be above 0, got 0.0"),
        ({"max_seconds": float("nan")}, "ValuesConfig.max_seconds must be above 0, got nan"),
        ({"max_nodes": 0}, "ValuesConfig.max_nodes must be at least 1, got 0"),
    ],
)
def test_limits_out_of_range(setting, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        ValuesConfig(**setting)
