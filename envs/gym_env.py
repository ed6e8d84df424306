"""One game as a Gymnasium environment: `DotsAndBoxes-v0` and `Kropki-v0`.

The docstrings of the classes are rule cards; the episodes themselves are those of `episodes.py`, as a batch of
one. Many games side by side are in `gym_vector.py`.

Shape letters as in `game.py`.
"""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from dotzero.envs.drawing import draw
from dotzero.envs.episodes import RENDER_MODES, EpisodeOptions, Episodes
from dotzero.envs.game import Game
from dotzero.envs.notation import notation_for
from dotzero.envs.registry import make_game

OPTIONS = ("opponent", "seat", "reward", "illegal_action", "render_mode")
"""The arguments of an environment that are not rules of its game."""

ObsType = dict[str, NDArray[Any]]


def make_episodes(name: str, num_games: int, arguments: dict[str, Any]) -> Episodes:
    """The episodes of the game `name` with the arguments of an environment, options and rules together.

    Raises:
        ValueError: There is no such option or rule, or it does not take the value.
    """
    options = {key: value for key, value in arguments.items() if key in OPTIONS}
    rules = {key: value for key, value in arguments.items() if key not in OPTIONS}
    return Episodes(make_game(name, rules), num_games, EpisodeOptions(**options))


def observation_space(game: Game[Any]) -> spaces.Dict:
    """The space of one game's observations."""
    C, H, W = game.observation_shape
    low, high = game.globals_range
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, (8 * C, H, W), np.uint8),
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


class BoardEnv(gym.Env[ObsType, np.int64]):
    """What the environments of both games share; see the rule card of each."""

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012  (Gymnasium's own form)
    game_name: str
    """The game's name in dotzero."""

    def __init__(self, **arguments: Any) -> None:
        self.episodes = make_episodes(self.game_name, 1, arguments)
        self.game = self.episodes.game
        self.render_mode = self.episodes.options.render_mode
        self.observation_space = observation_space(self.game)
        self.action_space = spaces.Discrete(self.game.num_actions)
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[ObsType, dict[str, Any]]:
        """A new game; with a seed always the same one, opponent included."""
        super().reset(seed=seed)
        self.episodes.begin(np.zeros(1, np.intp), [self.np_random])
        self.episodes.look()
        self._begun = True
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[ObsType, float, bool, bool, dict[str, Any]]:
        """Play one action, and what the opponent answers.

        Raises:
            ValueError: The action is no whole number, the episode is over or was never begun, or the action is
                illegal and `illegal_action` is "raise".
        """
        if not self._begun:
            raise ValueError("game 0 must be reset before its first step, got step")
        reward = self.episodes.play(np.asarray([action]))
        ended = bool(self.episodes.ended[0])
        return self._observation(), float(reward[0]), ended, False, self._info()

    def render(self) -> Any:
        """The board as text (`ansi`) or as a picture (`rgb_array`, uint8 [height, width, 3])."""
        return render(self.episodes, 0)

    def action_masks(self) -> NDArray[np.bool_]:
        """True for every legal action, as sb3-contrib's maskable algorithms ask for it. Shape [A]."""
        return self.episodes.legal[0]

    def close(self) -> None:
        """Free what the opponent holds."""
        self.episodes.close()

    def _observation(self) -> ObsType:
        return {name: values[0] for name, values in self.episodes.observations().items()}

    def _info(self) -> dict[str, Any]:
        """Plain values where Gymnasium's vector environments expect them."""
        infos = {name: values[0] for name, values in self.episodes.infos().items()}
        for name in ("to_move", "decided", "seat", "result"):
            infos[name] = int(infos[name])
        infos["illegal"] = bool(infos["illegal"])
        return infos
