"""Reviews of games: costs, classes, key moves, accuracy, on games whose values are known."""

import json

import numpy as np
import pytest
from recorded import boxes_record, kropki_record

from dotzero.envs.game_records import notation_of
from dotzero.play.game_positions import game_positions
from dotzero.play.game_review import THRESHOLDS, MoveClass, review
from dotzero.play.game_values import GameValuer, GameValues


def reviewed(record, values=None):
    positions = game_positions(record)
    return review(positions, GameValuer().values(positions) if values is None else values)


def made_up(margins, wins, best=None, exact=False):
    """Values of a game as a network might give them."""
    number = len(margins)
    return GameValues(
        margin=np.array(margins, float),
        win=np.array(wins, float),
        exact=np.full(number, exact),
        best=best or [()] * number,
        certain_win=np.zeros(number, bool),
    )


def test_f12_the_classic_game():
    """F12, R072: both err once; A1T, the sacrifice, is a best line."""
    found = reviewed(boxes_record())
    assert [move.loss for move in found.moves] == [0, 0, 0, 2, 6, 4, 0, 0, 0, 0, 0, 0]
    kinds = [move.kind for move in found.moves]
    good = MoveClass.GOOD
    assert kinds[:7] == [good] * 3 + [MoveClass.INACCURACY, MoveClass.BLUNDER, MoveClass.BLUNDER, good]
    assert [move.number for move in found.key_moves] == [5, 6]
    assert found.moves[6].value == 2
    assert found.moves[6].action in found.moves[6].best
    assert all(move.exact for move in found.moves)
    assert (found.last_margin, found.last_win) == (2, 1)
    assert [move.score for move in found.moves][-2:] == [(2, 1), (3, 1)]


def test_accuracy_is_the_mean_of_its_formula():
    """Player 2 made five moves: three without a cost, one of half a mistake, one of ten."""
    side = reviewed(boxes_record()).side(1)
    assert side.accuracy == pytest.approx(100 * (3 + 2**-0.5 + 2**-10) / 5)
    assert (side.moves, side.rated, side.loss) == (5, 5, 6)
    assert (side.classes[MoveClass.INACCURACY], side.classes[MoveClass.BLUNDER]) == (1, 1)


def test_an_only_move_is_not_rated():
    """R149: the last line of a game is no merit."""
    found = reviewed(boxes_record())
    last = found.moves[-1]
    assert (last.forced, last.kind, last.mistakes) == (True, None, None)
    assert found.side(0).rated == found.side(0).moves - 1


@pytest.mark.parametrize(
    ("points", "chance", "kind"),
    [
        (0.0, 0.0, MoveClass.GOOD),
        (1.9, 0.04, MoveClass.GOOD),
        (2.0, 0.0, MoveClass.INACCURACY),
        (0.0, 0.05, MoveClass.INACCURACY),
        (4.0, 0.0, MoveClass.MISTAKE),
        (3.0, 0.11, MoveClass.MISTAKE),
        (8.0, 0.0, MoveClass.BLUNDER),
        (0.5, 0.21, MoveClass.BLUNDER),
    ],
)
def test_classes_by_what_is_worse(points, chance, kind):
    """Either player: what is lost is seen by who moved."""
    record = kropki_record("cb cc")
    first = made_up([points, 0, 0], [0.5 + chance, 0.5, 0.5])
    second = made_up([0, 0, points], [0.5, 0.5, 0.5 + chance])
    for number, values in enumerate((first, second)):
        move = reviewed(record, values).moves[number]
        assert move.kind is kind
        assert move.loss == points
        assert move.win_loss == pytest.approx(chance)
    least = THRESHOLDS.get(kind.value)
    assert least is None or points >= least["points"] or chance >= least["win"]


def test_a_move_that_is_liked_or_turns_out_well_costs_nothing():
    record = kropki_record("cb cc")
    liked = made_up([9, 0, 0], [0.9, 0.1, 0.1], best=[(record.moves[0],), (), ()])
    assert (reviewed(record, liked).moves[0].loss, reviewed(record, liked).moves[0].mistakes) == (0, 0)
    better = made_up([0, 5, 5], [0.5, 0.9, 0.9])
    assert (reviewed(record, better).moves[0].loss, reviewed(record, better).moves[0].win_loss) == (0, 0)


def test_what_is_not_known_is_not_rated():
    nan = float("nan")
    found = reviewed(kropki_record("cb cc"), made_up([nan, 1, 1], [nan, nan, 0.5]))
    assert [move.kind for move in found.moves] == [None, MoveClass.GOOD]
    assert (found.moves[0].value, found.moves[0].win, found.moves[0].loss) == (None, None, None)
    assert (found.moves[1].value, found.moves[1].win) == (-1, None)
    side = found.side(0)
    assert (side.moves, side.rated, side.accuracy) == (1, 0, None)
    assert side.to_json() == {"moves": 1, "choices": 1, "rated": 0}


def test_key_moves_are_the_worst_in_order():
    margins = [0, -5, 25, -5, 0, -30, 0, -4, 0]
    found = reviewed(kropki_record("aa ba ca da ea fa ab bb"), made_up(margins, [0.5] * 9))
    losses = [round(move.loss) for move in found.moves]
    assert losses == [5, 30, 30, 5, 30, 30, 4, 4]
    assert [move.number for move in found.key_moves] == [1, 2, 3, 5, 6]


def test_json_has_what_is_known_and_nothing_else():
    found = reviewed(boxes_record())
    names = [notation_of(found.positions.record.rules).name(action) for action in range(12)]
    data = json.loads(json.dumps(found.moves[4].to_json(names), allow_nan=False))
    assert data == {
        "number": 5, "player": 1, "move": "B1R", "phase": "safe", "exact": True, "value": 4.0, "win": 1.0,
        "win_exact": True, "best": ["B1L"], "loss": 6.0, "win_loss": 1.0, "class": "blunder", "taken": 0,
        "on_offer": 0, "score": [0, 0],
    }  # fmt: skip
    last = found.moves[-1].to_json(names)
    assert last["forced"] is True
    assert "class" not in last
    bare = reviewed(kropki_record("cb"), made_up([float("nan")] * 2, [float("nan")] * 2))
    assert set(bare.moves[0].to_json(["x"] * 37)) == {
        "number", "player", "move", "phase", "exact", "taken", "on_offer", "score"
    }  # fmt: skip
    assert found.side(0).to_json() == {
        "moves": 7, "choices": 6, "rated": 6, "accuracy": 83.3, "loss": 6.0, "inaccuracies": 0,
        "mistakes": 0, "blunders": 1,
    }  # fmt: skip


@pytest.mark.parametrize(("known", "accuracy"), [(1, None), (2, 100.0), (4, 100.0)])
def test_a_few_rated_moves_make_no_accuracy(known, accuracy):
    """Player 1 makes four moves, the costs of the last `known` of them being known: half of them suffice."""
    nan = float("nan")
    record = kropki_record("aa ba ca da ea fa ab")
    wins = [nan] * (8 - 2 * known) + [0.5] * (2 * known)
    side = reviewed(record, made_up([nan] * 8, wins)).side(0)
    assert (side.moves, side.choices, side.rated, side.accuracy) == (4, 4, known, accuracy)
    assert side.loss is None  # nothing is known of points
    data = side.to_json()
    assert "loss" not in data
    assert ("accuracy" in data) == (accuracy is not None)
    assert (data["rated"], data["mistakes"]) == (known, 0)


def test_r036_a_won_stop_is_certain_and_the_rest_unknown():
    """Kropki without a network: one move of seven is rated, and its chance is exact; points are not known."""
    found = reviewed(kropki_record("ba bb ab fa ca fb ac fc cb fd bc fe stop"))
    assert [(move.win, move.win_exact) for move in found.moves] == [(None, False)] * 12 + [(1, True)]
    assert (found.moves[-1].exact, found.moves[-1].to_json(["x"] * 37)["win_exact"]) == (False, True)
    side = found.side(0)
    assert (side.moves, side.rated, side.accuracy, side.loss) == (7, 1, None, None)
