"""Exponentials, shuffles and loads of matrices, alone, mixed and beside tensor cores: here and on an H200."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from calibration import bench

MEASURED: dict[str, dict[str, float]] = bench.table("mio")["cycles"]
ROUNDS = (32, 96)  # the difference of two numbers of rounds is timed


@cache
def cycles(kernel: str, warps: int) -> float:
    """Cycles a round of eight steps."""
    return bench.a_step(lambda rounds: bench.on_fragments("mio.cu", kernel, warps, rounds), ROUNDS, 1)


def cases() -> Iterator[bench.Case]:
    """Every kernel at every number of warps."""
    return bench.in_cycles("special functions, shuffles, matrix loads", MEASURED, cycles, "{}, {} warps")
