"""Dots and Boxes against a slow independent referee, known games, known values and open_spiel."""

import functools

import numpy as np
import pytest
from referee_boxes import Referee, assert_same, assert_same_observation

from dotzero.envs.boxes import BoxesGame, BoxesRules, box_lines
from dotzero.envs.boxes_notation import BoxesNotation

SIZES = [
    (1, 1),
    (84, 1),  # the board with the most lines on its border
    (65, 1),
    (4, 26),
    (1, 2),
    (2, 1),
    (2, 2),
    (1, 6),
    (2, 3),
    (3, 2),
    (3, 3),
    (4, 4),
    (3, 5),
    (5, 5),
    (7, 4),
    (10, 10),
]


def boxes(rows, columns):
    return BoxesGame(BoxesRules(rows=rows, columns=columns))


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_random_games_agree_with_the_referee(rows, columns, random_actions):
    """R053, R055 to R063, R065 to R067: each line of games that run out of step with each other."""
    game, rng = boxes(rows, columns), np.random.default_rng([rows, columns])
    num_games = max(2, min(40, 1200 // game.num_actions))
    state, referees = game.start(num_games), [Referee(rows, columns) for _ in range(num_games)]
    assert_same(game, state, referees)
    late = np.arange(num_games) % 3 * 4  # games join 0, 4 or 8 plies later, and so finish at different times
    for ply in range(game.num_actions + 8):
        going = np.flatnonzero(late <= ply)
        actions = random_actions(game, state[going], rng)
        state[going] = game.step(state[going], actions)
        for index, action in zip(going, actions, strict=True):
            if action >= 0:
                referees[index].draw(action)
            else:
                assert referees[index].finished()
        if game.num_actions < 60 or ply % 7 == 0:
            assert_same(game, state, referees)
            assert_same_observation(game, state, referees)
    assert state.finished.all()
    assert (state.score.sum(axis=1) == game.rules.num_boxes).all()  # R061: nobody stops at the majority
    assert_same(game, state, referees)
    for referee in referees:  # R085: lines that close nothing = dots - 1 + lines that close two boxes
        assert referee.closed.count(0) == (rows + 1) * (columns + 1) - 1 + referee.closed.count(2)


def test_known_games(load_case):
    """R055 to R058, R071, R148: mover, boxes closed by each line and final score of the recorded games."""
    for case in load_case("boxes_games.json"):
        game = boxes(case["rows"], case["cols"])
        notation, state = BoxesNotation(game.rules), game.start(1)
        for move, mover, closed in zip(case["moves"], case["mover"], case["boxes"], strict=True):
            assert state.to_move[0] + 1 == mover, case["id"]
            after = game.step(state, [notation.parse(move)])
            assert (after.score - state.score).sum() == closed, case["id"]
            state = after
        assert state.finished[0]
        assert state.score[0].tolist() == case["score"], case["id"]


def test_example_game_owners(load_case):
    """R071: in the classic 2x2 game A2 falls to player 2 and the three others to player 1."""
    case = load_case("boxes_games.json")[0]
    game = boxes(2, 2)
    notation, state = BoxesNotation(game.rules), game.start(1)
    for move in case["moves"]:
        state = game.step(state, [notation.parse(move)])
    owners = {notation.box_name(box): int(owner) + 1 for box, owner in enumerate(state.owner[0])}
    assert owners == {"A2": 2, "B2": 1, "B1": 1, "A1": 1}


def test_closing_line_next_to_a_closable_box():
    """P17: only the drawn line's own boxes are claimed, whoever drew their sides."""
    game = boxes(1, 3)
    notation = BoxesNotation(game.rules)
    state = game.start(1)
    for move in ("A1T", "A1B", "C1T", "C1B", "C1R", "A1L"):
        state = game.step(state, [notation.parse(move)])
    assert state.score[0].tolist() == [0, 0]
    mover = state.to_move[0]
    state = game.step(state, [notation.parse("A1R")])  # C1 is closable too, and stays so
    assert state.owner[0].tolist() == [mover, -1, -1]
    assert state.to_move[0] == mover
    assert game.legal(state)[0, notation.parse("C1L")]


def test_one_line_closes_two_boxes():
    """R056, R057: both boxes count and give one more line."""
    game = boxes(1, 2)
    notation, state = BoxesNotation(game.rules), game.start(1)
    for move in ("A1T", "A1B", "B1T", "B1B", "A1L", "B1R"):
        state = game.step(state, [notation.parse(move)])
    state = game.step(state, [notation.parse("A1R")])
    assert state.score[0].tolist() == [2, 0]
    assert state.to_move[0] == 0
    assert game.outcome(state).tolist() == [1]  # P04: the last line fills the board and wins
    assert state.finished[0]


def test_taking_is_optional_and_there_is_no_pass():
    """R059, R060: with a box on offer every undrawn line is legal, and nothing else is."""
    game = boxes(2, 2)
    notation, state = BoxesNotation(game.rules), game.start(1)
    for move in ("A1T", "A1B", "A1L"):
        state = game.step(state, [notation.parse(move)])
    assert game.legal(state)[0].sum() == game.num_actions - 3
    with pytest.raises(ValueError, match=r"illegal action -1 in game 0: .* there is no pass"):
        game.step(state, [-1])
    declined = game.step(state, [notation.parse("B2T")])
    assert declined.to_move[0] != state.to_move[0]
    assert declined.score[0].tolist() == [0, 0]


def test_a_draw_on_an_even_number_of_boxes():
    """R062: equal boxes give 0 to both sides."""
    game = boxes(1, 2)
    notation, state = BoxesNotation(game.rules), game.start(1)
    for move in ("A1T", "B1T", "A1B", "A1L", "A1R", "B1B", "B1R"):
        state = game.step(state, [notation.parse(move)])
    assert state.score[0].tolist() == [1, 1]
    assert game.outcome(state).tolist() == [0]


def test_observation_tells_the_margin(random_states):
    """P06: the same lines with another margin, or with the other player to move, look different."""
    game = boxes(3, 3)
    lines = np.ones((1, game.num_actions), np.uint8)
    lines[0, -1] = 0
    behind, ahead = (game.observe(game.position(lines, margin)) for margin in (-2, 2))
    assert (behind.points == ahead.points).all()
    assert behind.globals[0, 0] == -ahead.globals[0, 0] != 0
    state = random_states(game, 200, np.random.default_rng(6))
    other = state.copy()
    other.to_move = 1 - other.to_move
    differ = (game.observe(state).globals != game.observe(other).globals).any(axis=1)
    assert (differ == (game.margin(state) != 0)).all()
    assert differ.sum() > 50


def test_the_observation_hides_who_owns_which_box():
    """What is still to come depends on the lines alone; only the margin so far is shown."""
    game = boxes(2, 2)
    state = game.position(np.array([[1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0]]))
    swapped = state.copy()
    swapped.owner = np.where(state.owner < 0, -1, 1 - state.owner).astype(np.int8)
    assert state.score[0].tolist() == [1, 1]
    assert all((a == b).all() for a, b in zip(game.observe(state), game.observe(swapped), strict=True))


def test_policy_slots_lie_at_their_lines():
    """Slot = plane * points + dot, plane 0 to the right of the dot and plane 1 below it."""
    game = boxes(2, 3)
    H, W = game.observation_shape[1:]
    segments = Referee(2, 3).segments
    for action, slot in enumerate(game.policy_slots):
        plane, dot = divmod(int(slot), H * W)
        y, x = divmod(dot, W)
        assert segments[action] == frozenset({(x, y), (x + 1 - plane, y + plane)})


def test_box_lines_are_the_sides():
    """Top, bottom, left, right of each box."""
    referee = Referee(3, 4)
    for box, lines in zip(referee.boxes(), box_lines(BoxesRules(rows=3, columns=4)), strict=True):
        assert {referee.segments[line] for line in lines} == referee.sides(*box)
        top, bottom, left, right = (sorted(referee.segments[line]) for line in lines)
        assert (top[0], left[0], bottom[1], right[1]) == (box, box, *[(box[0] + 1, box[1] + 1)] * 2)


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        (0, 3, "BoxesRules.rows must be a whole number of at least 1, got 0"),
        (3, -1, "BoxesRules.columns must be a whole number of at least 1, got -1"),
        (2.0, 2, "BoxesRules.rows must be a whole number of at least 1, got 2.0"),
        (True, 2, "BoxesRules.rows must be a whole number of at least 1, got True"),
        (1, 27, "BoxesRules.columns must be at most 26, got 27"),
        (11, 11, "at most 255 lines, got 11x11 with 264"),
    ],
)
def test_impossible_sizes_are_refused(rows, columns, message):
    """R052: sizes in boxes, with one line that says what is wrong."""
    with pytest.raises(ValueError, match=message):
        BoxesRules(rows=rows, columns=columns)


def test_position_from_lines():
    """R066: a set of lines becomes a position; its complete boxes are shared out by the margin."""
    game = boxes(2, 2)
    state = game.position(np.array([[1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0]] * 2), margin=2)
    assert state.score.tolist() == [[2, 0]] * 2
    assert not state.finished.any()
    with pytest.raises(ValueError, match="margin must fit 2 complete boxes, got 1"):
        game.position(state.lines, margin=1)
    with pytest.raises(ValueError, match="lines must be 0 or 1"):
        game.position(state.lines * 2)


@functools.cache
def value_to_move(rows, columns, drawn):
    """Boxes to come for the mover minus the other's, under best play, by the referee's rules."""
    referee = Referee(rows, columns)
    referee.drawn = {segment for line, segment in enumerate(referee.segments) if drawn >> line & 1}
    if referee.finished():
        return 0
    values = []
    for line, free in enumerate(referee.legal()):
        if free:
            side = referee.segments[line]
            closed = sum(
                referee.sides(*box) <= referee.drawn | {side}
                for box in referee.boxes()
                if side in referee.sides(*box)
            )
            rest = value_to_move(rows, columns, drawn | 1 << line)
            values.append(closed + rest if closed else -rest)
    return max(values)


@pytest.mark.parametrize("size", ["1x1", "1x2", "1x3", "2x2"])
def test_known_values_of_empty_boards(size, load_case):
    """R089: the published values follow from the rules as the referee plays them."""
    rows, columns = map(int, size.split("x"))
    assert value_to_move(rows, columns, 0) == load_case("boxes_solved.json")["computed_here"][size]


def test_random_games_of_the_core_are_fair():
    """The core's fast games give all boxes away; who gets the last one is told by the margin's parity."""
    game = boxes(1, 1)
    assert game.play_random_games(10, seed=3) == -10  # the second player always takes the only box
    many = boxes(3, 3)
    assert many.play_random_games(500, seed=1) == many.play_random_games(500, seed=1)
    assert abs(many.play_random_games(4000, seed=2)) < 4000


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 4), (2, 2), (2, 3), (3, 3), (5, 5), (4, 7)])
def test_lockstep_with_open_spiel(rows, columns):
    """Legal lines, mover and result agree with open_spiel line by line."""
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    other = pyspiel.load_game("dots_and_boxes", {"num_rows": rows, "num_cols": columns})
    margins = pyspiel.load_game(
        "dots_and_boxes", {"num_rows": rows, "num_cols": columns, "utility_margin": True}
    )
    game, rng = boxes(rows, columns), np.random.default_rng([rows, columns, 1])
    for _ in range(60):
        state, theirs, counted = game.start(1), other.new_initial_state(), margins.new_initial_state()
        while not theirs.is_terminal():
            assert np.flatnonzero(game.legal(state)[0]).tolist() == theirs.legal_actions()
            assert state.to_move[0] == theirs.current_player()
            action = int(rng.choice(theirs.legal_actions()))
            state = game.step(state, [action])
            theirs.apply_action(action)
            counted.apply_action(action)
        assert state.finished[0]
        first = int(state.score[0, 0] - state.score[0, 1])
        assert theirs.returns() == [np.sign(first), -np.sign(first)]
        assert counted.returns() == [first, -first]


def test_every_board_has_a_neighbour_of_another_size():
    for rows, columns in ((1, 1), (5, 5), (10, 11), (9, 12), (84, 1), (4, 26)):
        other = boxes(rows, columns).neighbour()
        assert other.size in {(rows + 1, columns), (rows - 1, columns)}


@pytest.mark.parametrize(("field", "value"), [("to_move", 2), ("to_move", -1), ("owner", 2), ("owner", -2)])
def test_states_that_no_game_reaches_are_refused(field, value):
    game = boxes(2, 2)
    state = game.start(2)
    getattr(state, field)[1] = value
    for use in (game.observe, lambda state: game.step(state, [0, 0])):
        with pytest.raises(ValueError, match=f"{field} must be .*, got {value}"):
            use(state)


def test_boxes_leave_nothing_to_chance():
    """Where games differ: no komi, no start to record, as many points of scale as boxes."""
    game = boxes(2, 3)
    assert (game.max_margin, game.margin_scale) == (6, 6.0)
    state = game.start(2, np.random.default_rng(0))
    assert not state.lines.any()
    assert game.describe_start(state) == {}
    with pytest.raises(ValueError, match=r"^boxes has no komi, got \[0\.5, 1\.0\]$"):
        game.with_komi(state, np.array([0.5, 1.0]))


@pytest.mark.parametrize("scoring", ["normal", "misere"])
@pytest.mark.parametrize("border", ["none", "left_bottom", "all"])
def test_phase_and_decided_by_their_definitions(scoring, border, random_states, random_actions):
    """R063, R155: safe while a line gives no box a third side; decided by a lead that no box can turn."""
    game, rng = (
        BoxesGame(BoxesRules(rows=3, columns=4, border=border, scoring=scoring)),
        np.random.default_rng(5),
    )
    state = random_states(game, 200, rng)
    sides = box_lines(game.rules)
    phases, decided = [], []
    for lines, score in zip(state.lines.tolist(), state.score.tolist(), strict=True):
        safe = [
            not any(line in box and sum(lines[side] for side in box) >= 2 for box in sides.tolist())
            for line in range(game.num_actions)
            if not lines[line]
        ]
        phases.append("finished" if not safe else "safe" if any(safe) else "loony")
        lead, num_open = score[0] - score[1], game.rules.num_boxes - sum(score)
        winner = -1 if abs(lead) <= num_open else int((lead < 0) != (scoring == "misere"))
        decided.append(winner)
    assert [game.phases[phase] for phase in game.phase(state)] == phases
    assert set(phases) == {"safe", "loony", "finished"}
    before = game.decided(state)
    assert before.tolist() == decided
    assert {-1, 0, 1} == set(decided)
    going = state
    while not going.finished.all():
        going = game.step(going, random_actions(game, going, rng))
    np.testing.assert_array_equal(game.decided(going)[before >= 0], before[before >= 0])
