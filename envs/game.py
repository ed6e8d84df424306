"""The contract that every game keeps, whatever its board, its actions and its order of turns.

A `Game` is immutable: rules plus sizes. A `State` is a batch of games, one array a field. All verbs take and
give whole batches, and a `step` returns a new state, so that an old one stays valid.

Nothing here assumes that turns alternate: who moves is in `to_move`, and after a box (Dots and Boxes) or a
STOP (Kropki) the same player may move again. Value, outcome and margin are always seen by the player to move.

Shape letters: B games, A actions, P policy slots of the network, C bytes a point, H x W points of the
network's lattice, G global inputs, S symmetries, F = C * 8 * H * W bit features of an observation.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from dotzero.envs.symmetry import Symmetries

NO_ACTION = -1
"""The action of a finished game: `step` leaves such a game as it is."""


@dataclass(slots=True)
class State:
    """A batch of games. Subclasses add the fields of their board; every field is an array over games."""

    to_move: NDArray[np.int8]
    """Player to move, 0 or 1. Shape [B]. In a finished game: the player who would be next."""
    finished: NDArray[np.bool_]
    """True where the game is over. Shape [B]."""
    score: NDArray[np.int16]
    """Points of player 0 and player 1. Shape [B, 2]."""

    def __len__(self) -> int:
        return len(self.to_move)

    def __getitem__(self, index: Any) -> Self:
        """Gather games into a new batch; `index` is a slice, an index array or a mask."""
        return type(self)(*(np.array(getattr(self, field.name)[index]) for field in fields(self)))

    def __setitem__(self, index: Any, other: Self) -> None:
        """Put the games of `other` into the places that `index` names."""
        index = np.array(index) if isinstance(index, np.ndarray) else index  # it may be one of the fields
        for field in fields(self):
            getattr(self, field.name)[index] = getattr(other, field.name)

    def copy(self) -> Self:
        """A batch that shares no memory with this one."""
        return self[:]


StateT = TypeVar("StateT", bound=State)


def join_states(states: Sequence[StateT]) -> StateT:
    """One batch of all games of `states`, at least one."""
    kind = type(states[0])
    return kind(*(np.concatenate([getattr(s, item.name) for s in states]) for item in fields(kind)))


class Observation(NamedTuple):
    """What a network sees of a batch, from the side of the player to move.

    Attributes:
        points: One or more bytes for each point of the lattice, each bit one plane. Bit 7 of byte 0 is set on
            every point of the board, so padding (0) tells itself apart. uint8, shape [B, C, H, W].
        globals: What planes cannot say (margin so far, parities, rule options). float32, shape [B, G].
    """

    points: NDArray[np.uint8]
    globals: NDArray[np.float32]


class View(NamedTuple):
    """What a face to the outside shows of a batch. All arrays are fresh.

    Attributes:
        planes: The bits of an observation's points as planes of 0 and 1, plane `byte * 8 + bit`. int8, shape
            [B, 8 * C, H, W].
        globals: As in an observation. float32, shape [B, G].
        action_mask: 1 for every legal action. int8, shape [B, A].
        phase: Index into `Game.phases`. int8, shape [B].
        decided: 0 or 1: the player who has won, or cannot lose any more; -1: nobody. int8, shape [B].
    """

    planes: NDArray[np.int8]
    globals: NDArray[np.float32]
    action_mask: NDArray[np.int8]
    phase: NDArray[np.int8]
    decided: NDArray[np.int8]


class Replayed(NamedTuple, Generic[StateT]):
    """A sequence of n actions played in one game.

    Attributes:
        state: The game after the last action that could be played, a batch of one.
        scores: Points of both players after each action; 0 from the illegal one on. int16, shape [n, 2].
        movers: The player, 0 or 1, of each action; 0 from the illegal one on. int8, shape [n].
        illegal: Index of the first illegal action, at which the replay stopped; None if all were legal.
    """

    state: StateT
    scores: NDArray[np.int16]
    movers: NDArray[np.int8]
    illegal: int | None


class Game(ABC, Generic[StateT]):
    """Rules and sizes of one game on one board; see the module's docstring for the contract."""

    name: str
    """Identifier used in configuration, records and checkpoints, e.g. "boxes"."""
    encoding_version: int
    """Raised by one whenever the meaning of an observation or of a policy slot changes."""
    num_actions: int
    """A: the number of actions, legal or not. Actions are 0..A-1."""
    num_policy_slots: int
    """P: the length of the network's policy output for this board."""
    policy_slots: NDArray[np.int32]
    """The slot of the policy output that belongs to each action. Shape [A]."""
    observation_shape: tuple[int, int, int]
    """(C, H, W) of one observation's points."""
    num_globals: int
    """G: the length of one observation's globals."""
    max_margin: int
    """The largest difference of scores a game on this board can end with, in points; without any komi."""
    margin_scale: float
    """Points of margin that mean much on this board: the search's own scale where none is configured."""
    draws_start: bool = False
    """Whether `start` draws anything from its generator; else all games begin alike."""
    phases: tuple[str, ...] = ("play", "finished")
    """Names of the phases of a game, as a face to the outside tells them; the last one is "finished"."""
    globals_range: tuple[NDArray[np.float32], NDArray[np.float32]]
    """Bounds of each of the globals: none is ever below the first or above the second. Shapes [G]."""
    symmetries: Symmetries
    """The symmetries of the board as permutations of actions, bit features and points."""

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is made anew from the rules, so that whatever holds a game can be copied and sent."""
        return type(self), (self.rules,)

    @property
    @abstractmethod
    def rules(self) -> Any:
        """The frozen dataclass of rules this game was made from."""

    @property
    @abstractmethod
    def size(self) -> tuple[int, int]:
        """Rows and columns of the board, in the game's own units."""

    @abstractmethod
    def neighbour(self) -> "Game[StateT]":
        """The same rules on a board of another size, as near as there is; for checks on two sizes."""

    @abstractmethod
    def start(self, num_games: int, random: np.random.Generator | None = None) -> StateT:
        """A batch of new games.

        Args:
            num_games: B.
            random: Draws what the rules leave to chance (random start positions in Kropki), for each game
                anew. None: the rules decide by themselves, and all games are equal.
        """

    @abstractmethod
    def step(self, state: StateT, action: Sequence[int] | NDArray[np.integer]) -> StateT:
        """Play one action in every game and return the new batch.

        Args:
            state: The batch before the move; it is not changed.
            action: Shape [B]; `NO_ACTION` for the finished games, a legal action for the others.

        Raises:
            ValueError: An action is illegal; the message names the game's index, the action and the reason.
        """

    @abstractmethod
    def legal(self, state: StateT) -> NDArray[np.bool_]:
        """True for every playable action; all False in a finished game. Shape [B, A]."""

    def winning_stop(self, state: StateT) -> NDArray[np.int32]:
        """The action that ends a game at once as a win for the player to move, else `NO_ACTION`. [B]."""
        return np.full(len(state), NO_ACTION, np.int32)

    @abstractmethod
    def observe(self, state: StateT) -> Observation:
        """The batch as the network sees it."""

    def view(self, state: StateT) -> View:
        """The batch as environments show it; both games have the core do this in one go."""
        seen = self.observe(state)
        winner = np.where(self.outcome(state) > 0, state.to_move, 1 - state.to_move)
        return View(
            planes=np.unpackbits(seen.points, axis=1, bitorder="little").view(np.int8),
            globals=seen.globals,
            action_mask=self.legal(state).astype(np.int8),
            phase=np.where(state.finished, len(self.phases) - 1, 0).astype(np.int8),
            decided=np.where(self.outcome(state) != 0, winner, -1).astype(np.int8),
        )

    def replay(
        self,
        state: StateT,
        actions: Sequence[int] | NDArray[np.integer],
        movers: NDArray[np.int8] | None = None,
    ) -> Replayed[StateT]:
        """Play a sequence of actions in one game; both games have the core do this much faster than by steps.

        Args:
            state: A batch of one game; it is not changed.
            actions: Shape [n].
            movers: The player who makes each, 0 or 1, or -1: whose turn it is. None: always whose turn it is.
                Only Kropki lets a player move out of turn, as its records do. Shape [n].

        Raises:
            ValueError: Another size of batch, a wrong shape, or movers in a game that does not take them.
        """
        given = one_game(state, actions, self.num_actions)
        if movers is not None:
            raise ValueError(f"movers must be left out: in {self.name} the moves tell who moves")
        scores, found = np.zeros((len(given), 2), np.int16), np.zeros(len(given), np.int8)
        for index, action in enumerate(given.tolist()):
            if action < 0 or not self.legal(state)[0, action]:
                return Replayed(state, scores, found, index)
            found[index] = state.to_move[0]
            state = self.step(state, [action])
            scores[index] = state.score[0]
        return Replayed(state, scores, found, None)

    @abstractmethod
    def owners(self, state: StateT) -> NDArray[np.int8]:
        """Who holds each point of the lattice (in Boxes: the box below and right of it).

        +1 player to move, -1 the opponent, 0 nobody or nothing there. Shape [B, H, W].
        """

    def phase(self, state: StateT) -> NDArray[np.int8]:
        """The phase of each game, an index into `phases`. Shape [B]."""
        return self.view(state).phase

    def decided(self, state: StateT) -> NDArray[np.int8]:
        """The player who has won, or cannot lose any more; -1: nobody. Shape [B]."""
        return self.view(state).decided

    @abstractmethod
    def new_search(self, num_games: int, options: dict[str, Any], num_threads: int) -> Any:
        """The core's batched tree search for this game; `dotzero.search.mcts.Search` drives it."""

    @abstractmethod
    def load_roots(self, core_search: Any, slots: NDArray[np.int32], state: StateT) -> None:
        """Make `state` [n] the roots of the core search's games `slots` [n]."""

    def opening_actions(self, state: StateT) -> NDArray[np.bool_]:
        """The legal actions that a random opening may play, some in every unfinished game. Shape [B, A]."""
        return self.legal(state)

    def plain_actions(self, state: StateT) -> NDArray[np.bool_]:
        """The legal actions without those that only end the game (STOP in Kropki). Shape [B, A]."""
        return self.legal(state)

    def with_komi(self, state: StateT, komi: NDArray[np.floating]) -> StateT:
        """The same games with another komi each: points that count for player 1 from the start. Shape [B].

        Raises:
            ValueError: The game has no komi, or a value is not one.
        """
        raise ValueError(f"{self.name} has no komi, got {np.asarray(komi).tolist()}")

    def describe_start(self, state: StateT, index: int = 0) -> dict[str, Any]:
        """What a record of game `index` must say besides rules and moves, as plain values for JSON."""
        return {}

    def margin(self, state: StateT) -> NDArray[np.float32]:
        """What the player to move leads by so far: its points minus the opponent's, with any komi. Shape [B].

        Where fewer points win, a game turns the difference round; whoever asks who is ahead asks this, never
        the score.
        """
        mover = state.to_move.astype(np.intp)
        rows = np.arange(len(state))
        return (state.score[rows, mover] - state.score[rows, 1 - mover]).astype(np.float32)

    def outcome(self, state: StateT) -> NDArray[np.int8]:
        """+1 won, 0 drawn or not finished, -1 lost for the player to move. Shape [B]."""
        return np.where(state.finished, np.sign(self.margin(state)), 0).astype(np.int8)


def one_game(
    state: State, actions: Sequence[int] | NDArray[np.integer], num_actions: int
) -> NDArray[np.int32]:
    """The actions of a `replay` as the core takes them, those that there are not as -1. Shape [n].

    Raises:
        ValueError: The batch is not one game, or the actions have another form.
    """
    if len(state) != 1:
        raise ValueError(f"state must be a batch of one game, got {len(state)}")
    given = np.asarray(actions)
    if given.ndim != 1 or (len(given) and not np.issubdtype(given.dtype, np.integer)):
        raise ValueError(f"actions must be whole numbers of shape (n,), got {given.dtype} {given.shape}")
    return np.where((given >= 0) & (given < num_actions), given, -1).astype(np.int32)


def one_action_each(action: Sequence[int] | NDArray[np.integer], state: State) -> NDArray[np.integer]:
    """The argument of a `step` as an array, one whole number a game. Shape [B].

    Raises:
        ValueError: It has another form.
    """
    actions = np.asarray(action)
    if actions.shape != (len(state),) or not np.issubdtype(actions.dtype, np.integer):
        raise ValueError(
            f"action must be whole numbers of shape ({len(state)},), got {actions.dtype} {actions.shape}"
        )
    return actions
