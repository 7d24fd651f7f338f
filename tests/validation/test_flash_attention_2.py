"""FlashAttention-2 on tensor cores, written by hand: counters here and on an H200."""

import pytest

from calibration import bench, flash_attention_2

LAUNCHES = {row["kernel"]: row for row in bench.table("flash_mma")["launches"] if row["kernel"].endswith("causal")}
"""The two that are soonest run."""
EXACT = (
    "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_ldgsts.sum", "smsp__inst_executed_op_ldsm.sum",
    "launch__registers_per_thread",
)  # fmt: skip

pytestmark = pytest.mark.usefixtures("measured_compiler")


@pytest.mark.parametrize("name", LAUNCHES)
def test_counters_are_those_of_silicon(name):
    row = LAUNCHES[name]
    found = flash_attention_2.run(name, row["N"], row["heads"], "h200")
    measured = row["metrics"]
    assert {name: found.value(name) for name in EXACT} == {name: measured[name] for name in EXACT}
    shared = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
    assert found.value(shared) == pytest.approx(measured[shared], rel=0.01)
    assert found.dram_bytes_read == pytest.approx(measured["dram__bytes_read.sum"], rel=0.005)
    assert found.cycles == pytest.approx(measured["gpc__cycles_elapsed.max"], rel=0.12)


def test_the_page_holds_what_is_published_and_measured_beside_what_is_predicted():
    theirs = flash_attention_2.published("h100-sxm")
    assert set(theirs) == set(flash_attention_2.SHAPES)
    rates = {gpu: dict.fromkeys(shapes, 300.0) for gpu, shapes in flash_attention_2.PREDICTED.items()}
    text = flash_attention_2.part(rates, dict.fromkeys(flash_attention_2.SHAPES, 1e6))
    assert "| 64 | no | 16384 | 324 | 339 | 1815 | 300 | -7.4% | -11.6% |" in text
    assert "| 64 | no | 512 | 132 | 300 | 2.27 |" in text
    assert "| 64 | no | 512 | 422618 | 1000000 | +136.6% |" in text
