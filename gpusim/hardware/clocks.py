"""A GPU with its SMs at another clock than its boost clock: ``h200@1410MHz``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from gpusim.hardware.errors import SpecError
from gpusim.hardware.spec import Gpu, Provenance, values
from gpusim.isa.by_identity import by_identity

TIMES = 8
"""How many times slower or quicker than at their boost clock SMs may run."""
_UNITS = {"": 1, "hz": 1, "khz": 1e3, "mhz": 1e6, "ghz": 1e9}
_CLOCK = re.compile(r"(.+)@\s*(\d+(?:\.\d*)?(?:e\d+)?)\s*([kmg]?hz)?\s*", re.IGNORECASE)


def split_clock(text: str) -> tuple[str, float | None]:
    """Part a GPU's name, or the path of its file, from the clock behind it, in Hz; None where there is none.

    Examples
    --------
    >>> split_clock("h200@1.41GHz"), split_clock("h200@1.41e9"), split_clock("h200")
    (('h200', 1410000000.0), ('h200', 1410000000.0), ('h200', None))
    """
    found = _CLOCK.fullmatch(text)
    return (found[1], float(found[2]) * _UNITS[(found[3] or "").lower()]) if found else (text, None)


def slowed(gpu: Gpu, hz: float) -> Gpu:
    """Give a GPU whose SMs run at another clock, all else as it is.

    L2, the wires from it and device memory keep their clocks, so they are quicker in cycles of slower SMs.

    Parameters
    ----------
    gpu : Gpu
    hz : float
        Of the SMs.
    """
    slower, latency = hz / gpu.clock.sm_hz, gpu.latency
    return replace(
        gpu,
        clock=replace(gpu.clock, sm_hz=hz),
        throughput=replace(gpu.throughput, l2_read_bytes_per_cycle=gpu.throughput.l2_read_bytes_per_cycle / slower),
        latency=replace(
            latency,
            l2_fabric_cycles=round(latency.l2_fabric_cycles * slower),
            dram_cycles=round(latency.dram_cycles * slower),
            dram_spread_cycles=round(latency.dram_spread_cycles * slower),
        ),
    )


@by_identity(1)
def at_clock(gpu: Gpu, hz: float) -> Gpu:
    """Give a GPU whose SMs are locked to a clock, under a name that says so.

    No launch runs quicker, and peaks of arithmetic are in proportion.  What was measured at another clock was not
    measured at this one.

    Parameters
    ----------
    gpu : Gpu
    hz : float
        Of the SMs.

    Raises
    ------
    SpecError
        If no such GPU runs at that clock.
    """
    least, most = gpu.clock.sm_hz / TIMES, gpu.clock.sm_hz * TIMES
    if not least <= hz <= most:
        usual = f"its SMs run at {gpu.clock.sm_hz:g} Hz, and are simulated at {least:g} to {most:g} Hz"
        meant = f": did you mean {hz:g}MHz?" if least <= 1e6 * hz <= most else ""
        raise SpecError(f"{gpu.name} at {hz:g} Hz: {usual}{meant}")
    found, ratio = slowed(gpu, hz), hz / gpu.clock.sm_hz
    locked = replace(
        found,
        name=f"{gpu.name}@{hz / 1e6:g}MHz",
        measured=False,
        clock=replace(found.clock, **_at_most(gpu, hz)),
        throughput=replace(found.throughput, **_peaks(gpu, ratio)),
    )
    return replace(locked, sources=tuple(_sources(gpu, locked)))


def _sources(gpu: Gpu, locked: Gpu) -> Iterator[tuple[str, Provenance]]:
    """Every number of a GPU that is locked to a clock, with where those come from that are others there."""
    before, now = values(gpu), values(locked)
    for key, entry in gpu.sources:
        if now[key] == before[key]:
            yield key, entry
        elif key == "clock.sm_hz":
            yield key, Provenance(now[key], entry.unit, "assumed", f"what SMs are locked to, not {before[key]:g}")
        else:
            source = f"{entry.source}, at SMs of {locked.clock.sm_hz / 1e6:g} MHz"
            yield key, Provenance(now[key], entry.unit, "assumed", source)


def _at_most(gpu: Gpu, hz: float) -> dict[str, float]:
    """The clocks of busy tensor cores, no higher than what the SMs are locked to."""
    clocks = {name: getattr(gpu.clock, name) for name in ("tensor_load_hz", "tensor_full_hz")}
    return {name: min(value, hz) for name, value in clocks.items() if value is not None}


def _peaks(gpu: Gpu, ratio: float) -> dict[str, Any]:
    """Peaks of arithmetic, in proportion to the clock."""
    names = [field.name for field in fields(gpu.throughput) if field.name.endswith(("_flops", "_ops"))]
    rates = {name: getattr(gpu.throughput, name) for name in names}
    return {name: rate * ratio for name, rate in rates.items() if rate is not None}
