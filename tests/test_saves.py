"""The file of saved games and statistics: transactions, damage, several users of one file."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from played_sessions import EXAMPLE, boxes, finish, kropki, play, same

from dotzero.envs.records import read_records
from dotzero.play.saves import ENVIRONMENT, FILE_NAME, Saves, data_folder
from dotzero.play.tallies import Table, Tally


@pytest.fixture
def saves(tmp_path):
    with Saves(tmp_path / "data") as opened:
        yield opened


def end(saves, outcome, **options):
    """A finished game of a person on 2x2 against easy, with a result by resignation or agreement."""
    session = boxes(seats=(None, "easy"), **options)
    if outcome == "W":
        session.resign(1)
    elif outcome == "L":
        session.resign(0)
    else:
        session.offer_end(0)
    assert session.finished
    saves.put(session)
    return session


def test_a_game_is_there_again_after_every_move(saves, tmp_path):
    """R114: what another process would find."""
    session = boxes(names=("Anna", "Boris"))
    for name in EXAMPLE[:-1]:
        play(session, [name])
        saves.put(session)
        with Saves(tmp_path / "data") as other:
            (saved,) = other.unfinished()
            assert (saved.num_moves, saved.score) == (session.num_moves, session.score)
            assert saved[:4] == (session.id, "boxes", "2x2", None)
    assert same(saves.load(session.id), session)


def test_a_finished_game_leaves_the_list_and_is_counted_once(saves):
    """R117: not again by storing it again, nor before its end."""
    session = boxes(seats=(None, "easy"))
    saves.put(session)
    table = Table.of(session.settings)
    assert saves.tally(table) == Tally()
    session.resign(1)
    for _ in range(3):
        saves.put(session)
    assert saves.unfinished() == []
    assert saves.tally(table) == Tally(wins=1, streak=1, best_streak=1)


def test_statistics_after_win_win_draw_loss_win(saves):
    """R116, R152."""
    table = Table("boxes", "2x2", "usual", "easy")
    assert saves.tally(table).win_rate is None
    for outcome in "WWDLW":
        end(saves, outcome)
    tally = saves.tally(table)
    assert tally == Tally(wins=3, losses=1, draws=1, streak=1, best_streak=2)
    assert tally.win_rate == 0.6


def test_tables_are_kept_apart_by_game_board_rules_and_level(saves):
    """R153: three boards and four levels are twelve tables; the seat is no key."""
    for rows in (1, 2, 3):
        for level in ("easy", "medium", "hard", "insane"):
            for seats in ((None, level), (level, None)):
                session = boxes(rows, 3, seats=seats)
                session.resign()
                saves.put(session)
    for more in (kropki(seats=(None, "random")), kropki(seats=(None, "random"), start="cross")):
        more.resign()
        saves.put(more)
    tables = saves.tallies()
    assert len(tables) == 12 + 2
    assert {tally.games for table, tally in tables.items() if table.game == "boxes"} == {2}
    assert {game.seat for game in saves.finished()} == {0, 1}  # R118: stored all the same
    assert all(saves.tally(table) == tally for table, tally in tables.items())


def test_games_of_two_people_or_two_computers_are_kept_but_not_counted(saves, tmp_path):
    for seats in ((None, None), ("easy", "easy")):
        saves.put(finish(boxes(seats=seats)))
    assert saves.tallies() == {}
    games = saves.finished()
    assert [game.table for game in games] == [None, None]
    for game in games:
        (tmp_path / "game.jsonl").write_text(game.record, encoding="utf-8")
        (record,) = read_records(tmp_path / "game.jsonl")
        assert record.score == game.score


def test_profiles_share_nothing(saves):
    session = boxes()
    saves.put(session, "anna")
    assert saves.unfinished() == []
    assert [saved.id for saved in saves.unfinished("anna")] == [session.id]
    with pytest.raises(ValueError, match=r"^saved game must be one of the list"):
        saves.load(session.id, "boris")
    saves.drop(session.id, "boris")
    assert saves.unfinished("anna")
    saves.drop(session.id, "anna")
    assert saves.unfinished("anna") == []


def test_the_newest_game_comes_first(tmp_path):
    hour = iter(range(100))
    with Saves(tmp_path, clock=lambda: next(hour)) as saves:
        games = [boxes() for _ in range(3)]
        for session in (*games, games[0]):
            play(session, ["A1T" if not session.num_moves else "A1B"])
            saves.put(session)
        assert [saved.id for saved in saves.unfinished()] == [games[i].id for i in (0, 2, 1)]
        assert len(saves.unfinished(most=2)) == 2


def test_a_game_that_was_gone_on_with_elsewhere_is_not_overwritten(saves, tmp_path):
    session = boxes()
    play(session, ["A1T"])
    saves.put(session)
    with Saves(tmp_path / "data") as other:
        taken = other.load(session.id)
        taken.resume()
        play(taken, ["A1B"])
        other.put(taken)
    play(session, ["A1L"])
    with pytest.raises(ValueError, match=r"^game must be gone on with where it was opened last"):
        saves.put(session)
    assert [move.name for move in saves.load(session.id).moves] == ["A1T", "A1B"]
    same_object = saves.load(session.id)
    later = saves.load(session.id)
    with pytest.raises(ValueError, match="opened last"):
        saves.put(same_object)
    later.resign()
    saves.put(later)
    with pytest.raises(ValueError, match="opened last"):
        saves.put(same_object)
    assert len(saves.finished()) == 1


@pytest.mark.parametrize("damage", ["text", "torn", "empty page"])
def test_a_damaged_file_is_set_aside_with_a_message_and_not_overwritten(tmp_path, damage):
    with Saves(tmp_path) as saves:
        for _ in range(30):
            end(saves, "W")
    path = tmp_path / FILE_NAME
    whole = path.read_bytes()
    if damage == "text":
        path.write_bytes(b"This is no database, but it may be dear to somebody." * 100)
    elif damage == "torn":
        path.write_bytes(whole[: len(whole) // 2])
    else:
        path.write_bytes(whole[:4096] + b"\xff" * 4096 + whole[8192:])
    damaged = path.read_bytes()
    with Saves(tmp_path) as saves:
        assert (
            saves.notice
            == f"{path} was damaged and has been kept as {path.name}.damaged-1; a new one was begun"
        )
        assert saves.finished() == []
        end(saves, "L")
    assert (tmp_path / f"{FILE_NAME}.damaged-1").read_bytes() == damaged
    path.write_bytes(b"once more " * 1000)
    with Saves(tmp_path) as saves:
        assert f"{FILE_NAME}.damaged-2" in saves.notice
    with Saves(tmp_path) as saves:
        assert saves.notice is None


@pytest.mark.parametrize("table", ["unfinished", "finished"])
def test_a_file_of_ours_without_a_table_is_damaged(tmp_path, table):
    with Saves(tmp_path) as saves:
        end(saves, "W")
    database = sqlite3.connect(tmp_path / FILE_NAME)
    database.execute(f"DROP TABLE {table}")
    database.close()
    with Saves(tmp_path) as saves:
        assert f"{FILE_NAME}.damaged-1" in saves.notice
        assert (saves.unfinished(), saves.finished()) == ([], [])


def test_whoever_only_looks_takes_no_game(saves, tmp_path):
    session = boxes(seats=(None, "easy"))
    play(session, ["A1T"])
    saves.put(session)
    with Saves(tmp_path / "data") as other:
        assert other.peek(session.id) == session.settings
        with pytest.raises(ValueError, match=r"^saved game must be one of the list"):
            other.peek(session.id, "boris")
    session.undo()
    saves.put(session)
    assert saves.load(session.id).num_moves == 0


def test_statistics_read_no_records(saves):
    """Of thousands of games they would be megabytes."""
    end(saves, "W")
    read = []
    saves._database.set_trace_callback(read.append)
    assert saves.tallies() == {Table("boxes", "2x2", "usual", "easy"): Tally(1, 0, 0, 1, 1)}
    assert any("finished" in statement for statement in read)
    assert not any("record" in statement for statement in read)


@pytest.mark.parametrize(
    ("pragma", "message"),
    [
        ("user_version=99", "data file must have version 1 at most, got 99"),
        ("application_id=5", "data file must be"),
    ],
)
def test_a_file_of_somebody_else_is_refused_and_left_alone(tmp_path, pragma, message):
    with Saves(tmp_path) as saves:
        end(saves, "W")
    database = sqlite3.connect(tmp_path / FILE_NAME)
    database.execute(f"PRAGMA {pragma}")
    database.close()
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(ValueError, match=f"^{message}"):
        Saves(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == before
    assert not list(tmp_path.glob("*damaged*"))


def test_one_damaged_game_costs_no_other(saves, tmp_path):
    good, bad = boxes(), boxes()
    saves.put(good)
    saves.put(bad)
    database = sqlite3.connect(tmp_path / "data" / FILE_NAME)
    with database:
        database.execute("UPDATE unfinished SET session = '{' WHERE id = ?", (bad.id,))
    database.close()
    with pytest.raises(ValueError, match=r"^saved game must be JSON"):
        saves.load(bad.id)
    assert len(saves.unfinished()) == 2
    assert same(saves.load(good.id), good)


def test_a_failed_write_changes_nothing(saves, monkeypatch):
    session = boxes(seats=(None, "easy"))
    saves.put(session)
    session.resign()

    def broken(*words):
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(Saves, "_finish", broken)
        with pytest.raises(OSError, match="disk I/O error"):
            saves.put(session)
    assert [saved.id for saved in saves.unfinished()] == [session.id]
    assert saves.finished() == []
    saves.put(session)
    assert len(saves.finished()) == 1


def test_many_threads_and_two_openings_of_one_file(tmp_path):
    with Saves(tmp_path) as one, Saves(tmp_path) as two:

        def work(saves):
            for _ in range(10):
                session = boxes(seats=(None, "easy"))
                saves.put(session)
                session.resign()
                saves.put(session)

        threads = [threading.Thread(target=work, args=(saves,)) for saves in (one, two, one, two)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert one.tally(Table("boxes", "2x2", "usual", "easy")).losses == 40
        assert two.unfinished() == []


def test_a_killed_process_loses_no_move(tmp_path):
    """R114, R151: kill -9 right after a line was stored."""
    program = (
        "import os, sys; sys.path.insert(0, sys.argv[2])\n"
        "from pathlib import Path\n"
        "from played_sessions import EXAMPLE, boxes, play\n"
        "from dotzero.play.saves import Saves\n"
        "saves, session = Saves(Path(sys.argv[1])), boxes()\n"
        "for name in EXAMPLE[:7]:\n"
        "    play(session, [name]); saves.put(session)\n"
        f"os.kill(os.getpid(), {int(signal.SIGKILL)})"
    )
    words = [sys.executable, "-c", program, str(tmp_path), str(Path(__file__).parent)]
    assert subprocess.run(words).returncode == -signal.SIGKILL
    with Saves(tmp_path) as saves:
        assert saves.notice is None
        (saved,) = saves.unfinished()
        assert [move.name for move in saves.load(saved.id).moves][:2] == ["A2T", "B1B"]
        assert saved.num_moves == 7


def test_where_the_data_is(monkeypatch, tmp_path):
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path / "named"))
    assert data_folder() == tmp_path / "named"
    assert data_folder(tmp_path / "given") == tmp_path / "given"
    monkeypatch.delenv(ENVIRONMENT)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "system"))
    if sys.platform == "linux":
        assert data_folder() == tmp_path / "system" / "dotzero"
    assert data_folder().name == "dotzero"


@pytest.mark.skipif(os.geteuid() == 0, reason="a superuser may write everywhere")
def test_a_folder_that_cannot_be_made_is_a_plain_error(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OSError, match="denied"):
        Saves(tmp_path / "data")


def test_a_file_in_the_place_of_the_folder_is_a_plain_error(tmp_path):
    (tmp_path / "data").write_text("x")
    with pytest.raises(OSError, match="exists"):
        Saves(tmp_path / "data")
