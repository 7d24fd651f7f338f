"""What a block more costs where it needs another round of the SMs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from calibration import bench
from calibration.microbenchmarks.block_scheduling import BLOCKS, PASSES, THREADS

MEASURED = bench.table("waves")["cycles"]
STEPS = {"s_fma": 512, "s_tile": 32}


def wave(kernel: str, blocks: int) -> float:
    """Cycles of a launch of so many blocks, of which an SM holds two."""
    results = np.zeros(blocks, np.uint32), np.zeros(3 * blocks, np.int64), np.zeros(1, np.float32)
    data = [np.float32(1)] if kernel == "s_fma" else [np.zeros((PASSES * BLOCKS + blocks) * 2 * THREADS, np.float32)]
    return bench.launch("sched.cu", kernel, blocks, THREADS, np.int32(STEPS[kernel]), *data, *results).cycles


def cases() -> Iterator[bench.Case]:
    """The steps of time where a block more needs another round of the SMs."""
    for kernel, values in MEASURED.items():
        yield from bench.each(
            "wave tail",
            "cycle",
            values,
            lambda k, kernel=kernel: wave(kernel, int(k)),
            f"{kernel}, blocks:",
        )
