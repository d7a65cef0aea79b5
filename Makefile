# The commands of the README. Each sets up what it needs: the suite's environment in .venv, with uv inside it.
PYTHON ?= python3
BACKEND ?= onnxruntime
PIP_UV := .venv/bin/python -m uv pip install --quiet --compile-bytecode --python .venv/bin/python
unexport PYTHONDONTWRITEBYTECODE  # the tests start hundreds of processes, each of which would compile everything

.PHONY: conformance matrix test fuzz gates editions package power bench models browser sample notebooks check-notebooks docs lint clean

conformance: .venv/ready
	.venv/bin/python -m pytest tests/conformance -q --tb=short --backend $(BACKEND) $(ARGS)

matrix: .venv/ready
	.venv/bin/plumbline matrix $(ARGS)

test: .venv/ready-dev
	.venv/bin/python -m pytest --numprocesses auto --dist worksteal $(ARGS)

fuzz: .venv/ready-dev
	.venv/bin/python -m tests.hostile.fuzz $(ARGS)

gates: .venv/ready-dev
	.venv/bin/python -m pytest -m gate --sample all --numprocesses auto --dist worksteal $(ARGS)

package: .venv/ready-dev
	.venv/bin/python -m pytest tests/package $(ARGS)

browser: .venv/ready-browser
	.venv/bin/python -m pytest tests/browser $(ARGS)

sample: .venv/ready-browser .venv/ready-docs
	.venv/bin/python -m tests.browser.sample $(ARGS)

notebooks: .venv/ready-notebooks
	.venv/bin/python -m notebooks $(if $(filter command environment,$(firstword $(origin BACKEND))),--backend '$(BACKEND)')

check-notebooks: .venv/ready-notebooks
	.venv/bin/python -m pytest tests/notebooks $(ARGS)

editions: .venv/ready
	.venv/bin/plumbline editions --check $(ARGS)

power: .venv/ready-dev
	.venv/bin/python -W ignore -m tests.faults $(ARGS)

bench: .venv/ready-dev
	.venv/bin/python -m tests.bench $(ARGS)

models: .venv/ready-dev
	.venv/bin/python -m tests.real_models $(ARGS)

docs: .venv/ready-docs
	.venv/bin/python -m sphinx -q -W --keep-going -b html docs reports/out/docs

lint: .venv/ready-dev
	.venv/bin/python -m ruff check .
	.venv/bin/python -m mypy

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "plumbline needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv

.venv/ready: .venv/bin/python pyproject.toml
	@echo "installing the suite and ONNX Runtime into .venv: once, some 290 MB"
	.venv/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(PIP_UV) -e '.[onnxruntime]'
	touch $@

.venv/ready-dev: .venv/ready
	$(PIP_UV) -e '.[onnxruntime,dev,dask]'
	touch $@

.venv/ready-browser: .venv/ready-dev
	$(PIP_UV) -e '.[onnxruntime,dev,browser]'
	touch $@

.venv/ready-docs: .venv/ready-dev
	$(PIP_UV) -e '.[onnxruntime,dev,docs]'
	touch $@

.venv/ready-notebooks: .venv/ready-dev
	$(PIP_UV) -e '.[onnxruntime,dev,notebooks]'
	touch $@

clean:
	rm -rf .venv .backends reports/out
