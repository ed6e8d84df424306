"""Matches, ratings and round robins."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from rich.console import Console

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.notation import notation_for
from dotzero.play.arena import ArenaConfig, play_match
from dotzero.play.openings import draw_openings
from dotzero.play.players import Player, RandomPlayer, make_player
from dotzero.play.ratings import elo, estimate, ratings
from dotzero.play.tournament import play_round_robin

GAME = BoxesGame(BoxesRules(rows=2, columns=3))


class Lowest(Player):
    """Always the lowest legal line: the same game again and again."""

    name = "lowest"

    def choose(self, game, state, seeds):
        legal = game.legal(state)
        return np.where(legal.any(axis=1), legal.argmax(axis=1), -1).astype(np.int32)


class Other(RandomPlayer):
    def __init__(self, name):
        self.name = name


class Cheat(Lowest):
    name = "cheat"

    def choose(self, game, state, seeds):
        return np.zeros(len(state), np.int32)


def medium():
    return make_player("medium", GAME)


# ---- matches ----


def test_every_opening_is_played_with_both_colours():
    """F18: two games an opening, the seats swapped, the players taking over where the opening ends."""
    match = play_match(GAME, medium(), RandomPlayer(), ArenaConfig(games=40, opening_plies=3))
    assert len(match.records) == 40
    for pair in range(20):
        one, two = match.records[2 * pair], match.records[2 * pair + 1]
        assert one.opening == two.opening == pair
        assert one.players == ("medium", "random")
        assert two.players == ("random", "medium")
        assert one.moves[:3] == two.moves[:3]
        assert one.movers[:3] == two.movers[:3]
        assert one.opening_plies == 3


def test_records_replay_to_their_results():
    """R057, R061: moves, movers, score and result of every record are those of the rules."""
    match = play_match(GAME, medium(), RandomPlayer(), ArenaConfig(games=30, seed=4))
    notation = notation_for(GAME)
    for record in match.records:
        state = GAME.start(1)
        for move, mover in zip(record.moves, record.movers, strict=True):
            assert state.to_move[0] + 1 == mover
            state = GAME.step(state, [notation.parse(move)])
        assert state.finished[0]
        assert tuple(state.score[0]) == record.score
        assert record.result == (
            0 if record.score[0] == record.score[1] else 1 + int(np.argmax(record.score))
        )


def test_the_count_follows_from_the_records():
    """suragnair#122: wins, draws and losses are named and seen by the first player."""
    match = play_match(GAME, Other("mine"), RandomPlayer(), ArenaConfig(games=60, seed=2))
    points, margins = {"mine": [], "random": []}, []
    for record in match.records:
        seat = record.players.index("mine")
        margins.append(record.score[seat] - record.score[1 - seat])
        points[record.players[0]].append((np.sign(margins[-1]) + 1) / 2)
    assert (match.first, match.second) == ("mine", "random")
    assert match.wins == sum(margin > 0 for margin in margins)
    assert match.draws == sum(margin == 0 for margin in margins) > 0
    assert match.losses == sum(margin < 0 for margin in margins)
    assert match.mean_margin == pytest.approx(np.mean(margins))
    assert match.as_first == pytest.approx(np.mean(points["mine"]))
    assert match.as_second == pytest.approx(np.mean(points["random"]))
    assert match.score == pytest.approx((match.wins + match.draws / 2) / 60)


def test_the_same_seed_gives_the_same_match():
    config = ArenaConfig(games=20, seed=7)
    first, again = (play_match(GAME, medium(), RandomPlayer(), config) for _ in range(2))
    assert first == again
    other = play_match(GAME, medium(), RandomPlayer(), ArenaConfig(games=20, seed=8))
    assert other.records != first.records


def test_a_match_mirrors_when_players_swap_places():
    """Counting is not tilted: fixed players, the same openings, exchanged names."""
    config = ArenaConfig(games=30, seed=3)

    class Highest(Lowest):
        name = "highest"

        def choose(self, game, state, seeds):
            legal = game.legal(state)
            last = game.num_actions - 1 - legal[:, ::-1].argmax(axis=1)
            return np.where(legal.any(axis=1), last, -1).astype(np.int32)

    match, mirror = (
        play_match(GAME, Lowest(), Highest(), config),
        play_match(GAME, Highest(), Lowest(), config),
    )
    assert (match.wins, match.draws, match.losses) == (mirror.losses, mirror.draws, mirror.wins)
    assert match.mean_margin == -mirror.mean_margin
    assert match.estimate.elo == pytest.approx(-mirror.estimate.elo)
    low, high = mirror.estimate.interval
    assert match.estimate.interval == pytest.approx((-high, -low))


def test_deterministic_players_are_told_by_distinct_games():
    """Without openings two fixed players have one game only, and the result says so."""
    match = play_match(GAME, Lowest(), Lowest(), ArenaConfig(games=40, opening_plies=0))
    assert match.distinct_games == 1
    assert match.score == 0.5
    assert play_match(GAME, Lowest(), Lowest(), ArenaConfig(games=40)).distinct_games == 20


def test_openings_differ_as_long_as_they_can():
    _, state, actions, movers = draw_openings(GAME, 50, 2, np.random.default_rng(1))
    assert len({frozenset(pair) for pair in actions}) == 50
    assert all(players == [0, 1] for players in movers)
    assert state.lines.sum(axis=1).tolist() == [2] * 50
    few = draw_openings(GAME, 50, 1, np.random.default_rng(1)).actions
    assert len(few) == 50
    assert len({pair[0] for pair in few}) == 17


def test_an_opening_must_leave_something_to_play():
    tiny = BoxesGame(BoxesRules(rows=1, columns=1))
    with pytest.raises(ValueError, match=r"ArenaConfig\.opening_plies must leave something to play, got 4"):
        play_match(tiny, RandomPlayer(), RandomPlayer(), ArenaConfig(games=2, opening_plies=4))
    assert play_match(tiny, Lowest(), RandomPlayer(), ArenaConfig(games=20, opening_plies=3)).score == 0.5


def test_an_illegal_move_is_blamed_on_its_player():
    with pytest.raises(ValueError, match=r"^player cheat must choose a legal action, got 0$"):
        play_match(GAME, RandomPlayer(), Cheat(), ArenaConfig(games=4))


def test_progress_reaches_the_end():
    told = []
    play_match(GAME, Lowest(), RandomPlayer(), ArenaConfig(games=10), lambda *numbers: told.append(numbers))
    assert told[-1] == (10, 10)
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"games": 0}, "ArenaConfig.games must be a whole number of at least 2, got 0"),
        ({"games": 7}, "ArenaConfig.games must be even, got 7"),
        ({"games": 2.0}, "ArenaConfig.games must be a whole number of at least 2, got 2.0"),
        ({"opening_plies": -1}, "ArenaConfig.opening_plies must be a whole number of at least 0, got -1"),
        ({"seed": -3}, "ArenaConfig.seed must be a whole number of at least 0, got -3"),
    ],
)
def test_wrong_configurations_are_refused(values, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        ArenaConfig(**values)


def test_records_of_boxes_say_nothing_of_the_start(tmp_path):
    play_round_robin(GAME, [Lowest(), RandomPlayer()], ArenaConfig(games=2), tmp_path)
    line = json.loads((tmp_path / "games.jsonl").read_text().splitlines()[0])
    keys = "game rules players opening opening_plies moves movers score result"
    assert list(line) == keys.split()


# ---- ratings ----


def test_elo_of_a_score():
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(1 / 11) == pytest.approx(-400)


def test_pairs_are_the_sampling_unit():
    """F20: pairs that always split 1:1 tell far more than the same points in random order."""
    split, random = estimate([0.5] * 100), estimate([0.0, 1.0] * 50)
    assert split.score == random.score == 0.5
    width = [one.interval[1] - one.interval[0] for one in (split, random)]
    assert width[0] < width[1] / 5
    assert width[0] > 0  # equal pairs are still a sample
    # 100 single games of win or lose: the textbook standard error is 0.05, that is 69 Elo at 1.96 of them
    assert random.interval[1] == pytest.approx(69, abs=3)


@pytest.mark.parametrize("scores", [[1.0] * 100, [0.0] * 100, [1.0], [0.0]])
def test_extreme_scores_are_bounded_and_marked(scores):
    result = estimate(scores)
    low, high = result.interval
    assert result.bounded
    assert all(map(math.isfinite, (result.elo, low, high)))
    assert low <= result.elo <= high
    assert low < high
    assert np.sign(result.elo) == (1 if scores[0] else -1)
    assert not estimate([0.75, *scores]).bounded


@pytest.mark.parametrize(
    ("scores", "known"),
    [([1.0], (True, False)), ([0.0] * 9, (False, True)), ([0.75], (True, True)), ([0.5, 1], (True, True))],
)
def test_only_the_side_that_games_have_shown_is_told(scores, known):
    """A winner of everything is at least so strong, and may be any stronger."""
    found = estimate(scores)
    assert tuple(end is not None for end in found.known_interval) == known
    for end, told in zip(found.interval, found.known_interval, strict=True):
        assert told in (None, end)


@pytest.mark.parametrize("scores", [[], [1.2], [-0.1], [[0.5]]])
def test_wrong_scores_are_refused(scores):
    with pytest.raises(ValueError, match="pair_scores must be one or more numbers from 0 to 1"):
        estimate(scores)


@pytest.mark.parametrize(
    "chances", [[0.1, 0.2, 0.4, 0.2, 0.1], [0, 0.05, 0.2, 0.35, 0.4], [0.5, 0, 0, 0, 0.5]]
)
def test_intervals_hold_the_truth(chances):
    """About 95 of 100 intervals contain the true difference."""
    rng, values = np.random.default_rng(1), np.arange(5) / 4
    truth, inside = elo(float(values @ chances)), 0
    for _ in range(1000):
        low, high = estimate(rng.choice(values, size=50, p=chances)).interval
        inside += low <= truth <= high
    assert 0.93 < inside / 1000 < 0.98


def test_ratings_of_a_round_robin():
    """Consistent scores give back the strengths they came from, the last player at 0."""
    true = np.array([200.0, 50.0, -100.0, 0.0])
    pairings = []
    for first in range(4):
        for second in range(first + 1, 4):
            expected = 1 / (1 + 10 ** (-(true[first] - true[second]) / 400))
            scores = np.full(200, expected) + np.tile([0.1, -0.1], 100)
            pairings.append((first, second, estimate(scores)))
    values, interval = ratings(4, pairings)
    np.testing.assert_allclose(values, true, atol=1e-3)
    assert (interval[:3, 0] < values[:3]).all()
    assert (interval[:3, 1] > values[:3]).all()
    assert interval[3].tolist() == [0, 0]


def test_ratings_of_two_players_are_their_match():
    result = estimate([1, 0.75, 0.5, 1, 0.25])
    values, interval = ratings(2, [(0, 1, result)])
    assert values == pytest.approx([result.elo, 0])
    assert interval[0] == pytest.approx(result.interval)


# ---- round robins ----


@pytest.fixture
def players():
    return [medium(), Other("r/1 x"), Lowest()]


def test_the_result_as_json(players):
    """The object of `arena output=json`: players in the order given, scores 0..1, plain JSON."""
    result = play_round_robin(GAME, players, ArenaConfig(games=20)).to_json()
    assert json.loads(json.dumps(result, allow_nan=False))["game"] == "boxes"
    assert result["rules"] == {"rows": 2, "columns": 3, "border": "none", "scoring": "normal"}
    assert result["games"] == 60
    assert 30 <= result["distinct_games"] <= 60
    assert [player["name"] for player in result["players"]] == ["medium", "r/1 x", "lowest"]
    keys = "name score wins draws losses elo interval mean_margin as_first as_second forfeits"
    for player in result["players"]:
        assert set(keys.split()) <= set(player)
        assert player["wins"] + player["draws"] + player["losses"] == 40
        assert player["score"] == pytest.approx((player["wins"] + player["draws"] / 2) / 40)
        assert player["score"] == pytest.approx((player["as_first"] + player["as_second"]) / 2)
    assert sum(player["score"] for player in result["players"]) == pytest.approx(1.5)
    assert sum(player["mean_margin"] for player in result["players"]) == pytest.approx(0)
    assert [pair["players"] for pair in result["pairs"]] == [
        ["medium", "r/1 x"],
        ["medium", "lowest"],
        ["r/1 x", "lowest"],
    ]


def test_the_table_names_everyone(players):
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(play_round_robin(GAME, players, ArenaConfig(games=10)).table())
    text = console.export_text()
    assert all(name in text for name in ("medium", "r/1 x", "lowest", "anchor", "95%"))


def test_files_and_going_on(tmp_path, players):
    """R127, F21: finished matches are kept; what is missing is played; the files come out the same."""
    config, told = ArenaConfig(games=10), []
    whole = play_round_robin(GAME, players, config, tmp_path)
    files = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert len(files) == 5
    assert not list(tmp_path.rglob("*.tmp"))
    records = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert len(records) == 30
    assert records[0]["game"] == "boxes"
    assert {1, 2} == set(records[0]["movers"])
    pairs = sorted((tmp_path / "pairs").iterdir())
    pairs[1].unlink()
    (tmp_path / "results.json").unlink()
    stamps = {path: path.stat().st_mtime_ns for path in pairs if path.exists()}
    again = play_round_robin(GAME, players, config, tmp_path, lambda *news: told.append(news))
    assert again == whole
    assert {
        path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    } == files
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in stamps.items())
    assert [news[2:] for news in told if news[:2] == ("medium", "lowest")][-1] == (10, 10)


def test_a_folder_of_other_settings_is_refused(tmp_path, players):
    play_round_robin(GAME, players, ArenaConfig(games=4, seed=1), tmp_path)
    with pytest.raises(
        ValueError, match=r"^arena folder must be new or of the same settings, got seed 1 in .*"
    ):
        play_round_robin(GAME, players, ArenaConfig(games=4, seed=2), tmp_path)
    path = tmp_path / "pairs" / "medium--lowest.json"
    path.write_text(path.read_text()[:100])
    with pytest.raises(
        ValueError, match=r"^match file must be one written by the arena, got .*medium--lowest"
    ):
        play_round_robin(GAME, players, ArenaConfig(games=4, seed=1), tmp_path)


def test_players_must_be_two_with_different_names():
    with pytest.raises(ValueError, match="players must be two or more, got 1"):
        play_round_robin(GAME, [medium()], ArenaConfig(games=2))
    with pytest.raises(ValueError, match="players must have different names, got 'medium' 2 times"):
        play_round_robin(GAME, [medium(), medium()], ArenaConfig(games=2))


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    """A full disk: the older files stay whole and no temporary file is left."""
    play_round_robin(GAME, [medium(), RandomPlayer()], ArenaConfig(games=2), tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left"):
        play_round_robin(GAME, [medium(), RandomPlayer()], ArenaConfig(games=2), tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_players_load_no_torch():
    """Random and medium play without the seconds and the memory that torch takes."""
    parts = ", ".join(f"dotzero.play.{part}" for part in ("tournament", "levels", "terminal"))
    code = f"import sys, {parts}; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_tables_say_from_where_a_player_is_exact():
    """The horizon decides matches of good players: table and JSON say it, where there is one."""
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    players = [make_player(text, game) for text in ("insane@exact_lines=25,rollouts=50", "medium")]
    tournament = play_round_robin(game, players, ArenaConfig(games=4))
    first, second = tournament.to_json()["players"]
    assert first["horizon"] == 25
    assert "horizon" not in second
    columns = [column.header for column in tournament.table().columns]
    assert columns[-1] == "solver from"
    players = [make_player(text, game) for text in ("random", "medium")]
    tournament = play_round_robin(game, players, ArenaConfig(games=4))
    assert "solver from" not in [column.header for column in tournament.table().columns]
