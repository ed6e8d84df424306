"""The act engine as other programs meet it: through pipes, in both protocols, to every way it can end."""

import io
import json
import signal
import subprocess
import sys
import time

import pytest
from engine_talk import BOXES, COMMAND, KROPKI, run

from dotzero.__main__ import main
from dotzero.play.engine_positions import make_board


def spoken(*requests):
    return b"".join(
        (request if isinstance(request, bytes) else json.dumps(request).encode()) + b"\n"
        for request in requests
    )


class Program:
    """An engine in another process."""

    def __init__(self, *words):
        self.process = subprocess.Popen(
            [*COMMAND, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
        self.process.wait(30)

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self):
        return self.process.stdout.readline().rstrip("\n")

    def ask(self, **request):
        self.say(json.dumps(request))
        return json.loads(self.hear())


def test_every_query_of_both_games():
    code, lines, errors = run(
        spoken(
            {"id": 1, "query": "state", "moves": ["A1R"], **BOXES},
            {"id": 2, "query": "move", "level": "insane", "seed": 4, **BOXES},
            {"id": 3, "query": "analyze", "moves": ["A1R"], **BOXES},
            {"id": 4, "query": "state", "moves": ["aa"], **KROPKI},
            {"id": 5, "query": "move", "level": "greedy", "seed": 4, **KROPKI},
            {"id": 6, "query": "analyze", **KROPKI},
            {"id": 7, "query": "levels"},
        )
    )
    assert (code, errors) == (0, "")
    answers = [json.loads(line) for line in lines]
    assert [answer["id"] for answer in answers] == [1, 2, 3, 4, 5, 6, 7]
    state = {"id", "to_move", "score", "legal", "finished", "result", "phase", "position"}
    assert set(answers[0]) == set(answers[3]) == state
    assert set(answers[1]) == set(answers[4]) == {"id", "move", "state", "seconds"}
    assert {"value", "exact", "best", "moves", "win", "phase", "chains", "loops", "safe_lines", "pv"} < set(
        answers[2]
    )
    assert {"exact", "phase", "captures"} < set(answers[5])
    assert set(answers[6]["games"]) == {"boxes", "kropki"}


STATE = b'"query": "state", "game": "boxes"'
MOVE = b'"query": "move", "game": "boxes", "level": "easy"'
STOPPED = b'"query": "state", "game": "kropki", "moves": ["stop", "aa"]'
BAD = [
    (1, b'{"id": 1, %s, "moves": ["A0T"]}' % STATE),
    (2, b'{"id": 2, %s, "moves": ["Z9R"]}' % STATE),
    (3, b'{"id": 3, %s, "moves": ["-1"]}' % STATE),
    (4, b'{"id": 4, %s, "moves": [-1]}' % STATE),
    (5, b'{"id": 5, %s, "moves": ["A1R", "B1L"]}' % STATE),
    (6, b'{"id": 6, %s, "moves": {"A1R": 1}}' % STATE),
    (None, b""),
    (None, b'{"id": 7, %s' % STATE),
    (8, b'{"id": 8, %s, "seed": NaN}' % STATE),
    (9, b'{"id": 9, %s, "seed": 1, "seed": 2}' % STATE),
    (None, b"[" * 200_000),
    (None, b"x" * 10_000_000),
    (10, b'{"id": 10, "query": "move", "game": "boxes", "level": "champion"}'),
    (11, b'{"id": 11, %s}' % STOPPED),
    (None, b'{"id": 12, %s, "moves": ["\xff"]}' % STATE),
    (13, b'{"id": 13, %s, "seed": %s}' % (MOVE, b"9" * 5000)),
    (14, b'{"id": 14, %s, "budget": {"simulations": 5}}' % MOVE),
    (15, b'{"id": 15, %s, "moov": 5}' % STATE),
]
"""Lines, each with the id that can be read in it."""


def test_bad_input_gets_one_line_each_and_the_next_request_its_answer():
    """The bad input of the issue, one by one."""
    good = {"id": "good", "query": "state", "moves": ["A1R"], **BOXES}
    code, lines, errors = run(spoken(good, *(line for _, bad in BAD for line in (bad, good))))
    assert (code, errors) == (0, "")
    assert len(lines) == 2 * len(BAD) + 1
    assert len(set(lines[::2])) == 1
    answers = [json.loads(line) for line in lines[1::2]]
    assert [answer["id"] for answer in answers] == [id_ for id_, _ in BAD]
    for answer in answers:
        assert set(answer) == {"id", "error"}
        assert "\n" not in answer["error"]
        assert len(answer["error"]) < 300


@pytest.mark.parametrize(("game", "levels"), [(BOXES, ("hard", "easy")), (KROPKI, ("greedy", "random"))])
def test_engine_against_engine(game, levels):
    """R123: two programs play a whole game through their pipes and see the same board."""
    with Program() as one, Program() as other:
        moves, state = [], one.ask(query="state", **game)
        while not state["finished"]:
            program = (one, other)[state["to_move"] - 1]
            level = levels[state["to_move"] - 1]
            answer = program.ask(query="move", moves=moves, level=level, seed=9, **game)
            moves.append(answer["move"])
            state = answer["state"]
            assert [p.ask(query="state", moves=moves, **game) for p in (one, other)] == [
                {"id": None} | state
            ] * 2
    board = make_board(game["game"], game["rules"])
    assert len(moves) >= (12 if game is BOXES else 20)
    assert board.describe(board.read(None, moves)) == state
    assert state["result"] in (0, 1, 2)


def test_an_answer_comes_at_once():
    """Flushed, one by one: nobody waits for the end of the input."""
    with Program() as program:
        for _ in range(3):
            assert program.ask(query="state", **BOXES)["finished"] is False


def test_a_ccgc_game_against_itself():
    """Black and white told apart by the platform only; to the end, which has no answer."""
    words = ("--protocol", "ccgc", "--level", "hard", "--size", "3x3")
    with Program(*words, "--seed", "1") as black, Program(*words, "--seed", "2") as white:
        for program in (black, white):
            program.say("name?")
            assert program.hear() == "name dotzero-hard"
        white.say("new white")
        black.say("new black")
        turn, lines, mover = black.hear(), [], 0
        while True:
            _, number, letters = turn.split()
            lines += [letters[i : i + 3] for i in range(0, 3 * int(number), 3)]
            mover = 1 - mover
            (black, white)[mover].say(turn)
            if len(lines) == 24:
                break
            turn = (black, white)[mover].hear()
        for program in (black, white):
            program.say("end black")
            program.say("quit")
            assert program.hear() == ""
            assert program.process.wait(30) == 0
        assert len(set(lines)) == 24


def test_ctrl_c_ends_with_130():
    with Program() as program:
        program.ask(query="state", **BOXES)
        program.process.send_signal(signal.SIGINT)
        assert program.process.wait(30) == 130
        assert program.process.stderr.read() == "interrupted\n"


def test_ctrl_c_while_it_calculates():
    with Program() as program:
        program.ask(query="state", **BOXES)
        program.say(json.dumps({"query": "analyze", "game": "boxes", "budget": {"seconds": 1000}}))
        time.sleep(0.5)
        program.process.send_signal(signal.SIGINT)
        assert program.process.wait(30) == 130


def test_a_closed_pipe_ends_it_quietly():
    data = spoken(*[{"query": "state", "game": "kropki"}] * 200)
    line = f"{sys.executable} -m dotzero engine | true"
    done = subprocess.run(["bash", "-c", line], input=data, capture_output=True, timeout=60)
    assert (done.stdout, done.stderr) == (b"", b"")


@pytest.mark.parametrize(("closed", "name"), [("<&-", "input"), (">&-", "output")])
def test_a_closed_standard_stream_is_one_line(closed, name):
    command = f"exec {' '.join(COMMAND)} {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert done.stderr == f"error: standard {name} must be open for the protocol, got a closed one\n"


def test_what_a_library_prints_is_no_answer(monkeypatch, capsys):
    def noisy(self, line):
        print("a library prints something")
        return "{}"

    monkeypatch.setattr("dotzero.play.engine.Engine.answer", noisy)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{}\n")))
    assert main(["engine"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "{}\n"
    assert "library" in captured.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--protocol", "uci"], "argument --protocol: invalid choice: 'uci'"),
        (["--level", "hard"], "--level must go with --protocol ccgc: requests in JSON say it themselves"),
        (["--seed", "1"], "--seed must go with --protocol ccgc: requests in JSON say it themselves"),
        (["--protocol", "ccgc", "--seed", "-1"], "--seed must be in 0.."),
        (["--protocol", "ccgc", "--size", "5"], "--size must be ROWSxCOLUMNS such as 3x3, got 5"),
        (
            ["--protocol", "ccgc", "--size", "1x26", "--level", "easy"],
            "size must have at most 26 dots a side",
        ),
        (["--protocol", "ccgc", "--level", "champion"], "player of boxes must be one of random, easy"),
    ],
)
def test_mistakes_get_one_line_and_code_2(words, message, capsys):
    assert main(["engine", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"error: {message}")
    assert captured.err.count("\n") == 1
