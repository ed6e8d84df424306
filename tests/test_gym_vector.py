"""Many games side by side: step for step what Gymnasium gives over our single environments."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from lockstep import run

from dotzero import _core
from dotzero.envs.gym_vector import DotsAndBoxesVectorEnv, KropkiVectorEnv
from dotzero.play.players import RandomPlayer

MODES = ["NextStep", "SameStep", "Disabled"]
BOXES, KROPKI = "dotzero:DotsAndBoxes-v0", "dotzero:Kropki-v0"
CASES = {
    "boxes": (BOXES, {"rows": 2, "columns": 3}),
    "boxes-margin": (BOXES, {"rows": 2, "columns": 2, "reward": "margin", "scoring": "misere"}),
    "boxes-random": (BOXES, {"rows": 2, "columns": 2, "opponent": "random"}),
    "boxes-medium": (BOXES, {"rows": 3, "columns": 2, "opponent": "medium", "reward": "margin"}),
    "kropki": (KROPKI, {"width": 5, "height": 4}),
    "kropki-drawn": (
        KROPKI,
        {"width": 6, "height": 6, "start": "random_crosses", "num_crosses": 2, "opponent": "random"},
    ),
    "kropki-greedy": (
        KROPKI,
        {
            "width": 6,
            "height": 5,
            "start": "empty",
            "opponent": "greedy",
            "reward": "margin",
            "add_turn": True,
        },
    ),
    "kropki-solo": (KROPKI, {"width": 5, "height": 5, "stop": "solo", "solo_moves": 4, "opponent": "random"}),
    "kropki-zone": (KROPKI, {"width": 5, "height": 6, "start": "empty", "opening_zone": [3, 2], "komi": 0.5}),
}


LONG = {"boxes-medium", "kropki-greedy", "kropki-solo"}
"""Cases whose opponents take their time; test_episodes_referee.py has them in every run."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.slow] if case in LONG else []) for case in CASES]
)
def test_in_step_with_gymnasiums_own(case, mode):
    """R123, R124, P12: 500 steps, illegal actions among them, and whatever was given away overwritten."""
    name, arguments = CASES[case]
    ours = gym.make_vec(name, num_envs=5, autoreset_mode=mode, **arguments)
    assert isinstance(ours, (DotsAndBoxesVectorEnv, KropkiVectorEnv))
    makers = [lambda: gym.make(name, **arguments)] * 5
    theirs = SyncVectorEnv(makers, autoreset_mode=AutoresetMode(mode))
    assert ours.metadata == theirs.metadata
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    num_ended = run(ours, theirs, mode, 500, np.random.default_rng(3))
    assert num_ended > 50
    assert ours.np_random_seed == theirs.np_random_seed
    assert len(ours.np_random) == 5


def boxes(**arguments):
    return DotsAndBoxesVectorEnv(**{"num_envs": 3, "rows": 2, "columns": 2, **arguments})


def test_seeds_one_by_one_and_generators_that_go_on():
    one = KropkiVectorEnv(num_envs=3, width=9, height=9, start="random_crosses", num_crosses=2)
    two = KropkiVectorEnv(num_envs=3, width=9, height=9, start="random_crosses", num_crosses=2)
    first, _ = one.reset(seed=[7, 8, 9])
    second, _ = two.reset(seed=7)
    np.testing.assert_array_equal(first["observation"], second["observation"])
    again, _ = two.reset(seed=np.array([7, 8, 9]))
    np.testing.assert_array_equal(first["observation"], again["observation"])
    third, _ = one.reset()
    assert (third["observation"] != first["observation"]).any()
    np.testing.assert_array_equal(third["observation"], two.reset()[0]["observation"])
    part, _ = one.reset(seed=[7, None, None], options={"reset_mask": np.array([True, False, False])})
    np.testing.assert_array_equal(part["observation"][0], first["observation"][0])
    np.testing.assert_array_equal(part["observation"][1:], third["observation"][1:])


def test_legal_actions_are_drawn_uniformly_and_from_the_seed():
    """P13: of every game one of its own legal actions, each as often as any other."""
    env = boxes(num_envs=4)
    env.reset(seed=5)
    drawn = [env.sample_legal().tolist() for _ in range(3)]
    env.reset(seed=5)
    assert [env.sample_legal().tolist() for _ in range(3)] == drawn
    env.step(np.array([0, 1, 2, 3]))
    rng, counts = np.random.default_rng(1), np.zeros((4, 12), int)
    for _ in range(3000):
        counts[np.arange(4), env.sample_legal(rng)] += 1
    assert (counts[env.action_masks()] > 190).all()  # 273 expected, 5 standard deviations are 79
    assert (counts[env.action_masks()] < 356).all()
    assert not counts[~env.action_masks()].any()


def test_drawn_actions_have_a_luck_of_their_own():
    """They come from the seed of game 0, yet not from its stream, which draws its start and its seat."""
    env = boxes(num_envs=8)
    env.reset(seed=5)
    first = env.action_masks().copy()
    same = _core.draw_actions(first.view(np.int8), env.np_random[0].random(8))
    assert (env.sample_legal() != same).any()


def test_where_nothing_is_legal_zero_is_drawn():
    env = boxes(num_envs=2, rows=1, columns=1, autoreset_mode="Disabled")
    env.reset(seed=0)
    for line in range(4):
        env.step(np.array([line, line]))
    assert not env.action_masks().any()
    assert env.sample_legal().tolist() == [0, 0]


@pytest.mark.parametrize("mode", MODES)
def test_a_refused_step_changes_nothing(mode):
    env = boxes(illegal_action="raise", autoreset_mode=mode)
    env.reset(seed=1)
    env.step(np.array([0, 1, 2]))
    before = env.episodes.state.copy()
    for actions, message in (
        (np.array([3, 1, 4]), r"action must be legal, got 1 in game 1"),
        (np.array([3, 4, 12]), r"action must be legal, got 12 in game 2"),
        (np.array([-1, 4, 5]), r"action must be legal, got -1 in game 0"),
        (np.array([0.5, 4, 5]), r"action must be whole numbers of shape \(3,\), got float64 \(3,\)"),
        (np.array([3, 4]), r"action must be whole numbers of shape \(3,\), got int64 \(2,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            env.step(actions)
        np.testing.assert_array_equal(env.episodes.state.lines, before.lines)
    _, rewards, terminated, _, infos = env.step(np.array([3, 4, 5]))
    assert not rewards.any()
    assert not terminated.any()
    assert not infos["illegal"].any()


def test_a_refused_step_renews_no_episode():
    """P12: an error in one game leaves the others, which were to begin anew, where they were."""
    env = boxes(num_envs=2, rows=1, columns=1, illegal_action="raise")
    env.reset(seed=0)
    for line in (0, 1, 2):
        env.step(np.array([line, line]))
    env.step(np.array([3, 3]))
    assert env.episodes.ended.all()
    with pytest.raises(ValueError, match="whole numbers"):
        env.step(np.array([0.0, 1.0]))
    assert env.episodes.ended.all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"autoreset_mode": "later"},
            "autoreset_mode must be one of NextStep, SameStep, Disabled, got 'later'",
        ),
        ({"num_envs": 0}, "num_envs must be a whole number of at least 1, got 0"),
        ({"num_envs": 1.5}, "num_envs must be a whole number of at least 1, got 1.5"),
        ({"rows": 0}, "BoxesRules.rows must be"),
        ({"colour": 1}, "arguments must be of rows, columns, border, scoring, opponent, .*, got colour"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        boxes(**arguments)


def test_wrong_resets_and_steps():
    env = boxes(autoreset_mode="Disabled")
    with pytest.raises(ValueError, match="game 0 must be reset before its first step"):
        env.step(np.zeros(3, int))
    with pytest.raises(ValueError, match="reset_mask must name all games at the first reset"):
        env.reset(options={"reset_mask": np.array([True, False, False])})
    env.reset(seed=0)
    for mask, message in (
        ([True, True, True], "reset_mask must be a bool array of shape"),
        (np.ones(3), "got float64"),
        (np.ones(2, bool), r"got bool \(2,\)"),
        (np.zeros(3, bool), "reset_mask must name a game at least, got none"),
    ):
        with pytest.raises(ValueError, match=message):
            env.reset(options={"reset_mask": mask})
    for seed, message in (
        ([1, 2], "seed must be one number or 3, got 2$"),
        (-1, "seed must be a whole number of at least 0, got -1$"),
        (1.5, "seed must be a whole number of at least 0, got 1.5$"),
        ("abc", "seed must be a whole number of at least 0, got 'a'$"),
        ([1, None, True], "seed must be a whole number of at least 0, got True$"),
    ):
        with pytest.raises(ValueError, match=message):
            env.reset(seed=seed)
    env.step(np.array([0, 1, 2]))
    env.step(np.array([0, 3, 3]))  # illegal in game 0
    with pytest.raises(ValueError, match="game 0 must be reset before its next step"):
        env.step(np.array([4, 4, 4]))
    options = {"reset_mask": np.array([True, False, False])}
    env.reset(options=options)
    assert "reset_mask" in options
    env.step(np.array([4, 4, 4]))


def test_pictures_and_texts_of_all_games():
    env = boxes(render_mode="rgb_array")
    env.reset(seed=0)
    frames = env.render()
    assert len(frames) == 3
    assert frames[0].shape == frames[2].shape
    assert boxes(render_mode="ansi", num_envs=2).render()[1].startswith("    A   B")
    assert boxes().render() is None


def test_statistics_and_videos_of_many_games(tmp_path):
    """Gymnasium's own wrappers, as users put them round any environment."""
    from gymnasium.wrappers.vector import RecordEpisodeStatistics, RecordVideo

    plain = gym.make_vec(BOXES, num_envs=2, rows=1, columns=2, render_mode="rgb_array")
    env = RecordEpisodeStatistics(
        RecordVideo(plain, str(tmp_path), video_length=12, step_trigger=lambda s: s == 0)
    )
    env.reset(seed=0)
    lengths = []
    for _ in range(20):
        *_, infos = env.step(plain.unwrapped.sample_legal())
        lengths += infos["episode"]["l"][infos["_episode"]].tolist() if "episode" in infos else []
    env.close()
    assert lengths == [7] * len(lengths)
    assert len(lengths) >= 4
    assert [path.suffix for path in tmp_path.iterdir()] == [".mp4"]


def test_the_opponent_is_asked_for_all_games_at_once():
    sizes = []

    class Counting(RandomPlayer):
        def choose(self, game, state, seeds):
            sizes.append(len(state))
            return super().choose(game, state, seeds)

    env = boxes(num_envs=50, opponent=Counting(), seat="second", rows=3, columns=3)
    env.reset(seed=0)
    assert sizes == [50]
    env.step(env.sample_legal())
    assert sizes[1] == 50


@pytest.mark.parametrize("mode", MODES)
def test_no_two_arrays_of_a_step_share_memory(mode):
    """P12: masks of infos and ends of episodes included, so that any of them can be edited alone."""

    def arrays(value):
        if isinstance(value, dict):
            return [array for one in value.values() for array in arrays(one)]
        return [value] if isinstance(value, np.ndarray) else []

    env = boxes(rows=1, columns=1, autoreset_mode=mode)
    env.reset()  # without a seed: legal actions are drawn all the same
    held = []
    for _ in range(4):
        seen, rewards, terminated, truncated, infos = env.step(env.sample_legal())
        held += [*arrays(seen), rewards, terminated, truncated, *arrays(infos)]
    assert terminated.all()
    assert ("final_obs" in infos) == (mode == "SameStep")
    for index, one in enumerate(held):
        for other in held[index + 1 :]:
            assert not np.shares_memory(one, other)
