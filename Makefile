# Everything that a checkout needs: `make train` and `make test` make the environment by themselves.
#
#   make VENV=path       use (or make) another environment; an activated one is used as it is
#   make PYTHON=python3.12   make the environment with this Python
#
# The environment is brought up to date when pyproject.toml, setup.py or core/ change. A torch that is
# already in it is left alone, so any build of torch can be put there first.

VENV ?= $(or $(VIRTUAL_ENV),.venv)
PYTHONS := $(if $(PYTHON),$(PYTHON),python3 python3.14 python3.13 python3.12 python3.11)
# The build of torch for Linux machines without an NVIDIA GPU: the ordinary one brings gigabytes of CUDA.
TORCH_CPU ?= 2.13.0+cpu
TORCH := torch>=2.9

PY := $(VENV)/bin/python
PIP := $(PY) -m pip install -qq --disable-pip-version-check
# import-linter reads a package as it lies on disk, so it is shown the mapped folders in their places.
LAYERS := build/layers
STAMP := $(VENV)/.dotzero
# One thread a worker: the tests run in as many processes as there are cores.
ONE_THREAD := OMP_NUM_THREADS=1

# The stamp holds the checkout that was installed. Another one, or a missing core, means: install again.
ifneq ($(shell cat "$(STAMP)" 2>/dev/null),$(CURDIR))
AGAIN := FORCE
endif
ifeq ($(wildcard dotzero/_core*.so),)
AGAIN := FORCE
endif

.PHONY: help train test check test-slow requirements bench screenshots gpu-check clean setup FORCE
.DEFAULT_GOAL := help

help: ## this text
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' Makefile | awk -F '|' '{ printf "make %-12s %s\n", $$1, $$2 }'

train: setup ## set up, then train a small network for 3x3 Dots and Boxes in runs/boxes_3x3
	@$(PY) -m dotzero train preset=boxes_3x3 run=boxes_3x3

test: setup ## set up, then run the tests (a few minutes)
	@$(ONE_THREAD) $(PY) -m pytest -n auto --maxprocesses=8 --dist loadfile $(PYTEST)

test-slow: setup ## run the slow tests too; some need `pip install open_spiel`
	@$(ONE_THREAD) $(PY) -m pytest -n auto --maxprocesses=8 --dist loadfile -m "slow or not slow" $(PYTEST)

check: setup ## formatting, lint, types, layers
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@rm -rf $(LAYERS) && $(PY) setup.py -q build_py --build-lib $(LAYERS) && cp pyproject.toml $(LAYERS)
	@cd $(LAYERS) && "$(abspath $(VENV))/bin/lint-imports" --no-logo

requirements: ## which requirements of docs/requirements.md the tests name, and which they do not
	@python3 tests/requirements.py

bench: setup ## speed of rules, search, networks and self-play on this machine
	@$(PY) -m dotzero bench

screenshots: setup ## pictures of every screen of the page, in build/screenshots; needs Chromium
	@$(PY) tests/screenshots.py build/screenshots

gpu-check: setup ## check and measure an NVIDIA GPU, under 8 minutes; OUT=file keeps the result as JSON
	@$(PY) -m dotzero bench gpu $(if $(OUT),out="$(abspath $(OUT))")

clean: ## remove what was built and cached; keeps the environment and runs/
	@rm -rf build dist *.egg-info dotzero/*.so
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find dotzero envs models search play train configs scripts checkpoints tests \
	    -name __pycache__ -prune -exec rm -rf {} +

setup: $(STAMP) ## only set up

$(STAMP): pyproject.toml setup.py $(wildcard core/*) | $(PY)
	@$(PY) scripts/preflight.py
	@$(PY) -m pip --version >/dev/null 2>&1 || $(PY) -m ensurepip >/dev/null
	@echo "setting up $(VENV)"
	@$(PIP) "setuptools>=77" "pybind11>=3.0"
	@$(install_torch)
	@$(PIP) --no-build-isolation --editable ".[onnx,web,dev]"
	@printf '%s\n' "$(CURDIR)" > $@

$(STAMP): $(AGAIN)

$(PY):
	@python=$$($(find_python)); python=$${python:-$(firstword $(PYTHONS))}; \
	if ! command -v "$$python" >/dev/null; then \
	    echo "error: dotzero needs Python 3.11 or newer, $$python was not found: install python3.11" >&2; \
	    exit 2; \
	fi; \
	"$$python" scripts/preflight.py environment && "$$python" -m venv "$(VENV)"

# The first Python that is new enough.
find_python = for python in $(PYTHONS); do \
	    "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo "$$python" && break; \
	done

# The CPU build where there is no NVIDIA GPU: from wherever pip is configured to look, else through uv, which
# knows where PyTorch keeps its own builds.
define install_torch
if ! $(PY) -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)'; then \
	    if [ "$$(uname -s)" != Linux ] || nvidia-smi >/dev/null 2>&1; then \
	        echo "installing torch"; \
	        $(PIP) "$(TORCH)"; \
	        exit; \
	    fi; \
	    echo "installing the CPU build of torch: no NVIDIA GPU here"; \
	    $(PIP) "torch==$(TORCH_CPU)" 2>/dev/null && exit; \
	    $(PIP) uv && $(VENV)/bin/uv pip install --quiet --python $(PY) --torch-backend=cpu "$(TORCH)" && exit; \
	    echo "error: no CPU build of torch was found: put a torch into $(VENV) yourself" >&2; \
	    exit 2; \
	fi
endef
