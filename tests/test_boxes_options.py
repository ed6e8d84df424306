"""Positions and limits from flags: three ways to say the same, and what is refused."""

import io

import numpy as np
import pytest

from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.play.values import ValuesConfig
from dotzero.scripts import boxes_options
from dotzero.scripts.boxes_options import (
    ToolParser,
    add_board_options,
    add_limit_options,
    add_position_options,
    read_game,
    read_limits,
    read_position,
)
from dotzero.search.endgame import SolverConfig

NO = "there is no exact play of {}"


def parse(*words):
    parser = ToolParser("analyze", "Text.")
    add_board_options(parser)
    add_position_options(parser)
    add_limit_options(parser, seconds=10.0)
    return parser.parse_args(words)


def position(*words):
    return read_position(parse(*words), NO)


def board_file(tmp_path, position):
    path = tmp_path / "board.txt"
    path.write_text(BoxesNotation(position.rules).board(position.state, last=position.lines.argmax()) + "\n")
    return str(path)


def same(one, other):
    """Equal positions, field by field."""
    return one.rules == other.rules and all(
        (getattr(one.state, name) == getattr(other.state, name)).all()
        for name in ("lines", "owner", "score", "to_move", "finished")
    )


def test_three_ways_say_the_same(tmp_path):
    """R070: moves in any case, with blanks, commas and both names; a line string; the board that is shown."""
    moves = position("--size", "2x3", "--moves", " A1T,a1b  A1L\nB1l, C1R ")
    assert (moves.score_known, moves.mover_known) == (True, True)
    assert (moves.mover, moves.score) == (0, (0, 1))
    assert moves.state.owner[0].tolist() == [-1, -1, -1, 1, -1, -1]
    dbn = BoxesNotation(moves.rules).dbn(moves.lines)
    lines = position("--size", "2x3", "--lines", dbn, "--score", "0-1")
    board = position("--board", board_file(tmp_path, moves))
    for other in (lines, board):
        assert same(moves, other)
        assert (other.score_known, other.mover_known) == (True, True)
    unknown = position("--size", "2x3", "--lines", dbn)
    assert (unknown.score_known, unknown.mover_known) == (False, True)


def test_nothing_given_is_the_start():
    """With its border, player 1 to move."""
    start = position("--size", "2x4", "--border", "left_bottom", "--scoring", "misere")
    assert (start.rules.rows, start.rules.columns) == (2, 4)
    assert (start.rules.border, start.rules.scoring) == ("left_bottom", "misere")
    assert start.is_start
    assert start.mover == 0
    assert position().rules.rows == 3
    assert not position("--moves", "A1T").is_start
    assert position("--moves", "").is_start


def test_a_board_from_a_pipe(monkeypatch):
    board = "    A\n  +---+\n2     |\n  +---+\n1 | 2 |\n  +---+\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(board))
    read = position("--board", "-")
    assert (read.rules.rows, read.rules.columns, read.score) == (2, 1, (0, 1))


def test_who_moves_is_deduced_where_it_can_be():
    """Random games: what is deduced is right, and is told wherever no line can have taken two boxes."""
    rng, known = np.random.default_rng(4), 0
    game = read_game(parse("--size", "3x3"), NO)
    notation = BoxesNotation(game.rules)
    for _ in range(60):
        state = game.start(1)
        for line in rng.permutation(24)[: rng.integers(25)]:
            state = game.step(state, [line])
        read = position("--lines", notation.dbn(state.lines[0]))
        neighbours = any(
            (owners[:, :-1] >= 0)[owners[:, 1:] >= 0].any()
            for owners in (state.owner[0].reshape(3, 3), state.owner[0].reshape(3, 3).T)
        )
        assert read.mover_known is not neighbours
        if read.mover_known:
            assert read.mover == state.to_move[0]
            known += 1
    assert 10 < known < 60


def test_what_the_lines_leave_open_can_be_given():
    """A row of two complete boxes: the last line may have taken one or both."""
    words = ["--size", "1x3", "--lines", "1111111110"]
    assert not position(*words).mover_known
    for player in (1, 2):
        read = position(*words, "--to-move", str(player), "--score", "2-0")
        assert (read.mover_known, read.mover, read.score) == (True, player - 1, (2, 0))


def test_the_score_in_misere_is_in_boxes():
    read = position("--size", "1x3", "--lines", "1111111110", "--score", "2-0", "--scoring", "misere")
    assert read.score == (2, 0)
    assert read.game.margin(read.state).tolist() == [-2.0]


MISTAKES = {
    "size": (["--size", "3by3"], "--size must be ROWSxCOLUMNS such as 3x3, got 3by3"),
    "no rows": (["--size", "0x3"], "BoxesRules.rows must be a whole number of at least 1, got 0"),
    "large": (["--size", "3x27"], "BoxesRules.columns must be at most 26, got 27"),
    "border": (["--border", "swedish"], "BoxesRules.border must be one of none, left_bottom, all"),
    "game": (["--game", "kropki"], "--game must be boxes: there is no exact play of kropki"),
    "unknown game": (["--game", "go"], "game must be one of boxes, kropki, got go"),
    "name": (["--moves", "A1T A1X"], "--moves, line 2: line must be a column, a row and T, B, L or R"),
    "column": (["--moves", "D1T"], "--moves, line 1: line must be in a column from A to C, got 'D1T'"),
    "row": (["--moves", "A0T"], "--moves, line 1: line must be in a row from 1 to 3, got 'A0T'"),
    "twice": (
        ["--moves", "A1T a1R b1l"],
        "--moves must draw no line twice, got b1l as line 3, which is drawn as line 2",
    ),
    "on the border": (
        ["--moves", "A1B", "--border", "all"],
        "--moves must draw no line twice, got A1B as line 1, which is drawn by the border",
    ),
    "turn after moves": (
        ["--moves", "A1B", "--to-move", "1"],
        "--to-move must be 2 after these moves, got 1",
    ),
    "length": (["--lines", "0101"], "--lines: dbn of 3x3 boxes must have 24 places, got 4"),
    "digits": (["--lines", "012"], "--lines: dbn must hold 0 and 1 only, got '2' at place 3"),
    "no border": (
        ["--size", "1x2", "--lines", "1111000", "--border", "left_bottom"],
        "--lines must hold the lines of --border left_bottom, lacks A1L",
    ),
    "turn": (
        ["--size", "1x2", "--lines", "1000000", "--to-move", "1"],
        "--to-move must be 2, who has the turn after so many lines and boxes, got 1",
    ),
    "sum": (
        ["--size", "1x1", "--lines", "1111", "--score", "1-1"],
        "--score must add up to the 1 complete boxes, got 1-1",
    ),
    "score": (["--size", "1x1", "--lines", "1111", "--score", "one"], "--score must be the boxes of player"),
    "score of moves": (["--score", "0-0"], "--score must go with --lines, the only way that leaves it open"),
    "two ways": (
        ["--moves", "A1T", "--lines", "0"],
        "--lines must not be given with --moves: both say what is drawn",
    ),
    "player": (["--to-move", "3"], "argument --to-move: invalid choice: 3"),
    "flag": (["--level", "easy"], "unrecognized arguments: --level easy (see dotzero analyze --help)"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(name):
    words, message = MISTAKES[name]
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        position(*words)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "size", "message"),
    [
        ("some text\n", None, "--board {}: board must have 8 rows of text with its column letters, got 1"),
        ("    A\n  +---+\n1     |\n  +---+\n", "2x2", "--board {}: board must have 6 rows of text"),
        ("    A\n  +---+\n1 |   |\n  +---+\n", None, "--board {}: board box A1 must hold its owner 1 or 2"),
        ("    A\n  +---+\n1 | 1\n  +---+\n", None, "--board {}: board box A1 must have no owner while open"),
        ("    A\n  +-*-+\n1\n  +---+\n", None, "--board {}: board line A1T must be --- or ===, got '-*-'"),
    ],
)
def test_boards_that_are_none(tmp_path, text, size, message):
    path = tmp_path / "board.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"^--board") as caught:
        position("--board", str(path), *(["--size", size] if size else []))
    assert message.format(path) in str(caught.value)


def test_a_board_of_other_bytes(tmp_path):
    path = tmp_path / "board.txt"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"^--board must be text in UTF-8, got .*board\.txt"):
        position("--board", str(path))


def test_a_board_without_its_border(tmp_path):
    path = tmp_path / "board.txt"
    path.write_text("    A   B\n  +---+---+\n1         |\n  +---+---+\n")
    with pytest.raises(ValueError, match=r"must hold the lines of --border all, lacks A1L$"):
        position("--board", str(path), "--border", "all")
    assert position("--board", str(path)).mover == 1


def test_limits_are_read():
    """Ten seconds are the tool's usual limit, unless there is one by nodes."""
    usual = read_limits(parse("--threads", "2"))
    assert usual == ValuesConfig(max_seconds=10.0, solver=SolverConfig(num_threads=2))
    by_nodes = read_limits(parse("--nodes", "500", "--memory", "16"))
    assert by_nodes == ValuesConfig(max_seconds=None, max_nodes=500, solver=SolverConfig(table_mib=16))
    both = read_limits(parse("--nodes", "500", "--seconds", "2.5"))
    assert (both.max_nodes, both.max_seconds) == (500, 2.5)
    assert read_limits(parse()).solver.num_threads >= 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seconds", "-1"], "--seconds must be above 0 and at most 10000000, got -1"),
        (["--seconds", "0"], "--seconds must be above 0 and at most 10000000, got 0"),
        (["--seconds", "nan"], "--seconds must be above 0 and at most 10000000, got nan"),
        (["--nodes", "0"], "--nodes must be in 1..1000000000000000, got 0"),
        (["--memory", "0"], "--memory must be in 1..4096 MiB, what this machine has, got 0"),
        (["--memory", "4097"], "--memory must be in 1..4096 MiB, what this machine has, got 4097"),
        (["--threads", "0"], "--threads must be in 1..256, got 0"),
        (["--nodes", "9", "--threads", "2"], "--threads must be 1 with --nodes, whose answer is always"),
    ],
)
def test_limits_out_of_range(words, message, monkeypatch):
    monkeypatch.setattr(boxes_options, "_memory_mib", lambda: 4096)
    with pytest.raises(ValueError, match=r"^--") as caught:
        read_limits(parse(*words))
    assert str(caught.value).startswith(message)


def test_the_memory_of_this_machine():
    assert 256 < boxes_options._memory_mib() < 2**26


def test_a_wrong_word_is_one_line():
    with pytest.raises(
        ValueError, match=r"^argument --seconds: invalid float value: 'x' \(see dotzero analyze"
    ):
        parse("--seconds", "x")
