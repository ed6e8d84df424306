"""Flags about Kropki: rules by name, sizes, positions as moves or text boards; mistakes in one line."""

import pytest

from dotzero.envs.kropki_notation import KropkiNotation
from dotzero.envs.kropki_rules import HouseCloses, Start, StopRule
from dotzero.scripts.boxes_options import ToolParser, add_board_options, add_position_options
from dotzero.scripts.kropki_flags import add_rule_options, is_kropki, read_kropki, read_kropki_position

BOARD = "   a b c\na  . X .\nb  X o X\nc  . X O\n"


def options(*words):
    parser = ToolParser("analyze", "Text.")
    add_board_options(parser)
    add_rule_options(parser)
    add_position_options(parser)
    return parser.parse_args(["--game", "kropki", *words])


@pytest.mark.parametrize("sign", [".", ","])
def test_rules_by_their_names(sign):
    """Numbers, with either decimal sign, words, pairs, yes and no, none."""
    words = [
        "start=empty",
        "opening_zone=5x3",
        f"komi=-0{sign}5",
        "add_turn=yes",
        "instant_win=3",
        "stop=off",
    ]
    rules = read_kropki(options("--size", "9x7", *(w for rule in words for w in ("--rule", rule)))).rules
    assert (rules.width, rules.height, rules.start) == (9, 7, Start.EMPTY)
    assert (rules.opening_zone, rules.komi, rules.add_turn, rules.instant_win) == ((5, 3), -0.5, True, 3)
    assert rules.stop is StopRule.OFF
    rules = read_kropki(
        options("--rule", "width=8", "--rule", "height=6", "--rule", "house_closes=owner_turn")
    )
    assert (rules.size, rules.rules.house_closes) == ((6, 8), HouseCloses.OWNER_TURN)
    assert read_kropki(options(), "5x4").size == (4, 5)


def test_r133_presets():
    """R133, R134: the official rules if nothing is said; a named set, and changes to it."""
    assert read_kropki(options()).rules == read_kropki(options("--preset", "official")).rules
    rules = read_kropki(options("--preset", "house", "--rule", "add_turn=no")).rules
    assert (rules.width, rules.add_turn) == (20, False)


def test_a_position_by_moves():
    found = read_kropki_position(options("--size", "5x5", "--rule", "start=empty", "--moves", "cc, dd stop"))
    assert found.state.finished[0]
    assert found.last == found.game.stop
    start = read_kropki_position(options("--size", "5x5"))
    assert (start.last, int(start.state.num_moves[0])) == (None, 0)


def test_a_position_by_a_text_board(tmp_path):
    """The board tells its size; who moves is told by a flag."""
    path = tmp_path / "board.txt"
    path.write_text(BOARD)
    found = read_kropki_position(options("--board", str(path), "--to-move", "2", "--rule", "start=empty"))
    assert found.state.score[0].tolist() == [1, 0]
    assert int(found.state.to_move[0]) == 1
    assert KropkiNotation(found.game.rules).board(found.state) == BOARD.rstrip("\n")


MISTAKES = {
    "rule": (["--rule", "speed=3"], "--rule must be NAME=VALUE, each name once and one of width, "),
    "twice": (["--rule", "komi=1", "--rule", "komi=2"], "--rule must be NAME=VALUE, each name once"),
    "value": (["--rule", "stop=never"], "KropkiRules.stop must be one of grounding, solo, off, got 'never'"),
    "preset": (["--preset", "mine"], "KropkiRules.preset must be one of"),
    "size": (["--size", "9"], "--size must be COLUMNSxROWS of points such as 15x15, got 9"),
    "two sizes": (["--size", "9x9", "--rule", "width=8"], "--rule must not set width or height where a size"),
    "large": (["--size", "99x9"], "KropkiRules.width must be a whole number from 2 to 52, got 99"),
    "move": (
        ["--size", "5x5", "--moves", "zz"],
        "--moves, move 1: move must be in a column from a to e, got",
    ),
    "illegal": (["--size", "5x5", "--moves", "cc dd"], "--moves must be legal, got"),
    "turn": (
        ["--size", "9x9", "--moves", "aa", "--to-move", "1"],
        "--to-move must be 2 after these moves, got 1",
    ),
    "two ways": (["--moves", "aa", "--board", "b"], "--board must not be given with --moves"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(name):
    words, message = MISTAKES[name]
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        read_kropki_position(options(*words))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_wrong_board_is_named(tmp_path):
    path = tmp_path / "board.txt"
    for text, message in (
        (BOARD.replace("X o", "X ?"), "board point bb must be one of"),
        ("", "board must have 4 rows"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            read_kropki_position(options("--board", str(path), "--rule", "start=cross", "--size", "3x3"))


@pytest.mark.parametrize("words", [["--border", "all"], ["--scoring", "misere"], ["--score", "1-0"]])
def test_flags_of_the_other_game_are_refused(words):
    with pytest.raises(ValueError, match=f"^{words[0]} must be left out with --game kropki, got {words[1]}$"):
        is_kropki(options(*words))
    assert is_kropki(options())
