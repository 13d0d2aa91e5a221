# Everything a developer or a user of the source tree does. The first call of a target sets up .venv;
# later calls reuse it until pyproject.toml changes.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
JOBS   ?= 2
# build/tests.xml has the seconds of every test, examples and tutorial too
# worksteal: neighbours share a process and its fixtures, and nobody idles while the other has a long file left
PYTEST := $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal --junitxml=build/tests.xml

# many tests start processes: modules compiled once, whatever the environment says
export PYTHONDONTWRITEBYTECODE :=
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1

.DEFAULT_GOAL := help
.PHONY: help setup vendor chromium run verify test test-all mutate bench lint format docs clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F '\t' '{printf "  make %-10s %s\n", $$1, $$2}'

# Removed first, written last: an installation that was cut short is done again.
$(STAMP): pyproject.toml
	@rm -f $@
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "jounce needs Python 3.11 or newer, and $(PYTHON) is older or missing; try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "setting up $(VENV) (once; some minutes without a package cache)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq -e ".[verify,bench,plot,data,search,web,dev]"
	@$(BIN)/python tools/vendor_web.py
	@touch $@

setup: $(STAMP)  ## create .venv and install everything into it

vendor: $(STAMP)  ## fetch the JavaScript libraries of the workbench, where `make setup` could not
	$(BIN)/python tools/vendor_web.py --strict

run: $(STAMP)  ## main job: the sedan in a step steer and in a stop; key figures, reports in build/
	@mkdir -p build
	$(BIN)/jounce run step-steer --vehicle sedan --out build/step_steer --report
	$(BIN)/jounce run straight-braking --vehicle sedan --out build/stop --report

verify: $(STAMP)  ## the verification book, as a table and as build/verify.html
	@mkdir -p build
	$(BIN)/jounce verify --html build/verify.html

# For the tests of the workbench's pages: never an error, they are skipped without it.
chromium:
	@command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && [ -z "$(NO_INSTALL)" ]; then \
	    echo "installing Debian's chromium for the tests of the workbench (make test NO_INSTALL=1 goes without)"; \
	    { apt-get install -y -qq --no-install-recommends chromium || { apt-get update -qq && \
	      apt-get install -y -qq --no-install-recommends chromium; }; } >/dev/null 2>&1 || \
	      echo "no chromium to be had: tests of the workbench's pages will be skipped"; \
	  else echo "no chromium: tests of the workbench's pages will be skipped"; fi; }

test: $(STAMP) chromium  ## all tests that take seconds
	$(PYTEST) -m "not slow"

test-all: $(STAMP) chromium  ## all tests
	$(PYTEST)

mutate: $(STAMP)  ## how many planted faults the tests notice (hours; ARGS="--count 20 --only runtime")
	$(BIN)/python tools/mutate.py --jobs $(JOBS) $(ARGS)

bench: $(STAMP)  ## speed on this machine
	$(BIN)/jounce bench

lint: $(STAMP)  ## style, format, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache

format: $(STAMP)  ## let the formatter have its way
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(STAMP)  ## documentation as HTML in build/docs
	@$(BIN)/python -m pip install -qq -e ".[docs]"
	$(BIN)/python -m sphinx -q -W -b html docs build/docs

clean:  ## remove .venv, build products and tool caches
	rm -rf $(VENV) build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	find src tests docs -name __pycache__ -type d -prune -exec rm -rf {} +
