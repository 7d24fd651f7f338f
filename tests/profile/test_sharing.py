"""Do arrays that share memory share it in a launch as they do in NumPy?"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpusim
from gpusim.errors import ParameterError
from gpusim.simulate import SimulationError
from gpusim.simulate.sharing import shared_places
from tests.profile.running import kernel, run

INDEX = "const int i = threadIdx.x;"


@pytest.mark.usefixtures("compiler")
def test_one_array_for_two_pointers_is_placed_once():
    both = np.zeros(32, np.int32)
    found = run(f"__global__ void f(int* x, int* y) {{ {INDEX} x[i] = 5; y[i] += i; }}", 1, 32, both, both)
    np.testing.assert_array_equal(both, 5 + np.arange(32))
    assert [array.name for array in found.arrays] == ["x, y"]
    assert found.arrays[0].requests == 3


@pytest.mark.usefixtures("compiler")
def test_views_that_overlap_share_what_they_share():
    whole = np.arange(64, dtype=np.int32)
    run(f"__global__ void f(int* x, int* y) {{ {INDEX} y[i] = x[i + 16]; }}", 1, 32, whole[:48], whole[32:])
    np.testing.assert_array_equal(whole, [*range(32), *range(16, 48)])


@pytest.mark.usefixtures("compiler")
def test_past_the_end_of_views_that_overlap_is_out_of_bounds():
    whole = np.zeros(64, np.int32)
    text = f"__global__ void f(int* x, int* y) {{ {INDEX} y[i] = x[i + 33]; }}"
    with pytest.raises(SimulationError, match="out of bounds"):
        run(text, 1, 32, whole[:48], whole[32:])


@pytest.mark.usefixtures("compiler")
def test_a_view_with_gaps_that_shares_memory_is_refused():
    table = np.zeros((8, 8), np.float32)
    made = kernel("__global__ void f(float* x, const float* y) { x[0] = y[0]; }")
    with pytest.raises(ParameterError, match="arguments y and x share memory, and y is not contiguous"):
        gpusim.profile(made, 1, 1, [table, table.T])
    gpusim.profile(made, 1, 1, [table[:, 0], table[:, 1]])  # interleaved, but no byte is in both


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 20)), min_size=1, max_size=6), st.integers(0, 2))
def test_views_lie_as_far_apart_as_in_numpy_and_others_apart(cuts, start):
    whole, other = np.arange(64, dtype=np.uint16), np.zeros(3)
    views = {f"v{n}": whole[first : first + size] for n, (first, size) in enumerate(cuts)} | {"other": other}
    at = shared_places(views, 512 * start)
    pairs = [(a, b) for a in views for b in views if a < b and views[a].nbytes and views[b].nbytes]
    assert bool(at) == any(np.shares_memory(views[a], views[b]) for a, b in pairs)
    for a, b in pairs if at else ():
        if np.shares_memory(views[a], views[b]):
            assert at[b] - at[a] == views[b].ctypes.data - views[a].ctypes.data
        else:
            assert at[a] + views[a].nbytes <= at[b] or at[b] + views[b].nbytes <= at[a]
    assert all(place >= 512 * start for place in at.values())


@pytest.mark.usefixtures("compiler")
def test_arrays_that_share_memory_lie_after_a_kernels_own_variables():
    both = np.zeros(32, np.int32)
    text = f"__device__ int table[32]; __global__ void f(int* x, int* y) {{ {INDEX} table[i] = 1; x[i] += y[i] + 1; }}"
    run(text, 1, 32, both, both)
    np.testing.assert_array_equal(both, 1)
