"""Who goes first: two blocks that compete on each SM."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from calibration import bench

THREADS = 1024
BLOCKS = 2 * bench.SMS
PASSES = 16  # before loads start again at the same addresses
MEASURED = bench.table("scheduling")["two_blocks"]
STEPS = {"s_fma": 512, "s_lds": 1024, "s_ldg": 256, "s_tile": 128}
"""Iterations.  The driver that measured them was not kept: powers of two at which the units' rates give the time."""


def _operands(kernel: str) -> list[Any]:
    operands: dict[str, list[Any]] = {
        "s_fma": [np.float32(1)],
        "s_lds": [np.int32(0)],
        "s_ldg": [np.zeros(PASSES * BLOCKS * THREADS, np.int32)],
        "s_tile": [np.zeros(PASSES * BLOCKS * 2 * THREADS, np.float32)],
    }
    return operands[kernel]


def compete(kernel: str, steps: int) -> dict[str, float]:
    """Cycles from the start of the older of an SM's two blocks, medians over SMs."""
    sm, clocks = np.zeros(BLOCKS, np.uint32), np.zeros((BLOCKS, 3), np.int64)
    args = np.int32(steps), *_operands(kernel), sm, clocks, np.zeros(1, np.float32)
    bench.launch("sched.cu", kernel, BLOCKS, THREADS, *args)
    found = [_order(clocks[sm == one]) for one in np.unique(sm)]
    return {name: bench.median(row[name] for row in found) for name in found[0]}


def _order(blocks: np.ndarray) -> dict[str, float]:
    """Starts and ends of the two blocks of an SM, the older first: complements of first start and end, and last end."""
    starts, first_ends, ends = ~blocks[:, 0], ~blocks[:, 1], blocks[:, 2]
    older, younger, begin = 0, 1, starts.min()
    return {
        "older_block_end": ends[older] - begin,
        "younger_block_end": ends[younger] - begin,
        "start_gap": starts[younger] - begin,
        "older_first_warp_end": first_ends[older] - begin,
        "younger_first_warp_end": first_ends[younger] - begin,
    }


@cache
def measured_steps(kernel: str) -> dict[str, float]:
    """The same for as many iterations as were measured."""
    return compete(kernel, STEPS[kernel])


def cases() -> Iterator[bench.Case]:
    """When the two blocks of an SM start and end."""
    for kernel, values in MEASURED.items():
        yield from bench.each(
            "two blocks an SM", "cycle", values, lambda k, kernel=kernel: measured_steps(kernel)[k], f"{kernel}:"
        )
