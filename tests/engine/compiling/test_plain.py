"""The engine compiled by what numba documents alone: the same numbers, whatever release of numba there is."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from gpusim.engine.compiling import jit, plain
from tests.engine.compiling.both_ways import CASES
from tests.engine.kept_functions import right_answers

ROOT = Path(__file__).resolve().parents[3]
ASK = "from tests.engine.kept_functions import answers; print(answers())"
MODE = "from gpusim.engine.compiling.jit import MODE; print(MODE.__name__)"
OTHER_RELEASE = "import numba; numba.__version__ = '0.99.1'; "
UNTRIED = "import numba; numba.__version__ = '0.65.9'; "
CHANGED = UNTRIED + "from numba.core import compiler; del compiler.DefaultPassBuilder; "


def python(*args, **environment):
    """What a process prints, and what it says on standard error."""
    own = {**os.environ, "PYTHONPATH": str(ROOT), "GPUSIM_QUIET": "1", jit.PLAIN: "0", **environment}
    done = subprocess.run([sys.executable, *args], cwd=ROOT, env=own, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def test_small_functions_give_what_python_says_and_are_kept(tmp_path):
    for _ in range(2):
        out, err = python("-c", ASK, GPUSIM_PLAIN_NUMBA="1", GPUSIM_CACHE_DIR=str(tmp_path))
        assert (out, err) == (right_answers(), "")
        assert [path.name for path in tmp_path.rglob("*.code")] == []
    assert len(list(tmp_path.rglob("*.nbc"))) == 2  # what is called by address


def test_an_option_that_is_not_documented_may_be_missing(monkeypatch):
    def strict(*args, _nrt=True, **how):
        assert _nrt, "unknown option"
        return numba.njit(*args, **how)

    monkeypatch.setattr(plain, "njit", strict)
    plain.options.cache_clear()
    try:
        assert plain.options() == {"error_model": "numpy"}
        assert plain.jit(lambda x: 2 * x)(21) == 42
    finally:
        plain.options.cache_clear()


def test_code_is_compiled_in_memory_where_it_cannot_be_kept(tmp_path):
    (tmp_path / "file").touch()
    out, err = python("-c", ASK, GPUSIM_PLAIN_NUMBA="1", GPUSIM_CACHE_DIR=str(tmp_path / "file"))
    assert out == right_answers()
    assert "cannot be kept" in err


@pytest.mark.parametrize(("code", "mode", "says"), [
    ("", "parts", ""),
    (UNTRIED, "parts", ""),
    (OTHER_RELEASE, "plain", "gpusim: numba 0.99.1 is not one of 0.61 to 0.68; "),
    (CHANGED, "plain", "gpusim: numba 0.65.9 is not as gpusim knows it (ImportError: "),
])  # fmt: skip
def test_the_way_is_chosen_by_what_numba_is(code, mode, says, tmp_path):
    out, err = python("-c", code + MODE, GPUSIM_CACHE_DIR=str(tmp_path))
    assert out == f"gpusim.engine.compiling.{mode}"
    assert err.startswith(says)
    assert err.count("\n") == bool(says)


def test_a_process_that_it_starts_says_nothing_more(tmp_path):
    child = f"; import subprocess, sys; subprocess.run([sys.executable, '-c', {MODE!r}], check=True)"
    out, err = python("-c", OTHER_RELEASE + MODE + child, GPUSIM_CACHE_DIR=str(tmp_path))
    assert out.split() == ["gpusim.engine.compiling.plain"] * 2
    assert err.count("\n") == 1


def test_releases_that_are_tried_are_those_that_pyproject_allows():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'"numba>=(\d+)\.(\d+),<(\d+)\.(\d+)"', text)
    assert tuple(map(int, found.groups())) == (*jit.OLDEST, *jit.BEYOND)
    assert [jit.doubt(version) for version in jit.TRIED] == [""] * len(jit.TRIED)


def test_each_way_offers_the_same():
    from gpusim.engine.compiling import parts

    names = {"jit", "inline", "spliced", "cold", "compile_for_calls", "compile_whole", "whole", "is_kept"}
    assert names <= vars(plain).keys() & vars(parts).keys()


@pytest.mark.long
@pytest.mark.usefixtures("compiler")
@pytest.mark.skipif(jit.doubt(numba.__version__) != "", reason="only one way is there")
def test_counters_times_and_values_are_the_same_to_the_digit():
    ways = [json.loads(python("-m", "tests.engine.compiling.both_ways", *CASES, GPUSIM_PLAIN_NUMBA=k)[0]) for k in "01"]
    assert [way.pop("mode") for way in ways] == ["parts", "plain"]
    assert ways[0].keys() == CASES.keys()
    assert all(case["metrics"] and case["values"] for case in ways[0].values())
    assert ways[0] == ways[1]
