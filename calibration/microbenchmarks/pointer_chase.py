"""Latency of loads one after another: chains of addresses through L1 and L2, and what does not fit there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from calibration import bench

LEAST_STEPS, WORD = 8192, 8
MEASURED: dict[str, dict[str, float]] = bench.table("chases")["cycles"]


def chase(how: str, key: str) -> float:
    """Cycles a step of a chain that the kernel laid: ``"64KiB/32B"`` is its footprint and the distance of its nodes."""
    footprint, stride = map(bench.size_of, key.split("/"))
    nodes, words = footprint // stride, np.zeros(footprint // WORD, np.uint64)
    steps, clocks = max(LEAST_STEPS, 2 * nodes), np.zeros(1, np.int64)
    sizes = (np.int32(size) for size in (nodes, stride // WORD, steps))
    bench.launch("chase.cu", f"chase_{how}", 1, 1024, words, *sizes, clocks, np.zeros(1, np.uint64))
    return float(clocks[0] / steps)


def cases() -> Iterator[bench.Case]:
    """Chains by loads that L1 keeps and by loads past it."""
    for how, measured in MEASURED.items():
        yield from bench.each("chains of loads", "cycle", measured, lambda k, how=how: chase(how, k), f"chase_{how}")
