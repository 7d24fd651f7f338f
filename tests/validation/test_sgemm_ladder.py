"""The SGEMM ladder: right values, and in small the order it has on hardware (docs/ladder.md: the whole of it)."""

import itertools

import numpy as np
import pytest

from calibration import sgemm_ladder

pytestmark = pytest.mark.usefixtures("compiler")
RUNGS = {
    "1 naive": 512, "2 gmem coalescing": 512, "3 smem caching": 512, "4 1D blocktiling": 1024,
    "6 vectorized mem access": 1536, "10 warptiling": 1536,
}  # fmt: skip
"""Steps that differ much, and the size at which each fills the GPU."""


@pytest.mark.parametrize("name", sgemm_ladder.STEPS)
def test_every_step_computes_a_product(name):
    rng, n = np.random.default_rng(0), 256
    A, B, C = (rng.standard_normal((n, n)).astype(np.float32) for _ in range(3))
    want = 2 * A.astype(np.float64) @ B + 3 * C
    sgemm_ladder.run(sgemm_ladder.STEPS[name], n, n, (A, B, C))
    np.testing.assert_allclose(C, want, atol=1e-3)


@pytest.mark.long
def test_every_rung_is_faster_than_the_one_below():
    speeds = [sgemm_ladder.speed(sgemm_ladder.STEPS[name], n, 64) for name, n in RUNGS.items()]
    assert all(slow < fast for slow, fast in itertools.pairwise(speeds)), speeds
