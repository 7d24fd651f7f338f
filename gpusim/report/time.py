"""Time in words: how long, how sure, and what it is that takes it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from gpusim.report.busy import ISSUE, Busy, ranked
from gpusim.report.claims import INTERVAL
from gpusim.report.units import NOTHING, format_count, format_seconds, format_share
from gpusim.results.metric import CYCLES, DURATION, STALL_SHARE

if TYPE_CHECKING:
    from gpusim.results.figures import Figures
    from gpusim.results.metric import Metric

BUSY = 0.6
"""Share of its time that a unit is busy from which it is what binds."""

LAUNCHING = 0.5
"""Share of the time before the first block and after the last one from which that is what binds."""

MOSTLY = 0.9
"""Share of what is issued that a pipe takes from which the pipe is what binds, not issue."""

TAIL = 0.3
"""Share of the SMs' time, from the first block's start to the last one's end, without a warp, from which it binds."""

REASONS = {
    "wait": ("latency", "fixed latency of arithmetic"),
    "short_scoreboard": ("latency", "latency of shared memory and special functions"),
    "long_scoreboard": ("latency", "latency of L2 and device memory"),
    "barrier": ("barrier", "barriers"),
    "math_pipe_throttle": ("compute", "arithmetic pipes"),
    "mio_throttle": ("memory", "the queue to shared memory"),
    "lg_throttle": ("memory", "the queue of global loads and stores"),
    "not_selected": ("compute", "other warps' turns"),
    "no_instruction": ("latency", "instruction fetch"),
    "gmma": ("compute", "products of matrices by warpgroups"),
}
"""What Nsight Compute's stall reasons stand for: what binds a launch whose warps wait for it, and in words."""


class Verdict(NamedTuple):
    """What binds a launch: ``compute``, ``memory``, ``latency``, ``barrier``, ``tail`` or ``launch``; and why."""

    kind: str
    text: str


class _Waits(NamedTuple):
    """What warps wait for most, and the share of their time that they do."""

    reason: str
    share: float
    error: str

    def __str__(self) -> str:
        name = f"{self.reason} {self.error}".rstrip()
        return f"warps wait {format_share(self.share)} of their time for {REASONS[self.reason][1]} ({name})"


def duration(profile: Figures) -> str:
    """How long the launch takes, and how far to trust that; empty where nobody knows."""
    if math.isnan(profile.cycles):
        return ""
    metric = profile[CYCLES]
    of = metric.interval
    trust = f"{INTERVAL}: {format_count(of.low)} to {format_count(of.high)}" if of else metric.claim_text
    return f"{format_seconds(profile.seconds)}, {format_count(profile.cycles)} cycles ({trust})"


def interval(profile: Figures) -> str:
    """Between what the launch's time lies, as a table shows it; nothing where no interval is known."""
    metric = profile.metrics.get(DURATION)
    if metric is None or metric.interval is None:
        return NOTHING
    low, high = format_seconds(metric.interval.low), format_seconds(metric.interval.high)
    unit = high.rpartition(" ")[2]
    return f"{low.removesuffix(f' {unit}')} to {high}"


def why(profile: Figures) -> str:
    """What binds the launch, and achieved occupancy; empty where nobody knows."""
    found = verdict(profile)
    said = [f"bound by {found.text}"] if found else []
    if found and not math.isnan(profile.achieved_occupancy):
        said.append(f"achieved occupancy {format_share(profile.achieved_occupancy)}")
    return "; ".join(said)


def bound_by(profile: Figures) -> str:
    """What binds the launch, in one word; empty where nobody knows."""
    found = verdict(profile)
    return found.kind if found else ""


def verdict(profile: Figures) -> Verdict | None:
    """What binds the launch; None where nobody knows.

    In this order: the launch itself, a unit of the whole GPU, a tail in which SMs have nothing to do, the busiest unit
    of the SMs, and what warps wait for.
    """
    units, waits = ranked(profile), _waits(profile)
    if math.isnan(profile.cycles) or not units or waits is None:
        return None
    steps = (_launching(profile), _unit([u for u in units if not u.unit.of_active], waits), _tail(profile, units))
    return next(filter(None, (*steps, _unit(units, waits))), _waiting(waits, units[0]))


def _waits(profile: Figures) -> _Waits | None:
    """Turns of other warps bind nothing: a warp that could issue waits for them."""
    waits = {name: share for name, share in profile.stall_shares.items() if name != "not_selected"}
    if not waits:
        return None
    most = max(waits, key=lambda name: waits[name])
    metric = profile.metrics.get(STALL_SHARE.format(most))
    return _Waits(most, waits[most], metric.error_text if metric is not None else "")


def waiting_metric(profile: Figures) -> Metric | None:
    """The metric of what warps wait for most, where its error is known."""
    waits = _waits(profile)
    metric = profile.metrics.get(STALL_SHARE.format(waits.reason)) if waits is not None else None
    return metric if metric is not None and metric.error is not None else None


def _launching(profile: Figures) -> Verdict | None:
    share = 1 - profile.value("sm__cycles_active.max") / profile.cycles
    if not share >= LAUNCHING:
        return None
    said = f"the launch: {format_share(share)} of the time no SM has work, before the first block and after the last"
    return Verdict("launch", said)


def _busiest(units: list[Busy]) -> Busy | None:
    """The busiest unit; issue gives way to a pipe that most of what is issued goes to."""
    return max(units, key=lambda u: u.share * (MOSTLY if u.unit.name == ISSUE else 1), default=None)


def _unit(units: list[Busy], waits: _Waits) -> Verdict | None:
    busiest = _busiest(units)
    if busiest is None or busiest.share < BUSY:
        return None
    kind = busiest.unit.kind
    what = "the launch" if kind == "launch" else kind
    return Verdict(kind, f"{what} ({busiest.name}, {busiest}); {waits}")


def _tail(profile: Figures, units: list[Busy]) -> Verdict | None:
    share = 1 - profile.value("sm__cycles_active.avg") / profile.value("sm__cycles_active.max")
    if not share >= TAIL:
        return None
    of_sms = _busiest([u for u in units if u.unit.of_active])
    rest = f"; while they have any, no unit is over {format_share(of_sms.share)} busy ({of_sms.name})" if of_sms else ""
    waves = f" ({profile.waves:.3g} waves)" if math.isfinite(profile.waves) else ""
    what = "too few blocks" if profile.waves < 1 else "the tail"
    return Verdict("tail", f"{what}{waves}: SMs have no work {format_share(share)} of the time{rest}")


def _waiting(waits: _Waits, busiest: Busy) -> Verdict:
    kind = REASONS[waits.reason][0]
    return Verdict(kind, f"{kind}: {waits}; no unit is over {format_share(busiest.share)} busy ({busiest.name})")
