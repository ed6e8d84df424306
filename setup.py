# Maps the top-level folders into the package `dotzero` and builds the C++ core.
#
# Everything else about the project stands in pyproject.toml. The folders keep their short names in the
# repository (envs/, models/, ...), yet no package of such a name is ever installed: envs/ is dotzero.envs.
import platform
import runpy
from pathlib import Path

from setuptools import Extension, setup

ROOT = Path(__file__).parent
PARTS = ["envs", "models", "search", "play", "train", "configs", "scripts", "checkpoints"]

# One line instead of a page of compiler output when the machine lacks something.
runpy.run_path(str(ROOT / "scripts" / "preflight.py"))["require_build_tools"]()

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension  # noqa: E402  (after the check)

ParallelCompile("DOTZERO_BUILD_JOBS", default=0).install()

released = runpy.run_path(str(ROOT / "checkpoints" / "__init__.py"))["RELEASED"]
is_x86 = platform.machine().lower() in {"x86_64", "amd64"}
compile_args = ["-O3", "-ffp-contract=off", "-Wall", "-Wextra", "-pthread"]
if is_x86:
    compile_args.append("-march=x86-64-v3")

setup(
    packages=[
        "dotzero",
        *(f"dotzero.{part}" for part in PARTS),
        "dotzero.configs.preset",
        "dotzero.play.web",
    ],
    package_dir={"dotzero": "dotzero", **{f"dotzero.{part}": part for part in PARTS}},
    package_data={
        "dotzero": ["py.typed", "*.pyi"],
        "dotzero.configs": ["*.yaml"],
        "dotzero.configs.preset": ["*.yaml"],
        "dotzero.play.web": ["static/*"],
        "dotzero.checkpoints": ["*.md", *(f"{name}/*" for name in released)],
    },
    ext_modules=[
        Pybind11Extension(
            "dotzero._core",
            sorted(str(path.relative_to(ROOT)) for path in (ROOT / "core").glob("*.cpp")),
            depends=sorted(str(path.relative_to(ROOT)) for path in (ROOT / "core").glob("*.hpp")),
            cxx_std=17,
            extra_compile_args=compile_args,
            extra_link_args=["-pthread"],
        ),
        # Plain C without -march, so that it can be imported on any processor and say what is missing.
        Extension("dotzero._cpu", ["core/cpu_check.c"]),
    ],
    zip_safe=False,
)
