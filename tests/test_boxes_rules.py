"""Dots and Boxes with lines drawn before the game, and with fewer boxes winning: rules, exact values, users.

The exact values are those of a search of all positions through the package's own `step`, `legal`, `margin`
and `outcome`; a position is its set of lines, whoever has what so far.
"""

import json
from dataclasses import replace

import numpy as np
import pytest
from referee_boxes import Referee, assert_same, assert_same_observation

from dotzero.configs.compose import compose
from dotzero.configs.schema import ArenaJob
from dotzero.envs.boxes import Border, BoxesGame, BoxesRules, Scoring, box_lines
from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.envs.registry import describe_game, make_game, unusual_rules
from dotzero.models.evaluator import UniformEvaluator
from dotzero.play.arena import ArenaConfig, play_match
from dotzero.play.players import Player, RandomPlayer, cast_lots, make_player, pick
from dotzero.search.mcts import Search, game_seeds, run
from dotzero.search.search_config import RootRule, SearchConfig
from dotzero.train.selfplay import SelfPlay, SelfPlayConfig

VARIANTS = [
    (rows, columns, border, scoring)
    for rows, columns in ((1, 1), (1, 4), (3, 1), (2, 2), (3, 4), (5, 5))
    for border in Border
    for scoring in Scoring
    if (rows, columns, border) != (1, 1, "all") and (border, scoring) != ("none", "normal")
]


def boxes(rows, columns, border="none", scoring="normal"):
    return BoxesGame(BoxesRules(rows=rows, columns=columns, border=border, scoring=scoring))


# ---- starts ----


@pytest.mark.parametrize(
    ("size", "border", "names"),
    [
        ((2, 3), "none", ""),
        ((1, 1), "left_bottom", "A1L A1B"),
        ((1, 3), "left_bottom", "A1L A1B B1B C1B"),
        ((3, 1), "left_bottom", "A1L A2L A3L A1B"),
        ((2, 2), "left_bottom", "A1L A2L A1B B1B"),
        ((1, 2), "all", "A1L A1B B1B A1T B1T B1R"),
        ((2, 1), "all", "A1L A2L A1B A2T A1R A2R"),
        ((2, 3), "all", "A1L A2L A1B B1B C1B A2T B2T C2T C1R C2R"),
    ],
)
def test_a_start_holds_the_lines_of_its_border(size, border, names):
    """No owner, no score, player 0 to move; what is left is legal."""
    game = boxes(*size, border)
    notation, state = BoxesNotation(game.rules), game.start(3)
    drawn = {notation.parse(name) for name in names.split()}
    for index in range(3):
        assert set(np.flatnonzero(state.lines[index]).tolist()) == drawn
        assert set(np.flatnonzero(~game.legal(state)[index]).tolist()) == drawn
    assert state.lines.dtype == np.uint8
    assert (state.owner == -1).all()
    assert not state.score.any()
    assert not state.to_move.any()
    assert not state.finished.any()
    assert (game.num_actions, game.max_margin) == (game.rules.num_lines, game.rules.num_boxes)


def test_no_start_but_that_of_1x1_is_complete():
    """Every board of at most 26 columns that is not refused has a line to draw and no complete box."""
    message = r"^BoxesRules\.border must leave a line to draw on the board of 1x1, got 'all'$"
    with pytest.raises(ValueError, match=message):
        BoxesRules(rows=1, columns=1, border="all")
    seen = 0
    for rows in range(1, 85):
        for columns in range(1, 27):
            for border in ("left_bottom", "all"):
                if (rows, columns, border) == (1, 1, "all"):
                    continue
                if (rows + 1) * columns + rows * (columns + 1) > 255:
                    continue
                rules = BoxesRules(rows=rows, columns=columns, border=border)
                lines, edges = rules.start_lines(), (rows + columns) * (1 if border == "left_bottom" else 2)
                assert lines.sum() == edges < rules.num_lines
                assert not lines[box_lines(rules)].all(axis=1).any()
                seen += 1
    assert seen > 700


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("border", "swedish", "must be one of none, left_bottom, all, got 'swedish'"),
        ("border", "misere", "must be one of none, left_bottom, all, got 'misere'"),
        ("border", None, "must be one of none, left_bottom, all, got None"),
        ("border", ["all"], r"must be one of none, left_bottom, all, got \['all'\]"),
        ("border", True, "must be one of none, left_bottom, all, got True"),
        ("scoring", "fewest", "must be one of normal, misere, got 'fewest'"),
        ("scoring", 1, "must be one of normal, misere, got 1"),
    ],
)
def test_options_are_checked_by_name(field, value, message):
    with pytest.raises(ValueError, match=rf"^BoxesRules\.{field} {message}$"):
        BoxesRules(**{field: value})


def test_texts_become_options_and_back():
    """As words of a command, and plain in a checkpoint; named where they are not as usual."""
    job = compose(ArenaJob, ["rules.border=all", "rules.scoring=misere", "rules.rows=2"])
    game = make_game(job.game, job.rules)
    assert game.rules == BoxesRules(rows=2, columns=5, border=Border.ALL, scoring=Scoring.MISERE)
    assert isinstance(game.rules.border, Border)
    described = describe_game(game)["rules"]
    assert json.loads(json.dumps(described)) == described
    assert unusual_rules("boxes", described) == {"rows": 2, "border": "all", "scoring": "misere"}
    assert make_game("boxes", described).rules == game.rules
    none = compose(ArenaJob, ["rules.border=none", "rules.scoring=normal"])
    assert make_game(none.game, none.rules).rules == BoxesRules()


def test_a_neighbour_keeps_the_options():
    for rows, columns in ((2, 1), (1, 2), (3, 3), (84, 1), (4, 26)):
        game = boxes(rows, columns, "all", "misere")
        other = game.neighbour().rules
        assert other.rows != rows
        assert replace(other, rows=rows) == game.rules


# ---- play ----


@pytest.mark.parametrize(("rows", "columns", "border", "scoring"), VARIANTS)
def test_random_games_agree_with_the_referee(rows, columns, border, scoring, random_actions):
    """Margin, outcome and observation of every position, by the definition."""
    game, rng = boxes(rows, columns, border, scoring), np.random.default_rng([rows, columns])
    state = game.start(12)
    referees = [Referee(rows, columns, border, scoring == "misere") for _ in range(12)]
    plies = 0
    while True:
        assert_same(game, state, referees)
        assert_same_observation(game, state, referees)
        if state.finished.all():
            break
        actions = random_actions(game, state, rng)
        for referee, action in zip(referees, actions, strict=True):
            referee.draw(int(action))
        state, plies = game.step(state, actions), plies + 1
    assert plies == (game.rules.start_lines() == 0).sum()
    assert (state.score.sum(axis=1) == game.rules.num_boxes).all()


def test_fewer_boxes_win_in_misere():
    """The same lines, the opposite result: 3:1 by the score is a loss for player 1."""
    moves = ["A2T", "B1B", "A1B", "A2L", "B1R", "B2T", "A1T", "A2R", "B1T", "B2R", "A1R", "A1L"]
    for scoring, result in (("normal", 2), ("misere", -2)):
        game = boxes(2, 2, scoring=scoring)
        notation, state = BoxesNotation(game.rules), game.start(1)
        for move in moves:
            state = game.step(state, [notation.parse(move)])
        assert state.score[0].tolist() == [3, 1]
        sign = 1 if state.to_move[0] == 0 else -1
        assert game.margin(state)[0] == sign * result
        assert game.outcome(state)[0] == sign * np.sign(result)


def test_a_position_has_the_margin_of_the_rules():
    """In misere player 0 leads by 2 with two boxes fewer; the network sees that, and which game it is."""
    lines = np.array([[1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0]])
    normal, misere = boxes(2, 2), boxes(2, 2, scoring="misere")
    for margin in (-2, 0, 2):
        states = [game.position(lines, margin) for game in (normal, misere)]
        assert [game.margin(s)[0] for game, s in zip((normal, misere), states, strict=True)] == [margin] * 2
        assert (
            states[1].score[0].tolist()
            == states[0].score[0, ::-1].tolist()
            == [1 - margin / 2, 1 + margin / 2]
        )
        seen = [game.observe(s).globals[0] for game, s in zip((normal, misere), states, strict=True)]
        assert seen[0][:8].tolist() == seen[1][:8].tolist()
        assert [numbers[8] for numbers in seen] == [0.0, 1.0]
        assert seen[0][0] == margin / 4
    with pytest.raises(ValueError, match="margin must fit 2 complete boxes, got 4"):
        misere.position(lines, 4)


def test_a_position_holds_the_border_of_its_rules():
    game = boxes(1, 2, "left_bottom")  # lines 2 and 3 at the bottom, 4 at the left
    assert game.position(np.array([[1, 0, 1, 1, 1, 0, 0]])).lines.sum() == 4
    message = r"^lines must hold the border of BoxesRules\.border=left_bottom, got none at \[3, 4\]$"
    with pytest.raises(ValueError, match=message):
        game.position(np.array([[1, 0, 1, 0, 0, 0, 0], [1, 0, 1, 1, 1, 0, 0]]))


def test_random_games_of_the_core_begin_with_the_border(random_actions):
    """What they come to is known on small boards, and is that of games through `step` elsewhere."""
    for size, per_game in (((1, 2), 2), ((1, 3), 3), ((2, 1), 2)):  # the first line is one box, and so on
        assert boxes(*size, "all").play_random_games(10, seed=1) == 10 * per_game
        assert boxes(*size, "all", "misere").play_random_games(10, seed=1) == -10 * per_game
    game, number = boxes(2, 2, "left_bottom"), 20_000
    state, rng = game.start(number), np.random.default_rng(4)
    while not state.finished.all():
        state = game.step(state, random_actions(game, state, rng))
    margins = (state.score[:, 0] - state.score[:, 1]).astype(int)
    sampled = game.play_random_games(number, seed=6) / number
    tolerance = 4 * margins.std() * (2 / number) ** 0.5
    assert abs(sampled - margins.mean()) <= tolerance
    assert abs(sampled - boxes(2, 2).play_random_games(number, seed=6) / number) > tolerance


# ---- exact values ----


class Values:
    """What is still to come for the player to move under best play, by the rules' margin; remembers all."""

    def __init__(self, game):
        self.game, self.known = game, {}

    def of(self, state):
        """The value of one position."""
        if state.finished[0]:
            return 0
        key = state.lines.tobytes()
        if key not in self.known:
            self.known[key] = max(self.of_lines(state).values())
        return self.known[key]

    def of_lines(self, state):
        """The values of all lines of one position, for the player to move."""
        actions = np.flatnonzero(self.game.legal(state)[0])
        before = state[np.zeros(len(actions), np.intp)]
        after = self.game.step(before, actions)
        sign = np.where(after.to_move == before.to_move, 1, -1)
        gained = (sign * self.game.margin(after) - self.game.margin(before)).astype(int)
        return {
            int(action): int(gained[i] + sign[i] * self.of(after[i : i + 1]))
            for i, action in enumerate(actions)
        }


SOLVED = {
    ("all", "normal"): {"1x2": 2, "1x3": 3, "2x2": -4, "2x3": 6, "2x4": 0, "3x3": 7},
    ("left_bottom", "normal"): {"1x2": 2, "1x3": -1, "2x2": 2, "2x3": 4},
    ("none", "misere"): {"1x1": 1, "1x2": 2, "1x3": 3, "1x4": 4, "2x2": -2},
    ("none", "normal"): {"1x1": -1, "1x2": 0, "1x3": -1, "2x2": 2},
}
LARGER = {  # a minute together
    ("all", "normal"): {"2x5": 2, "3x4": 4},
    ("left_bottom", "normal"): {"2x4": 4, "3x3": -1},
    ("none", "misere"): {"1x5": 3, "2x3": 2},
}


@pytest.mark.parametrize(
    ("options", "size", "value"),
    [
        pytest.param(options, size, value, marks=[pytest.mark.slow] * (table is LARGER))
        for table in (SOLVED, LARGER)
        for options, sizes in table.items()
        for size, value in sizes.items()
    ],
)
def test_known_values_of_starts(options, size, value):
    """R089: what the first player ends ahead by, and that a game along best lines ends so."""
    game = boxes(*map(int, size.split("x")), *options)
    values, state = Values(game), game.start(1)
    assert values.of(state) == value
    while not state.finished[0]:
        lines = values.of_lines(state)
        state = game.step(state, [max(lines, key=lines.get)])
    sign = 1 if state.to_move[0] == 0 else -1
    assert sign * game.margin(state)[0] == value
    assert sign * game.outcome(state)[0] == np.sign(value)


# ---- search, self-play, arena ----


def search_best(game, state, simulations, root):
    """The lines that a search without any knowledge settles on, one a position."""
    config = SearchConfig(num_simulations=simulations, root=root, margin_weight=1.0)
    evaluator = UniformEvaluator(game.num_policy_slots)
    search = Search(game, len(state), config, evaluator, game_seeds(np.random.SeedSequence(1), len(state)))
    slots = np.arange(len(state), dtype=np.int32)
    search.begin(slots, state)
    run([search])
    return search.choose(slots, 0.0)


@pytest.mark.parametrize("root", list(RootRule))
@pytest.mark.parametrize(
    ("size", "border", "scoring"),
    [
        ((1, 2), "none", "misere"),
        ((2, 2), "none", "misere"),
        ((2, 2), "left_bottom", "misere"),
        ((1, 4), "all", "normal"),
    ],
)
def test_a_search_of_whole_trees_finds_best_lines(size, border, scoring, root, random_actions):
    """With at most 4 lines to draw there are too few games for a search to overlook any."""
    game, rng = boxes(*size, border, scoring), np.random.default_rng(3)
    state = game.start(60)
    while (state.lines == 0).sum(axis=1).max() > 4:
        state = game.step(state, random_actions(game, state, rng))
    values, chosen, told = Values(game), search_best(game, state, 600, root), 0
    for index, line in enumerate(chosen.tolist()):
        lines = values.of_lines(state[index : index + 1])
        assert lines[line] == max(lines.values())
        told += len(set(lines.values())) > 1
    assert told > 10 or (size, border) == ((1, 4), "all")


def test_a_search_plays_the_smallest_misere_game_to_its_value():
    """1x2 is worth +2 in misere, 0 else; both players search, from the first line to the last."""
    for scoring, value in (("misere", 2), ("normal", 0)):
        game = boxes(1, 2, scoring=scoring)
        state = game.start(1)
        while not state.finished[0]:
            state = game.step(state, search_best(game, state, 20_000, RootRule.PUCT))
        assert (1 if state.to_move[0] == 0 else -1) * game.margin(state)[0] == value


def test_self_play_learns_from_the_margins_of_the_rules():
    """Outcome and margin are the rules', owners tell who has the boxes: in misere of opposite sign."""
    game = boxes(2, 3, "left_bottom", "misere")
    config = SelfPlayConfig(num_games=12, num_groups=3, random_opening_plies=3)
    search = SearchConfig(root=RootRule.GUMBEL, num_simulations=6, num_considered=3)
    evaluator = UniformEvaluator(game.num_policy_slots)
    (positions,), report = SelfPlay([game], config, search, evaluator, np.random.SeedSequence(0)).play(150)
    assert len(positions) == report.num_positions >= 150
    final = np.round(positions.globals[:, 1] * 10) + positions.margin
    np.testing.assert_array_equal(positions.owners.sum(axis=(1, 2)), -final)
    np.testing.assert_array_equal(np.sign(final), positions.outcome)
    assert (positions.globals[:, 8] == 1).all()
    assert len(set(positions.outcome.tolist())) == 3
    bottom_left = positions.points[:, 0, -2, 0]
    assert (bottom_left & 2).all(), "the left edge is drawn from the start"
    assert report.num_moves / report.num_games < game.num_actions


class Shy(Player):
    """Closes no box as long as it can, else plays at random."""

    name = "shy"

    def choose(self, game, state, seeds):
        legal = game.legal(state)
        games, lines = np.nonzero(legal)
        gains = game.step(state[games], lines).score.sum(axis=1) > state.score[games].sum(axis=1)
        quiet = legal.copy()
        quiet[games[gains], lines[gains]] = False
        return pick(np.where(quiet.any(axis=1)[:, None], quiet, legal), cast_lots(game, state, seeds))


@pytest.mark.parametrize("scoring", list(Scoring))
def test_the_arena_counts_by_the_rules(scoring):
    """Whoever takes no boxes loses the normal game and wins misere; counts follow from the records."""
    game = make_game("boxes", compose(ArenaJob, ["rules.rows=2", f"rules.scoring={scoring}"]).rules)
    match = play_match(game, Shy(), RandomPlayer(), ArenaConfig(games=100, seed=1))
    margins = []
    for record in match.records:
        one, two = record.score
        margin = two - one if scoring == "misere" else one - two
        assert record.result == (1 if margin > 0 else 2 if margin < 0 else 0)
        margins.append(margin if record.players[0] == "shy" else -margin)
    assert match.wins == sum(margin > 0 for margin in margins)
    assert match.draws == sum(margin == 0 for margin in margins)
    assert match.losses == sum(margin < 0 for margin in margins)
    assert match.mean_margin == pytest.approx(np.mean(margins))
    assert match.score > 0.7 if scoring == "misere" else match.score < 0.3


def test_medium_plays_borders_but_no_misere():
    """Its rules take boxes, which is the wrong way round in misere."""
    for border in Border:
        game = boxes(3, 3, border)
        match = play_match(game, make_player("medium", game), RandomPlayer(), ArenaConfig(games=40))
        assert match.score > 0.7
    game = boxes(3, 3, "all", "misere")
    with pytest.raises(ValueError, match=r"^player medium must play scoring=normal, got misere$"):
        make_player("medium", game).choose(game, game.start(1), np.zeros(1, np.uint64))
