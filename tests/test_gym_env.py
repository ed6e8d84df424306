"""The environments of one game: Gymnasium's checker in every mode, rewards and infos by hand, other tools."""

import copy
import doctest
import pickle
import subprocess
import sys
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import dotzero.envs.gym_env
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.registry import make_game
from dotzero.play.players import RandomPlayer

BOXES, KROPKI = "dotzero:DotsAndBoxes-v0", "dotzero:Kropki-v0"
SMALL = {BOXES: {"rows": 2, "columns": 2}, KROPKI: {"width": 5, "height": 4}}
FORMS = [
    {},
    {"opponent": "random"},
    {"opponent": "random", "seat": "first", "reward": "margin"},
    {"opponent": "random", "seat": "second"},
    {"reward": "margin", "illegal_action": "terminate"},
    {"render_mode": "ansi"},
    {"render_mode": "rgb_array"},
]


def play(env, lines, **reset):
    """All that `step` gave, after the first reset."""
    env.reset(seed=1, **reset)
    return [env.step(line) for line in lines]


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("name", SMALL)
def test_gymnasiums_checker_has_nothing_to_say(name, form):
    """R123: warnings count as failures; the checker renders in every mode too."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(name, **SMALL[name], **form).unwrapped)


def test_the_checker_on_the_boards_by_default():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in SMALL:
            check_env(gym.make(name).unwrapped, skip_render_check=True)
    assert gym.make(KROPKI).unwrapped.game.size == (32, 39)
    assert gym.make(BOXES).unwrapped.game.size == (5, 5)


@pytest.mark.parametrize(
    "program",
    [
        "import dotzero, gymnasium; gymnasium.make('Kropki-v0')",
        "import gymnasium, dotzero; gymnasium.make('DotsAndBoxes-v0')",
        "import gymnasium; gymnasium.make('dotzero:Kropki-v0', width=15, height=15)",
        "import gymnasium; gymnasium.make_vec('dotzero:DotsAndBoxes-v0', num_envs=2)",
    ],
)
def test_registered_whatever_is_imported_first(program):
    program += "; import sys; assert 'torch' not in sys.modules"
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_an_environment_can_be_made_again_from_its_specification():
    env = gym.make(
        KROPKI, width=9, height=7, start="random_crosses", num_crosses=2, opponent="greedy", seat="second"
    )
    spec = gym.envs.registration.EnvSpec.from_json(env.spec.to_json())
    again = gym.make(spec)
    one, two = env.reset(seed=5), again.reset(seed=5)
    for key in one[0]:
        np.testing.assert_array_equal(one[0][key], two[0][key])
    assert again.unwrapped.game.rules == env.unwrapped.game.rules


def test_the_rule_cards_are_true():
    found = doctest.testmod(dotzero.envs.gym_env)
    assert found.attempted >= 12
    assert found.failed == 0


def test_self_play_rewards_whoever_moved():
    """R055, R057, R123: the classic order; player 2 closes the only box and has won with its line."""
    env = gym.make(BOXES, rows=1, columns=1)
    steps = play(env, [0, 1, 2, 3])
    assert [step[1] for step in steps] == [0, 0, 0, 1]
    assert [step[2] for step in steps] == [False, False, False, True]
    assert [step[4]["to_move"] for step in steps[:3]] == [1, 0, 1]
    info = steps[-1][4]
    assert info["score"].tolist() == [0, 1]
    assert (info["result"], info["decided"], info["phase"], info["seat"]) == (2, 1, "finished", -1)
    assert not info["action_mask"].any()
    assert not steps[-1][0]["action_mask"].any()


def test_margins_as_rewards_add_up_to_the_final_margin():
    """R065: own boxes as they come; with an opponent its boxes count against the agent."""
    env = gym.make(BOXES, rows=1, columns=2, reward="margin")
    rewards = [step[1] for step in play(env, [0, 2, 4, 5, 1, 3, 6])]
    assert rewards == [0, 0, 0, 1, 0, 0, 1]
    env = gym.make(BOXES, rows=3, columns=3, reward="margin", opponent="medium", seat="second")
    _, info = env.reset(seed=4)
    total, ended = 0, False
    while not ended:
        _, reward, ended, _, info = env.step(int(info["action_mask"].argmax()))
        total += reward
    assert total == info["score"][1] - info["score"][0]


def test_margins_of_kropki_hold_what_a_stop_loses():
    env = gym.make(KROPKI, width=5, height=5, reward="margin", komi=0.5)
    _, reward, ended, _, info = play(env, [25])[0]
    assert (reward, ended, info["score"].tolist()) == (-2, True, [0, 2])


def test_the_agent_has_its_seat_and_is_asked_only_on_its_turn():
    """R057: after a box the same side moves again, which is the agent's or the opponent's own affair."""
    for seat, player in (("first", 0), ("second", 1)):
        env = gym.make(BOXES, rows=2, columns=2, opponent="medium", seat=seat)
        for seed in range(20):
            _, info = env.reset(seed=seed)
            assert info["action_mask"].sum() == (12 if player == 0 else 11)
            ended = False
            while not ended:
                assert (info["to_move"], info["seat"]) == (player, player)
                line = int(np.flatnonzero(info["action_mask"])[-1])
                _, reward, ended, _, info = env.step(line)
            winner = info["result"] - 1
            assert reward == (0 if winner < 0 else 1 if winner == player else -1)
    env, seats = gym.make(BOXES, opponent="random"), set()
    env.reset(seed=0)
    for _ in range(20):
        seats.add(env.reset()[1]["seat"])
    assert seats == {0, 1}


@pytest.mark.parametrize("name", SMALL)
def test_an_illegal_action_ends_the_episode_and_leaves_the_game(name):
    env = gym.make(name, **SMALL[name])
    seen, *_ = play(env, [0])[0]
    after, reward, terminated, truncated, info = env.unwrapped.step(0)
    assert (reward, terminated, truncated, info["illegal"], info["result"]) == (-1, True, False, True, -1)
    for key in seen:
        np.testing.assert_array_equal(after[key], seen[key])
    with pytest.raises(ValueError, match="game 0 must be reset before its next step, its episode is over"):
        env.unwrapped.step(1)
    assert not env.reset()[1]["illegal"]


def test_an_illegal_action_can_be_an_error():
    env = gym.make(BOXES, rows=1, columns=1, illegal_action="raise").unwrapped
    with pytest.raises(ValueError, match="game 0 must be reset before its first step"):
        env.step(0)
    env.reset(seed=0)
    for action, message in (
        (4, "got 4 in game 0"),
        (-1, "got -1"),
        (0.5, "got float64"),
        (None, "got object"),
    ):
        with pytest.raises(ValueError, match=message):
            env.step(action)
    for action in (np.int8(0), np.array(1), np.uint64(2), 3):
        *_, info = env.step(action)
    assert info["result"] == 2


def test_infos_of_kropki_name_zone_solo_phase_and_who_has_won():
    """R008, R036, R135, R155."""
    env = gym.make(KROPKI, width=6, height=6, start="empty", opening_zone=(2, 2), stop="solo", solo_moves=2)
    _, info = env.reset(seed=0)
    assert (info["phase"], int(info["action_mask"].sum())) == ("opening", 5)
    told = [env.step(action)[4] for action in (14, 15, 36, 0)]
    assert [info["phase"] for info in told] == ["opening", "play", "solo", "solo"]
    assert [info["to_move"] for info in told] == [1, 0, 1, 1]
    env = gym.make(KROPKI, width=5, height=5, komi=1.5)
    assert env.reset(seed=0)[1]["decided"] == -1
    linked = play(gym.make(KROPKI, width=3, height=3, start="empty", komi=1), [0])[0][4]
    assert linked["decided"] == 1  # the komi wins for player 2, who loses nothing by stopping


def test_the_opponent_can_be_a_function_of_observations():
    def lowest(seen):
        assert set(seen) == {"observation", "globals", "action_mask"}
        assert seen["observation"].shape == (1, 8, 3, 3)
        return seen["action_mask"].argmax(axis=1)

    env = gym.make(BOXES, rows=2, columns=2, opponent=lowest, seat="first")
    info = play(env, [11, 10])[-1][4]
    assert np.flatnonzero(info["action_mask"] == 0).tolist() == [0, 1, 10, 11]


def test_the_opponent_can_be_a_player_whose_luck_is_the_seeds():
    env = gym.make(BOXES, opponent=RandomPlayer(), seat="second")
    first = [int(env.reset(seed=seed)[1]["action_mask"].argmin()) for seed in range(30)]
    assert [int(env.reset(seed=seed)[1]["action_mask"].argmin()) for seed in range(30)] == first
    assert len(set(first)) > 10


@pytest.mark.parametrize(
    ("opponent", "message"),
    [
        (lambda seen: [0.5], "opponent must give 1 whole numbers, got float64"),
        (lambda seen: [0, 1], r"opponent must give 1 whole numbers, got int64 \(2,\)"),
        (lambda seen: [12], "opponent must make legal moves, got 12"),
        (lambda seen: [-1], "opponent must make legal moves, got -1"),
        ("grandmaster", "player of boxes must be one of random, easy, medium, hard, insane, zero, zero:DIR"),
        (3, "opponent must be a player's name, a player or a function of observations, got 3"),
    ],
)
def test_wrong_opponents(opponent, message):
    def begin():
        gym.make(BOXES, rows=2, columns=2, opponent=opponent, seat="second").reset(seed=0)

    with pytest.raises(ValueError, match=message):
        begin()


def test_an_opponent_that_ends_the_game_at_once_is_an_error():
    env = gym.make(KROPKI, width=5, height=5, opponent=lambda seen: [25], seat="second")
    with pytest.raises(ValueError, match="opponent must leave the agent a move"):
        env.reset(seed=0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seat": "third", "opponent": "random"}, "seat must be one of first, second, random, got 'third'"),
        ({"seat": "first"}, "seat must be left alone without an opponent, got 'first'"),
        ({"reward": "fame"}, "reward must be one of outcome, margin, got 'fame'"),
        ({"illegal_action": "ignore"}, "illegal_action must be one of terminate, raise, got 'ignore'"),
        ({"width": 1}, "KropkiRules.width must be a whole number from 2 to 52, got 1"),
        ({"oponent": "easy"}, "arguments must be of width, .*, komi, opponent, seat, .*, got oponent"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        gym.make(KROPKI, **arguments)


def test_texts_and_pictures_of_a_game():
    """R031, R146: the last move is marked, and enclosures are drawn with their chains."""
    env = gym.make(BOXES, rows=1, columns=1, render_mode="ansi")
    env.reset(seed=0)
    env.step(0)
    assert env.render() == "    A\n  +===+\n1\n  +   +\n0:0, player 2 to move\n"
    env = gym.make(KROPKI, width=6, height=5, start="empty", render_mode="rgb_array").unwrapped
    env.reset(seed=0)
    for action in (1, 7, 6, 29, 8, 28):
        env.step(action)
    before = env.render()
    env.step(13)
    assert [one.dots for one in env.episodes.enclosures[0]] == [1]
    assert before.shape == env.render().shape
    assert (before != env.render()).any()
    env.reset()
    assert env.episodes.enclosures == [[]]


def test_statistics_and_videos(tmp_path):
    from gymnasium.wrappers import RecordEpisodeStatistics, RecordVideo

    inner = gym.make(KROPKI, width=5, height=4, render_mode="rgb_array")
    env = RecordEpisodeStatistics(
        RecordVideo(inner, str(tmp_path), episode_trigger=lambda number: number == 0)
    )
    for _ in range(2):
        _, info = env.reset(seed=0)
        ended, length = False, 0
        while not ended:
            _, _, ended, _, info = env.step(int(info["action_mask"].argmax()))
            length += 1
        assert info["episode"]["l"] == length
    env.close()
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".mp4"] == ["rl-video-episode-0.mp4"]


@pytest.mark.parametrize("name", SMALL)
def test_stable_baselines_checker(name):
    """No warning but one."""
    sb3 = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # It takes every space of three axes for a picture, and pictures for larger ones.
        warnings.filterwarnings("ignore", message=".*image")
        sb3.check_env(gym.make(name, opponent="random", **SMALL[name]).unwrapped)


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_torchrl_checker(name):
    pytest.importorskip("torchrl")
    from torchrl.envs import GymWrapper
    from torchrl.envs.utils import check_env_specs

    check_env_specs(GymWrapper(gym.make(name, **SMALL[name]), categorical_action_encoding=True))


def test_masks_for_maskable_algorithms():
    env = gym.make(KROPKI, width=4, height=4, stop="off").unwrapped
    _, info = env.reset(seed=0)
    masks = env.action_masks()
    assert masks.dtype == np.bool_
    np.testing.assert_array_equal(masks, info["action_mask"] == 1)
    masks[:] = True  # it belongs to the caller
    assert env.action_masks().sum() == info["action_mask"].sum()


@pytest.mark.parametrize("name", SMALL)
def test_an_environment_can_be_copied_and_sent(name):
    """For agents that look ahead by copies: both go on alike and apart."""
    env = gym.make(name, opponent="random", **SMALL[name]).unwrapped
    env.reset(seed=3)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):  # noqa: S301
        action = int(env.action_masks().argmax())
        before = env.episodes.state.score.copy(), env.action_masks()
        seen, *_ = twin.step(action)
        np.testing.assert_array_equal(env.action_masks(), before[1])
        assert (seen["action_mask"] != before[1]).any()
    again, *_ = env.step(action)
    np.testing.assert_array_equal(again["observation"], seen["observation"])


def test_random_games_end_as_their_rules_say():
    """R123: 100 random games of each, against the rules engine step by step."""
    for name, game in (
        (BOXES, make_game("boxes", SMALL[BOXES])),
        (KROPKI, make_game("kropki", SMALL[KROPKI])),
    ):
        env, rng = gym.make(name, **SMALL[name]), np.random.default_rng(8)
        for seed in range(100):
            _, info = env.reset(seed=seed)
            state, ended = game.start(1), False
            while not ended:
                legal = np.flatnonzero(info["action_mask"])
                action = int(
                    rng.choice(legal[:-1] if isinstance(game, KropkiGame) and len(legal) > 1 else legal)
                )
                state = game.step(state, [action])
                _, _, ended, _, info = env.step(action)
                np.testing.assert_array_equal(info["action_mask"], game.legal(state)[0])
                assert info["score"].tolist() == state.score[0].tolist()
            assert state.finished[0]
