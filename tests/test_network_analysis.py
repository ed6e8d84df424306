"""A network's estimate of a position: candidates, policy, owners, all seen by the player to move."""

import numpy as np
import pytest
from random_networks import zero_of

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.play.network_analysis import estimate, raw_policy
from dotzero.play.players import make_player

BOXES = BoxesGame(BoxesRules(rows=4, columns=4))
KROPKI = KropkiGame(KropkiRules(width=6, height=6))
GAMES = [pytest.param(BOXES, id="boxes"), pytest.param(KROPKI, id="kropki")]


@pytest.fixture(params=GAMES)
def player(request, tmp_path):
    """A game and a player of it with a random network."""
    game = request.param
    made = make_player(zero_of(tmp_path, game, ",simulations=40"), game)
    yield game, made
    made.close()


def test_f08_candidates_have_visits_priors_values_and_lines(player):
    """F08, F10: the best one first, the others by visits; together all simulations."""
    game, zero = player
    found = estimate(game, game.start(1), zero, seed=2, num_variations=3)
    assert sum(one.visits for one in found.candidates) == 40
    first, *others = found.candidates
    assert first.action == found.best
    assert [one.visits for one in others] == sorted((one.visits for one in others), reverse=True)
    assert [one.variation[0] for one in found.candidates] == [one.action for one in found.candidates]
    assert [len(one.variation) > 1 for one in found.candidates[3:]] == [False] * (len(others) - 2)
    assert len(first.variation) > 1
    assert all(0 <= one.win <= 1 for one in found.candidates)
    assert (found.value, found.win) == (first.value, first.win)
    game.replay(game.start(1), first.variation)


def test_f09_the_raw_policy_is_of_legal_moves(player):
    """F09: the network's alone, without the search, and with it the chance and the margin it expects."""
    game, zero = player
    state = game.step(game.start(1), [int(game.legal(game.start(1))[0].argmax())])
    found = estimate(game, state, zero, seed=0)
    alone = zero.evaluate(game, state)
    assert found.policy.sum() == pytest.approx(1, abs=1e-5)
    assert (found.policy[~game.legal(state)[0]] == 0).all()
    logits = alone.policy[0, game.policy_slots][game.legal(state)[0]]
    assert (np.argsort(logits) == np.argsort(found.policy[game.legal(state)[0]])).all()
    assert found.raw_win == pytest.approx((1 + alone.value[0]) / 2, abs=1e-4)
    assert found.raw_margin == pytest.approx(alone.margin[0], abs=0.006)
    assert [one.prior for one in found.candidates] == [found.policy[one.action] for one in found.candidates]


def test_json_by_names(player):
    game, zero = player
    names = [f"m{action}" for action in range(game.num_actions)]
    found = estimate(game, game.start(1), zero, seed=1, with_owners=True)
    data = found.to_json(names)
    assert data["best"] == [f"m{found.best}"] == [data["candidates"][0]["move"]] == data["pv"][:1]
    assert data["visits"] == {one["move"]: one["visits"] for one in data["candidates"] if one["visits"]}
    assert data["margin"] == pytest.approx(data["value"] + found.lead, abs=0.006)
    assert len(data["owners"]) == game.size[0]
    assert {len(row) for row in data["owners"]} == {game.size[1]}
    likely = list(data["policy"].values())
    assert likely == sorted(likely, reverse=True)
    assert "owners" not in estimate(game, game.start(1), zero, seed=1).to_json(names)


def test_a_margin_search_has_no_chances(tmp_path):
    zero = make_player(zero_of(tmp_path, BOXES, ",simulations=8,margin_weight=1"), BOXES)
    data = estimate(BOXES, BOXES.start(1), zero, seed=0).to_json([str(a) for a in range(40)])
    assert "win" not in data
    assert all("win" not in one for one in data["candidates"])
    zero.close()


def test_the_raw_policy_of_a_batch():
    """Illegal moves have none, and equal logits equal shares."""
    state = KROPKI.start(2)
    policy = raw_policy(KROPKI, state, np.zeros((2, KROPKI.num_policy_slots), np.float32))
    legal = KROPKI.legal(state)
    assert np.allclose(policy, legal / legal.sum(axis=1, keepdims=True))
