"""Who goes first: two blocks that compete on each SM."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from tests.validation import bench

SMS, THREADS = 132, 1024
BLOCKS = 2 * SMS
PASSES = 16  # before loads start again at the same addresses
MEASURED = bench.table("scheduling")["two_blocks"]
STEPS = {"s_fma": 512, "s_lds": 1024, "s_ldg": 256, "s_tile": 128}
"""Iterations.  The driver that measured them was not kept: powers of two at which the units' rates give the time."""


WAVES = bench.table("waves")["cycles"]
WAVE_STEPS = {"s_fma": 512, "s_tile": 32}


def _operands(kernel: str) -> list[Any]:
    return {
        "s_fma": [np.float32(1)],
        "s_lds": [np.int32(0)],
        "s_ldg": [np.zeros(PASSES * BLOCKS * THREADS, np.int32)],
        "s_tile": [np.zeros(PASSES * BLOCKS * 2 * THREADS, np.float32)],
    }[kernel]


def compete(kernel: str, steps: int) -> dict[str, float]:
    """Cycles from the start of the older of an SM's two blocks, medians over SMs."""
    warps = BLOCKS * THREADS // 32
    sm, clocks = np.zeros(warps, np.uint32), np.zeros(2 * warps, np.int64)
    args = np.int32(steps), *_operands(kernel), sm, clocks, np.zeros(1, np.float32)
    bench.launch("sched.cu", kernel, BLOCKS, THREADS, *args)
    by_block, home = clocks.reshape(BLOCKS, -1, 2), sm.reshape(BLOCKS, -1)[:, 0]
    found = [_order(by_block[home == one]) for one in range(SMS)]
    return {name: bench.median(row[name] for row in found) for name in found[0]}


def _order(blocks: np.ndarray) -> dict[str, float]:
    """Starts and ends of the two blocks of an SM; ``blocks``: (2, warps, 2)."""
    older, younger = blocks[np.argsort(blocks[:, :, 0].min(axis=1))]
    begin = older[:, 0].min()
    return {
        "older_block_end": older[:, 1].max() - begin,
        "younger_block_end": younger[:, 1].max() - begin,
        "start_gap": younger[:, 0].min() - begin,
        "older_first_warp_end": older[:, 1].min() - begin,
        "younger_first_warp_end": younger[:, 1].min() - begin,
    }


@cache
def measured_steps(kernel: str) -> dict[str, float]:
    """The same for as many iterations as were measured."""
    return compete(kernel, STEPS[kernel])


def wave(kernel: str, blocks: int) -> float:
    """Cycles of a launch of so many blocks, of which an SM holds two."""
    warps = blocks * THREADS // 32
    results = np.zeros(warps, np.uint32), np.zeros(2 * warps, np.int64), np.zeros(1, np.float32)
    data = [np.float32(1)] if kernel == "s_fma" else [np.zeros((PASSES * BLOCKS + blocks) * 2 * THREADS, np.float32)]
    return bench.launch("sched.cu", kernel, blocks, THREADS, np.int32(WAVE_STEPS[kernel]), *data, *results).cycles


def waves() -> Iterator[bench.Case]:
    """The steps of time where a block more needs another round of the SMs."""
    for kernel, values in WAVES.items():
        yield from bench.each(
            "waves",
            "cycle",
            values,
            lambda k, kernel=kernel: wave(kernel, int(k)),
            f"{kernel}, blocks:",
        )


def cases() -> Iterator[bench.Case]:
    """When the two blocks of an SM start and end, and what a block more costs."""
    yield from waves()
    for kernel, values in MEASURED.items():
        yield from bench.each(
            "two blocks an SM", "cycle", values, lambda k, kernel=kernel: measured_steps(kernel)[k], f"{kernel}:"
        )
