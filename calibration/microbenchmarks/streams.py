"""What reads, stores, copies and adds up: cycles by the size of an array, on an H200 and here."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from calibration import bench

MEASURED: dict[str, dict[str, float]] = bench.table("streams")["cycles"]
LARGEST_MIB, THREADS, BYTES = 16, 256, 16  # simulated; of a block; of a thread


@cache
def cycles(kernel: str, mebibytes: int) -> float:
    """Cycles of a launch whose arrays have that size each, caches cold."""
    n = (mebibytes << 20) // BYTES
    first, second = (np.zeros(4 * n, np.float32) for _ in range(2))
    return bench.launch("streams.cu", kernel, n // THREADS, THREADS, np.int32(n), first, second).cycles


def cases() -> Iterator[bench.Case]:
    """Every kernel, arrays up to 16 MiB."""
    small = {k: {size: v for size, v in of.items() if int(size) <= LARGEST_MIB} for k, of in MEASURED.items()}
    return bench.in_cycles("streams", small, cycles, "{}, {} MiB")
