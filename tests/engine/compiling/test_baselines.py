"""Which processors code in a wheel is compiled for, and which machines run it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.engine.compiling import store
from gpusim.engine.compiling.baselines import ARMV8_A, X86_64_V3, X86_64_V4, of_machine
from tests.engine.compiling.both_ways import CASES

ROOT = Path(__file__).resolve().parents[3]

features = st.dictionaries(st.sampled_from([*X86_64_V4.needs, "amx-tile"]), st.booleans())


@pytest.mark.parametrize("machine", ["x86_64", "AMD64"])
def test_x86_has_two(machine):
    assert of_machine(machine) == (X86_64_V4, X86_64_V3)


@pytest.mark.parametrize("machine", ["aarch64", "arm64"])
def test_arm_has_one(machine):
    assert of_machine(machine) == (ARMV8_A,)


@pytest.mark.parametrize("machine", ["riscv64", "ppc64le", "s390x", "i686", "wasm32"])
def test_others_have_none(machine):
    assert of_machine(machine) == ()


@given(features)
def test_a_machine_runs_it_that_has_all_it_needs(features):
    for each in (X86_64_V3, X86_64_V4):
        assert each.runs_on(features) == all(features.get(need) is True for need in each.needs)


@given(features)
def test_what_runs_the_faster_one_runs_the_other(features):
    assert X86_64_V3.runs_on(features) or not X86_64_V4.runs_on(features)


@given(features)
def test_every_arm_machine_runs_it(features):
    assert ARMV8_A.runs_on(features)


@pytest.mark.skipif(X86_64_V4 not in of_machine(), reason="LLVM knows the features of the machine's architecture alone")
def test_features_have_the_names_that_llvm_gives_them():
    assert set(X86_64_V4.needs) <= set(llvm.get_host_cpu_features())


def found(**settings):
    """Every metric and value of launches that need all kinds of compiled code."""
    command = [sys.executable, "-m", "tests.engine.compiling.both_ways", *CASES]
    own = {**os.environ, "PYTHONPATH": str(ROOT), "GPUSIM_QUIET": "1", **settings}
    run = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, timeout=1800)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.long
@pytest.mark.usefixtures("compiler")
def test_counters_times_and_values_are_the_same_to_the_digit():
    its = [each for each in of_machine() if each.runs_on(store.host_features())]
    own = found()
    assert all(own[case]["values"] for case in CASES)
    for baseline in its:
        assert found(**baseline.settings) == own, baseline.name
