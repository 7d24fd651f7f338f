"""What a timed run says about time: cycles, occupancy, why warps waited."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state.arrays import Machine
from gpusim.hardware.clocks import slowed
from gpusim.isa.by_identity import by_identity
from gpusim.isa.opcode_info import Pipe
from gpusim.results.metric import CYCLES, DURATION, STALL_REASON, STALL_SHARE, Claim, Metric
from gpusim.simulate.utilisation import booked, utilisation

if TYPE_CHECKING:
    from gpusim.hardware.generation import Launching
    from gpusim.hardware.spec import Gpu
    from gpusim.isa.program import Program

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
    S.BY_PRODUCT: "gmma",
}
"""Nsight Compute's names of the reasons why a warp does not issue."""


@by_identity(2)
def clocked(gpu: Gpu, program: Program) -> Gpu:
    """Give a GPU at the clock at which it runs a program: a lower one where tensor cores work, if that was measured."""
    hz = gpu.clock.tensor_load_hz
    loaded = any(i.op.info.pipe is Pipe.TENSOR for i in program.instrs)
    if hz is None or not loaded:
        return gpu
    return slowed(gpu, min(hz, gpu.clock.sm_hz))


@dataclass(frozen=True)
class Timing:
    """Time of a whole launch.

    Attributes
    ----------
    cycles : float
        Of the SM clock, from the start of the launch to its end.
    active : float
        Cycles in which an SM has a warp, mean over all SMs.
    longest : float
        The same of the SM that has one for longest.
    warps : float or None
        Warps an SM holds while it has any, on average; None where only a stretch was run.
    stalls : dict of str to float
        Warps that wait, for each reason, in the average cycle in which a scheduler issues.
    booked : dict of str to float
        See :func:`gpusim.simulate.utilisation.booked`.
    """

    cycles: float
    active: float
    longest: float
    warps: float | None
    stalls: dict[str, float]
    booked: dict[str, float]


def timing(m: Machine, launching: Launching) -> Timing:
    """Read the clocks of a machine that has run a launch."""
    ran = m.sms[:, S.LAST_END] > 0
    each = m.sms[ran, S.LAST_END] - m.sms[ran, S.FIRST_AT]
    active = float(each.sum())
    stores = m.counts[:, (C.ST_REQ, C.RED_REQ, C.ATOM_REQ, C.LOCAL_ST_REQ)].any()
    return Timing(
        cycles=int(m.misc[S.END]) / S.TICKS + launching.overhead_cycles + launching.stores_done_cycles * stores,
        active=active / S.TICKS / len(m.sms),
        longest=float(each.max(initial=0)) / S.TICKS,
        warps=float(m.sms[:, S.WARP_TICKS].sum()) / max(active, 1),
        stalls=waits(m.schedulers),
        booked=booked(m),
    )


def waits(parts: np.ndarray) -> dict[str, float]:
    """Warps that wait for each reason, from what the schedulers noted."""
    stalled = parts[:, S.STALLED : S.STALLED + len(REASONS)].sum(axis=0) / S.TICKS
    return {name: float(stalled[k]) / max(float(parts[:, S.ISSUED].sum()), 1) for k, name in REASONS.items()}


def settling_hz(found: Timing, gpu: Gpu) -> float:
    """Clock of the SMs over a launch, on average: the more of it warpgroups' products take, the lower it settles.

    Parameters
    ----------
    found : Timing
    gpu : Gpu
        As :func:`clocked` gives it.
    """
    begins, full, settle = gpu.clock.sm_hz, gpu.clock.tensor_full_hz, gpu.clock.tensor_settle_s
    if full is None or settle is None:
        return begins
    busy = found.booked["tensor"] / (gpu.sm_count * gpu.sm.schedulers) / found.cycles
    settles = begins - max(begins - full, 0) * min(busy, 1)
    times = found.cycles / begins / settle
    return settles - (begins - settles) * math.expm1(-times) / times


def time_metrics(found: Timing, gpu: Gpu, *, sampled: bool, total: np.ndarray) -> dict[str, Metric]:
    """The metrics of time, under Nsight Compute's names.

    Parameters
    ----------
    found : Timing
    gpu : Gpu
    sampled : bool
        Whether a stretch stands for the launch.
    total : float64 array, shape (N_COUNTS,)
        What the launch counts.
    """
    warps = 1 + math.fsum(found.stalls.values())  # in the average cycle in which one of them issues
    hz = settling_hz(found, gpu) if total[C.INST_WARPGROUP] else gpu.clock.sm_hz
    values: dict[str, tuple[float, str]] = {
        CYCLES: (round(found.cycles), "cycle"),
        DURATION: (found.cycles / hz, "s"),
        "sm__cycles_active.avg": (round(found.active), "cycle"),
        "sm__cycles_active.max": (round(found.longest), "cycle"),
        **utilisation(found.booked, found.active, found.cycles, gpu, total),
        **{STALL_REASON.format(name): (value, "warp") for name, value in found.stalls.items()},
        **{STALL_SHARE.format(name): (100 * value / warps, "%") for name, value in found.stalls.items()},
    }
    if found.warps is not None:
        values["sm__warps_active.avg.pct_of_peak_sustained_active"] = 100 * found.warps / gpu.sm.max_warps, "%"
    calibrated = Claim.CALIBRATED if gpu.measured else Claim.MODELLED
    claim = Claim.EXTRAPOLATED if sampled else calibrated
    return {name: Metric(v, unit, claim) for name, (v, unit) in values.items()}
