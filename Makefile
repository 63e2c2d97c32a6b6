# make demo   builds the example memory into site/demo and says where to look
# make test   lint, types and all tests, in an environment of its own
# make bench  prints the table of speeds
# make clean  removes everything that make and the tests made

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH ?=

.PHONY: help demo test lint bench clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

# The stamp is newer than pyproject.toml as long as nothing has to be installed again.
$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "memsite needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3 $(MAKECMDGOALS)" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "cannot make $(VENV); on Debian: apt-get install python3-venv python3-pip" >&2; exit 1; }
	@$(BIN)/python -c 'import pip; v = pip.__version__.split("."); raise SystemExit((int(v[0]), int(v[1])) < (25, 1))' || \
	  $(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable '.[serve]' --group dev
	@touch $@

demo: $(STAMP)
	$(BIN)/memsite build --project examples --output site/demo
	@echo
	@echo "The example memory as a wiki:  site/demo/index.html  (open it in a browser, no server needed)"
	@echo "Live, with reload on save:     $(BIN)/memsite serve --project examples"

lint: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check --exclude '*.md'
	$(BIN)/mypy

test: $(STAMP) lint
	@.ci/browser $(BIN)/python
	$(BIN)/pytest

bench: $(STAMP)
	$(BIN)/python -m tests.bench $(BENCH)

clean:
	rm -rf $(VENV) site/demo examples/site build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
