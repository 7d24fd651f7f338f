"""How often an SM loads constants, how long that takes, and what new lines cost: here and on an H200."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from calibration import bench

MEASURED = bench.table("constants")
LOADS = {"apart": 8, "wide": 8, "after": 8, "lanes": 8, "with_shared": 4}
"""In each round."""
ROUNDS = 8, 24  # the difference of two numbers of them is timed
WARPS_OF_LANES = 4


@cache
def cycles(kernel: str, warps: int, number: int = 0) -> float:
    """Cycles of the SM for a load of every warp."""
    last = np.int32(number)
    return bench.a_step(lambda n: bench.of_warps("constants.cu", kernel, warps, n, last), ROUNDS, LOADS[kernel])


def addresses(key: str) -> float:
    """Cycles for a load of every warp whose lanes have so many addresses."""
    return cycles("lanes", WARPS_OF_LANES, int(key))


def new_lines(key: str) -> float:
    """Cycles until so many lines are there that no SM has read."""
    clocks = np.zeros(2, np.int64)
    bench.launch("constants.cu", f"new_{key}", 1, 32, clocks, np.int32(0), cache="warm")
    return bench.elapsed(clocks)


def cases() -> Iterator[bench.Case]:
    """Loads by numbers of warps and of addresses, and of lines that are new."""
    yield from bench.in_cycles("constant loads", MEASURED["cycles"], cycles, "{}, {} warps")
    yield from bench.each("constant loads", "cycle", MEASURED["lanes"], addresses, "addresses of a load:")
    yield from bench.each("constant loads", "cycle", MEASURED["new"], new_lines, "new lines:")
