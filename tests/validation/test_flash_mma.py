"""FlashAttention-2 on tensor cores, written by hand: counters here and on an H200."""

import numpy as np
import pytest

from gpusim import catalog, cuda
from gpusim.profiling import profile
from tests.validation import bench
from tests.validation.test_emitted import other_compiler

LAUNCHES = {row["kernel"]: row for row in bench.table("flash_mma")["launches"] if row["kernel"].endswith("causal")}
"""The two that are soonest run."""
SHARED = {64: 16384 + 4 * 8192, 128: 32768 + 3 * 16384}  # bytes a block, by head dimension
EXACT = (
    "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_ldgsts.sum", "smsp__inst_executed_op_ldsm.sum",
    "launch__registers_per_thread",
)  # fmt: skip

pytestmark = pytest.mark.skipif(bool(other_compiler()), reason=other_compiler())


@pytest.mark.parametrize("name", LAUNCHES)
def test_counters_are_those_of_silicon(name):
    row = LAUNCHES[name]
    N, heads, d = row["N"], row["heads"], 128 if "128" in name else 64
    kernel = cuda.compile(catalog.builtin_folder() / "flash_attention_2_mma.cu", gpu="h200").kernel(name)
    halves = [np.zeros((heads, N, d), np.float16) for _ in range(4)]
    args = [np.int32(N), np.float32(d**-0.5), *halves, np.zeros((heads, N), np.float32)]
    found = profile(kernel, (-(-N // 128), heads), 128, args, dynamic_shared=SHARED[d], values=False)
    measured = row["metrics"]
    assert {name: found.value(name) for name in EXACT} == {name: measured[name] for name in EXACT}
    shared = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
    assert found.value(shared) == pytest.approx(measured[shared], rel=0.01)
    assert found.dram_bytes_read == pytest.approx(measured["dram__bytes_read.sum"], rel=0.005)
    assert found.cycles == pytest.approx(measured["gpc__cycles_elapsed.max"], rel=0.15)
