"""Exponentials, shuffles and loads of matrices, alone, mixed and beside tensor cores: here and on an H200."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from tests.validation import bench

MEASURED: dict[str, dict[str, float]] = bench.table("mio")["cycles"]
ROUNDS = (32, 96)  # the difference of two numbers of rounds is timed


@cache
def cycles(kernel: str, warps: int) -> float:
    """Cycles a round of eight steps."""
    return bench.a_step(lambda rounds: _elapsed(kernel, warps, rounds), ROUNDS, 1)


def _elapsed(kernel: str, warps: int, rounds: int) -> float:
    clocks, sink = np.zeros(2 * warps, np.int64), np.zeros(32 * warps, np.float32)
    fragments = np.random.default_rng(0).standard_normal(8192).astype(np.float16).view(np.uint32)
    bench.launch("mio.cu", kernel, 1, 32 * warps, np.int32(rounds), fragments, clocks, sink, np.int32(0))
    return bench.elapsed(clocks)


def cases() -> Iterator[bench.Case]:
    """Every kernel at every number of warps."""
    return bench.in_cycles("exponentials, shuffles, matrices", MEASURED, cycles, "{}, {} warps")
