"""What a network expects of a position, for people: its verdict, the moves it tried, a map of owners."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dotzero.envs.boxes import BoxesGame
from dotzero.envs.game import Game, State
from dotzero.envs.kropki_rules import LETTERS
from dotzero.play.listed_rows import rows_text
from dotzero.play.network_analysis import Candidate, Estimate

_MOST_CANDIDATES = 8
_MOST_RAW = 8


def estimate_text(found: Estimate, names: Sequence[str], mover: int) -> str:
    """Verdict and candidates. `mover` is player 0 or 1."""
    margin = found.lead + found.value
    win = "" if found.win is None else f", wins {found.win:.1%}"
    order = np.argsort(-found.policy, kind="stable")[:_MOST_RAW].tolist()
    raw = " ".join(f"{names[a]} {found.policy[a]:.0%}" for a in order if found.policy[a] >= 0.005)
    total = sum(one.visits for one in found.candidates)
    to_come = f"{found.value:+.1f} to come for player {mover + 1}"
    rows = [
        ("network", f"{to_come}, final margin {margin:+.1f}{win} (an estimate)"),
        ("raw network", f"final margin {found.raw_margin:+.1f}, wins {found.raw_win:.1%}; it likes {raw}"),
        ("search", f"{total} simulations"),
    ]
    heading = " move      visits  prior  value    win  and then"
    tried = [_candidate_row(one, names) for one in found.candidates[:_MOST_CANDIDATES]]
    left = len(found.candidates) - _MOST_CANDIDATES
    more = [f" and {left} more"] if left > 0 else []
    return "\n".join([rows_text(rows), "", heading, *tried, *more])


def _candidate_row(one: Candidate, names: Sequence[str]) -> str:
    win = "" if one.win is None else f"{one.win:.1%}"
    line = " ".join(names[action] for action in one.variation[1:])
    row = f" {names[one.action]:<8} {one.visits:7} {one.prior:6.1%} {one.value:+6.1f} {win:>6}  {line}"
    return row.rstrip()


def owners_text(game: Game[Any], state: State, found: Estimate) -> str:
    """The owner map: tenths of the probability that player 1 will own each box or point.

    9 is player 1's almost certainly, 0 player 2's; a dot of Kropki is the point's own colour as a rule.
    """
    assert found.owners is not None
    first = found.owners if state.to_move[0] == 0 else 1 - found.owners
    tenths = np.clip(np.floor(10 * first), 0, 9).astype(int)
    rows, columns = game.size
    if isinstance(game, BoxesGame):
        across = [chr(ord("A") + x) for x in range(columns)]
        down = [str(rows - y) for y in range(rows)]
    else:
        across, down = list(LETTERS[:columns]), list(LETTERS[:rows])
    width = max(map(len, down))
    lines = [f"{'':{width}} {' '.join(across)}"]
    lines += [
        f"{label:>{width}} {' '.join(map(str, row))}"
        for label, row in zip(down, tenths.tolist(), strict=True)
    ]
    title = "Owner map: tenths of the chance that player 1 will own it."
    return "\n".join([title, *lines])
