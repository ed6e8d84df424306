"""Programs as players: they play what they play in-house, and whatever goes wrong costs them one game."""

import sys
import time

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.play.arena import ArenaConfig, play_match
from dotzero.play.external import ExternalConfig, ExternalPlayer, Protocol
from dotzero.play.players import RandomPlayer, make_player
from dotzero.play.tournament import play_round_robin

GAME = BoxesGame(BoxesRules(rows=2, columns=2))
ENGINE = [sys.executable, "-m", "dotzero", "engine"]

ANSWER = """
import json, sys
for number, line in enumerate(sys.stdin):
    request = json.loads(line)
    answer = {"id": request["id"]}
    %s
    print(json.dumps(answer), flush=True)
"""
"""A program that reads requests; what it does with them is put in."""


def program(body, game=GAME, **config):
    return ExternalPlayer([sys.executable, "-c", ANSWER % body], game, ExternalConfig(**config), "program")


@pytest.fixture
def closing():
    made = []
    yield lambda player: made.append(player) or player
    for player in made:
        player.close()


@pytest.mark.parametrize(
    ("game", "level"),
    [
        (GAME, "easy"),
        (KropkiGame(KropkiRules(width=5, height=5, start="random_crosses", num_crosses=1)), "random"),
    ],
)
def test_our_own_engine_plays_as_the_level_itself(game, level, closing):
    outside = closing(ExternalPlayer(ENGINE, game, ExternalConfig(level=level), level))
    config = ArenaConfig(games=4, seed=3)
    other = RandomPlayer()
    other.name = "other"
    inside = play_match(game, make_player(level, game), other, config)
    assert play_match(game, outside, other, config) == inside


def test_the_protocol_of_the_ccgc(closing):
    game = BoxesGame(BoxesRules(rows=3, columns=3))
    words = ["--protocol", "ccgc", "--level", "medium", "--size", "3x3"]
    engine = closing(ExternalPlayer([*ENGINE, *words], game, ExternalConfig(protocol=Protocol.CCGC), "ccgc"))
    match = play_match(game, engine, RandomPlayer(), ArenaConfig(games=6, opening_plies=0))
    assert {record.ending for record in match.records} == {"played"}
    assert match.score > 0.5
    with pytest.raises(ValueError, match=r"^ArenaConfig\.opening_plies must be 0 with player ccgc: "):
        play_match(game, engine, RandomPlayer(), ArenaConfig(games=2))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("sys.exit(3)", "the program has ended with code 3"),
        ("import time; time.sleep(60)", "no answer in time"),
        ("print('what?', flush=True); continue", "an answer that is no JSON: what?"),
        ("print('[1]', flush=True); continue", "an answer that is no JSON object: [1]"),
        ("answer['move'] = 'Z9R'", "an answer that is no move: "),
        ("answer['move'] = 7", "an answer without a move: "),
        ("answer['error'] = 'not today'", "it says: not today"),
        ("sys.stdout.buffer.write(bytes([255, 10])); sys.stdout.flush(); continue", "no UTF-8"),
    ],
)
def test_whatever_is_wrong_costs_the_game_and_not_the_match(body, reason, closing):
    player = closing(program(body, patience=3.0))
    match = play_match(GAME, player, RandomPlayer(), ArenaConfig(games=2))
    assert match.losses == 2
    assert match.forfeits == (2, 0)
    for record in match.records:
        assert record.ending.startswith("forfeit: ")
        assert reason in record.ending
        assert record.players[record.result - 1] == "random"


def test_an_illegal_move_is_told_by_name(closing):
    player = closing(program("answer['move'] = 'A1L'"))
    match = play_match(GAME, player, RandomPlayer(), ArenaConfig(games=6))
    assert match.losses == 6
    assert {record.ending for record in match.records} == {"forfeit: an illegal move, A1L"}


def test_a_program_that_fails_once_is_started_again(tmp_path, closing):
    mark = tmp_path / "failed"
    body = (
        f"import pathlib; mark = pathlib.Path({str(mark)!r})\n"
        "    if not mark.exists(): mark.write_text(''); sys.exit(1)\n"
        "    import dotzero.play.engine as e; one = e.Engine()\n"
        "    answer = json.loads(one.answer(json.dumps(request | {'level': 'random'}).encode()))"
    )
    player = closing(program(body))
    result = play_round_robin(GAME, [player, RandomPlayer()], ArenaConfig(games=4))
    endings = [record.ending for record in result.matches[0].records]
    assert endings[0] == "forfeit: the program has ended with code 1"
    assert endings[1:] == ["played"] * 3
    assert result.standings[0].forfeits == 1
    assert [column.header for column in result.table().columns][-1] == "forfeits"


def test_a_program_that_cannot_be_started(closing):
    player = closing(ExternalPlayer(["/nowhere/to/be/found"], GAME, ExternalConfig(), "lost"))
    match = play_match(GAME, player, RandomPlayer(), ArenaConfig(games=2))
    assert {record.ending for record in match.records} == {
        "forfeit: the program cannot be started: No such file or directory"
    }


def test_a_program_that_does_not_end_is_ended(closing):
    player = program(
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); import time; time.sleep(60)"
    )
    player._config.patience = 2.0
    play_match(GAME, player, RandomPlayer(), ArenaConfig(games=2))
    begun = time.monotonic()
    player.close()
    assert time.monotonic() - begun < 30


def test_the_seconds_of_a_move_are_told(closing):
    body = "assert request['budget'] == {'seconds': 0.5}; answer['error'] = 'seen'"
    player = closing(program(body, seconds=0.5, patience=5.0))
    match = play_match(GAME, player, RandomPlayer(), ArenaConfig(games=2))
    assert {record.ending for record in match.records} == {"forfeit: it says: seen"}


def test_specifications():
    player = make_player("engine:./mine --fast 'a b'@level=hard,seconds=2", GAME)
    assert player.name == "engine:./mine --fast 'a b'@level=hard,seconds=2"
    assert player._process._command == ["./mine", "--fast", "a b"]
    assert player._config.limit == pytest.approx(3.0)
    assert player.follows_games
    for text, message in (
        ("engine", "player engine must name a command as engine:COMMAND, got 'engine'"),
        ("engine:'x", "player engine must have a command that a shell could read: "),
        ("engine:x@protocol=uci", "engine: protocol must be one of json, ccgc, got 'uci'"),
        ("engine:x@patience=0", "engine: patience must be above 0"),
        ("engine:x@seconds=-1", "engine: seconds must be in 0.."),
        ("engine:x@protocol=ccgc,level=hard", "engine: level must be left out with protocol=ccgc"),
    ):
        with pytest.raises(ValueError, match=f"^{message}"):
            make_player(text, GAME)
    kropki = KropkiGame(KropkiRules(width=5, height=5))
    with pytest.raises(ValueError, match="engine: protocol must be json for kropki, got ccgc"):
        make_player("engine:x@protocol=ccgc", kropki)


def test_a_batch_is_asked_position_by_position(closing):
    player = closing(ExternalPlayer(ENGINE, GAME, ExternalConfig(level="medium"), "medium"))
    state = GAME.step(GAME.start(2), [0, 5])
    seeds = np.array([1, 2], np.uint64)
    np.testing.assert_array_equal(
        player.choose(GAME, state, seeds), make_player("medium", GAME).choose(GAME, state, seeds)
    )
