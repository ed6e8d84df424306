"""Games for the tests of sessions, saves and screens: a time that is set by hand, and players by script."""

import numpy as np

from dotzero.envs.boxes import BoxesRules
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.play.game_settings import GameSettings
from dotzero.play.players import make_player
from dotzero.play.seats import Seat
from dotzero.play.sessions import GameSession

EXAMPLE = ["A2T", "B1B", "A1B", "A2L", "B1R", "B2T", "A1T", "A2R", "B1T", "B2R", "A1R", "A1L"]
"""The classic game on 2x2, 3:1 for player 1 (R071)."""
CAPTURE = ["cc", "cb", "aa", "bc", "ea", "dc", "ab", "cd"]
"""On an empty board of 5x5 player 2 takes the dot of player 1 at cc with its fourth dot."""


class Time:
    """A clock that stands until it is set forward."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now

    def pass_by(self, seconds):
        self.now += seconds


def boxes(rows=2, columns=2, seats=(None, None), **settings):
    return _session(BoxesRules(rows=rows, columns=columns), seats, **settings)


def kropki(width=5, height=5, seats=(None, None), start="empty", rules=None, **settings):
    return _session(KropkiRules(width=width, height=height, start=start, **(rules or {})), seats, **settings)


def _session(rules, seats, now=None, resumed=True, names=("", ""), **settings):
    pair = tuple(Seat(player=player, name=name) for player, name in zip(seats, names, strict=True))
    made = GameSettings(rules=rules, seats=pair, **settings)
    session = GameSession(made) if now is None else GameSession(made, now)
    if resumed:
        session.resume()
    return session


def play(session, names):
    """Make moves by their names, whoever is to move."""
    return [session.move(session.notation.parse(name)) for name in names]


def finish(session, seed=0):
    """Play to the end: persons draw any legal move that does not stop, computers answer."""
    rng, players = np.random.default_rng(seed), {}
    while not session.finished:
        question = session.question()
        if question is None:
            legal = np.flatnonzero(session.game.plain_actions(session.state)[0])
            session.move(int(rng.choice(legal)))
        else:
            name = question.player
            if name not in players:
                players[name] = make_player(name, session.game)
            session.answer(question, question.ask(players[name]))
    return session


def same(one, two):
    """Whether two sessions are the same game at the same moment, field by field."""
    arrays = type(one.state).__dataclass_fields__
    equal = all(np.array_equal(getattr(one.state, name), getattr(two.state, name)) for name in arrays)
    told = ("id", "settings", "moves", "result", "score", "mover", "num_undone", "seconds_left")
    return equal and all(getattr(one, name) == getattr(two, name) for name in told)
