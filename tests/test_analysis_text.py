"""An analysis as text: the board with values on it, and worked examples in full."""

import re

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.play.analysis import analyse_position
from dotzero.play.analysis_text import analysis_text, bounds_text, progress_text, result_text, values_board
from dotzero.play.values import ValuesConfig, ValueSearch
from dotzero.search.endgame import Solver, SolverConfig

SMALL = SolverConfig(table_mib=1)
CONFIG = ValuesConfig(max_seconds=None, solver=SMALL)
ONE_NODE = ValuesConfig(max_seconds=None, max_nodes=1, solver=SMALL)


def played(moves, **rules):
    """Game and state after moves from the start."""
    game = BoxesGame(BoxesRules(**rules))
    state = game.start(1)
    for move in moves.split():
        state = game.step(state, [BoxesNotation(game.rules).parse(move)])
    return game, state


def text_of(moves, config=CONFIG, score_known=True, mover_known=True, **rules):
    game, state = played(moves, **rules)
    analysis = analyse_position(game, state, config)
    text = analysis_text(analysis, state, score_known=score_known, mover_known=mover_known)
    return re.sub(r"in \d+\.\d\d s", "in 0.00 s", text)


def rows_of(text):
    """The list below the board, by its labels; what has no label goes on with the row above."""
    rows, label = {}, ""
    for row in text.partition("\n\n")[2].partition("\n\n")[2].splitlines():
        label = row[:14].strip() or label
        rows.setdefault(label, []).append(row[14:])
    return {label: " ".join(parts) for label, parts in rows.items()}


def test_a_worked_example(load_case):
    """R074 to R086, F13, F15: the known position whose only winning line sacrifices two boxes."""
    game = BoxesGame(BoxesRules(rows=3, columns=3))
    lines = BoxesNotation(game.rules).parse_dbn(load_case("boxes_positions.json")[0]["dbn"])
    state = game.position(lines[None])
    text = analysis_text(analyse_position(game, state, CONFIG), state)
    assert re.sub(r"[\d,]+ positions in \d\.\d\d s", "N", text) == EXAMPLE.strip("\n")


EXAMPLE = """
3x3 boxes, player 1 to move. A number on a line is what drawing it is worth to
the player to move: boxes to come, own less the other's, under best play.
[Brackets]: a best line.

         A       B       C
     +-------+-------+-------+
3   -3       |      -3       |
     + [+3]  +  -3   +  -3   +
2    |       |       |       |
     +  -3   +  -3   +  -3   +
1   -5       |       |      -5
     +  -5   +  -3   +  -5   +

value         +3 to come for player 1 (exact), 9 boxes open
score         0-0 so far
result        player 1 wins 6-3 under best play
best lines    A2T
phase         safe: 4 safe lines left
chains        A3 A2, C2 C3 B3 B2 B1 (long)
loops         none
joints        A1 C1
long chains   1; if it stays so, the long chain rule favours player 2
openings      2 boxes, half-hearted: A1T A3L
              2 boxes, hard-hearted: A2T
              5 boxes, long: B2T C2T B1T C1T B1B C3L
best play     1: A2T; 2: A1T A3L B2T +2; 1: B1T B1B C3L C2T C1T A1B +5;
              2: A1L C1B +1; 1: C1R +1
search        N
"""


def test_every_open_line_has_its_value_on_the_board():
    """F13: also on edges; the best in brackets, the owner in his box."""
    game, state = played("A1T A1B A1L B1T B1B A1R D1T D1B", rows=1, columns=4)
    analysis = analyse_position(game, state, CONFIG)
    assert values_board(analysis, state.owner[0]) == BOARD.strip("\n")
    assert "2" not in values_board(analysis)


BOARD = """
         A       B       C       D
     +-------+-------+  +1   +-------+
1    |   2   |     [+3]     -1      -1
     +-------+-------+  +1   +-------+
"""


def test_two_digits_fit():
    """Two corridors without an exit, all of whose boxes can be taken from their ends and no other way."""
    game = BoxesGame(BoxesRules(rows=4, columns=4, border="all"))
    lines = np.ones(40, np.uint8)
    seven, nine = ["A1T", "A2T", "A3T", "B4L", "B3T", "B2T"], ["C1L", "D1L", "D1T", "D2T", "D3T", "D4L"]
    notation = BoxesNotation(game.rules)
    lines[[notation.parse(name) for name in [*seven, *nine, "C3T", "C2T"]]] = 0
    values = analyse_position(game, game.position(lines[None]), CONFIG)
    assert values_board(values) == WIDE.strip("\n")


WIDE = """
         A       B       C       D
     +-------+-------+-------+-------+
4    |      -16      |      -16      |
     +  -16  +  -16  +  -16  +  -16  +
3    |       |       |       |       |
     +  -16  + [+16] + [+16] +  -16  +
2    |       |       |       |       |
     + [+16] +-------+-------+  -16  +
1    |       |     [+16]    -16      |
     +-------+-------+-------+-------+
"""


@pytest.mark.parametrize("columns", [5, 9])
def test_eighty_columns_are_enough(columns):
    """Also where everything is said: chains, joints, offers and unknown lines on a large board."""
    rng = np.random.default_rng(6)
    game = BoxesGame(BoxesRules(rows=5, columns=columns))
    for share in (0.0, 0.3, 0.6, 0.8):
        lines = (rng.random((1, game.num_actions)) < share).astype(np.uint8)
        complete = (lines[0, boxes_of(game)].sum(axis=1) == 4).sum()
        state = game.position(lines, int(complete) % 2)
        text = analysis_text(analyse_position(game, state, ONE_NODE), state, score_known=False)
        assert max(map(len, text.splitlines())) <= 80


def boxes_of(game):
    from dotzero.envs.boxes import box_lines

    return box_lines(game.rules)


def test_what_is_not_known_is_marked():
    """Question marks on the board, bounds in the list, no result."""
    text = text_of("", ONE_NODE, rows=2, columns=3)
    rows = rows_of(text)
    assert text.count("?") == 17
    assert "A question mark: not known within the limit." in " ".join(text.split())
    assert rows["value"].startswith(
        "-6 to +6 to come for player 1 (bounds only: the search came to its limit)"
    )
    assert rows["best lines"] == "not known within the limit"
    assert rows["line bounds"] == "-6 to +6: every line"
    assert "result" not in rows
    assert "best play" not in rows


def test_bounds_of_lines_are_grouped(monkeypatch):
    """The most promising first; known lines are not among them."""

    def run(search):
        search.line_lower[:4] = [0, -2, 2, -2]
        search.line_upper[:4] = [0, 0, 4, 0]
        yield

    monkeypatch.setattr(ValueSearch, "run", run)
    text = text_of("A1T A1B", rows=1, columns=3)
    assert LINE_BOUNDS in text


LINE_BOUNDS = """
line bounds   +2 to +4: B1B
              -3 to +3: A1L B1L C1L C1R
              -2 to 0: C1T C1B
"""


def test_who_moves_may_be_assumed():
    text = text_of("A1T A1B A1L A1R A2L A2T A2R", rows=2, columns=2, mover_known=False)
    assert text.startswith("2x2 boxes, player 2 to move (assumed, the lines leave it open). ")
    assert rows_of(text)["result"] == "player 2 wins 3-1 under best play, if player 2 is to move"


def test_the_score_may_be_unknown():
    rows = rows_of(text_of("A1T A1B A1L A1R", score_known=False, rows=2, columns=2))
    assert rows["score"] == "not given"
    assert "result" not in rows


def test_one_box_is_no_boxes():
    rows = rows_of(text_of("", rows=1, columns=1))
    assert rows["value"] == "-1 to come for player 1 (exact), 1 box open"
    assert rows["result"] == "player 2 wins 1-0 under best play"


def test_misere_says_what_its_numbers_mean():
    text = text_of("A1T", rows=1, columns=2, border="left_bottom", scoring="misere")
    assert " ".join(text.split()).startswith(
        "1x2 boxes, border left_bottom, misere, player 2 to move. A number on a line is what drawing it is "
        "worth to the player to move: boxes to come, the other's less own, under best play."
    )


def test_a_finished_game_has_its_result():
    text = text_of("A1T A1B A1L A1R B1T B1B B1R", rows=1, columns=2)
    assert text.startswith("1x2 boxes: all lines are drawn.\n")
    rows = rows_of(text)
    assert (rows["score"], rows["result"], rows["phase"]) == ("0-2", "player 2 wins 2-0", "finished")
    assert "value" not in rows


def test_a_large_board_says_that_exact_play_does_not_take_it():
    text = text_of("A1T", rows=7, columns=8)
    assert (
        rows_of(text)["value"]
        == "not known: exact play takes boards of at most 64 dots, the rest is structure"
    )
    assert "A number on a line" not in text
    assert "-------" in text


@pytest.mark.parametrize(
    ("scoring", "final", "text"),
    [
        ("normal", (6, 3), "A wins 6-3"),
        ("normal", (3, 6), "B wins 6-3"),
        ("misere", (6, 3), "B wins 3-6, fewer boxes win"),
        ("misere", (3, 6), "A wins 3-6, fewer boxes win"),
        ("normal", (8, 8), "a draw, 8-8"),
    ],
)
def test_results_in_words(scoring, final, text):
    """The winner's boxes first, which in misere are the fewer."""
    assert result_text(BoxesRules(scoring=scoring), final, ("A", "B")) == text


def test_bounds_in_words():
    assert [bounds_text(*pair) for pair in ((3, 3), (0, 0), (-5, 7))] == ["+3", "0", "-5 to +7"]


def test_progress_in_words():
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    search = ValueSearch(game, game.start(1), Solver(game, SMALL), CONFIG)
    assert progress_text(search).startswith("value -4 to +4, 0 positions in 0 s, ")
    for _ in search.narrow_position():
        pass
    assert re.fullmatch(
        r"value \+2, \d+ of 12 lines known, \d+ positions in 0 s, [\d,]+ a second", progress_text(search)
    )
