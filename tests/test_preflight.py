"""One line for what a machine lacks, before make or setup.py begin."""

import platform
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import dotzero
from dotzero import _cpu
from dotzero.scripts import preflight

SCRIPT = Path(preflight.__file__)


def test_this_machine_can_build_dotzero():
    """The tests run on what was built here, so nothing may be found missing."""
    result = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_an_old_python_is_named():
    assert preflight.python_problem((3, 11)) is None
    assert preflight.python_problem((4, 0)) is None
    line = preflight.python_problem((3, 9))
    assert "needs Python 3.11 or newer, this is 3.9" in line
    assert "install python3.11" in line


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_missing_module_for_environments_is_named(module, monkeypatch):
    monkeypatch.setattr(
        preflight.importlib.util, "find_spec", lambda name: None if name == module else sysconfig.__spec__
    )
    assert preflight.venv_problem().endswith(f"install the package python3.{sys.version_info[1]}-venv")


def test_a_missing_compiler_is_named(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler -pthread")
    line = preflight.build_problem()
    assert "no-such-compiler was not found" in line
    assert "install g++" in line


def test_missing_headers_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr(preflight.sysconfig, "get_paths", lambda: {"include": str(tmp_path)})
    assert preflight.build_problem().endswith(f"install the package python3.{sys.version_info[1]}-dev")


def test_a_problem_ends_the_program_with_one_line_and_code_2(capsys):
    preflight.require(lambda: None)
    with pytest.raises(SystemExit) as caught:
        preflight.require(lambda: None, lambda: "a compiler is missing", lambda: pytest.fail("went on"))
    assert caught.value.code == 2
    assert capsys.readouterr().err == "error: a compiler is missing\n"


def test_setup_stops_with_the_same_line(tmp_path):
    """`pip install .` shows the line instead of a page from the compiler."""
    setup = SCRIPT.resolve().parent.parent / "setup.py"
    if not setup.exists():
        pytest.skip("not a checkout")
    result = subprocess.run(
        [sys.executable, str(setup), "--version"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"CXX": "no-such-compiler", "PATH": "/usr/bin:/bin"},
    )
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("error: dotzero's core needs a C++17 compiler")


def test_an_old_processor_is_told_so_at_import(monkeypatch):
    monkeypatch.setattr(_cpu, "missing_features", lambda: ["avx2", "fma"])
    with pytest.raises(ImportError, match=r"x86-64-v3 processors.*lacks avx2, fma"):
        dotzero._require_processor()


def test_this_processor_lacks_nothing():
    assert _cpu.missing_features() == []


def test_every_instruction_set_that_the_core_is_built_for_is_checked():
    """On x86-64, where the core is built for x86-64-v3: its names are in the compiled check."""
    if platform.machine() not in {"x86_64", "AMD64"}:
        pytest.skip("nothing is required of other processors")
    text = Path(_cpu.__file__).read_bytes()
    assert all(name + b"\0" in text for name in (b"avx2", b"bmi", b"bmi2", b"fma"))
    late = [name + b"\0" in text for name in (b"f16c", b"lzcnt", b"movbe")]
    assert len(set(late)) == 1  # clang before 19 and GCC before 11 know none of these names
