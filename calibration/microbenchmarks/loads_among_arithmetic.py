"""Loops of loads from L1 or shared memory among arithmetic, timed by their own clock reads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from calibration import bench

ROUNDS, STEPS = (8, 24), 64  # the difference of two numbers of rounds is timed; steps of a round
MEASURED: dict[str, dict[str, float]] = bench.table("mixtures")["cycles"]


@cache
def cycles(name: str, warps: int) -> float:
    """Cycles a step, of rounds in which all is in L1."""
    return bench.a_step(lambda rounds: _elapsed(name, warps, rounds), ROUNDS, STEPS)


def _elapsed(name: str, warps: int, rounds: int) -> float:
    clocks, sink = np.zeros(2 * warps, np.int64), np.zeros(1024, np.uint32)
    row, column = np.zeros(2048, np.float32), np.zeros(4096, np.float32)
    zero = np.int32(0)
    bench.launch("mixtures.cu", name, 1, 32 * warps, np.int32(rounds), clocks, sink, row, column, zero, zero)
    return bench.elapsed(clocks)


def cases() -> Iterator[bench.Case]:
    """Every loop at every number of warps."""
    return bench.in_cycles("loads among arithmetic", MEASURED, cycles, "{}, {} warps")
