# Two commands do everything: `make book` and `make test`. The first one sets up the virtual environment, once.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup book html test lint notebooks clean distclean

# The interpreter to start from, where the environment goes, and the pins (empty: newest releases instead).
PYTHON ?= python3
VENV ?= .venv
CONSTRAINTS ?= constraints.txt
# The two switches of the book, and the device. The published book has these values.
MODEL ?= mini
DATA ?= builtin
DEVICE ?= cpu
# What `make test` runs, and in how many processes; each of them computes on one thread.
TESTS ?= tests notebooks
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n < 4 ? n : 4)))

STAMP := $(VENV)/.installed
RUN := $(VENV)/bin/python
BOOK := $(RUN) -m bertology_utils.book

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(STAMP) ## make the virtual environment, once

$(STAMP): pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 10) or sys.exit("Python 3.10 or later is needed, not " + sys.version)'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "$(PYTHON) cannot make virtual environments; on Debian: apt-get install python3-venv" >&2; exit 1; }
	test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check $(if $(CONSTRAINTS),-c $(CONSTRAINTS)) -e '.[book,test]'
	touch $@

book: $(STAMP) ## execute every notebook afresh and render the book (MODEL=, DATA=, DEVICE=)
	$(BOOK) build --execute --model $(MODEL) --data $(DATA) --device $(DEVICE)

html: $(STAMP) ## render the book from the stored outputs
	$(BOOK) build

test: $(STAMP) ## unit tests, guards, stored notebooks against the code, the book and its pages
	OMP_NUM_THREADS=1 $(RUN) -m pytest --nbval --numprocesses $(JOBS) --dist loadfile $(TESTS)

lint: $(STAMP) ## style
	$(RUN) -m ruff check

notebooks: $(STAMP) ## refresh the stored outputs of the notebooks, in place (with the evidence they show)
	$(BOOK) notebooks

clean: ## remove the rendered book
	rm -rf book/_build

distclean: clean ## remove the virtual environment too
	rm -rf $(VENV)
