"""What the package offers: a line a name of gpusim/__init__.pyi, and nothing else to keep in step."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gpusim

STUB = Path(gpusim.__file__).with_suffix(".pyi")
LINES = [line for line in ast.parse(STUB.read_text()).body if isinstance(line, ast.ImportFrom)]
OFFERED = {line.names[0].name: line.module for line in LINES}
API = STUB.parents[1] / "docs" / "api.md"


def test_a_line_is_one_name_that_type_checkers_let_out():
    assert [(len(line.names), line.names[0].asname) for line in LINES] == [(1, name) for name in OFFERED]


def test_every_line_is_offered_and_nothing_else():
    assert gpusim.__all__ == sorted([*OFFERED, "__version__"])
    assert set(gpusim.__all__) <= set(dir(gpusim))
    found = {}
    exec("from gpusim import *", found)
    assert {*found} - {"__builtins__"} == {*gpusim.__all__}


def test_no_room_has_the_name_of_what_is_offered():
    """Who imports such a room would find it where the function was."""
    rooms = {path.stem for path in STUB.parent.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert {name for name in rooms & OFFERED.keys() if not inspect.ismodule(getattr(gpusim, name))} == set()


@pytest.mark.parametrize("name", OFFERED)
def test_a_name_is_what_its_line_says(name):
    value = getattr(gpusim, name)
    if inspect.ismodule(value):
        assert value is importlib.import_module(f"gpusim.{name}")
    else:
        assert (value.__module__, value.__qualname__) == (OFFERED[name], name)
        assert value is getattr(importlib.import_module(OFFERED[name]), name)


def test_a_name_is_imported_when_it_is_first_used():
    code = "import sys, gpusim; gpusim.GpusimError; print(*(name for name in sys.modules if name.startswith('gpusim')))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert set(ran.stdout.split()) == {"gpusim", "gpusim.errors", "gpusim.names"}


def test_what_is_not_offered_is_refused_with_what_may_be_meant():
    with pytest.raises(AttributeError, match="did you mean Profile or ChainProfile"):
        gpusim.profle  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute '__wrapped__'"):
        gpusim.__wrapped__  # noqa: B018


def test_the_reference_lists_what_is_offered():
    listed = re.findall(r"^   gpusim\.(\w+)$", API.read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(OFFERED.keys() - {"model", "triton"})  # modules stand there one by one
