"""Is a value that a function cannot use an error of gpusim's (or a TypeError), whatever it is?"""

import contextlib
import math

import numpy as np
import pytest

import gpusim
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
    "timeline": lambda value: gpusim.predict("copy", N=64, timeline=value),
    "arrays": lambda value: gpusim.run("copy", value, N=64),
    "array": lambda value: gpusim.run("copy", {"x": value}, N=64),
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
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_value_of_another_kind_is_refused(call):
    for value in VALUES:
        with contextlib.suppress(GpusimError, TypeError):
            call(value)


LONG = [
    [1.0] * 1000,
    "x" * 1000,
    10**6000,
    {n: n for n in range(1000)},
    np.ones(1000).astype(str),
    np.eye(30),
]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_long_value_is_shortened_in_the_one_line_that_refuses_it(call):
    for value in LONG:
        message = refusal(call, value)
        assert "\n" not in message
        assert len(message) < 500


def refusal(call, value):
    """What gpusim says of a value; nothing where it takes it, or where it is Python that refuses it."""
    try:
        call(value)
    except GpusimError as error:
        return str(error)
    except TypeError:
        pass
    return ""
