# The tasks of everyday work; "make" lists them.  They run in whatever environment is active.
.DEFAULT_GOAL := help
.PHONY: help install test long quick lint format types imports graph calibrate refresh unchanged validate matrix docs wheel ci clean

help:  ## list the tasks
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install:  ## install gpusim from this folder, with everything development needs
	python -m pip install --upgrade pip
	python -m pip install --group dev -e ".[cuda]"
	pre-commit install

test:  ## run every test but the long ones
	python -m pytest -n auto

long:  ## run the tests that take half a minute or more each
	python -m pytest -n auto -m long

quick:  ## run the tests that take less than ten seconds each
	python -m pytest -n auto -m "not slow and not long"

lint: types imports  ## check style, types and the import contract
	ruff check .
	ruff format --check .

format:  ## mend what ruff can mend
	ruff check --fix .
	ruff format .

types:  ## check types
	mypy

imports:  ## check which room imports which
	lint-imports

graph:  ## print the rooms of the package, by floor, and circles of imports
	python -m tests.house.imports

calibrate:  ## run every microbenchmark through the simulator and write docs/calibration/
	python -m calibration.calibrate

refresh:  ## write docs/validation.md from what "calibration.unchanged --record" has predicted
	python -m calibration.refresh

unchanged:  ## compare every metric of the measured launches with what it was, to the digit (80 minutes of a core)
	python -m calibration.unchanged

validate:  ## run what "make test" leaves out: the long tests, then "unchanged"; keep on which commit they passed
	python -m calibration.validate

matrix:  ## run a few tests with the oldest and the newest numba, on every Python that is there
	python -m tests.matrix

docs:  ## build the documentation into docs/_build/html; a warning or a long sentence is an error
	python -m pip install --upgrade pip
	python -m pip install --group docs -e .
	python -m tests.docs.readable
	python -m sphinx -W --keep-going -b html docs docs/_build/html

wheel:  ## build the source archive and the wheel into dist/ (after make install); compiles the engine for it
	GPUSIM_ALL_BASELINES=1 python -m build

ci:  ## run exactly what continuous integration runs
	.ci/run

clean:  ## remove what builds and tests leave behind
	rm -rf build dist docs/_build docs/reference .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
