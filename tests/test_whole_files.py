"""Files that are whole or not there, and what is no file; `test_checkpoint.py` has full disks and kills."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dotzero.whole_files import open_whole, temporary_name, write_atomically, write_text


@pytest.mark.parametrize("path", [".", "..", "/", "a/.."])
def test_a_path_without_a_name_is_refused(path):
    with pytest.raises(ValueError, match=rf"^path must end in a name of its own, got {re.escape(path)}$"):
        temporary_name(Path(path))


def test_an_error_in_the_block_leaves_what_was_there(tmp_path):
    path = tmp_path / "a"
    path.write_text("before")

    def fail():
        with open_whole(path, "w") as file:
            file.write("after")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert path.read_text() == "before"
    assert [item.name for item in tmp_path.iterdir()] == ["a"]
    with open_whole(path, "w") as file:
        file.write("after")
        assert path.read_text() == "before"
    assert path.read_text() == "after"


def test_an_error_names_the_file_that_was_asked_for(tmp_path):
    path = tmp_path / "none" / "x"
    with pytest.raises(FileNotFoundError) as caught, open_whole(path, "wb"):
        pass
    assert caught.value.filename == str(path)


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    """So with everything that is written atomically: settings, results, networks."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE, text=True) as reader:
        write_text(path, "whole")
        assert reader.stdout.read() == "whole"
    assert path.is_fifo()
    assert [item.name for item in tmp_path.iterdir()] == ["pipe"]


def test_error_while_writing_leaves_the_older_file(tmp_path):
    write_text(tmp_path / "a.txt", "old")

    def write(file):
        file.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "a.txt", write)
    assert (tmp_path / "a.txt").read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_it_is_light():
    """Arenas, grids and records write without torch, so that help and small matches are quick."""
    code = "import sys, dotzero.whole_files; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
