"""Say in one line what a machine lacks for building dotzero.

Run by the Makefile before it makes an environment and by setup.py before it compiles. Uses the standard
library only and nothing newer than Python 3.6: an old Python is one of the things it names.
"""

import importlib.util
import os
import shutil
import sys
import sysconfig

MINIMUM_PYTHON = (3, 11)


def python_problem(version=sys.version_info[:2]):
    """What is wrong with the running Python, or None."""
    if version < MINIMUM_PYTHON:
        needed, found = "{}.{}".format(*MINIMUM_PYTHON), "{}.{}".format(*version)
        return (
            f"dotzero needs Python {needed} or newer, this is {found}: "
            f"install python{needed} and run make PYTHON=python{needed}"
        )
    return None


def venv_problem():
    """What is missing for making a virtual environment, or None."""
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            return f"Python's module {module} is missing: install the package {_this_python()}-venv"
    return None


def build_problem():
    """What is missing for compiling the core, or None."""
    for variable, package in (("CC", "gcc"), ("CXX", "g++")):
        # The compilers that setuptools will call.
        words = (os.environ.get(variable) or sysconfig.get_config_var(variable) or package).split()
        if shutil.which(words[0]) is None:
            return (
                f"dotzero's core needs a C++17 compiler, {words[0]} was not found: "
                f"install {package}, or set {variable} to another compiler"
            )
    if not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")):
        return (
            "dotzero's core needs Python's headers, Python.h was not found: "
            f"install the package {_this_python()}-dev"
        )
    return None


def require(*checks):
    """Exit with code 2 and one line if one of the checks finds a problem."""
    for check in checks:
        problem = check()
        if problem:
            sys.stderr.write(f"error: {problem}\n")
            raise SystemExit(2)


def require_build_tools():
    """Exit with code 2 and one line if dotzero cannot be built here."""
    require(python_problem, build_problem)


def _this_python():
    return "python{}.{}".format(*sys.version_info[:2])


if __name__ == "__main__":
    # `environment` asks in addition for what making a virtual environment needs.
    require(python_problem, *([venv_problem] if "environment" in sys.argv[1:] else []), build_problem)
