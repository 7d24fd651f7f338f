"""Loops of arithmetic, timed by their own clock reads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from calibration import bench

TIMES = 64  # iterations of each loop
MEASURED: dict[str, dict[str, float]] = bench.table("pipes")["cycles"]


@cache
def cycles(name: str, warps: int) -> float:
    """Cycles an iteration, from the first warp's start to the last one's end."""
    clocks, sink = np.zeros(64, np.int64), np.zeros(1024, np.uint32)
    bench.launch("pipes.cu", name, 1, 32 * warps, np.int32(TIMES), clocks, sink)
    return bench.elapsed(clocks[: 2 * warps]) / TIMES


def cases() -> Iterator[bench.Case]:
    """Every loop at every number of warps."""
    return bench.in_cycles("arithmetic pipes", MEASURED, cycles, "{}, {} warps")
