"""Copies from global to shared memory past L1: what L1 looks up, and what L2 is asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda

BLOCKS, ROWS, ROW = 64, 256, 512


@pytest.mark.parametrize(("pitch", "requests"), [(512, 4), (512 + 64, 6)], ids=["aligned", "every other one by halves"])
def test_each_pair_of_a_source_line_and_a_line_of_shared_memory_is_a_request(pitch, requests):
    """Neighbouring rows have halves of lines in common, and these are asked for apart, too."""
    kernel = cuda.compile(Path(__file__).parent / "copies.cu", gpu="h100-sxm").kernel()
    x, y = np.arange(ROWS * pitch // 4, dtype="f4"), np.zeros((BLOCKS, 128), "f4")
    found = gpusim.profile(kernel, BLOCKS, 128, [x, y, np.int32(pitch // 4)])
    np.testing.assert_array_equal(y.reshape(ROWS, 32), x.reshape(ROWS, -1)[:, : ROW // 4 : 4])
    stores = ROWS
    assert found.value("l1tex__t_set_accesses.sum") == requests * ROWS + stores
    assert found.value("lts__t_requests_srcunit_tex_op_read.sum") == requests * ROWS
    assert found.value("lts__t_sectors_srcunit_tex_op_read.sum") == ROWS * ROW // 32
