"""The command: finding acts, help without heavy imports, exit codes, and one way to show a result."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from dotzero.__main__ import acts, exit_code, main
from dotzero.configs.job import Job, Output
from dotzero.scripts.command import Report, help_wanted, run_job
from dotzero.version import __version__


@dataclass(kw_only=True, slots=True)
class ToyJob(Job):
    num_games: int = 2

    def __post_init__(self) -> None:
        if self.num_games < 1:
            raise ValueError(f"ToyJob.num_games must be at least 1, got {self.num_games}")


def test_help_lists_every_act_with_its_phrase(capsys):
    assert main([]) == 0
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    for name, phrase in acts().items():
        assert name in text
        assert phrase, f"scripts/{name}.py needs a docstring that begins with one phrase"
        assert phrase in text


def test_every_act_has_help_with_two_examples():
    for name in acts():
        result = subprocess.run(
            [sys.executable, "-m", "dotzero", name, "--help"], capture_output=True, text=True, check=True
        )
        examples = re.findall(rf"^ +dotzero {name}\b", result.stdout, re.MULTILINE)
        assert len(examples) >= 2, f"{name} --help needs two examples"


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"dotzero {__version__}\n"


def test_shared_files_of_scripts_are_no_acts():
    assert not {"command", "grid", "preflight", "__init__"} & set(acts())


def test_an_unknown_act_is_one_line_and_exit_code_2(capsys):
    assert main(["fly"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: fly is not an act of dotzero")
    assert captured.err.count("\n") == 1


def test_a_job_runs_with_its_settings_and_returns_its_exit_code(capsys):
    seen = []

    def work(job):
        seen.append(job)
        return Report(data={}, shown=["[done]"], exit_code=1)

    assert run_job(ToyJob, ["num_games=7"], work) == 1
    assert seen == [ToyJob(num_games=7)]
    assert capsys.readouterr().out == "[done]\n"


def test_json_output_is_one_object_and_nothing_else(capsys):
    def work(job):
        print("a library prints something")
        return Report(
            data={"score": np.float32(0.5), "path": Path("a/b"), "form": Output.JSON, "list": np.arange(2)},
            shown=["a table"],
        )

    assert run_job(ToyJob, ["output=json"], work) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"score": 0.5, "path": "a/b", "form": "json", "list": [0, 1]}
    assert captured.out.count("\n") == 1
    assert "library" in captured.err


def test_tables_are_not_cut_in_a_pipe(capsys):
    from rich.table import Table

    table = Table("name", "value")
    table.add_row("n" * 60, "v" * 60)
    run_job(ToyJob, [], lambda job: Report(data={}, shown=[table]))
    assert "n" * 60 in capsys.readouterr().out


def test_show_prints_the_settings_and_does_no_work(capsys):
    assert run_job(ToyJob, ["num_games=7", "--show"], lambda job: pytest.fail("worked")) == 0
    assert capsys.readouterr().out == "output: TABLE\nnum_games: 7\n"


def test_help_is_printed_only_when_asked_for(capsys):
    assert not help_wanted(["num_games=7"], "text")
    assert help_wanted(["num_games=7", "--help"], "text", presets="preset")
    assert capsys.readouterr().out.startswith("text\n\nSettings:\n")


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["num_games=0"], "error: ToyJob.num_games must be at least 1, got 0\n"),
        (["num_games=x"], "error: num_games must be a whole number, got 'x'\n"),
        (["--fast"], "error: --fast is not an option of this act, see --help\n"),
        (["-m", "num_games=1,2"], "error: -m is not an option of this act, see --help\n"),
    ],
)
def test_a_users_mistake_is_one_line_and_exit_code_2(argv, line, capsys, monkeypatch):
    monkeypatch.setitem(globals(), "__name__", "dotzero.toy")  # ToyJob stands for a dataclass of dotzero
    assert exit_code(lambda: run_job(ToyJob, argv, lambda job: Report(data={}))) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", line)


def test_a_message_of_several_lines_becomes_one(capsys):
    def work():
        from dotzero.configs.compose import compose

        compose(ToyJob, ["num_games='a\nb'"])
        return 0

    assert exit_code(work) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_an_unwritable_folder_is_one_line_and_exit_code_2(tmp_path, capsys):
    (tmp_path / "file").write_text("not a folder")

    def work():
        (tmp_path / "file" / "run").mkdir()
        return 0

    assert exit_code(work) == 2
    assert capsys.readouterr().err == f"error: Not a directory: {tmp_path / 'file' / 'run'}\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_disk_is_one_line_and_exit_code_2(capsys):
    def work():
        with open("/dev/full", "w") as file:
            file.write("x")
        return 0

    assert exit_code(work) == 2
    assert capsys.readouterr().err == "error: No space left on device\n"


def test_ctrl_c_gives_130(capsys):
    def work():
        raise KeyboardInterrupt

    assert exit_code(work) == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.parametrize("wrong", [lambda: np.zeros(2) + np.zeros(3), lambda: int("x"), lambda: {}["key"]])
def test_a_programming_error_keeps_its_traceback(wrong):
    """A ValueError that some library raises is no user's mistake."""
    with pytest.raises((ValueError, KeyError)):
        exit_code(lambda: wrong() and 0)


def test_the_traceback_of_a_users_mistake_can_be_asked_for(monkeypatch):
    monkeypatch.setenv("DOTZERO_TRACEBACK", "1")
    with pytest.raises(ValueError, match="num_games"):
        exit_code(lambda: run_job(ToyJob, ["num_games=0"], lambda job: Report(data={})))


def test_a_closed_pipe_ends_the_command_quietly():
    command = f"( sleep 0.5; {sys.executable} -m dotzero --help ) | true"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == ("", "")
