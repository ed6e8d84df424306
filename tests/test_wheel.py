"""What is shipped: the sdist builds on its own, and the wheel made from it holds all tracked files.

This takes about half a minute (the core is compiled from the sdist), and finds the header or preset that
a checkout has and a release lacks.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PARTS = ["envs", "models", "search", "play", "train", "configs", "scripts", "checkpoints"]
SHIPPED = {".py", ".pyi", ".yaml", ".md", ".typed", ".json", ".onnx", ".safetensors"}
SHIPPED |= {".html", ".css", ".js", ".svg"}


def tracked():
    """The tracked files of the checkout, relative to its root."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return [Path(name) for name in names.split("\0") if name and (ROOT / name).exists()]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Paths of an sdist and of the wheel built from it, made of nothing but tracked files."""
    source = tmp_path_factory.mktemp("source")
    for path in tracked():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, source / path, follow_symlinks=False)
    out = tmp_path_factory.mktemp("dist")
    result = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source)],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, (result.stdout + result.stderr)[-4000:]
    (sdist,), (wheel,) = out.glob("*.tar.gz"), out.glob("*.whl")
    return sdist, wheel


def expected_in_wheel():
    """Where each tracked file of the package is to be installed."""
    files = set()
    for path in tracked():
        if path.suffix in SHIPPED and path.parts[0] in PARTS:
            files.add(Path("dotzero", path).as_posix())
        elif path.suffix in SHIPPED and path.parts[0] == "dotzero":
            files.add(path.as_posix())
    return files


def test_the_wheel_holds_the_tracked_files_and_nothing_else(built):
    with zipfile.ZipFile(built[1]) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    compiled = {name for name in names if name.endswith((".so", ".pyd"))}
    assert {Path(name).name.partition(".")[0] for name in compiled} == {"_core", "_cpu"}
    assert names - compiled == expected_in_wheel()
    assert {name.partition("/")[0] for name in names} == {"dotzero"}


def test_the_sdist_holds_sources_and_tests(built):
    with tarfile.open(built[0]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    kept = {"core", "tests", *PARTS}
    needed = {path.as_posix() for path in tracked() if path.parts[0] in kept}
    assert needed <= names
    assert {"Makefile", "LICENSE", "README.md", "setup.py", "pyproject.toml", "dotzero/_core.pyi"} <= names
    assert not [name for name in names if name.endswith((".so", ".pyc"))]
    assert not [name for name in names if name.startswith(("runs/", "build/", "typings/"))]


def test_the_installed_wheel_works_outside_the_checkout(built, tmp_path):
    target = tmp_path / "site"
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-qq",
        "--no-deps",
        "--no-index",
        "--target",
        str(target),
    ]
    subprocess.run([*install, str(built[1])], check=True, cwd=tmp_path)
    program = (
        "import dotzero, dotzero._core as core, dotzero.envs.boxes, dotzero.configs as configs\n"
        "from dotzero.__main__ import acts, main\n"
        "print(dotzero.__file__, core.__file__, configs.__file__, sep='\\n')\n"
        "assert acts() and configs.preset_names()\n"
        "raise SystemExit(main(['--version']))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(target)},
    )
    assert result.returncode == 0, result.stderr
    *files, version = result.stdout.splitlines()
    assert all(Path(file).is_relative_to(target) for file in files)
    assert version.startswith("dotzero ")
    assert not (target / "envs").exists()
