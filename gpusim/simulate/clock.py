"""What a timed run says about time: cycles, occupancy, why warps waited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine import counts as C
from gpusim.engine import state as S
from gpusim.result import SECTOR_BYTES, STALL_REASON, Claim, Metric
from gpusim.simulate.measured import LAUNCH_CYCLES, STORES_DONE_CYCLES

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu

REASONS = {
    S.BY_COUNT: "wait",
    S.BY_SHORT: "short_scoreboard",
    S.BY_LONG: "long_scoreboard",
    S.BY_BARRIER: "barrier",
    S.BY_PIPE: "math_pipe_throttle",
    S.BY_MIO: "mio_throttle",
    S.BY_LG: "lg_throttle",
    S.BY_OTHERS: "not_selected",
    S.BY_FETCH: "no_instruction",
}
"""Nsight Compute's names of the reasons why a warp does not issue."""

DATA_STAGE = (
    C.LD_WAVES, C.ST_WAVES, C.SH_LD_WAVES, C.SH_ST_WAVES, C.SH_OTHER_WAVES, C.SH_ASYNC_WAVES, C.LOCAL_WAVES,
)  # fmt: skip
"""Columns of counts that are wavefronts of L1's data stage."""


@dataclass(frozen=True)
class Timing:
    """Time of a whole launch.

    Attributes
    ----------
    cycles : float
        Of the SM clock, from the start of the launch to its end.
    active : float
        Cycles in which an SM has a warp, mean over all SMs.
    warps : float or None
        Warps an SM holds while it has any, on average; None where only a stretch was run.
    issued : float
        Cycles in which a scheduler issues, over all.
    stalls : dict of str to float
        Warps that wait, for each reason, in the average cycle in which a scheduler issues.
    """

    cycles: float
    active: float
    warps: float | None
    issued: float
    stalls: dict[str, float]


def timing(m: S.Machine) -> Timing:
    """Read the clocks of a machine that has run a launch."""
    ran = m.sms[:, S.LAST_END] > 0
    active = float((m.sms[ran, S.LAST_END] - m.sms[ran, S.FIRST_AT]).sum())
    issued = float(m.parts[:, S.ISSUED].sum())
    stores = m.counts[:, (C.ST_REQ, C.RED_REQ, C.ATOM_REQ, C.LOCAL_ST_REQ)].any()
    return Timing(
        cycles=int(m.misc[S.END]) / S.TICKS + LAUNCH_CYCLES + STORES_DONE_CYCLES * stores,
        active=active / S.TICKS / len(m.sms),
        warps=float(m.sms[:, S.WARP_TICKS].sum()) / max(active, 1),
        issued=issued,
        stalls=waits(m.parts),
    )


def waits(parts: np.ndarray) -> dict[str, float]:
    """Warps that wait for each reason, from what the schedulers noted."""
    stalled = parts[:, S.STALLED : S.STALLED + len(REASONS)].sum(axis=0) / S.TICKS
    return {name: float(stalled[k]) / max(float(parts[:, S.ISSUED].sum()), 1) for k, name in REASONS.items()}


def time_metrics(
    found: Timing, gpu: Gpu, errors: dict[str, float], *, sampled: bool, total: np.ndarray
) -> dict[str, Metric]:
    """The metrics of time, under Nsight Compute's names.

    Parameters
    ----------
    found : Timing
    gpu : Gpu
    errors : dict of str to float
        Validation error of each metric, where it was measured.
    sampled : bool
        Whether a stretch stands for the launch.
    total : float64 array, shape (N_COUNTS,)
        What the launch counts.
    """
    values: dict[str, tuple[float, str]] = {
        "gpc__cycles_elapsed.max": (round(found.cycles), "cycle"),
        "gpu__time_duration.sum": (found.cycles / gpu.clock.sm_hz, "s"),
        "sm__cycles_active.avg": (round(found.active), "cycle"),
        **busy(found, gpu, total),
        **{STALL_REASON.format(name): (value, "warp") for name, value in found.stalls.items()},
    }
    if found.warps is not None:
        values["sm__warps_active.avg.pct_of_peak_sustained_active"] = 100 * found.warps / gpu.sm.max_warps, "%"
    calibrated = Claim.CALIBRATED if gpu.measured else Claim.MODELLED
    claim = Claim.EXTRAPOLATED if sampled else calibrated
    return {name: Metric(v, unit, claim, errors.get(name)) for name, (v, unit) in values.items()}


def busy(found: Timing, gpu: Gpu, total: np.ndarray) -> dict[str, tuple[float, str]]:
    """How busy units are that a launch may be bound by, in per cent of what they could do."""
    moved = SECTOR_BYTES * float(total[C.DRAM_READ] + total[C.DRAM_WRITE])
    waves = float(total[list(DATA_STAGE)].sum())
    schedulers = gpu.sm_count * gpu.sm.schedulers * gpu.sm.issue_per_scheduler
    shares = {
        "smsp__issue_active.avg.pct_of_peak_sustained_active": found.issued / schedulers / max(found.active, 1),
        "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed": waves / gpu.sm_count / found.cycles,
        "dram__throughput.avg.pct_of_peak_sustained_elapsed": moved
        / (gpu.dram.peak_bytes_per_s * found.cycles / gpu.clock.sm_hz),
    }
    return {name: (100 * share, "%") for name, share in shares.items()}
