"""Paths on the command line: what is wrong with one is told with its setting, and which one is meant."""

import re
import shutil

import pytest

from dotzero.__main__ import main
from dotzero.checkpoints import released_folder
from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.models.export import CHECKPOINT_NAME, checkpoint_file, exported_folder
from dotzero.play.released import interactive_spec
from dotzero.train.start_weights import start_network

NETWORK = released_folder("boxes_3x3")
BOTH = "must be an exported folder or a checkpoint's file, got"


@pytest.fixture
def run(tmp_path):
    """A run's folder that has ended, with an export."""
    folder = tmp_path / "x"
    (folder / "checkpoints").mkdir(parents=True)
    for name in ("000001", "000002"):
        shutil.copyfile(NETWORK / CHECKPOINT_NAME, folder / "checkpoints" / f"{name}.safetensors")
    shutil.copytree(NETWORK, folder / "export")
    return folder


def message(work, *arguments):
    with pytest.raises(ValueError, match=" must be ") as caught:
        work(*arguments)
    return str(caught.value)


def test_what_an_exported_folder_and_a_file_name(run):
    assert checkpoint_file(run / "export") == run / "export" / CHECKPOINT_NAME
    saved = run / "checkpoints" / "000001.safetensors"
    assert checkpoint_file(saved) == saved
    assert exported_folder(run / "export", "--checkpoint") == run / "export"


def test_the_folder_of_a_run_is_no_checkpoint_but_its_export_is(run):
    told = f"{run}, a run's folder: its export is {run / 'export'}"
    assert message(checkpoint_file, run, "start_from") == f"start_from {BOTH} {told}"
    assert (
        message(exported_folder, run, "--checkpoint")
        == f"--checkpoint must be an exported folder, got {told}"
    )


def test_a_run_without_an_export_has_its_newest_checkpoint(run):
    shutil.rmtree(run / "export")
    newest = run / "checkpoints" / "000002.safetensors"
    told = f"{run}, a run's folder without an export"
    assert message(checkpoint_file, run, "from") == f"from {BOTH} {told}: its newest checkpoint is {newest}"
    asked = message(exported_folder, run, "--checkpoint")
    assert asked.endswith(f"got {told}: dotzero export from={newest} makes one")
    asked = message(exported_folder, newest, "--checkpoint")
    assert asked.endswith(
        f"got {newest}, a file; dotzero export from={newest} makes a folder of a checkpoint"
    )


def test_other_paths(tmp_path):
    assert (
        message(checkpoint_file, tmp_path)
        == f"checkpoint {BOTH} {tmp_path}, a folder without {CHECKPOINT_NAME}"
    )
    assert message(checkpoint_file, tmp_path / "no").endswith(f"got {tmp_path / 'no'}, which does not exist")


def test_a_run_begins_with_weights_that_are_there(run):
    begin = f"TrainConfig.start_from {BOTH} {run}, a run's folder: its export is"
    assert message(start_network, None, str(run)).startswith(begin)


def test_a_single_checkpoint_has_no_model_for_somebody_who_waits(run):
    game = BoxesGame(BoxesRules(rows=3, columns=3))
    file = run / "checkpoints" / "000001.safetensors"
    assert "backend=torch" in interactive_spec(f"zero:{file}", game)
    assert "backend" not in interactive_spec(f"zero:{run / 'export'}", game)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["play", "--size", "3x3", "--no-save", "--level", "zero:{run}"],
            "--level: zero:DIR must be an exported folder, ",
        ),
        (
            ["analyze", "--game", "kropki", "--size", "8x8", "--level", "zero:{run}"],
            f"--level: zero:DIR {BOTH} ",
        ),
        (["arena", "players=[zero:{run},random]", "rules.rows=3", "rules.columns=3"], f"zero:DIR {BOTH} "),
        (["evaluate", "checkpoint={run}"], f"checkpoint {BOTH} "),
        (["export", "from={run}", "out={run}/new"], f"from {BOTH} "),
        (["web", "--checkpoint", "{run}"], "--checkpoint must be an exported folder, "),
    ],
)
def test_every_act_names_its_setting(words, line, run, capsys):
    assert main([word.format(run=run) for word in words]) == 2
    error = capsys.readouterr().err
    assert re.fullmatch(f"error: {re.escape(line)}.*a run's folder: its export is {run}/export\n", error)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["evaluate", "checkpoint={net}", "positions={dir}/none.json"],
            "positions must be a file that can be read",
        ),
        (
            ["arena", "players=[easy,random]", "games=2", "workers=1", "out={dir}/a/b"],
            "out must be a folder that can be written",
        ),
        (["play", "--data", "{dir}/a"], "--data must be a folder that can be read and written"),
        (["web", "--data", "{dir}/a"], "--data must be a folder that can be read and written"),
    ],
)
def test_files_that_the_system_refuses_are_told_with_their_setting(words, line, tmp_path, capsys):
    (tmp_path / "a").write_text("a file")
    assert main([word.format(dir=tmp_path, net=NETWORK) for word in words]) == 2
    assert re.match(
        rf"error: {re.escape(line)}, got {tmp_path}/\S+: (No such file|Not a dir|File exists)",
        capsys.readouterr().err,
    )


def test_the_environment_is_named_where_it_has_chosen_the_folder(tmp_path, capsys, monkeypatch):
    (tmp_path / "a").write_text("a file")
    monkeypatch.setenv("DOTZERO_DATA", str(tmp_path / "a"))
    assert main(["play", "--statistics"]) == 2
    line = f"DOTZERO_DATA must be a folder that can be read and written, got {tmp_path / 'a'}: File exists"
    assert capsys.readouterr().err == f"error: {line}\n"
