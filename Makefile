# Two commands do all the set-up on a bare machine with Python 3.11 or newer:
#   make train    the main job: a tiny model learns a text game (ARGS="--env gem/Sudoku-easy-v0")
#   make test     everything CI runs
PYTHON ?= python3
VENV ?= .venv
# A plain `torch` may be a CUDA build of several GB; this one has a CPU build. Override at will.
TORCH ?= torch==2.13.0
ARGS ?=

BIN := $(VENV)/bin

.PHONY: train test test-fast test-slow check format clean

train: $(VENV)/train.stamp
	$(BIN)/gem-trl quickstart $(ARGS)

test: test-fast test-slow

# xdist splits the tests over the cores, so each process gets one thread.
test-fast: $(VENV)/test.stamp
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto -q -m "not slow" $(ARGS)

test-slow: $(VENV)/test.stamp
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto -q -m slow $(ARGS)

check: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

format: $(VENV)/test.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) runs

$(VENV)/train.stamp: pyproject.toml
	@$(call install,train)
	@touch $@

$(VENV)/test.stamp: pyproject.toml
	@$(call install,train$(comma)dev)
	@touch $@ $(VENV)/train.stamp

comma := ,
# $(1): the extras. Says how long it took, since that is no part of the job itself.
define install
	set -e; start=$$(date +%s); \
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV); \
	$(BIN)/python -m pip install -q "$(TORCH)"; \
	$(BIN)/python -m pip install -q -e ".[$(1)]"; \
	echo "Installed [$(1)] into $(VENV) in $$(( $$(date +%s) - start )) s."
endef
