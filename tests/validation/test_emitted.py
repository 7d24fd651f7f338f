"""Emitted CUDA of the catalogue on an H200: its counters, its machine code here, and the direct lowering."""

from importlib.util import find_spec

import pytest

import gpusim
from tests.validation import emitted

COMPILER = "13.0"
"""Release of NVRTC that the measured machine code is from."""
WRITTEN_IN_PART = {"store-strided", "transpose-naive"}
"""What L2 fetches for sectors written in part is right to a few per cent (docs/validation.md, 8)."""
LONGEST = 5e6  # warp instructions; more take longer than a test should
ASKED = [f"l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum" for what in ("requests", "sectors") for op in ("ld", "st")]
EXECUTED = [
    "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "smsp__thread_inst_executed_pred_on.sum",
    "smsp__inst_executed_op_global_ld.sum", "smsp__inst_executed_op_global_st.sum",
    "smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_st.sum",
    "smsp__sass_inst_executed_op_branch.sum", "launch__registers_per_thread", "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps", "launch__occupancy_limit_blocks",
]  # fmt: skip


def name(launch):
    return "-".join([launch["kernel"], *(f"{k}{v}" for k, v in launch["params"].items())])


SMALL = pytest.mark.parametrize(
    "launch", [m for m in emitted.launches() if m["metrics"]["smsp__inst_executed.sum"] <= LONGEST], ids=name
)


def differing(profile, launch, metrics):
    """Metrics that are not as measured."""
    return {m: (profile.value(m), launch["metrics"][m]) for m in metrics if profile.value(m) != launch["metrics"][m]}


@pytest.mark.slow
@SMALL
def test_the_description_asks_for_what_silicon_counted(launch):
    profile = gpusim.predict(launch["kernel"], gpu="h200", sample=False, **launch["params"])
    assert differing(profile, launch, ASKED) == {}
    close = 0.05 if launch["kernel"] in WRITTEN_IN_PART else 0.01
    assert profile.dram_bytes_read == pytest.approx(launch["metrics"]["dram__bytes_read.sum"], rel=close, abs=1.3e6)


def machine_code(launch):
    """Profile of the emitted source's machine code."""
    kernel, spec = emitted.compiled(launch)
    args = spec.draw(kernel)  # of zeros alone a division would take its slow path
    return gpusim.profile(kernel, spec.grid, spec.block, args, gpu="h200", values=False, sample=False)


def other_compiler():
    if find_spec("nvidia.cu13") is None:
        return "needs the extra cuda"
    from gpusim.cuda import nvrtc

    return "" if COMPILER in nvrtc.identity() else f"measured with NVRTC {COMPILER}"


@pytest.mark.slow
@pytest.mark.skipif(bool(other_compiler()), reason=other_compiler())
@SMALL
def test_machine_code_executes_what_silicon_executed(launch):
    profile = machine_code(launch)
    assert differing(profile, launch, ASKED + EXECUTED) == {}
    waves = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"  # hardware repeats some that meet data from L2
    assert profile.value(waves) == pytest.approx(launch["metrics"][waves], rel=0.04, abs=0)
