"""The engine: every query of both games, what it keeps, and that nothing ends it."""

import io
import json
from itertools import pairwise

import numpy as np
import pytest
from engine_talk import BOXES, KROPKI, answered, ask, refused

from dotzero.play import engine as module
from dotzero.play.boxes_levels import BoxesEasy
from dotzero.play.engine import Engine, serve
from dotzero.play.players import make_player


@pytest.fixture
def engine():
    made = Engine()
    yield made
    made.close()


def test_state(engine):
    """All fields of `cli.md`, and a position to go on from."""
    assert ask(engine, query="state", moves=["A1R", "b2t"], **BOXES) == {
        "to_move": 1,
        "score": [0, 0],
        "legal": ["A2T", "A1T", "B1T", "A1B", "B1B", "A2L", "B2L", "B2R", "A1L", "B1R"],
        "finished": False,
        "result": None,
        "phase": "safe",
        "position": {"lines": "010000000010", "score": [0, 0], "to_move": 1},
    }
    data = ask(engine, query="state", moves=["aa", "stop"], **KROPKI)
    assert (data["finished"], data["result"], data["score"], data["legal"]) == (True, 1, [2, 0], [])
    assert (data["phase"], data["position"]["rows"][0]) == ("finished", "X . . . . .")


def test_a_komi_counts_in_the_result_only(engine):
    rules = {"width": 4, "height": 4, "komi": 2.5}
    data = ask(engine, query="state", game="kropki", rules=rules, moves=["aa", "stop"])
    assert (data["score"], data["result"]) == ([2, 0], 2)


@pytest.mark.parametrize(
    ("game", "level"),
    [(BOXES, "random"), (BOXES, "easy@miss=0.9"), (BOXES, "hard"), (KROPKI, "random"), (KROPKI, "greedy")],
)
def test_move_is_the_players_own_and_the_seeds(engine, game, level):
    """R123: the same request has the same move; other seeds have others; the state is the one after it."""
    board = engine._board(game["game"], game["rules"])
    start = board.game.start(1)
    player, moves = make_player(level, board.game), set()
    for seed in [*range(20), 2**64 - 1]:
        data = ask(engine, query="move", level=level, seed=seed, **game)
        action = int(player.choose(board.game, start, np.array([seed], np.uint64))[0])
        assert data["move"] == board.names[action]
        assert data["state"] == ask(engine, query="state", moves=[data["move"]], **game)
        assert 0 <= data["seconds"] < 10
        again = ask(Engine(), query="move", level=level, seed=seed, **game)
        assert again["move"] == data["move"]
        moves.add(data["move"])
    assert len(moves) > 3
    without = ask(engine, query="move", level=level, **game)
    assert without["move"] == ask(engine, query="move", level=level, seed=0, **game)["move"]


def test_a_game_from_move_to_move(engine):
    """R123: whoever plays both sides through the engine plays a whole game, boxes moving twice running."""
    moves, movers = [], []
    state = ask(engine, query="state", **BOXES)
    while not state["finished"]:
        movers.append(state["to_move"])
        level = "insane" if state["to_move"] == 1 else "easy"
        answer = ask(engine, query="move", moves=moves, level=level, seed=3, **BOXES)
        moves.append(answer["move"])
        state = answer["state"]
    assert (len(moves), sum(state["score"])) == (12, 4)
    assert any(one == two for one, two in pairwise(movers))
    assert state["result"] in (0, 1, 2)
    error = refused(engine, query="move", moves=moves, level="easy", **BOXES)
    assert error == "moves must leave the game unfinished for a move, got its end"


def test_levels(engine):
    """R091: the levels of every game with both labels, options and budgets."""
    games = ask(engine, query="levels")["games"]
    names = {game: [level["level"] for level in levels] for game, levels in games.items()}
    assert names["boxes"] == ["random", "easy", "medium", "hard", "insane", "zero"]
    assert names["kropki"][0] == "random"
    assert names["kropki"][-1] in ("zero", "zero:DIR")
    assert games["boxes"][1] == {
        "level": "easy",
        "label": {"en": "Easy", "ru": "Лёгкий"},
        "plays": "Takes a box and keeps to safe lines, unless it overlooks one or blunders; else random.",
        "options": {
            "miss": {"kind": "number", "default": 0.25},
            "blunder": {"kind": "number", "default": 0.2},
        },
        "budgets": [],
    }
    for level in [*games["boxes"], *games["kropki"]]:
        assert set(level["label"]) == {"en", "ru"}
    assert games["boxes"][-1]["budgets"] == ["simulations", "seconds"]
    assert games["boxes"][-1]["options"]["root"]["values"] == ["puct", "gumbel"]


def test_levels_of_rules_are_those_that_play_them(engine):
    misere = ask(engine, query="levels", game="boxes", rules={"scoring": "misere"})["games"]
    assert list(misere) == ["boxes"]
    assert [level["level"] for level in misere["boxes"]] == ["random", "zero:DIR"]
    large = ask(engine, query="levels", game="boxes", rules={"rows": 7, "columns": 8})["games"]["boxes"]
    assert [level["level"] for level in large] == ["random", "easy", "medium", "zero"]
    assert refused(engine, query="levels", rules={"rows": 7}) == "game must be given with rules"


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"level": "champion"}, "player of boxes must be one of random, easy, medium, hard, insane"),
        ({"level": "greedy"}, "player of boxes must be one of random, easy, medium, hard, insane"),
        ({"level": "easy@speed=1"}, "easy: an option must be one of miss, blunder, got speed"),
        ({"level": "zero:/absent"}, "zero:DIR must be an exported folder or a checkpoint's file, got /abs"),
        ({"level": "medium", "budget": {"simulations": 9}}, "budget must be left out with player medium"),
        ({"level": "insane", "budget": {"seconds": 1}}, "budget must be left out with player insane"),
        ({"game": "chess"}, "game must be one of boxes, kropki, got chess"),
        ({"rules": {"rows": 0}}, "BoxesRules.rows must be a whole number of at least 1, got 0"),
        ({"rules": {"rows": 10**90}}, "BoxesRules.rows and columns must make at most 255 lines, got 1000"),
        ({"rules": {"scoring": {"a": []}}}, "BoxesRules.scoring must be one of normal, misere, got {"),
        ({"rules": {"rows": 7, "columns": 8}, "level": "hard"}, "player hard must play on at most 64 dots"),
        ({"moves": ["A0T"]}, "moves, move 1: line must be in a row from 1 to 2, got 'A0T'"),
        ({"moves": ["A1R", "A1R"]}, 'moves must be legal, got "A1R" as move 2: this line is drawn already'),
        ({"where": 1}, "request must have the fields id, query, "),
    ],
)  # fmt: skip
def test_mistakes_get_one_line(engine, request_, message):
    error = refused(engine, **({"query": "move", "level": "easy"} | BOXES | request_))
    assert error.startswith(message)
    assert len(error) <= 500


def test_a_long_quotation_is_cut(engine):
    error = refused(engine, query="move", level="x" * 10_000, **BOXES)
    assert len(error) == 500
    assert error.endswith(" ...")


def test_the_example_of_the_docstring_is_true(engine):
    lines = module.__doc__.split("\n\n")[2].splitlines()
    request, answer = " ".join(lines[:-1]), lines[-1]
    data = answered(engine, request.encode())
    told = json.loads(answer.replace(", ...}", "}"))
    assert (data["id"], data["move"]) == (told["id"], told["move"])
    assert told["state"].items() <= data["state"].items()


def test_a_bug_is_one_answer_and_a_traceback(engine, monkeypatch, capsys):
    """It must not end the games of others; what is kept is made anew, as it may be what is broken."""
    before = ask(engine, query="move", level="easy", **BOXES)["move"]

    def broken(self, *arguments):
        return np.zeros(2) + np.zeros(3)  # a ValueError, but no mistake of a user's

    monkeypatch.setattr(BoxesEasy, "choose", broken)
    data = json.loads(
        engine.answer(json.dumps({"id": 1, "query": "move", "level": "easy", **BOXES}).encode())
    )
    assert data["id"] == 1
    assert data["error"].startswith("internal error ValueError: operands could not be broadcast")
    assert "Traceback" in capsys.readouterr().err
    assert not engine._players._kept._things
    monkeypatch.undo()
    assert ask(engine, query="move", level="easy", **BOXES)["move"] == before


def test_players_and_boards_are_kept_up_to_a_number(engine, monkeypatch):
    made, closed = [], []

    def make(text, game):
        player = make_player(text, game)
        made.append(text)
        monkeypatch.setattr(player, "close", lambda: closed.append(text))
        return player

    monkeypatch.setattr("dotzero.play.engine_players.make_player", make)
    levels = [f"easy@miss=0.{number}" for number in range(1, 6)]
    for _ in range(2):
        ask(engine, query="move", level=levels[0], **BOXES)
    assert made == levels[:1]
    for level in levels[1:]:
        ask(engine, query="move", level=level, **BOXES)
        ask(engine, query="move", level=levels[0], **BOXES)
    assert (made, closed) == (levels, [levels[1]])
    for side in range(1, 20):
        ask(engine, query="state", game="boxes", rules={"rows": 1, "columns": side})
    assert len(engine._boards._things) == 8
    engine.close()
    assert sorted(closed) == levels


def test_serve_answers_line_for_line():
    lines = [
        b'{"id": 1, "query": "state", "game": "boxes"}',
        b"",
        b"x" * 2_000_000,
        b'{"id": 2, "query": "state"}',
    ]
    out = io.StringIO()
    serve(io.BytesIO(b"\n".join(lines)), out)
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [answer["id"] for answer in answers] == [1, None, None, 2]
    assert [answer.get("error") for answer in answers] == [
        None,
        "line must hold a JSON object, got an empty line",
        "line must have at most 1048576 bytes",
        "game must be given with the query state",
    ]
