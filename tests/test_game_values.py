"""Values of the positions of games: exact from the end on, a network's elsewhere, unknown otherwise."""

import json

import numpy as np
import pytest
from random_networks import zero_of
from recorded import boxes_record, kropki_record

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.records import read_records
from dotzero.play.game_positions import game_positions
from dotzero.play.game_values import GameValuer, GameValuesConfig
from dotzero.play.players import Budget
from dotzero.search.endgame import set_values


def values_of(record, **config):
    valuer = GameValuer(GameValuesConfig(**config))
    try:
        return valuer.values(game_positions(record))
    finally:
        valuer.close()


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """Specifications of level zero with random networks by game."""
    folder = tmp_path_factory.mktemp("nets")
    boxes, kropki = BoxesGame(BoxesRules(rows=3, columns=3)), KropkiGame(KropkiRules(width=6, height=6))
    return {game.name: zero_of(folder, game, ",simulations=12") for game in (boxes, kropki)}


@pytest.mark.parametrize("scoring", ["normal", "misere"])
def test_f13_exact_values_are_those_of_the_table(scoring):
    """F13, R071: every position of the classic game, against the table of all sets of lines."""
    record = boxes_record(scoring=scoring)
    found, positions = values_of(record), game_positions(record)
    game = positions.game
    table = set_values(game, game.start(1).lines[0])
    assert found.exact.all()
    for number in range(len(positions) + 1):
        state = positions.states[[number]]
        rest = int(table[(state.lines[0] == 0) @ (1 << np.arange(12))])
        sign = 1 if state.to_move[0] == 0 else -1
        assert found.margin[number] == positions.leads[number] + sign * rest
        best = np.zeros(12, bool)
        best[list(found.best[number])] = True
        for line in np.flatnonzero(state.lines[0] == 0).tolist():
            after = game.step(state, [line])
            value = int(table[(after.lines[0] == 0) @ (1 << np.arange(12))])
            won = int(game.margin(after)[0]) * (1 if after.to_move[0] == state.to_move[0] else -1)
            worth = won - int(game.margin(state)[0]) + (value if after.to_move == state.to_move else -value)
            assert best[line] == (worth == rest), (number, line)
    sure = (1 + np.sign(found.margin)) / 2
    assert (found.win == sure).all()


def test_the_value_of_whole_games(load_case):
    """The games of the data folder end as their values say at the end, and begin as solved boards do."""
    begin = {(2, 2): 2, (1, 1): -1, (1, 2): 0, (2, 3): -2}
    seen = set()
    for case in load_case("boxes_games.json"):
        found = values_of(boxes_record(" ".join(case["moves"]), case["rows"], case["cols"]), max_nodes=20_000)
        assert found.margin[-1] == case["score"][0] - case["score"][1]
        size = case["rows"], case["cols"]
        if size in begin:
            assert found.margin[0] == begin[size]
            seen.add(size)
    assert len(seen) > 1


def test_a_limit_leaves_the_beginning_unknown():
    record = boxes_record(" ".join(["A1T", "B2L", "C3T", "A3L", "C1R", "B1B"]), 4, 4)
    found = values_of(record, max_nodes=1)
    assert not found.exact.any()
    assert np.isnan(found.margin).all()
    assert found.best == [()] * 7
    again = values_of(boxes_record("A1T"), max_nodes=None, max_seconds=5.0)
    assert again.exact.all()


def test_a_network_values_what_is_not_exact(networks):
    record = boxes_record(" ".join(["A1T", "B2L", "C3T", "A3L", "C1R", "B1B"]), 3, 3)
    plain = values_of(record, max_nodes=1)
    level = networks["boxes"] + ",exact_lines=0"
    found = values_of(record, max_nodes=1, level=level)
    assert (found.exact == plain.exact).all()
    assert not found.exact.any()
    assert np.isfinite(found.margin).all()
    assert ((found.win >= 0) & (found.win <= 1)).all()
    assert [len(best) for best in found.best] == [1] * 7
    known = values_of(record, level=level)
    assert (known.margin == values_of(record).margin).all()


def test_kropki_by_a_network(networks):
    """The last position is what it is; the others are estimated, each seen by player 1."""
    record = kropki_record("cb cc bc aa dc bb cd stop")
    found, positions = values_of(record, level=networks["kropki"]), game_positions(record)
    assert found.exact.tolist() == [False] * 8 + [True]
    assert found.margin[-1] == positions.leads[-1] == 2
    assert found.win[-1] == 1
    assert np.isfinite(found.margin).all()
    one = values_of(record, level=networks["kropki"])
    assert (one.margin == found.margin).all()
    few = values_of(record, level=networks["kropki"], budget=Budget(simulations=3))
    assert (few.margin[:-1] != found.margin[:-1]).any()
    timed = values_of(record, level=networks["kropki"], budget=Budget(seconds=0.01))
    assert np.isfinite(timed.margin).all()


def test_without_a_network_kropki_knows_its_end_and_won_positions():
    """R036: whoever would win by stopping at once has won, whatever else is unknown."""
    record = kropki_record("cb cc bc ea dc eb cd ec ca ed")
    found = values_of(record)
    assert np.isnan(found.margin).all()
    assert found.certain_win.tolist() == (~np.isnan(found.win)).tolist()
    assert found.certain_win.any()
    assert set(found.win[found.certain_win]) == {1.0}


def test_many_games_share_what_is_slow_to_make(networks, monkeypatch, tmp_path):
    """F14: the network is loaded once for all games of a board."""
    from dotzero.play import zero

    loaded, load = [], zero.load_checkpoint
    monkeypatch.setattr(zero, "load_checkpoint", lambda *a, **k: loaded.append(1) or load(*a, **k))
    line = json.dumps({"game": "kropki", "rules": {"width": 6, "height": 6}, "moves": ["aa", "bb"]})
    path = tmp_path / "games.jsonl"
    path.write_text(f"{line}\n" * 3)
    valuer, told = GameValuer(GameValuesConfig(level=networks["kropki"])), []
    for record in read_records(path):
        valuer.values(game_positions(record), lambda done, total: told.append((done, total)))
    valuer.close()
    assert loaded == [1]
    assert told[-1] == (3, 3)


def test_only_a_network_values_positions():
    with pytest.raises(ValueError, match=r"level must be zero or zero:DIR.*got insane$"):
        GameValuesConfig(level="insane")
