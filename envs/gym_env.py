"""One game as a Gymnasium environment: `DotsAndBoxes-v0` and `Kropki-v0`.

The docstrings of the classes are rule cards; the episodes themselves are those of `episodes.py`, as a batch
of one. Many games side by side are in `gym_vector.py`.

Shape letters as in `game.py`.
"""

from dataclasses import fields
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from dotzero.envs.drawing import draw
from dotzero.envs.episodes import RENDER_MODES, EpisodeOptions, Episodes
from dotzero.envs.game import Game
from dotzero.envs.notation import notation_for
from dotzero.envs.opponents import Observations
from dotzero.envs.registry import make_game, rule_names

OPTIONS = tuple(field.name for field in fields(EpisodeOptions))
"""The arguments of an environment that are not rules of its game."""


def make_episodes(name: str, num_games: int, arguments: dict[str, Any]) -> Episodes:
    """The episodes of the game `name` with the arguments of an environment, options and rules together.

    Raises:
        ValueError: There is no such option or rule, or it does not take the value.
    """
    options = {key: value for key, value in arguments.items() if key in OPTIONS}
    rules = {key: value for key, value in arguments.items() if key not in OPTIONS}
    known = rule_names(name)
    for key in rules:
        if key not in known:
            raise ValueError(f"arguments must be of {', '.join([*known, *OPTIONS])}, got {key}")
    return Episodes(make_game(name, rules), num_games, EpisodeOptions(**options))


def observation_space(game: Game[Any]) -> spaces.Dict:
    """The space of one game's observations."""
    C, H, W = game.observation_shape
    low, high = game.globals_range
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, (8 * C, H, W), np.int8),
            "globals": spaces.Box(low, high, dtype=np.float32),
            "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
        }
    )


def render(episodes: Episodes, row: int) -> Any:
    """One game as the options want it: a text, or a picture uint8 [height, width, 3]; None without a mode."""
    game, state, last = episodes.game, episodes.state, int(episodes.last[row])
    mode, shown = episodes.options.render_mode, None if last < 0 else last
    if mode == "rgb_array":
        return draw(game, state, row, shown, episodes.enclosures[row])
    if mode == "ansi":
        first, second = state.score[row].tolist()
        turn = "finished" if state.finished[row] else f"player {int(state.to_move[row]) + 1} to move"
        return f"{notation_for(game).board(state, row, shown)}\n{first}:{second}, {turn}\n"
    return None


class BoardEnv(gym.Env[Observations, np.int64]):
    """What the environments of both games share; see the rule card of each."""

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012  (Gymnasium's own form)
    game_name: str
    """The game's name in dotzero."""

    def __init__(self, **arguments: Any) -> None:
        self.episodes = make_episodes(self.game_name, 1, arguments)
        self.game = self.episodes.game
        self.render_mode = self.episodes.options.render_mode
        self.observation_space: spaces.Space[Any] = observation_space(self.game)
        self.action_space = spaces.Discrete(self.game.num_actions)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """A new game; with a seed always the same one, opponent included."""
        super().reset(seed=seed)
        self.episodes.begin(np.zeros(1, np.intp), [self.np_random])
        self.episodes.look()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Observations, float, bool, bool, dict[str, Any]]:
        """Play one action, and what the opponent answers.

        Raises:
            ValueError: The action is no whole number, the episode is over or was never begun, or an illegal
                action where `illegal_action` is "raise".
        """
        reward = self.episodes.play(np.asarray([action]))
        ended = bool(self.episodes.ended[0])
        return self._observation(), float(reward[0]), ended, False, self._info()

    def render(self) -> Any:
        """The board as text (`ansi`) or as a picture (`rgb_array`, uint8 [height, width, 3])."""
        return render(self.episodes, 0)

    def action_masks(self) -> NDArray[np.bool_]:
        """True for every legal action, as sb3-contrib's maskable algorithms ask for it. Shape [A]."""
        mask: NDArray[np.bool_] = self.episodes.legal[0]
        return mask

    def close(self) -> None:
        """Free what the opponent holds."""
        self.episodes.close()

    def _observation(self) -> Observations:
        return {name: values[0] for name, values in self.episodes.observations().items()}

    def _info(self) -> dict[str, Any]:
        """Plain values where Gymnasium's vector environments expect them."""
        infos = {name: values[0] for name, values in self.episodes.infos().items()}
        for name in ("to_move", "decided", "seat", "result"):
            infos[name] = int(infos[name])
        infos["illegal"] = bool(infos["illegal"])
        return infos


class DotsAndBoxesEnv(BoardEnv):
    """Dots and Boxes: whoever draws the fourth side of a box owns it and moves again.

    ### Description
    Two players draw lines between neighbouring dots, in turns, until none is left. A line that completes one
    or two boxes claims them for whoever drew it, and that player moves again. More boxes win (fewer in
    misere). Boxes may be left on offer; there is no pass.

    ### Action Space
    `Discrete(L)`, one action a line: horizontal lines row by row from the top, then vertical ones. For R x C
    boxes L = (R + 1) C + R (C + 1). `info["action_mask"]` has 1 for every line that can still be drawn:
    `env.action_space.sample(mask=info["action_mask"])`.

    ### Observation Space
    A dict, from the side of the player to move:

    - `observation`, `Box(0, 1, (8, R + 1, C + 1), int8)`: planes on the dots. The line to the right is
      drawn, the line below is; these two exist; the box below right is open, has three sides, has two; on
      the board.
    - `globals`, `Box((9,), float32)`: margin so far / boxes and / 10, parities of undrawn lines, open boxes
      and dots, undrawn lines / lines, open boxes / boxes, parity of the margin, misere.
    - `action_mask`, `Box(0, 1, (L,), int8)`: 1 for the undrawn lines.

    ### Starting State
    An empty board; the argument `border` draws its left and bottom edge or all of its edge first.

    ### Rewards
    Outcome: +1, 0 or -1 at the end. Margin: the boxes that the margin grows by, step for step. In self-play a
    reward is that of the player who made the move, else that of the agent.

    ### Episode End
    Terminated when all lines are drawn, or by an illegal action (reward -1) if that is no error. Never
    truncated.

    ### Information
    At every reset and step: `action_mask`; `to_move`, 0 or 1; `score`, boxes of both; `phase`, "safe" while a
    line is left that gives no box its third side, then "loony", "finished"; `decided`, the player who has won
    or cannot lose any more, else -1; `illegal`; `seat`, the agent's, -1 in self-play; `result`, -1 while the
    game goes on, then 0 for a draw or the winner, 1 or 2.

    ### Arguments
    - `rows`, `columns` (5 boxes each by default), `border` ("none", "left_bottom", "all"), `scoring`
      ("normal", "misere"): the rules.
    - `opponent`: none for self-play; or who answers the agent: a player's name as in `dotzero arena`
      ("random", "medium", "zero:DIR"), an object with a player's `choose(game, state, seeds)`, or a function
      that takes a dict of n observations and gives n actions.
    - `seat`: "first", "second" or "random" (drawn at each reset); only with an opponent.
    - `reward`: "outcome" or "margin". `illegal_action`: "terminate" or "raise".
    - `render_mode`: "ansi", "rgb_array" or none.

    >>> import gymnasium as gym
    >>> env = gym.make("dotzero:DotsAndBoxes-v0", rows=2, columns=2, opponent="medium", seat="first")
    >>> observation, info = env.reset(seed=3)
    >>> int(observation["action_mask"].sum()), info["to_move"], info["phase"]
    (12, 0, 'safe')
    >>> observation, reward, terminated, truncated, info = env.step(0)
    >>> int(info["action_mask"].sum()), info["score"].tolist(), terminated
    (10, [0, 0], False)

    ### Version History
    - v0: the first one.
    """

    game_name = "boxes"


class KropkiEnv(BoardEnv):
    """Kropki (Dots, Точки): surround the enemy's dots with chains of one's own.

    ### Description
    Two players place dots on the points of a grid, in turns. A chain of own dots, linked in eight directions,
    that closes round enemy dots captures them and all points inside; nobody plays there again. More captured
    dots win, komi included. A dot may enter an area that the enemy has shut in empty: it is captured at once
    unless it captures itself. By STOP a player ends the game and loses all dots that are not linked to the
    edge.

    ### Action Space
    `Discrete(W H + 1)`: the points row by row from the top left, and STOP as the last action. The mask is in
    `info["action_mask"]`.

    ### Observation Space
    A dict, from the side of the player to move:

    - `observation`, `Box(0, 1, (24, H, W), int8)`: planes on the points. Live dots, closed points, dead dots
      and houses of both, playable points, grounded dots, where a dot would capture and what, the last three
      moves, legal points; one by one in `dotzero.envs.kropki`.
    - `globals`, `Box((21,), float32)`: margins, komi, what STOP would give, playable points, and the rules.
    - `action_mask`, `Box(0, 1, (W H + 1,), int8)`: 1 for the legal points, and for STOP where there is one.

    ### Starting State
    A cross of four dots in the middle, player 1 to move; the argument `start` has others, among them crosses
    at random places, drawn at each reset.

    ### Rewards
    Outcome: +1, 0 or -1 at the end. Margin: the points that the margin grows by, step for step; what a player
    loses by its STOP counts. In self-play a reward is that of the player who made the move, else that of the
    agent.

    ### Episode End
    Terminated when no point is left, by STOP, by a lead of `instant_win`, or by an illegal action (reward -1)
    if that is no error. Never truncated.

    ### Information
    At every reset and step: `action_mask`; `to_move`, 0 or 1; `score`, points of both without komi; `phase`:
    "opening" while the first moves are bound to a zone, "play", "solo" after a STOP that leaves the other
    player alone, "finished"; `decided`, the player who has won or would win by an immediate STOP with
    grounding, else -1; `illegal`; `seat`, the agent's, -1 in self-play; `result`, -1 while the game goes on,
    then 0 for a draw or the winner, 1 or 2.

    ### Arguments
    - `width`, `height` (39 x 32 points by default), `start`, `komi`, `stop`, `house_closes`, `add_turn` and
      all other fields of `dotzero.envs.kropki_rules.KropkiRules`: the rules.
    - `opponent`, `seat`, `reward`, `illegal_action` and `render_mode`: as for `DotsAndBoxesEnv`.

    >>> import gymnasium as gym
    >>> env = gym.make("dotzero:Kropki-v0", width=15, height=15)
    >>> observation, info = env.reset(seed=3)
    >>> observation["observation"].shape, int(info["action_mask"].sum()), info["phase"]
    ((24, 15, 15), 222, 'play')
    >>> stop = env.action_space.n - 1
    >>> observation, reward, terminated, truncated, info = env.step(stop)
    >>> reward, terminated, info["result"]  # the cross is not linked to the edge: its two dots are lost
    (-1.0, True, 2)

    ### Version History
    - v0: the first one.
    """

    game_name = "kropki"
