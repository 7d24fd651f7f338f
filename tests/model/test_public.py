"""Is every model there by name, documented, and imported no sooner than it is used?"""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import gpusim
from gpusim import model

HELPERS = {"__init__", "inputs"}


def test_every_file_is_listed_and_described():
    files = {path.stem for path in Path(model.__file__).parent.glob("*.py")} - HELPERS
    assert set(model.__all__) == files
    for name in files:
        assert f"``{name}``" in model.__doc__


def test_models_are_attributes_of_the_package():
    assert gpusim.model is model
    for name in model.__all__:
        assert getattr(model, name) is importlib.import_module(f"gpusim.model.{name}")


def test_an_unknown_model_is_an_error():
    with pytest.raises(AttributeError, match="has no attribute 'rooflines'"):
        _ = model.rooflines


def test_no_heavy_library_is_imported_before_it_is_needed():
    code = "import sys, gpusim\nfor name in gpusim.model.__all__: getattr(gpusim.model, name)\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(run.stdout.split())
    assert {f"gpusim.model.{name}" for name in model.__all__} <= loaded
    assert not loaded & {"networkx", "numpy", "ml_dtypes", "numba", "sympy", "pandas"}
