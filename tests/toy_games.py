"""Toy worlds with known values, and evaluators for them: games written as nested tuples.

A leaf is the final margin of player 0. An inner node is (player to move, child of action 0, child of action
1, ...), with None for an action that is not legal. The same player may move any number of times running.
"""

from types import SimpleNamespace

import numpy as np

from dotzero import _core
from dotzero.envs.game import Game, Observation, State
from dotzero.search.mcts import Search, game_seeds, run
from dotzero.search.search_config import SearchConfig


class ToyState(State):
    __slots__ = ("node",)

    def __init__(self, game, node):
        self.node = np.asarray(node, np.int32)
        self.to_move = game.mover[self.node]
        self.finished = (game.next[self.node] < 0).all(axis=1)
        self.score = np.zeros((len(self.node), 2), np.int16)


class ToyGame(Game):
    name = "toy"
    encoding_version = 1
    observation_shape = (4, 1, 1)
    num_globals = 1

    def __init__(self, tree, max_margin=1):
        rows, mover, margin = [], [], []
        self._add(tree, rows, mover, margin)
        self.num_actions = self.num_policy_slots = max(1, max(map(len, rows)))
        self.policy_slots = np.arange(self.num_actions, dtype=np.int32)
        self.max_margin = max_margin
        self.margin_scale = float(max_margin)
        self.next = np.array([row + [-1] * (self.num_actions - len(row)) for row in rows], np.int32)
        self.mover = np.array(mover, np.int8)
        self.final = np.array(margin, np.float32)

    def _add(self, tree, rows, mover, margin):
        node = len(rows)
        rows.append([])
        is_leaf = not isinstance(tree, tuple)
        # The player "to move" in a finished game is arbitrary; odd leaves exercise both signs.
        mover.append(node % 2 if is_leaf else tree[0])
        margin.append(tree if is_leaf else 0.0)
        if not is_leaf:
            rows[node] = [-1 if c is None else self._add(c, rows, mover, margin) for c in tree[1:]]
        return node

    rules = None
    size = (1, 1)

    def neighbour(self):
        raise NotImplementedError("toy games have no size")

    def start(self, num_games, random=None):
        return ToyState(self, np.zeros(num_games, np.int32))

    def at(self, nodes):
        return ToyState(self, nodes)

    def step(self, state, action):
        return ToyState(self, self.next[state.node, action])

    def legal(self, state):
        return self.next[state.node] >= 0

    def observe(self, state):
        points = state.node.astype("<i4").view(np.uint8).reshape(-1, 4, 1, 1)
        return Observation(points, np.zeros((len(state.node), 1), np.float32))

    def owners(self, state):
        raise NotImplementedError("toy games have no board")

    def new_search(self, num_games, options, num_threads):
        return _core.TableGameSearch(self.next, self.mover, self.final, num_games, options, num_threads)

    def load_roots(self, core_search, slots, state):
        core_search.set_roots(slots, state.node)

    def minimax(self, node=0):
        """Exact margin for the player to move, and the best actions."""
        mover = self.mover[node]
        children = {a: c for a, c in enumerate(self.next[node]) if c >= 0}
        if not children:
            return float(self.final[node] if mover == 0 else -self.final[node]), []
        values = {}
        for action, child in children.items():
            value, _ = self.minimax(child)
            values[action] = value if self.mover[child] == mover else -value
        best = max(values.values())
        return best, [a for a, v in values.items() if v == best]


class TableEvaluator:
    """Answers from tables by state, or all zeros; remembers what it was asked."""

    def __init__(self, game, logits=None, values=None, margins=None):
        count = len(game.mover)
        self.logits = np.zeros((count, game.num_actions)) if logits is None else logits
        self.values = np.zeros(count) if values is None else values
        self.margins = np.zeros(count) if margins is None else margins
        self.asked = []

    def allocate(self, capacity, observation_shape, num_globals):
        return SimpleNamespace(
            points=np.zeros((capacity, *observation_shape), np.uint8),
            globals=np.zeros((capacity, num_globals), np.float32),
        )

    def start(self, buffer, num_rows):
        nodes = buffer.points[:num_rows].reshape(num_rows, 4).copy().view("<i4")[:, 0]
        self.asked.append(nodes)
        return nodes

    def finish(self, nodes):
        return SimpleNamespace(
            policy=self.logits[nodes].astype(np.float32),
            value=self.values[nodes].astype(np.float32),
            margin=self.margins[nodes].astype(np.float32),
        )


def random_tree(random, depth, width=3, margins=(-2, -1, 0, 1, 2)):
    """A random game: players in any order, illegal actions, games of unequal length."""
    if depth == 0 or (depth < 3 and random.random() < 0.15):
        return float(random.choice(margins))
    children = [
        None if i and random.random() < 0.2 else random_tree(random, depth - 1, width) for i in range(width)
    ]
    return (int(random.integers(2)), *children)


def search_from(game, nodes, evaluator=None, noise=False, seed=0, num_threads=1, budgets=None, **options):
    """Run one search of the given root nodes; returns the Search and its result."""
    config = SearchConfig(**{"margin_weight": 0.5, "num_simulations": 64, **options})
    seeds = game_seeds(np.random.SeedSequence(seed), len(nodes))
    search = Search(game, len(nodes), config, evaluator or TableEvaluator(game), seeds, num_threads)
    slots = np.arange(len(nodes), dtype=np.int32)
    search.begin(slots, game.at(nodes), budgets, noise)
    run([search])
    return search, search.results(slots)


def random_evaluator(game, random, scale=1.0):
    count = len(game.mover)
    return TableEvaluator(
        game,
        scale * random.normal(size=(count, game.num_actions)),
        np.tanh(random.normal(size=count)),
        random.normal(size=count),
    )
