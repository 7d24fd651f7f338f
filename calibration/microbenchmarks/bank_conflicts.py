"""Chains of loads with bank conflicts, timed by their own clock reads: when the last register of each is there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from calibration import bench

ROUNDS, STEPS = (4, 12), 16  # the difference of two numbers of rounds is timed; loads of a round
MEASURED: dict[str, dict[str, float]] = bench.table("conflicts")["cycles"]


@cache
def cycles(kernel: str, stride: int) -> float:
    """Cycles from a load to the next one, that needs what it gives, of the one warp of the GPU."""
    return bench.a_step(lambda rounds: _elapsed(kernel, stride, rounds), ROUNDS, STEPS)


def _elapsed(kernel: str, stride: int, rounds: int) -> float:
    clocks, sink, zeros = np.zeros(2, np.int64), np.zeros(1, np.uint32), np.zeros(1 << 15, np.uint8)
    bench.launch("conflicts.cu", kernel, 1, 32, np.int32(rounds), np.int32(stride), clocks, sink, zeros)
    return bench.elapsed(clocks)


def cases() -> Iterator[bench.Case]:
    """Every width at every stride."""
    return bench.in_cycles("bank conflicts", MEASURED, cycles, "{} bytes, {} apart")
