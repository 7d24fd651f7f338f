"""Profiles to lay out, made up rather than simulated."""

from __future__ import annotations

from gpusim.profiles.profile import Profile
from gpusim.results.metric import Claim, Metric
from gpusim.results.traffic import Formula


def tiled_matmul(
    *,
    n: int = 4096,
    tile: int = 32,
    gpu: str = "h200",
    l1_hit: float = 0.03,
    merged: float = 0.22,
    l2_hit: float = 0.26,
    error: float | None = 0.006,
    memory: str = "HBM",
    **changed: float,
) -> Profile:
    """Make a profile of a tiled matmul whose loads are served by each level as told.

    Parameters
    ----------
    n, tile : int
    gpu : str
    l1_hit, merged, l2_hit : float
        Shares of the loaded sectors that L1, merging and L2 serve; HBM serves the rest.
    error : float or None
        Error of the device-memory metrics.
    memory : str
    **changed : float
        Device-memory bytes to put in place of what follows from the shares: ``read``, ``written``; ``dirty``: bytes
        that L2 still holds; ``p90``: of those metrics.
    """
    sectors, stored = 2 * n**3 // tile // 8, n * n // 8
    asked = round(sectors * (1 - l1_hit - merged))
    read = changed.get("read", round(32 * sectors * (1 - l1_hit - merged - l2_hit)))
    limits = {"registers": 2, "shared_mem": 8, "warps": 2, "blocks": 32}
    exact = {
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": sectors // 4,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": sectors,
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": stored // 4,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": stored,
        "lts__t_sectors_srcunit_tex_op_write.sum": stored,
        "lts__t_requests_srcunit_tex_op_write.sum": stored // 4,
        **{f"launch__occupancy_limit_{what}": limit for what, limit in limits.items()},
        "launch__registers_per_thread": 32,
        "launch__waves_per_multiprocessor": (n / tile) ** 2 / 264,
        "sm__maximum_warps_per_active_cycle_pct": 100.0,
        "smsp__inst_executed_op_shared_ld.sum": n**3 // 32 * 2,
        "smsp__inst_executed_op_shared_st.sum": sectors // 4,
    }
    modelled = {
        "smsp__inst_executed.sum": n**3 // 8,
        "smsp__thread_inst_executed.sum": n**3 * 4,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum": round(sectors * l1_hit),
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": n**3 // 32 * 3,
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": 0,
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": 0,
        "lts__t_requests_srcunit_tex_op_read.sum": asked // 4,
        "lts__t_sectors_srcunit_tex_op_read.sum": asked,
        "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum": round(sectors * l2_hit),
        "lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum": asked - round(sectors * l2_hit),
        "lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum": stored,
        "lts__t_sectors_srcunit_tex_op_write_lookup_miss.sum": 0,
        "gpusim__l2_bytes_left_dirty.sum": changed.get("dirty", 0),
        "lts__t_sectors_srcunit_tex_lookup_hit.sum": round(sectors * l2_hit) + stored,
        "lts__t_sectors_srcunit_tex_lookup_miss.sum": asked - round(sectors * l2_hit),
        "dram__bytes_read.sum": read,
        "dram__bytes_write.sum": changed.get("written", 4 * n * n),
    }
    metrics = {name: Metric(value, "unit", Claim.EXACT, 0.0) for name, value in exact.items()}
    metrics |= {
        name: Metric(value, "unit", Claim.EXTRAPOLATED, error, p90=changed.get("p90"))
        for name, value in modelled.items()
    }
    return Profile(
        kernel="matmul-tiled",
        params={"M": n, "N": n, "K": n, "T": tile},
        gpu=gpu,
        grid=(n // tile, n // tile, 1),
        block=(tile * tile, 1, 1),
        metrics=metrics,
        textbook={
            "reads": Formula("global reads", "2MNK/T", 8 * n**3 // tile),
            "writes": Formula("global writes", "MN", 4 * n * n),
            "compulsory": Formula("every input once", "bytes(A) + bytes(B)", 8 * n * n),
        },
        flops=2 * n**3,
        memory=memory,
    )
