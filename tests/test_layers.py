"""The structure: layers, quick start of the command, file and function lengths, folder mapping."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dotzero.__main__ import acts

ROOT = Path(__file__).parent.parent
PARTS = ["envs", "models", "search", "play", "train", "configs", "scripts"]
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 40


def sources(*folders):
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def modules_after(program):
    """Names of the modules that a new Python has loaded at the end of a program."""
    result = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys; print('\\nMODULES', *sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(result.stdout.rpartition("MODULES ")[2].split())


def lint_imports(folder):
    linter = Path(sys.executable).with_name("lint-imports")
    return subprocess.run([str(linter), "--no-cache"], cwd=folder, capture_output=True, text=True)


@pytest.fixture
def laid_out(tmp_path):
    """The package with its mapped folders in their places, as import-linter needs it."""
    build = [sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_import_contracts_hold(laid_out):
    result = lint_imports(laid_out)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("envs/boxes.py", "import dotzero.models"),
        ("search/__init__.py", "import dotzero.train"),
        ("train/__init__.py", "import omegaconf"),
        ("play/__init__.py", "import gymnasium"),
        ("models/__init__.py", "import tensorboard"),
        ("play/sessions.py", "import starlette"),
        ("scripts/web.py", "import uvicorn"),
    ],
)
def test_the_import_contracts_notice_a_breach(laid_out, file, line):
    with (laid_out / "dotzero" / file).open("a") as source:
        source.write(f"\n{line}\n")
    result = lint_imports(laid_out)
    assert result.returncode != 0
    assert "BROKEN" in result.stdout


def test_only_train_writes_to_tensorboard():
    for path in sources(*(set(PARTS) - {"train"}), "dotzero"):
        assert "torch.utils.tensorboard" not in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize("program", ["import dotzero", "from dotzero.__main__ import main; main(['--help'])"])
def test_the_package_and_its_help_load_nothing_heavy(program):
    """Gymnasium, and NumPy with it, is loaded to register the environments; no game is."""
    loaded = modules_after(program)
    assert "gymnasium" in loaded
    assert not {"torch", "hydra", "omegaconf", "rich", "PIL", "dotzero._core", "dotzero.envs.game"} & loaded


def test_the_help_of_every_act_loads_nothing_heavy():
    calls = "\n".join(f"assert main([{name!r}, '--help']) == 0" for name in acts())
    loaded = modules_after(f"from dotzero.__main__ import main\n{calls}")
    assert not {"torch", "hydra", "omegaconf", "onnxruntime"} & loaded


def test_importing_a_part_does_not_import_torch_where_it_is_not_needed():
    loaded = modules_after("import dotzero.envs.boxes, dotzero.search, dotzero.configs")
    assert "torch" not in loaded


@pytest.mark.parametrize(
    "path", sources(*PARTS, "dotzero", "tests"), ids=lambda path: str(path.relative_to(ROOT))
)
def test_files_and_functions_stay_short(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= MAX_FILE_LINES
    long = [
        f"{node.name} ({node.end_lineno - node.lineno + 1} lines)"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and code_lines(node) > MAX_FUNCTION_LINES
    ]
    assert not long


def code_lines(function):
    """Lines of a function without its docstring."""
    first = function.body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    docstring = first.end_lineno - first.lineno + 1 if is_text else 0
    return function.end_lineno - function.lineno + 1 - docstring


@pytest.mark.parametrize(
    "path", sorted((ROOT / "core").iterdir()), ids=lambda path: str(path.relative_to(ROOT))
)
def test_core_files_stay_short(path):
    assert path.read_text(encoding="utf-8").count("\n") <= MAX_FILE_LINES


def test_nobody_imports_scripts():
    for path in sources(*PARTS[:-1], "dotzero"):
        text = path.read_text(encoding="utf-8")
        assert "import dotzero.scripts" not in text, path
        assert "from dotzero.scripts" not in text, path
        assert "from dotzero import scripts" not in text, path


def test_every_folder_of_the_package_has_a_link_for_type_checkers():
    for part in [*PARTS, "checkpoints"]:
        assert (ROOT / "typings" / "dotzero" / part).resolve() == ROOT / part
    for path in (ROOT / "dotzero").glob("*.py*"):
        if path.suffix in {".py", ".pyi"}:
            assert (ROOT / "typings" / "dotzero" / path.name).resolve() == path
