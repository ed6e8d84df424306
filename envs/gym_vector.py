"""Many games side by side as one Gymnasium vector environment, without a loop over the games.

`gymnasium.make_vec("dotzero:Kropki-v0", num_envs=1024)` makes one. Games, rewards and infos are those of
`gymnasium.vector.SyncVectorEnv` over as many environments of `gym_env.py`, seed by seed and in all three
autoreset modes; a test holds both side by side. It is a hundred times as fast.

Shape letters as in `game.py`; B games.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from dotzero.envs.gym_env import BoardEnv, make_episodes, observation_space, render
from dotzero.envs.opponents import Observations

_Seeds = int | Sequence[int | None] | NDArray[np.integer] | None


class BoardVectorEnv(VectorEnv[Observations, NDArray[np.integer], NDArray[Any]]):
    """Games of one board; the arguments are those of the environment of one game, and two more.

    Args:
        num_envs: B.
        autoreset_mode: What follows the end of an episode. "NextStep": the next step begins a new one and
            ignores its action. "SameStep": the same step does, and tells the end in `final_obs` and
            `final_info`. "Disabled": the caller resets with `options={"reset_mask": ...}`, bool [B].
        arguments: Rules and options, see `DotsAndBoxesEnv` and `KropkiEnv`.
    """

    game_name: str
    """The game's name in dotzero."""

    def __init__(
        self,
        num_envs: int = 1,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        **arguments: Any,
    ) -> None:
        modes = [mode.value for mode in AutoresetMode]
        if autoreset_mode not in modes and not isinstance(autoreset_mode, AutoresetMode):
            raise ValueError(f"autoreset_mode must be one of {', '.join(modes)}, got {autoreset_mode!r}")
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.episodes = make_episodes(self.game_name, num_envs, arguments)
        self.game, self.num_envs = self.episodes.game, num_envs
        self.render_mode = self.episodes.options.render_mode
        self.metadata = {**BoardEnv.metadata, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space: spaces.Space[Any] = observation_space(self.game)
        self.single_action_space = spaces.Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._generators: list[np.random.Generator] = []
        self._generator_seeds: tuple[int, ...] = ()
        self._sampler = np.random.default_rng()

    def reset(
        self, *, seed: _Seeds = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """New games, all of them or those of a mask.

        Args:
            seed: A whole number s: the games get s, s + 1, ...; or one seed or None for each game. None: the
                generators go on.
            options: `reset_mask`, bool [B]: only these games begin anew, and infos are told of them alone.

        Raises:
            ValueError: The mask or the seeds have another form.
        """
        chosen = self._reset_mask(options)
        self._seed(seed, chosen)
        if seed is not None:
            # A child of the first game's seed: the seed itself would give the stream of that game.
            children = np.random.SeedSequence(self._generator_seeds[0]).spawn(1)
            self._sampler = np.random.default_rng(children[0])
        rows = np.flatnonzero(chosen)
        self.episodes.begin(rows, [self._generators[row] for row in rows.tolist()])
        self.episodes.look()
        return self.episodes.observations(), self._told(self.episodes.infos(), chosen)

    def step(
        self, actions: NDArray[np.integer]
    ) -> tuple[Observations, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """One action in every game.

        Args:
            actions: Shape [B]; with "NextStep" those of ended episodes are not looked at.

        Returns:
            Observations; rewards float64 [B]; terminations bool [B]; truncations, all False; infos.

        Raises:
            ValueError: As for the environment of one game; with "Disabled" also where an episode is over.
        """
        everyone = np.ones(self.num_envs, np.bool_)
        renewed = self.episodes.ended if self.autoreset_mode is AutoresetMode.NEXT_STEP else None
        rewards = self.episodes.play(actions, renewed, self._generators)
        terminated = self.episodes.ended
        infos: dict[str, Any] = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP and terminated.any():
            infos = self._final(terminated)
            rows = np.flatnonzero(terminated)
            self.episodes.begin(rows, [self._generators[row] for row in rows.tolist()])
            self.episodes.look(rows)
        infos |= self._told(self.episodes.infos(), everyone)
        truncated = np.zeros(self.num_envs, np.bool_)
        return self.episodes.observations(), rewards, terminated, truncated, infos

    def render(self) -> tuple[Any, ...] | None:
        """All boards, each as `render` of one game gives it; None without a mode."""
        if self.render_mode is None:
            return None
        return tuple(render(self.episodes, row) for row in range(self.num_envs))

    def action_masks(self) -> NDArray[np.bool_]:
        """True for every legal action. Shape [B, A]."""
        return self.episodes.legal

    def sample_legal(self, random: np.random.Generator | None = None) -> NDArray[np.int64]:
        """A uniformly random legal action of every game, 0 where its episode is over. Shape [B].

        Args:
            random: The generator; None: the environment's own, which `reset(seed=...)` sets.
        """
        return self.episodes.sample_legal(self._sampler if random is None else random)

    def close_extras(self, **_: Any) -> None:
        """Free what the opponent holds."""
        self.episodes.close()

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seeds of the games, as `SyncVectorEnv` tells them."""
        return self._generator_seeds

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The generators of the games."""
        return tuple(self._generators)

    def _final(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """How the episodes that are over ended; taken out before they begin anew."""
        last = np.full(self.num_envs, None, object)
        seen = self.episodes.observations()
        for row in np.flatnonzero(ended):
            last[row] = {name: values[row].copy() for name, values in seen.items()}
        told = self._told(self.episodes.infos(), ended)
        return {
            "final_obs": last,
            "_final_obs": ended.copy(),
            "final_info": told,
            "_final_info": ended.copy(),
        }

    def _told(self, infos: dict[str, NDArray[Any]], chosen: NDArray[np.bool_]) -> dict[str, Any]:
        """Infos in Gymnasium's form: each with a mask of the games it is told of."""
        told: dict[str, Any] = {}
        for name, values in infos.items():
            if not chosen.all():
                values[~chosen] = None if values.dtype == object else 0
            told[name], told[f"_{name}"] = values, chosen.copy()
        return told

    def _reset_mask(self, options: Mapping[str, Any] | None) -> NDArray[np.bool_]:
        if options is None or "reset_mask" not in options:
            return np.ones(self.num_envs, np.bool_)
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            given = f"{mask.dtype} {mask.shape}" if isinstance(mask, np.ndarray) else repr(mask)
            raise ValueError(f"reset_mask must be a bool array of shape ({self.num_envs},), got {given}")
        if not mask.any():
            raise ValueError("reset_mask must name a game at least, got none")
        if not self._generators and not mask.all():
            raise ValueError("reset_mask must name all games at the first reset, got a part")
        return mask.copy()

    def _seed(self, seed: _Seeds, chosen: NDArray[np.bool_]) -> None:
        """Give the chosen games the generators of their seeds; without a seed they keep theirs."""
        seeds = self._each_seed(seed)
        generators, told = list(self._generators), list(self._generator_seeds)
        if not generators:
            generators, told = [np.random.default_rng()] * self.num_envs, [-1] * self.num_envs
        for row in np.flatnonzero(chosen):
            if seeds[row] is not None or not self._generators:
                generators[row], told[row] = seeding.np_random(seeds[row])
        self._generators, self._generator_seeds = generators, tuple(told)

    def _each_seed(self, seed: _Seeds) -> list[int | None]:
        """The seed of every game, None where there is none."""
        if seed is None:
            return [None] * self.num_envs
        if not isinstance(seed, Sequence | np.ndarray):
            return [_whole(seed) + row for row in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"seed must be one number or {self.num_envs}, got {len(seed)}")
        return [None if one is None else _whole(one) for one in seed]


def _whole(seed: Any) -> int:
    """A seed as Gymnasium takes it."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"seed must be a whole number of at least 0, got {seed!r}")
    return int(seed)


class DotsAndBoxesVectorEnv(BoardVectorEnv):
    """Games of Dots and Boxes side by side; see `DotsAndBoxesEnv`."""

    game_name = "boxes"


class KropkiVectorEnv(BoardVectorEnv):
    """Games of Kropki side by side; see `KropkiEnv`."""

    game_name = "kropki"
