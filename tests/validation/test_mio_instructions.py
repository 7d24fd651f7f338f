"""Exponentials, shuffles and loads of matrices, alone and beside tensor cores: cycles here and on an H200."""

import pytest

from calibration.microbenchmarks.mio_instructions import MEASURED, cycles

WITHIN = 0.08
WARPS = (4, 8, 12, 16)
OFF = {
    ("ex2_shfl", 8): "two warps a scheduler keep in step",
    ("ldsm1", 8): "two warps a scheduler keep in step",
    ("ldsm2", 4): "a scheduler alone is slower than the data stage",
    ("mma_ldsm4", 4): "10 % fast by a warp a scheduler, why is not known",
    **{("mma_shfl", warps): "shuffles hold up tensor cores, too" for warps in (12, 16)},
    ("mma2_shfl", 16): "shuffles hold up tensor cores, too",
}

pytestmark = pytest.mark.usefixtures("measured_compiler")


@pytest.mark.parametrize(("kernel", "warps"), [(kernel, warps) for kernel in MEASURED for warps in WARPS])
def test_a_round_takes_as_long_as_on_silicon(kernel, warps, request):
    if (kernel, warps) in OFF:
        request.applymarker(pytest.mark.xfail(strict=True, reason=OFF[kernel, warps]))
    assert cycles(kernel, warps) == pytest.approx(MEASURED[kernel][str(warps)], rel=WITHIN)
