"""Kernels that find pointers in arrays: a front end with addresses of its own says where what they lead to lies."""

import numpy as np
import pytest

from gpusim import cuda, hardware
from gpusim.engine.state.columns import GLOBAL_BASE
from gpusim.errors import GpusimError
from gpusim.frontends.addresses import Memory, Places, locate
from gpusim.frontends.cuda import work
from gpusim.isa.array_use import arrays_written
from gpusim.simulate.execution import execute
from gpusim.simulate.guard import fitting
from gpusim.simulate.prediction import predict
from gpusim.simulate.work import How

pytestmark = pytest.mark.usefixtures("compiler")

SOURCE = """
__global__ void through(float* const* pointers, const int* chosen, float* out) {
    float* x = pointers[chosen[blockIdx.x]];
    out[blockIdx.x * blockDim.x + threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] += 1;
}
"""
FIRST = int(GLOBAL_BASE) + 4096


def launch(besides, chosen):
    gpu = hardware.load("h200")
    addresses = [FIRST + 8192 * (1 + k) for k in range(len(besides) + 3)]
    pointers, out = np.array(addresses[3 : 3 + len(besides)], np.uint64), np.zeros(32 * len(chosen), np.float32)
    elsewhere = {f"array {k}": (addresses[3 + k], array) for k, array in enumerate(besides)}
    asked = work(
        cuda.compile(SOURCE, gpu="h200").kernel(), gpu, len(chosen), 32, [pointers, np.array(chosen, np.int32), out],
        places=Places(addresses[:3], elsewhere),
    )  # fmt: skip
    return asked, gpu, out


def test_values_and_counts_are_of_what_pointers_lead_to():
    arrays = [np.arange(32, dtype=np.float32) + 100 * k for k in range(3)]
    asked, gpu, out = launch(arrays, [2, 0])
    profile = predict([asked], gpu, How())[0]
    assert profile.global_store_bytes == 2 * 2 * 128
    asked.take(execute(asked.launch, gpu, fitting(asked.launch, gpu, "through"), checked=False))
    np.testing.assert_array_equal(out, np.concatenate([np.arange(32) + 200, np.arange(32)]))
    np.testing.assert_array_equal(arrays[2], np.arange(32) + 201)
    np.testing.assert_array_equal(arrays[1], np.arange(32) + 100)


def test_an_access_beyond_such_an_array_names_it():
    asked, gpu, _ = launch([np.zeros(16, np.float32)], [0])
    with pytest.raises(GpusimError, match=r"past the end of array 0 \(64 bytes"):
        predict([asked], gpu, How())


def test_what_a_program_writes_is_known_by_parameter_or_not_at_all():
    source = """
    extern "C" __global__ void sums(const float* a, const float* b, float* c, float* d) {
        c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
        if (a[0] > 0) atomicAdd(d, b[0]);
    }
    """
    sums = cuda.compile(source, gpu="h200").kernel().program()
    assert arrays_written(sums, "abcd") == {"c", "d"}
    through = cuda.compile(SOURCE, gpu="h200").kernel().program()
    assert arrays_written(through, ["pointers", "chosen", "out"]) is None


def test_an_address_is_given_anew_when_its_array_is_gone():
    memory = Memory()

    def placed(array):
        found = locate(array)
        return memory.place(found.owner, len(found.memory)).first + found.offset

    x, y = np.zeros(100), np.zeros(100)
    first, second = placed(x), placed(y)
    assert placed(x[10:]) == first + 80
    assert second >= first + x.nbytes + 1
    del x
    z = np.zeros(100)
    assert placed(z) == first
    assert placed(y) == second
