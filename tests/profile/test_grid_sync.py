"""Do blocks of a cooperative launch wait for one another?"""

from __future__ import annotations

import numpy as np
import pytest

from gpusim.errors import ParameterError
from tests.profile.running import run

pytestmark = pytest.mark.usefixtures("compiler")

REVERSED = """
#include <cooperative_groups.h>
__global__ void k(int *a, int *b, int rounds) {
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; ++r) {
        a[i] = i + r;
        cooperative_groups::this_grid().sync();
        b[i] += a[n - 1 - i];
        cooperative_groups::this_grid().sync();
    }
}
"""


@pytest.mark.parametrize("blocks", [1, 5, 264])
def test_every_block_sees_what_all_wrote_before(blocks):
    n = 64 * blocks
    a, b = np.zeros(n, np.int32), np.zeros(n, np.int32)
    run(REVERSED, blocks, 64, a, b, 3)
    assert b.tolist() == [3 * i + 3 for i in range(n)][::-1]


def test_a_grid_that_does_not_fit_is_refused():
    x = np.zeros(1, np.int32)
    with pytest.raises(ParameterError) as refused:
        run(REVERSED, 300, 1024, x, x, 1)
    assert "k: a grid of 300 blocks" in str(refused.value)
    assert "h200 holds 264 at once" in str(refused.value)
