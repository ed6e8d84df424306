"""The act replay: one game, many, JSON, conversions, damage, exit codes."""

import io
import json
import subprocess
import sys

import pytest
from test_boxes_text_records import CLASSIC

from dotzero.__main__ import main
from dotzero.envs.records import read_records

WRONG = CLASSIC.replace("3-1", "2-2")
DAMAGED = CLASSIC.replace("8. A2R, B1T", "8. A2R, A2T")
SGF = "(;GM[40]SZ[6]PB[A\x1b[31m]RE[W+2];B[cb]C[hm\nhm];W[cc];B[bc];W[aa];B[])"


def run(capsys, *words, code=0):
    """What the act prints on standard output and standard error."""
    assert main(["replay", *map(str, words)]) == code
    return capsys.readouterr()


@pytest.fixture
def file(tmp_path):
    """Makes a file with a text."""

    def make(text, name="games.txt"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return make


def test_one_game_is_shown_move_by_move(capsys, file):
    path = file(CLASSIC)
    shown = run(capsys, path)
    assert shown.err == ""
    lines = shown.out.splitlines()
    assert lines[0] == f"{path}: boxes 2x2"
    assert lines[3:5] == ["    1  1 A2T           0-0", "    2  2 B1B           0-0"]
    assert lines[-3:] == ["", "final       3-1, player 1 wins by 2 (full board)", "record      agrees"]


def test_texts_of_a_record_cannot_steer_the_terminal(capsys, file):
    shown = run(capsys, file(SGF)).out
    assert "\x1b" not in shown
    assert "A?[31m - ?" in shown
    assert "0-0   hm hm" in shown


def test_many_games_have_a_line_each_and_totals(capsys, file):
    path = file(CLASSIC + WRONG.replace('[Size "2x2"]', "") + CLASSIC.replace("3-1", "*"))
    shown = run(capsys, path, code=1).out.splitlines()
    whole = "boxes 2x2, 12 moves, 3-1, player 1 wins by 2 (full board)"
    assert shown == [
        f"{path}, line 2: {whole}: agrees",
        f"{path}, line 17: {whole}: DISAGREES, the moves lead to 3-1, the record says 2-2",
        f"{path}, line 28: {whole}: nothing recorded",
        "3 games, 1 agrees, 1 disagrees, 1 does not say how it ended",
    ]
    quiet = run(capsys, "--quiet", path, code=1).out.splitlines()
    assert quiet == [shown[1], shown[3]]


def test_json_is_one_object_a_game(capsys, file):
    shown = run(capsys, "--json", file(SGF))
    assert shown.err == ""
    assert shown.out.count("\n") == 1
    data = json.loads(shown.out)
    assert data["game"] == "kropki"
    assert data["rules"]["width"] == 6
    assert data["moves"] == ["cb", "cc", "bc", "aa", "stop"]
    assert data["movers"] == [1, 2, 1, 2, 1]
    assert data["scores"] == [[0, 0]] * 4 + [[0, 2]]
    assert (data["score"], data["result"], data["recorded_result"]) == ([0, 2], 2, 2)
    assert (data["agrees"], data["reason"], data["line"]) == (True, "stop", 1)
    bare = json.loads(run(capsys, "--json", file("A1T A1B A1L A1R")).out)
    assert not {"agrees", "recorded_result", "warnings", "notes"} & bare.keys()
    wrong = json.loads(run(capsys, "--json", file(WRONG), code=1).out)
    assert (wrong["agrees"], wrong["disagreement"][:13]) == (False, "the moves lea")


def test_damage_ends_the_command_in_one_line(capsys, file):
    path = file(CLASSIC + DAMAGED + CLASSIC)
    shown = run(capsys, path, code=2)
    assert shown.err == f"error: {path}, line 15, move 9 (A2T): this line is drawn already\n"


def test_keep_going_passes_over_damage_and_counts_it(capsys, file):
    path = file(CLASSIC + DAMAGED + CLASSIC)
    shown = run(capsys, "--keep-going", path, code=1)
    assert shown.err == f"{path}, line 15, move 9 (A2T): this line is drawn already\n"
    assert shown.out.splitlines()[-1] == "2 games, 2 agree, 1 damaged record passed over"
    lines = run(capsys, "--keep-going", "--json", path, code=1).out.splitlines()
    objects = [json.loads(line) for line in lines]
    assert [tuple(item)[:3] for item in objects][1] == ("file", "line", "error")
    assert [item["line"] for item in objects] == [2, 15, 28]


def test_several_files_and_a_folder_of_public_records(capsys, file):
    first, second = file(CLASSIC), file(SGF, "game.sgf")
    shown = run(capsys, first, second).out.splitlines()
    assert [line.partition(",")[0] for line in shown] == [str(first), str(second), "2 games"]
    empty = file("", "empty")
    assert run(capsys, empty, code=2).err == f"error: {empty}: a file must hold a record, got none\n"


def test_records_can_be_converted(capsys, file, tmp_path):
    """What the moves tell is filled in; nothing else appears on standard output."""
    source, target = file(CLASSIC), tmp_path / "out.jsonl"
    run(capsys, source, "--to", "jsonl", target)
    (record,) = read_records(target)
    assert (record.score, record.result, record.reason) == ((3, 1), 1, "full_board")
    text = run(capsys, source, "--to", "dots", "-").out
    (again,) = read_records(io.StringIO(text))
    assert again.moves == record.moves
    wrong = run(capsys, file(WRONG), "--to", "jsonl", "-", code=1).out
    assert json.loads(wrong)["score"] == [2, 2]


def test_a_format_that_cannot_hold_a_record_leaves_no_file(capsys, file, tmp_path):
    target = tmp_path / "out"
    shown = run(capsys, file(CLASSIC), "--to", "ccgc", target, code=2)
    assert shown.err.endswith("line 2: a CCGC record must be of 5x5 boxes under the usual rules\n")
    assert not target.exists()
    shown = run(capsys, "--keep-going", file(CLASSIC), "--to", "sgf", target, code=1)
    assert "SGF must hold Kropki, got boxes" in shown.err
    assert target.read_text() == ""


def test_a_folder_of_championship_files(capsys, file, tmp_path):
    text = '[Size "5x5"]\n[Player1 "A"]\n[Player2 "B/C"]\n[Result "2"]\n[Reason "time"]\n\nA1T *\n\n'
    folder = tmp_path / "games"
    folder.mkdir()
    run(capsys, file(text * 2), "--to", "ccgc", folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        "DB：A vs B_C：后手胜 (2).txt",
        "DB：A vs B_C：后手胜.txt",
    ]
    shown = run(capsys, file(text), "--to", "text", folder, code=2)
    assert f"--to text must name a file, got the folder {folder}" in shown.err


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["none.sgf"], "No such file or directory: none.sgf"),
        ([], "the following arguments are required: FILE"),
        (["--to", "xml", "out", "none"], "--to must name one of jsonl, sgf, text"),
        (["--size", "3", "-"], "--size must be ROWSxCOLUMNS such as 3x3, got 3"),
        (["--json", "x", "--to", "jsonl", "-"], "--to must name a file where --json is given, got -"),
        (["--fast", "x"], "unrecognized arguments: --fast"),
    ],
)
def test_mistakes_are_one_line(capsys, words, error):
    shown = run(capsys, *words, code=2)
    assert error in shown.err
    assert shown.err.count("\n") == 1


def test_standard_input_and_a_size(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("A1T A1B *"))
    shown = run(capsys, "--size", "1x2", "-").out
    assert "-: boxes 1x2" in shown
    assert "final       0-0, not finished" in shown


def test_a_closed_standard_input_is_a_mistake(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    assert run(capsys, "-", code=2).err == (
        "error: standard input must be open for the file -, got a closed one\n"
    )


def test_a_real_process_reads_bytes_and_loads_no_torch():
    program = "import sys; from dotzero.__main__ import main; code = main(['replay', '-']); "
    program += "print('torch' in sys.modules); sys.exit(code)"
    run = [sys.executable, "-c", program]
    done = subprocess.run(run, input=SGF.encode(), capture_output=True, check=True)
    assert done.stdout.decode().splitlines()[-2:] == ["record      agrees", "False"]
    broken = subprocess.run(run, input=b"(;GM[40]SZ[6]PB[\xff];B[cb])", capture_output=True, check=False)
    assert broken.returncode == 2
    assert b"Unicode" in broken.stderr


def test_help_has_examples(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["replay", "--help"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.count("    dotzero replay ") >= 2
