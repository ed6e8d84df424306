"""Level medium of Dots and Boxes: its four rules, each by an independent look at the position."""

import time

import numpy as np
import pytest
from referee_boxes import Referee

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.play.arena import ArenaConfig, play_match
from dotzero.play.levels import BoxesMedium
from dotzero.play.players import Player, make_player
from dotzero.search.gifts import count_sides, line_boxes, most_sides, take_all

SIZES = [(1, 5), (2, 2), (3, 3), (3, 4), (5, 5)]


def boxes(rows, columns):
    return BoxesGame(BoxesRules(rows=rows, columns=columns))


def draw_all(game, moves):
    notation, state = BoxesNotation(game.rules), game.start(1)
    for move in moves.split():
        state = game.step(state, [notation.parse(move)])
    return state


class Look:
    """What the rules of the level need to know of a position, found with the slow referee."""

    def __init__(self, rows, columns, lines):
        self.referee = Referee(rows, columns)
        self.referee.drawn = {self.referee.segments[line] for line in np.flatnonzero(lines)}
        self.beside = [
            [box for box in self.referee.boxes() if segment in self.referee.sides(*box)]
            for segment in self.referee.segments
        ]

    def neighbours(self, line):
        return self.beside[line]

    def free(self):
        return [line for line, legal in enumerate(self.referee.legal()) if legal]

    def offered(self):
        return {line for line in self.free() if 3 in map(self.referee.num_sides, self.neighbours(line))}

    def safe(self):
        return {line for line in self.free() if max(map(self.referee.num_sides, self.neighbours(line))) < 2}

    def handout(self, line):
        """Boxes that the opponent can take one after another once this line is drawn."""
        drawn = self.referee.drawn
        self.referee.drawn = drawn | {self.referee.segments[line]}
        taken = 0
        while offers := self.offered():
            move = min(offers)
            taken += sum(self.referee.num_sides(box) == 3 for box in self.neighbours(move))
            self.referee.drawn.add(self.referee.segments[move])
        self.referee.drawn = drawn
        return taken


def loony_states(game, num_games, rng, random_actions):
    """Positions without a safe line and without an offered box, met where random safe lines run out."""
    state, player = game.start(num_games), BoxesMedium()
    seeds = rng.integers(2**63, size=num_games).astype(np.uint64)
    for _ in range(game.num_actions):
        sides = most_sides(game.rules, state.lines)
        going = np.flatnonzero(((sides == 0) | (sides == 1) | (sides == 3)).any(axis=1))
        if len(going):
            state[going] = game.step(state[going], player.choose(game, state[going], seeds[going]))
    return state[np.flatnonzero(~state.finished)]


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_takes_what_is_offered_and_else_stays_safe(rows, columns, random_states):
    """M1, M2 (R093, R094): thousands of random positions in all."""
    game, rng = boxes(rows, columns), np.random.default_rng([rows, columns, 2])
    state = random_states(game, 1000, rng)
    state = state[~state.finished]
    actions = BoxesMedium().choose(game, state, rng.integers(2**63, size=len(state)).astype(np.uint64))
    met = {"offered": 0, "safe": 0}
    for lines, action in zip(state.lines, actions, strict=True):
        look = Look(rows, columns, lines)
        offered, safe = look.offered(), look.safe()
        if offered:
            assert action in offered
            met["offered"] += 1
        elif safe:
            assert action in safe
            met["safe"] += 1
    assert min(met.values()) > 30


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_gives_the_fewest_when_it_must(rows, columns, random_actions):
    """M3 (R095, R078): the least by full recount, and a pair by its middle line where it can."""
    game, rng = boxes(rows, columns), np.random.default_rng([rows, columns, 3])
    state = loony_states(game, 150, rng, random_actions)
    assert len(state) > 20
    state = state[:60]
    actions = BoxesMedium().choose(game, state, rng.integers(2**63, size=len(state)).astype(np.uint64))
    for lines, action in zip(state.lines, actions, strict=True):
        look = Look(rows, columns, lines)
        assert not look.offered() | look.safe()
        handouts = {line: look.handout(line) for line in look.free()}
        fewest = min(handouts.values())
        assert handouts[action] == fewest
        middles = {
            line
            for line, given in handouts.items()
            if given == fewest == 2
            and [look.referee.num_sides(box) for box in look.neighbours(line)] == [2, 2]
        }
        assert not middles or action in middles


def test_a_pair_is_opened_in_the_middle():
    """M3: hard-hearted, although both ends give two boxes as well."""
    game = boxes(2, 2)  # the upper row is a pair with open ends, the lower row too
    state = draw_all(game, "A2T B2T A1T B1T A1B B1B")
    notation = BoxesNotation(game.rules)
    for seed in range(40):
        action = BoxesMedium().choose(game, state, np.array([seed], np.uint64))[0]
        assert notation.name(action) in ("B2L", "B1L")


def test_takes_chains_whole(random_states):
    """M4 (R096): left alone it takes all that can be taken in one turn, to the last box."""
    game, rng = boxes(4, 4), np.random.default_rng(4)
    state = random_states(game, 600, rng)
    state = state[(most_sides(game.rules, state.lines) == 3).any(axis=1)]
    assert len(state) > 100
    whole = take_all(game.rules, state.lines)
    mover, seeds = state.to_move.copy(), rng.integers(2**63, size=len(state)).astype(np.uint64)
    for _ in range(game.num_actions):
        offered = np.flatnonzero((most_sides(game.rules, state.lines) == 3).any(axis=1))
        if not len(offered):
            break
        state[offered] = game.step(state[offered], BoxesMedium().choose(game, state[offered], seeds[offered]))
        assert (state.to_move == mover).all()
    assert (state.lines == whole).all()


def test_a_double_deal_beats_it():
    """M4 (R096): two chains of four; it opens one, is left two boxes, takes them and must open the other."""
    game, notation = boxes(2, 4), BoxesNotation(BoxesRules(rows=2, columns=4))
    for seed in range(20):
        luck = np.array([seed], np.uint64)
        state = draw_all(game, "A2T B2T C2T D2T A1T B1T C1T D1T A1B B1B C1B D1B")
        medium = int(state.to_move[0])
        while not state.finished[0]:
            player = BoxesMedium() if state.to_move[0] == medium else DoubleDealer()
            state = game.step(state, player.choose(game, state, luck))
        assert state.score[0, medium] == 2, notation.board(state)


class DoubleDealer(Player):
    """Medium, but it leaves the last two boxes of an opened chain while much is left to win."""

    name = "double dealer"

    def choose(self, game, state, seeds):
        actions = BoxesMedium().choose(game, state, seeds)
        for index in np.flatnonzero(~state.finished):
            offered = np.flatnonzero(most_sides(game.rules, state.lines[index : index + 1])[0] == 3)
            if len(offered):
                actions[index] = self.take(game.rules, state.lines[index : index + 1], offered)
        return actions

    def take(self, rules, lines, offered):
        """Short ends first, so that the last two boxes hang together; those it leaves, if that pays."""
        runs = {int(line): self.run(rules, lines, line) for line in offered}
        line = min(runs, key=runs.get)
        most, sides = most_sides(rules, lines)[0], count_sides(rules, lines)[0]
        rest = rules.num_boxes - (sides == 4).sum() - 2
        if sum(runs.values()) != 2 or len(runs) > 1 or rest < 3 or ((most == 0) | (most == 1)).any():
            return line
        other = [box for box in line_boxes(rules)[line] if sides[box] == 2]
        ends = [
            end
            for end in np.flatnonzero(most >= 0)
            if end != line and other and other[0] in line_boxes(rules)[end]
        ]
        return ends[0] if ends else line

    def run(self, rules, lines, line):
        """Boxes taken one after another by following this offered line only."""
        lines, taken = lines.copy(), 0
        before = set(np.flatnonzero(count_sides(rules, lines)[0] == 3))
        while line is not None:
            sides = count_sides(rules, lines)[0]
            taken += int((sides[line_boxes(rules)[line]] == 3).sum())
            lines[0, line] = 1
            fresh = [box for box in np.flatnonzero(count_sides(rules, lines)[0] == 3) if box not in before]
            offered = np.flatnonzero(most_sides(rules, lines)[0] == 3)
            line = next((end for end in offered if fresh and fresh[0] in line_boxes(rules)[end]), None)
        return taken


@pytest.mark.parametrize(("size", "least"), [(3, 0.5), pytest.param(5, 0.6, marks=pytest.mark.slow)])
def test_a_double_dealer_wins_matches_against_it(size, least):
    """R096: the weakness is real in whole games."""
    match = play_match(boxes(size, size), DoubleDealer(), BoxesMedium(), ArenaConfig(games=100, seed=1))
    assert match.score > least


def test_beats_random_play():
    """The ladder is monotone at its foot."""
    game = boxes(3, 3)
    match = play_match(game, BoxesMedium(), make_player("random", game), ArenaConfig(games=200))
    assert match.score > 0.97


def test_is_quick_enough():
    """200 games on 5x5 boxes in a few seconds (about 0.7 s here)."""
    begun = time.monotonic()
    play_match(boxes(5, 5), BoxesMedium(), BoxesMedium(), ArenaConfig(games=200))
    assert time.monotonic() - begun < 10


def test_other_games_are_refused():
    class Other:
        name = "chess"

    with pytest.raises(ValueError, match="player medium must play boxes, got chess"):
        BoxesMedium().choose(Other(), None, np.zeros(1, np.uint64))
