"""Matches of Kropki: drawn starts, komi, games that end by STOP, and their records."""

import dataclasses
import io
import json

import numpy as np
import pytest
from rich.console import Console

from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.notation import notation_for
from dotzero.play.arena import ArenaConfig, play_match
from dotzero.play.match_result import GameRecord, num_distinct
from dotzero.play.openings import draw_openings
from dotzero.play.players import RandomPlayer, make_player
from dotzero.play.tournament import play_round_robin


def kropki(**rules):
    small = {"width": 7, "height": 6, "start": "random_crosses", "num_crosses": 1}
    return KropkiGame(KropkiRules(**{**small, **rules}))


class Stopper(RandomPlayer):
    """Says STOP where it wins by it."""

    name = "stopper"

    def choose(self, game, state, seeds):
        moves = super().choose(game, state, seeds)
        return np.where(game.decided(state) == state.to_move, game.stop, moves).astype(np.int32)


def test_both_games_of_a_pair_share_the_start():
    match = play_match(kropki(), RandomPlayer(), make_player("greedy", kropki()), ArenaConfig(games=40))
    starts = [json.dumps(record.start) for record in match.records]
    assert starts[0::2] == starts[1::2]
    assert len(set(starts)) > 5
    for one, two in zip(match.records[0::2], match.records[1::2], strict=True):
        assert one.moves[:2] == two.moves[:2]


def test_openings_keep_near_the_dots_and_never_stop():
    game = kropki(width=20, height=20)
    _, state, actions, _ = draw_openings(game, 30, 1, np.random.default_rng(3))
    for index, (action,) in enumerate(actions):
        y, x = np.argwhere(state.start_dots[index]).T
        assert np.maximum(abs(y - action // 20), abs(x - action % 20)).min() <= 2


@pytest.mark.parametrize("komi", [0.0, 2.5, -1.0])
def test_r045_komi_decides_results(komi):
    """The score stays what was captured; result, wins and margins count the komi."""
    game = kropki(komi=komi)
    match = play_match(game, Stopper(), make_player("greedy", game), ArenaConfig(games=60, seed=1))
    notation, margins = notation_for(game), []
    for record in match.records:
        assert record.start["komi"] == komi
        dots = np.zeros((1, *game.size), np.uint8)
        for player, names in enumerate(record.start["start"], 1):
            for name in names:
                dots.flat[notation.parse(name)] = player
        state = game.start_from(dots)
        for move, mover in zip(record.moves, record.movers, strict=True):
            assert state.to_move[0] + 1 == mover
            state = game.step(state, [notation.parse(move)])
        assert state.finished[0]
        assert record.score == tuple(state.score[0].tolist())
        ahead = record.score[0] - record.score[1] - komi
        assert record.result == (1 if ahead > 0 else 2 if ahead < 0 else 0)
        margins.append(ahead if record.players[0] == "stopper" else -ahead)
    assert sum(record.moves[-1] == "stop" for record in match.records) > 5
    assert match.wins == sum(margin > 0 for margin in margins)
    assert match.losses == sum(margin < 0 for margin in margins)
    assert match.mean_margin == pytest.approx(np.mean(margins))
    if komi % 1:
        assert match.draws == 0


def test_the_same_moves_from_another_start_are_another_game():
    record = GameRecord(
        players=("a", "b"),
        opening=0,
        opening_plies=0,
        moves=("aa",),
        movers=(1,),
        score=(0, 0),
        margin=0.0,
        result=0,
    )
    other = dataclasses.replace(record, start={"start": [["bb"], ["cc"]], "komi": 0.0})
    assert num_distinct([record, other, other]) == 2


def test_files_of_kropki_matches_go_on(tmp_path):
    game, config = kropki(start="empty", num_crosses=4, opening_zone=[3, 3]), ArenaConfig(games=6)
    players = [make_player("greedy", game), RandomPlayer()]
    whole = play_round_robin(game, players, config, tmp_path)
    assert play_round_robin(game, players, config, tmp_path) == whole
    line = json.loads((tmp_path / "games.jsonl").read_text().splitlines()[0])
    assert (line["start"], line["komi"], line["rules"]["opening_zone"]) == ([[], []], 0.0, [3, 3])
    table = Console(width=160, file=io.StringIO())
    table.print(whole.table())
    assert "kropki width=7 height=6 start=empty opening_zone=[3, 3]  " in table.file.getvalue()


class Edge(RandomPlayer):
    """Keeps to the edge, and says STOP once it is full."""

    def __init__(self, name):
        self.name = name

    def choose(self, game, state, seeds):
        free = game.plain_actions(state)[:, : game.stop].reshape(len(state), *game.size)
        free[:, 1:-1, 1:-1] = False
        flat = free.reshape(len(state), -1)
        actions = np.where(flat.any(axis=1), flat.argmax(axis=1), game.stop)
        return np.where(state.finished, -1, actions).astype(np.int32)


@pytest.mark.parametrize(("start", "draws"), [("empty", 12), ("cross", 0)])
def test_r011_draws_are_told_for_every_start(start, draws):
    """R011: along the edge every game from an empty board is drawn; a loose cross is lost by STOP."""
    game = kropki(start=start, num_crosses=4)
    result = play_round_robin(game, [Edge("one"), Edge("two")], ArenaConfig(games=12, opening_plies=0))
    data = result.to_json()
    assert data["rules"]["start"] == start
    assert [player["draws"] for player in data["players"]] == [draws, draws]
    assert data["pairs"][0]["draws"] == draws
    table = Console(width=160, file=io.StringIO())
    table.print(result.table())
    shown = table.file.getvalue()
    assert ("start=empty" in shown) == (start == "empty")  # the usual start is not named
    (row,) = (line.split() for line in shown.splitlines() if line.split()[:1] == ["one"])
    assert row[3] == str(draws)


def test_openings_that_end_games_are_passed_over():
    """Some of the drawn openings are over at once where a lead of one dot wins; others are left to play."""
    game = kropki(instant_win=1)
    rng = np.random.default_rng(0)
    state = draw_openings(game, 20, 10, rng).state
    assert len(state) == 20
    assert not state.finished.any()
    with pytest.raises(
        ValueError, match=r"^ArenaConfig\.opening_plies must leave something to play, got 60$"
    ):
        draw_openings(game, 20, 60, rng)
