"""What accesses cost in which no lane takes part, for their guard is false: here and on an H200."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from calibration import bench

MEASURED: dict[str, dict[str, float]] = bench.table("predicated")["cycles"]
ACCESSES, ROUNDS = 8, (8, 24)  # in each round; the difference of two numbers of rounds is timed


@cache
def cycles(kernel: str, warps: int) -> float:
    """Cycles of the SM for an access of every warp of one block."""
    args = np.zeros(32 * warps, np.uint32), np.uint32(0)
    return bench.a_step(lambda n: bench.of_warps("predicated.cu", kernel, warps, n, *args), ROUNDS, ACCESSES)


def cases() -> Iterator[bench.Case]:
    """Every access at every number of warps."""
    return bench.in_cycles("accesses by no lane", MEASURED, cycles, "{}, {} warps")
