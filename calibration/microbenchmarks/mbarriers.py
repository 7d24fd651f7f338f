"""mbarriers: arrivals, waits, round trips, fences, and registers that a warpgroup gives away."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from calibration import bench

ROUNDS = (16, 48)  # the difference of two numbers of rounds is timed
STEPS = {
    "turns": 2, "meet": 1, "meet_by_warps": 1, "give_and_take": 8,
}  # fmt: skip
"""What a round is divided by: two arrivals with their waits, eight changes of registers; 8 elsewhere."""
UNROLLED = 8
GROUP = "mbarriers"
OF_WARPS = {
    "arrive_one_lane": (1, 4, 32), "arrive_all_lanes": (1, 4, 32), "complete_one_lane": (1, 4, 32),
    "expect_one_lane": (1, 4), "arrive_expect_complete": (1, 4), "wait_for_the_past": (1, 4, 16, 32),
    "wait_for_the_past_one_lane": (1, 4, 16), "test_the_past": (1, 4, 16), "test_in_vain": (1, 4, 16),
    "arrive_and_wait": (1, 4, 16), "fence_async": (1, 4, 16), "fence_async_everywhere": (1, 4), "fence_init": (1, 4),
    "store_and_fence_async": (1, 4, 16), "elect": (1, 4, 16), "turns": (2,), "meet": (1, 2, 4, 8, 16, 32),
    "meet_by_warps": (2, 4, 8, 16, 32), "give_and_take": (4, 12),
}  # fmt: skip
LONG = 40_000
"""Cycles that a warp waits in vain, most of which go by in whole tries."""


@cache
def cycles(gpu: str, kernel: str, warps: int) -> float:
    """Cycles of one of what a round has several of."""
    return bench.a_step(lambda rounds: _elapsed(gpu, kernel, warps, rounds), ROUNDS, STEPS.get(kernel, UNROLLED))


def _elapsed(gpu: str, kernel: str, warps: int, rounds: int) -> float:
    clocks = np.zeros(2 * warps, np.int64)
    bench.launch("mbarrier.cu", kernel, 1, 32 * warps, np.int32(rounds), clocks, gpu=gpu)
    return bench.elapsed(clocks)


def tries(gpu: str) -> float:
    """Tries in vain of a warp that waits for a long time."""
    clocks, found = np.zeros(4, np.int64), np.zeros(1, np.uint32)
    bench.launch("mbarrier.cu", "try_in_vain", 1, 64, np.int32(LONG), clocks, found, gpu=gpu)
    return float(found[0])


def questions() -> Iterator[bench.Question]:
    """Every kernel by every number of warps, and how often a wait gives up."""
    for kernel, by in OF_WARPS.items():
        for warps in by:
            at = kernel, warps
            name = f"{kernel}, {warps} warps"
            yield bench.Question(GROUP, name, "cycle", lambda gpu, at=at: cycles(gpu, *at))  # type: ignore[misc]
    yield bench.Question(GROUP, f"tries in vain, {LONG} cycles", "1", tries, floor=1.0)
