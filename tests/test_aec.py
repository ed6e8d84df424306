"""The PettingZoo environments: PettingZoo's own tests, turns that follow the game, views of both agents."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from dotzero.envs import dots_and_boxes_v0, kropki_v0

CASES = {
    "boxes": (dots_and_boxes_v0, {"rows": 2, "columns": 3}),
    "boxes-margin": (dots_and_boxes_v0, {"rows": 2, "columns": 2, "reward": "margin"}),
    "kropki": (kropki_v0, {"width": 5, "height": 4}),
    "kropki-drawn": (kropki_v0, {"width": 6, "height": 6, "start": "random_crosses", "num_crosses": 2}),
    "kropki-add-turn": (kropki_v0, {"width": 5, "height": 4, "add_turn": True, "reward": "margin"}),
}


@pytest.mark.parametrize("case", CASES)
def test_pettingzoos_own_tests(case, capsys):
    module, arguments = CASES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Its test says so of every dict of observations, those with an action mask included.
        warnings.filterwarnings("ignore", message="Observation (space for each agent|is not a NumPy array)")
        api_test(module.env(**arguments), num_cycles=200)
        seed_test(lambda: module.env(**arguments))
        render_test(lambda render_mode: module.env(render_mode=render_mode, **arguments))
    assert "to move" in capsys.readouterr().out  # the text of "human"


def test_the_same_agent_goes_on_after_a_box():
    """R057, R130: agents are selected by the game's order of turns."""
    env = dots_and_boxes_v0.raw_env(rows=1, columns=2)
    env.reset(seed=0)
    selected = [env.agent_selection]
    for line in (0, 2, 4, 5, 1, 3, 6):
        env.step(line)
        selected.append(env.agent_selection)
    # Player 1 closes the left box with line 5 and moves again, then 2, 1 and the right box.
    assert [int(agent[-1]) for agent in selected[:7]] == [0, 1, 0, 1, 1, 0, 1]
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": -1.0, "player_1": 1.0}
    assert env.infos["player_0"]["score"].tolist() == [0, 2]
    assert env.infos["player_0"]["result"] == 2


def test_rewards_of_both_agents_sum_to_zero_and_to_the_margin():
    """R065."""
    rng = np.random.default_rng(3)
    for module, arguments in (CASES["boxes-margin"], CASES["kropki-add-turn"]):
        env = module.raw_env(**arguments)
        env.reset(seed=2)
        totals = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            _, reward, terminated, truncated, info = env.last()
            totals[agent] += reward
            env.step(
                None if terminated or truncated else int(rng.choice(np.flatnonzero(info["action_mask"])))
            )
        first, second = info["score"].tolist()
        assert totals == {"player_0": first - second, "player_1": second - first}


def test_each_agent_sees_the_board_from_its_own_side():
    env = kropki_v0.raw_env(width=5, height=5)
    env.reset(seed=0)
    mine, other = env.observe("player_0"), env.observe("player_1")
    np.testing.assert_array_equal(mine["observation"][0], other["observation"][1])
    assert mine["action_mask"].sum() == 22
    assert not other["action_mask"].any()
    assert env.infos["player_0"]["action_mask"].sum() == 22
    assert not env.infos["player_1"]["action_mask"].any()
    np.testing.assert_array_equal(env.action_masks(), mine["action_mask"] == 1)
    for agent in env.agents:
        assert env.observation_space(agent).contains(env.observe(agent))


def test_an_illegal_action_loses_in_env_and_is_an_error_in_raw_env():
    env = dots_and_boxes_v0.env(rows=2, columns=2)
    env.reset(seed=0)
    env.step(0)
    env.step(0)
    assert env.unwrapped.rewards == {"player_0": 0, "player_1": -1.0}
    assert all(env.terminations.values())
    bare = dots_and_boxes_v0.raw_env(rows=2, columns=2)
    bare.reset(seed=0)
    bare.step(0)
    for action in (0, 12, -1, 0.5):
        with pytest.raises(ValueError, match="action must be"):
            bare.step(action)
    assert bare.agent_selection == "player_1"
    bare.step(1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"opponent": "random"}, "opponent must be left out where two agents play, got 'random'"),
        ({"render_mode": "film"}, "render_mode must be none or one of ansi, rgb_array, got 'film'"),
        ({"width": 1}, "KropkiRules.width must be"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        kropki_v0.env(**arguments)


def test_without_pettingzoo_it_says_what_to_install():
    program = "import sys; sys.modules['pettingzoo'] = None\nimport dotzero.envs.kropki_v0"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert 'ImportError: dotzero.envs.aec needs PettingZoo: pip install "dotzero[pettingzoo]"' in done.stderr


def test_a_reset_begins_a_new_game_from_its_seed_or_goes_on():
    """R124: the same seed, the same start; without one another start, the same in every run."""

    def starts(env, *seeds):
        found = []
        for seed in seeds:
            env.reset(seed=seed)
            found.append(env.observe("player_0")["observation"][:2].tobytes())
            env.step(int(env.action_masks().argmax()))
        return found

    module, arguments = CASES["kropki-drawn"]
    first = starts(module.raw_env(**arguments), 5, None, None, 5, None)
    assert first == starts(module.raw_env(**arguments), 5, None, None, 5, None)
    assert first[3:] == first[:2]
    assert len(set(first)) == 3
    assert len(set(starts(module.raw_env(**arguments), None, None))) == 2


def test_a_reset_forgets_the_game_before():
    env = dots_and_boxes_v0.raw_env(rows=1, columns=1)
    env.reset(seed=0)
    for line in range(4):
        env.step(line)
    assert env.rewards == {"player_0": -1.0, "player_1": 1.0}
    env.reset()
    assert env.agents == ["player_0", "player_1"]
    assert env.agent_selection == "player_0"
    for told in (env.rewards, env.terminations, env.truncations):
        assert not any(told.values())
    assert env.action_masks().all()
    assert env.last()[1] == 0


def test_looking_changes_nothing():
    """P12: the agent that is not to move looks too, and edits what it was given."""
    env = dots_and_boxes_v0.raw_env(rows=2, columns=2)
    env.reset(seed=0)
    for values in env.observe("player_1").values():
        values[:] = 0
    env.step(3)
    assert env.agent_selection == "player_1"
    assert env.infos["player_1"]["to_move"] == 1
    np.testing.assert_array_equal(np.flatnonzero(~env.action_masks()), [3])
