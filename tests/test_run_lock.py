"""The lock of a run: whoever holds a file that is no longer the run's lock holds nothing."""

import pytest

from dotzero.train import run_folder
from dotzero.train.run_folder import RunFolder


def test_a_lock_that_was_deleted_meanwhile_is_taken_anew(tmp_path, monkeypatch):
    """A first start that fails on its settings takes its folder away while a second one waits."""
    first = RunFolder(tmp_path / "run")
    pauses = []

    def first_gives_up(seconds):
        pauses.append(seconds)
        first.discard_if_new()
        first.close()

    monkeypatch.setattr(run_folder.time, "sleep", first_gives_up)
    with RunFolder(tmp_path / "run") as second:
        assert pauses
        assert (second.path / "lock").read_text().strip().isdecimal()
        monkeypatch.setattr(run_folder.time, "sleep", lambda seconds: None)
        with pytest.raises(ValueError, match=r"run .*run must not be in use, it is by process \d+$"):
            RunFolder(tmp_path / "run")


def test_a_lock_that_is_replaced_between_opening_and_locking_does_not_count(tmp_path, monkeypatch):
    real, swapped = run_folder.fcntl.flock, []

    def swap_first(file, operation):
        if not swapped:
            swapped.append(True)
            (tmp_path / "lock").unlink()
            (tmp_path / "lock").write_text("")
        return real(file, operation)

    monkeypatch.setattr(run_folder.fcntl, "flock", swap_first)
    monkeypatch.setattr(run_folder.time, "sleep", lambda seconds: None)
    with RunFolder(tmp_path) as folder:
        assert (folder.path / "lock").read_text().strip().isdecimal()  # written into the file that is there
