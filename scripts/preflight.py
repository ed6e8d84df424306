"""Say in one line what a machine lacks for building dotzero.

Run by the Makefile before it makes an environment and by setup.py before it compiles. Uses the standard
library only and is written so that Python 3.6 still parses it: an old Python is one of the things it names.
"""

import importlib.util
import os
import shutil
import sys
import sysconfig

MINIMUM_PYTHON = (3, 11)


def python_problem():
    """What is wrong with the running Python, or None."""
    if sys.version_info[:2] < MINIMUM_PYTHON:
        return "dotzero needs Python %d.%d or newer, this is %d.%d: install python%d.%d and run make PYTHON=python%d.%d" % (
            MINIMUM_PYTHON + sys.version_info[:2] + MINIMUM_PYTHON + MINIMUM_PYTHON
        )
    return None


def venv_problem():
    """What is missing for making a virtual environment, or None."""
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        return "Python's venv module is missing: install the package python%d.%d-venv" % sys.version_info[:2]
    return None


def build_problem():
    """What is missing for compiling the core, or None."""
    compiler = os.environ.get("CXX", "").split(" ")[0] or "c++ or g++ or clang++"
    if not any(shutil.which(name) for name in compiler.split(" or ")):
        return "dotzero's core needs a C++17 compiler, %s was not found: install g++ or clang" % compiler
    header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
    if not os.path.exists(header):
        return "dotzero's core needs Python's headers, Python.h was not found: install the package python%d.%d-dev" % (
            sys.version_info[:2]
        )
    return None


def require_build_tools():
    """Exit with code 2 and one line if dotzero cannot be built here."""
    problem = python_problem() or build_problem()
    if problem:
        sys.stderr.write("error: %s\n" % problem)
        raise SystemExit(2)


def main():
    """Check everything that `make` needs before it makes the virtual environment."""
    problem = python_problem() or venv_problem()
    if problem:
        sys.stderr.write("error: %s\n" % problem)
        raise SystemExit(2)
    require_build_tools()


if __name__ == "__main__":
    main()
