# `make demo` and `make test` are all that a new user needs; each installs first what it needs, into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export CARD_ENVS_CACHE ?= $(CURDIR)/.venv/numba-cache

# Two stages of one environment. A stamp bears the names of its extras, so that another list makes another stamp.
DEMO_EXTRAS := arena,train
ALL_EXTRAS := dev
comma := ,
stamp = $(VENV)/.ready-$(subst $(comma),-,$(1))
DEMO_READY := $(call stamp,$(DEMO_EXTRAS))
ALL_READY := $(call stamp,$(ALL_EXTRAS))

# The layers of the tests are folders, and markers of the same names.
QUICK := tests/unit tests/rules
PROPERTIES := tests/properties tests/referees
TRAINING := tests/training
WEB := tests/web
PYTEST = OMP_NUM_THREADS=1 $(if $(filter no,$(BROWSER)),CARD_ENVS_BROWSER=no) $(BIN)/python -m pytest -n auto --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help setup demo test quick lint types pytest browser properties training web rest docs pages wheel lowest ecosystem soak bench golden clean

help: ## List what can be made.
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:[^#]*## /\t/' | expand -t 12

demo: $(DEMO_READY) ## Train King Lui by self-play for about a minute, hold a tournament and show the standings.
	@run=runs/demo-$$(date +%Y%m%d-%H%M%S) && \
	{ $(BIN)/python -m training.self_play --config configs/king_lui/quick.yaml --run $$run || test $$? -eq 3; } && \
	$(BIN)/card-envs tournament king_lui --players 4 --games 8000 --workers 2 --out $$run/cup \
		--agents random bot champion $$run/checkpoints/*.safetensors && \
	echo "play against it: $(BIN)/card-envs play king_lui --against $$run/checkpoints/best.safetensors --against bot --against champion"

test: lint types pytest docs ## Run every check: ruff, mypy, pytest, docs. BROWSER=no goes without Chromium.

quick: $(ALL_READY) ## Run the tests of units and rules only: the daily loop.
	@$(PYTEST) -m "not slow" $(QUICK)

setup: $(ALL_READY) ## Install everything into .venv, if that is missing or out of date.

$(DEMO_READY): pyproject.toml constraints.txt tools/set_up.py
	@echo "Installing what the demo needs into $(VENV), once: PyTorch, Numba and their like, usually 40 seconds and 1.3 GB"
	@$(PYTHON) tools/set_up.py venv $(VENV) $(DEMO_EXTRAS) --first-use "import card_envs.cli, training.self_play"
	@touch $@

$(ALL_READY): pyproject.toml constraints.txt tools/set_up.py
	@echo "Installing everything into $(VENV), once: tools for tests and docs, other libraries, usually two minutes and 2.3 GB"
	@$(PYTHON) tools/set_up.py venv $(VENV) $(ALL_EXTRAS)
	@touch $(DEMO_READY) $@

lint: $(ALL_READY) ## Check the style of the code with ruff.
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(ALL_READY) ## Check the types with mypy.
	@$(BIN)/mypy

pytest: $(ALL_READY) browser ## Run all tests, with coverage.
	@$(PYTEST) --cov --cov-report=term:skip-covered --cov-fail-under=90

properties: $(ALL_READY) ## Run the tests of properties that hold for every game, and those against independent referees.
	@$(PYTEST) $(PROPERTIES)

training: $(ALL_READY) ## Run the tests of training.
	@$(PYTEST) $(TRAINING)

web: $(ALL_READY) browser ## Run the tests of the web page and its server.
	@$(PYTEST) $(WEB)

rest: $(ALL_READY) ## Run the tests that are in none of these layers.
	@$(PYTEST) tests $(addprefix --ignore=,$(QUICK) $(PROPERTIES) $(TRAINING) $(WEB))

browser: ## Install Chromium for the tests of the web page, where that is possible.
ifeq ($(BROWSER),no)
	@echo "BROWSER=no: the tests of the web page in a browser are skipped"
else
	@$(PYTHON) tools/set_up.py chromium
endif

docs: $(ALL_READY) ## Build the documentation into site/.
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

pages: $(ALL_READY) ## Write the pages of the games and the tables in docs/ anew, after a change of their sources.
	@$(BIN)/python docs/hooks.py

wheel: ## Build wheel and sdist into dist/, and use the wheel in a clean environment.
	@$(PYTHON) tools/wheel.py dist

lowest: ## Run the quick tests with the oldest versions that pyproject.toml allows, in an environment of their own.
	@$(PYTHON) tools/lowest.py

ecosystem: ## Train with other libraries, each in an environment of its own; ONLY="minari" for some of them.
	@$(PYTHON) tools/ecosystem.py $(ONLY)

soak: $(ALL_READY) ## Try everything in large numbers: damaged files, kills, attacks, a million games of each kind (an hour; resumable).
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.proofs

bench: $(ALL_READY) ## Measure our speed and that of other libraries.
	@$(BIN)/card-envs bench --peers --tournament
	@$(BIN)/python -m training.bench

golden: $(ALL_READY) ## Rewrite the golden playthroughs after a change of the rules that is meant.
	@$(BIN)/python -m card_envs.testing tests/golden

clean: ## Remove everything that was made, but not runs/.
	rm -rf $(VENV) .apart dist site .artefacts .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
