"""GPUs as rows of text, for listings; how they are drawn is decided elsewhere."""

from __future__ import annotations

from typing import Any

from gpusim.hardware.library import load_gpu, names
from gpusim.hardware.quantities import rules
from gpusim.hardware.sections import SECTIONS
from gpusim.hardware.spec import Gpu, place_of, values

SHOWN_ELEMENTS = 12
"""A longer list is shown by its first few elements and its length."""


def table() -> list[tuple[str, ...]]:
    """List the built-in GPUs.

    Returns
    -------
    list of tuple of str
        Headings, then a row for each GPU: name, full name, architecture, SMs, SM clock (MHz), L2 (MiB), memory,
        its peak (GB/s), FP32 peak (TFLOP/s).
    """
    head = ("GPU", "full name", "arch", "SMs", "MHz", "L2 MiB", "memory", "GB/s", "FP32 TFLOP/s")
    return [head, *(_row(load_gpu(name)) for name in names())]


def describe(gpu: Gpu) -> list[tuple[str, ...]]:
    """List everything a specification says, with where each number comes from.

    Parameters
    ----------
    gpu : Gpu

    Returns
    -------
    list of tuple of str
        Headings, then key, value, unit, kind, source; text has no unit, kind and source.  Numbers on which no simulated
        one depends come last, see :func:`informational`.  How each number is known says what ``measured`` would.
    """
    known, held = dict(gpu.sources), values(gpu)
    del held["measured"]
    rows: list[tuple[str, ...]] = [("key", "value", "unit", "kind", "source")]
    for key, value in sorted(held.items(), key=lambda item: informational(item[0])):
        if key in known:
            entry = known[key]
            rows.append((key, show(entry.value), entry.unit, entry.kind, entry.source))
        elif value is not None:
            rows.append((key, show(value), "", "", ""))
    return rows


def informational(key: str) -> bool:
    """Tell whether no simulated number depends on what a specification says under a key.

    Examples
    --------
    >>> informational("throughput.fp32_flops"), informational("sm.fp32_lanes")
    (True, False)
    """
    section, name = place_of(key)
    rule = rules(SECTIONS[section]).get(name)
    return rule is not None and rule.informational


def show(value: Any) -> str:
    """Write a value for people.

    Parameters
    ----------
    value : int, float, bool, str or tuple

    Returns
    -------
    str

    Examples
    --------
    >>> show(62914560), show(4.8e12), show(True), show((0, 8192))
    ('62914560', '4.8e+12', 'yes', '0, 8192')
    >>> show(("tanh", "clusters")), show(())
    ('tanh, clusters', 'none')
    >>> show(tuple(range(100)))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ... (100 in all)'
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.5g}"
    if not isinstance(value, tuple):
        return str(value)
    if not value or isinstance(value[0], str):
        return ", ".join(value) or "none"
    if isinstance(value[0], tuple):
        return "; ".join(map(show, value))
    shown = ", ".join(map(show, value[:SHOWN_ELEMENTS]))
    return shown if len(value) <= SHOWN_ELEMENTS else f"{shown}, ... ({len(value)} in all)"


def _row(gpu: Gpu) -> tuple[str, ...]:
    return (
        gpu.name,
        gpu.full_name,
        gpu.arch,
        str(gpu.sm_count),
        f"{gpu.clock.sm_hz / 1e6:.0f}",
        f"{gpu.l2.size_bytes / 2**20:g}",
        gpu.dram.type,
        f"{gpu.dram_peak_bytes_per_s / 1e9:.0f}",
        f"{gpu.throughput.fp32_flops / 1e12:.1f}",
    )
