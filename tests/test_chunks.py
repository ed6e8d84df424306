"""Matches in several processes and in pieces: the same files whatever the workers, and nothing lost."""

import contextlib
import json
import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.play.arena import ArenaConfig, play_match
from dotzero.play.chunks import Entrant, Setting, chunk_bounds, play_in_workers
from dotzero.play.players import make_player
from dotzero.play.sprt import Sprt
from dotzero.play.tournament import Mode, Plan, play_tournament

GAME = BoxesGame(BoxesRules(rows=2, columns=2))


@pytest.mark.parametrize("num_pairs", [1, 4, 5, 63, 64, 65, 500, 10_000])
def test_chunks_cover_a_match_once(num_pairs):
    bounds = chunk_bounds(num_pairs)
    assert bounds[0][0] == 0
    assert bounds[-1][1] == num_pairs
    assert all(one[1] == two[0] for one, two in pairwise(bounds))
    assert all(0 < last - first <= 32 for first, last in bounds)


def test_the_parts_of_a_match_are_those_of_the_whole():
    config = ArenaConfig(games=40)
    players = [make_player(name, GAME) for name in ("easy", "random")]
    whole = play_match(GAME, *players, config)
    pieces = play_tournament(GAME, players, config, Plan())
    assert pieces.matches[0] == whole


def test_workers_do_not_show_in_the_results(tmp_path):
    config = ArenaConfig(games=24)
    entrants = tuple(Entrant(text=text) for text in ("medium", "easy", "random"))
    players = [entrant.make(GAME) for entrant in entrants]
    setting = Setting(game=GAME, entrants=entrants, config=config)

    def two(chunks):
        return play_in_workers(setting, 2, chunks)

    alone = play_tournament(GAME, players, config, Plan(), folder=tmp_path / "alone")
    together = play_tournament(GAME, players, config, Plan(), folder=tmp_path / "two", play_chunks=two)
    assert alone == together
    for path in (tmp_path / "alone").rglob("*.json*"):
        assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "alone")).read_bytes()


def test_f21_an_interrupted_match_goes_on_with_what_it_has(tmp_path):
    config = ArenaConfig(games=40)
    players = [make_player(name, GAME) for name in ("easy", "random")]
    whole = play_tournament(GAME, players, config, Plan(), folder=tmp_path / "whole")
    asked = []

    def interrupted(chunks):
        for index, (_, _, pairs) in enumerate(chunks):
            asked.append(pairs)
            if len(asked) == 3:
                raise KeyboardInterrupt
            yield index, list(whole.matches[0].records[2 * pairs[0] : 2 * pairs[1]])

    with pytest.raises(KeyboardInterrupt):
        play_tournament(GAME, players, config, Plan(), folder=tmp_path / "cut", play_chunks=interrupted)
    sheet = json.loads((tmp_path / "cut/pairs/easy--random.json").read_text())
    assert list(sheet["chunks"]) == ["0", "1"]
    told = []
    again = play_tournament(
        GAME,
        players,
        config,
        Plan(),
        folder=tmp_path / "cut",
        progress=lambda *news: told.append(news[2:]),
    )
    assert again == whole
    assert told[0] == (16, 40)  # two chunks of four pairs
    assert (tmp_path / "cut/results.json").read_bytes() == (tmp_path / "whole/results.json").read_bytes()


def test_a_gauntlet_is_the_first_against_all_and_the_anchor_is_named():
    players = [make_player(name, GAME) for name in ("medium", "easy", "random")]
    plan = Plan(mode=Mode.GAUNTLET, anchor="easy")
    result = play_tournament(GAME, players, ArenaConfig(games=20), plan)
    assert [(match.first, match.second) for match in result.matches] == [
        ("medium", "easy"),
        ("medium", "random"),
    ]
    medium, easy, random = result.standings
    assert (easy.elo, easy.interval) == (0.0, (0.0, 0.0))
    assert medium.elo > 0 > random.elo
    assert medium.wins + medium.draws + medium.losses == 40
    for wrong, message in (
        (Plan(anchor="hard"), "anchor must be one of the players medium, easy, random, got hard"),
        (Plan(sprt=Sprt(elo0=0, elo1=5)), "sprt must have two players, got 3"),
    ):
        with pytest.raises(ValueError, match=f"^{message}$"):
            play_tournament(GAME, players, ArenaConfig(games=2), wrong)


def test_a_test_that_is_answered_ends_the_match_at_the_same_game():
    players = [make_player(name, GAME) for name in ("medium", "random")]
    plan = Plan(sprt=Sprt(elo0=0, elo1=100))
    result = play_tournament(GAME, players, ArenaConfig(games=1000), plan)
    data = result.to_json()
    assert data["sprt"]["accepted"] == "elo1"
    assert data["games"] < 400
    assert sum(data["pairs"][0]["pairs_by_score"]) == data["games"] / 2
    # Chunks that come in another order, and more of them than needed, change nothing.
    entrants = tuple(Entrant(text=text) for text in ("medium", "random"))
    setting = Setting(game=GAME, entrants=entrants, config=ArenaConfig(games=1000))
    again = play_tournament(
        GAME, players, ArenaConfig(games=1000), plan, play_chunks=lambda c: play_in_workers(setting, 2, c)
    )
    assert again.to_json() == data


def test_the_command_plays_in_workers_and_tells_a_wrong_player_first(tmp_path):
    words = ["players=[medium,random]", "games=12", "rules.rows=2", "rules.columns=2", "output=json"]
    command = [sys.executable, "-m", "dotzero", "arena"]
    runs = [
        subprocess.run([*command, *words, f"workers={n}"], capture_output=True, text=True, cwd=tmp_path)
        for n in (1, 2)
    ]
    assert [run.returncode for run in runs] == [0, 0]
    assert runs[0].stdout == runs[1].stdout
    wrong = subprocess.run(
        [*command, "players=[medium,grandmaster]"], capture_output=True, text=True, cwd=tmp_path
    )
    assert wrong.returncode == 2
    assert len(wrong.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("openings=none.txt", "ArenaConfig.openings must be a readable text file, got none.txt"),
        ("openings=empty.txt", "ArenaConfig.openings must hold at least one opening, empty.txt has none"),
        ("openings=twice.txt", "twice.txt, line 1: moves must be legal, got A1R"),
        ("opening_plies=100", "ArenaConfig.opening_plies must leave something to play, got 100"),
    ],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_mistake_that_shows_in_a_worker_is_one_line_as_in_one_process(tmp_path, word, message, workers):
    (tmp_path / "empty.txt").write_text("# nothing\n")
    (tmp_path / "twice.txt").write_text("A1R A1R\n")
    command = [sys.executable, "-m", "dotzero", "arena", "players=[medium,random]", "games=20"]
    run = subprocess.run([*command, word, f"workers={workers}"], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 2
    errors = [line for line in run.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert errors[0].startswith(f"error: {message}")
    assert "Traceback" not in run.stderr


def _children(pid):
    """Processes that a process has started, by their ids, with the processor time of each in seconds."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # ended meanwhile
            values = path.read_text().rpartition(")")[2].split()
            if int(values[1]) == pid:
                found[int(path.parent.name)] = sum(map(int, values[11:13])) / os.sysconf("SC_CLK_TCK")
    return found


def _is_alive(pid):
    """Whether a process is there and not only waits to be told of as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes as Linux shows them")
def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    """In the middle of a chunk, eight games of half a minute, which nobody would ever read."""
    words = ["players=[insane,insane@rollouts=1999]", "games=16", "workers=2", "out=match"]
    command = [sys.executable, "-m", "dotzero", "arena", *words]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=tmp_path, **quiet) as parent:
        while not (workers := [pid for pid, spent in _children(parent.pid).items() if spent > 4]):
            assert parent.poll() is None
            time.sleep(0.1)
        parent.kill()
    last = time.monotonic() + 30
    while any(map(_is_alive, workers)):
        assert time.monotonic() < last
        time.sleep(0.1)
