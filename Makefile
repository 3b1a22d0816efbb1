# make demo, make test and the rest need Python 3.11 with venv, and the Internet: everything goes into
# .venv, and for make test into a cache folder. make extension, install and uninstall build and place
# the extension form with PGXS.

PYTHON ?= python3
VENV ?= .venv
PG_CONFIG ?= pg_config
EXTVERSION := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" sql/board.control)

PY = "$(VENV)/bin/python"
PIP = $(PY) -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test tools live bench lint docs script release extension clean

help:
	@echo "make demo [FOLDER=dir] [AGENTS=n]  real work through a board, on an embedded PostgreSQL"
	@echo "make test [ARGS=...]               the whole test suite (ARGS go to pytest)"
	@echo "make tools                         what the tests need beside Python, without root"
	@echo "make live                          the live board: http://127.0.0.1:8080"
	@echo "make bench [ARGS=...]              the benchmarks, and docs/performance.md from them"
	@echo "make lint                          ruff and mypy"
	@echo "make docs                          docs/reference.md, from the COMMENTs"
	@echo "make script [SCHEMA=name]          the SQL of a fresh install, on standard output"
	@echo "make release                       keep this version under sql/releases/"
	@echo "make extension                     the files of the extension form, in sql/"
	@echo "make install, make uninstall       the extension form, into PG_CONFIG's server"
	@echo "make clean                         remove what was built; the embedded data stay"

# The folder goes through the environment as it was typed: neither make nor the shell reads it again.
demo: export BOARD_DEMO_FOLDER := $(value FOLDER)
demo: $(VENV)/.ready
	$(PY) -m installer demo $(if $(AGENTS),--agents $(AGENTS)) $${BOARD_DEMO_FOLDER:+"$$BOARD_DEMO_FOLDER"}

test: tools
	$(PY) -m installer test $(if $(ARGS),-- $(ARGS))

live: $(VENV)/.ready-live
	$(PY) -m board_live

# Programs that the tests need beside Python: what the machine lacks comes into the user's own cache.
tools: $(VENV)/.ready-test
	@$(PY) -m tests.support.tools

bench: $(VENV)/.ready-bench
	$(PY) -m tests.bench $(or $(ARGS),--write-docs)

lint: $(VENV)/.ready-test
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

docs: $(VENV)/.ready
	$(PY) docs/generate.py

script:
	@$(PYTHON) installer/assemble.py --schema $(or $(SCHEMA),board)

# A virtual environment, and the package in it, editable.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "board's tools need Python 3.11 or later; try make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -m venv "$(VENV)" || { rm -rf "$(VENV)"; \
	    echo "$(PYTHON) cannot make a virtual environment here."; \
	    echo "On Debian and Ubuntu: apt install python3-venv   Then run make again."; exit 1; }

$(VENV)/.ready: pyproject.toml | $(VENV)/bin/python
	$(PIP) --editable .
	@touch "$@"

$(VENV)/.ready-live: pyproject.toml | $(VENV)/bin/python
	$(PIP) --editable '.[live]'
	@touch "$@"

$(VENV)/.ready-test: pyproject.toml | $(VENV)/bin/python
	$(PIP) --editable '.[test]'
	@touch "$@"

$(VENV)/.ready-bench: pyproject.toml | $(VENV)/bin/python
	$(PIP) --editable '.[bench]'
	@touch "$@"

# The extension form. An upgrade script for every release that has one. (A variable named VERSION
# would be overwritten by PGXS with the server's.)
steps := $(notdir $(wildcard sql/upgrades/*--*.sql))
starts := $(sort $(foreach step,$(steps),$(firstword $(subst --, ,$(step)))))
built := sql/board--$(EXTVERSION).sql $(foreach start,$(starts),sql/board--$(start)--$(EXTVERSION).sql)
pieces := $(wildcard sql/*.sql sql/*/*.sql sql/*/*/*.sql) sql/load_order.txt sql/board.control

# Done once for each release: what later releases are upgraded from, in the tests.
release:
	mkdir -p sql/releases
	$(PYTHON) installer/assemble.py > sql/releases/board--$(EXTVERSION).sql

extension: $(built)

$(built) &: $(filter-out sql/board--%,$(pieces)) installer/assemble.py
	$(PYTHON) installer/assemble.py --write-extension sql

ifneq (,$(filter install uninstall installdirs,$(MAKECMDGOALS)))
EXTENSION = sql/board
DATA_built = $(built)
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifeq (,$(wildcard $(PGXS)))
$(error make install needs PGXS: on Debian, apt install postgresql-server-dev-NN for your server)
endif
include $(PGXS)
else
clean:
	rm -rf "$(VENV)" build dist *.egg-info sql/board--*.sql .pytest_cache .ruff_cache .mypy_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
endif
