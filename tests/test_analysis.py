"""Analysis of a position of Dots and Boxes: known positions, structure by names, the JSON form."""

import json
from pathlib import Path

import numpy as np
import pytest
from slow_boxes import SlowSolver

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.play.analysis import analyse_position, final_score
from dotzero.play.values import ValuesConfig
from dotzero.search.endgame import Solver, SolverConfig

POSITIONS = json.loads((Path(__file__).parent / "data" / "boxes_positions.json").read_text())
SMALL = SolverConfig(table_mib=1)
CONFIG = ValuesConfig(max_seconds=None, solver=SMALL)
ONE_NODE = ValuesConfig(max_seconds=None, max_nodes=1, solver=SMALL)

ALWAYS = {
    "exact": bool,
    "phase": str,
    "safe_lines": int,
    "safe": list,
    "chains": list,
    "loops": list,
    "joints": list,
    "long_chains": int,
    "offered": list,
    "offers": list,
    "openings": dict,
}
SEARCHED = {"moves": dict, "nodes": int, "seconds": float}
KNOWN = {"value": int, "best": list, "pv": list}
NORMAL = {"favours": int, "double_deals": list}


def analysed(board, config=CONFIG, **options):
    """The analysis of a text board, as JSON gives it back."""
    rows = [row for row in board.splitlines() if row.strip()]
    margin = min(len(row) - len(row.lstrip()) for row in rows)
    text = "\n".join(row[margin:] for row in rows)
    rules = BoxesRules(rows=(len(rows) - 1) // 2, columns=len(rows[0].split()), **options)
    game = BoxesGame(rules)
    lines, owner = BoxesNotation(rules).parse_board(text)
    state = game.start(1)
    state.lines[0], state.owner[0] = lines, owner
    state.score[0] = (owner == 0).sum(), (owner == 1).sum()
    state.finished[0] = lines.all()
    return json.loads(json.dumps(analyse_position(game, state, config).to_json(), allow_nan=False))


def form(data):
    """The types of the fields."""
    return {name: type(value) for name, value in data.items()}


@pytest.mark.parametrize("case", POSITIONS, ids=[case["id"] for case in POSITIONS])
def test_known_positions(case):
    """R079, R080, R081, R086, R148: value, best lines and the value of every line; best play to the end."""
    game = BoxesGame(BoxesRules(rows=case["rows"], columns=case["cols"]))
    lines = BoxesNotation(game.rules).parse_dbn(case["dbn"])
    state = game.start(1)  # what is to come depends on the lines alone, so a wrong score may stand here
    state.lines[0] = lines
    state.owner[0] = np.where(complete(game, lines), 0, -1)
    state.score[0, 0] = complete(game, lines).sum()
    data = analyse_position(game, state, CONFIG).to_json()
    assert data["exact"] is True
    assert data["value"] == case["value_to_move"]
    assert data["moves"] == case["moves"]
    assert set(data["best"]) == set(case["best"])
    assert len(data["pv"]) == case["lines_left"]
    assert data["pv"][0] in case["best"]
    assert case["kind"] != "safe lines left" or data["phase"] == "safe"
    assert (data["phase"] == "safe") is (data["safe_lines"] > 0)


def complete(game, lines):
    from dotzero.envs.boxes import box_lines

    return lines[box_lines(game.rules)].sum(axis=1) == 4


FOUR_KINDS = """
        A   B   C
      +---+---+---+
    3
      +---+---+---+
    2     | 2 | 1 |
      +   +---+---+
    1     | 1 |
      +---+---+   +
"""
OPENED = """
        A   B   C
      +---+---+---+
    3 |
      +---+---+---+
    2
      +---+---+---+
    1 | 1 | 2 | 1 |
      +---+---+---+
"""


def test_chains_and_handouts_by_name():
    """R075, R076, R077, R079, R084, R156, R157: chains of one to three, and what every line hands out."""
    data = analysed(FOUR_KINDS)
    assert data["phase"] == "loony"
    assert data["safe_lines"] == 0
    chains = [(chain["boxes"], chain["lines"], chain["long"], chain["opened"]) for chain in data["chains"]]
    assert chains == [
        (["C1"], ["C1B", "C1R"], False, False),
        (["A2", "A1"], ["A2L", "A1T", "A1L"], False, False),
        (["A3", "B3", "C3"], ["A3L", "B3L", "C3L", "C3R"], True, False),
    ]
    assert data["openings"] == {
        "C1R": {"kind": "single", "boxes": 1},
        "C1B": {"kind": "single", "boxes": 1},
        "A1T": {"kind": "hard-hearted", "boxes": 2},
        "A2L": {"kind": "half-hearted", "boxes": 2},
        "A1L": {"kind": "half-hearted", "boxes": 2},
        "A3L": {"kind": "long", "boxes": 3},
        "B3L": {"kind": "long", "boxes": 3},
        "C3L": {"kind": "long", "boxes": 3},
        "C3R": {"kind": "long", "boxes": 3},
    }
    assert (data["long_chains"], data["favours"]) == (1, 2)
    assert (data["loops"], data["joints"], data["offered"], data["offers"]) == ([], [], [], [])
    assert data["double_deals"] == []
    # Giving one, then being given two, then giving the last three.
    assert (data["value"], sorted(data["best"])) == (-2, ["C1B", "C1R"])


def test_a_double_deal_by_name():
    """R080, R082: one of three is taken and a pair left, as the other chain of three is worth more."""
    data = analysed(OPENED)
    assert data["offered"] == ["A3"]
    assert data["offers"] == [{"boxes": ["A3", "B3", "C3"], "lines": ["B3L", "C3L", "C3R"], "price": 2}]
    assert data["double_deals"] == [{"lines": ["B3L", "C3R"], "left": ["B3", "C3"]}]
    assert [chain["opened"] for chain in data["chains"]] == [True, False]
    assert (data["value"], data["best"], data["pv"][:3]) == (2, ["B3L"], ["B3L", "C3R", "C3L"])


def test_a_loop_and_joints_by_name():
    """R075, R076, R081."""
    rules = BoxesRules(rows=2, columns=2, border="all")
    data = analyse_position(BoxesGame(rules), BoxesGame(rules).start(1), CONFIG).to_json()
    (loop,) = data["loops"]
    assert (sorted(loop["boxes"]), sorted(loop["lines"])) == (
        ["A1", "A2", "B1", "B2"],
        ["A1T", "B1L", "B1T", "B2L"],
    )
    assert {opening["kind"] for opening in data["openings"].values()} == {"loop"}
    assert (data["value"], len(data["best"]), data["joints"], data["chains"]) == (-4, 4, [], [])
    empty = analysed("""
            A   B
          +   +   +
        2
          +   +   +
        1
          +   +   +
    """)
    assert sorted(empty["joints"]) == ["A1", "A2", "B1", "B2"]
    assert empty["value"] == 2


def test_phases():
    """R074: safe while a safe line is left, then loony, then finished."""
    game = BoxesGame(BoxesRules(rows=1, columns=3))
    notation, state, seen = BoxesNotation(game.rules), game.start(1), []
    for name in ("A1T", "A1B", "B1T", "C1T", "C1R", "B1B", "A1L", "B1L", "C1L", "C1B", None):
        data = analyse_position(game, state, CONFIG).to_json()
        seen.append((data["phase"], data["safe_lines"]))
        assert len(data["safe"]) == data["safe_lines"]
        if name is not None:
            state = game.step(state, [notation.parse(name)])
    assert seen[:6] == [("safe", number) for number in (10, 9, 6, 5, 4, 1)]
    assert seen[6:] == 4 * [("loony", 0)] + [("finished", 0)]


FINISHED = """
        A   B
      +---+---+
    1 | 1 | 2 |
      +---+---+
"""


def test_a_finished_position():
    data = analysed(FINISHED)
    assert (data["value"], data["exact"], data["best"], data["moves"], data["pv"]) == (0, True, [], {}, [])
    assert (data["phase"], data["safe_lines"], data["openings"]) == ("finished", 0, {})
    assert "favours" not in data


def test_the_form_of_an_exact_answer():
    """The fields of the protocol's answer with their types, and those that it has besides."""
    data = analysed(OPENED)
    assert form(data) == ALWAYS | SEARCHED | KNOWN | NORMAL
    assert data["exact"] is True
    assert set(data["moves"]) == {"A2L", "B2L", "C2L", "C2R", "B3L", "C3L", "C3R"}
    assert form(data["chains"][0]) == {"boxes": list, "lines": list, "long": bool, "opened": bool}


def test_the_form_of_bounds():
    """R089: what a limit ends has bounds and no value, and tells them of every line too."""
    game = BoxesGame(BoxesRules(rows=3, columns=3))
    data = analyse_position(game, game.start(1), ONE_NODE).to_json()
    assert form(data) == ALWAYS | SEARCHED | NORMAL | {"bounds": list, "move_bounds": dict}
    assert data["exact"] is False
    low, high = data["bounds"]
    assert low <= -3 <= high
    assert low < high
    assert data["moves"] == {}
    assert len(data["move_bounds"]) == 24
    assert all(low <= -3 <= high for low, high in data["move_bounds"].values())


def test_lines_that_are_known_although_the_value_is_not(monkeypatch):
    """They are told apart in `moves` and `move_bounds`."""
    from dotzero.play.values import ValueSearch

    def run(search):
        search.line_lower[0] = search.line_upper[0] = -2
        yield

    monkeypatch.setattr(ValueSearch, "run", run)
    data = analysed(OPENED)
    assert data["moves"] == {"B3L": -2}
    assert len(data["move_bounds"]) == 6
    assert "best" not in data
    assert "pv" not in data


def test_a_board_that_is_too_large_has_structure_only():
    game = BoxesGame(BoxesRules(rows=8, columns=7))  # 72 dots
    data = analyse_position(game, game.start(1), CONFIG).to_json()
    assert form(data) == ALWAYS | NORMAL
    assert data["exact"] is False
    assert data["safe_lines"] == game.num_actions


def test_the_form_in_misere():
    """Values are exact and reversed; there is no long chain rule and no theory of double deals."""
    data = analysed(OPENED, scoring="misere")
    assert form(data) == ALWAYS | SEARCHED | KNOWN
    undrawn = [BoxesNotation(BoxesRules(rows=3, columns=3)).parse(name) for name in data["moves"]]
    lines = np.isin(np.arange(24), undrawn, invert=True)
    assert data["value"] == SlowSolver(3, 3, lines, misere=True).value() == 6
    assert data["offered"] == ["A3"]


def test_a_solver_can_be_used_again():
    game = BoxesGame(BoxesRules(rows=2, columns=3))
    solver = Solver(game, SMALL)
    first = analyse_position(game, game.start(1), CONFIG, solver)
    second = analyse_position(game, game.start(1), CONFIG, solver)
    assert first.values is not None
    assert second.values is not None
    assert (first.values.lower, first.values.line_bounds) == (second.values.lower, second.values.line_bounds)
    assert second.values.num_nodes < first.values.num_nodes


def test_whoever_waits_is_told():
    game, told = BoxesGame(BoxesRules(rows=2, columns=2)), []
    analyse_position(game, game.start(1), CONFIG, tell=lambda search: told.append(search.exact))
    assert told[-1]
    assert len(told) > 2


def test_one_position_at_a_time():
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    with pytest.raises(ValueError, match=r"^state must be a batch of one game, got 2$"):
        analyse_position(game, game.start(2))


@pytest.mark.parametrize(
    ("scoring", "mover", "value", "final"),
    [("normal", 0, 3, [5, 4]), ("normal", 1, 3, [2, 7]), ("misere", 0, 3, [2, 7]), ("misere", 1, -5, [1, 8])],
)
def test_final_scores(scoring, mover, value, final):
    """2-2 so far, five boxes to come."""
    assert final_score(BoxesRules(rows=3, columns=3, scoring=scoring), (1, 3), mover, value) == final
