"""Episodes of many games, against a plain referee: one game after the other, each with its own loop."""

import gymnasium as gym
import numpy as np
import pytest

from dotzero.envs.episodes import EpisodeOptions, Episodes
from dotzero.envs.registry import make_game
from dotzero.play.players import RandomPlayer, make_player

GAMES = {
    "boxes": ("boxes", {"rows": 2, "columns": 2}),
    "boxes-misere": ("boxes", {"rows": 2, "columns": 3, "scoring": "misere", "border": "left_bottom"}),
    "kropki": ("kropki", {"width": 5, "height": 4, "komi": 0.5}),
    "kropki-add-turn": ("kropki", {"width": 5, "height": 5, "start": "empty", "add_turn": True}),
    "kropki-solo": ("kropki", {"width": 4, "height": 5, "stop": "solo", "solo_moves": 3}),
    "kropki-crosses": ("kropki", {"width": 7, "height": 7, "start": "random_crosses", "num_crosses": 2}),
}
OPPONENTS = {"boxes": "medium", "boxes-misere": "random"}  # medium does not play misere


class Referee:
    """One episode, told from the scores alone, in the words of the rule cards."""

    def __init__(self, game, opponent, reward, seat, generator):
        self.game, self.opponent, self.reward = game, opponent, reward
        self.state = game.start(1, generator if game.draws_start else None)
        self.seat, self.luck = -1, None
        if opponent is not None:
            self.seat = int(generator.integers(2)) if seat == "random" else int(seat == "second")
            self.luck = np.array([generator.integers(2**63)], np.uint64)
            self.answer()

    def answer(self):
        while not self.state.finished[0] and self.state.to_move[0] != self.seat:
            move = self.opponent.choose(self.game, self.state, self.luck)
            self.state = self.game.step(self.state, move)

    def ahead(self, player):
        """Points of a player minus the other's, with komi; in misere what the other has more."""
        first, second = self.state.score[0].tolist()
        lead = first - second - getattr(self.game.rules, "komi", 0)
        lead *= -1 if getattr(self.game.rules, "scoring", "") == "misere" else 1
        return lead if player == 0 else -lead

    def step(self, action):
        """The reward of a legal action."""
        player = int(self.state.to_move[0]) if self.opponent is None else self.seat
        before = self.ahead(player)
        self.state = self.game.step(self.state, [action])
        if self.opponent is not None:
            self.answer()
        if self.reward == "margin":
            return self.ahead(player) - before
        return float(np.sign(self.ahead(player))) if self.state.finished[0] else 0.0

    def info(self):
        finished, lead = bool(self.state.finished[0]), self.ahead(0)
        result = -1 if not finished else 0 if lead == 0 else 1 if lead > 0 else 2
        told = {"to_move": self.state.to_move[0], "score": self.state.score[0].tolist(), "seat": self.seat}
        return {**told, "result": result}


def plain(infos, row):
    return {name: np.asarray(infos[name][row]).tolist() for name in ("to_move", "score", "seat", "result")}


@pytest.mark.parametrize("reward", ["outcome", "margin"])
@pytest.mark.parametrize("form", ["self-play", "first", "second", "random"])
@pytest.mark.parametrize("case", GAMES)
def test_a_plain_referee_says_the_same(case, form, reward):
    """R123: starts, seats, luck, rewards, results and masks of 6 games that begin anew as they end."""
    game, num_games = make_game(*GAMES[case]), 6
    opponent = None if form == "self-play" else make_player(OPPONENTS.get(case, "greedy"), game)
    seat = "random" if form == "self-play" else form
    episodes = Episodes(game, num_games, EpisodeOptions(opponent=opponent, seat=seat, reward=reward))
    ours, theirs = ([np.random.default_rng([7, row]) for row in range(num_games)] for _ in range(2))
    episodes.begin(np.arange(num_games), ours)
    episodes.look()
    referees = [Referee(game, opponent, reward, seat, generator) for generator in theirs]
    rng, results = np.random.default_rng(20), set()
    for _ in range(60):
        actions = episodes.sample_legal(rng)
        renewed = episodes.ended
        rewards = episodes.play(actions, renewed, ours)
        infos, seen = episodes.infos(), episodes.observations()
        for row in range(num_games):
            if renewed[row]:
                referees[row] = Referee(game, opponent, reward, seat, theirs[row])
                assert rewards[row] == 0
            else:
                assert rewards[row] == referees[row].step(int(actions[row])), row
            state = referees[row].state
            assert plain(infos, row) == referees[row].info()
            np.testing.assert_array_equal(infos["action_mask"][row], game.legal(state)[0])
            np.testing.assert_array_equal(seen["action_mask"][row], game.legal(state)[0])
            np.testing.assert_array_equal(seen["observation"][row], game.view(state).planes[0])
            results.add(int(infos["result"][row]))
    assert results >= ({-1, 1, 2} if opponent is None else {-1})
    assert len(results) > 1, "no episode ended"


def started(name="boxes", num_games=3, rules=None, **options):
    game = make_game(name, rules or {"rows": 1, "columns": 2})
    episodes = Episodes(game, num_games, EpisodeOptions(**options))
    generators = [np.random.default_rng(row) for row in range(num_games)]
    episodes.begin(np.arange(num_games), generators)
    episodes.look()
    return episodes, generators


def test_only_the_named_games_begin_anew():
    episodes, generators = started(opponent=RandomPlayer())
    episodes.play(np.array(episodes.legal.argmax(axis=1)))
    before, seats = episodes.state.copy(), episodes.seats.copy()
    episodes.begin(np.array([1]), [generators[1]])
    for row in (0, 2):
        np.testing.assert_array_equal(episodes.state.lines[row], before.lines[row])
        assert episodes.seats[row] == seats[row]
    assert episodes.state.lines[1].sum() == episodes.seats[1]


@pytest.mark.parametrize("opponent", [None, "random"])
def test_illegal_actions_end_their_own_game_alone(opponent):
    """P12, P13: the other games of the batch play on."""
    seat = "random" if opponent is None else "first"
    episodes, _ = started(rules={"rows": 2, "columns": 2}, opponent=opponent, seat=seat)
    episodes.play(np.array([0, 1, 2]))
    wrong, good = int(np.flatnonzero(~episodes.legal[1])[0]), episodes.legal.argmax(axis=1)
    before = episodes.state.copy()
    rewards = episodes.play(np.array([good[0], wrong, good[2]]))
    assert rewards.tolist() == [0, -1, 0]
    assert episodes.ended.tolist() == episodes.illegal.tolist() == [False, True, False]
    np.testing.assert_array_equal(episodes.state.lines[1], before.lines[1])
    assert (episodes.state.lines[[0, 2]].sum(axis=1) > before.lines[[0, 2]].sum(axis=1)).all()
    assert episodes.infos()["result"].tolist() == [-1, -1, -1]
    with pytest.raises(ValueError, match="game 1 must be reset before its next step"):
        episodes.play(np.array([5, 5, 5]))


def test_a_draw_is_told_apart_from_a_game_that_goes_on():
    episodes, _ = started(num_games=1, rules={"rows": 2, "columns": 2})
    rng, results = np.random.default_rng(3), set()
    for _ in range(60):
        episodes.begin(np.array([0]), [rng])
        episodes.look()
        while not episodes.ended[0]:
            reward = episodes.play(episodes.sample_legal(rng))[0]
        first, second = episodes.state.score[0].tolist()
        result = int(episodes.infos()["result"][0])
        assert result == (0 if first == second else 1 if first > second else 2)
        assert (reward == 0) == (result == 0)
        results.add(result)
    assert results == {0, 1, 2}


def test_enclosures_are_kept_only_where_pictures_are_wanted():
    """R031: all of a game, each with the move that closed it; none of the game before."""
    moves = (1, 7, 6, 10, 8, 29, 13, 28, 4, 27, 9, 24, 11, 25, 16)  # round point 7, then round 10
    for mode, num_enclosures in (("rgb_array", 2), ("ansi", 0), (None, 0)):
        rules = {"width": 6, "height": 5, "start": "empty"}
        episodes, generators = started("kropki", 2, rules, render_mode=mode)
        for move in moves:
            episodes.play(np.array([move, move]))
        assert [len(row) for row in episodes.enclosures] == [num_enclosures] * 2
        assert episodes.state.score[0, 0] == 2
        episodes.begin(np.array([1]), generators[1:])
        assert [len(row) for row in episodes.enclosures] == [num_enclosures, 0]


def test_an_opponent_that_ends_one_game_of_many_at_its_start_is_an_error():
    def stops_in_the_last(seen):
        actions = seen["action_mask"].argmax(axis=1)
        actions[-1] = seen["action_mask"].shape[1] - 1
        return actions

    with pytest.raises(
        ValueError, match=r"^opponent must leave the agent a move, got one that ended the game"
    ):
        started("kropki", 3, {"width": 5, "height": 5}, opponent=stops_in_the_last, seat="second")


@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
def test_closing_an_environment_closes_its_opponent_once(make):
    closed = []

    class Closing(RandomPlayer):
        def close(self):
            closed.append(True)

    env = make("dotzero:DotsAndBoxes-v0", rows=2, columns=2, opponent=Closing())
    env.reset(seed=0)
    env.close()
    assert closed == [True]


@pytest.mark.parametrize("number", [0, -1, True, 2.0, "2", None])
def test_wrong_numbers_of_games(number):
    with pytest.raises(ValueError, match=r"^num_envs must be a whole number of at least 1, got"):
        Episodes(make_game("boxes", {}), number, EpisodeOptions())


def test_episodes_show_their_start_before_they_begin():
    game = make_game("boxes", {"rows": 1, "columns": 1})
    episodes = Episodes(game, 2, EpisodeOptions())
    assert episodes.legal.all()
    assert episodes.observations()["action_mask"].shape == (2, 4)
