# Every target sets up its own environment from nothing: python3, git and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Two cores by default; `make test JOBS=8` on a larger machine.
JOBS ?= 2

.PHONY: help run test check torture bench format lock clean

help:
	@echo "make run      play the guided demo"
	@echo "make test     all tests"
	@echo "make check    format, lint, types, layers and fast tests"
	@echo "make torture  crash and lock tests, and new examples for the properties: long"
	@echo "make bench    speed on this machine, as ratios"
	@echo "make format   rewrite the code in the house format"
	@echo "make lock     pin the newest versions in requirements/ (needs uv)"

$(VENV)/runtime: requirements/runtime.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/runtime.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/dev: requirements/dev.txt $(VENV)/runtime
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.txt
	touch $@

run: $(VENV)/runtime
	@$(BIN)/reverie demo

test: $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(JOBS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

check: $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q -n $(JOBS) -m "not slow" --hypothesis-profile=quick

torture: $(VENV)/dev
	REVERIE_TORTURE=$${REVERIE_TORTURE:-300} $(BIN)/python -m pytest -v -m torture
	$(BIN)/python -m pytest -q -n $(JOBS) tests/core --hypothesis-profile=explore

bench: $(VENV)/runtime
	$(BIN)/reverie bench all

format: $(VENV)/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-header --upgrade --group build pyproject.toml -o requirements/runtime.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-header --upgrade -c requirements/runtime.txt --group build --group dev pyproject.toml -o requirements/dev.txt

clean:
	rm -rf $(VENV) .coverage* .pytest_cache .mypy_cache .ruff_cache .hypothesis dist build
