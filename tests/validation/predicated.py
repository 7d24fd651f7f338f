"""What accesses cost in which no lane takes part, for their guard is false: here and on an H200."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from tests.validation import bench

MEASURED: dict[str, dict[str, float]] = bench.table("predicated")["cycles"]
ACCESSES, ROUNDS = 8, (8, 24)  # in each round; the difference of two numbers of rounds is timed


@cache
def cycles(kernel: str, warps: int) -> float:
    """Cycles of the SM for an access of every warp of one block."""

    def elapsed(rounds: int) -> float:
        clocks, words = np.zeros(2 * warps, np.int64), np.zeros(32 * warps, np.uint32)
        args = np.int32(rounds), clocks, words, np.uint32(0)
        bench.launch("predicated.cu", kernel, 1, 32 * warps, *args, cache="warm")
        return bench.elapsed(clocks)

    return bench.a_step(elapsed, ROUNDS, ACCESSES)


def cases() -> Iterator[bench.Case]:
    """Every access at every number of warps."""
    return bench.in_cycles("accesses by no lane", MEASURED, cycles, "{}, {} warps")
