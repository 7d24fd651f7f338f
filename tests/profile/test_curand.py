"""Do curand's device functions draw what the generator is defined to draw?

Source: Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003), for XORWOW; how a seed becomes its state,
and a word a number: curand's documentation and its header of CUDA 13.0.
"""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from tests.profile.running import kernel

pytestmark = pytest.mark.usefixtures("compiler")

TEXT = """
#include <curand_kernel.h>
__global__ void k(float *uniform, unsigned *words, unsigned long long seed) {
    curandState s;
    curand_init(seed, 0, threadIdx.x, &s);
    uniform[threadIdx.x] = curand_uniform(&s);
    words[threadIdx.x] = curand(&s);
}
"""
FULL = 0xFFFFFFFF


def xorwow(seed: int):
    """Words of the generator, from the beginning of its first sequence."""
    low, high = (seed & FULL) ^ 0xAAD26B49, (seed >> 32) ^ 0xF7DCEFDD
    t0, t1 = 1099087573 * low & FULL, 2591861531 * high & FULL
    v = [123456789 + t0 & FULL, 362436069 ^ t0, 521288629 + t1 & FULL, 88675123 ^ t1, 5783321 + t0 & FULL]
    d = 6615241 + t1 + t0
    while True:
        t = v[0] ^ v[0] >> 2
        v = [*v[1:], (v[4] ^ v[4] << 4 ^ t ^ t << 1) & FULL]
        d += 362437
        yield v[4] + d & FULL


@pytest.mark.parametrize("gpu", ["h200", "a100-40gb"])
def test_threads_draw_the_numbers_of_a_sequence(gpu):
    try:
        compiled = kernel(TEXT, gpu=gpu)
    except cuda.MissingToolError as error:
        pytest.skip(str(error))
    uniform, words = np.zeros(64, np.float32), np.zeros(64, np.uint32)
    gpusim.profile(compiled, 1, 64, [uniform, words, np.uint64(0x123456789)], gpu=gpu)
    drawn = np.array(list(islice(xorwow(0x123456789), 65)), np.uint32)
    assert np.array_equal(words, drawn[1:])
    assert np.array_equal(uniform, drawn[:64].astype(np.float32) * np.float32(2**-32) + np.float32(2**-33))
