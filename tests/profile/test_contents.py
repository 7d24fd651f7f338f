"""Whose values decide what machine code touches, and is an access refused that would read what nobody has made?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.isa.array_use import arrays_read
from gpusim.simulate import SimulationError
from tests.profile.running import kernel

pytestmark = pytest.mark.usefixtures("compiler")

HEAD = "__global__ void k(const float* x, const int* i, const int* j, float* y) { int t = threadIdx.x; "
READ = {
    "copy": ("y[t] = x[t];", ""),
    "gather": ("y[t] = x[i[t]];", "i"),
    "scatter": ("y[j[t]] = x[t];", "j"),
    "gather of a gather": ("y[t] = x[i[j[t]]];", "ij"),
    "histogram": ("atomicAdd(&y[i[t]], x[t]);", "i"),
    "branch": ("if (i[t] > 0) y[t] = x[t];", "i"),
    "loop": ("for (int k = i[t]; k < i[t + 1]; k++) y[t] += x[k];", "i"),
    "either": ("const int* p = t & 1 ? i : j; y[t] = x[p[t]];", "ij"),
    "in shared memory": ("__shared__ int s[32]; s[t] = i[t]; __syncthreads(); y[t] = x[s[31 - t]];", "i"),
    "a pointer in shared memory": (
        "__shared__ const int* s[2]; s[t & 1] = t & 1 ? i : j; __syncthreads(); y[t] = x[*s[t >> 4]];",
        "ij",
    ),
    "its own results": ("y[t] = x[t]; __syncthreads(); y[(int)y[31 - t]] = 1;", "xy"),
}


@pytest.mark.parametrize("name", READ)
def test_only_arrays_that_addresses_and_branches_depend_on_are_read(name):
    body, wanted = READ[name]
    found = arrays_read(kernel(HEAD + body + " }").program(), "xijy")
    assert found >= set(wanted)
    if name != "a pointer in shared memory":  # which could be any
        assert found == set(wanted)


@pytest.mark.parametrize("name", READ)
def test_what_is_counted_does_not_depend_on_the_other_arrays(name):
    body, wanted = READ[name]
    made, rng = kernel(HEAD + body + " }"), np.random.default_rng(1)
    x, y = rng.integers(0, 32, 64).astype(np.float32), np.zeros(64, np.float32)
    i, j = (rng.integers(0, 32, 64).astype(np.int32) for _ in "ij")
    if name == "loop":
        i.sort()
    full = gpusim.profile(made, 1, 32, [x.copy(), i, j, y.copy()], values=True)
    given = zip("xijy", (x, i, j, y), strict=True)
    others = [array if name in wanted else np.zeros_like(array) for name, array in given]
    light = gpusim.profile(made, 1, 32, others, values=False)
    assert light["smsp__inst_executed.sum"].value == full["smsp__inst_executed.sum"].value
    for metric, value in light.metrics.items():
        if "sectors" in metric or "requests" in metric:
            assert value.value == full[metric].value, metric


@pytest.mark.parametrize("other", ["table", "held"])
def test_an_address_may_be_that_of_a_device_variable_or_of_an_array(other):
    text = "__device__ int table[32] = {3, 2, 1}; __device__ int* held = table; " + HEAD
    made = kernel(f"{text} const int* p = t & 1 ? i : {other}; y[p[t]] = x[t]; }}")
    arrays = [np.zeros(64, np.float32), np.arange(64, dtype=np.int32), np.zeros(64, np.int32), np.zeros(64, np.float32)]
    full, light = (gpusim.profile(made, 1, 32, arrays, values=values) for values in (True, False))
    name = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
    assert light.value(name) == full.value(name)


@pytest.mark.parametrize("values", [True, False])
def test_a_device_variable_may_have_the_name_of_a_parameter(values):
    text = "__device__ int y[32] = {3}; __device__ int first(int k) { return y[k]; } " + HEAD
    made, y = kernel(text + "y[first(t)] = x[t]; }"), np.zeros(64, np.float32)
    arrays = [np.arange(64, dtype=np.float32), np.zeros(32, np.int32), np.zeros(32, np.int32), y]
    found = gpusim.profile(made, 1, 32, arrays, values=values)
    assert found.value("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum") == 1
    assert not values or (y[0] > 0 and y[3] == 0 and not y[4:].any())


def test_an_array_given_for_two_pointers_is_one():
    made, i = kernel(HEAD + "y[t] = 0; __syncthreads(); atomicAdd(&y[i[t]], x[t]); }"), np.zeros(64, np.int32)
    for values in (True, False):
        i[:] = 40
        found = gpusim.profile(made, 1, 32, [np.zeros(64, np.float32), i, i, i.view(np.float32)], values=values)
        assert found.value("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum") == 32  # one after another
        if not values:
            assert (i == 40).all()


@pytest.mark.parametrize("body", ["y[t] = x[i[t + 128]];", "y[t] = x[i[t]]; ((float*)x)[t + 128] = 1;"])
def test_an_access_that_strays_from_its_array_is_refused_where_values_matter(body):
    made, i = kernel(HEAD + body + " }"), np.zeros(128, np.int32)
    arrays = [np.zeros(128, np.float32), i, i.copy(), np.zeros(128, np.float32)]
    with pytest.raises(SimulationError, match="global memory beyond the arrays that its address comes from"):
        gpusim.profile(made, 1, 32, arrays, values=False)


TABLE = "__device__ int table[32] = {3, 1, 4, 1, 5, 9, 2, 6}; "


def test_a_variable_of_the_program_is_found_though_a_pointer_is_part_of_the_index():
    body = "y[t] = x[table[(i[t] + (int)((size_t)j >> 60)) & 31]];"
    made, rng = kernel(TABLE + HEAD + body + " }"), np.random.default_rng(2)
    i = rng.integers(0, 8, 64).astype(np.int32)
    arrays = [np.zeros(64, np.float32), i, i.copy(), np.zeros(64, np.float32)]
    full, light = (gpusim.profile(made, 1, 32, arrays, values=values) for values in (True, False))
    assert {name: metric.value for name, metric in light.metrics.items() if "sectors" in name} == {
        name: metric.value for name, metric in full.metrics.items() if "sectors" in name
    }
