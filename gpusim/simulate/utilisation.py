"""How busy every unit is: what the engine booked of it, over the time there was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.hierarchy.servers import BOOKED, ENDED, LINKS, PORTS, SLICES
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state.arrays import Machine
from gpusim.results.figures import SECTOR_BYTES

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu

PIPES = {
    "alu": (S.U_ALU,), "fma": (S.U_FMA, S.U_LITE), "fmaheavy": (S.U_FMA,), "xu": (S.U_XU,), "fp64": (S.U_FP64,),
    "tensor": (S.U_TENSOR,), "fp16": (S.U_FP16,),
}  # fmt: skip
"""Pipes of a scheduler, by Nsight Compute's names, and the units that each is."""

PIPE = "sm__pipe_{}_cycles_active.avg.pct_of_peak_sustained_active"
LAUNCHER = "gpusim__block_launcher_active.pct_of_peak_sustained_elapsed"
FABRIC = "gpusim__l2_fabric_active.pct_of_peak_sustained_elapsed"
"""How busy what hands out blocks is, and what joins the halves of L2: Nsight Compute has no names for them."""


def booked(m: Machine) -> dict[str, float]:
    """Cycles that units were taken, all of a kind together; of ``issue`` and ``lsu`` the instructions."""
    schedulers, servers = m.schedulers.sum(axis=0), m.servers[:, :, BOOKED].sum(axis=1)
    busy = {name: schedulers[[S.UNIT_BUSY + u for u in units]].sum() / S.TICKS for name, units in PIPES.items()}
    busy |= {
        "issue": schedulers[S.ISSUED],
        "lsu": schedulers[S.N_DEPARTED],
        "out": m.sms[:, S.OUT_BUSY].sum() / S.TICKS,
    }
    busy["uniform"] = schedulers[S.UNIT_BUSY + S.U_UNIFORM] / S.TICKS
    planes = {"slices": SLICES, "ports": PORTS, "links": LINKS}
    busy |= {name: servers[plane] / S.TICKS for name, plane in planes.items()}
    return {name: float(cycles) for name, cycles in busy.items()} | {"launcher": float(servers[ENDED]) / S.TICKS}


def utilisation(
    busy: dict[str, float], active: float, elapsed: float, gpu: Gpu, total: np.ndarray
) -> dict[str, tuple[float, str]]:
    """How busy every unit is, in per cent of what it could do, under Nsight Compute's names.

    Parameters
    ----------
    busy : dict of str to float
        As :func:`booked` gives it, for the whole launch.
    active, elapsed : float
        Cycles in which an SM has a warp, mean over all SMs; of the launch.
    gpu : Gpu
    total : float64 array, shape (N_COUNTS,)
        What the launch counts.
    """
    shares = _of_active(busy, gpu, max(active, 1)) | _of_elapsed(busy, gpu, elapsed, total)
    return {name: (min(100 * float(share), 100.0), "%") for name, share in shares.items()}


def _of_active(busy: dict[str, float], gpu: Gpu, active: float) -> dict[str, float]:
    """Issue and pipes, over the time in which SMs have warps."""
    schedulers = gpu.sm_count * gpu.sm.schedulers * gpu.sm.issue_per_scheduler
    halves = 2 if gpu.sm.fp32_lanes > gpu.sm.int32_lanes else 1
    lsu = busy["lsu"] * gpu.sm.lsu_issue_interval_cycles / gpu.sm_count
    return {
        "smsp__issue_active.avg.pct_of_peak_sustained_active": busy["issue"] / schedulers / active,
        "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active": lsu / active,
        "sm__inst_executed_pipe_uniform.avg.pct_of_peak_sustained_active": busy["uniform"] / schedulers / active,
    } | {
        PIPE.format(name): busy[name] / schedulers / (halves if name == "fma" else 1) / active for name in PIPES
    }  # fmt: skip


def dram_taken(total: np.ndarray, gpu: Gpu) -> float:
    """Cycles that device memory takes at its peak for what is read and written."""
    moved = SECTOR_BYTES * (total[C.DRAM_READ] + total[C.DRAM_WRITE])
    return float(moved / gpu.dram_peak_bytes_per_s * gpu.clock.sm_hz)


def _of_elapsed(busy: dict[str, float], gpu: Gpu, elapsed: float, total: np.ndarray) -> dict[str, float]:
    """Memory and what hands out blocks, over the whole time."""
    of_sms = {
        "l1tex__data_pipe_lsu_wavefronts": total[list(C.DATA_STAGE)].sum(),
        "l1tex__t_output_wavefronts": total[list(C.TAG_STAGE)].sum(),
        "l1tex__m_xbar2l1tex_read_sectors": SECTOR_BYTES * (total[C.L2_READ] + total[C.MERGED])
        / gpu.throughput.l2_to_sm_bytes_per_cycle,
        "l1tex__m_l1tex2xbar_req_cycles_active": busy["out"],
    }  # fmt: skip
    shares = {name: cycles / gpu.sm_count for name, cycles in of_sms.items()} | {
        "lts__lts2xbar_cycles_active": busy["ports"] / len(gpu.gpcs),
        "lts__t_sectors": busy["slices"] / gpu.l2.slices,
        "dram__throughput": dram_taken(total, gpu),
    }
    of = {f"{name}.avg.pct_of_peak_sustained_elapsed": share / elapsed for name, share in shares.items()}
    links = gpu.l2.partitions * -(-gpu.l2.slices // gpu.l2.partitions // 2)
    return of | {FABRIC: busy["links"] / links / elapsed, LAUNCHER: busy["launcher"] / elapsed}
