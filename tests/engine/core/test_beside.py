"""Another process that compiles meanwhile: what it has done is there, and what it has not is compiled anyway."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite.binding import get_host_cpu_name

from gpusim.engine.core import beside
from gpusim.engine.core.beside import compiled_beside
from gpusim.engine.core.ready import every_instruction

ROOT = Path(__file__).resolve().parents[3]
ASK = """
import json, sys
import numpy as np
from gpusim.engine.alu import routines
from gpusim.engine.compiling import store
from gpusim.engine.core import beside
from gpusim.isa.encode import N_FIELDS, F
from gpusim.isa.opcodes import Op
beside.LEAST_WORK = 0.0
beside.processors = lambda: 2
code = np.zeros((2, N_FIELDS), np.int32)
code[:, F.OP] = Op.MOV, Op.POPC
with beside.compiled_beside(code):
    pass
asked = beside.by_address(code)
kept = [store.is_kept(each) for each in asked]
print(json.dumps([kept, bool(routines.addresses(code[:, F.OP])[Op.MOV])]))
"""


def ask(cache, code=ASK):
    """Whether each function was kept when the other process was done, and whether all can be called then."""
    own = {**os.environ, "GPUSIM_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT), "GPUSIM_PLAIN_NUMBA": "0"}
    own["NUMBA_CPU_NAME"] = get_host_cpu_name()  # where it is told, what a wheel brought is not taken
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=cache, env=own, capture_output=True, text=True, timeout=600)
    assert (run.returncode, run.stderr) == (0, "")
    return json.loads(run.stdout)


def test_what_the_other_process_compiles_is_kept(tmp_path):
    assert ask(tmp_path) == [[True] * 3, True]


def test_where_the_other_process_fails_this_one_compiles_all(tmp_path):
    assert ask(tmp_path, ASK.replace("beside.LEAST_WORK", "beside.START = 'no code {path}'; beside.LEAST_WORK")) == [
        [False] * 3,
        True,
    ]


@pytest.fixture
def started(monkeypatch):
    """What processes are started."""
    found = []

    def none(command, **_):
        found.append(command)
        raise AssertionError("none should be")

    monkeypatch.setattr(beside, "Child", none)
    monkeypatch.setattr(beside, "usable", lambda _: True)
    monkeypatch.setattr(beside, "is_kept", lambda _: False)
    return found


def test_one_core_compiles_alone(started, monkeypatch):
    monkeypatch.setattr(beside, "processors", lambda: 1)
    with compiled_beside(every_instruction()):
        assert started == []


def test_little_is_compiled_alone(started, monkeypatch):
    monkeypatch.setattr(beside, "processors", lambda: 2)
    with compiled_beside(every_instruction()[:0]):
        assert started == []


def test_where_nothing_can_be_kept_this_process_compiles_alone(started, monkeypatch):
    monkeypatch.setattr(beside, "processors", lambda: 2)
    monkeypatch.setattr(beside, "usable", lambda _: False)
    with compiled_beside(every_instruction()):
        assert started == []
