"""Levels hard and insane of Dots and Boxes: every move that must be right, by judges of the tests' own."""

import textwrap

import numpy as np
import pytest
from boxes_corridors import Corridors
from boxes_generators import board, careful_play, laid_out, loony_ends, opened, random_endgames, random_sets
from boxes_looks import Look, boxes, choose, positions
from slow_boxes import SlowSolver

from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.play.boxes_experts import BoxesHard, BoxesInsane, InsaneConfig
from dotzero.play.boxes_levels import BoxesMedium
from dotzero.search.endgame import Solver

LEVELS = {"hard": BoxesHard, "insane": BoxesInsane}


def read(text):
    """The game and the lines of a drawn board."""
    rows = textwrap.dedent(text).strip("\n").splitlines()
    game = boxes(len(rows) // 2 - 1, len(rows[0].split()))
    return game, BoxesNotation(game.rules).parse_board("\n".join(rows))[0]


def turn(level, text, seed=0):
    """The lines that a level draws in one turn from a drawn board, and the boxes it takes."""
    (game, lines), player, names = read(text), LEVELS[level](), []
    state = positions(game, lines[None])
    before = state.score[0, 0]
    while not state.finished[0] and state.to_move[0] == 0:
        action = player.choose(game, state, np.array([seed], np.uint64))
        names.append(BoxesNotation(game.rules).name(int(action[0])))
        state = game.step(state, action)
    return " ".join(names), state.score[0, 0] - before


# ---- endgames ----


def loony_endgames(num, rng):
    """Positions without a safe line, by size: chains and loops alone, or joints; half with boxes on offer."""
    apart = random_endgames(5, 5, num // 2, rng)
    found = {(5, 5): np.concatenate([apart[::2], opened(5, 5, apart[1::2], rng)])}
    for size, share in (((3, 3), 8), ((3, 4), 8), ((4, 4), 4)):
        lines = loony_ends(*size, 16 * num, rng, careless=0.2)
        joints = (board(*size).degrees(lines) > 2).any(axis=1) & ((lines == 0).sum(axis=1) <= 18)
        lines = lines[joints][: num // share]
        found[size] = np.concatenate([lines[::2], opened(*size, lines[1::2], rng)])
    assert sum(map(len, found.values())) == num
    return found


def keeps_value(judges, index, rows, columns, lines, action):
    """Whether a line keeps the value: by the slow solver, or by corridors where that cannot see."""
    if (lines == 0).sum() > 18:
        corridors = Corridors(rows, columns, lines)
        return corridors.line_value(action) == corridors.value()
    if index not in judges:
        judges[index] = SlowSolver(rows, columns, lines)
    judge = judges[index]
    return int(judge.after(np.int32(judge.number(lines)), judge.bit[action])) == judge.value(lines)


def share_of_best(player, num, rng):
    """In so many endgames that a player plays out against itself, how many of its lines keep the value."""
    right = []
    for size, lines in loony_endgames(num, rng).items():
        game, judges = boxes(*size), {}
        state, luck = positions(game, lines), rng.integers(2**63, size=len(lines)).astype(np.uint64)
        while not state.finished.all():
            actions = player.choose(game, state, luck)
            for index in np.flatnonzero(~state.finished):
                right.append(keeps_value(judges, index, *size, state.lines[index], actions[index]))
            state = game.step(state, actions)
    assert len(right) > 8 * num
    return np.mean(right)


def test_the_judges_agree():
    """Separate chains and loops, quiet or opened, as the slow solver sees them: all lines of them."""
    rng = np.random.default_rng(1)
    lines = random_endgames(5, 5, 60, rng, most_left=13)
    for drawn in (*lines, *opened(5, 5, lines, rng)):
        corridors = Corridors(5, 5, drawn)
        values = {int(line): corridors.line_value(line) for line in np.flatnonzero(drawn == 0)}
        assert values == SlowSolver(5, 5, drawn).line_values()


def test_the_endgames_are_of_all_kinds():
    rng = np.random.default_rng(2)
    positions = [
        (size, drawn)
        for size, lines in loony_endgames(200, rng).items()
        for drawn in lines
        if not drawn.all()
    ]
    assert len(positions) > 190
    degrees = [board(*size).degrees(drawn[None])[0] for size, drawn in positions]
    assert sum((least == 1).any() for least in degrees) > 60
    assert sum((least > 2).any() for least in degrees) > 60
    assert sum((drawn == 0).sum() > 18 for _, drawn in positions) > 30
    assert not any((board(*size).least_degrees(drawn[None]) > 2).any() for size, drawn in positions)


@pytest.mark.parametrize("num", [200, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", LEVELS)
def test_r097_no_error_when_no_line_is_safe(level, num):
    """H1 to H4: to the end of every game, so that all that is opened is declined or taken rightly."""
    assert share_of_best(LEVELS[level](), num, np.random.default_rng(3)) == 1


def test_medium_errs_there():
    """The check can fail: a greedy player does not pass it."""
    assert share_of_best(BoxesMedium(), 40, np.random.default_rng(3)) < 0.97


# ---- opened chains, by hand (H1, H3, H4) ----

TWO_CHAINS = """
        A   B   C   D   E
      +---+---+---+---+---+
    2                     |
      +---+---+---+---+---+
    1
      +---+---+---+---+---+
"""
CHAIN_AND_ONE = """
        A   B   C
      +---+---+---+
    2             |
      +---+---+---+
    1 | 1 | 2 |
      +---+---+   +
"""
LAST_CHAIN = """
        A   B   C   D
      +---+---+---+---+
    1                 |
      +---+---+---+---+
"""
CHAIN_AND_PAIR = """
        A   B   C
      +---+---+---+
    3             |
      +---+---+---+
    2 | 1 | 2 |
      +---+---+   +
    1 | 1 | 2 |   |
      +---+---+   +
"""
LOOP_AND_FIVE = """
        A   B   C   D   E
      +---+---+---+---+   +
    5 | 1 | 2 | 1 | 2 |   |
      +---+---+---+---+   +
    4 | 1 | 2 | 1 | 2 |   |
      +---+---+---+---+   +
    3 |       |   | 1 |   |
      +   +---+   +---+   +
    2 |   | 2 |   | 1 |   |
      +   +---+   +---+   +
    1 |           | 2 |   |
      +---+---+---+---+   +
"""
LOOP_AND_THREE = """
        A   B   C   D   E
      +---+---+---+---+   +
    5 | 1 | 2 | 1 | 2 |   |
      +---+---+---+---+   +
    4 | 1 | 2 | 1 | 2 |   |
      +---+---+---+---+   +
    3 |       |   | 1 |
      +   +---+   +---+---+
    2 |   | 2 |   | 1 | 1 |
      +   +---+   +---+---+
    1 |           | 2 | 2 |
      +---+---+---+---+---+
"""
HALF_HEARTED = """
        A   B   C   D   E
      +---+---+---+---+---+
    2
      +---+---+---+---+---+
    1 |       | 1 | 2 | 1 |
      +---+   +---+---+---+
"""
HALF_HEARTED_AND_ONE = """
        A   B   C
      +---+---+   +
    2 | 1 | 1 |
      +---+---+---+
    1 |       | 1 |
      +---+   +---+
"""


@pytest.mark.parametrize("level", LEVELS)
class TestOpened:
    """What is left of an opened chain or loop, by what else there is (R080 to R082)."""

    def test_h1_a_pair_is_left_where_the_rest_is_worth_it(self, level):
        """Five more boxes: three are taken, the far end is drawn, and one line would take the last two."""
        assert turn(level, TWO_CHAINS) == ("E2L D2L C2L A2L", 3)

    def test_h1_all_is_taken_where_it_is_not(self, level):
        """One more box, which has to be given then."""
        lines, taken = turn(level, CHAIN_AND_ONE)
        assert lines.startswith("C2L B2L A2L ")
        assert taken == 3

    def test_h1_both_are_right_where_they_are_worth_the_same(self, level):
        """A pair more, to be opened in the middle: 3 - 2 = 1 - 2 + 2."""
        game, lines = read(CHAIN_AND_PAIR)
        lines[[BoxesNotation(game.rules).parse("C3L")]] = 1  # two are left
        values = SlowSolver(3, 3, lines).line_values()
        assert {name: values[BoxesNotation(game.rules).parse(name)] for name in ("B3L", "A3L")} == {
            "B3L": 0,
            "A3L": 0,
        }
        assert turn(level, CHAIN_AND_PAIR)[1] in (1, 3)

    def test_h4_the_last_chain_is_taken_whole(self, level):
        assert turn(level, LAST_CHAIN) == ("D1L C1L B1L A1L", 4)

    def test_r081_four_are_left_of_a_loop(self, level):
        """Two pairs, since five boxes are worth more than four; not so three."""
        assert turn(level, LOOP_AND_FIVE)[1] == 4
        assert turn(level, LOOP_AND_THREE)[1] == 8

    def test_h3_a_half_hearted_handout_is_given_back_where_that_pays(self, level):
        assert turn(level, HALF_HEARTED) == ("B1B", 0)
        lines, taken = turn(level, HALF_HEARTED_AND_ONE)
        assert lines.startswith("A1R B1B ") or lines.startswith("B1L B1B ")
        assert taken == 2


# ---- openings (H2) ----


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("chains", "loops", "opening"),
    [
        ([1, 2, 4], [], 1),
        ([2, 4], [], 2),
        ([3, 3, 3, 5], [], 3),
        ([4], [6], 6),
        ([3, 4], [4], 4),
        ([1], [4], 1),
    ],
)
def test_h2_the_right_chain_or_loop_is_opened(level, chains, loops, opening):
    """R078, R097: the shortest chain or the shortest loop by value, not simply the smallest."""
    rng, game = np.random.default_rng(len(chains)), boxes(5, 5)
    for seed in range(5):
        lines = laid_out(5, 5, chains, loops, rng)
        action = LEVELS[level]().choose(game, positions(game, lines[None]), np.array([seed], np.uint64))[0]
        look, corridors = Look(5, 5, lines), Corridors(5, 5, lines)
        best = [line for line in look.free() if corridors.line_value(line) == corridors.value()]
        assert {look.handout(line) for line in best} == {opening}  # no other is as good
        assert look.handout(action) == opening
        sides = [look.referee.num_sides(box) for box in look.neighbours(action)]
        assert opening != 2 or sides == [2, 2]  # R079: a pair in the middle


# ---- exact play ----


def small_positions(rows, columns, num, most, rng):
    """Half random sets of lines, half games of nearly careful players. At most `most` lines. Shape [K, L]."""
    found = []
    for left in rng.integers(most // 2, most + 1, num // 4):
        found += [
            random_sets(rows, columns, left, 2, rng),
            careful_play(rows, columns, left, 2, rng, careless=0.1),
        ]
    return np.concatenate(found)


@pytest.mark.parametrize(("num", "most"), [(60, 14), pytest.param(1000, 19, marks=pytest.mark.slow)])
@pytest.mark.parametrize("size", [3, 4, 5])
def test_r100_insane_never_errs_with_19_lines_left(size, num, most, monkeypatch):
    """I1: whatever its settings and without rollouts, by a judge that knows nothing of chains."""
    monkeypatch.setattr(Solver, "rollouts", None)
    rng = np.random.default_rng(size)
    lines = small_positions(size, size, num, most, rng)
    assert len(lines) == num
    player = BoxesInsane(InsaneConfig(exact_lines=0, nodes=1, rollouts=1))
    for drawn, action in zip(lines, choose(player, boxes(size, size), lines, rng), strict=True):
        assert int(action) in SlowSolver(size, size, drawn).best_lines()


@pytest.mark.parametrize("kind", ["19 lines", "no safe line"])
def test_insane_leaves_nothing_to_luck_where_it_can_be_certain(kind, monkeypatch):
    """Few lines, or no safe one: it never plays out games there, nor sets a limit to exact play."""
    monkeypatch.setattr(Solver, "rollouts", None)
    rng, game = np.random.default_rng(7), boxes(5, 5)
    lines = careful_play(5, 5, 19, 50, rng, careless=0.3) if kind == "19 lines" else loony_ends(5, 5, 50, rng)
    assert ((lines == 0).sum(axis=1) >= 19).sum() > 20
    actions = choose(BoxesInsane(InsaneConfig(exact_lines=0, nodes=1, rollouts=1)), game, lines, rng)
    assert Solver(game).best_lines(lines).best[np.arange(len(lines)), actions].all()


def test_r100_insane_plays_a_best_line_of_the_known_positions(load_case):
    cases = [case for case in load_case("boxes_positions.json") if case["lines_left"] <= 19]
    assert len(cases) > 20
    for case in cases:
        game = boxes(case["rows"], case["cols"])
        notation, lines = BoxesNotation(game.rules), np.array([list(case["dbn"])]).astype(np.uint8)
        for seed in range(10):
            action = BoxesInsane().choose(game, positions(game, lines), np.array([seed], np.uint64))[0]
            assert notation.name(int(action)) in case["best"], case["id"]


def test_insane_is_exact_beyond_19_lines_where_its_nodes_suffice():
    """Also with boxes on offer, where the value of the rest decides; judged by the exact solver."""
    rng, game = np.random.default_rng(4), boxes(5, 5)
    lines = np.concatenate([careful_play(5, 5, left, 30, rng, careless=0.1) for left in (24, 28, 32)])
    assert (board(5, 5).degrees(lines) == 1).any(axis=1).sum() > 10
    best = Solver(game).best_lines(lines).best
    actions = choose(BoxesInsane(), game, lines, rng)
    assert best[np.arange(len(lines)), actions].all()


# ---- looking ahead ----

BLIND = InsaneConfig(exact_lines=0, rollouts=2000)
"""Insane by rollouts alone, as long as 20 lines are undrawn."""


def test_r099_rollouts_find_lines_that_random_safe_play_does_not():
    """I2: where safe lines are left it keeps the value at least twice as often as hard."""
    rng, game = np.random.default_rng(5), boxes(5, 5)
    lines = np.concatenate([careful_play(5, 5, left, 60, rng) for left in (30, 31, 32)])
    least = board(5, 5).least_degrees(lines)
    lines = lines[(least >= 3).any(axis=1) & ~(least == 1).any(axis=1)]
    best = Solver(game).best_lines(lines).best
    blind, hard = (
        best[np.arange(len(lines)), choose(player, game, lines, rng)].mean()
        for player in (BoxesInsane(BLIND), BoxesHard())
    )
    assert blind > 0.75
    assert hard < 0.5


def test_r086_insane_sacrifices_where_that_wins(load_case):
    """The only winning line of a known position gives a box away; rollouts alone find it too."""
    (case,) = [c for c in load_case("boxes_positions.json") if c["kind"].startswith("sacrifice is the only")]
    game, lines = boxes(3, 3), np.array([list(case["dbn"])]).astype(np.uint8)
    for player in (BoxesInsane(), BoxesInsane(BLIND)):
        action = player.choose(game, positions(game, lines), np.array([1], np.uint64))[0]
        assert [BoxesNotation(game.rules).name(int(action))] == case["best"]


def test_insane_takes_all_or_leaves_a_double_deal_whatever_it_believes():
    """Without exact values too, a turn takes all that is on offer or all but two or four boxes."""
    rng, game = np.random.default_rng(6), boxes(5, 5)
    lines = np.concatenate([careful_play(5, 5, left, 100, rng, careless=0.3) for left in (30, 32, 34)])
    lines = opened(5, 5, lines[(board(5, 5).degrees(lines) != 1).all(axis=1)], rng)
    whole = np.array([Look(5, 5, drawn).takable() for drawn in lines])
    lines, whole = lines[whole > 2], whole[whole > 2]
    state, player = positions(game, lines), BoxesInsane(InsaneConfig(exact_lines=0, rollouts=200))
    before, luck = state.score[:, 0].copy(), rng.integers(2**63, size=len(lines)).astype(np.uint64)
    while len(going := np.flatnonzero((state.to_move == 0) & (state.score[:, 0] - before < whole))):
        state[going] = game.step(state[going], player.choose(game, state[going], luck[going]))
    left = whole - (state.score[:, 0] - before)
    assert set(left) <= {0, 2, 4}
    assert (left == 0).sum() > 5
    assert (left == 2).sum() > 5
