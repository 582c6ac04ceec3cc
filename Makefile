# `make demo` and `make test` are all that a new user needs; both set everything up first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
export CARD_ENVS_CACHE ?= $(CURDIR)/.venv/numba-cache

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint types browser unit docs soak bench golden clean

help: ## list what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:[^#]*## /\t/' | expand -t 10

setup: $(READY) ## make the virtual environment in .venv, if it is missing or out of date

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "card_envs needs Python 3.11 or newer; name one with: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@echo "Setting up $(VENV) (once; a minute or two)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $(READY)

demo: setup ## train King Lui by self-play for about a minute, then hold a tournament and show the standings
	@run=runs/demo-$$(date +%Y%m%d-%H%M%S) && \
	$(BIN)/python -m training.self_play --config configs/king_lui/quick.yaml --run $$run && \
	$(BIN)/card-envs tournament king_lui --players 4 --games 8000 --workers 2 --out $$run/cup \
		--agents random bot champion $$run/checkpoints/*.safetensors && \
	echo "play against it: $(BIN)/card-envs play king_lui --against $$run/checkpoints/best.safetensors --against bot --against champion"

test: setup lint types unit docs ## run every check: ruff, mypy, pytest, docs

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: setup
	@$(BIN)/mypy

browser: ## install Chromium for the tests of the web page, where that is possible
	@command -v chromium chromium-browser google-chrome chrome >/dev/null || \
		{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null && echo "Installing Chromium" && \
		apt-get update -qq >/dev/null && apt-get install -qq -y --no-install-recommends chromium >/dev/null; } || \
		echo "There is no Chromium: tests of the web page in a browser are skipped"

unit: setup browser
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --cov=card_envs --cov-report=term:skip-covered --cov-fail-under=90

docs: setup ## build the documentation into site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

soak: setup ## follow a million random games of each kind with the independent referees (hours)
	@$(BIN)/python -m tests.soak --games 1000000

bench: setup ## measure our speed and that of other libraries
	@$(BIN)/card-envs bench --peers --tournament
	@$(BIN)/python -m training.bench

golden: setup ## rewrite the golden playthroughs after a change of the rules that is meant
	@$(BIN)/python -m card_envs.testing tests/golden

clean: ## remove everything that was made
	rm -rf $(VENV) site .artefacts .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
