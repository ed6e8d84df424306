"""Identifiers of the environments: what stands behind each, and that registering again is harmless."""

import gymnasium as gym
import pytest
from gymnasium.envs.registration import load_env_creator, registry

from dotzero.envs.gym_env import BoardEnv
from dotzero.envs.gym_vector import BoardVectorEnv
from dotzero.envs.registration import ENVIRONMENTS, register_environments


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_identifier_leads_to_both_faces_of_one_game(name):
    spec = registry[name]
    single, vector = load_env_creator(spec.entry_point), load_env_creator(spec.vector_entry_point)
    assert issubclass(single, BoardEnv)
    assert issubclass(vector, BoardVectorEnv)
    assert single.game_name == vector.game_name
    # A game ends by its rules, and nothing is switched off that Gymnasium checks.
    assert (spec.max_episode_steps, spec.order_enforce, spec.disable_env_checker, spec.kwargs) == (
        None,
        True,
        False,
        {},
    )


def test_registering_again_changes_nothing(recwarn):
    before = {name: registry[name] for name in ENVIRONMENTS}
    register_environments()
    assert {name: registry[name] for name in ENVIRONMENTS} == before
    assert all(registry[name] is spec for name, spec in before.items())
    assert not recwarn.list


def test_a_vector_environment_can_be_made_again_from_its_specification():
    """R123: what `make_vec` was told, as JSON keeps it."""
    env = gym.make_vec(
        "Kropki-v0", num_envs=3, autoreset_mode="SameStep", width=6, height=5, opponent="random", seat="first"
    )
    spec = gym.envs.registration.EnvSpec.from_json(env.spec.to_json())
    again = gym.make_vec(spec)
    assert type(again) is type(env)
    assert (again.num_envs, again.autoreset_mode) == (3, env.autoreset_mode)
    assert again.unwrapped.game.rules == env.unwrapped.game.rules
    assert again.unwrapped.episodes.options == env.unwrapped.episodes.options
