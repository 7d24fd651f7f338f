"""Unit counts and rates of the specification beside the peak rates that Nsight Compute knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from calibration import bench
from gpusim import hardware

PEAKS = bench.table("peaks")["peaks"]
OURS: dict[str, tuple[str, Callable[[hardware.Gpu], float]]] = {
    "smsp__inst_issued.sum": ("1/cycle", lambda g: g.sm_count * g.sm.schedulers * g.sm.issue_per_scheduler),
    "sm__inst_executed_pipe_fma.avg": ("1/cycle", lambda g: g.sm.fp32_lanes / 32),
    "sm__inst_executed_pipe_alu.avg": ("1/cycle", lambda g: g.sm.int32_lanes / 32),
    "sm__inst_executed_pipe_xu.avg": ("1/cycle", lambda g: g.sm.mufu_lanes / 32),
    "sm__inst_executed_pipe_lsu.avg": ("1/cycle", lambda g: 1 / g.sm.lsu_issue_interval_cycles),
    "l1tex__m_xbar2l1tex_read_bytes.avg": ("byte/cycle", lambda g: g.throughput.l2_to_sm_bytes_per_cycle),
    "l1tex__m_l1tex2xbar_write_bytes.avg": ("byte/cycle", lambda g: g.throughput.sm_to_l2_bytes_per_cycle),
    "lts__t_requests.sum": ("1/cycle", lambda g: g.l2.slices),
    "lts__t_bytes.avg": ("byte/cycle", lambda g: g.l2.slice_bytes_per_cycle),
    "dram__bytes.sum": ("byte/cycle", lambda g: g.dram_peak_bytes_per_s / g.clock.memory_hz),
}


def cases() -> Iterator[bench.Case]:
    """Each rate; nothing is run for these."""
    gpu = hardware.load(bench.GPU)
    for name, (unit, ours) in OURS.items():
        yield bench.Case("peak rates", name, unit, PEAKS[f"{name}.peak_sustained"], lambda ours=ours: ours(gpu))
