"""The CCGC protocol: names of lines, whole turns, what is refused, and games to the end."""

import io

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.play.ccgc import Ccgc, line_name, serve_ccgc
from dotzero.play.players import make_player

FULL = BoxesGame(BoxesRules())
SMALL = BoxesGame(BoxesRules(rows=2, columns=2))


def engine(game=SMALL, level="easy", seed=0):
    return Ccgc(game, make_player(level, game), seed)


def taken_apart(answer):
    """The names of the lines of a move."""
    word, number, letters = answer.split()
    assert (word, 3 * int(number)) == ("move", len(letters))
    return [letters[i : i + 3] for i in range(0, len(letters), 3)]


def test_names_of_lines():
    """Against the names that other notations give the same lines, from the list of known equals."""
    box_side = BoxesNotation(FULL.rules)
    for name, letters in {
        "A5T": "AAA",
        "A1L": "BAE",
        "C1L": "BCE",
        "D3T": "ACD",
        "E1R": "BFE",
        "E1B": "AFE",
    }.items():
        assert line_name(FULL, box_side.parse(name)) == letters
    wide = BoxesGame(BoxesRules(rows=1, columns=3))
    assert [line_name(wide, line) for line in range(10)] == [
        "AAA", "AAB", "AAC", "ABA", "ABB", "ABC", "BAA", "BBA", "BCA", "BDA"
    ]  # fmt: skip


def test_a_conversation():
    """White waits, black moves at once, a turn is told whole."""
    white = engine()
    assert white.answer(b"name?") == "name dotzero-easy"
    assert white.answer(b"new white") is None
    black = engine(seed=1)
    turn = black.answer(b"new black\r")
    assert len(taken_apart(turn)) == 1
    answer = white.answer(turn.encode())
    assert len(taken_apart(answer)) == 1
    assert taken_apart(answer) != taken_apart(turn)
    assert white.answer(b"end black") is None
    assert white.answer(b"end") is None
    assert not white.ended
    assert white.answer(b"quit") is None
    assert white.ended


def test_a_turn_goes_on_while_it_takes_boxes():
    """Three sides of a box each, on 1x2: the engine takes both boxes in one turn, which ends the game."""
    game = BoxesGame(BoxesRules(rows=1, columns=2))
    asked = engine(game, "hard")
    asked.answer(b"new white")
    asked._state = game.position(np.array([[1, 1, 1, 0, 1, 0, 1]]))
    names = taken_apart(asked.answer(b"move 1 ABB"))
    assert sorted(names) == ["BBA"]
    assert asked._state.finished[0]
    assert asked._state.score.tolist() == [[0, 2]]
    assert asked.answer(b"move 1 AAA") == "error move must not follow the end of the game"


@pytest.mark.parametrize(("game", "level"), [(FULL, "medium"), (SMALL, "random"), (FULL, "hard")])
def test_games_between_engines(game, level):
    """To the end, on the same board; every game of a run is another one, and the seed decides all."""
    games = []
    for seed in (1, 1, 2):
        sides = [engine(game, level, seed), engine(game, level, seed + 100)]
        lines = []
        for _ in range(2):
            turn, mover = sides[0].answer(b"new black"), 0
            assert sides[1].answer(b"new white") is None
            while turn is not None:
                lines += taken_apart(turn)
                mover = 1 - mover
                turn = sides[mover].answer(turn.encode())
            assert sides[0]._state.finished[0]
            for field in ("lines", "owner", "score"):
                assert (getattr(sides[0]._state, field) == getattr(sides[1]._state, field)).all()
        assert sorted(lines) == sorted(sides[0].names * 2)
        games += [lines[: game.num_actions], lines[game.num_actions :]]
    assert games[0] == games[2]
    assert games[1] == games[3]
    assert games[0] != games[1]
    assert games[0] != games[4]


def test_a_refused_turn_is_made_anew():
    """`error`: the board is as it was, another turn comes, and at some time silence."""
    asked = engine(FULL)
    asked.answer(b"new white")
    turns = [asked.answer(b"move 1 AAA"), *(asked.answer(b"error what a turn") for _ in range(9))]
    assert turns[-1] is None
    assert len(set(turns[:-1])) > 4
    assert asked._state.lines.sum() == 2
    free = next(name for name in asked.names if asked._state.lines[0, asked._lines[name]] == 0)
    assert asked.answer(f"move 1 {free}".encode())
    assert asked.answer(b"error") is not None  # about another turn
    assert asked.answer(b"new white") is None
    assert asked.answer(b"error") is None  # there is no turn of its own


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "a line must be name?, new SIDE, move N LINES, error, end or quit"),
        (b"play 1 AAA", "a line must be name?, new SIDE, move N LINES, error, end or quit"),
        (b"new red", "a line must be name?, new SIDE, move N LINES, error, end or quit"),
        (b"move 1 AAA BAA", "a line must be name?, new SIDE, move N LINES, error, end or quit"),
        (b"move 1 \xff\xfe", "a line must be ASCII"),
        (b"move 2 AAA", "move must have 3 letters for each of its lines, got '2' and 'AAA'"),
        (b"move -1 AAA", "move must have 3 letters for each of its lines, got '-1' and 'AAA'"),
        (b"move " + b"9" * 99 + b" AAA", "move must have 3 letters for each of its lines, got '999"),
        (b"move 0 A", "move must have 3 letters for each of its lines, got '0' and 'A'"),
        (b"move 1 CAA", "a line must be one of the board, got 'CAA'"),
        (b"move 1 AAC", "a line must be one of the board, got 'AAC'"),
        (b"move 1 aaa", "a line must be one of the board, got 'aaa'"),
        (b"move 2 AABAAB", "a turn must end with a line that takes no box, goes on with AAB"),
        (b"move 1 AAA", "a line must not be drawn twice, got AAA"),
        (b"move 1 BBA", "a turn must go on after a line that takes a box, ends with BBA"),
        (b"move 3 BBAABBAAB", "a turn must end with a line that takes no box, goes on with AAB"),
    ],
)
def test_what_is_wrong_changes_nothing(line, message):
    """A1L, A2T... stand so that BBA takes a box; the answer to a right move is as if nothing had been."""
    lines = np.zeros((1, 12), np.uint8)
    lines[0, [SMALL_LINES[name] for name in ("AAA", "ABA", "BAA")]] = 1

    def prepared():
        asked = engine()
        asked.answer(b"new white")
        asked._state = SMALL.position(lines)
        return asked

    asked = prepared()
    answer = asked.answer(line)
    assert answer.startswith(f"error {message}")
    assert "\n" not in answer
    assert asked.answer(b"move 2 BBAACB") == prepared().answer(b"move 2 BBAACB")
    assert asked._state.lines.sum() >= 6


SMALL_LINES = {line_name(SMALL, line): line for line in range(SMALL.num_actions)}


def test_a_game_must_have_begun():
    asked = engine()
    assert asked.answer(b"move 1 AAA") == "error move must follow new"
    assert asked.answer(b"error") is None
    asked.answer(b"new black")
    asked.answer(b"end white")
    assert asked.answer(b"move 1 AAA") == "error move must follow new"


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"border": "all"}, "rules must have border=none and scoring=normal"),
        ({"scoring": "misere"}, "rules must have border=none and scoring=normal"),
        ({"rows": 1, "columns": 26}, "size must have at most 26 dots a side in the protocol, got 1x26"),
    ],
)
def test_rules_without_words(rules, message):
    game = BoxesGame(BoxesRules(**{"rows": 2, "columns": 2} | rules))
    with pytest.raises(ValueError, match=f"^{message}"):
        engine(game, "random")


def test_serve_ends_with_quit_or_with_the_stream():
    out = io.StringIO()
    data = b"name?\nnew white\n" + b"x" * 100_000 + b"\nmove 1 AAA\nquit\nname?\n"
    serve_ccgc(io.BytesIO(data), out, engine())
    lines = out.getvalue().splitlines()
    assert lines[:2] == ["name dotzero-easy", "error a line must have at most 255 bytes"]
    assert lines[2].startswith("move 1 ")
    assert len(lines) == 3
    serve_ccgc(io.BytesIO(b"name?"), out, engine())
    assert out.getvalue().splitlines()[3:] == ["name dotzero-easy"]


def test_a_turn_on_a_large_board_fits_into_a_line():
    game = BoxesGame(BoxesRules(rows=10, columns=10))
    out, letters = io.StringIO(), "AAA" * 220
    serve_ccgc(io.BytesIO(f"new white\nmove 220 {letters}\n".encode()), out, engine(game))
    assert out.getvalue() == "error a turn must end with a line that takes no box, goes on with AAA\n"


def test_mutated_lines_never_break_a_game():
    """Two thousand lines of a conversation with bytes changed: answered, and the game can be played on."""
    rng, asked = np.random.default_rng(5), engine(FULL, "random")
    told = [b"name?", b"new black", b"new white", b"move 1 AAA", b"move 2 AAABCA", b"error", b"end black"]
    for _ in range(2000):
        line = bytearray(told[rng.integers(len(told))])
        for _ in range(rng.integers(3)):
            line[rng.integers(len(line))] = rng.integers(256)
        answer = asked.answer(bytes(line))
        assert answer is None or answer.isascii()
        assert answer is None or answer.split()[0] in ("name", "move", "error")
    assert taken_apart(asked.answer(b"new black"))
