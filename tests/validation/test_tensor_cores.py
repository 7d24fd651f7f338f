"""Products of matrices on tensor cores: cycles here and on an H200."""

import pytest

from calibration.microbenchmarks.tensor_cores import MEASURED, cycles

WITHIN = 0.07
WARPS = (4, 12, 16)
"""Eight, two a scheduler, keep in step here and so lose up to 19 % (t_mma_3); on an H200 they do not."""
OFF = {
    **{("t_mma_k8_1", warps): "a chain of small products" for warps in WARPS},
    ("t_mma_1", 4): "its branch has a stall count of 15, which has most of the branch in it",
    ("t_mma_ldsm", 4): "loads of matrices in between",
}

pytestmark = pytest.mark.usefixtures("measured_compiler")


@pytest.mark.parametrize(("kernel", "warps"), [(kernel, warps) for kernel in MEASURED for warps in WARPS])
def test_products_take_as_long_as_on_silicon(kernel, warps, request):
    if (kernel, warps) in OFF:
        request.applymarker(pytest.mark.xfail(strict=True, reason=OFF[kernel, warps]))
    assert cycles(kernel, warps) == pytest.approx(MEASURED[kernel][str(warps)], rel=WITHIN)
