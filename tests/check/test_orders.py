"""Are results that depend on the order of warps and blocks found, and told from sums that round otherwise?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.checks.orders import compared
from gpusim.simulate import checking

SUMS = """\
__global__ void sum(float* total, int* last, const float* x) {
    atomicAdd(total, x[threadIdx.x]);
    *last = threadIdx.x;
}
"""
ARGUMENTS = {"total": "zeros:1", "last": "zeros:1", "x": "normal:64"}


@pytest.fixture
def results(observing, monkeypatch, compiler):
    """Check a kernel whose results of each order are told."""
    observing()
    seeds = []

    def check(source, arguments, values, **how):
        def of_order(launch, gpu, held, seed, **more):
            seeds.append(seed)
            return values(seed)

        monkeypatch.setattr(checking, "values_of_order", of_order)
        return gpusim.check(source, 1, 64, arguments, **how), seeds

    return check


def test_the_same_results_are_no_finding(results):
    found, seeds = results(SUMS, ARGUMENTS, lambda seed: {"last": np.arange(4)}, schedules=3, seed=5)
    assert found.clean
    assert not found.findings
    assert seeds == [None, 5, 6, 7]
    assert found.orders == 3
    assert "3 other orders compared" in repr(found)


def test_no_other_order_is_run_unless_asked_for(results):
    found, seeds = results(SUMS, ARGUMENTS, lambda seed: {"last": np.array([seed or 0])})
    assert found.clean
    assert seeds == []


def test_a_result_that_differs_names_array_element_and_values(results):
    def values(seed):
        return {"last": np.array([[7, 8], [9, 31 if seed == 1 else 63]], np.int32), "total": np.ones(1, np.float32)}

    found, _ = results(SUMS, ARGUMENTS, values, schedules=4)
    (one,) = found.findings
    assert not found.clean
    assert (one.kind, one.tool, one.array, one.times) == ("order-dependent", "schedules", "last", 1)
    assert "element 3 of last is 63 in the usual order of warps and blocks, and 31 in another" in one.what
    assert "(seed 1)" in one.what


def test_a_sum_by_float_atomics_that_rounds_otherwise_is_a_note(results):
    def values(seed):
        return {"total": np.array([1.0 if seed is None else 1.0 + 1e-6], np.float32)}

    found, _ = results(SUMS, ARGUMENTS, values, schedules=2)
    (one,) = found.findings
    assert (one.level, one.times) == ("note", 2)
    assert found.clean


def test_a_sum_by_float_atomics_that_is_another_is_none(results):
    def values(seed):
        return {"total": np.array([1.0 if seed is None else 1.0 + 1e-6 if seed == 0 else 1.5], np.float32)}

    found, _ = results(SUMS, ARGUMENTS, values, schedules=2)
    (one,) = found.findings
    assert (one.level, one.times) == ("error", 2)
    assert "1.5" in one.what


def test_without_float_atomics_no_bit_may_differ(results):
    text = SUMS.replace("atomicAdd(total, x[threadIdx.x])", "total[0] = x[threadIdx.x]")
    found, _ = results(
        text, ARGUMENTS, lambda seed: {"total": np.array([1.0 + 1e-6 * (seed is not None)], np.float32)}, schedules=1
    )
    assert found.findings[0].level == "error"


def test_bits_are_compared_not_numbers():
    nan = np.array([np.nan, 0.0], np.float32)
    assert compared(nan, nan.copy()) is None
    found = compared(nan, np.array([np.nan, -0.0], np.float32))
    assert (found.element, found.elements) == (1, 1)
    assert found.is_rounding
    assert not compared(np.array([1, 2]), np.array([1, 3])).is_rounding
    assert not compared(np.array([1.0, np.inf]), np.array([1.0, 2.0])).is_rounding
