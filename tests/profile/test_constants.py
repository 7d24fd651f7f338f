"""Loads of constants at computed addresses: they take their time, whether what they load matters or not."""

import numpy as np
import pytest

import gpusim
from gpusim import cuda

SOURCE = """
__constant__ float table[4096];
extern "C" __global__ void look_up(const int *x, float *y) {
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += table[(x[threadIdx.x] + 32 * k) % 4096];
    y[threadIdx.x] = sum;
}
"""


@pytest.mark.slow
def test_time_is_that_of_the_lines_whether_values_are_asked_for_or_not(tmp_path):
    (tmp_path / "look_up.cu").write_text(SOURCE)
    kernel = cuda.compile(tmp_path / "look_up.cu", gpu="h200").kernel()
    near, far = np.zeros(32, np.int32), np.arange(32, dtype=np.int32) * 16 % 4096
    taken = {
        (name, values): gpusim.profile(kernel, 1, 32, [x, np.zeros(32, np.float32)], gpu="h200", values=values).cycles
        for name, x in (("near", near), ("far", far))
        for values in (False, True)
    }
    assert taken["far", True] > 1.3 * taken["near", True]
    for name in ("near", "far"):
        assert taken[name, False] == pytest.approx(taken[name, True], rel=0.02)
