"""The query analyze: values of Dots and Boxes, what the rules of Kropki tell, a network's estimates."""

import time

import numpy as np
import pytest
import torch
from engine_talk import ask, refused

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.models.checkpoint import save_checkpoint
from dotzero.models.encoding import known_encoding
from dotzero.models.network import Network, NetworkConfig
from dotzero.play.engine import Engine
from dotzero.play.players import Budget, make_player
from dotzero.play.zero import ZeroPlayer

SMALL = {"game": "boxes", "rules": {"rows": 2, "columns": 3}}
OPEN = {"game": "boxes", "rules": {"rows": 4, "columns": 4}}
"""Too many lines for level zero to know, so that it estimates."""
KROPKI = {"game": "kropki", "rules": {"width": 6, "height": 6}}


@pytest.fixture(scope="module")
def engine():
    made = Engine()
    yield made
    made.close()


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """Specifications of level zero with random weights, by the name of the game."""
    torch.set_num_threads(1)
    paths, size = {}, NetworkConfig(num_blocks=2, num_channels=16, num_pooled_channels=8)
    boards = (BoxesGame(BoxesRules(rows=4, columns=4)), KropkiGame(KropkiRules(width=6, height=6)))
    for game in boards:
        network = Network(size, known_encoding(game.name, game.max_margin), torch.Generator().manual_seed(3))
        with torch.no_grad():
            for parameter in network.parameters():
                parameter += 0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1))
        path = tmp_path_factory.mktemp("net") / f"{game.name}.safetensors"
        save_checkpoint(path, network, {})
        paths[game.name] = f"zero:{path}@backend=torch"
    return paths


# ---- without a network ----


def test_boxes_of_the_literature(engine, load_case):
    """R086: value and all best lines, from a position; also who wins, and how it ends."""
    case = load_case("boxes_positions.json")[0]
    position = {"lines": case["dbn"], "score": [0, 0], "to_move": 2}
    rules = {"rows": 3, "columns": 3}
    data = ask(engine, query="analyze", game="boxes", rules=rules, position=position)
    assert (data["value"], data["exact"], data["best"], data["moves"]) == (3, True, ["A2T"], case["moves"])
    assert (data["win"], data["final"], data["phase"]) == (1.0, [3, 6], "safe")
    assert (data["pv"][0], len(data["pv"])) == ("A2T", case["dbn"].count("0"))
    assert {"chains", "loops", "safe_lines"} <= set(data)


def test_boxes_in_misere(engine):
    """Small boards by a table; on larger ones structure is all there is."""
    rules = {"rows": 2, "columns": 2, "scoring": "misere"}
    data = ask(engine, query="analyze", game="boxes", rules=rules)
    assert (data["value"], data["exact"], data["win"], data["final"]) == (-2, True, 0.0, [3, 1])
    data = ask(engine, query="analyze", game="boxes", rules=rules | {"rows": 4, "columns": 4})
    assert data["exact"] is False
    assert not {"value", "bounds", "win", "moves"} & set(data)


def test_bounds_tell_who_wins_where_they_suffice(engine):
    """R089: 5x5 from the start takes longer than anybody waits; a lead of 20 is enough though."""
    rules, budget = {"rows": 5, "columns": 5}, {"seconds": 0.2}
    begun = time.monotonic()
    data = ask(engine, query="analyze", game="boxes", rules=rules, budget=budget)
    assert time.monotonic() - begun < 3
    assert (data["exact"], data["bounds"][0] <= 0 <= data["bounds"][1]) == (False, True)
    assert not {"value", "win", "pv", "final"} & set(data)


@pytest.mark.parametrize(
    ("score", "normal", "misere"), [([2, 1], 1.0, 0.0), ([1, 2], 0.5, 0.5), ([0, 3], 0.0, 1.0)]
)
def test_who_wins_depends_on_the_score_too(engine, score, normal, misere):
    """One box is left, for the player to move."""
    position = {"lines": "1" * 11 + "0", "score": score, "to_move": 1}
    for scoring, value, win in (("normal", 1, normal), ("misere", -1, misere)):
        rules = {"rows": 2, "columns": 2, "scoring": scoring}
        data = ask(engine, query="analyze", game="boxes", rules=rules, position=position)
        assert (data["value"], data["win"]) == (value, win)
        assert data["final"] == [score[0] + 1, score[1]]


def test_a_finished_game_of_boxes(engine):
    position = {"lines": "1" * 17, "score": [3, 3], "to_move": 1}
    data = ask(engine, query="analyze", position=position, **SMALL)
    assert (data["value"], data["exact"], data["best"], data["moves"], data["pv"]) == (0, True, [], {}, [])
    assert (data["win"], data["final"], data["phase"]) == (0.5, [3, 3], "finished")
    assert (data["result"], data["reason"]) == (0, "full_board")
    assert "favours" not in data  # nobody draws a line any more


def test_what_the_rules_of_kropki_tell(engine):
    """R115: captures now, of both sides; grounding; who has won already."""
    rows = [". . X . .", ". X O X .", ". . . O .", ". . O X O", ". . . . ."]
    rules = {"width": 5, "height": 5, "start": "empty"}
    asked = {"query": "analyze", "game": "kropki", "rules": rules}
    data = ask(engine, position={"rows": rows, "to_move": 1}, **asked)
    assert data == {
        "exact": False,
        "phase": "play",
        "captures": {"cc": 1},
        "threats": {"de": 1},
        "ungrounded": [3, 3],
        "dots": [4, 4],
        "legal_points": 17,
        "stop_margins": data["stop_margins"],
    }
    assert data["stop_margins"] == [-3.0, -3.0]
    after = ask(engine, position={"rows": rows, "to_move": 1}, moves=["cc", "ea"], **asked)
    assert not {"win", "decided"} & set(after)
    rows = ["X . . . .", "X X . . .", "X . O . .", ". . . . .", ". . . . ."]
    data = ask(engine, position={"rows": rows, "to_move": 2}, **asked)
    assert "win" not in data
    rows = [". X . . .", "X o X . .", ". X . . .", ". . . . .", ". . . . ."]
    data = ask(engine, position={"rows": rows, "to_move": 1}, **asked)
    assert (data["decided"], data["win"], data["captures"]) == (1, 1.0, {})
    data = ask(engine, position={"rows": rows, "to_move": 2}, **asked)
    assert (data["decided"], "win" in data) == (1, False)  # it may still take something


def test_a_finished_game_of_kropki(engine):
    data = ask(engine, query="analyze", moves=["aa", "stop"], **KROPKI)
    assert data == {
        "exact": True, "phase": "finished", "value": 0, "best": [], "moves": {}, "pv": [], "win": 1.0,
        "result": 1, "reason": "stop",
    }  # fmt: skip


def test_budgets_that_nothing_can_use(engine):
    error = refused(engine, query="analyze", budget={"simulations": 9}, **SMALL)
    assert error == "budget must be seconds without a level zero:DIR, got simulations"
    error = refused(engine, query="analyze", budget={"seconds": 1}, level="greedy", **KROPKI)
    assert error == "budget must be left out: kropki is searched only with a level zero:DIR"
    assert "player of kropki must be one of" in refused(engine, query="analyze", level="champion", **KROPKI)
    plain = ask(engine, query="analyze", **KROPKI)
    assert ask(engine, query="analyze", level="greedy", **KROPKI) == plain


# ---- with a network ----


def test_r092_estimates_of_a_network(engine, networks):
    """Best is what the level plays; values are the network's after each move that the search tried."""
    for game in (OPEN, KROPKI):
        level = f"{networks[game['game']]},simulations=40"
        data = ask(engine, query="analyze", level=level, seed=4, **game)
        assert data["exact"] is False
        assert data["best"] == [ask(engine, query="move", level=level, seed=4, **game)["move"]]
        assert data["pv"][0] == data["best"][0]
        assert len(data["pv"]) > 1
        assert data["value"] == data["moves"][data["best"][0]]
        assert sum(data["visits"].values()) == 40
        assert set(data["moves"]) == set(data["visits"]) <= set(ask(engine, query="state", **game)["legal"])
        assert 0 <= data["win"] <= 1
        assert ask(engine, query="analyze", level=level, seed=4, **game) == data
        board = engine._board(game["game"], game["rules"])
        state = board.read(None, [data["best"][0]])
        player = make_player(level, board.game)
        margin = float(player.evaluate(board.game, state).margin[0])
        own = margin if state.to_move[0] == 0 else -margin
        assert data["value"] == pytest.approx(own, abs=0.006)
        player.close()
        ask(engine, query="state", moves=data["pv"], **game)


def test_values_are_of_what_is_to_come(engine, networks):
    """P02: seen by the player to move, also after a move that keeps the turn; what was won before is past."""
    rules = {"rows": 2, "columns": 3}
    board = engine._board("boxes", rules)
    lines = np.zeros(17, np.uint8)
    for name in ("A2T", "A2L", "A2B", "C1T", "C1L", "C1R", "C1B"):
        lines[board.parse(name)] = 1
    text = "".join(map(str, lines))
    level = networks["boxes"] + ",simulations=200,exact_lines=0"
    for score, mover in (([1, 0], 1), ([0, 1], 1), ([1, 0], 2)):
        position = {"lines": text, "score": score, "to_move": mover}
        data = ask(engine, query="analyze", game="boxes", rules=rules, level=level, position=position)
        lead = score[mover - 1] - score[2 - mover]
        player = make_player(level, board.game)
        assert "B2L" in data["moves"]
        assert len(data["moves"]) > 1
        for name, value in data["moves"].items():
            state = board.read(position, [name])
            margin = float(player.evaluate(board.game, state).margin[0])
            own = margin if name == "B2L" else -margin
            assert value == pytest.approx(own - lead, abs=0.006)
        player.close()


def test_what_is_certain_stays_certain_with_a_network(engine, networks):
    level = f"{networks['boxes']},simulations=8"
    plain = ask(engine, query="analyze", **SMALL)
    data = ask(engine, query="analyze", level=level, **SMALL)
    for known in (plain, data):
        known.pop("seconds"), known.pop("nodes")
    assert data == plain
    assert data["exact"] is True
    finished = ask(engine, query="analyze", level=networks["kropki"], moves=["aa", "stop"], **KROPKI)
    assert finished["exact"] is True


def test_win_is_the_probability_in_the_utility(engine, networks):
    """Without a share of the margin it is the mean of the network's own; with nothing else there is none."""
    level = f"{networks['boxes']},simulations=1,exact_lines=0,turned=false"
    data = ask(engine, query="analyze", level=f"{level},margin_weight=1", **OPEN)
    assert "win" not in data
    data = ask(engine, query="analyze", level=f"{level},margin_weight=0", **OPEN)
    board = engine._board(OPEN["game"], OPEN["rules"])
    player = make_player(level, board.game)
    root, leaf = board.read(None, []), board.read(None, data["best"])
    value = player.evaluate(board.game, root).value[0] - player.evaluate(board.game, leaf).value[0]
    assert data["win"] == pytest.approx((1 + value / 2) / 2, abs=1e-4)
    player.close()


def test_budgets_of_a_network(engine, networks):
    for game in (OPEN, KROPKI):
        level = networks[game["game"]]
        data = ask(engine, query="analyze", level=level, budget={"simulations": 7}, **game)
        assert sum(data["visits"].values()) == 7
        same = ask(engine, query="analyze", level=f"{level},simulations=7", **game)
        assert data == same
        move = ask(engine, query="move", level=level, budget={"simulations": 7}, **game)["move"]
        assert [move] == data["best"]
        begun = time.monotonic()
        data = ask(engine, query="analyze", level=level, budget={"seconds": 0.3}, **game)
        assert time.monotonic() - begun < 2
        assert sum(data["visits"].values()) >= 16  # the first search is never given up
        answer = ask(engine, query="move", level=level, budget={"seconds": 0.2}, **game)
        assert 0.01 < answer["seconds"] < 1.5


# ---- level zero within a budget ----


def test_a_player_within_a_budget_leaves_the_other_alone(networks):
    game = BoxesGame(BoxesRules(rows=4, columns=4))
    player = make_player(f"{networks['boxes']},simulations=30,exact_lines=0", game)
    assert isinstance(player, ZeroPlayer)
    state, seeds = game.start(3), np.arange(3, dtype=np.uint64)
    before = player.choose(game, state, seeds)
    few, timed = player.within(Budget(simulations=1)), player.within(Budget(seconds=0.05))
    assert len({player.identity, few.identity, timed.identity}) == 3
    assert few.search(game, state, seeds).results(np.arange(3, dtype=np.int32)).visits.sum() == 3
    assert game.legal(state)[np.arange(3), timed.choose(game, state, seeds)].all()
    raw = make_player(f"{networks['boxes']},simulations=0", game)
    assert raw.within(Budget(seconds=0.01)).choose(game, state, seeds).shape == (3,)
    raw.close()
    assert (player.choose(game, state, seeds) == before).all()
    player.close()


def test_a_search_that_runs_over_its_time_is_given_up(networks, monkeypatch):
    """The one before it counts; so no time is exceeded by more than a step of the search."""
    game = BoxesGame(BoxesRules(rows=4, columns=4))
    player = make_player(f"{networks['boxes']},exact_lines=0", game).within(Budget(seconds=0.4))
    clock = iter(float(x) for x in [0, 0, *[0] * 17, 0.01, *[0.02] * 5, *[9.0] * 1000])
    monkeypatch.setattr("dotzero.play.zero.time.monotonic", lambda: next(clock))
    found = player.search(game, game.start(1), np.zeros(1, np.uint64))
    assert found.results(np.zeros(1, np.int32)).visits.sum() == 16


def test_a_certain_end_is_not_searched(networks, monkeypatch):
    """However much time there is: it is calculated."""
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    player = make_player(networks["boxes"], game).within(Budget(seconds=100))
    begun, begin = [], ZeroPlayer._begin
    monkeypatch.setattr(ZeroPlayer, "_begin", lambda *arguments: begun.append(1) or begin(*arguments))
    action = int(player.choose(game, game.start(1), np.zeros(1, np.uint64))[0])
    assert game.legal(game.start(1))[0, action]
    assert not begun
