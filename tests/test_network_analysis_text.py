"""A network's estimate as text: verdict, candidates, owner map."""

import numpy as np

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.play.network_analysis import Candidate, Estimate
from dotzero.play.network_analysis_text import estimate_text, owners_text

NAMES = ["A", "B", "C"]


def made(owners=None, win=0.625):
    candidates = tuple(
        Candidate(action=a, visits=v, prior=p, value=1.5 - a, win=win, variation=line)
        for a, v, p, line in ((1, 40, 0.2, (1, 2, 0)), (0, 20, 0.7, (0,)))
    )
    return Estimate(
        best=1,
        candidates=candidates,
        lead=-2.0,
        policy=np.array([0.7, 0.2, 0.1], np.float32),
        raw_win=0.4,
        raw_margin=-1.0,
        owners=owners,
    )


def test_f08_verdict_and_candidates():
    """F08, F09, F10: visits, prior, value, chance and what follows; beside them the network alone."""
    text = estimate_text(made(), NAMES, mover=1)
    assert "+0.5 to come for player 2, final margin -1.5, wins 62.5% (an" in text
    assert "final margin -1.0, wins 40.0%; it likes A 70% B 20% C 10%" in text
    assert "search        60 simulations" in text
    assert text.splitlines()[-2:] == [
        " B             40  20.0%   +0.5  62.5%  C A",
        " A             20  70.0%   +1.5  62.5%",
    ]
    assert "%" not in estimate_text(made(win=None), NAMES, mover=1).splitlines()[-1].split("70.0%")[1]


def test_f11_the_owner_map_is_player_ones():
    """F11: whoever is to move, 9 is player 1's."""
    game = BoxesGame(BoxesRules(rows=1, columns=2))
    found = made(owners=np.array([[0.99, 0.24]], np.float32))
    state = game.start(1)
    assert owners_text(game, state, found).splitlines()[1:] == ["  A B", "1 9 2"]
    state.to_move[:] = 1
    assert owners_text(game, state, found).splitlines()[1:] == ["  A B", "1 0 7"]
    kropki = KropkiGame(KropkiRules(width=2, height=3, start="empty"))
    found = made(owners=np.array([[0, 1], [0.5, 0.5], [0.5, 0.1]], np.float32))
    assert owners_text(kropki, kropki.start(1), found).splitlines()[1:] == [
        "  a b",
        "a 0 9",
        "b 5 5",
        "c 5 1",
    ]
