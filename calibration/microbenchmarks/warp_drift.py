"""How far the warps of an SM come apart, at their start and behind a barrier, and what they then ask for together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from calibration import bench

WARP = 32
KEPT = 4096  # words for what the warps of one SM note
STARTS = 4  # stamps of a warp, the first when it starts
ROUNDS, PERIOD, STAMPS = 16, 4000, 3
REQUESTS = "lts__t_requests_srcunit_tex_op_read.sum"
MEASURED = bench.table("in_step")


def _noted() -> tuple[np.ndarray, np.ndarray]:
    """How many blocks of one SM have noted something, and what."""
    return np.zeros(1, np.uint32), np.zeros(KEPT, np.uint32)


def entered(key: str) -> float:
    """Cycles from the first to the last of an SM's warps to start: ``"1024x2"`` is threads and blocks an SM."""
    threads, blocks = map(int, key.split("x"))
    slots, clocks = _noted()
    bench.launch("in_step.cu", "entered", bench.SMS * blocks, threads, slots, clocks, np.uint32(0))
    starts = clocks[: blocks * threads // WARP * STARTS : STARTS].astype(np.int64)
    return float(starts.max() - starts.min())


def behind(key: str) -> float:
    """Requests a round for as many half lines as there are warps behind a barrier: ``"16"``."""
    threads = WARP * int(key)
    noted = np.zeros(ROUNDS * int(key) * STAMPS, np.uint32)
    args = np.zeros(ROUNDS * threads, np.uint16), np.int32(ROUNDS), np.int32(PERIOD), noted
    return bench.launch("in_step.cu", "behind_2", 1, threads, *args).value(REQUESTS) / ROUNDS


def copied(key: str) -> float:
    """Requests for each line of a copy of halves: ``"1024x6"`` is threads and blocks an SM."""
    threads, blocks = map(int, key.split("x"))
    elements = bench.SMS * blocks * threads
    words = np.zeros(elements, np.uint16), np.zeros(elements, np.uint16)
    found = bench.launch("in_step.cu", "copy_2", bench.SMS * blocks, threads, *words, *_noted())
    return found.value(REQUESTS) * 64 / elements


def cases() -> Iterator[bench.Case]:
    """Starts of warps, and requests for lines that several warps share."""
    yield from bench.each("warp drift", "cycle", MEASURED["entered"], entered, "entered, threads x blocks:")
    yield from bench.each("warp drift", "1", MEASURED["behind"], behind, "requests behind a barrier, warps:")
    yield from bench.each("warp drift", "1", MEASURED["copied"], copied, "requests a line of a copy, threads x blocks:")
