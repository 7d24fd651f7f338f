"""Is a value that a function cannot use an error of gpusim's, in one line, whatever it is?"""

import math

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import GpusimError
from tests.profile.running import kernel

pytestmark = pytest.mark.usefixtures("compiler")

VALUES = (None, 0, -1, 1.5, math.nan, math.inf, "x", b"x", [], {}, object(), 2**63, True, np.int64(3))
SOURCE = "__global__ void k(int n, float* x) { if (threadIdx.x < n) x[threadIdx.x] = 1; }"


def profiled(grid=1, block=32, args=None, **how):
    return gpusim.profile(kernel(SOURCE), grid, block, [32, np.zeros(32, np.float32)] if args is None else args, **how)


CALLS = {
    "gpu": lambda value: gpusim.predict("copy", value, N=64),
    "cache": lambda value: gpusim.predict("copy", N=64, cache=value),
    "N": lambda value: gpusim.predict("copy", N=value),
    "registers": lambda value: gpusim.predict("copy", N=64, registers=value),
    "limit": lambda value: gpusim.predict("copy", N=64, limit=value),
    "kernels": lambda value: gpusim.predict("copy", N=64, kernels=value),
    "folder of kernels": lambda value: gpusim.predict("copy", N=64, kernels=[value]),
    "timeline": lambda value: gpusim.predict("copy", N=64, timeline=value),
    "arrays": lambda value: gpusim.run("copy", value, N=64),
    "array": lambda value: gpusim.run("copy", {"x": value}, N=64),
    "chain": lambda value: gpusim.predict_chain(value, N=64, d=32),
    "gpu of a chain": lambda value: gpusim.predict_chain("attention-standard", value, H=1, N=32, d=32),
    "chain to run": lambda value: gpusim.run_chain(value, {}),
    "arrays of a chain": lambda value: gpusim.run_chain("attention-standard", value, H=1, N=32, d=32),
    "array of a chain": lambda value: gpusim.run_chain("attention-standard", {"Q": value}, H=1, N=32, d=32),
    "load": lambda value: gpusim.load_gpu(value),
    "kernel of profile": lambda value: gpusim.profile(value, 1, 32, []),
    "grid": lambda value: profiled(grid=value),
    "block": lambda value: profiled(block=value),
    "args": lambda value: profiled(args=value),
    "scalar": lambda value: profiled(args=[value, np.zeros(32, np.float32)]),
    "pointer": lambda value: profiled(args=[32, value]),
    "gpu of profile": lambda value: profiled(gpu=value),
    "dynamic_shared": lambda value: profiled(dynamic_shared=value),
    "limit of profile": lambda value: profiled(limit=value),
    "source": lambda value: cuda.compile(value),
    "gpu of compile": lambda value: cuda.compile(SOURCE, gpu=value),
    "kernel of compile": lambda value: cuda.compile(SOURCE, kernel=value),
    "options": lambda value: cuda.compile(SOURCE, options=value),
    "option": lambda value: cuda.compile(SOURCE, options=[value]),
    "defines": lambda value: cuda.compile(SOURCE, defines=value),
    "include": lambda value: cuda.compile(SOURCE, include=value),
    "folder": lambda value: cuda.compile(SOURCE, include=[value]),
}


LONG = ([1.0] * 1000, "x" * 1000, 10**6000, {n: n for n in range(1000)}, np.ones(1000).astype(str), np.eye(30))
UNFIT = (np.zeros(3, object), np.zeros(3, ">f4"), np.array([1, 2]), np.array(3.0), float, {"x": 1}, {1: 2}, ["x", 5])


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_value_of_another_kind_is_refused_in_a_short_line(call):
    for value in (*VALUES, *LONG, *UNFIT):
        message = refusal(call, value).partition(":\n")[0]  # what a compiler says comes below
        assert "\n" not in message
        assert len(message) < 500 + (len(value) if isinstance(value, str) else 0)  # which may be a path


def refusal(call, value):
    """What gpusim says of a value; nothing where it takes it."""
    try:
        call(value)
    except GpusimError as error:
        return str(error)
    return ""


def test_more_memory_than_there_is_is_an_error_of_both_kinds():
    many = np.lib.stride_tricks.as_strided(np.zeros(1, np.uint8), (1 << 44,), (0,))
    made = kernel("__global__ void f(const unsigned char* x, int* y) { y[0] = x[0]; }")
    for kind in (GpusimError, MemoryError):
        with pytest.raises(kind, match="arrays whose contents matter have 17592186044420 bytes, more than this"):
            gpusim.profile(made, 1, 1, [many, np.zeros(1, np.int32)])


def test_a_source_is_compiled_for_the_gpu_that_every_function_takes_unless_told():
    assert cuda.compile(SOURCE).arch == cuda.compile(SOURCE, gpu=gpusim.load_gpu("h200")).arch == "sm_90"
