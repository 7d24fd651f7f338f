"""Time in words: how long, how sure, and what it is that takes it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gpusim.report.units import format_count, format_seconds, format_share

if TYPE_CHECKING:
    from gpusim.result import Profile

BUSY = 0.6
"""Share of its time that a unit is busy from which it is what binds."""

UNITS = {
    "smsp__issue_active.avg.pct_of_peak_sustained_active": "instruction issue",
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed": "L1 and shared memory's data stage",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": "{memory} bandwidth",
}
"""Metrics of how busy the units are that a kernel may be bound by."""

REASONS = {
    "wait": "fixed latency of arithmetic",
    "short_scoreboard": "latency of shared memory and special functions",
    "long_scoreboard": "latency of L2 and device memory",
    "barrier": "barriers",
    "math_pipe_throttle": "arithmetic pipes",
    "mio_throttle": "the queue to shared memory",
    "lg_throttle": "the queue of global loads and stores",
    "not_selected": "other warps' turns",
    "no_instruction": "instruction fetch",
}
"""What Nsight Compute's stall reasons stand for."""


def duration(profile: Profile) -> str:
    """How long the launch takes, and how far to trust that; empty where nobody knows."""
    if math.isnan(profile.cycles):
        return ""
    claim = profile["gpc__cycles_elapsed.max"].claim_text
    return f"{format_seconds(profile.seconds)}, {format_count(profile.cycles)} cycles ({claim})"


def why(profile: Profile) -> str:
    """What binds the launch: the busiest unit, or what warps wait for most; and achieved occupancy."""
    if math.isnan(profile.cycles):
        return ""
    said = [_bound(profile)]
    if not math.isnan(profile.achieved_occupancy):
        said.append(f"achieved occupancy {format_share(profile.achieved_occupancy)}")
    return "; ".join(said)


def _bound(profile: Profile) -> str:
    busy, unit = max((profile.value(name), unit) for name, unit in UNITS.items())
    waits = {name: value for name, value in profile.stalls.items() if name != "not_selected"}
    most = max(waits, key=lambda name: waits[name])
    share = waits[most] / max(1 + sum(profile.stalls.values()), 1)
    waiting = f"warps wait {format_share(share)} of their time for {REASONS[most]} ({most})"
    if busy >= 100 * BUSY:
        return f"bound by {unit.format(memory=profile.memory)}, {format_share(busy / 100)} busy; {waiting}"
    return f"bound by latency; {waiting}"
