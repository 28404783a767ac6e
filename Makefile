# Two commands set everything up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
# without the tools for developing
LAB_READY := .venv/.ready-lab
# how often `make browser` runs its tests
BROWSER_RUNS ?= 1

.PHONY: demo test test-slow test-all browser build book lab solutions experiments pictures lint help

help:
	@echo "make demo         set up, then build, release and grade a made-up class"
	@echo "make lint         set up, then fix style and check types and imports"
	@echo "make test         set up, then check style, types and imports, and run the fast tests (15 minutes)"
	@echo "make test-slow    set up, then run the slow tests (35 minutes)"
	@echo "make test-all     set up, then run both of these (50 minutes)"
	@echo "make browser      set up, then run the tests that drive a browser; BROWSER_RUNS=3 does so three times"
	@echo "make lab          set up, then open the student notebooks in JupyterLab"
	@echo "make build        build solutions/ and notebooks/ from lessons/, and this machine's answer keys"
	@echo "make book         make the book in build/book: lessons and documentation as web pages"
	@echo "make solutions    run the solution notebooks and keep their outputs (20 minutes)"
	@echo "make pictures     make the pictures of the README and of docs/"
	@echo "make experiments  measure the lessons' experiments over several seeds (an hour or more)"

$(READY): pyproject.toml
	@echo "Installing the course into .venv, a new one if needed (about 5 minutes, 2 GB)."
	@test -x $(BIN)/python || "$(PYTHON)" -m venv .venv
	@$(BIN)/python -m pip install $(if $(CI),--quiet) --disable-pip-version-check -e ".[dev]"
	@touch $(READY)

$(LAB_READY): pyproject.toml
	@echo "Installing the course into .venv, a new one if needed (about 5 minutes, 1.5 GB)."
	@test -x $(BIN)/python || "$(PYTHON)" -m venv .venv
	@$(BIN)/python -m pip install $(if $(CI),--quiet) --disable-pip-version-check -e ".[teach]"
	@touch $(LAB_READY)

demo: $(READY)
	@$(BIN)/course demo

test: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache --no-logo
	@$(BIN)/python -m pytest -n auto -m "not slow"

test-slow: $(READY)
	@$(BIN)/python -m pytest -n auto -m slow

test-all: test test-slow

browser: $(READY)
	@for run in $$(seq $(BROWSER_RUNS)); do \
	  start=$$(date +%s); \
	  $(BIN)/python -m pytest -n auto -m browser || exit 1; \
	  echo "Run $$run of $(BROWSER_RUNS): $$(($$(date +%s) - start)) seconds."; \
	done

lint: $(READY)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache --no-logo

lab: $(if $(wildcard $(READY)),$(READY),$(LAB_READY))
	@$(BIN)/course lab

build: $(READY)
	@$(BIN)/course build

book: $(READY)
	@$(BIN)/course book

solutions: $(READY)
	@$(BIN)/course build --run

pictures: $(READY)
	@$(BIN)/python docs/pictures/make.py

experiments: $(READY)
	@$(BIN)/python -m benchmarks.experiments
