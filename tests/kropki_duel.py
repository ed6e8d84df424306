"""Engine against referee: a batch of games of Kropki on one board, played on both and compared move by move.

Every step of the engine begins from plain arrays, so each move is also a test of loading a position; in the
end the whole game is replayed in one go, without loading anything between. Beside every game runs its image
under a motion of the board, which must give the image of every position.
"""

from random import Random

import numpy as np
from kropki_generators import STYLES, dots, size
from referee_kropki import Referee

from dotzero import _core
from dotzero.envs.kropki_rules import core_options
from dotzero.envs.registry import make_game

OPTIONS = {
    "official": {},
    "owner_turn": {"house_closes": "owner_turn"},
    "add_turn": {"add_turn": True},
    "solo": {"stop": "solo"},
    "solo_moves": {"stop": "solo", "solo_moves": 5},
    "stop_off": {"stop": "off"},
    "holes": {"holes": True},
    "punish": {"punish": True},
    "last_safe": {"last_safe": True},
    "capture_empty": {"capture_empty": True},
    "territory": {"score": "territory"},
    "instant_win": {"instant_win": 3},
    "komi": {"komi": -1.5},
    "opening_zone": {"opening_zone": (2, 2)},
}
STARTS = ("empty", "empty", "single", "cross", "double_cross", "four_crosses", "random_crosses")


def random_options(rng):
    """Several options at once."""
    chosen = {}
    for name in rng.sample(sorted(OPTIONS), rng.randint(2, 6)):
        chosen |= OPTIONS[name]
    if chosen.get("stop") != "solo":
        chosen.pop("solo_moves", None)
    return chosen


MIDDLE = 15
"""The move after which a second replay begins."""
CORE_FIELDS = (
    "cells", "last", "num_moves", "stopped", "solo_left", "komi", "to_move", "finished", "score",
)  # fmt: skip
"""The arrays of a state in the order in which the core takes them."""


class Duel:
    """B games on one board under one set of rules."""

    def __init__(self, width, height, start="empty", num_games=1, seed=0, **options):
        rules = {"width": width, "height": height, "start": start} | options
        self.told = f"{rules} seed {seed}"
        self.game = make_game("kropki", rules)
        self.state = self.game.start(num_games, np.random.default_rng(seed))
        self.start, self.middle = self.state.copy(), self.state.copy()
        self.referees = [
            Referee(width, height, [(x, y, board[y, x] - 1) for y, x in np.argwhere(board)], **options)
            for board in self.state.start_dots.astype(int)
        ]
        if any(referee.houses(0) | referee.houses(1) for referee in self.referees):
            raise ValueError(f"a start must not enclose anything here, got {self.told}")
        symmetries = self.game.symmetries
        self.turned = np.arange(num_games) % len(
            symmetries
        )  # each game has an image under a motion of its own
        self.image = self.turn(self.state)
        self.history, self.scores = [[] for _ in range(num_games)], [[] for _ in range(num_games)]
        self.check(range(num_games))

    def turn(self, state, games=slice(None)):
        """`state`, the positions of `games`, as they look under these games' motions of the board."""
        image = state.copy()
        turned = self.turned[games]
        for index, points in enumerate(self.game.symmetries.points[turned]):
            image.cells[index].flat[points] = state.cells[index].flat
            image.start_dots[index].flat[points] = state.start_dots[index].flat
        for index, actions in enumerate(self.game.symmetries.actions[turned]):
            image.last[index] = np.where(state.last[index] < 0, -1, actions[state.last[index]])
        return image

    def play(self, actions, players):
        """One action a game, -1 in those that pause or are over; `players` are put to move first."""
        going = np.flatnonzero(np.array(actions) >= 0)
        chosen, movers = np.array(actions)[going], np.array(players, np.int8)[going]
        self.state.to_move[going] = self.image.to_move[going] = movers
        before = self.state[going]
        self.state[going] = self.game.step(before, chosen)
        images = self.game.symmetries.actions[self.turned[going], chosen]
        self.image[going] = self.game.step(self.image[going], images)
        for row, (index, action, player) in enumerate(zip(going, chosen, movers, strict=True)):
            referee = self.referees[index]
            referee.to_move = int(player)
            self.history[index].append((int(action), int(player)))
            referee.play(int(action))
            if referee.captures:
                self.check_captures(before, row, index)
        self.check(going)
        for index in going:
            self.scores[index].append(self.state.score[index].tolist())
            if len(self.history[index]) == MIDDLE:
                self.middle[index : index + 1] = self.state[index : index + 1]

    def expect(self, name, games, got, want):
        """The same value for all `games`; the message says how to come there again."""
        for index, ours, theirs in zip(games, got, want, strict=True):
            assert ours == theirs, (
                f"{name}: engine {ours}, referee {theirs}, game {index} of {self.told}\n{self.history[index]}"
            )

    def check(self, games):
        """Everything that can be asked of the positions of `games`."""
        game, state = self.game, self.state[np.array(games)]
        referees = [self.referees[index] for index in games]
        for field in ("score", "to_move", "finished", "num_moves", "stopped", "solo_left"):
            want = (
                [getattr(r, field) for r in referees] if field != "score" else [r.score() for r in referees]
            )
            self.expect(field, games, getattr(state, field).tolist(), want)
        margins = [[r.stop_margin(0), r.stop_margin(1)] for r in referees]
        for name, got, want in (
            ("cells", state.cells.reshape(len(games), -1), [r.cells() for r in referees]),
            ("legal", game.legal(state), [r.legal() for r in referees]),
            ("ungrounded", game.ungrounded(state), [r.ungrounded() for r in referees]),
            ("stop margins", game.stop_margins(state), margins),
        ):
            self.expect(name, games, got.tolist(), want)
        again = game.position(state.cells)  # refuses live dots that should have been captured
        self.expect("cells of the position", games, again.cells.tolist(), state.cells.tolist())
        self.expect("score of the position", games, again.score.tolist(), state.score.tolist())
        image, turned = self.image[np.array(games)], self.turn(state, games)
        for field in ("cells", "score", "to_move", "finished", "last"):
            got, want = getattr(image, field), getattr(turned, field)
            self.expect(f"{field} of the image", games, got.tolist(), want.tolist())

    def check_captures(self, before, row, index):
        """The same rings; among equally large regions the rules name no order.

        With owner_turn a visitor may fall by itself or with a larger ring round it, whichever is looked at
        first: there only what is taken is compared.
        """
        action, referee = self.history[index][-1][0], self.referees[index]
        listed = self.game.captures(before, action, row), referee.captures
        found, want = (
            sorted((c.player, plain(c.chain), sorted(c.interior), c.dots) for c in captures)
            for captures in listed
        )
        if referee.rules["house_closes"] == "owner_turn":
            found, want = (
                (sum(c.dots for c in captures), sorted(set().union(*(c.interior for c in captures))))
                for captures in listed
            )
        self.expect("captures", [index], [found], [want])

    def check_outlook(self):
        """Who has won already, what a dot would take, and the image of an observation."""
        games = range(len(self.referees))
        decided = [r.decided() for r in self.referees]
        self.expect("decided", games, self.game.decided(self.state).tolist(), decided)
        for player in (0, 1):
            want = [[r.gain(p, player) for p in r.points] for r in self.referees]
            self.expect(f"gains of {player}", games, self.game.gains(self.state, player).tolist(), want)
        seen, image = self.game.observe(self.state), self.game.observe(self.image)
        points = self.game.symmetries.apply_to_points(seen.points, self.turned)
        self.expect("points of the image", games, image.points.tolist(), points.tolist())
        self.expect("globals of the image", games, image.globals.tolist(), seen.globals.tolist())

    def check_replay(self):
        """Every game once more, from the start and from the middle, on a state that is carried along."""
        core = _core.Kropki(core_options(self.game.rules))
        for index, history in enumerate(self.history):
            for begin, number in ((self.start, 0), (self.middle, MIDDLE)):
                if len(history) < max(number, 1):
                    continue
                state, moves = begin[index : index + 1], np.array(history[number:]).reshape(-1, 2)
                arrays = [getattr(state, field) for field in CORE_FIELDS]
                arrays[CORE_FIELDS.index("finished")] = state.finished.view(np.uint8)
                actions, players = moves[:, 0].astype(np.int32), moves[:, 1].astype(np.int8)
                scores, _, illegal = core.replay(*arrays, actions, players)
                assert illegal == -1, (illegal, self.told, history)
                self.expect("scores of a replay", [index], [scores.tolist()], [self.scores[index][number:]])
                for field in (*CORE_FIELDS, "start_dots"):
                    got, want = getattr(state, field)[0], getattr(self.state, field)[index]
                    self.expect(f"{field} after a replay", [index], [got.tolist()], [want.tolist()])


def plain(chain):
    """A ring in a form that does not depend on where and which way round it begins."""
    chain = list(chain)
    start = chain.index(min(chain))
    ways = chain[start:] + chain[:start], (chain[start::-1] + chain[:start:-1])
    return min(ways)


def duel(rng, options, in_turn, styles, sides):
    """A board and a start for the options, and the generators of its games: one of each style."""
    start = "empty" if "opening_zone" in options else rng.choice(STARTS)
    make = dict(num_games=len(styles), seed=rng.randrange(10**6), **options)
    try:
        one = Duel(*sides, start, **make)
    except ValueError:  # the start does not fit, or its crosses touch and enclose each other
        one = Duel(*sides, "empty", **make)
    games = [
        dots(style, referee, Random(rng.random()), in_turn)
        for style, referee in zip(styles, one.referees, strict=True)
    ]
    return one, games


def play_duels(seed, num_moves, options, in_turn, styles=None, sides=None):
    """Games under `options`, of every style; None: several options at once, drawn anew for each board."""
    rng, made, styles = Random(seed), 0, styles or list(STYLES.values())
    while made < num_moves:
        chosen_options = random_options(rng) if options is None else options
        one, games = duel(rng, chosen_options, in_turn, styles, sides or size(rng))
        going, ply = True, 0
        while going:
            chosen = [pick(one, index, games, rng, in_turn) for index in range(len(games))]
            going = any(action >= 0 for action, _ in chosen)
            if going:
                one.play(*zip(*chosen, strict=True))
            made += sum(action >= 0 for action, _ in chosen)
            ply += 1
            if ply % 30 == 7:
                one.check_outlook()
        one.check_replay()
    return made


def pick(one, index, games, rng, in_turn):
    """The next action of a game and who plays it: of its generator, or STOP when that is through."""
    referee = one.referees[index]
    if referee.finished:
        return -1, 0
    stop = one.game.rules.stop.value
    if in_turn and stop == "solo" and rng.random() < 0.02:
        return one.game.stop, referee.to_move
    dot = next(games[index], None)
    if dot is not None:
        return dot
    if stop == "grounding":
        return one.game.stop, rng.randrange(2)
    return -1, 0
