"""Both games as PettingZoo environments, in which the agents act in turns (AEC).

`dotzero.envs.dots_and_boxes_v0` and `dotzero.envs.kropki_v0` are the modules to import, each with `env` and
`raw_env` as in `pettingzoo.classic`. Whose turn it is follows the game, not the order of the agents: after a
box the same agent is selected again.

PettingZoo is not installed with dotzero; `pip install "dotzero[pettingzoo]"` brings it.

Shape letters as in `game.py`.
"""

import sys
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray

from dotzero.envs.gym_env import BoardEnv, make_episodes, observation_space, render
from dotzero.envs.opponents import Observations, observations

try:
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError('dotzero.envs.aec needs PettingZoo: pip install "dotzero[pettingzoo]"') from error


class BoardAEC(AECEnv):  # type: ignore[misc]  # PettingZoo is optional, and so unknown to the type checker
    """What the environments of both games share.

    Args:
        render_mode: "ansi", "rgb_array", "human" (`render` writes the text to standard output) or none.
        arguments: The rules of the game, and `reward` ("outcome" or "margin").
    """

    game_name: str
    """The game's name in dotzero."""

    def __init__(self, render_mode: str | None = None, **arguments: Any) -> None:
        super().__init__()
        for name in ("opponent", "seat", "illegal_action"):
            if name in arguments:
                raise ValueError(f"{name} must be left out where two agents play, got {arguments[name]!r}")
        mode = "ansi" if render_mode == "human" else render_mode
        strict = {"render_mode": mode, "illegal_action": "raise", **arguments}
        self.episodes = make_episodes(self.game_name, 1, strict)
        self.game, self.render_mode = self.episodes.game, render_mode
        self.possible_agents = ["player_0", "player_1"]
        self.observation_spaces = {agent: observation_space(self.game) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self.game.num_actions) for agent in self.possible_agents}
        self._random: np.random.Generator | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observations of an agent, see `gym_env.py`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The actions of an agent: those of the game."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game; with a seed always the same one."""
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        self.episodes.begin(np.zeros(1, np.intp), [self._random])
        self.episodes.look()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._tell()

    def observe(self, agent: str) -> Observations:
        """What an agent sees from its own side; it has legal actions only where it is to move."""
        player = self.possible_agents.index(agent)
        state = self.episodes.state.copy()
        seen_by_mover = int(state.to_move[0]) == player
        state.to_move[0] = player
        seen = {name: values[0] for name, values in observations(self.game.view(state)).items()}
        if not seen_by_mover:
            seen["action_mask"][:] = 0
        return seen

    def step(self, action: Any) -> None:
        """One action of the agent that is selected.

        Raises:
            ValueError: It is illegal; `env` ends the game before it comes to that.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        gained = float(self.episodes.play(np.asarray([action]))[0])
        self._cumulative_rewards[agent] = 0.0
        self.rewards = {name: gained if name == agent else 0.0 - gained for name in self.agents}
        if self.episodes.ended[0]:
            self.terminations = dict.fromkeys(self.agents, True)
        self._tell()
        self._accumulate_rewards()

    def action_masks(self) -> NDArray[np.bool_]:
        """True for every legal action of the agent that is selected, for maskable algorithms. Shape [A]."""
        return np.asarray(self.episodes.legal[0])

    def render(self) -> Any:
        """The board as text (`ansi`) or as a picture (`rgb_array`, uint8 [height, width, 3])."""
        shown = render(self.episodes, 0)
        if self.render_mode != "human":
            return shown
        sys.stdout.write(shown)
        return None

    def close(self) -> None:
        """There is nothing to free."""

    def _tell(self) -> None:
        """Select the agent to move, and tell both what environments tell."""
        self.agent_selection = self.possible_agents[int(self.episodes.state.to_move[0])]
        told = {name: values[0] for name, values in self.episodes.infos().items()}
        told.pop("seat")
        self.infos = {
            agent: {
                **told,
                "score": told["score"].copy(),
                "action_mask": told["action_mask"] * (agent == self.agent_selection),
            }
            for agent in self.agents
        }


def metadata_of(name: str) -> dict[str, Any]:
    """What PettingZoo asks an environment of this name to say of itself."""
    modes = [*BoardEnv.metadata["render_modes"], "human"]
    return {**BoardEnv.metadata, "render_modes": modes, "name": name, "is_parallelizable": False}


def wrapped(env: BoardAEC) -> Any:
    """The environment with PettingZoo's usual wrappers: an illegal action ends the game and loses it."""
    checked = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))
